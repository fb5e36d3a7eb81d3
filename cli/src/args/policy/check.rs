//! The arguments of `policy check`.

use std::path::PathBuf;

use clap::Args;

use crate::args::lint::{FailOn, LevelArgs};

#[derive(Args, Debug)]
pub(crate) struct PolicyCheckArgs {
    /// Policies: files, globs, folders; `-` is standard input. Below a folder every *.toml file counts that has `schema` and
    /// a table of policies. Files that a policy names are read from its folder and below
    #[arg(required = true, value_name = "FILE")]
    pub(crate) paths: Vec<PathBuf>,
    /// The level from which findings are a no
    #[arg(long, value_enum, default_value_t = FailOn::Error, value_name = "LEVEL")]
    pub(crate) fail_on: FailOn,
    #[command(flatten)]
    pub(crate) levels: LevelArgs,
    /// First make the fixes that change no answer of a policy, in its files; what is told is what is left
    #[arg(long)]
    pub(crate) fix: bool,
}
