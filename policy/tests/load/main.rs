//! Policy files: what is read, what is refused, what it means.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a fixture that cannot be read fails the test")]

mod composition;
mod expanded;
mod keys;
mod language;
mod meaning;
mod rules;
mod support;
