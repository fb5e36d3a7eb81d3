//! What decisions make use of, and the changes that tests should notice.

use countersign_policy::{
    Decision, ExtensionFacts, GapKind, Mutant, Outcome, PolicyChange, PolicyCoverage, ProtocolVersion,
    TrustPolicy, VersionFacts,
};

use crate::support::{NOW, POLICY, SOURCE, card, decide, policy, request};

const URL: &str = "https://agents.maps.example/a2a/v1";

#[test]
fn nothing_is_covered_by_nothing() {
    let policy = policy(POLICY);
    let gaps: Vec<_> =
        PolicyCoverage::default().gaps(&policy).into_iter().map(|gap| (gap.kind, gap.id)).collect();
    let expected = [
        (GapKind::NeverAdmits, "maps"),
        (GapKind::NeverDenies, "maps"),
        (GapKind::NeverAdmits, "both"),
        (GapKind::NeverDenies, "both"),
        (GapKind::NeverSigns, "one"),
        (GapKind::NeverSigns, "two"),
        (GapKind::NeverHits, "tunnels"),
        (GapKind::NeverHits, "payments"),
        (GapKind::NeverWaives, "EX-1"),
    ];
    assert_eq!(gaps, expected.map(|(kind, id)| (kind, id.to_owned())));
}

fn note(coverage: &mut PolicyCoverage, policy: &TrustPolicy, decision: &Decision) {
    coverage.note(policy, &request(SOURCE), decision);
}

#[test]
fn each_decision_covers_what_it_made_use_of_and_no_more() {
    let policy = policy(POLICY);
    let mut coverage = PolicyCoverage::default();
    note(&mut coverage, &policy, &decide(&policy, &card(&policy, URL, &["one"])));
    assert!(coverage.admitting.contains("maps") && !coverage.denying.contains("maps"));
    assert!(coverage.keys.contains("one") && !coverage.keys.contains("two"));

    note(&mut coverage, &policy, &decide(&policy, &card(&policy, "https://a.tunnel.example/", &["one"])));
    assert!(coverage.denying.contains("maps") && !coverage.denying.contains("both"));
    assert!(coverage.deny_rules.contains("tunnels") && !coverage.deny_rules.contains("payments"));

    let mut facts = card(&policy, URL, &["one"]);
    let uri = "https://example.com/ext/payments/v1";
    facts.extensions.push(ExtensionFacts { pointer: "/e".into(), uri, is_required: false });
    note(&mut coverage, &policy, &decide(&policy, &facts));
    assert!(coverage.deny_rules.contains("payments") && !coverage.exceptions.contains("EX-1"));

    let mut facts = card(&policy, URL, &["one"]);
    facts.interfaces[0].version = VersionFacts::Known(ProtocolVersion::V0_3);
    note(&mut coverage, &policy, &decide(&policy, &facts));
    assert!(coverage.exceptions.contains("EX-1"));
    let gaps: Vec<_> = coverage.gaps(&policy).iter().map(ToString::to_string).collect();
    assert_eq!(
        gaps,
        [
            "rule `both` admits no card in any case",
            "rule `both` denies no card in any case",
            "no signature of key `two` counts in any case",
        ]
    );
}

fn mutant(change: &str) -> Mutant {
    let mutants = policy(POLICY).mutants();
    let names: Vec<_> = mutants.iter().map(|mutant| mutant.change.to_string()).collect();
    let found = mutants.into_iter().find(|mutant| mutant.change.to_string() == change);
    found.unwrap_or_else(|| panic!("{change}: {names:#?}"))
}

#[test]
fn every_rule_source_host_deny_rule_and_threshold_has_its_change() {
    let changes: Vec<_> = policy(POLICY).mutants().iter().map(|mutant| mutant.change.to_string()).collect();
    assert_eq!(
        changes,
        [
            "remove the rule `maps`",
            "remove entry 0 of `from` of rule `maps`",
            "remove entry 1 of `from` of rule `maps`",
            "remove entry 0 of `interfaces.hosts` of rule `maps`",
            "remove entry 1 of `interfaces.hosts` of rule `maps`",
            "set `signatures.level = \"if-present\"` in rule `maps`, with `reason` and `until`",
            "remove the rule `both`",
            "remove entry 0 of `interfaces.hosts` of rule `both`",
            "set `min = 1` in group 0 of the keys that rule `both` needs",
            "remove the deny rule `tunnels`",
            "remove the deny rule `payments`",
        ]
    );
    let host = mutant("remove entry 1 of `interfaces.hosts` of rule `maps`");
    assert_eq!(host.place.to_string(), "policy.toml:30:44");
    assert_eq!(
        host.advice,
        "add a card with an interface at `grpc.agents.maps.example`, and expect it in `interfaces`"
    );
}

#[test]
fn a_change_is_noticed_by_a_card_that_needs_what_it_takes_away() {
    let policy = policy(POLICY);
    let unsigned = card(&policy, URL, &[]);
    let lowered = policy.with(
        &mutant("set `signatures.level = \"if-present\"` in rule `maps`, with `reason` and `until`").change,
    );
    assert_eq!(decide(&policy, &unsigned).outcome, Outcome::Deny);
    assert_eq!(decide(&lowered, &unsigned).outcome, Outcome::Admit);
    // A signed card notices nothing.
    let signed = card(&policy, URL, &["one"]);
    assert_eq!(decide(&policy, &signed).outcome, decide(&lowered, &signed).outcome);
}

#[test]
fn a_lower_threshold_lets_one_key_do() {
    let policy = policy(POLICY);
    let mut request = request("https://both.maps.example/.well-known/agent-card.json");
    (request.tenant, request.purpose) = (Some("desk-1".to_owned()), Some("routes".to_owned()));
    let change = mutant("set `min = 1` in group 0 of the keys that rule `both` needs").change;
    assert!(matches!(&change, PolicyChange::SetMin { rule, group: 0, .. } if rule == "both"));
    let mut facts = card(&policy, URL, &["one"]);
    facts.auth.allows_anonymous = false;
    let outcome = |policy: &TrustPolicy| {
        policy.evaluate(&request, &facts, NOW).codes().iter().map(|code| code.name()).collect::<Vec<_>>()
    };
    assert!(outcome(&policy).contains(&"sig.threshold"));
    assert!(!outcome(&policy.with(&change)).contains(&"sig.threshold"));
}
