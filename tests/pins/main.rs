//! Pins: what an earlier card changes about the answer for a later one, and the file in which it is remembered.
//! Each test has its bad twin.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed expectation must stop the test"
)]

mod attacks;
mod drift;
mod file;
mod killed;
mod properties;
mod support;
