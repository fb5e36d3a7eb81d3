//! The draft of a policy for cards at hand. Everything that a card says is a claim: it stands in strings that are escaped and
//! in comments of one line, and what the rules of a policy would not allow is left out with its reason.

mod claims;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use countersign::policy::{AllowPattern, Origin, UrlError, toml_text};
use countersign::{
    Algorithm, SignatureOutcome, SignatureReport, Source, Thumbprint, TrustedKey, TrustedKeys, UnixTime,
    UntrustedCard, VerifyTerms,
};

use crate::failure::Failure;
use crate::outcome::Outcome;
use crate::render::escape;
use claims::Claims;

/// How long a draft is not enforced, in days.
const AUDIT_DAYS: i64 = 30;

const DAY_SECONDS: i64 = 86_400;

/// Longest comment, in characters. What a card says beyond that is cut off.
const MAX_COMMENT: usize = 240;

const HEAD: &str = "\
# A draft: it holds what the cards claim, which nobody has verified but where a key of yours did.
# Until `mode` is removed or its date has passed, demands are reported and not enforced; damage to what was signed and deny
# rules are. Read every line before that.
schema = 1
";

/// Keys and rules for the cards so far.
pub(super) struct Draft {
    trusted: TrustedKeys,
    now: UnixTime,
    keys: BTreeMap<Thumbprint, DraftKey>,
    origins: BTreeSet<String>,
    ids: BTreeSet<String>,
    rules: String,
}

/// A key of the user that verified a signature of a card.
struct DraftKey {
    id: String,
    key: TrustedKey,
    kids: BTreeSet<String>,
    algorithms: BTreeSet<Algorithm>,
    origins: BTreeSet<String>,
}

impl Draft {
    pub(super) fn new(trusted: TrustedKeys, now: UnixTime) -> Self {
        let (keys, origins, ids) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
        Self { trusted, now, keys, origins, ids, rules: String::new() }
    }

    /// Adds the rule for a card from `url`.
    pub(super) fn add(&mut self, card: UntrustedCard, file: &str, url: &str) -> Result<(), Failure> {
        let source = Source::at(url).map_err(|error: UrlError| {
            let message = format!("the URL `{url}` of `--as` is none: {error}");
            Failure::coded(Outcome::CouldNotTell, error.code(), message)
        })?;
        let origin = source.url.origin();
        let from = origin.to_string();
        AllowPattern::read(&from).map_err(|error| {
            let message = format!("no rule can be for `{from}`: {error}");
            Failure::coded(Outcome::CouldNotTell, error.code(), message)
        })?;
        if !self.origins.insert(from.clone()) {
            let message = format!("two cards come from `{from}`, and a draft has one rule for a source");
            return Err(Failure::usage(message)
                .with_help("draft them one by one, and tell them apart by tenants or uses"));
        }
        let id = self.id(&base_id(&origin));
        let claims = Claims::of(&card, &source.url);
        let reports = match card.verify(&self.trusted, &VerifyTerms::default(), self.now) {
            Ok(verified) => verified.report().signatures.clone(),
            Err(refused) => refused.report().signatures.clone(),
        };
        let rule = self.rule(&id, &from, (file, url), &claims, &reports);
        self.rules.push_str(&rule);
        Ok(())
    }

    /// The whole policy.
    pub(super) fn text(&self) -> Result<String, Failure> {
        let mut text = HEAD.to_owned();
        for key in self.keys.values() {
            text.push_str(&key.text()?);
        }
        text.push_str(&self.rules);
        Ok(text)
    }

    /// An id that no other rule or key has.
    fn id(&mut self, base: &str) -> String {
        let mut id = base.to_owned();
        let mut number = 2;
        while !self.ids.insert(id.clone()) {
            id = format!("{base}-{number}");
            number += 1;
        }
        id
    }

    fn rule(
        &mut self,
        id: &str,
        from: &str,
        (file, url): (&str, &str),
        claims: &Claims,
        reports: &[SignatureReport],
    ) -> String {
        let mut text = String::new();
        let about = claims.name.as_deref().map_or_else(|| "a card without name".to_owned(), quoted);
        comment(&mut text, &format!("{about}, read from {} as {}", quoted(file), quoted(url)));
        let keys = self.signatures(id, from, reports, &mut text);
        if keys == 0 && reports.iter().any(|report| report.outcome == SignatureOutcome::Invalid) {
            comment(
                &mut text,
                "no rule: a signature of the card does not verify, so somebody may have changed the card",
            );
            return format!("\n{text}");
        }
        let end = self.now.saturating_add_seconds(AUDIT_DAYS * DAY_SECONDS).to_string();
        let until = end.split('T').next().unwrap_or_default();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[[allow]]\nid   = {}\nfrom = [{}]", toml_text(id), toml_text(from));
        let _ = writeln!(text, "mode = {{ audit = true, reason = \"draft\", until = {until} }}");
        if keys == 0 {
            let weak = if claims.has_signatures {
                "No key of yours verified the card. With a key of its publisher above, remove the next line:"
            } else {
                "The card is not signed. With a key of its publisher above, `level = \"if-present\"` still admits it:"
            };
            comment(&mut text, weak);
            let _ = writeln!(text, "signatures = {{ level = \"off\", reason = \"draft\", until = {until} }}");
        }
        claims.write(&mut text);
        format!("\n{text}")
    }

    /// Takes in the keys that verified something, and says what the others would need. Gives how many verified.
    fn signatures(&mut self, id: &str, from: &str, reports: &[SignatureReport], text: &mut String) -> usize {
        let mut verified = 0;
        for report in reports {
            let key = report.thumbprint.filter(|_| report.outcome == SignatureOutcome::Verified);
            let known = key.and_then(|thumbprint| {
                let key = self.trusted.keys().iter().find(|key| key.thumbprint() == thumbprint)?;
                Some((thumbprint, key.clone()))
            });
            let Some((thumbprint, key)) = known else {
                self.unknown(id, from, report, text);
                continue;
            };
            if !self.keys.contains_key(&thumbprint) {
                let id = self.id(&format!("{id}-key"));
                let (kids, algorithms, origins) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
                self.keys.insert(thumbprint, DraftKey { id, key, kids, algorithms, origins });
            }
            verified += 1;
            if let Some(known) = self.keys.get_mut(&thumbprint) {
                known.kids.extend(report.kid.clone());
                known.algorithms.extend(report.algorithm.as_deref().and_then(Algorithm::from_name));
                known.origins.insert(from.to_owned());
                comment(
                    text,
                    &format!("signature {} is verified by the key {}", report.index, quoted(&known.id)),
                );
            }
        }
        verified
    }

    fn unknown(&mut self, id: &str, from: &str, report: &SignatureReport, text: &mut String) {
        let codes: Vec<&str> = report.codes.iter().map(|code| code.name()).collect();
        let state = format!("signature {} is {}: {}", report.index, report.outcome.name(), codes.join(", "));
        comment(text, &state);
        let (SignatureOutcome::Unverifiable, Some(kid)) = (report.outcome, &report.kid) else { return };
        let id = self.id(&format!("{id}-key"));
        comment(text, "[[key]]");
        comment(text, &format!("id = {}", quoted(&id)));
        comment(text, &format!("kid = {}", quoted(kid)));
        comment(text, &format!("file = {}", quoted(&format!("keys/{id}.jwk"))));
        if let Some(algorithm) = report.algorithm.as_deref().and_then(Algorithm::from_name) {
            comment(text, &format!("algorithms = [{}]", quoted(algorithm.name())));
        }
        comment(text, &format!("origins = [{}]", quoted(from)));
        let advice = "get the key from the publisher over another channel, never from the card";
        comment(text, &format!("kid {}: {advice}", quoted(kid)));
    }
}

impl DraftKey {
    fn text(&self) -> Result<String, Failure> {
        let failed = |error: countersign::keys::KeyError| {
            Failure::coded(Outcome::CouldNotTell, error.code(), format!("the key `{}`: {error}", self.id))
        };
        let jwk = self.key.key().to_jwk(None, None).map_err(failed)?;
        let jwk: BTreeMap<String, String> =
            serde_json::from_str(&jwk).map_err(|_| failed(countersign::keys::KeyError::Encoding))?;
        let members: Vec<String> =
            jwk.iter().map(|(name, value)| format!("{name} = {}", toml_text(value))).collect();
        let mut text = format!("\n[[key]]\nid         = {}\n", toml_text(&self.id));
        // A key without `kid` of its own may have signed under several.
        let only = self.kids.first().filter(|_| self.kids.len() == 1).map(String::as_str);
        let is_plain = |kid: &&str| !kid.trim().is_empty() && !kid.contains(char::is_control);
        if let Some(kid) = self.key.kid().or(only).filter(is_plain) {
            let _ = writeln!(text, "kid        = {}", toml_text(kid));
        }
        let _ = writeln!(text, "jwk        = {{ {} }}", members.join(", "));
        let _ =
            writeln!(text, "algorithms = {}", list(self.algorithms.iter().map(|algorithm| algorithm.name())));
        let _ = writeln!(text, "origins    = {}", list(self.origins.iter().map(String::as_str)));
        Ok(text)
    }
}

/// An id of the host and port: letters, digits and hyphens.
fn base_id(origin: &Origin) -> String {
    let mut text = origin.host.to_string();
    if origin.port != origin.scheme.default_port() {
        let _ = write!(text, "-{}", origin.port);
    }
    let plain: String = text
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() { character.to_ascii_lowercase() } else { '-' })
        .collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "source".to_owned() } else { parts.join("-") }
}

/// A list of strings.
fn list<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    format!("[{}]", texts.map(toml_text).collect::<Vec<_>>().join(", "))
}

/// A text of the card for a comment: quoted, and cut off where it is long.
fn quoted(text: &str) -> String {
    let short: String = text.chars().take(MAX_COMMENT).collect();
    toml_text(&short)
}

/// A comment of one line, whatever is in it.
fn comment(text: &mut String, line: &str) {
    let _ = writeln!(text, "# {}", escape(line));
}
