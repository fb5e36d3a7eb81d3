//! The arguments of `policy init`.

use std::path::PathBuf;

use clap::Args;

use crate::args::non_empty;

#[derive(Args, Debug)]
pub(crate) struct PolicyInitArgs {
    /// A card to draft a rule for; repeatable, with one --as for each, in the same order. The draft holds what the card
    /// claims, enforces nothing, and is yours to review
    #[arg(long = "from", value_name = "CARD", requires = "urls")]
    pub(crate) cards: Vec<PathBuf>,
    /// The URL that the card was fetched from; the rule is for its scheme, host and port
    #[arg(long = "as", id = "urls", value_name = "URL", value_parser = non_empty, requires = "cards")]
    pub(crate) urls: Vec<String>,
    /// Keys that are trusted already: JWK, JWK set or PEM; repeatable. Those that verify a signature of a card become keys of
    /// the draft
    #[arg(long, value_name = "FILE", requires = "cards")]
    pub(crate) keys: Vec<PathBuf>,
    /// File for the policy, never overwritten [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
