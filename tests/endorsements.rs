//! Endorsements: what they prove about a card, and what they do not. Each test fails when the check behind it is out.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::num::NonZeroUsize;

use countersign::keys::jws::signing_input;
use countersign::keys::trust::KeySource;
use countersign::keys::{base64url, hex, sha256};
use countersign::{
    Algorithm, CanonicalPayload, Endorsement, Form, KeySigner, Limits, NewEndorsement, Refused,
    SignCardError, SignTerms, SigningKey, Stale, TrustedKey, TrustedKeys, UnixTime, UntrustedCard,
    VerifiedCard, VerifyTerms,
};
use serde_json::{Value, json};

const NOW: i64 = 1_800_000_000;
const SCHEMA: &str = "countersign.endorsement/1";

fn key(seed: u8) -> SigningKey {
    SigningKey::from_ed25519(&[seed; 32]).unwrap()
}

/// Trusted keys with these seeds, each with the `kid` that [`entry`] gives it.
fn trusted(seeds: &[u8]) -> TrustedKeys {
    let mut trusted = TrustedKeys::default();
    for seed in seeds {
        let key = TrustedKey::new(key(*seed).verifying_key().clone(), KeySource::SetMember);
        trusted.push(key.with_kid(format!("k{seed}")));
    }
    trusted
}

/// A complete card of A2A 1.0 whose forms have different payloads.
fn card() -> Value {
    json!({
        "name": "Agent", "description": "Adds numbers.", "version": "1.0.0",
        "supportedInterfaces": [
            {"url": "https://agent.example.com/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
        ],
        "capabilities": {"streaming": true}, "x-note": "kept by some forms only",
        "defaultInputModes": ["text/plain"], "defaultOutputModes": [],
        "skills": [{"id": "add", "name": "Add", "description": "Adds.", "tags": ["math"]}],
    })
}

fn changed(change: impl FnOnce(&mut Value)) -> Value {
    let mut card = card();
    change(&mut card);
    card
}

fn read(card: &Value) -> UntrustedCard {
    UntrustedCard::read(card.to_string(), &Limits::default()).unwrap()
}

fn payload(card: &Value, form: Form) -> Vec<u8> {
    CanonicalPayload::of(&read(card), form).unwrap().octets().to_vec()
}

/// A signature over a payload, by the key with this seed.
fn entry(payload: &[u8], seed: u8) -> Value {
    entry_with(payload, seed, &format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k{seed}"}}"#))
}

fn entry_with(payload: &[u8], seed: u8, header: &str) -> Value {
    let protected = base64url::encode(header.as_bytes());
    let signature = key(seed).sign(Algorithm::EdDsa, &signing_input(&protected, payload)).unwrap();
    json!({"protected": protected, "signature": base64url::encode(&signature)})
}

/// An endorsement that names the digest of one payload and holds any entries.
fn endorsement(names: &[u8], entries: &[Value]) -> Endorsement {
    let text = json!({"schema": SCHEMA, "payload_sha256": hex(&sha256(names)), "signatures": entries});
    Endorsement::read(text.to_string(), &Limits::default()).unwrap()
}

/// A good endorsement of the card under this form, by the keys with these seeds.
fn endorsed(card: &Value, form: Form, seeds: &[u8]) -> Endorsement {
    let payload = payload(card, form);
    let entries: Vec<_> = seeds.iter().map(|seed| entry(&payload, *seed)).collect();
    endorsement(&payload, &entries)
}

fn with_entries(card: &Value, entries: &[Value]) -> UntrustedCard {
    let mut card = card.clone();
    card.as_object_mut().unwrap().insert("signatures".to_owned(), json!(entries));
    read(&card)
}

fn at_least(min: usize) -> VerifyTerms {
    let mut terms = VerifyTerms::default();
    terms.min = NonZeroUsize::new(min).unwrap();
    terms
}

fn verify_with(
    card: UntrustedCard,
    endorsements: &[Endorsement],
    keys: &TrustedKeys,
    terms: &VerifyTerms,
) -> Result<VerifiedCard, Box<Refused>> {
    let now = UnixTime::from_seconds(NOW);
    card.verify_with_endorsements(endorsements, keys, terms, now).map_err(Box::new)
}

/// `verified`, or the outcome of the card with its codes.
fn answer(result: &Result<VerifiedCard, Box<Refused>>) -> String {
    let report = match result {
        Ok(verified) => verified.report(),
        Err(refused) => refused.report(),
    };
    let codes: Vec<_> = report.codes.iter().map(|code| code.name()).collect();
    format!("{} {}", report.outcome.name(), codes.join(" ")).trim_end().to_owned()
}

/// The answer for an unsigned card with these endorsements, where key 1 is trusted.
fn answer_to(card: &Value, endorsements: &[Endorsement]) -> String {
    answer(&verify_with(read(card), endorsements, &trusted(&[1]), &VerifyTerms::default()))
}

#[test]
fn an_endorsement_by_a_trusted_key_verifies_a_card_without_signatures() {
    let card = card();
    assert_eq!(answer_to(&card, &[]), "unsigned sig.absent");
    for form in Form::ACCEPTED {
        assert_eq!(answer_to(&card, &[endorsed(&card, form, &[1])]), "verified", "{form}");
    }
    for empty in [json!(null), json!([])] {
        let with_member = changed(|card| card["signatures"] = empty);
        assert_eq!(answer_to(&with_member, &[endorsed(&card, Form::A2a10, &[1])]), "verified");
    }
}

#[test]
fn the_report_names_the_endorsement_its_form_and_its_key() {
    let card = card();
    let given = [endorsed(&changed(|card| card["name"] = json!("B")), Form::A2a10, &[1]), {
        endorsed(&card, Form::Sdk1x, &[2, 1])
    }];
    let verified = verify_with(read(&card), &given, &trusted(&[1]), &VerifyTerms::default()).unwrap();
    let report = verified.report();
    assert!(report.signatures.is_empty());
    let forms: Vec<_> = report.endorsements.iter().map(|one| (one.index, one.form)).collect();
    assert_eq!(forms, [(0, None), (1, Some(Form::Sdk1x))]);
    let outcomes: Vec<_> = report.endorsements[1]
        .signatures
        .iter()
        .map(|one| (one.index, one.outcome.name(), one.kid.as_deref(), one.form))
        .collect();
    assert_eq!(
        outcomes,
        [(0, "unverifiable", Some("k2"), None), (1, "verified", Some("k1"), Some(Form::Sdk1x))]
    );
    assert_eq!(report.endorsements[1].signatures[1].thumbprint, Some(key(1).verifying_key().thumbprint()));
    assert_eq!(report.endorsements[0].signatures[0].codes[0].name(), "endorsement.payload-mismatch");
}

#[test]
fn an_endorsement_of_a_changed_card_is_none_of_this_card() {
    let endorsement = || [endorsed(&card(), Form::A2a10, &[1])];
    assert_eq!(answer_to(&card(), &endorsement()), "verified");
    for changed in [
        changed(|card| card["name"] = json!("Agenu")),
        changed(|card| card["supportedInterfaces"][0]["url"] = json!("https://agent.example.com/a2b")),
        changed(|card| card["skills"] = json!([])),
    ] {
        assert_eq!(answer_to(&changed, &endorsement()), "unsigned sig.absent endorsement.payload-mismatch");
    }
}

#[test]
fn the_digest_of_an_endorsement_is_a_claim_that_proves_nothing() {
    let (card, other) = (card(), changed(|card| card["name"] = json!("Other")));
    let (own, of_other) = (payload(&card, Form::A2a10), payload(&other, Form::A2a10));
    assert_eq!(answer_to(&card, &[endorsement(&own, &[entry(&own, 1)])]), "verified");
    // The digest of this card, a signature over another.
    assert_eq!(answer_to(&card, &[endorsement(&own, &[entry(&of_other, 1)])]), "invalid sig.invalid");
    // No signature at all but the right digest.
    let mut unsigned = entry(&own, 1);
    unsigned["signature"] = json!("");
    assert_eq!(answer_to(&card, &[endorsement(&own, &[unsigned])]), "malformed sig.malformed");
}

#[test]
fn a_signature_counts_only_over_the_payload_whose_digest_is_named() {
    let (card, other) = (card(), changed(|card| card["name"] = json!("Other")));
    let (own, sdk) = (payload(&card, Form::A2a10), payload(&card, Form::Sdk1x));
    assert_ne!(own, sdk);
    // The digest of another card, though the signature is over this one.
    let of_other = endorsement(&payload(&other, Form::A2a10), &[entry(&own, 1)]);
    assert_eq!(answer_to(&card, &[of_other]), "unsigned sig.absent endorsement.payload-mismatch");
    // The digest of another form of this card.
    assert_eq!(answer_to(&card, &[endorsement(&sdk, &[entry(&own, 1)])]), "invalid sig.invalid");
    assert_eq!(answer_to(&card, &[endorsement(&own, &[entry(&sdk, 1)])]), "invalid sig.invalid");
}

#[test]
fn a_form_that_is_not_accepted_endorses_nothing() {
    let card = card();
    let under_zeph = || [endorsed(&card, Form::Zeph, &[1])];
    assert_eq!(answer_to(&card, &under_zeph()), "unsigned sig.absent endorsement.payload-mismatch");
    let mut terms = VerifyTerms::default();
    terms.forms = vec![Form::Zeph];
    assert_eq!(answer(&verify_with(read(&card), &under_zeph(), &trusted(&[1]), &terms)), "verified");
    let under_sdk = [endorsed(&card, Form::Sdk1x, &[1])];
    let narrowed = answer(&verify_with(read(&card), &under_sdk, &trusted(&[1]), &terms));
    assert_eq!(narrowed, "unsigned sig.absent endorsement.payload-mismatch");
}

#[test]
fn a_key_that_is_not_trusted_endorses_nothing() {
    let card = card();
    assert_eq!(answer_to(&card, &[endorsed(&card, Form::A2a10, &[2])]), "unverifiable sig.unknown-key");
    // Key 2 under the name of key 1.
    let own = payload(&card, Form::A2a10);
    let forged = entry_with(&own, 2, r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1"}"#);
    assert_eq!(answer_to(&card, &[endorsement(&own, &[forged])]), "invalid sig.invalid");
}

#[test]
fn a_swapped_or_damaged_signature_endorses_nothing() {
    let card = card();
    let own = payload(&card, Form::A2a10);
    let (first, second) = (entry(&own, 1), entry(&own, 2));
    let swapped = json!({"protected": first["protected"], "signature": second["signature"]});
    assert_eq!(answer_to(&card, &[endorsement(&own, &[swapped])]), "invalid sig.invalid");
    let signature = first["signature"].as_str().unwrap();
    let other_start = if signature.starts_with('A') { "B" } else { "A" };
    let mut damaged = first.clone();
    let rest: String = signature.chars().skip(1).collect();
    damaged["signature"] = json!(format!("{other_start}{rest}"));
    assert_eq!(answer_to(&card, &[endorsement(&own, &[damaged])]), "invalid sig.invalid");
    assert_eq!(answer_to(&card, &[endorsement(&own, &[first])]), "verified");
}

#[test]
fn an_endorsement_is_no_longer_good_in_the_second_of_its_exp() {
    let card = card();
    let own = payload(&card, Form::A2a10);
    let at = |exp: i64| {
        let header = format!(r#"{{"alg":"EdDSA","typ":"JOSE","kid":"k1","exp":{exp}}}"#);
        answer_to(&card, &[endorsement(&own, &[entry_with(&own, 1, &header)])])
    };
    assert_eq!(at(NOW + 1), "verified");
    assert_eq!(at(NOW), "invalid fresh.expired");
    assert_eq!(at(NOW - 1), "invalid fresh.expired");
}

#[test]
fn headers_of_an_endorsement_are_read_as_strictly_as_those_of_a_card() {
    let card = card();
    let own = payload(&card, Form::A2a10);
    for (header, expected) in [
        (r#"{"alg":"EdDSA","kid":"k1","crit":["exp"]}"#, "malformed sig.critical-header"),
        (r#"{"alg":"EdDSA","kid":"k2","kid":"k1"}"#, "malformed sig.malformed-header"),
        (r#"{"alg":"EdDSA"}"#, "malformed sig.missing-kid"),
        (r#"{"alg":"ES256","kid":"k1"}"#, "invalid sig.algorithm-key-mismatch"),
        (r#"{"alg":"none","kid":"k1"}"#, "unverifiable sig.algorithm-unsupported"),
    ] {
        let entries = [entry_with(&own, 1, header)];
        assert_eq!(answer_to(&card, &[endorsement(&own, &entries)]), expected, "{header}");
    }
    let untyped = [entry_with(&own, 1, r#"{"alg":"EdDSA","kid":"k1"}"#)];
    let endorsement = [endorsement(&own, &untyped)];
    let verified = verify_with(read(&card), &endorsement, &trusted(&[1]), &VerifyTerms::default()).unwrap();
    let finding = &verified.report().endorsements[0].findings[0];
    assert_eq!(finding.code.name(), "sig.typ-missing");
    assert_eq!(finding.pointer.as_deref(), Some("/signatures/0/protected"));
    let of_card = &verified.report().findings;
    assert!(of_card.iter().all(|finding| finding.code.name() != "sig.typ-missing"), "{of_card:?}");
}

#[test]
fn a_threshold_counts_keys_wherever_they_signed() {
    let card = card();
    let own = payload(&card, Form::A2a10);
    let signed = || with_entries(&card, &[entry(&own, 1)]);
    let keys = trusted(&[1, 2, 3]);
    let with = |endorsements: &[Endorsement], min| {
        answer(&verify_with(signed(), endorsements, &keys, &at_least(min)))
    };
    assert_eq!(with(&[], 2), "invalid sig.threshold");
    assert_eq!(with(&[endorsed(&card, Form::A2a10, &[2])], 2), "verified");
    assert_eq!(with(&[endorsed(&card, Form::A2a10, &[2])], 3), "invalid sig.threshold");
    assert_eq!(with(&[endorsed(&card, Form::A2a10, &[2, 3])], 3), "verified");
    assert_eq!(
        with(&[endorsed(&card, Form::A2a10, &[2]), endorsed(&card, Form::A2a10, &[3])], 3),
        "verified"
    );
    // The same key again: in the endorsement, in two of them, under another form.
    assert_eq!(with(&[endorsed(&card, Form::A2a10, &[1])], 2), "invalid sig.threshold");
    assert_eq!(with(&[endorsed(&card, Form::A2a10, &[1, 1])], 2), "invalid sig.threshold");
    assert_eq!(with(&[endorsed(&card, Form::Sdk1x, &[1])], 2), "invalid sig.threshold");
    let twice = [endorsed(&card, Form::A2a10, &[2]), endorsed(&card, Form::A2a10, &[2])];
    assert_eq!(with(&twice, 3), "invalid sig.threshold");
    // One key under two names.
    let mut two_names = trusted(&[1]);
    let again = TrustedKey::new(key(1).verifying_key().clone(), KeySource::SetMember).with_kid("other");
    two_names.push(again);
    let renamed = entry_with(&own, 1, r#"{"alg":"EdDSA","typ":"JOSE","kid":"other"}"#);
    let result = verify_with(signed(), &[endorsement(&own, &[renamed])], &two_names, &at_least(2));
    assert_eq!(answer(&result), "invalid sig.threshold");
}

#[test]
fn a_repeated_signature_is_remarked_on_where_it_stands() {
    let card = card();
    let own = payload(&card, Form::A2a10);
    let given = [endorsed(&card, Form::A2a10, &[2, 1])];
    let signed = with_entries(&card, &[entry(&own, 1)]);
    let verified = verify_with(signed, &given, &trusted(&[1]), &VerifyTerms::default()).unwrap();
    assert!(verified.report().findings.iter().all(|finding| finding.code.name() != "sig.duplicate-key"));
    let finding = &verified.report().endorsements[0].findings[0];
    assert_eq!(
        (finding.code.name(), finding.pointer.as_deref()),
        ("sig.duplicate-key", Some("/signatures/1"))
    );
}

#[test]
fn an_endorsement_that_leaves_security_members_unsigned_is_worthless() {
    let with_empty_first =
        changed(|card| card["supportedInterfaces"].as_array_mut().unwrap().insert(0, json!({})));
    // The form of the SDKs drops the empty interface, so the payload is that of the original card.
    assert_eq!(payload(&with_empty_first, Form::Sdk1x), payload(&card(), Form::Sdk1x));
    let given = || [endorsed(&card(), Form::Sdk1x, &[1])];
    assert_eq!(answer_to(&card(), &given()), "verified");
    assert_eq!(answer_to(&with_empty_first, &given()), "invalid sig.uncovered-member");
    let mut terms = VerifyTerms::default();
    terms.coverage.allowed = vec!["/supportedInterfaces/0".to_owned()];
    let allowed = verify_with(read(&with_empty_first), &given(), &trusted(&[1]), &terms).unwrap();
    assert_eq!(allowed.unsigned().count(), 1);
}

#[test]
fn with_several_required_only_what_every_counted_signature_covers_is_handed_on() {
    let card = card();
    let handed_on =
        |verified: &VerifiedCard| -> Value { serde_json::from_slice(&verified.to_octets()).unwrap() };
    let signed = || with_entries(&card, &[entry(&payload(&card, Form::AsReceived), 1)]);
    let keys = trusted(&[1, 2]);
    let given = [endorsed(&card, Form::A2a10, &[2])];
    let one = verify_with(signed(), &given, &keys, &at_least(1)).unwrap();
    assert_eq!(handed_on(&one), card, "one suffices: the one that covers most counts");
    let both = verify_with(signed(), &given, &keys, &at_least(2)).unwrap();
    assert_eq!(handed_on(&both), changed(|card| drop(card.as_object_mut().unwrap().remove("x-note"))));
    // Without a trusted signature on the card, what the endorsement covers is handed on.
    let endorsed_only = verify_with(signed(), &given, &trusted(&[2]), &at_least(1)).unwrap();
    assert!(endorsed_only.member("x-note").is_none());
}

#[test]
fn a_bad_endorsement_neither_hides_nor_spoils_a_good_signature() {
    let card = card();
    let own = payload(&card, Form::A2a10);
    let other = changed(|card| card["name"] = json!("Other"));
    let bad = || {
        vec![
            endorsed(&other, Form::A2a10, &[1]),
            endorsed(&card, Form::A2a10, &[9]),
            endorsement(&own, &[entry(&payload(&other, Form::A2a10), 1)]),
            endorsement(&own, &[json!({"protected": "!", "signature": "!"})]),
        ]
    };
    let signed = || with_entries(&card, &[entry(&own, 1)]);
    let with = |card, given: &[Endorsement]| {
        answer(&verify_with(card, given, &trusted(&[1, 2]), &VerifyTerms::default()))
    };
    assert_eq!(with(signed(), &bad()), "verified");
    let mut and_good = bad();
    and_good.push(endorsed(&card, Form::A2a10, &[2]));
    assert_eq!(with(read(&card), &and_good), "verified");
    // And a bad signature on the card does not spoil a good endorsement.
    let damaged = with_entries(&card, &[json!({"protected": "!", "signature": "!"})]);
    assert_eq!(with(damaged, &[endorsed(&card, Form::A2a10, &[2])]), "verified");
}

#[test]
fn signatures_that_are_not_looked_at_are_a_no_whatever_endorsements_say() {
    let card = card();
    let given = || [endorsed(&card, Form::A2a10, &[1])];
    let list = changed(|card| card["signatures"] = json!({"0": "x"}));
    assert_eq!(answer_to(&list, &given()), "malformed sig.malformed");
    let junk = json!({"protected": "", "signature": ""});
    let with = |count| changed(|card| card["signatures"] = json!(vec![junk.clone(); count]));
    assert_eq!(answer_to(&with(17), &given()), "malformed sig.too-many");
    assert_eq!(answer_to(&with(16), &given()), "verified");
}

#[test]
fn at_most_sixty_four_endorsements_are_looked_at() {
    let card = card();
    let many = |count| (0..count).map(|_| endorsed(&card, Form::A2a10, &[1])).collect::<Vec<_>>();
    assert_eq!(answer_to(&card, &many(Endorsement::MAX_GIVEN)), "verified");
    assert_eq!(
        answer_to(&card, &many(Endorsement::MAX_GIVEN + 1)),
        "unsigned sig.absent endorsement.too-many"
    );
    let signed = with_entries(&card, &[entry(&payload(&card, Form::A2a10), 1)]);
    let result = verify_with(signed, &many(65), &trusted(&[1]), &VerifyTerms::default());
    assert_eq!(answer(&result), "verified");
}

// Making endorsements.

fn signer(seed: u8) -> KeySigner {
    KeySigner::new(key(seed), Algorithm::EdDsa).unwrap().with_kid(format!("k{seed}"))
}

fn under(form: Form) -> SignTerms {
    let mut terms = SignTerms::default();
    terms.forms = vec![form];
    terms
}

fn endorse(
    card: &Value,
    seed: u8,
    terms: &SignTerms,
    existing: Option<&Endorsement>,
) -> Result<NewEndorsement, SignCardError> {
    read(card).endorse(&signer(seed), terms, existing, &TrustedKeys::default())
}

fn reread(made: &NewEndorsement) -> Endorsement {
    Endorsement::read(made.octets.clone(), &Limits::default()).unwrap()
}

#[test]
fn what_is_made_verifies_under_every_signable_form() {
    let card = card();
    for form in Form::SIGNABLE {
        let made = endorse(&card, 1, &under(form), None).unwrap();
        assert_eq!(made.signature.form, form);
        assert_eq!(reread(&made).claimed_payload_sha256(), hex(&sha256(&payload(&card, form))));
        assert_eq!(answer_to(&card, &[reread(&made)]), "verified", "{form}");
    }
    let made = endorse(&card, 1, &SignTerms::default(), None).unwrap();
    assert_eq!(made.signature.form, Form::A2a10);
    let again = endorse(&card, 1, &SignTerms::default(), None).unwrap();
    assert_eq!(made.octets, again.octets);
}

#[test]
fn forms_with_different_payloads_do_not_fit_into_one_endorsement() {
    let mut terms = SignTerms::default();
    terms.forms = vec![Form::A2a10, Form::Sdk1x];
    let error = endorse(&card(), 1, &terms, None).unwrap_err();
    assert_eq!(error.code().name(), "endorsement.several-payloads");
    assert!(error.to_string().contains("a2a-1.0, sdk-1.x"), "{error}");
    // Where both have the same octets there is one payload.
    let plain = changed(|card| card["defaultOutputModes"] = json!(["text/plain"]));
    assert!(endorse(&plain, 1, &terms, None).is_ok());
}

#[test]
fn an_endorsement_by_another_key_is_added_and_ones_own_is_replaced() {
    let card = card();
    let first = reread(&endorse(&card, 1, &SignTerms::default(), None).unwrap());
    let both = endorse(&card, 2, &SignTerms::default(), Some(&first)).unwrap();
    assert_eq!((both.replaced, both.stale.as_slice()), (0, &[][..]));
    let both = reread(&both);
    let result =
        |given: Endorsement| answer(&verify_with(read(&card), &[given], &trusted(&[1, 2]), &at_least(2)));
    let mut later = SignTerms::default();
    later.issued_at = Some(UnixTime::from_seconds(NOW));
    let again = endorse(&card, 1, &later, Some(&both)).unwrap();
    assert_eq!(again.replaced, 1);
    assert_eq!(result(both), "verified");
    let text: Value = serde_json::from_slice(&again.octets).unwrap();
    assert_eq!(text["signatures"].as_array().unwrap().len(), 2);
    assert_eq!(result(reread(&again)), "verified");
}

#[test]
fn another_key_with_the_same_kid_is_not_ones_own() {
    let card = card();
    let named_alike = KeySigner::new(key(2), Algorithm::EdDsa).unwrap().with_kid("k1");
    let first = reread(&endorse(&card, 1, &SignTerms::default(), None).unwrap());
    let none = TrustedKeys::default();
    let both = read(&card).endorse(&named_alike, &SignTerms::default(), Some(&first), &none).unwrap();
    assert_eq!(both.replaced, 0);
    // And ones own under another `kid` is.
    let mut renamed = SignTerms::default();
    renamed.kid = Some("new".to_owned());
    assert_eq!(endorse(&card, 1, &renamed, Some(&first)).unwrap().replaced, 1);
}

#[test]
fn nothing_is_added_to_an_endorsement_of_another_payload() {
    let card = card();
    let other = changed(|card| card["name"] = json!("Other"));
    let of_other = reread(&endorse(&other, 1, &SignTerms::default(), None).unwrap());
    let error = endorse(&card, 1, &SignTerms::default(), Some(&of_other)).unwrap_err();
    assert_eq!(error.code().name(), "endorsement.payload-mismatch");
    assert!(matches!(error, SignCardError::OtherPayload { form: Form::A2a10, is_for: None, .. }), "{error}");
    let under_sdk = reread(&endorse(&card, 1, &under(Form::Sdk1x), None).unwrap());
    let error = endorse(&card, 1, &SignTerms::default(), Some(&under_sdk)).unwrap_err();
    assert!(matches!(error, SignCardError::OtherPayload { is_for: Some(Form::Sdk1x), .. }), "{error}");
}

#[test]
fn an_endorsement_has_at_most_sixteen_signatures() {
    let card = card();
    let seeds: Vec<u8> = (2..=17).collect();
    let full = endorsed(&card, Form::A2a10, &seeds);
    let error = endorse(&card, 1, &SignTerms::default(), Some(&full)).unwrap_err();
    assert_eq!(error.code().name(), "sig.too-many");
    let nearly = endorsed(&card, Form::A2a10, &seeds[1..]);
    assert!(endorse(&card, 1, &SignTerms::default(), Some(&nearly)).is_ok());
    assert!(endorse(&card, 2, &SignTerms::default(), Some(&full)).is_ok(), "its own is replaced");
}

#[test]
fn entries_of_others_that_do_not_verify_are_told_and_can_be_dropped() {
    let card = card();
    let own = payload(&card, Form::A2a10);
    let mut damaged = entry(&own, 3);
    damaged["signature"] = json!("AAAA");
    let existing = endorsement(&own, &[damaged, entry(&own, 2)]);
    let mut terms = SignTerms::default();
    let with = |terms: &SignTerms| {
        read(&card).endorse(&signer(1), terms, Some(&existing), &trusted(&[2, 3])).unwrap()
    };
    let kept = with(&terms);
    assert_eq!(kept.stale, [0]);
    assert!(kept.findings.iter().any(|finding| finding.code.name() == "sig.stale"));
    assert_eq!(reread(&kept).findings().len(), 0);
    terms.stale = Stale::Drop;
    let dropped: Value = serde_json::from_slice(&with(&terms).octets).unwrap();
    assert_eq!(dropped["signatures"].as_array().unwrap().len(), 2);
}

#[test]
fn an_entry_of_an_endorsement_is_not_dropped_for_a_key_that_has_only_its_kid() {
    let card = card();
    let existing = endorsement(&payload(&card, Form::A2a10), &[entry(&payload(&card, Form::A2a10), 2)]);
    let mut terms = SignTerms::default();
    terms.stale = Stale::Drop;
    let mut namesake = TrustedKeys::default();
    for (seed, kid) in [(3, "k2"), (1, "k1")] {
        let key = TrustedKey::new(key(seed).verifying_key().clone(), KeySource::SetMember);
        namesake.push(key.with_kid(kid));
    }
    let made = read(&card).endorse(&signer(1), &terms, Some(&existing), &namesake).unwrap();
    assert!(made.stale.is_empty());
    let warned = made.findings.iter().find(|finding| finding.code.name() == "sig.invalid").unwrap();
    assert!(warned.message.contains("was not made by the key given for its `kid`"), "{}", warned.message);
    let given = [reread(&made)];
    assert_eq!(answer(&verify_with(read(&card), &given, &trusted(&[1, 2]), &at_least(2))), "verified");
}

#[test]
fn an_endorsement_that_no_verifier_reads_is_not_made() {
    let card = card();
    let made = endorse(&card, 1, &SignTerms::default(), None).unwrap();
    let mut terms = SignTerms::default();
    terms.max_octets = made.octets.len();
    assert!(endorse(&card, 1, &terms, None).is_ok());
    terms.max_octets -= 1;
    let error = endorse(&card, 1, &terms, None).unwrap_err();
    assert!(matches!(error, SignCardError::TooLarge { .. }), "{error}");
    assert_eq!(error.code().name(), "json.too-large");
}

#[test]
fn no_endorsement_is_made_that_would_not_verify() {
    let hidden = changed(|card| card["capabilities"]["extensions"] = json!([{}]));
    let error = endorse(&hidden, 1, &under(Form::Sdk1x), None).unwrap_err();
    assert_eq!(error.code().name(), "sig.uncovered-member");
    let incomplete = changed(|card| drop(card.as_object_mut().unwrap().remove("version")));
    let error = endorse(&incomplete, 1, &SignTerms::default(), None).unwrap_err();
    assert_eq!(error.code().name(), "card.required-missing");
    let no_list = changed(|card| card["signatures"] = json!("none"));
    let error = endorse(&no_list, 1, &SignTerms::default(), None).unwrap_err();
    assert!(matches!(error, SignCardError::SignaturesNotAList { found: "a string" }), "{error}");
    let too_many = changed(|card| card["signatures"] = json!(vec![json!({}); 17]));
    let error = endorse(&too_many, 1, &SignTerms::default(), None).unwrap_err();
    assert!(matches!(error, SignCardError::TooMany { found: 17, .. }), "{error}");
}
