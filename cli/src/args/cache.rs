//! The arguments of `cache`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::non_empty;

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// List the responses that are remembered
    List(CacheFolderArgs),
    /// Print the octets that are remembered of one URL
    Show(CacheShowArgs),
    /// Forget all responses and answers, or the responses of one URL. Pins are kept elsewhere and stay
    Clear(CacheClearArgs),
}

#[derive(Args, Debug)]
pub(crate) struct CacheFolderArgs {
    /// The folder, as it was given to `admit --cache`
    #[arg(long, required = true, value_name = "DIR")]
    pub(crate) cache: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct CacheShowArgs {
    /// The URL, as `cache list` shows it or as it was given to `admit`
    #[arg(value_name = "URL", value_parser = non_empty)]
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) folder: CacheFolderArgs,
}

#[derive(Args, Debug)]
pub(crate) struct CacheClearArgs {
    /// The URL, as `cache list` shows it or as it was given to `admit` [default: everything]
    #[arg(value_name = "URL", value_parser = non_empty)]
    pub(crate) url: Option<String>,
    #[command(flatten)]
    pub(crate) folder: CacheFolderArgs,
}
