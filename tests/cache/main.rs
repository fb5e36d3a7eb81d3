//! Remembered admissions: what is remembered, for whom, until when, and that nothing else is. Each test has its bad twin.
#![expect(clippy::indexing_slicing, clippy::unwrap_used, reason = "a failed expectation must stop the test")]

#[path = "../support/agent.rs"]
mod agent;
mod cases;
mod decisions;
mod fixture;
mod interfaces;
mod model;
#[path = "../support/policies.rs"]
mod policies;
mod threads;
