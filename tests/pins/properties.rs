//! Whatever cards come: a denied one changes nothing, and what was admitted is admitted again.

use countersign::Outcome;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{Desk, Folder, IF_PRESENT, NOW, card, signed_at, with};

#[derive(Clone, Debug)]
struct Served {
    version: &'static str,
    tenant: u8,
    words: u8,
    signed: Option<Option<i64>>,
}

fn served() -> impl Strategy<Value = Served> {
    let versions = prop::sample::select(vec!["1.0.0", "1.0.1", "1.1.0-rc.1", "2.0.0", "x"]);
    let signed =
        prop_oneof![Just(None), Just(Some(None)), (0..3i64).prop_map(|n| Some(Some(NOW - n * 4_000)))];
    (versions, 0..2u8, 0..2u8, signed).prop_map(|(version, tenant, words, signed)| Served {
        version,
        tenant,
        words,
        signed,
    })
}

fn reaction() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["report", "deny"])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_denied_card_changes_nothing_and_an_admitted_one_is_admitted_again(
        cards in prop::collection::vec(served(), 1..12),
        (rollback, structure, text) in (reaction(), reaction(), reaction()),
        audit in prop::bool::ANY,
        review in prop::bool::ANY,
    ) {
        let folder = Folder::new("properties");
        let pins = folder.pins();
        let mode = if audit { "mode = { audit = true, reason = \"r\", until = 2026-12-31 }" } else { "" };
        let first_use = if review { "review" } else { "accept" };
        let desk = Desk::new(&format!(
            "{IF_PRESENT}\n{mode}\npin = {{ first-use = \"{first_use}\", rollback = \"{rollback}\", structure = \"{structure}\", text = \"{text}\" }}"
        ), &pins);
        for served in cards {
            let unsigned = with(card(served.version), "/supportedInterfaces/0/tenant", json!(format!("t{}", served.tenant)));
            let unsigned = with(unsigned, "/description", json!(format!("Text {}.", served.words)));
            let served = match served.signed {
                None => unsigned,
                Some(issued_at) => signed_at(&unsigned, issued_at),
            };
            let before = pins.epoch().unwrap();
            let decision = desk.decide(&served);
            match decision.outcome {
                Outcome::Deny => prop_assert_eq!(pins.epoch().unwrap(), before),
                Outcome::Admit => {
                    let after = pins.epoch().unwrap();
                    prop_assert_eq!(desk.decide(&served).outcome, Outcome::Admit);
                    prop_assert_eq!(pins.epoch().unwrap(), after);
                }
            }
        }
    }
}
