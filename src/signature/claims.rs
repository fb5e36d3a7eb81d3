//! What the entries of `signatures` say about themselves, before any key is asked.

use countersign_keys::json::{Kind, Value};
use countersign_keys::jws::ProtectedHeader;
use countersign_keys::{Finding, Level, codes as key_codes};

use super::entry::SignatureEntry;
use crate::card::UntrustedCard;
use crate::codes;

/// What kind of thing an entry of `signatures` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignatureKind {
    /// A JWS with detached payload, as A2A §8.4.2 describes it, with a header that can be read.
    Jws,
    /// A signature of another kind; no A2A client verifies it.
    Foreign,
    /// Neither.
    Malformed,
}

impl SignatureKind {
    /// `jws`, `foreign` or `malformed`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jws => "jws",
            Self::Foreign => "foreign",
            Self::Malformed => "malformed",
        }
    }
}

/// One entry of `signatures` as it describes itself. Whether anyone made that signature is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClaimedSignature {
    /// Its place in `signatures`, counted from 0.
    pub index: usize,
    /// What it is.
    pub kind: SignatureKind,
    /// The protected header, for a [`SignatureKind::Jws`].
    pub header: Option<ProtectedHeader>,
    /// What is noticed about it; for the other kinds, why it is none.
    pub findings: Vec<Finding>,
}

impl UntrustedCard {
    /// The entries of `signatures` as they describe themselves; none if it is no list. Nothing is verified.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{Limits, SignatureKind, UntrustedCard};
    ///
    /// let card = UntrustedCard::read(r#"{"signatures": [{"signature": "c2ln"}]}"#, &Limits::default())?;
    /// let signatures = card.claimed_signatures();
    /// assert_eq!(signatures[0].kind, SignatureKind::Malformed);
    /// assert_eq!(signatures[0].findings[0].message, "the entry has no `protected`");
    /// # Ok::<(), countersign::CardError>(())
    /// ```
    #[must_use]
    pub fn claimed_signatures(&self) -> Vec<ClaimedSignature> {
        let list = self.root().member("signatures").filter(|list| list.kind() == Kind::Array);
        list.into_iter()
            .flat_map(Value::elements)
            .enumerate()
            .map(|(index, entry)| claim(index, entry))
            .collect()
    }
}

fn claim(index: usize, entry: Value<'_>) -> ClaimedSignature {
    let place = format!("/signatures/{index}");
    let refuse = |kind, code, message: String| ClaimedSignature {
        index,
        kind,
        header: None,
        findings: vec![Finding::new(code, Level::Warning, message).at(place.clone())],
    };
    let parts = match SignatureEntry::read(entry) {
        Ok(parts) => parts,
        Err(error) => {
            let is_foreign = error.code() == codes::SIG_FOREIGN_SHAPE;
            let kind = if is_foreign { SignatureKind::Foreign } else { SignatureKind::Malformed };
            return refuse(kind, error.code(), error.to_string());
        }
    };
    match ProtectedHeader::read(parts.protected, parts.header) {
        Err(error) => refuse(SignatureKind::Malformed, error.code(), error.to_string()),
        Ok(header) => {
            let place = format!("{place}/protected");
            let mut findings: Vec<Finding> =
                header.findings.iter().cloned().map(|finding| finding.at(place.clone())).collect();
            if header.algorithm().is_none() {
                let message = "the algorithm is not supported: no signature of this kind is verified here";
                findings.push(
                    Finding::new(key_codes::SIG_ALGORITHM_UNSUPPORTED, Level::Warning, message).at(place),
                );
            }
            ClaimedSignature { index, kind: SignatureKind::Jws, header: Some(header), findings }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SignatureKind;
    use crate::{Limits, UntrustedCard};

    fn kinds(text: &str) -> Vec<SignatureKind> {
        let card = UntrustedCard::read(text, &Limits::default()).unwrap();
        card.claimed_signatures().into_iter().map(|signature| signature.kind).collect()
    }

    #[test]
    fn an_entry_is_named_for_what_it_is() {
        let text = r#"{"signatures":[
            {"protected":"eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIiwidHlwIjoiSk9TRSJ9","signature":"c2ln"},
            {"signature":"eyJhbGciOiJFUzI1NiJ9.e30.c2ln"}, {"protected":"x","signature":"c2ln"}, 5]}"#;
        let malformed = SignatureKind::Malformed;
        assert_eq!(kinds(text), [SignatureKind::Jws, SignatureKind::Foreign, malformed, malformed]);
    }

    #[test]
    fn the_header_is_a_claim_and_an_unsupported_algorithm_a_finding() {
        let text = r#"{"signatures":[{"protected":"eyJhbGciOiJub25lIiwia2lkIjoiazEiLCJ0eXAiOiJKT1NFIn0","signature":""}]}"#;
        let card = UntrustedCard::read(text, &Limits::default()).unwrap();
        let claims = card.claimed_signatures();
        assert_eq!(claims[0].header.as_ref().unwrap().alg, "none");
        assert_eq!(claims[0].findings[0].code.name(), "sig.algorithm-unsupported");
        assert_eq!(claims[0].findings[0].pointer.as_deref(), Some("/signatures/0/protected"));
    }

    #[test]
    fn what_is_no_list_has_no_entries() {
        assert!(kinds(r#"{"signatures":{"0":1}}"#).is_empty());
        assert!(kinds("{}").is_empty());
    }
}
