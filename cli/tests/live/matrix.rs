//! The cells of the matrix.
//!
//! What a peer must say is not recorded: it follows from the canonical payloads. A peer accepts a signature exactly if the
//! payload that was signed is the payload under the peer's own form.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use libtest_mimic::Failed;
use serde_json::Value;

use crate::known::{Known, REFUSED, departure, uncovered};
use crate::peer::{Peer, Running, Unable};
use crate::support::{Card, FORMS, Verdict, canonical, first_form, jwk, sign, tampered, verify};

const KID: &str = "es256-a";
/// One signature for each distinct payload: a card for everybody.
const FOR_ALL: [&str; 4] = ["a2a-1.0", "as-received", "sdk-1.x", "sdk-py-1.0"];

/// How many of how many.
#[derive(Clone, Copy, Default)]
pub(crate) struct Share {
    pub(crate) yes: usize,
    pub(crate) of: usize,
}

impl Share {
    fn add(&mut self, accepted: usize) {
        self.yes += accepted;
        self.of += 1;
    }
}

/// What the run counts for the README.
#[derive(Clone, Default)]
pub(crate) struct Tally {
    /// Accepted, of the cards that countersign signed under a form.
    pub(crate) accepted: BTreeMap<(&'static str, &'static str), Share>,
    /// Accepted, of the cards signed under all forms.
    pub(crate) accepted_for_all: BTreeMap<&'static str, Share>,
    /// Verified by countersign, of the cards that the peer signed; and the forms named.
    pub(crate) verified: BTreeMap<&'static str, (Share, BTreeMap<String, usize>)>,
    /// Verified by countersign, of the cards that the server handed out; and the forms named.
    pub(crate) served: BTreeMap<&'static str, (Share, BTreeMap<String, usize>)>,
}

pub(crate) struct Matrix {
    peers: [(Peer, Mutex<Running>); 3],
    tally: Mutex<Tally>,
    private: Value,
    public: Value,
    /// Another key with the same `kid`.
    wrong: Value,
}

/// Cards that countersign does not sign.
pub(crate) fn refuses(card: &Card) -> Result<(), Failed> {
    let (_, code) = REFUSED.iter().find(|(id, _)| *id == card.id).unwrap();
    for form in FORMS {
        let answer = sign(&card.text, KID, &[form]).err().ok_or("it was signed")?;
        assert_eq!(answer.exit, Some(1), "{answer:?}");
        assert!(
            answer.stderr.starts_with(&format!("error[{code}]")) && answer.stdout.is_empty(),
            "{answer:?}"
        );
    }
    Ok(())
}

impl Matrix {
    pub(crate) fn start(folder: &Path) -> Self {
        Self {
            peers: Peer::ALL.map(|peer| (peer, Mutex::new(Running::start(peer, folder)))),
            tally: Mutex::default(),
            private: jwk("jwks.private.json", KID),
            public: jwk("jwks.json", KID),
            wrong: jwk("jwks.wrong.json", KID),
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        lock(&self.tally).clone()
    }

    fn peer(&self, wanted: Peer) -> MutexGuard<'_, Running> {
        let (_, peer) = self.peers.iter().find(|(peer, _)| *peer == wanted).unwrap();
        lock(peer)
    }

    /// Whether the peer accepts the card; if it does, that it refuses one changed octet and another key.
    fn accepts(&self, peer: Peer, card: &str) -> Result<bool, Unable> {
        let mut running = self.peer(peer);
        let accepted = running.accepts(card, &self.public)?;
        if accepted {
            assert_eq!(
                running.accepts(&tampered(card), &self.public),
                Ok(false),
                "{peer}, one octet changed"
            );
            assert_eq!(running.accepts(card, &self.wrong), Ok(false), "{peer}, another key");
        }
        Ok(accepted)
    }

    /// Asserts that the peer accepts a card exactly if one of the signed payloads is its own.
    fn accepts_its_payload(&self, peer: Peer, card: &Card, signed: &str, payloads: &[String]) -> bool {
        let answer = self.accepts(peer, signed);
        match departure(peer, &card.id) {
            Some(Known::Unreadable(words)) => {
                let Err(Unable(text)) = answer else { panic!("{peer} reads {}: {answer:?}", card.id) };
                assert!(text.contains(words), "{text}");
                false
            }
            Some(Known::OtherOctets) => {
                assert_eq!(answer, Ok(false), "{peer}");
                false
            }
            None => {
                let own = payloads.contains(&canonical(signed, peer.form()));
                assert_eq!(answer, Ok(own), "{peer}: {signed}");
                own
            }
        }
    }

    /// Signed by countersign under each form.
    pub(crate) fn verifies(&self, peer: Peer, card: &Card) {
        for form in FORMS {
            let signed = match sign(&card.text, KID, &[form]) {
                Ok(signed) => signed,
                Err(answer) => {
                    assert!(uncovered(&card.id, form), "{form}: {answer:?}");
                    assert!(answer.stderr.starts_with("error[sig.uncovered-member]"), "{answer:?}");
                    continue;
                }
            };
            assert!(!uncovered(&card.id, form), "{form}");
            let accepted = self.accepts_its_payload(peer, card, &signed.card, &[canonical(&card.text, form)]);
            if departure(peer, &card.id).is_none() {
                assert!(accepted || form != peer.form());
                assert_eq!(signed.warned.contains(&peer.form()), !accepted, "the warnings of {form}");
            }
            lock(&self.tally).accepted.entry((peer.name(), form)).or_default().add(usize::from(accepted));
        }
    }

    /// Signed by the peer, as it hands the card out.
    pub(crate) fn signs(&self, peer: Peer, card: &Card) {
        let signed = self.peer(peer).sign(&card.text, &self.private);
        let signed = match departure(peer, &card.id) {
            Some(Known::Unreadable(words)) => {
                let Err(Unable(text)) = signed else { panic!("{peer} reads {}", card.id) };
                assert!(text.contains(words), "{text}");
                lock(&self.tally).verified.entry(peer.name()).or_default().0.add(0);
                return;
            }
            Some(Known::OtherOctets) => {
                let verdict = verify(&signed.unwrap(), "jwks.json", &[]);
                assert_eq!((verdict.exit, verdict.codes), (Some(1), vec!["sig.invalid".to_owned()]));
                lock(&self.tally).verified.entry(peer.name()).or_default().0.add(0);
                return;
            }
            None => signed.unwrap(),
        };
        let payload = canonical(&signed, peer.form());
        let verdict = judge(card, &signed, std::slice::from_ref(&payload), peer.form());
        let mut tally = lock(&self.tally);
        let (share, forms) = tally.verified.entry(peer.name()).or_default();
        count(share, forms, &verdict);
    }

    /// Signed by countersign under several forms: one card for all.
    pub(crate) fn all_verify(&self, card: &Card) {
        let signed = match sign(&card.text, KID, &FOR_ALL) {
            Ok(signed) => signed.card,
            Err(answer) => {
                assert!(uncovered(&card.id, "sdk-1.x"), "{answer:?}");
                assert!(answer.stderr.starts_with("error[sig.uncovered-member]"), "{answer:?}");
                return;
            }
        };
        let payloads = payloads(card, &signed);
        let document: Value = serde_json::from_str(&signed).unwrap();
        let signatures = document.get("signatures").and_then(Value::as_array).unwrap();
        assert_eq!(payloads.len(), signatures.len());
        for peer in Peer::ALL {
            let accepted = self.accepts_its_payload(peer, card, &signed, &payloads);
            assert_eq!(accepted, departure(peer, &card.id).is_none(), "{peer}");
            lock(&self.tally).accepted_for_all.entry(peer.name()).or_default().add(usize::from(accepted));
            // Which one it needs: each alone.
            for (signature, payload) in signatures.iter().zip(&payloads) {
                let alone = with_signatures(&card.text, std::slice::from_ref(signature));
                self.accepts_its_payload(peer, card, &alone, std::slice::from_ref(payload));
            }
            // And whether their order matters.
            let reversed: Vec<Value> = signatures.iter().rev().cloned().collect();
            let reversed = with_signatures(&card.text, &reversed);
            assert_eq!(self.accepts_its_payload(peer, card, &reversed, &payloads), accepted, "{peer}");
        }
    }

    /// Signed by countersign, served by the SDK, which writes the card anew.
    pub(crate) fn served_as_signed(&self, card: &Card) {
        let forms = if uncovered(&card.id, "sdk-1.x") { &FOR_ALL[..2] } else { &FOR_ALL };
        let signed = sign(&card.text, KID, forms).unwrap().card;
        let Some(served) = self.served(card, &signed, None) else {
            lock(&self.tally).served.entry("countersign").or_default().0.add(0);
            return;
        };
        let payloads = payloads(card, &signed);
        let verdict = verify(&served, "jwks.json", &[]);
        let expected: Vec<_> = payloads.iter().map(|payload| first_form(&served, payload)).collect();
        assert_eq!(verdict.forms, expected, "{served}");
        assert_eq!(verdict.exit, Some(i32::from(expected.iter().all(Option::is_none))), "{verdict:?}");
        assert_eq!(verify(&tampered(&served), "jwks.json", &[]).exit, Some(1));
        for peer in Peer::ALL {
            self.accepts_its_payload(peer, card, &served, &payloads);
        }
        let mut tally = lock(&self.tally);
        let (share, forms) = tally.served.entry("countersign").or_default();
        count(share, forms, &verdict);
    }

    /// Signed by the server for each request.
    pub(crate) fn signed_by_server(&self, card: &Card) {
        let Some(served) = self.served(card, &card.text, Some(&self.private)) else {
            lock(&self.tally).served.entry("the server").or_default().0.add(0);
            return;
        };
        let payload = canonical(&served, Peer::Py130.form());
        let verdict = judge(card, &served, std::slice::from_ref(&payload), Peer::Py130.form());
        for peer in Peer::ALL {
            self.accepts_its_payload(peer, card, &served, std::slice::from_ref(&payload));
        }
        let mut tally = lock(&self.tally);
        let (share, forms) = tally.served.entry("the server").or_default();
        count(share, forms, &verdict);
    }

    /// What comes over HTTP; nothing if the server does not read the card.
    fn served(&self, card: &Card, text: &str, key: Option<&Value>) -> Option<String> {
        let url = self.peer(Peer::Py130).serve(text, key);
        if let Some(Known::Unreadable(words)) = departure(Peer::Py130, &card.id) {
            let Err(Unable(text)) = url else { panic!("it reads {}", card.id) };
            assert!(text.contains(words), "{text}");
            return None;
        }
        Some(self.peer(Peer::Py103).fetch(&url.unwrap()).unwrap())
    }

    /// A key of another kind, both ways.
    pub(crate) fn with_key(&self, peer: Peer, kid: &str) {
        let card = crate::support::cards().pop().unwrap();
        let public = jwk("jwks.json", kid);
        let signed = sign(&card.text, kid, &[peer.form()]).unwrap().card;
        let mut running = self.peer(peer);
        assert_eq!(running.accepts(&signed, &public), Ok(true));
        assert_eq!(running.accepts(&tampered(&signed), &public), Ok(false));
        let signed = running.sign(&card.text, &jwk("jwks.private.json", kid)).unwrap();
        drop(running);
        let verdict = verify(&signed, "jwks.json", &[]);
        assert_eq!((verdict.exit, verdict.forms), (Some(0), vec![Some(peer.form().to_owned())]));
        assert_eq!(verify(&tampered(&signed), "jwks.json", &[]).codes, ["sig.invalid"]);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A cell that failed says so itself.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asserts what `verify` says of a card with these signed payloads, made under this form.
fn judge(card: &Card, signed: &str, payloads: &[String], form: &str) -> Verdict {
    let verdict = verify(signed, "jwks.json", &[]);
    let expected: Vec<_> = payloads.iter().map(|payload| first_form(signed, payload)).collect();
    assert_eq!(verdict.forms, expected, "{signed}");
    if uncovered(&card.id, form) {
        assert_eq!(
            (verdict.exit, verdict.codes.as_slice()),
            (Some(1), &["sig.uncovered-member".to_owned()][..])
        );
    } else {
        assert_eq!((verdict.exit, verdict.codes.as_slice()), (Some(0), &[][..]));
    }
    assert_eq!(verify(signed, "jwks.json", &[form]).forms, [Some(form.to_owned())], "{form} alone");
    for (twin, keys) in [(tampered(signed).as_str(), "jwks.json"), (signed, "jwks.wrong.json")] {
        let refused = verify(twin, keys, &[]);
        assert_eq!(
            (refused.exit, refused.codes.as_slice()),
            (Some(1), &["sig.invalid".to_owned()][..]),
            "{keys}"
        );
        assert_eq!(refused.forms, [None]);
    }
    verdict
}

/// The payloads of the signatures on a card that countersign signed.
fn payloads(card: &Card, signed: &str) -> Vec<String> {
    let verdict = verify(signed, "jwks.json", &[]);
    verdict.forms.iter().map(|form| canonical(&card.text, form.as_deref().unwrap())).collect()
}

/// The text of the card with these signatures at its end.
fn with_signatures(card: &str, signatures: &[Value]) -> String {
    let body = card.trim_end().strip_suffix('}').unwrap();
    format!(r#"{body},"signatures":{}}}"#, Value::Array(signatures.to_vec()))
}

fn count(share: &mut Share, forms: &mut BTreeMap<String, usize>, verdict: &Verdict) {
    share.add(usize::from(verdict.exit == Some(0)));
    // The signatures of one card name its forms in their order; the first is the one a reader sees.
    if let (Some(0), Some(form)) = (verdict.exit, verdict.forms.iter().flatten().next()) {
        *forms.entry(form.clone()).or_default() += 1;
    }
}
