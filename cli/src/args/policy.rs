//! The arguments of `policy`.

mod check;

use clap::Subcommand;

pub(crate) use check::PolicyCheckArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Find what is wrong or unwise in trust policies: what makes them unusable, and everything that `lint` finds in them
    Check(PolicyCheckArgs),
}
