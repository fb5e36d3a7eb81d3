use std::cell::Cell;

use countersign_keys::base64url;
use countersign_keys::trust::{KeySource, TrustedKey};

use super::trial::{Budget, MAX_CHECKS, MAX_OCTETS};
use super::{Cause, Diagnosis, DiagnosisHints, diagnose};
use crate::{Algorithm, Limits, SigningKey, TrustedKeys, UnixTime, UntrustedCard, VerifyTerms};

thread_local! {
    /// Signature checks that were made, counted where they are made and not by the budget.
    pub(super) static MADE: Cell<usize> = const { Cell::new(0) };
}

const OTHERS: usize = 40;

/// Keys that share the `kid` k1, and others: the most expensive set.
fn keys() -> TrustedKeys {
    let mut keys = TrustedKeys::default();
    for octet in 1..=50 {
        let key = SigningKey::from_ec(Algorithm::Es256.key_kind(), &[octet; 32]).unwrap();
        let kid = if usize::from(octet) > OTHERS { "k1" } else { "other" };
        keys.push(TrustedKey::new(key.verifying_key().clone(), KeySource::SetMember).with_kid(kid));
    }
    keys
}

/// A diagnosis, and what of the budget is left. No check may be made that the budget does not know.
fn spent(text: &str) -> (Vec<Diagnosis>, (usize, usize)) {
    let (keys, terms) = (keys(), VerifyTerms::default());
    let card = UntrustedCard::read(text, &Limits::default()).unwrap();
    let refused = card.verify(&keys, &terms, UnixTime::from_seconds(0)).unwrap_err();
    let hints = DiagnosisHints { expected_hosts: vec!["a.example".to_owned(); 1000] };
    let mut budget = Budget::default();
    MADE.set(0);
    let found = diagnose(refused.card(), refused.report(), &keys, &terms, &hints, &mut budget);
    assert_eq!(MADE.get(), MAX_CHECKS - budget.left().0);
    (found, budget.left())
}

fn hostile(members: &str, signatures: usize) -> String {
    let protected = base64url::encode(br#"{"alg":"ES256","typ":"JOSE","kid":"k1"}"#);
    let entry = format!(r#"{{"protected":"{protected}","signature":"{}"}}"#, base64url::encode(&[1; 64]));
    format!(r#"{{{members}"signatures":[{}]}}"#, vec![entry; signatures].join(","))
}

#[test]
fn a_hostile_card_costs_256_checks_at_most() {
    let members: String = (0..18_000).map(|index| format!("\"m{index}\":\"\",")).collect();
    let urls = r#"{"url":"https://h.example/a/b/c/d"},"#.repeat(5_000);
    let interfaces = format!("\"supportedInterfaces\":[{}],", urls.trim_end_matches(','));
    for members in [members, interfaces] {
        for signatures in [1, 16] {
            let card = hostile(&members, signatures);
            assert!((180_000..Limits::default().max_octets).contains(&card.len()), "{}", card.len());
            let (found, (checks, octets)) = spent(&card);
            assert_eq!(found.len(), signatures);
            assert!(found.iter().all(|diagnosis| diagnosis.cause == Cause::ContentOrKey));
            assert!(MADE.get() <= MAX_CHECKS, "{}", MADE.get());
            // One of the two bounds ended it.
            assert!(checks < 16 || octets < MAX_OCTETS / 16, "{checks} checks, {octets} octets left");
            assert!(found[0].message.contains("not everything was tried"), "{}", found[0].message);
        }
    }
}

#[test]
fn every_check_is_counted() {
    let (found, (checks, octets)) = spent(&hostile("\"name\":\"A\",", 1));
    assert_eq!(found[0].cause, Cause::ContentOrKey);
    assert!(checks < MAX_CHECKS / 2 && octets < MAX_OCTETS, "{checks} checks and {octets} octets are left");
    // No signature that could be checked: nothing is spent.
    assert_eq!(spent(r#"{"signatures":[null, {}, "x"]}"#).1, (MAX_CHECKS, MAX_OCTETS));
}
