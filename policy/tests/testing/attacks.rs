//! Known attacks on rules.

use countersign_policy::{AttackAnswer, HeldByProgram, RuleAttacks, TrustPolicy};

use crate::support::{NOW, POLICY, policy};

/// What the rules of a policy say to every attack, in the order of the table.
fn answers(rule: &RuleAttacks) -> Vec<(&'static str, String)> {
    let answer = |answer: &AttackAnswer| match answer {
        AttackAnswer::Denied { codes, enforced } => {
            let codes: Vec<_> = codes.iter().map(|code| code.name()).collect();
            let enforced = if *enforced { "" } else { " not enforced" };
            format!("denied {}{enforced}", codes.join(" "))
        }
        AttackAnswer::Admitted => "ADMITTED".to_owned(),
        AttackAnswer::NotTried { why } => why.clone(),
    };
    rule.trials.iter().map(|trial| (trial.attack.name, answer(&trial.answer))).collect()
}

fn on(policy: &TrustPolicy, rule: &str) -> RuleAttacks {
    policy.withstand(NOW).into_iter().find(|attacks| attacks.rule == rule).unwrap()
}

fn answer(policy: &TrustPolicy, rule: &str, attack: &str) -> String {
    let answers = answers(&on(policy, rule));
    answers.into_iter().find(|(name, _)| *name == attack).unwrap().1
}

#[test]
fn a_rule_denies_every_attack_that_it_does_not_allow_on_purpose() {
    let policy = policy(POLICY);
    let maps = on(&policy, "maps");
    assert_eq!(maps.denies_harmless, None);
    assert_eq!(maps.source.as_deref(), Some("https://agents.maps.example/.well-known/agent-card.json"));
    let expected = [
        ("unsigned", "denied sig.absent"),
        ("tampered", "denied sig.invalid"),
        ("unknown-key", "denied sig.unknown-key"),
        ("key-out-of-scope", "every key of the policy may speak for the source"),
        ("one-key-twice", "the rule needs no more than one key"),
        ("algorithm", "the rule allows every algorithm"),
        ("too-old", "the rule has no `max-age`"),
        ("stale-signature", "the rule reports it: `signatures.stale`"),
        ("other-source", "denied origin.no-rule"),
        ("other-kind", "the rule takes cards of every kind"),
        ("other-tenant", "the rule is for every tenant"),
        ("other-use", "the rule is for every use"),
        ("foreign-interface", "denied iface.none-left iface.host-not-allowed iface.path-not-allowed"),
        ("userinfo", "denied iface.none-left url.userinfo"),
        ("backslash", "denied iface.none-left url.backslash"),
        ("metadata-address", "denied iface.none-left url.metadata-address"),
        ("private-address", "denied iface.none-left url.private-address iface.path-not-allowed"),
        ("http", "denied iface.none-left iface.scheme-not-allowed iface.path-not-allowed"),
        ("version-0.3", "the exception `EX-1` waives `iface.version-not-allowed`"),
        ("anonymous", "denied auth.anonymous"),
        ("undefined-scheme", "denied auth.undefined-scheme"),
        ("unsatisfiable", "the rule does not say what the client can satisfy: `auth.schemes`"),
        ("token-url", "denied auth.host-not-allowed"),
        ("denied-host", "denied origin.denied"),
        ("denied-extension", "denied ext.denied"),
    ];
    for (found, expected) in answers(&maps).into_iter().zip(expected) {
        assert_eq!((found.0, found.1.as_str()), expected);
    }
    assert_eq!(maps.trials.len(), expected.len());
}

#[test]
fn a_rule_with_every_demand_leaves_nothing_untried() {
    let policy = policy(POLICY);
    for (attack, expected) in [
        ("one-key-twice", "denied sig.threshold"),
        ("algorithm", "denied sig.algorithm-not-allowed"),
        ("too-old", "denied fresh.too-old"),
        ("stale-signature", "denied sig.stale"),
        ("other-kind", "denied origin.no-rule"),
        ("other-tenant", "denied tenant.not-approved"),
        ("other-use", "denied use.not-approved"),
        ("unsatisfiable", "denied auth.unsatisfiable"),
        ("version-0.3", "denied iface.none-left iface.version-not-allowed"),
    ] {
        assert_eq!(answer(&policy, "both", attack), expected, "{attack}");
    }
}

#[test]
fn a_key_of_another_source_counts_for_nothing() {
    let policy = policy(
        &POLICY
            .replace(
                "\"https://agents.maps.example\", \"https://both.maps.example\", \"https://other.example\"",
                "\"https://other.example\"",
            )
            .replace("keys = [\"one\", \"two\"], min = 2", "keys = [\"one\", \"two\"], min = 1"),
    );
    assert_eq!(answer(&policy, "maps", "key-out-of-scope"), "denied sig.key-out-of-scope");
}

#[test]
fn what_a_rule_allows_on_purpose_is_named_and_not_tried() {
    let alone = POLICY.split("[[allow]]").next().unwrap();
    for (terms, attack, expected) in [
        (
            "signatures = { level = \"if-present\", reason = \"r\", until = 2026-12-31 }",
            "unsigned",
            "the rule says `signatures.level = \"if-present\"`",
        ),
        (
            "signatures = { level = \"off\", reason = \"r\", until = 2026-12-31 }",
            "tampered",
            "the rule says `signatures.level = \"off\"`",
        ),
        (
            "interfaces.any-host = { reason = \"r\", until = 2026-12-31 }",
            "foreign-interface",
            "the rule allows every public host: `interfaces.any-host`",
        ),
        ("interfaces.schemes = [\"https\", \"http\"]", "http", "the rule allows http: `interfaces.schemes`"),
        (
            "interfaces.versions = [\"1.0\", \"0.3\"]",
            "version-0.3",
            "the rule allows version 0.3: `interfaces.versions`",
        ),
        (
            "interfaces.networks = [\"10.0.0.0/8\", \"192.168.0.0/16\", \"fd00::/8\"]",
            "private-address",
            "the rule allows private networks: `interfaces.networks`",
        ),
        ("auth.anonymous = \"report\"", "anonymous", "the rule says `auth.anonymous = \"report\"`"),
    ] {
        let policy =
            policy(&format!("{alone}[[allow]]\nid = \"r\"\nfrom = [\"agents.maps.example\"]\n{terms}\n"));
        assert_eq!(answer(&policy, "r", attack), expected, "{terms}");
    }
}

#[test]
fn a_host_of_the_attacker_in_the_policy_lets_the_attack_in() {
    let alone = POLICY.split("[[allow]]").next().unwrap();
    let rule = "[[allow]]\nid = \"r\"\nfrom = [\"agents.maps.example\"]";
    for (terms, attack) in [
        ("interfaces.hosts = [\"agents.maps.example\", \"*.attacker.example\"]", "foreign-interface"),
        ("auth.hosts = [\"**.attacker.example\"]", "token-url"),
    ] {
        let good = policy(&format!("{alone}{rule}\n"));
        assert!(answer(&good, "r", attack).starts_with("denied "), "{attack}");
        let bad = policy(&format!("{alone}{rule}\n{terms}\n"));
        assert_eq!(answer(&bad, "r", attack), "ADMITTED", "{attack}");
    }
}

#[test]
fn a_weaker_level_that_has_ended_is_none() {
    let alone = POLICY.split("[[allow]]").next().unwrap();
    let terms = "signatures = { level = \"if-present\", reason = \"r\", until = 2026-09-30 }";
    let policy =
        policy(&format!("{alone}[[allow]]\nid = \"r\"\nfrom = [\"agents.maps.example\"]\n{terms}\n"));
    assert_eq!(answer(&policy, "r", "unsigned"), "denied sig.absent");
}

#[test]
fn audit_enforces_integrity_only() {
    let alone = POLICY.split("[[allow]]").next().unwrap();
    let mode = "mode = { audit = true, reason = \"r\", until = 2026-12-31 }";
    let policy = policy(&format!("{alone}[[allow]]\nid = \"r\"\nfrom = [\"agents.maps.example\"]\n{mode}\n"));
    assert_eq!(answer(&policy, "r", "unsigned"), "denied sig.absent not enforced");
    assert_eq!(answer(&policy, "r", "tampered"), "denied sig.invalid");
}

#[test]
fn a_rule_that_admits_no_card_is_told() {
    let alone = POLICY.split("[[allow]]").next().unwrap();
    let policy = policy(&format!(
        "{alone}[[allow]]\nid = \"r\"\nfrom = [\"agents.maps.example\"]\npin = {{ first-use = \"review\" }}\n"
    ));
    let attacks = on(&policy, "r");
    let codes: Vec<_> = attacks.denies_harmless.unwrap().iter().map(|code| code.name()).collect();
    assert_eq!((codes, attacks.trials.len()), (vec!["pin.first-use"], 0));
}

#[test]
fn what_the_program_holds_is_listed_once() {
    let mut names: Vec<_> = HeldByProgram::ALL.iter().map(|held| held.what).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), HeldByProgram::ALL.len());
}
