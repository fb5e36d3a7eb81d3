//! Attacks that only a memory stops.

use countersign::{PinsError, Recorded};
use serde_json::json;

use crate::support::{Desk, Folder, IF_PRESENT, NOW, SOURCE, at, card, policy_with, signed, signed_at, with};

#[test]
fn a_card_whose_signatures_were_taken_off_is_a_downgrade_even_where_unsigned_cards_are_admitted() {
    let folder = Folder::new("downgrade");
    let pins = folder.pins();
    let desk = Desk::new(IF_PRESENT, &pins);
    // Nobody signed yet: the rule admits an unsigned card.
    assert!(desk.codes(&card("1.0.0")).is_empty());
    assert!(desk.codes(&signed(&card("1.0.0"))).is_empty());

    assert_eq!(desk.codes(&card("1.0.0")), ["sig.downgrade"]);
    assert_eq!(desk.codes(&with(card("1.0.0"), "/signatures", json!([]))), ["sig.downgrade"]);
    // Nor under a newer version, nor from another agent of the origin.
    assert_eq!(desk.codes(&card("2.0.0")), ["sig.downgrade"]);
    let elsewhere = desk.admit_from(&card("1.0.0"), "https://agents.acme.example/other.json", NOW);
    assert_eq!(crate::support::decision(elsewhere).codes()[0].name(), "sig.downgrade");
    // Nor where the rule looks at no signature. A card that carries one is taken at its word there.
    let off = IF_PRESENT.replace("if-present", "off");
    let desk = Desk::new(&off, &pins);
    assert_eq!(desk.codes(&card("1.0.0")), ["sig.downgrade"]);
    assert!(desk.codes(&signed(&card("1.0.0"))).is_empty());
    // An endorsement of another card is no signature on this one.
    let other = crate::support::endorsement(&card("9.9.9"));
    let desk = Desk::new(IF_PRESENT, &pins);
    let answer = crate::support::read(&card("1.0.0")).admit_remembered(
        &desk.policy,
        &crate::support::request(SOURCE),
        std::slice::from_ref(&other),
        &pins,
        at(NOW),
    );
    assert_eq!(crate::support::decision(answer).codes()[0].name(), "sig.downgrade");
    // The signed card is as good as before.
    assert!(Desk::new(IF_PRESENT, &pins).codes(&signed(&card("1.0.0"))).is_empty());
}

#[test]
fn only_an_exception_that_names_it_lets_a_downgrade_pass_for_a_time() {
    let folder = Folder::new("downgrade-waived");
    let pins = folder.pins();
    assert!(Desk::new(IF_PRESENT, &pins).codes(&signed(&card("1.0.0"))).is_empty());
    let exception = "[[exception]]\nid = \"EX-1\"\nrule = \"acme\"\norigin = \"https://agents.acme.example\"\n\
                     waives = [\"sig.downgrade\"]\nreason = \"signs no longer\"\nowner = \"team\"\nuntil = 2026-10-31\n";
    let waived = Desk { policy: policy_with(IF_PRESENT, exception), pins: &pins };
    assert!(waived.codes(&card("1.0.0")).is_empty());
    let november = NOW + 31 * 86_400;
    assert_eq!(waived.codes_at(&card("1.0.0"), november), ["sig.downgrade"]);
}

#[test]
fn last_years_card_is_a_rollback_by_its_version() {
    let folder = Folder::new("rollback-version");
    let pins = folder.pins();
    let desk = Desk::new("pin = { rollback = \"deny\" }", &pins);
    assert!(desk.codes(&signed(&card("1.9.0"))).is_empty());
    assert!(desk.codes(&signed(&card("1.10.0"))).is_empty());

    assert_eq!(desk.codes(&signed(&card("1.9.0"))), ["pin.rollback"]);
    assert_eq!(desk.codes(&signed(&card("1.10.0-rc.1"))), ["pin.rollback"]);
    // A version that has no place in the order could be older.
    assert_eq!(desk.codes(&signed(&card("latest"))), ["pin.rollback"]);
    assert!(desk.codes(&signed(&card("1.10.0"))).is_empty());
    assert!(desk.codes(&signed(&card("1.10.1"))).is_empty());

    // Where it is only reported the card is admitted, and the newest stays the newest.
    let lax = Desk::new("pin = { rollback = \"report\" }", &pins);
    assert_eq!(lax.reported(&signed(&card("1.9.0"))), ["pin.rollback"]);
    assert_eq!(desk.codes(&signed(&card("1.10.0"))), ["pin.rollback"]);
    // Without `pin` nothing is compared.
    assert!(Desk::new("", &pins).codes(&signed(&card("1.9.0"))).is_empty());
}

#[test]
fn last_years_card_is_a_rollback_by_the_time_of_its_signature() {
    let folder = Folder::new("rollback-iat");
    let pins = folder.pins();
    let desk = Desk::new("pin = { rollback = \"deny\", text = \"report\" }", &pins);
    let other = with(card("1.0.0"), "/description", json!("Adds."));
    assert!(desk.codes(&signed_at(&card("1.0.0"), Some(NOW - 500))).is_empty());
    assert!(desk.codes(&signed_at(&other, Some(NOW - 500))).is_empty());

    assert_eq!(desk.codes(&signed_at(&card("1.0.0"), Some(NOW - 501))), ["pin.rollback"]);
    // One that does not say when it was signed could be older, unless its version is newer.
    assert_eq!(desk.codes(&signed_at(&card("1.0.0"), None)), ["pin.rollback"]);
    assert!(desk.codes(&signed_at(&card("1.0.1"), None)).is_empty());
    // The same content under an older signature is no other card: servers sign the same card at different times.
    assert!(desk.codes(&signed_at(&card("1.0.1"), Some(NOW - 900))).is_empty());
    // The newest time stays known.
    assert_eq!(desk.codes(&signed_at(&other, Some(NOW - 501))), ["pin.rollback"]);
}

#[test]
fn a_card_that_is_kept_on_being_served_ends_with_max_age_counted_from_its_first_admission() {
    let folder = Folder::new("freeze");
    let pins = folder.pins();
    let card = signed(&card("1.0.0"));
    // Without a pin a signature that does not say its age is too old at once.
    assert_eq!(Desk::new("signatures.max-age = \"10d\"", &pins).codes(&card), ["fresh.too-old"]);

    let desk = Desk::new("signatures.max-age = \"10d\"\npin = { rollback = \"deny\" }", &pins);
    assert!(desk.codes(&card).is_empty());
    let days = 10 * 86_400;
    let last = desk.admit_from(&card, SOURCE, NOW + days).unwrap();
    // The answer does not outlive the card.
    assert_eq!(last.decision().expires_at, at(NOW + days + 1));
    assert_eq!(desk.codes_at(&card, NOW + days + 1), ["fresh.too-old"]);
    // Written in another way it is the same card.
    let mut respelled = card.clone();
    respelled["iconUrl"] = json!(null);
    assert_eq!(desk.codes_at(&respelled, NOW + days + 1), ["fresh.too-old"]);
    // A new card starts anew, and a signed time counts where there is one.
    assert!(desk.codes_at(&signed(&crate::support::card("1.0.1")), NOW + days + 1).is_empty());
    let dated = signed_at(&crate::support::card("1.0.2"), Some(NOW));
    assert_eq!(desk.codes_at(&dated, NOW + days + 1), ["fresh.too-old"]);
}

#[test]
fn the_first_card_waits_for_a_person_where_the_rule_says_review() {
    let folder = Folder::new("first-use");
    let pins = folder.pins();
    let desk = Desk::new("pin = { first-use = \"review\" }", &pins);
    let first = signed(&card("1.0.0"));
    assert_eq!(desk.codes(&first), ["pin.first-use"]);
    assert_eq!(desk.codes(&first), ["pin.first-use"]);
    let digest = desk.digest(&first);
    let decision = desk.decide(&first);
    assert!(decision.reasons[0].message.contains(&digest.to_string()));

    assert_eq!(pins.accept(digest, at(NOW)).unwrap(), Recorded::Now);
    // Another card is not the accepted one.
    assert_eq!(desk.codes(&signed(&with(card("1.0.0"), "/name", json!("Agent 2")))), ["pin.first-use"]);
    assert!(desk.codes(&first).is_empty());
    // From then on the agent is reviewed, and releases pass.
    assert!(desk.codes(&signed(&card("1.1.0"))).is_empty());

    // A rule that accepts first cards is told which is one.
    let folder = Folder::new("first-use-accept");
    let pins = folder.pins();
    let desk = Desk::new("pin = { first-use = \"accept\" }", &pins);
    assert_eq!(desk.reported(&first), ["pin.first-use"]);
    assert!(desk.reported(&first).is_empty());
    // What a lax rule let in is no review.
    assert_eq!(Desk::new("pin = { first-use = \"review\" }", &pins).codes(&first), ["pin.first-use"]);
}

#[test]
fn an_accepted_rollback_admits_that_card_and_leaves_the_newest_the_newest() {
    let folder = Folder::new("accepted-rollback");
    let pins = folder.pins();
    let desk = Desk::new("pin = { rollback = \"deny\" }", &pins);
    let (newest, older, oldest) = (signed(&card("1.3.0")), signed(&card("1.2.0")), signed(&card("1.1.0")));
    assert!(desk.codes(&newest).is_empty());
    assert_eq!(desk.codes(&older), ["pin.rollback"]);
    // The SHA-256 of its octets names it too.
    pins.accept(countersign::PinDigest::of(older.to_string().as_bytes()), at(NOW)).unwrap();
    assert!(desk.codes(&older).is_empty());
    assert_eq!(desk.codes(&oldest), ["pin.rollback"]);
    assert_eq!(desk.codes(&signed(&card("1.2.1"))), ["pin.rollback"]);
    assert!(desk.codes(&newest).is_empty());
    // An acceptance does not stand for the signatures of a card.
    let unsigned = card("1.3.0");
    let lax = Desk::new(IF_PRESENT, &pins);
    pins.accept(lax.digest(&unsigned), at(NOW)).unwrap();
    assert_eq!(lax.codes(&unsigned), ["sig.downgrade"]);
}

#[test]
fn acceptance_names_one_card_and_revocation_is_final() {
    let folder = Folder::new("acceptance");
    let pins = folder.pins();
    let desk = Desk::new("pin = { structure = \"deny\", text = \"deny\" }", &pins);
    let before = signed(&card("1.0.0"));
    let moved = signed(&with(card("1.0.0"), "/supportedInterfaces/0/tenant", json!("t1")));
    let moved_again = signed(&with(card("1.0.0"), "/supportedInterfaces/0/tenant", json!("t2")));
    assert!(desk.codes(&before).is_empty());
    assert_eq!(desk.codes(&moved), ["pin.structure"]);
    pins.accept(desk.digest(&moved), at(NOW)).unwrap();
    assert_eq!(desk.codes(&moved_again), ["pin.structure"]);
    assert!(desk.codes(&moved).is_empty());
    // Signed again or written in another way it is the same card.
    assert!(desk.codes(&signed_at(&moved, Some(NOW))).is_empty());

    let digest = desk.digest(&moved);
    assert_eq!(pins.revoke(digest, at(NOW)).unwrap(), Recorded::Now);
    assert_eq!(pins.revoke(digest, at(NOW + 1)).unwrap(), Recorded::Already(at(NOW)));
    assert_eq!(desk.codes(&moved), ["pin.revoked"]);
    assert!(matches!(pins.accept(digest, at(NOW)), Err(PinsError::Revoked { .. })));
    // Whatever the rule says: without `pin`, with an exception, in audit mode.
    let exception = "[[exception]]\nid = \"EX-1\"\nrule = \"acme\"\norigin = \"https://agents.acme.example\"\n\
                     waives = [\"sig.downgrade\"]\nreason = \"r\"\nowner = \"team\"\nuntil = 2026-10-31\n";
    for (members, more) in [
        ("", exception),
        ("mode = { audit = true, reason = \"r\", until = 2026-12-31 }", ""),
        ("pin = { structure = \"report\" }", ""),
    ] {
        let desk = Desk { policy: policy_with(members, more), pins: &pins };
        assert_eq!(desk.codes(&moved), ["pin.revoked"], "{members}");
        assert!(desk.decide(&moved).enforced, "{members}");
    }
    // The signature of a revoked card proves nothing any more, whatever stands beside what it covers.
    let mut dressed = moved.clone();
    dressed["x-note"] = json!("other octets");
    assert_eq!(desk.codes(&dressed), ["pin.revoked"]);
    // Any other card is as good as before.
    assert!(Desk::new("", &pins).codes(&moved_again).is_empty());
}
