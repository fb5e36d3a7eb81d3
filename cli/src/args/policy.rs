//! The arguments of `policy`.

mod check;
mod diff;
mod init;
mod show;
mod test;

use clap::Subcommand;

pub(crate) use check::PolicyCheckArgs;
pub(crate) use diff::PolicyDiffArgs;
pub(crate) use init::PolicyInitArgs;
pub(crate) use show::PolicyShowArgs;
pub(crate) use test::PolicyTestArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Find what is wrong or unwise in trust policies: what makes them unusable, and everything that `lint` finds in them
    Check(PolicyCheckArgs),
    /// Run the test cases of trust policies: no network, no clock
    Test(PolicyTestArgs),
    /// Show what a newer policy means differently, and which test cases are decided differently
    Diff(PolicyDiffArgs),
    /// Write a policy to start from: one with comments that admits nothing, or a draft for cards at hand
    Init(PolicyInitArgs),
    /// Show what a policy means, in words or with everything written out
    Show(PolicyShowArgs),
    /// Print the JSON Schema of policies, for editors
    Schema,
}
