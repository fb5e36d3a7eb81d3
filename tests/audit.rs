//! What is kept of a decision: every answer has a record, and no text of a card is in it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[path = "support/agent.rs"]
mod agent;

use std::fmt;
use std::sync::{Arc, Mutex};

use agent::{changed, entry, read, with_entries};
use countersign::{
    AdmissionRequest, AuditRecord, CacheState, Decision, Form, Outcome, Source, TOOL, TrustPolicy, UnixTime,
    UntrustedCard,
};
use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

const NOW: UnixTime = UnixTime::from_seconds(1_790_856_000);

fn policy() -> TrustPolicy {
    let key = agent::key(1).verifying_key().to_jwk(None, None).unwrap();
    let x = key.split("\"x\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let text = format!(
        "schema = 1\nname = \"house\"\n\
         [[key]]\nid = \"own\"\norigins = [\"https://agent.example.com\"]\n\
         jwk = {{ kty = \"OKP\", crv = \"Ed25519\", x = \"{x}\" }}\n\
         [[allow]]\nid = \"agents\"\nfrom = [\"https://agent.example.com\"]\ntenants = [\"*\"]\n"
    );
    TrustPolicy::read(&text, "policy.toml", &TOOL).unwrap()
}

fn decide(card: &UntrustedCard) -> Decision {
    let source = Source::at("https://agent.example.com/.well-known/agent-card.json").unwrap();
    let mut request = AdmissionRequest::new(source);
    request.tenant = Some("t".repeat(1_000));
    card.decide(&policy(), &request, &[], NOW)
}

fn signed() -> UntrustedCard {
    let card = agent::card();
    let header = r#"{"alg":"EdDSA","typ":"JOSE","kid":"own"}"#;
    with_entries(&card, [entry(&card, Form::A2a10, header, 1)])
}

/// A card whose every text that a publisher is free in says the same.
fn shouting() -> UntrustedCard {
    let card = changed(|card| {
        for member in ["name", "description", "version"] {
            card[member] = "SHOUT".into();
        }
        card["supportedInterfaces"][0]["url"] = "https://SHOUT.example/SHOUT".into();
        card["supportedInterfaces"][0]["protocolBinding"] = "SHOUT".into();
        card["supportedInterfaces"][0]["tenant"] = "SHOUT".into();
        card["provider"]["organization"] = "SHOUT".into();
        card["SHOUT"] = "SHOUT".into();
        card["capabilities"]["extensions"] = serde_json::json!([{"uri": "SHOUT", "required": true}]);
        card["skills"][0]["id"] = "SHOUT".into();
    });
    let header = r#"{"alg":"EdDSA","typ":"JOSE","kid":"SHOUT"}"#;
    with_entries(&card, [entry(&card, Form::A2a10, header, 2)])
}

#[test]
fn an_admission_names_rule_key_and_digests() {
    let record = AuditRecord::of(&decide(&signed()), CacheState::Miss, NOW);
    assert_eq!((record.outcome, record.enforced, record.mode), (Outcome::Admit, true, "enforce"));
    assert_eq!(record.keys, ["own"]);
    let line: Value = serde_json::from_str(&record.to_json()).unwrap();
    assert_eq!(line["schema"], "countersign.audit/1");
    assert_eq!(line["rule"], "agents");
    assert_eq!(line["cache"], "miss");
    assert_eq!(line["card_sha256"].as_str().unwrap().len(), 64);
    assert_eq!(line["policy"], policy().digest());
    assert_eq!(line["tenant"].as_str().unwrap().len(), 128);
    assert!(!record.to_json().contains('\n'));
}

#[test]
fn no_text_of_the_card_is_in_a_record() {
    let decision = decide(&shouting());
    assert_eq!(decision.outcome, Outcome::Deny);
    assert!(decision.reasons.iter().any(|reason| reason.message.contains("SHOUT")));
    let line = AuditRecord::of(&decision, CacheState::Off, NOW).to_json();
    assert!(!line.to_ascii_lowercase().contains("shout"), "{line}");
}

#[test]
fn one_answer_has_one_id() {
    let of =
        |card: &UntrustedCard, state| AuditRecord::of(&decide(card), state, NOW.saturating_add_seconds(5)).id;
    let first = of(&signed(), CacheState::Miss);
    assert_eq!(first.len(), 32);
    assert_eq!(of(&signed(), CacheState::Hit), first);
    assert_ne!(of(&read(&agent::card()), CacheState::Miss), first);
}

/// Collects levels, targets and fields of events.
#[derive(Clone, Default)]
struct Collector {
    lines: Arc<Mutex<Vec<String>>>,
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}

impl Subscriber for Collector {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut line = Line(format!("{} {}", event.metadata().level(), event.metadata().target()));
        event.record(&mut line);
        self.lines.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn an_enforced_denial_is_a_warning_and_an_admission_is_not() {
    let collector = Collector::default();
    tracing::subscriber::with_default(collector.clone(), || {
        AuditRecord::of(&decide(&signed()), CacheState::Hit, NOW).emit();
        AuditRecord::of(&decide(&shouting()), CacheState::Miss, NOW).emit();
    });
    let lines = collector.lines.lock().unwrap();
    let [admitted, denied] = lines.as_slice() else { panic!("two events: {lines:?}") };
    assert!(admitted.starts_with(&format!("{} countersign::admission", Level::INFO)), "{admitted}");
    assert!(admitted.contains("outcome=\"admit\"") && admitted.contains("cache=\"hit\""), "{admitted}");
    assert!(denied.starts_with(&format!("{} countersign::admission", Level::WARN)), "{denied}");
    assert!(denied.contains("codes=\"") && !denied.to_ascii_lowercase().contains("shout"), "{denied}");
}
