//! The signatures of a card: their form, what their headers ask for, and with keys what they are worth.

mod header;
mod judged;
mod repeats;
mod stability;

use countersign_keys::json::Value;
use countersign_keys::{Code, Finding, Level, VerifyError, base64url, codes as key_codes};

use super::report::{Place, Remark, Report};
use super::{Family, Lint, Subject};
use crate::codes::signatures as own_codes;
use crate::signature::entry::{EntryError, MAX_SIGNATURES, SignatureEntry};
use crate::signature::list;
use crate::{ClaimedSignature, Shape, codes};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const ERROR: Option<Level> = Some(Level::Error);
const WARNING: Option<Level> = Some(Level::Warning);
const INFO: Option<Level> = Some(Level::Info);

const ABSENT: Lint = Lint::new(codes::SIG_ABSENT, WARNING, INFO);
const TOO_MANY: Lint = Lint::new(codes::SIG_TOO_MANY, ERROR, ERROR);
const MALFORMED: Lint = Lint::new(key_codes::SIG_MALFORMED, ERROR, WARNING);
const ALGORITHM_UNSUPPORTED: Lint = Lint::new(key_codes::SIG_ALGORITHM_UNSUPPORTED, ERROR, WARNING);
const HEADER_DANGEROUS: Lint = Lint::new(own_codes::SIG_HEADER_DANGEROUS, WARNING, WARNING);
const NO_FRESHNESS: Lint = Lint::new(own_codes::SIG_NO_FRESHNESS, INFO, None);
const DUPLICATE_KEY: Lint = Lint::new(codes::SIG_DUPLICATE_KEY, WARNING, None);
const FORM_UNSTABLE: Lint = Lint::new(own_codes::SIG_FORM_UNSTABLE, WARNING, None);
const EXPIRED: Lint = Lint::new(codes::FRESH_EXPIRED, ERROR, ERROR);
const STALE: Lint = Lint::new(codes::SIG_STALE, ERROR, ERROR);
const KEY_MISMATCH: Lint = Lint::new(key_codes::SIG_ALGORITHM_KEY_MISMATCH, ERROR, ERROR);
const UNKNOWN_KEY: Lint = Lint::new(key_codes::SIG_UNKNOWN_KEY, WARNING, WARNING);
const UNCOVERED: Lint = Lint::new(codes::SIG_UNCOVERED_MEMBER, ERROR, ERROR);
const NOT_PROVABLE: Lint = Lint::new(codes::AUTH_NOT_PROVABLE, WARNING, WARNING);

static LINTS: [Lint; 21] = [
    ABSENT,
    TOO_MANY,
    MALFORMED,
    Lint::new(key_codes::SIG_MALFORMED_HEADER, ERROR, WARNING),
    Lint::new(key_codes::SIG_MISSING_KID, ERROR, WARNING),
    Lint::new(key_codes::SIG_CRITICAL_HEADER, ERROR, WARNING),
    Lint::new(codes::SIG_FOREIGN_SHAPE, ERROR, WARNING),
    Lint::new(key_codes::SIG_TYP_MISSING, WARNING, None),
    Lint::new(key_codes::SIG_TYP_UNUSUAL, WARNING, None),
    Lint::new(key_codes::SIG_JKU_NULL, INFO, None),
    ALGORITHM_UNSUPPORTED,
    HEADER_DANGEROUS,
    NO_FRESHNESS,
    DUPLICATE_KEY,
    FORM_UNSTABLE,
    EXPIRED,
    STALE,
    KEY_MISMATCH,
    UNKNOWN_KEY,
    UNCOVERED,
    NOT_PROVABLE,
];

/// One element of `signatures`.
struct Entry<'c> {
    value: Value<'c>,
    claim: ClaimedSignature,
    /// Its parts, where it is a JWS.
    parts: Option<SignatureEntry<'c>>,
}

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    stability::check(subject, report);
    match list(subject.card) {
        Ok(Some(list)) if !list.is_empty() => check_entries(subject, list, report),
        Ok(none) => absent(subject, none, report),
        Err(code) => unread(subject, code, report),
    }
}

fn check_entries(subject: &Subject<'_>, list: Value<'_>, report: &mut Report<'_>) {
    let claims = subject.card.claimed_signatures().into_iter();
    let entries: Vec<_> = claims
        .zip(list.elements())
        .map(|(claim, value)| {
            let is_jws = claim.header.is_some();
            Entry { value, claim, parts: SignatureEntry::read(value).ok().filter(|_| is_jws) }
        })
        .collect();
    for entry in &entries {
        adopt_claims(entry, report);
        header::check(subject, entry, report);
        if let Some(remark) = fault_of_form(entry) {
            let place = Place::At(entry.value.member("signature").unwrap_or(entry.value));
            report.add(&MALFORMED, place, remark);
        }
    }
    repeats::check(subject, list, &entries, report);
    judged::check(subject, list, &entries, report);
}

/// A card without signatures. Other documents need none.
fn absent(subject: &Subject<'_>, empty: Option<Value<'_>>, report: &mut Report<'_>) {
    if subject.shape == Shape::Foreign {
        return;
    }
    let root = subject.card.root();
    let place = match empty.or_else(|| root.member("signatures")) {
        Some(value) => Place::At(value),
        None => Place::Missing(root, "signatures"),
    };
    report.add(&ABSENT, place, Remark::new("the card has no signature"));
}

/// Signatures that no verification looks at; none counts, whatever they are.
fn unread(subject: &Subject<'_>, code: Code, report: &mut Report<'_>) {
    let Some(list) = subject.card.root().member("signatures") else { return };
    if code == codes::SIG_TOO_MANY {
        let found = list.elements().count();
        let remark = Remark::new(format!(
            "the card has {found} signatures: more than {MAX_SIGNATURES} are not looked at"
        ));
        report.add(&TOO_MANY, Place::At(list), remark);
    } else {
        let remark = Remark::new(format!("`signatures` is {}, expected an array", list.kind().name()))
            .help("write `\"signatures\": [{\"protected\": …, \"signature\": …}]`")
            .level(Level::Error);
        report.add(&MALFORMED, Place::At(list), remark);
    }
}

/// What the entry says about itself, at the levels of the lints.
fn adopt_claims(entry: &Entry<'_>, report: &mut Report<'_>) {
    // The header check says more about algorithms.
    let told = |finding: &&Finding| finding.code != ALGORITHM_UNSUPPORTED.code;
    for finding in entry.claim.findings.iter().filter(told) {
        let Some(lint) = LINTS.iter().find(|lint| lint.code == finding.code) else { continue };
        let is_about_header = finding.pointer.as_ref().is_some_and(|place| place.ends_with("/protected"));
        let place = if is_about_header { entry.protected() } else { Place::At(entry.value) };
        report.add_with(lint, place, || Remark::new(finding.message.clone()));
    }
}

/// What is wrong with the signature value, as far as that can be told without a key.
fn fault_of_form(entry: &Entry<'_>) -> Option<Remark> {
    let algorithm = entry.claim.header.as_ref()?.algorithm();
    let octets = match entry.parts?.signature_octets() {
        Ok(octets) => octets,
        Err(error) => {
            use base64url::Error::{Padding, PlainAlphabet};
            let remark = Remark::new(error.to_string());
            let is_base64 = matches!(error, EntryError::Encoding(Padding { .. } | PlainAlphabet { .. }));
            let help =
                "write the same octets with `-` for `+`, `_` for `/` and no `=`; the signature stays valid";
            return Some(if is_base64 { remark.help(help) } else { remark });
        }
    };
    let error = algorithm?.check_signature_form(&octets).err()?;
    if let VerifyError::SignatureLength { algorithm, found, expected } = error {
        let message = format!("the signature has {found} octets, {algorithm} needs exactly {expected}");
        return Some(Remark::new(message));
    }
    let help = "write r and s one after the other, each with its leading zeros; the signature stays valid";
    Some(Remark::new(error.to_string()).help(help))
}

impl<'c> Entry<'c> {
    fn protected(&self) -> Place<'c> {
        Place::At(self.value.member("protected").unwrap_or(self.value))
    }
}

#[cfg(test)]
mod tests;
