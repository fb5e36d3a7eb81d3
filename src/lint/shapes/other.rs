//! What a document is that is no AgentCard.

use countersign_keys::json::{Kind, Value};

use crate::card::{has_envelope, member};
use crate::endorsement::Endorsement;
use crate::lint::report::{Remark, quoted};

pub(super) fn remark(document: Value<'_>) -> Remark {
    if let Some(look) = Look::of(document) {
        return Remark::new(format!("this is {}, not an AgentCard", look.name)).help(look.help);
    }
    let wrong: Vec<_> = [("url", Kind::Text), ("capabilities", Kind::Object), ("skills", Kind::Array)]
        .into_iter()
        .filter_map(|(name, kind)| {
            let found = member(document, name).filter(|found| found.kind() != kind)?;
            Some(format!("`{name}` is {}", found.kind().name()))
        })
        .collect();
    let wrong = if wrong.is_empty() { String::new() } else { format!(" ({})", wrong.join(", ")) };
    let empty = if member(document, "supportedInterfaces").is_some() { "an empty" } else { "no" };
    Remark::new(format!(
        "no AgentCard: it has {empty} `supportedInterfaces`, and not the `url`, `capabilities` and `skills` of an older card{wrong}"
    ))
    .help("add `supportedInterfaces` with an entry of `url`, `protocolBinding` and `protocolVersion`")
}

/// What the document is said to be, in one sentence.
pub(in crate::lint) fn told(document: Value<'_>) -> String {
    remark(document).into_message()
}

/// What a document looks like.
struct Look {
    name: String,
    help: &'static str,
}

/// Documents that are told by one member, and what they are.
const BY_MEMBER: [(&str, &str); 10] = [
    ("mcpServers", "a configuration of MCP servers"),
    ("serverInfo", "a description of an MCP server"),
    ("supportedTrust", "an ERC-8004 registration"),
    ("agent_card_version", "a card of another standard (`agent_card_version`)"),
    ("openapi", "an OpenAPI description"),
    ("swagger", "an OpenAPI description"),
    ("schema_version", "a document of another standard (`schema_version`)"),
    ("issuer", "OAuth or OpenID metadata"),
    ("@context", "a JSON-LD document"),
    ("keys", "a JWK set"),
];

/// Members under which a card stands in an envelope: its look, and where the card is.
const ENVELOPES: [(&str, &str); 4] = [
    ("agentCard", "unwrap the card: it stands at `/agentCard`"),
    ("agent_card", "unwrap the card: it stands at `/agent_card`"),
    ("result", "unwrap the card: it stands at `/result`"),
    ("card", "unwrap the card: it stands at `/card`"),
];

const PUBLISH: &str = "publish the AgentCard of the agent at this place, and the other document elsewhere";

impl Look {
    fn of(document: Value<'_>) -> Option<Self> {
        let look = |name: &str, help| Some(Self { name: name.to_owned(), help });
        let has = |name| document.member(name).is_some();
        if Endorsement::is_meant(document) {
            return look(
                "an endorsement",
                "give it to `verify` with `--endorsement`, beside the card that it endorses",
            );
        }
        if has("agentCard") && has("attestations") {
            return look(
                "a Sigstore envelope around a card",
                "its signature is none of A2A; unwrap the card: it stands at `/agentCard`",
            );
        }
        let inside = ENVELOPES.iter().find(|(name, _)| {
            document.member(name).is_some_and(|inner| has_envelope(inner) || inner.member("skills").is_some())
        });
        if let Some((name, help)) = inside {
            let name = if *name == "result" {
                "a JSON-RPC response with a card"
            } else {
                "an envelope around a card"
            };
            return look(name, help);
        }
        let kind = document.member("type").and_then(Value::as_text).unwrap_or_default();
        if kind.contains("eip-8004") || kind.contains("erc-8004") {
            return look("an ERC-8004 registration", "give the card that its A2A service names as endpoint");
        }
        if document
            .member("protocol")
            .and_then(Value::as_text)
            .is_some_and(|text| text.eq_ignore_ascii_case("mcp"))
        {
            return look("a description of an MCP server", PUBLISH);
        }
        // A card with such a member beside its own is still an incomplete card.
        if has("skills") {
            return None;
        }
        if let Some((_, name)) = BY_MEMBER.iter().find(|(member, _)| has(member)) {
            return look(name, PUBLISH);
        }
        let named = ["$schema", "schema"].iter().find_map(|name| document.member(name)?.as_text());
        let named = named.filter(|name| !name.contains("a2a"))?;
        Some(Self { name: format!("a document of the schema {}", quoted(named)), help: PUBLISH })
    }
}
