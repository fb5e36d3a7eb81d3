//! The lines of a file of pins.

use std::collections::{BTreeMap, BTreeSet};

use countersign_keys::json::{Document, Kind, Limits, Value};
use countersign_keys::{hex, jcs, sha256};
use countersign_policy::{CardParts, PinDigest, PinnedCard, SignedBy, UnixTime};

use super::error::PinFault;

/// Longest line, in octets: 65,536. Why: an event with every member of a card and the longest URL and version has 16,000.
pub(super) const MAX_LINE_OCTETS: usize = 65_536;

/// What is before the checksum of the first line.
const HEADER: &str = "{\"schema\":\"countersign.pins/1\"";

/// The octets around a checksum, the last member of each line.
const BEFORE_CHAIN: &str = ",\"chain\":\"";
const AFTER_CHAIN: &str = "\"}";

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) at: UnixTime,
    pub(super) what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// A card was admitted.
    Seen { agent: String, origin: String, card: Box<PinnedCard> },
    /// A person accepted a card.
    Accepted(PinDigest),
    /// A person revoked a card, by one of its digests and those that were known beside it.
    Revoked { digest: PinDigest, also: BTreeSet<PinDigest> },
}

/// The checksum of a line and of all before it, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain(String);

impl Chain {
    /// Before the first line.
    pub(super) const fn start() -> Self {
        Self(String::new())
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    fn after(&self, line: &str) -> Self {
        Self(hex(&sha256(format!("{}{line}", self.0).as_bytes())))
    }

    /// Takes the checksum off a line and compares it; what is before it, and the checksum.
    fn check<'l>(&self, line: &'l str) -> Option<(&'l str, Self)> {
        let line = line.strip_suffix(AFTER_CHAIN)?;
        let (text, found) = line.rsplit_once(BEFORE_CHAIN)?;
        let next = self.after(text);
        (next.0 == found).then_some((text, next))
    }

    /// A whole line, and the checksum after it.
    fn close(&self, text: &str) -> (String, Self) {
        let next = self.after(text);
        (format!("{text}{BEFORE_CHAIN}{}{AFTER_CHAIN}\n", next.0), next)
    }
}

/// The first line.
pub(super) fn header() -> String {
    Chain::start().close(HEADER).0
}

pub(super) fn read_header(line: &str) -> Result<Chain, PinFault> {
    match Chain::start().check(line) {
        Some((HEADER, chain)) => Ok(chain),
        _ => Err(PinFault::NotPins),
    }
}

impl Event {
    /// The line of the event after `chain`, and the checksum after it.
    pub(super) fn write(&self, chain: &Chain) -> (String, Chain) {
        let mut line = Line::default();
        let word = match &self.what {
            What::Seen { .. } => "seen",
            What::Accepted(_) => "accepted",
            What::Revoked { .. } => "revoked",
        };
        line.text("event", word);
        line.time("at", Some(self.at));
        match &self.what {
            What::Seen { agent, origin, card } => {
                line.text("agent", agent);
                line.text("origin", origin);
                line.card(card);
            }
            What::Accepted(digest) => line.digest("digest", *digest),
            What::Revoked { digest, also } => {
                line.digest("digest", *digest);
                line.digests("also", also);
            }
        }
        // Only strings and numbers were written to it.
        chain.close(&String::from_utf8_lossy(&line.octets))
    }

    /// Reads the line after `chain`, without its line end.
    pub(super) fn read(line: &str, chain: &Chain) -> Result<(Self, Chain), PinFault> {
        let (_, next) = chain.check(line).ok_or(PinFault::Checksum)?;
        let limits = Limits::default().with_max_octets(MAX_LINE_OCTETS);
        let document = Document::read(line, &limits).map_err(|error| PinFault::Json(Box::new(error)))?;
        let line = Members(document.root());
        let at = line.time("at")?.ok_or(PinFault::Member { name: "at" })?;
        let what = match line.text("event")? {
            "seen" => What::Seen {
                agent: line.text("agent")?.to_owned(),
                origin: line.text("origin")?.to_owned(),
                card: Box::new(line.card()?),
            },
            "accepted" => What::Accepted(line.digest("digest")?),
            "revoked" => What::Revoked { digest: line.digest("digest")?, also: line.digests("also")? },
            other => return Err(PinFault::Event { event: other.to_owned() }),
        };
        Ok((Self { at, what }, next))
    }
}

/// A line that is being written, up to its checksum.
#[derive(Default)]
struct Line {
    octets: Vec<u8>,
}

impl Line {
    fn name(&mut self, name: &str) {
        self.octets.push(if self.octets.is_empty() { b'{' } else { b',' });
        jcs::write_text(name, &mut self.octets);
        self.octets.push(b':');
    }

    fn raw(&mut self, name: &str, text: &str) {
        self.name(name);
        self.octets.extend_from_slice(text.as_bytes());
    }

    fn text(&mut self, name: &str, text: &str) {
        self.name(name);
        jcs::write_text(text, &mut self.octets);
    }

    fn time(&mut self, name: &str, at: Option<UnixTime>) {
        let text = at.map_or_else(|| "null".to_owned(), |at| format!("\"{}\"", at.seconds()));
        self.raw(name, &text);
    }

    fn digest(&mut self, name: &str, digest: PinDigest) {
        self.text(name, &digest.to_hex());
    }

    fn digests(&mut self, name: &str, digests: &BTreeSet<PinDigest>) {
        let list: Vec<String> = digests.iter().map(|digest| format!("\"{}\"", digest.to_hex())).collect();
        self.raw(name, &format!("[{}]", list.join(",")));
    }

    fn parts(&mut self, name: &str, parts: &BTreeMap<String, PinDigest>) {
        self.name(name);
        self.octets.push(b'{');
        for (index, (pointer, digest)) in parts.iter().enumerate() {
            if index > 0 {
                self.octets.push(b',');
            }
            jcs::write_text(pointer, &mut self.octets);
            self.octets.extend_from_slice(format!(":\"{}\"", digest.to_hex()).as_bytes());
        }
        self.octets.push(b'}');
    }

    fn card(&mut self, card: &PinnedCard) {
        self.digest("octets", card.octets);
        self.digest("digest", card.parts.digest);
        match &card.version {
            Some(version) => self.text("version", version),
            None => self.raw("version", "null"),
        }
        self.time("iat", card.issued_at);
        self.raw("signed", if card.signed == SignedBy::Key { "true" } else { "false" });
        self.digests("payloads", &card.payloads);
        self.parts("structure", &card.parts.structure);
        self.parts("text", &card.parts.text);
    }
}

/// The members of a line. Each of those asked for must be there and be what it should be.
struct Members<'d>(Value<'d>);

impl<'d> Members<'d> {
    fn value(&self, name: &'static str) -> Result<Value<'d>, PinFault> {
        self.0.member(name).ok_or(PinFault::Member { name })
    }

    fn text(&self, name: &'static str) -> Result<&'d str, PinFault> {
        self.value(name)?.as_text().ok_or(PinFault::Member { name })
    }

    fn or_null<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'d str) -> Option<T>,
    ) -> Result<Option<T>, PinFault> {
        let value = self.value(name)?;
        if value.is_null() {
            return Ok(None);
        }
        value.as_text().and_then(read).map(Some).ok_or(PinFault::Member { name })
    }

    /// Seconds, as text: a JSON number does not hold all of them.
    fn time(&self, name: &'static str) -> Result<Option<UnixTime>, PinFault> {
        self.or_null(name, |text| text.parse().ok().map(UnixTime::from_seconds))
    }

    fn digest(&self, name: &'static str) -> Result<PinDigest, PinFault> {
        PinDigest::from_hex(self.text(name)?).ok_or(PinFault::Member { name })
    }

    fn digests(&self, name: &'static str) -> Result<BTreeSet<PinDigest>, PinFault> {
        let list = self.value(name)?;
        if list.kind() != Kind::Array {
            return Err(PinFault::Member { name });
        }
        let read = |value: Value<'_>| value.as_text().and_then(PinDigest::from_hex);
        list.elements().map(|value| read(value).ok_or(PinFault::Member { name })).collect()
    }

    fn parts(&self, name: &'static str) -> Result<BTreeMap<String, PinDigest>, PinFault> {
        let parts = self.value(name)?;
        if parts.kind() != Kind::Object {
            return Err(PinFault::Member { name });
        }
        let read = |(pointer, value): (&str, Value<'_>)| {
            let digest = value.as_text().and_then(PinDigest::from_hex);
            digest.map(|digest| (pointer.to_owned(), digest)).ok_or(PinFault::Member { name })
        };
        parts.members().map(read).collect()
    }

    fn card(&self) -> Result<PinnedCard, PinFault> {
        let parts = CardParts {
            digest: self.digest("digest")?,
            structure: self.parts("structure")?,
            text: self.parts("text")?,
        };
        let mut card = PinnedCard::new(self.digest("octets")?, parts);
        card.version = self.or_null("version", |text| Some(text.to_owned()))?;
        card.issued_at = self.time("iat")?;
        let name = "signed";
        card.signed = match self.value(name)?.as_bool().ok_or(PinFault::Member { name })? {
            true => SignedBy::Key,
            false => SignedBy::Nobody,
        };
        card.payloads = self.digests("payloads")?;
        Ok(card)
    }
}
