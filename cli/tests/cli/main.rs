//! The binary as its users run it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "../../../tests/support/agent.rs"]
mod agent;
mod cases;
mod elsewhere;
mod endorsements;
mod fetched;
mod files;
mod fixes;
mod fleet;
mod keyfiles;
mod lints;
mod meanwhile;
mod policies;
mod policyfiles;
mod policytest;
mod recorded;
mod report;
mod secrets;
#[path = "../../../tests/fetch/server.rs"]
#[expect(dead_code, reason = "other tests want more of it")]
mod server;
mod streams;
mod support;
#[cfg(unix)]
mod token;
