//! Cards signed, altered and passed on by other implementations, held against what this one says of them.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]
#![expect(clippy::panic, reason = "a failed expectation must stop the test")]
#![expect(clippy::indexing_slicing, reason = "a vector without the expected member must stop the test")]

#[path = "../support/handed_on.rs"]
mod handed_on;
mod headers;
mod keys;
mod numbers;
#[path = "../support/profiles.rs"]
mod profiles;
mod relayed;
mod sdk;
mod support;
mod transforms;
