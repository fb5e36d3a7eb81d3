//! The arguments of `lint`.

mod levels;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use countersign::ProtocolVersion;

use super::assumed_version;
pub(crate) use levels::LevelArgs;

#[derive(Args, Debug)]
pub(crate) struct LintArgs {
    /// Cards, and policies by their names *.toml: files, globs, folders; `-` is a card on standard input. Below a folder
    /// every *.json file counts but those in hidden folders other than .well-known, in node_modules and in target, and
    /// every *.toml file that is a policy; documents that are no cards are passed over with a note
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Trusted keys to judge signatures with: JWK, JWK set or PEM; repeatable. Without them only the form of signatures is
    /// looked at
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Vec<PathBuf>,
    /// Trust policy whose `[lints]` holds for cards too; -D, -W and -A come before it. Nothing else of it is looked at
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Whose cards these are: your own before they are published, or those of others, where only what affects a decision
    /// counts
    #[arg(long, value_enum, default_value_t = Whose::Consume)]
    pub(crate) profile: Whose,
    /// The level from which findings are a no
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "LEVEL")]
    pub(crate) fail_on: FailOn,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
    /// First make the fixes that keep the meaning of a card for every reader, or of a policy, in the files; what is told
    /// is what is left. Signed cards stay as they are. `fix --dry-run` shows what would be changed in a card
    #[arg(long)]
    pub(crate) fix: bool,
    /// Protocol version of cards and interfaces that name none: 0.3 or 1.0
    #[arg(long, value_name = "VERSION", value_parser = assumed_version)]
    pub(crate) assume_version: Option<ProtocolVersion>,
}

/// Whose cards are linted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Whose {
    /// Your own
    Publish,
    /// Those of others
    Consume,
}

/// The level from which findings are a no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// Errors
    Error,
    /// Errors and warnings
    Warning,
    /// No finding is a no
    Never,
}
