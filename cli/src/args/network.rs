//! The arguments of commands that fetch.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use countersign::ProtocolVersion;

use super::assumed_version;

#[derive(Args, Debug)]
#[command(next_help_heading = "Options for URLs")]
pub(crate) struct NetworkArgs {
    /// Folder in which responses and answers are remembered, for later runs; made if it is not there, for this user alone
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Fetch nothing: use what is remembered and fresh, or fail
    #[arg(long)]
    pub(crate) offline: bool,
    /// Certificates of authorities in PEM that are trusted beside the public ones, for private servers
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Certificate chain of the client in PEM, for servers that ask for one
    #[arg(long, value_name = "FILE", requires = "client_key")]
    pub(crate) client_certificate: Option<PathBuf>,
    /// Its private key in PEM, not encrypted
    #[arg(long, value_name = "FILE", requires = "client_certificate")]
    pub(crate) client_key: Option<PathBuf>,
    /// Ask with `A2A-Version`, for servers that have a card for each version: 0.3 or 1.0
    #[arg(long, value_name = "VERSION", value_parser = assumed_version)]
    pub(crate) a2a_version: Option<ProtocolVersion>,
    /// Try `/.well-known/agent.json` too, where there is nothing at `/.well-known/agent-card.json`
    #[arg(long)]
    pub(crate) old_path: bool,
    /// How many hosts are asked at the same time; never more than one request at a time goes to one host
    #[arg(long, value_name = "N", default_value = "8", value_parser = jobs)]
    pub(crate) jobs: NonZeroUsize,
}

const MAX_JOBS: usize = 256;

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    let jobs = text.parse().ok().and_then(NonZeroUsize::new).filter(|jobs| jobs.get() <= MAX_JOBS);
    jobs.ok_or_else(|| format!("expected a number from 1 to {MAX_JOBS}"))
}
