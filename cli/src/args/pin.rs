//! The arguments of `pin`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use countersign::PinDigest;

#[derive(Debug, Subcommand)]
pub(crate) enum PinCommand {
    /// List the agents whose cards were admitted, and the digests that were accepted and revoked
    List(PinListArgs),
    /// Accept one card that you have looked at: it passes whatever `pin` of a rule says, and no other card does
    Accept(PinDigestArgs),
    /// Revoke one card: it is denied from now on, whatever a rule says. This cannot be taken back
    Revoke(PinDigestArgs),
}

#[derive(Args, Debug)]
pub(crate) struct PinListArgs {
    /// The file of pins
    #[arg(long, required = true, value_name = "FILE")]
    pub(crate) pins: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct PinDigestArgs {
    /// The digest of the card, as `admit --pins` says it: sha256: and 64 hexadecimal digits. The SHA-256 of the file of the
    /// card does as well
    #[arg(value_name = "DIGEST")]
    pub(crate) digest: PinDigest,
    /// The file of pins
    #[arg(long, required = true, value_name = "FILE")]
    pub(crate) pins: PathBuf,
}
