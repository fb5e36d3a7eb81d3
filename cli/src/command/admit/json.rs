//! The decision as a document.

use std::collections::BTreeMap;

use countersign::policy::{
    CardIdentity, Grace, InterfaceVerdict, LazyDigest, NearMiss, PUBLIC_SUFFIX_LIST, PolicyIdentity,
    PolicyPlace, SignatureVerdict, Subject, TraceStep, UncoveredFacts, Waived,
};
use countersign::{CacheState, Code, Reason};
use serde::{Serialize, Serializer};

use super::explanation::{self, ExplanationJson};
use super::fetched::Fetching;
use super::pins::{self, PinsJson};
use super::{Answer, Selected, Unread, names};
use crate::command::verify::DiagnosisJson;
use crate::output::FindingJson;

const SCHEMA: &str = "countersign.decision/1";

/// Text of a value that has one.
struct Text<T>(T);

impl<T: std::fmt::Display> Serialize for Text<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[derive(Serialize)]
pub(super) struct DecisionJson<'d> {
    schema: &'static str,
    input: &'d str,
    outcome: &'static str,
    enforced: bool,
    codes: Vec<&'static str>,
    reasons: Vec<ReasonJson<'d>>,
    waived: Vec<WaivedJson<'d>>,
    audit: Option<AuditJson<'d>>,
    rule: Option<&'d str>,
    subject: SubjectJson<'d>,
    card: CardJson<'d>,
    signature_level: Option<&'static str>,
    signatures: Vec<SignatureJson<'d>>,
    interfaces: Vec<InterfaceJson<'d>>,
    selected: Option<SelectedJson<'d>>,
    uncovered: Vec<UncoveredJson<'d>>,
    credentials: BTreeMap<&'d str, &'d str>,
    findings: Vec<FindingJson<'d>>,
    trace: Vec<StepJson<'d>>,
    not_checked: &'d [&'static str],
    #[serde(skip_serializing_if = "Option::is_none")]
    pins: Option<PinsJson<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<ExplanationJson<'d>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnosis: Vec<DiagnosisJson<'d>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why_not: Option<&'d str>,
    policy: PolicyJson<'d>,
    keys: KeysJson,
    psl: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    fetched: Option<FetchedJson<'d>>,
    cache: &'static str,
    evaluated_at: String,
    expires_at: String,
}

#[derive(Serialize)]
struct ReasonJson<'d> {
    code: &'static str,
    message: &'d str,
    pointer: Option<&'d str>,
    value: Option<&'d str>,
    span: Option<Text<&'d PolicyPlace>>,
    nearest: Option<NearestJson<'d>>,
}

#[derive(Serialize)]
struct NearestJson<'d> {
    pattern: &'d str,
    span: Text<&'d PolicyPlace>,
    why: &'d str,
}

#[derive(Serialize)]
struct WaivedJson<'d> {
    exception: &'d str,
    #[serde(flatten)]
    reason: ReasonJson<'d>,
}

#[derive(Serialize)]
struct AuditJson<'d> {
    reason: &'d str,
    until: String,
}

#[derive(Serialize)]
struct SubjectJson<'d> {
    url: &'d str,
    source: String,
    tenant: Option<&'d str>,
    #[serde(rename = "use")]
    purpose: Option<&'d str>,
}

#[derive(Default, Serialize)]
struct CardJson<'d> {
    sha256: Option<String>,
    payload_sha256: Option<String>,
    name: Option<&'d str>,
    version: Option<&'d str>,
}

#[derive(Serialize)]
struct SignatureJson<'d> {
    index: usize,
    endorsement: Option<&'d str>,
    kid: Option<&'d str>,
    alg: Option<&'d str>,
    outcome: &'static str,
    codes: Vec<&'static str>,
    reasons: Vec<ReasonJson<'d>>,
    key: Option<&'d str>,
    form: Option<&'static str>,
    counts: bool,
}

#[derive(Serialize)]
struct InterfaceJson<'d> {
    index: usize,
    pointer: String,
    version: Option<String>,
    binding: Option<&'d str>,
    url: Option<&'d str>,
    tenant: Option<&'d str>,
    outcome: &'static str,
    codes: Vec<&'static str>,
    host: Option<String>,
    /// The pattern that comes nearest.
    nearest: Option<&'d str>,
    reasons: Vec<ReasonJson<'d>>,
}

#[derive(Serialize)]
struct SelectedJson<'d> {
    index: usize,
    version: String,
    binding: &'d str,
    url: &'d str,
    tenant: Option<&'d str>,
    a2a_version: Option<String>,
    media_type: Option<&'static str>,
    because: Option<&'static str>,
}

#[derive(Serialize)]
struct UncoveredJson<'d> {
    pointer: &'d str,
    class: &'static str,
}

/// How the card was had.
#[derive(Serialize)]
struct FetchedJson<'d> {
    url: &'d str,
    how: &'static str,
    fresh_until: String,
    etag: Option<&'d str>,
    content_type: Option<&'d str>,
}

impl<'d> FetchedJson<'d> {
    fn of(fetching: &Fetching<'d>) -> Self {
        Self {
            url: fetching.url,
            how: fetching.how,
            fresh_until: fetching.fresh_until.to_string(),
            etag: fetching.etag,
            content_type: fetching.content_type,
        }
    }
}

#[derive(Serialize)]
struct StepJson<'d> {
    step: &'static str,
    considered: &'d [String],
    picked: Option<&'d str>,
    why: &'d str,
    span: Option<Text<&'d PolicyPlace>>,
}

#[derive(Serialize)]
struct PolicyJson<'d> {
    name: Option<&'d str>,
    digest: &'d str,
}

#[derive(Serialize)]
struct KeysJson {
    epoch: String,
}

pub(super) fn decision<'d>(answer: &'d Answer<'_>) -> DecisionJson<'d> {
    let decision = answer.decision;
    DecisionJson {
        schema: SCHEMA,
        input: &answer.name,
        outcome: decision.outcome.name(),
        enforced: decision.enforced,
        codes: names(&decision.codes()),
        reasons: reasons(&decision.reasons),
        waived: decision.waived.iter().map(WaivedJson::of).collect(),
        audit: decision.audit.as_ref().map(AuditJson::of),
        rule: decision.rule.as_deref(),
        subject: SubjectJson::of(&decision.subject),
        card: CardJson::of(&decision.card),
        signature_level: decision.signature_level,
        signatures: decision.signatures.iter().map(|verdict| SignatureJson::of(verdict, answer)).collect(),
        interfaces: decision.interfaces.iter().map(InterfaceJson::of).collect(),
        selected: answer.selected.as_ref().map(SelectedJson::of),
        uncovered: decision.uncovered.iter().map(UncoveredJson::of).collect(),
        credentials: decision.credentials.iter().map(|(scheme, ours)| (&**scheme, &**ours)).collect(),
        findings: decision.findings.iter().map(FindingJson::about_card).collect(),
        trace: decision.trace.iter().map(StepJson::of).collect(),
        not_checked: &decision.not_checked,
        pins: decision.pins.as_ref().map(pins::json),
        explanation: answer.asked.explanation.as_ref().map(explanation::json),
        diagnosis: answer.asked.diagnosis.iter().map(DiagnosisJson::new).collect(),
        why_not: answer.asked.why_not.as_deref(),
        policy: PolicyJson::of(&decision.policy),
        keys: KeysJson { epoch: decision.key_epoch.to_string() },
        psl: PUBLIC_SUFFIX_LIST,
        fetched: answer.fetching.as_ref().map(FetchedJson::of),
        cache: answer.cache.name(),
        evaluated_at: decision.evaluated_at.to_string(),
        expires_at: decision.expires_at.to_string(),
    }
}

/// A card that could not be read is denied, whatever the policy says.
pub(super) fn unread<'d>(unread: &'d Unread<'_>) -> DecisionJson<'d> {
    let Unread { failure, pointer, request, policy, now, .. } = unread;
    let reason = |code: Code| ReasonJson {
        code: code.name(),
        message: &failure.message,
        pointer: Some(pointer),
        value: None,
        span: None,
        nearest: None,
    };
    DecisionJson {
        schema: SCHEMA,
        input: unread.name,
        outcome: "deny",
        enforced: true,
        codes: failure.code.map(Code::name).into_iter().collect(),
        reasons: failure.code.map(reason).into_iter().collect(),
        waived: Vec::new(),
        audit: None,
        rule: None,
        subject: SubjectJson {
            url: request.source.url.raw(),
            source: request.source.kind.to_string(),
            tenant: request.tenant.as_deref(),
            purpose: request.purpose.as_deref(),
        },
        card: CardJson::default(),
        signature_level: None,
        signatures: Vec::new(),
        interfaces: Vec::new(),
        selected: None,
        uncovered: Vec::new(),
        credentials: BTreeMap::new(),
        findings: Vec::new(),
        trace: Vec::new(),
        not_checked: &[],
        pins: None,
        explanation: None,
        diagnosis: Vec::new(),
        why_not: None,
        policy: PolicyJson { name: policy.name(), digest: policy.digest() },
        keys: KeysJson { epoch: policy.key_epoch(*now).to_string() },
        psl: PUBLIC_SUFFIX_LIST,
        fetched: None,
        cache: CacheState::Off.name(),
        evaluated_at: now.to_string(),
        expires_at: now.to_string(),
    }
}

fn reasons(reasons: &[Reason]) -> Vec<ReasonJson<'_>> {
    reasons.iter().map(ReasonJson::of).collect()
}

/// Each code once, in the order of the reasons.
fn codes(reasons: &[Reason]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for reason in reasons {
        if !names.contains(&reason.code.name()) {
            names.push(reason.code.name());
        }
    }
    names
}

impl<'d> ReasonJson<'d> {
    fn of(reason: &'d Reason) -> Self {
        Self {
            code: reason.code.name(),
            message: &reason.message,
            pointer: reason.pointer.as_deref(),
            value: reason.value.as_deref(),
            span: reason.place.as_ref().map(Text),
            nearest: reason.nearest.as_ref().map(NearestJson::of),
        }
    }
}

impl<'d> NearestJson<'d> {
    fn of(nearest: &'d NearMiss) -> Self {
        Self { pattern: &nearest.pattern, span: Text(&nearest.place), why: &nearest.why }
    }
}

impl<'d> WaivedJson<'d> {
    fn of(waived: &'d Waived) -> Self {
        Self { exception: &waived.exception, reason: ReasonJson::of(&waived.reason) }
    }
}

impl<'d> AuditJson<'d> {
    fn of(audit: &'d Grace) -> Self {
        Self { reason: &audit.reason, until: audit.until.to_string() }
    }
}

impl<'d> SubjectJson<'d> {
    fn of(subject: &'d Subject) -> Self {
        Self {
            url: &subject.url,
            source: subject.source.to_string(),
            tenant: subject.tenant.as_deref(),
            purpose: subject.purpose.as_deref(),
        }
    }
}

impl<'d> CardJson<'d> {
    fn of(card: &'d CardIdentity) -> Self {
        Self {
            sha256: card.sha256.as_ref().map(LazyDigest::to_hex),
            payload_sha256: card.payload_sha256.as_ref().map(LazyDigest::to_hex),
            name: card.name.as_deref(),
            version: card.version.as_deref(),
        }
    }
}

impl<'d> SignatureJson<'d> {
    fn of(verdict: &'d SignatureVerdict, answer: &'d Answer<'_>) -> Self {
        Self {
            index: verdict.index,
            endorsement: verdict.endorsement.map(|index| answer.endorsement(index)),
            kid: verdict.kid.as_deref(),
            alg: verdict.alg.as_deref(),
            outcome: verdict.outcome.name(),
            codes: codes(&verdict.reasons),
            reasons: reasons(&verdict.reasons),
            key: verdict.key.as_deref(),
            form: verdict.form,
            counts: verdict.counts,
        }
    }
}

impl<'d> InterfaceJson<'d> {
    fn of(verdict: &'d InterfaceVerdict) -> Self {
        let nearest = verdict.reasons.iter().find_map(|reason| reason.nearest.as_ref());
        Self {
            index: verdict.index,
            pointer: String::from(&verdict.pointer),
            version: verdict.version.map(|version| version.to_string()),
            binding: verdict.binding.as_deref(),
            url: verdict.claimed_text(),
            tenant: verdict.tenant.as_deref(),
            outcome: verdict.outcome.name(),
            codes: codes(&verdict.reasons),
            host: verdict.host(),
            nearest: nearest.map(|nearest| &*nearest.pattern),
            reasons: reasons(&verdict.reasons),
        }
    }
}

impl<'d> SelectedJson<'d> {
    fn of(selected: &'d Selected<'_>) -> Self {
        let interface = selected.interface;
        Self {
            index: interface.index(),
            version: interface.version().to_string(),
            binding: interface.binding(),
            url: interface.url(),
            tenant: interface.tenant(),
            a2a_version: interface.a2a_version(),
            media_type: interface.media_type(),
            because: selected.because.map(countersign::SelectedBecause::name),
        }
    }
}

impl<'d> UncoveredJson<'d> {
    fn of(member: &'d UncoveredFacts) -> Self {
        Self { pointer: &member.pointer, class: member.class }
    }
}

impl<'d> StepJson<'d> {
    fn of(step: &'d TraceStep) -> Self {
        Self {
            step: step.step,
            considered: &step.considered,
            picked: step.picked.as_deref(),
            why: &step.why,
            span: step.place.as_ref().map(Text),
        }
    }
}

impl<'d> PolicyJson<'d> {
    fn of(policy: &'d PolicyIdentity) -> Self {
        Self { name: policy.name.as_deref(), digest: &policy.digest }
    }
}
