//! `admit` and `load-policy`: cards under a policy that the case gives in words.
//!
//! Each policy in words is a file in `policies`, with the words in its first line.

use countersign::policy::{FileFault, Files, PolicyError};
use countersign::{
    AdmissionRequest, AdmittedCard, Denied, Limits, Source, TOOL, TrustPolicy, UnixTime, UntrustedCard,
};
use libtest_mimic::Failed;
use serde_json::{Value, json};

use crate::{Check, labels};

/// 2026-10-01T12:00:00Z, when every key of the cases is valid.
const NOW: UnixTime = UnixTime::from_seconds(1_790_856_000);

const POLICIES: &str = "tests/cases/policies";

pub(crate) fn run(check: &Check) -> Result<(), Failed> {
    let policy = match policy(check) {
        Ok(policy) => policy,
        Err(error) => return unusable(check, &error),
    };
    let card = UntrustedCard::read(check.octets("card"), &Limits::default())?;
    let request = AdmissionRequest::new(Source::at(source(check))?);
    match (card.admit(&policy, &request, &[], NOW), check.text("outcome")) {
        (Ok(admitted), "accept" | "accept-or-reject") => usable(&admitted),
        (Ok(admitted), "warn") => {
            let found: Vec<_> =
                admitted.decision().findings.iter().map(|finding| finding.code.name()).collect();
            one_of(&found, check)
        }
        (Err(denied), "reject" | "accept-or-reject") => {
            let found: Vec<_> = denied.decision().codes().iter().map(|code| code.name()).collect();
            one_of(&found, check)?;
            at_the_place(&denied, check)
        }
        (Ok(_), outcome) => Err(format!("admitted, expected {outcome}").into()),
        (Err(denied), outcome) => Err(format!("expected {outcome}: {denied}").into()),
    }
}

pub(crate) fn load(check: &Check) -> Result<(), Failed> {
    match policy(check) {
        Ok(_) => Err("the policy was loaded".into()),
        Err(error) => unusable(check, &error),
    }
}

/// What is admitted can be called.
fn usable(admitted: &AdmittedCard) -> Result<(), Failed> {
    if admitted.interfaces().next().is_some() { Ok(()) } else { Err("admitted without an interface".into()) }
}

fn unusable(check: &Check, error: &PolicyError) -> Result<(), Failed> {
    if check.text("reason") != "policy-invalid" {
        return Err(error.to_string().into());
    }
    let fault = error.faults.first().ok_or("no fault")?;
    // A misspelt member comes with the nearest known name.
    if check.text("variant") == "misspelled"
        && fault.help.as_deref().is_none_or(|help| !help.contains("`level`"))
    {
        return Err(format!("no nearest name: {fault:?}").into());
    }
    if fault.place.is_some() { Ok(()) } else { Err(format!("no place: {fault}").into()) }
}

fn one_of(found: &[&str], check: &Check) -> Result<(), Failed> {
    let expected = labels::codes(check.text("reason"));
    if found.iter().any(|code| expected.contains(code)) {
        Ok(())
    } else {
        Err(format!("expected one of {expected:?}, found {found:?}").into())
    }
}

/// `supportedInterfaces[1].url` as `/supportedInterfaces/1/url`, if the check names a place.
fn at_the_place(denied: &Denied, check: &Check) -> Result<(), Failed> {
    let place = check.text("at");
    if place.is_empty() {
        return Ok(());
    }
    let pointer = format!("/{}", place.replace('[', "/").replace("].", "/"));
    let reasons = &denied.decision().reasons;
    if reasons.iter().any(|reason| reason.pointer.as_deref() == Some(pointer.as_str())) {
        Ok(())
    } else {
        Err(format!("no reason at {pointer}: {reasons:?}").into())
    }
}

/// Where the card of a case comes from: the host that the policy names first.
fn source(check: &Check) -> &'static str {
    match check.case().as_str() {
        "132" | "134" | "136" | "137" => "https://agent.example.com/.well-known/agent-card.json",
        _ => "https://example.com/.well-known/agent-card.json",
    }
}

fn policy(check: &Check) -> Result<TrustPolicy, PolicyError> {
    let files = CaseFiles { check };
    if check.case() == "132" {
        return TrustPolicy::read(&variant(check.text("variant")), "policy.toml", &TOOL);
    }
    if let Some(entry) = check.what.get("entry").and_then(Value::as_str) {
        let text = format!("schema = 1\n[defaults]\nsignatures.algorithms = {entry}\n");
        return TrustPolicy::read(&text, "policy.toml", &TOOL);
    }
    let name = match (check.case().as_str(), check.text("policy_words")) {
        ("127", _) => "example-hosts-every-interface",
        ("134", _) => "scoped-keys",
        (_, "Allowed hosts: example.com and its subdomains. https only.")
        | (_, "allowed hosts: example.com and subdomains") => "example-hosts",
        (_, "Allowed hosts: *.example.com. https only.") => "one-label",
        (_, "https from any host; http only on loopback.") => "loopback",
        (_, "allowed hosts: agent.example.com; no signature needed") => "agent-host",
        (_, "protocol version at least 1.0") => "version-1",
        (_, "signature required") => "signature-required",
        (_, "signature verified if present") => "signature-if-present",
        (_, "signature off") => "signature-off",
        (_, "signature required; algorithms ES256, EdDSA") => "algorithms",
        (_, words) if words.starts_with("Allowed hosts: example.com and its subdomains. Blocked host") => {
            "ports"
        }
        (_, words) if words.starts_with("Any public host;") => "public",
        (case, words) => panic!("case {case} has a policy that is not written: {words}"),
    };
    TrustPolicy::load(&format!("{name}.toml"), &files, &TOOL)
}

/// A policy that requires a signature, with one mistake.
fn variant(mistake: &str) -> String {
    let rule = "[[allow]]\nid = \"agent\"\nfrom = [\"agent.example.com\"]\n";
    let weak = "level = \"off\"\nreason = \"pilot\"\nuntil = 2099-12-31\n";
    match mistake {
        "misspelled" => format!("schema = 1\n{rule}[defaults.signatures]\nlevle = \"require\"\n"),
        "misplaced" => format!("schema = 1\nlevel = \"require\"\n{rule}"),
        "repeated" => format!("schema = 1\n{rule}[defaults.signatures]\nlevel = \"require\"\n{weak}"),
        "wrong-type" => format!("schema = 1\n{rule}[defaults.signatures]\nlevel = true\n"),
        other => panic!("no such mistake: {other}"),
    }
}

/// The policies, and the keys of the case beside them.
struct CaseFiles<'c> {
    check: &'c Check,
}

impl Files for CaseFiles<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, FileFault> {
        if path.ends_with(".toml") {
            return Ok(std::fs::read(format!("{POLICIES}/{path}")).unwrap());
        }
        let keys = std::fs::read(self.check.folder.join("trust.jwks.json")).unwrap();
        let kid = match path {
            "acme.jwks.json" => "acme-2026",
            "vendor-b.jwks.json" => "vendor-b-1",
            _ => return Ok(keys),
        };
        let keys: Value = serde_json::from_slice(&keys).unwrap();
        let keys = keys.get("keys").and_then(Value::as_array).unwrap();
        let own: Vec<_> =
            keys.iter().filter(|key| key.get("kid").and_then(Value::as_str) == Some(kid)).collect();
        Ok(json!({ "keys": own }).to_string().into_bytes())
    }
}
