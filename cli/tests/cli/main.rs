//! The binary as its users run it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;
mod elsewhere;
mod endorsements;
mod files;
mod fixes;
mod keyfiles;
mod lints;
mod meanwhile;
mod policies;
mod policyfiles;
mod policytest;
mod recorded;
mod report;
mod secrets;
mod streams;
mod support;
#[cfg(unix)]
mod token;
