//! The payloads of one card, for the signatures that are tried over them.

use countersign_keys::{base64url, hex, sha256};

use crate::canonical::{CanonicalPayload, Form};
use crate::card::UntrustedCard;

/// The payloads of the accepted forms, each computed when it is first needed; equal octets count once.
pub(super) struct Payloads<'c> {
    card: &'c UntrustedCard,
    waiting: std::vec::IntoIter<Form>,
    computed: Vec<CanonicalPayload>,
    /// The first computed payloads in base64url: every signature that is tried needs it, and it is long.
    encoded: Vec<String>,
    /// For each accepted form that has been computed, its payload.
    matches: Vec<(Form, usize)>,
    /// The SHA-256 digests of the first computed payloads; only endorsements ask for them.
    digests: Vec<String>,
}

impl<'c> Payloads<'c> {
    pub(super) fn new(card: &'c UntrustedCard, accepted: &[Form]) -> Self {
        let mut forms = accepted.to_vec();
        forms.sort_unstable();
        forms.dedup();
        Self {
            card,
            waiting: forms.into_iter(),
            computed: Vec::new(),
            encoded: Vec::new(),
            matches: Vec::new(),
            digests: Vec::new(),
        }
    }

    /// The payload number `index`, if so many distinct ones exist.
    pub(super) fn get(&mut self, index: usize) -> Option<&CanonicalPayload> {
        while self.computed.len() <= index {
            self.compute_next()?;
        }
        self.computed.get(index)
    }

    /// What is signed under a protected header over the payload number `index`: the octets of
    /// [`signing_input`](countersign_keys::jws::signing_input), with each payload encoded once.
    pub(super) fn signing_input(&mut self, index: usize, protected: &str) -> Option<Vec<u8>> {
        while self.encoded.len() <= index {
            let encoded = base64url::encode(self.get(self.encoded.len())?.octets());
            self.encoded.push(encoded);
        }
        self.encoded.get(index).map(|payload| [protected, payload].join(".").into_bytes())
    }

    /// The number of the payload with this SHA-256 digest in hexadecimal. Both are computed here; the digest that an
    /// endorsement names is only compared.
    pub(super) fn with_digest(&mut self, digest: &str) -> Option<usize> {
        let mut index = 0;
        loop {
            if self.digests.len() <= index {
                let computed = hex(&sha256(self.get(index)?.octets()));
                self.digests.push(computed);
            }
            if self.digests.get(index).is_some_and(|computed| computed == digest) {
                return Some(index);
            }
            index += 1;
        }
    }

    /// The payloads that have been computed.
    pub(super) fn into_computed(self) -> Vec<CanonicalPayload> {
        self.computed
    }

    fn compute_next(&mut self) -> Option<()> {
        let form = self.waiting.next()?;
        if let Ok(payload) = CanonicalPayload::of(self.card, form) {
            let same = self.computed.iter().position(|other| other.octets() == payload.octets());
            let index = same.unwrap_or(self.computed.len());
            if same.is_none() {
                self.computed.push(payload);
            }
            self.matches.push((form, index));
        }
        Some(())
    }

    /// Every accepted form whose payload is number `index`.
    pub(super) fn forms_of(&mut self, index: usize) -> Vec<Form> {
        while self.compute_next().is_some() {}
        self.matches.iter().filter(|(_, payload)| *payload == index).map(|(form, _)| *form).collect()
    }
}

#[cfg(test)]
mod tests {
    use countersign_keys::jws::signing_input;

    use super::Payloads;
    use crate::{Form, Limits, UntrustedCard};

    #[test]
    fn the_signing_input_is_that_of_each_payload_in_any_order() {
        let text = r#"{"name":"Echo","capabilities":{"streaming":false},"x-note":"Grüße"}"#;
        let card = UntrustedCard::read(text, &Limits::default()).unwrap();
        let mut payloads = Payloads::new(&card, &Form::SIGNABLE);
        let count = (0..).take_while(|index| payloads.get(*index).is_some()).count();
        assert!(count > 1, "{count}");
        for index in (0..count).rev().chain(0..count) {
            let expected = signing_input("e30", payloads.get(index).unwrap().octets());
            assert_eq!(payloads.signing_input(index, "e30").unwrap(), expected);
        }
        assert_eq!(payloads.signing_input(count, "e30"), None);
    }
}
