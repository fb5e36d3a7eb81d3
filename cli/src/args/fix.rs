//! The arguments of `fix`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use countersign::{ProtocolVersion, UpgradeTo};

use super::assumed_version;

#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 nothing is left that can be fixed without a person; 1 fixes are held back because \
                        the card is signed, with --portable the forms still differ, or with --to something about an \
                        interface or about authentication is lost; 2 and 3 as everywhere."
)]
pub(crate) struct FixArgs {
    /// The card; `-` is standard input
    #[arg(value_name = "CARD")]
    pub(crate) card: PathBuf,
    /// Also remove what means the same when it is absent, so that all forms give the same octets; list the rest
    #[arg(long)]
    pub(crate) portable: bool,
    /// Write a card of A2A 0.3 anew as one of 1.0, or as dual, which offers 1.0 and 0.3. Whether the server speaks 1.0 is
    /// yours to know. Signatures are removed
    #[arg(long, value_enum, value_name = "1.0|dual", hide_possible_values = true)]
    pub(crate) to: Option<To>,
    /// Protocol version of a card that names none: 0.3 or 1.0
    #[arg(long, value_name = "VERSION", value_parser = assumed_version)]
    pub(crate) assume_version: Option<ProtocolVersion>,
    /// Also make fixes that break the signatures of the card, and remove the signatures
    #[arg(long)]
    pub(crate) drop_signatures: bool,
    #[command(flatten)]
    pub(crate) destination: DestinationArgs,
}

/// Where the fixed card goes.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub(crate) struct DestinationArgs {
    /// Write nothing; print the changes as a unified diff
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// File for the fixed card [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the card file by the fixed card
    #[arg(long)]
    pub(crate) in_place: bool,
}

/// What an old card becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    #[value(name = "1.0")]
    V1,
    Dual,
}

impl From<To> for UpgradeTo {
    fn from(to: To) -> Self {
        match to {
            To::V1 => Self::V1_0,
            To::Dual => Self::Dual,
        }
    }
}
