//! One signed card for every benchmark, and the keys that go with it.
#![expect(clippy::expect_used, reason = "a benchmark without its fixture has nothing to measure")]

use countersign::keys::trust::KeySource;
use countersign::{
    Algorithm, Form, KeySigner, Limits, SignTerms, SigningKey, TOOL, TrustPolicy, TrustedKey, TrustedKeys,
    UntrustedCard, VerifyingKey,
};

/// The example card, 3.2 KB on one line.
const CARD: &str = include_str!("../examples/cards/route-planner.json");

/// `kid` of the key that signs.
pub const KID: &str = "bench-1";

/// A card signed under one form.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fixture {
    /// The signed card, as it is received.
    pub octets: Vec<u8>,
    /// The key that signed it.
    pub key: VerifyingKey,
    /// The same as a collection.
    pub keys: TrustedKeys,
    /// The canonical payload.
    pub payload: Vec<u8>,
}

/// The example card without white space, unsigned.
///
/// # Panics
///
/// When the example card is no card.
#[must_use]
pub fn card() -> Vec<u8> {
    let card = UntrustedCard::read(CARD, &Limits::default()).expect("the example card is a card");
    countersign::keys::jcs::to_octets(card.claims())
}

/// Signs the example card with a fresh key.
///
/// # Panics
///
/// When it cannot be signed.
#[must_use]
pub fn signed(algorithm: Algorithm, form: Form) -> Fixture {
    let key = SigningKey::generate(algorithm).expect("keys can be generated");
    let signer = KeySigner::new(key, algorithm).expect("the key fits").with_kid(KID);
    let card = UntrustedCard::read(card(), &Limits::default()).expect("the example card is a card");
    let mut terms = SignTerms::default();
    terms.forms = vec![form];
    let signed = card.sign(&signer, &terms, &TrustedKeys::default()).expect("the example card can be signed");
    let key = countersign::Signer::verifying_key(&signer).clone();
    let mut keys = TrustedKeys::default();
    keys.push(TrustedKey::new(key.clone(), KeySource::SetMember).with_kid(KID));
    let payload = signed.signatures.first().map(|signature| signature.payload.clone()).unwrap_or_default();
    Fixture { octets: signed.octets, key, keys, payload }
}

impl Fixture {
    /// A policy that admits the card, signed by its key, from `source`; `before` stands before the rule.
    ///
    /// # Panics
    ///
    /// When it is no policy.
    #[must_use]
    pub fn policy(&self, source: &str, before: &str) -> TrustPolicy {
        let jwk = self.key.to_jwk(None, None).expect("a JWK").replace("\":", "\" = ");
        let text = format!(
            "schema = 1\n{before}\n[[key]]\nid = \"maps\"\nkid = \"{KID}\"\njwk = {jwk}\norigins = [\"{source}\"]\n\
             [[allow]]\nid = \"maps\"\nfrom = [\"{source}\"]\n\
             interfaces.hosts = [\"**.maps.example\"]\nauth.hosts = [\"login.maps.example\"]\n"
        );
        TrustPolicy::read(&text, "bench.toml", &TOOL).expect("a policy")
    }
}
