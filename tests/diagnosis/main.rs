//! What a diagnosis names, held against what is known to have happened to each card.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

mod cases;
mod made;
#[path = "../support/profiles.rs"]
mod profiles;
mod support;
mod transforms;
