//! A client that looks before it calls: what is fetched, how often, with which keys, and what is given out.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../support/agent.rs"]
mod agent;
mod interface;
mod key_sets;
mod rules;
mod web;
