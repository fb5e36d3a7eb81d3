//! The arguments of `policy diff`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct PolicyDiffArgs {
    /// The older policy
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The newer policy
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// Test file whose cases are decided under both policies, whatever policy it names and whatever it expects; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) cases: Vec<PathBuf>,
}
