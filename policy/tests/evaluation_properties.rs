//! What holds for every policy, card and request: rules only ever narrow, audit only ever reports, order means nothing.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed expectation must stop the test")]

use std::fmt::Write as _;
use std::sync::LazyLock;

use countersign_keys::{Algorithm, SigningKey, Thumbprint};
use countersign_policy::{
    AdmissionRequest, AlternativeFacts, CardFacts, Decision, ExtensionFacts, InterfaceFacts, Outcome,
    SchemeFacts, SignatureFacts, SignatureState, Source, Tool, TrustPolicy, UnixTime, UrlFacts, VersionFacts,
    is_integrity,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const NOW: UnixTime = UnixTime::from_seconds(1_800_000_000);

const TOOL: Tool =
    Tool { version: "0.1.0", forms: &["a2a-1.0", "sdk-1.x"], default_forms: &["a2a-1.0", "sdk-1.x"] };

/// Each rule has a `from` of its own, so no two rules are equally specific.
const FROM: [&str; 5] =
    ["a.example.com", "b.example.com", "*.example.com", "**.example.com", "**.other.test"];

const SOURCES: [&str; 5] =
    ["a.example.com", "b.example.com", "c.example.com", "x.y.example.com", "w.other.test"];

const HOSTS: [&str; 7] = [
    "a.example.com",
    "b.example.com",
    "*.example.com",
    "**.other.test",
    "10.0.0.1",
    "evil.test:8443",
    "*source",
];

const URLS: [&str; 12] = [
    "https://a.example.com/a2a",
    "https://b.example.com/",
    "https://w.other.test/x",
    "https://evil.test:8443/",
    "https://evil.test/",
    "http://a.example.com/",
    "https://10.0.0.1/",
    "https://169.254.169.254/",
    "https://a.example.com@evil.test/",
    "a.example.com:443",
    "",
    "https://a.example.com/?q=1",
];

const GOOD_URL: &str = "https://a.example.com/a2a";

const KEYS: [&str; 3] = ["one", "two", "three"];

/// Public keys of the policies, with their thumbprints.
static JWKS: LazyLock<Vec<(String, Thumbprint)>> = LazyLock::new(|| {
    let make = |_| {
        let key = SigningKey::generate(Algorithm::Ed25519).unwrap();
        let public = key.verifying_key().to_jwk(None, None).unwrap().to_string();
        let members: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&public).unwrap();
        let members: Vec<String> = members.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        (members.join(", "), key.verifying_key().thumbprint())
    };
    (0..KEYS.len()).map(make).collect()
});

#[derive(Clone, Debug)]
struct Allow {
    from: &'static str,
    tenants: Vec<&'static str>,
    level: &'static str,
    keys: Vec<&'static str>,
    hosts: Vec<&'static str>,
    versions: Vec<&'static str>,
    bindings: Vec<&'static str>,
    algorithms: Vec<&'static str>,
    auth_schemes: Vec<&'static str>,
    auth_hosts: Vec<&'static str>,
    anonymous: &'static str,
    other: &'static str,
    audit: bool,
}

#[derive(Clone, Debug)]
struct Deny {
    hosts: Vec<&'static str>,
    extensions: Vec<&'static str>,
}

#[derive(Clone, Debug)]
struct Policy {
    allows: Vec<Allow>,
    denies: Vec<Deny>,
    /// Whether the first rule has an exception for the version of its interfaces.
    excepts: bool,
}

#[derive(Clone, Debug)]
struct Card {
    signatures: Vec<(usize, SignatureState, &'static str)>,
    interfaces: Vec<(&'static str, &'static str, Option<&'static str>)>,
    anonymous: bool,
    scheme: Option<(&'static str, &'static str)>,
    extensions: Vec<(&'static str, bool)>,
    icon: Option<&'static str>,
}

impl Policy {
    fn text(&self) -> String {
        let mut text = "schema = 1\n".to_owned();
        for (id, (jwk, _)) in KEYS.iter().zip(JWKS.iter()) {
            let origins =
                if *id == "three" { "\"**.other.test\"" } else { "\"**.example.com\", \"**.other.test\"" };
            writeln!(text, "[[key]]\nid = \"{id}\"\njwk = {{ {jwk} }}\norigins = [{origins}]").unwrap();
        }
        for (index, deny) in self.denies.iter().enumerate() {
            writeln!(text, "[[deny]]\nid = \"d{index}\"\nreason = \"r\"").unwrap();
            for (name, list) in [("hosts", &deny.hosts), ("extensions", &deny.extensions)] {
                if !list.is_empty() {
                    writeln!(text, "{name} = {list:?}").unwrap();
                }
            }
        }
        for allow in &self.allows {
            text.push_str(&allow.text());
        }
        if let Some(first) = self.allows.first().filter(|_| self.excepts) {
            writeln!(
                text,
                "[[exception]]\nid = \"e\"\nrule = \"{}\"\norigin = \"https://a.example.com\"\nwaives = [\"iface.version-not-allowed\"]\n\
                 reason = \"r\"\nowner = \"o\"\nuntil = 2099-12-31",
                first.from
            )
            .unwrap();
        }
        text
    }

    fn load(&self) -> TrustPolicy {
        TrustPolicy::read(&self.text(), "policy.toml", &TOOL)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.text()))
    }
}

impl Allow {
    fn text(&self) -> String {
        let mut text = format!("[[allow]]\nid = \"{0}\"\nfrom = [\"{0}\"]\n", self.from);
        if !self.tenants.is_empty() {
            writeln!(text, "tenants = {:?}", self.tenants).unwrap();
        }
        if self.audit {
            text.push_str("mode = { audit = true, reason = \"r\", until = 2099-12-31 }\n");
        }
        match self.level {
            "require" => text.push_str("signatures.level = \"require\"\n"),
            level => {
                writeln!(
                    text,
                    "signatures.level = \"{level}\"\nsignatures.reason = \"r\"\nsignatures.until = 2099-12-31"
                )
                .unwrap();
            }
        }
        writeln!(text, "signatures.require = {{ keys = {:?}, min = 1 }}", self.keys).unwrap();
        writeln!(text, "signatures.algorithms = {:?}", self.algorithms).unwrap();
        writeln!(text, "interfaces.hosts = {:?}", self.hosts).unwrap();
        writeln!(text, "interfaces.versions = {:?}", self.versions).unwrap();
        writeln!(text, "interfaces.bindings = {:?}", self.bindings).unwrap();
        writeln!(text, "interfaces.other = \"{}\"", self.other).unwrap();
        writeln!(text, "auth.anonymous = \"{}\"\nauth.schemes = {:?}", self.anonymous, self.auth_schemes)
            .unwrap();
        if !self.auth_hosts.is_empty() {
            writeln!(text, "auth.hosts = {:?}", self.auth_hosts).unwrap();
        }
        text
    }

    /// The lists that may be narrowed; each keeps one entry at least.
    fn lists(&mut self) -> [&mut Vec<&'static str>; 6] {
        [
            &mut self.hosts,
            &mut self.versions,
            &mut self.bindings,
            &mut self.algorithms,
            &mut self.auth_schemes,
            &mut self.keys,
        ]
    }
}

impl Card {
    fn facts(&self) -> CardFacts<'_> {
        let mut facts = CardFacts::default();
        for (index, (key, state, alg)) in self.signatures.iter().enumerate() {
            let mut signature = SignatureFacts::new(index, *state);
            if *state == SignatureState::Verified {
                signature.thumbprint = JWKS.get(*key).map(|(_, thumbprint)| *thumbprint);
            } else {
                signature.faults.push(countersign_policy::FactFault {
                    code: countersign_keys::codes::SIG_INVALID,
                    message: "it is wrong".to_owned(),
                    pointer: None,
                });
            }
            signature.alg = Some((*alg).to_owned());
            signature.algorithm = Algorithm::from_name(alg);
            facts.signatures.push(signature);
        }
        for (index, (url, binding, version)) in self.interfaces.iter().enumerate() {
            let pointer = format!("/supportedInterfaces/{index}");
            let pointers = ["", "/url", "/protocolBinding", "/protocolVersion"]
                .map(|end| format!("{pointer}{end}").into());
            let mut interface = InterfaceFacts::new(index, pointers);
            interface.url = Some(*url).filter(|url| !url.is_empty());
            interface.binding = Some(*binding);
            interface.version = match version.map(countersign_policy::ProtocolVersion::from_card) {
                None => VersionFacts::Absent,
                Some(Ok(version)) => VersionFacts::Known(version.version),
                Some(Err(_)) => VersionFacts::Unrecognized(*version),
            };
            facts.interfaces.push(interface);
        }
        facts.auth.allows_anonymous = self.anonymous || self.scheme.is_none();
        if let Some((kind, url)) = self.scheme {
            facts.auth.alternatives.push(AlternativeFacts::of("/securityRequirements/0".into(), vec!["s"]));
            let mut scheme = SchemeFacts::new("s", "/securitySchemes/s".into(), vec![kind.into()]);
            scheme.credential_urls.push(UrlFacts { pointer: "/securitySchemes/s/url".into(), url });
            facts.auth.schemes.push(scheme);
        }
        for (uri, is_required) in &self.extensions {
            facts.extensions.push(ExtensionFacts { pointer: "/e".into(), uri, is_required: *is_required });
        }
        facts.information_urls =
            self.icon.iter().map(|url| UrlFacts { pointer: "/iconUrl".into(), url }).collect();
        facts
    }
}

fn some(of: &'static [&'static str], least: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop_oneof![3 => Just(of.to_vec()), 1 => subsequence(of, least..=of.len())]
}

fn allow(from: &'static str) -> impl Strategy<Value = Allow> {
    let requirements = (
        prop_oneof![3 => Just(Vec::new()), 1 => some(&["t1", "t2"], 0)],
        select(vec!["require", "if-present", "off"]),
        some(&KEYS, 1),
        some(&HOSTS, 1),
        some(&["0.3", "1.0", ">=1.1, <2.0"], 1),
        some(&["JSONRPC", "GRPC", "HTTP+JSON"], 1),
    );
    let rest = (
        some(&["EdDSA", "ES256"], 1),
        some(&["http:bearer", "oauth2:client_credentials"], 1),
        some(&["login.example.com", "evil.test"], 0),
        select(vec!["allow", "report", "report", "deny"]),
        select(vec!["drop", "deny-card"]),
        any::<bool>(),
    );
    (requirements, rest).prop_map(
        move |(
            (tenants, level, keys, hosts, versions, bindings),
            (algorithms, auth_schemes, auth_hosts, anonymous, other, audit),
        )| Allow {
            from,
            tenants,
            level,
            // A key that may not speak for the source would be a mistake of the policy.
            keys: if from.ends_with("other.test") {
                keys
            } else {
                keys.into_iter()
                    .map(|key| if key == "three" { "one" } else { key })
                    .collect::<std::collections::BTreeSet<_>>()
                    .into_iter()
                    .collect()
            },
            hosts,
            versions,
            bindings,
            algorithms,
            auth_schemes,
            auth_hosts,
            anonymous,
            other,
            audit,
        },
    )
}

fn deny() -> impl Strategy<Value = Deny> {
    (
        some(&["evil.test", "**.other.test", "b.example.com", "10.0.0.1"], 1),
        some(&["https://x.example/ext"], 0),
    )
        .prop_map(|(hosts, extensions)| Deny { hosts, extensions })
}

fn policy() -> impl Strategy<Value = Policy> {
    let allows = subsequence(&FROM[..], 1..=FROM.len())
        .prop_flat_map(|from| from.into_iter().map(allow).collect::<Vec<_>>());
    (allows, prop_oneof![2 => Just(Vec::new()), 1 => prop::collection::vec(deny(), 1..3)], any::<bool>())
        .prop_map(|(allows, denies, excepts)| Policy { allows, denies, excepts })
}

fn card() -> impl Strategy<Value = Card> {
    let state = select(vec![SignatureState::Verified, SignatureState::Verified, SignatureState::Invalid]);
    let good = Just((0, SignatureState::Verified, "EdDSA"));
    let signature = prop_oneof![3 => good, 1 => (0..KEYS.len(), state, select(vec!["EdDSA", "ES256"]))];
    let version = select(vec![Some("1.0"), Some("1.0"), Some("0.3"), Some("v1"), None]);
    let any_interface = (select(URLS.to_vec()), select(vec!["JSONRPC", "GRPC", "jsonrpc"]), version);
    let interface = prop_oneof![2 => Just((GOOD_URL, "JSONRPC", Some("1.0"))), 1 => any_interface];
    (
        prop::collection::vec(signature, 0..4),
        prop::collection::vec(interface, 0..5),
        any::<bool>(),
        prop::option::weighted(
            0.2,
            (
                select(vec!["http:bearer", "oauth2:client_credentials", "apikey:query"]),
                select(vec![
                    "https://login.example.com/t",
                    "https://evil.test/t",
                    "http://a.example.com/t",
                    "no url",
                ]),
            ),
        ),
        prop::collection::vec((Just("https://x.example/ext"), any::<bool>()), 0..2),
        prop::option::weighted(
            0.2,
            select(vec!["https://evil.test/icon", "https://example.com/icon", "javascript:1"]),
        ),
    )
        .prop_map(|(signatures, interfaces, anonymous, scheme, extensions, icon)| Card {
            signatures,
            interfaces,
            anonymous,
            scheme,
            extensions,
            icon,
        })
}

fn request() -> impl Strategy<Value = AdmissionRequest> {
    let host = prop_oneof![2 => Just("a.example.com"), 1 => select(SOURCES.to_vec())];
    (host, select(vec![None, Some("t1"), Some("t3")])).prop_map(|(host, tenant)| {
        let source = Source::at(&format!("https://{host}/.well-known/agent-card.json")).unwrap();
        let mut request = AdmissionRequest::new(source);
        request.tenant = tenant.map(str::to_owned);
        request
    })
}

fn decide(policy: &Policy, card: &Card, request: &AdmissionRequest) -> Decision {
    policy.load().evaluate(request, &card.facts(), NOW)
}

fn url_set(decision: &Decision) -> Vec<String> {
    let usable = decision
        .interfaces
        .iter()
        .filter(|interface| interface.outcome == countersign_policy::InterfaceOutcome::Admitted);
    usable.filter_map(|interface| interface.claimed_text().map(str::to_owned)).collect()
}

/// What does not depend on where anything is written.
fn essence(decision: &Decision) -> String {
    let codes: Vec<_> = decision.codes().iter().map(|code| code.name()).collect();
    let waived: Vec<_> = decision.waived.iter().map(|waived| waived.reason.code.name()).collect();
    format!(
        "{} {} {codes:?} {waived:?} {:?} {:?} {:?} {}",
        decision.outcome.name(),
        decision.enforced,
        decision.rule,
        url_set(decision),
        decision.policy.digest,
        decision.expires_at
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn a_deny_rule_more_never_turns_a_no_into_a_yes(policy in policy(), more in deny(), card in card(), request in request()) {
        let before = decide(&policy, &card, &request);
        let mut wider = policy.clone();
        wider.denies.push(more);
        let after = decide(&wider, &card, &request);
        prop_assert!(!(before.outcome == Outcome::Deny && after.outcome == Outcome::Admit));
        prop_assert!(before.lets_pass() || !after.lets_pass());
    }

    #[test]
    fn an_allow_rule_less_never_admits_more_from_a_source_of_no_other(policy in policy(), card in card(), request in request()) {
        let rules = policy.load();
        let before = rules.evaluate(&request, &card.facts(), NOW);
        for gone in 0..policy.allows.len() {
            let mut fewer = policy.clone();
            let rule = fewer.allows.remove(gone);
            fewer.excepts = false;
            let after = decide(&fewer, &card, &request);
            let covers = |other: &Allow| rules.why_not(other.from, &request).is_some_and(|why| !matches!(why, countersign_policy::WhyNot::Source(_)));
            if !fewer.allows.iter().any(covers) {
                prop_assert!(after.outcome == Outcome::Deny, "{} less: {after:?}", rule.from);
            } else if !covers(&rule) && !policy.excepts {
                prop_assert_eq!(before.outcome, after.outcome);
            }
        }
    }

    #[test]
    fn a_narrower_list_never_admits_more(policy in policy(), card in card(), request in request(), list in 0_usize..6, entry in 0_usize..8) {
        let before = decide(&policy, &card, &request);
        for index in 0..policy.allows.len() {
            let mut narrower = policy.clone();
            let rule = narrower.allows.get_mut(index).unwrap();
            let is_if_present = rule.level == "if-present";
            let [hosts, versions, bindings, algorithms, schemes, keys] = rule.lists();
            let narrowed = [hosts, versions, bindings, algorithms, schemes, keys].into_iter().nth(list).unwrap();
            if narrowed.len() < 2 {
                continue;
            }
            narrowed.remove(entry % narrowed.len());
            let after = decide(&narrower, &card, &request);
            prop_assert!(!(before.outcome == Outcome::Deny && after.outcome == Outcome::Admit), "if present: {is_if_present}");
            let was_usable = url_set(&before);
            prop_assert!(url_set(&after).iter().all(|url| was_usable.contains(url)));
        }
    }

    #[test]
    fn audit_changes_what_is_enforced_and_nothing_else(policy in policy(), card in card(), request in request()) {
        let with = |audit: bool| {
            let mut policy = policy.clone();
            policy.allows.iter_mut().for_each(|rule| rule.audit = audit);
            decide(&policy, &card, &request)
        };
        let (audited, enforced) = (with(true), with(false));
        prop_assert_eq!(audited.outcome, enforced.outcome);
        prop_assert_eq!(audited.codes(), enforced.codes());
        prop_assert!(enforced.enforced);
        if audited.codes().into_iter().any(is_integrity) {
            prop_assert!(audited.enforced);
        }
        prop_assert_eq!(url_set(&audited), url_set(&enforced));
    }

    #[test]
    fn the_order_of_the_rules_means_nothing(policy in policy(), card in card(), request in request(), turn in 0_usize..5) {
        let mut turned = policy.clone();
        turned.allows.reverse();
        let by = turn % turned.allows.len();
        turned.allows.rotate_left(by);
        turned.denies.reverse();
        // The exception names the first rule.
        prop_assume!(!policy.excepts);
        // Deny rules are told by number here.
        prop_assume!(policy.denies.len() < 2);
        prop_assert_eq!(essence(&decide(&policy, &card, &request)), essence(&decide(&turned, &card, &request)));
    }

    #[test]
    fn an_admission_has_an_interface_and_no_reason(policy in policy(), card in card(), request in request()) {
        let decision = decide(&policy, &card, &request);
        prop_assert_eq!(decision.outcome == Outcome::Admit, decision.reasons.is_empty());
        if decision.outcome == Outcome::Admit {
            prop_assert!(!url_set(&decision).is_empty());
            prop_assert!(decision.rule.is_some());
            prop_assert!(url_set(&decision).iter().all(|url| !url.contains("169.254") && !url.contains('@')));
        }
        prop_assert!(decision.expires_at >= decision.evaluated_at);
    }
}

#[test]
fn the_properties_see_both_answers() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let strategy = (policy(), card(), request());
    let mut admitted = 0;
    for _ in 0..400 {
        let (policy, card, request) = strategy.new_tree(&mut runner).unwrap().current();
        admitted += usize::from(decide(&policy, &card, &request).outcome == Outcome::Admit);
    }
    assert!((40..360).contains(&admitted), "{admitted} of 400 admitted");
}
