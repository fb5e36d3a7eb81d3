//! The arguments of `admit`.

use std::path::PathBuf;

use clap::Args;
use countersign::{Accepted, ProtocolVersion, SourceKind};

use super::{NetworkArgs, assumed_version, non_empty};

#[derive(Args, Debug)]
pub(crate) struct AdmitArgs {
    /// URLs of cards, or of hosts and prefixes with a card at `/.well-known/agent-card.json` below; or files, globs and
    /// folders of cards, with `--as`. `-` is standard input: with `--as` a card, else a list of URLs and hosts, one on each
    /// line, or of objects such as {"url": …, "tenant": …, "use": …}
    #[arg(required = true, value_name = "URL|CARD")]
    pub(crate) cards: Vec<PathBuf>,
    /// The trust policy. Files that it names are read from its folder and below, nowhere else
    #[arg(long, required = true, value_name = "FILE")]
    pub(crate) policy: PathBuf,
    /// The URL that the cards in files come from; nothing is fetched. Whoever gives a file vouches for it
    #[arg(long = "as", value_name = "URL", value_parser = non_empty)]
    pub(crate) url: Option<String>,
    /// How the cards were found: well-known, url, file or registry:NAME
    /// [default: well-known for /.well-known/agent-card.json, else url]
    #[arg(long, value_name = "KIND", value_parser = source_kind)]
    pub(crate) source: Option<SourceKind>,
    /// Tenant of the client, in the words of the policy
    #[arg(long, value_name = "TENANT", value_parser = non_empty)]
    pub(crate) tenant: Option<String>,
    /// What the agent is wanted for, in the words of the policy
    #[arg(long = "use", value_name = "USE", value_parser = non_empty)]
    pub(crate) purpose: Option<String>,
    /// What the client speaks, best first, repeatable: a protocol version and a binding, such as 1.0/JSONRPC. One of the
    /// interfaces that may be called is selected then, and a card without any is denied
    #[arg(long, value_name = "VERSION/BINDING")]
    pub(crate) accept: Vec<Accepted>,
    /// URI of an extension that the client supports, repeatable. A card that requires another one is denied then
    #[arg(long = "extension", value_name = "URI", value_parser = non_empty)]
    pub(crate) extensions: Vec<String>,
    /// Signatures that are kept beside the cards; repeatable, at most 64
    #[arg(long = "endorsement", value_name = "FILE")]
    pub(crate) endorsements: Vec<PathBuf>,
    /// File in which the cards of agents are remembered, made if it is not there. A card that is admitted is written to it
    /// before the answer; later ones are compared with it, as `pin` of the rule says
    #[arg(long, value_name = "FILE")]
    pub(crate) pins: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Append a line of JSON to this file for every decision, without any text of the card
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_log: Option<PathBuf>,
    /// File to write a report of the run to: one HTML page about all agents, which loads nothing
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Say which changes of the policy would admit a card that is denied; each is held against the card anew
    #[arg(long)]
    pub(crate) explain: bool,
    /// Say why a rule is not the one that the cards are held against
    #[arg(long, value_name = "RULE", value_parser = non_empty)]
    pub(crate) why_not: Option<String>,
    /// Protocol version of cards and interfaces that name none: 0.3 or 1.0
    #[arg(long, value_name = "VERSION", value_parser = assumed_version)]
    pub(crate) assume_version: Option<ProtocolVersion>,
}

fn source_kind(text: &str) -> Result<SourceKind, &'static str> {
    SourceKind::read(text).ok_or("expected well-known, url, file or registry:NAME")
}
