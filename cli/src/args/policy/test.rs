//! The arguments of `policy test`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct PolicyTestArgs {
    /// Test files: a policy, a time, and cases, each with a card, where it comes from, and what is expected. A card that a
    /// case patches (RFC 6902) is written anew, its numbers as JSON numbers of the same value; any other is used as it is,
    /// octet for octet
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// List the rules, keys, deny rules and exceptions that no case makes use of; the exit code stays as it is
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Remove each rule, source, host and deny rule in turn and lower each threshold, and list the changes that no case
    /// notices; the exit code stays as it is
    #[arg(long)]
    pub(crate) mutants: bool,
    /// Try known attacks on each rule, as of the time of the first test file; one that is admitted fails
    #[arg(long)]
    pub(crate) builtin: bool,
}
