//! Fetching: real TLS servers on loopback with authorities of their own, and scripted clients where only the rules of
//! caching are tested. Nothing here depends on the time of the day: certificates are valid from 1975 to 4096 or were until
//! 1980, and the time of caching is an argument.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

#[path = "../support/agent.rs"]
mod agent;

mod addresses;
mod caching;
mod certificates;
mod disk;
mod journey;
mod limits;
mod responses;
mod server;
