//! Rules that hold for every card: generated 1.0, 0.3 and hybrid cards, signed with Ed25519 under every form that signs.
//!
//! The cards are the same on every run. `PROPTEST_CASES=5000` tries so many others, chosen at random.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

#[path = "support/generated.rs"]
mod generated;
#[path = "support/handed_on.rs"]
mod handed_on;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use countersign::keys::jws::{NewHeader, signing_input};
use countersign::keys::trust::KeySource;
use countersign::keys::{base64url, hex, jcs, sha256};
use countersign::{
    Algorithm, CanonicalPayload, Class, Endorsement, Form, KeySigner, Limits, SignCardError, SignTerms,
    SignedCard, Signer as _, SigningKey, TrustedKey, TrustedKeys, UnixTime, UntrustedCard, VerifiedCard,
    VerifyTerms,
};
use generated::{Layout, altered, any_card};
use proptest::prelude::{
    Just, ProptestConfig, Strategy as _, any, prop_assert, prop_assert_eq, prop_assume, prop_oneof, proptest,
};
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);

fn config() -> ProptestConfig {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => config,
        None => ProptestConfig { cases: 96, rng_seed: RngSeed::Fixed(8785), ..config },
    }
}

fn signer(seed: u8) -> KeySigner {
    KeySigner::new(SigningKey::from_ed25519(&[seed; 32]).unwrap(), Algorithm::EdDsa).unwrap()
}

fn trusted(seeds: &[u8]) -> TrustedKeys {
    let mut keys = TrustedKeys::default();
    for seed in seeds {
        keys.push(TrustedKey::new(signer(*seed).verifying_key().clone(), KeySource::SetMember));
    }
    keys
}

fn read(text: &str) -> UntrustedCard {
    UntrustedCard::read(text, &Limits::default()).unwrap()
}

fn payload(text: &str, form: Form) -> Vec<u8> {
    CanonicalPayload::of(&read(text), form).unwrap().octets().to_vec()
}

/// Signs under `form`, or under the default form where the card cannot be signed under it.
fn sign(text: &str, form: Form, seed: u8) -> SignedCard {
    let mut terms = SignTerms::default();
    terms.forms = vec![form];
    match read(text).sign(&signer(seed), &terms, &TrustedKeys::default()) {
        Ok(signed) => signed,
        Err(error) => {
            let expected = matches!(error, SignCardError::Uncovered { .. } | SignCardError::FormUnfit { .. });
            assert!(expected, "{form}: {error}");
            read(text).sign(&signer(seed), &SignTerms::default(), &TrustedKeys::default()).unwrap()
        }
    }
}

fn signed_text(text: &str, form: Form, seed: u8) -> String {
    String::from_utf8(sign(text, form, seed).octets).unwrap()
}

fn verify(text: &str, keys: &TrustedKeys) -> Option<VerifiedCard> {
    let card = UntrustedCard::read(text, &Limits::default()).ok()?;
    card.verify(keys, &VerifyTerms::default(), NOW).ok()
}

/// Equal apart from the spelling of numbers.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_written_reads_back_as_the_same_tree(card in any_card(), layout in select(Layout::ALL.as_slice())) {
        let text = layout.of(&card);
        let written = jcs::to_octets(read(&text).claims());
        prop_assert!(same(&serde_json::from_slice(&written).unwrap(), &card));
        prop_assert_eq!(jcs::to_octets(read(std::str::from_utf8(&written).unwrap()).claims()), written);
    }

    #[test]
    fn a_payload_is_its_own_payload(card in any_card()) {
        let text = Layout::OneLine.of(&card);
        for form in [Form::A2a10, Form::A2a10Open, Form::AsReceived, Form::Sdk1x, Form::A2a10Filled, Form::SdkPy10] {
            let first = payload(&text, form);
            let second = payload(std::str::from_utf8(&first).unwrap(), form);
            prop_assert_eq!(String::from_utf8(second).unwrap(), String::from_utf8(first).unwrap(), "{}", form);
        }
    }

    #[test]
    fn layout_and_member_order_do_not_change_a_payload(card in any_card(), form in select(Form::ALL.as_slice())) {
        let texts = [Layout::OneLine.of(&card), Layout::Indented.of(&card)];
        let of = |text: &String| CanonicalPayload::of(&read(text), form).map(|payload| payload.octets().to_vec());
        prop_assert_eq!(of(&texts[0]), of(&texts[1]));
    }

    #[test]
    fn a_signed_card_verifies_and_hands_on_what_was_signed(
        card in any_card(), form in select(Form::SIGNABLE.as_slice()), layout in select(Layout::ALL.as_slice()),
    ) {
        let text = layout.of(&card);
        let signed = sign(&text, form, 1);
        let signed_text = String::from_utf8(signed.octets.clone()).unwrap();
        let verified = verify(&signed_text, &trusted(&[1])).unwrap();
        let signed_payload: Value = serde_json::from_slice(&signed.signatures[0].payload).unwrap();
        prop_assert_eq!(verified.payload().octets(), signed.signatures[0].payload.as_slice());
        prop_assert_eq!(differences(&verified, &signed_text, &signed_payload), Vec::<String>::new());
        let nothing_uncovered = verified.report().uncovered.is_empty();
        if nothing_uncovered {
            let handed_on: Value = serde_json::from_slice(&verified.to_octets()).unwrap();
            prop_assert!(same(&handed_on, &signed_payload));
        }
        prop_assert!(verify(&signed_text, &trusted(&[2])).is_none());
    }

    #[test]
    fn signing_adds_the_signatures_and_changes_no_other_octet(
        card in any_card(), form in select(Form::SIGNABLE.as_slice()), layout in select(Layout::ALL.as_slice()),
    ) {
        let text = layout.of(&card);
        let signed = signed_text(&text, form, 1);
        let before = text.bytes().zip(signed.bytes()).take_while(|(left, right)| left == right).count();
        let after = text.bytes().rev().zip(signed.bytes().rev()).take_while(|(left, right)| left == right).count();
        prop_assert!(before + after >= text.len(), "{}\n{}", text, signed);
        let mut tree: Value = serde_json::from_str(&signed).unwrap();
        prop_assert!(tree.as_object_mut().unwrap().remove("signatures").is_some());
        prop_assert!(same(&tree, &card));
    }

    #[test]
    fn signing_again_with_the_same_key_changes_nothing(
        card in any_card(), form in select(Form::SIGNABLE.as_slice()), layout in select(Layout::ALL.as_slice()),
    ) {
        let text = layout.of(&card);
        let once = signed_text(&text, form, 1);
        prop_assert_eq!(&signed_text(&text, form, 1), &once);
        prop_assert_eq!(&signed_text(&once, form, 1), &once);
    }

    #[test]
    fn an_endorsement_proves_of_any_card_what_the_same_signature_on_it_proves(
        (card, received) in any_card().prop_flat_map(|card| {
            (Just(card.clone()), prop_oneof![1 => Just(card.clone()), 3 => altered(card)])
        }),
        form in select(Form::SIGNABLE.as_slice()),
    ) {
        let signed = sign(&Layout::OneLine.of(&card), form, 1);
        let tree: Value = serde_json::from_slice(&signed.octets).unwrap();
        let digest = hex(&sha256(&signed.signatures[0].payload));
        let file = json!({
            "schema": "countersign.endorsement/1", "payload_sha256": digest, "signatures": tree["signatures"],
        });
        let mut with_signatures = received.clone();
        with_signatures.as_object_mut().unwrap().insert("signatures".to_owned(), tree["signatures"].clone());
        let endorsement = [Endorsement::read(file.to_string(), &Limits::default()).unwrap()];
        let endorsed = UntrustedCard::read(received.to_string(), &Limits::default()).ok().and_then(|card| {
            card.verify_with_endorsements(&endorsement, &trusted(&[1]), &VerifyTerms::default(), NOW).ok()
        });
        let by_signature = verify(&with_signatures.to_string(), &trusted(&[1]));
        let handed_on = |card: Option<VerifiedCard>| card.map(|card| String::from_utf8(card.to_octets()).unwrap());
        prop_assert_eq!(handed_on(endorsed), handed_on(by_signature));
    }

    #[test]
    fn another_signature_keeps_the_first_one_valid(
        card in any_card(),
        forms in (select(Form::SIGNABLE.as_slice()), select(Form::SIGNABLE.as_slice())),
        layout in select(Layout::ALL.as_slice()),
    ) {
        let both = signed_text(&signed_text(&layout.of(&card), forms.0, 1), forms.1, 2);
        prop_assert!(verify(&both, &trusted(&[1])).is_some());
        prop_assert!(verify(&both, &trusted(&[2])).is_some());
        let mut two = VerifyTerms::default();
        two.min = NonZeroUsize::new(2).unwrap();
        let verified = read(&both).verify(&trusted(&[1, 2]), &two, NOW).unwrap();
        prop_assert_eq!(verified.report().signatures.len(), 2);
    }

    #[test]
    fn one_signature_for_each_payload_verifies_under_every_form(
        card in any_card(), layout in select(Layout::ALL.as_slice()),
    ) {
        let mut terms = SignTerms::default();
        terms.forms = Form::SIGNABLE.to_vec();
        terms.coverage.allowed = vec![String::new()];
        let text = layout.of(&card);
        let signed = match read(&text).sign(&signer(1), &terms, &TrustedKeys::default()) {
            Ok(signed) => String::from_utf8(signed.octets).unwrap(),
            Err(error) => {
                prop_assert!(matches!(error, SignCardError::FormUnfit { .. }), "{}", error);
                return Ok(());
            }
        };
        let payloads: BTreeSet<Vec<u8>> = Form::SIGNABLE.into_iter().map(|form| payload(&text, form)).collect();
        for form in Form::SIGNABLE {
            let mut terms = VerifyTerms::default();
            terms.forms = vec![form];
            terms.coverage.allowed = vec![String::new()];
            let verified = read(&signed).verify(&trusted(&[1]), &terms, NOW).unwrap();
            prop_assert_eq!(verified.payload().form(), form);
            prop_assert_eq!(verified.report().signatures.len(), payloads.len());
        }
    }

    #[test]
    fn a_flipped_bit_in_the_header_or_the_signature_never_verifies(
        card in any_card(), form in select(Form::SIGNABLE.as_slice()), at in any::<Index>(), bit in 0..7_u8,
    ) {
        let signed = signed_text(&Layout::OneLine.of(&card), form, 1);
        let start = signed.rfind("\"signatures\"").unwrap();
        let values = ["\"protected\":\"", "\"signature\":\""].map(|name| {
            let value = start + signed.get(start..).unwrap().find(name).unwrap() + name.len();
            value..value + signed.get(value..).unwrap().find('"').unwrap()
        });
        for value in values {
            let altered = flipped(&signed, value.start + at.index(value.len()), bit);
            prop_assert!(verify(&altered, &trusted(&[1])).is_none(), "{}", altered);
        }
    }

    #[test]
    fn a_flipped_bit_anywhere_never_changes_what_is_handed_on(
        card in any_card(), form in select(Form::SIGNABLE.as_slice()), at in any::<Index>(), bit in 0..7_u8,
    ) {
        let signed = sign(&Layout::OneLine.of(&card), form, 1);
        let text = String::from_utf8(signed.octets).unwrap();
        let altered = flipped(&text, at.index(text.len()), bit);
        if let Some(verified) = verify(&altered, &trusted(&[1])) {
            let payload: Value = serde_json::from_slice(&signed.signatures[0].payload).unwrap();
            prop_assert_eq!(differences(&verified, &altered, &payload), Vec::<String>::new(), "{}", altered);
        }
    }

    #[test]
    fn an_added_or_replaced_member_is_signed_marked_or_not_handed_on(
        card in any_card(), other in any_card(), form in select(Form::SIGNABLE.as_slice()), at in any::<Index>(),
    ) {
        let signed = sign(&Layout::OneLine.of(&card), form, 1);
        let mut altered: Value = serde_json::from_slice(&signed.octets).unwrap();
        let (name, value) = other.as_object().unwrap().iter().nth(at.index(other.as_object().unwrap().len())).unwrap();
        altered.as_object_mut().unwrap().insert(name.clone(), value.clone());
        let altered = altered.to_string();
        if let Some(verified) = verify(&altered, &trusted(&[1])) {
            let payload: Value = serde_json::from_slice(&signed.signatures[0].payload).unwrap();
            prop_assert_eq!(differences(&verified, &altered, &payload), Vec::<String>::new(), "{}", altered);
            let fatal_passed = verified.unsigned().any(|member| member.class < Class::Security);
            prop_assert!(!fatal_passed);
        }
    }

    #[test]
    fn an_altered_card_hands_on_what_was_signed_whatever_the_form(
        (card, altered) in any_card().prop_flat_map(|card| (Just(card.clone()), altered(card))),
        form in select(Form::ALL.as_slice()),
    ) {
        let card = Layout::OneLine.of(&card);
        let Ok(payload) = CanonicalPayload::of(&read(&card), form) else { return Ok(()) };
        let mut received = altered;
        received["signatures"] = json!([signature(payload.octets())]);
        let received = received.to_string();
        let mut terms = VerifyTerms::default();
        terms.forms = Form::ALL.to_vec();
        let Ok(received_card) = UntrustedCard::read(received.as_str(), &Limits::default()) else { return Ok(()) };
        if let Ok(verified) = received_card.verify(&trusted(&[1]), &terms, NOW) {
            let payload: Value = serde_json::from_slice(payload.octets()).unwrap();
            prop_assert_eq!(differences(&verified, &received, &payload), Vec::<String>::new(), "{}", received);
        }
    }

    #[test]
    fn what_several_signatures_hand_on_is_in_the_payload_of_each(
        (card, altered) in any_card().prop_flat_map(|card| (Just(card.clone()), altered(card))),
        forms in (select(Form::ALL.as_slice()), select(Form::ALL.as_slice())),
    ) {
        let card = Layout::OneLine.of(&card);
        let of = |form| CanonicalPayload::of(&read(&card), form).map(|payload| payload.octets().to_vec());
        let (Ok(first), Ok(second)) = (of(forms.0), of(forms.1)) else { return Ok(()) };
        let mut received = altered;
        received["signatures"] = json!([signature(&first), signature_by(&second, 2)]);
        let received = received.to_string();
        let mut terms = VerifyTerms::default();
        terms.forms = Form::ALL.to_vec();
        terms.min = NonZeroUsize::new(2).unwrap();
        let Ok(received_card) = UntrustedCard::read(received.as_str(), &Limits::default()) else { return Ok(()) };
        if let Ok(verified) = received_card.verify(&trusted(&[1, 2]), &terms, NOW) {
            for payload in [first, second] {
                let payload: Value = serde_json::from_slice(&payload).unwrap();
                let unsigned = handed_on::added(&verified, &received, &payload);
                prop_assert_eq!(unsigned, Vec::<String>::new(), "{}", received);
            }
        }
    }

    #[test]
    fn a_changed_text_member_no_longer_verifies(card in any_card(), form in select(Form::SIGNABLE.as_slice())) {
        let mut altered: Value = serde_json::from_slice(&sign(&Layout::OneLine.of(&card), form, 1).octets).unwrap();
        let name = altered["name"].as_str().unwrap().to_owned();
        prop_assume!(!name.is_empty());
        altered["name"] = Value::String(format!("{name}!"));
        prop_assert!(verify(&altered.to_string(), &trusted(&[1])).is_none());
    }
}

/// What is handed on unsigned, at no default and unmarked, and what was signed and is not handed on.
fn differences(verified: &VerifiedCard, received: &str, signed: &Value) -> Vec<String> {
    let mut differences = handed_on::added(verified, received, signed);
    differences.extend(handed_on::gone(verified, signed));
    differences
}

/// An entry of `signatures` over any octets.
fn signature(payload: &[u8]) -> Value {
    signature_by(payload, 1)
}

fn signature_by(payload: &[u8], seed: u8) -> Value {
    let signer = signer(seed);
    let kid = signer.verifying_key().thumbprint().to_string();
    let header = NewHeader { algorithm: signer.algorithm(), kid: &kid, jku: None, iat: None, exp: None };
    let protected = header.to_protected();
    let signature = signer.sign(&signing_input(&protected, payload)).unwrap();
    json!({"protected": protected, "signature": base64url::encode(&signature)})
}

/// The text with one bit of one octet flipped; the text itself where the octet is no ASCII.
fn flipped(text: &str, at: usize, bit: u8) -> String {
    let mut octets = text.as_bytes().to_vec();
    *octets.get_mut(at).unwrap() ^= 1 << bit;
    String::from_utf8(octets).unwrap_or_else(|_| format!("{text} no UTF-8"))
}
