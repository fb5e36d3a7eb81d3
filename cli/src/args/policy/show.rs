//! The arguments of `policy show`.

use std::path::PathBuf;

use clap::Args;

#[derive(Args, Debug)]
pub(crate) struct PolicyShowArgs {
    /// The policy. Files that it names are read from its folder and below
    #[arg(value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// Write everything out: defaults, keys, what is included and extended. The text is a policy with the same digest
    #[arg(long)]
    pub(crate) expanded: bool,
}
