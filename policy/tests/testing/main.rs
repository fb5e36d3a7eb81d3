//! Tests of policies: the test file, expectations, coverage, changes that tests should notice, known attacks, and what two
//! policies mean differently.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod attacks;
mod coverage;
mod differences;
mod expect;
mod file;
mod support;
