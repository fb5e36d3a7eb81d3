//! `verify`: the answer, the warnings, and what may not be printed.

use countersign::{
    Cause, Code, DiagnosisHints, Fate, Form, Limits, TrustedKeys, UnixTime, UntrustedCard,
    VerificationReport, VerifyTerms,
};
use libtest_mimic::Failed;
use serde_json::Value;

use crate::{Check, accepted, labels, refused};

/// 2026-11-29T00:00:00Z.
const NOW: UnixTime = UnixTime::from_seconds(1_795_910_400);

/// Checks that assume `a2a-1.0` and are about a form that is accepted by default: signed with Python's escapes, and
/// with an unknown member.
const OTHERWISE_BY_DEFAULT: [(&str, &str); 2] = [("002", "card-ascii.json"), ("031", "signed-whole.json")];

/// Hints that the diagnosis gives, which is a call of its own, and the cause that says so.
const DIAGNOSED: [(&str, &str, Cause); 1] = [("031", "payload form", Cause::FormNotAccepted)];

pub(crate) fn run(check: &Check) -> Result<(), Failed> {
    verify(check, &[Form::A2a10])?;
    let by_default = verify(check, &Form::ACCEPTED);
    let differs = OTHERWISE_BY_DEFAULT.contains(&(check.case().as_str(), check.text("card")));
    match (by_default, differs) {
        (result, false) => result,
        (Err(_), true) => Ok(()),
        (Ok(()), true) => Err("the same by default, although listed as different".into()),
    }
}

fn verify(check: &Check, forms: &[Form]) -> Result<(), Failed> {
    let keys = match TrustedKeys::read(check.octets("trust"), check.text("trust")) {
        Ok(keys) => keys,
        Err(error) => return refused(check, error.code()),
    };
    let card = match UntrustedCard::read(check.octets("card"), &Limits::default()) {
        Ok(card) => card,
        Err(error) => return refused(check, error.code()),
    };
    let mut terms = VerifyTerms::default();
    terms.forms = forms.to_vec();
    let mut causes = Vec::new();
    let (report, result, printed) = match card.verify(&keys, &terms, NOW) {
        Ok(verified) => (verified.report().clone(), accepted(check), format!("{verified:?}")),
        Err(refusal) => {
            let report = refusal.report().clone();
            let result = match report.codes.as_slice() {
                [] => Err("refused without a code".into()),
                codes => codes.iter().try_for_each(|code| refused(check, *code)),
            };
            let diagnosis = refusal.diagnose(&keys, &terms, &DiagnosisHints::default());
            causes.extend(diagnosis.iter().map(|diagnosis| diagnosis.cause));
            (report, result, format!("{refusal:?} {refusal} {diagnosis:?}"))
        }
    };
    result?;
    for warning in check.texts("warn") {
        warned(warning, &report, &keys)?;
    }
    hinted(check, &report, &causes)?;
    let printed = format!("{printed} {report:?} {keys:?} {:?}", keys.findings());
    not_printed(check, &printed)
}

fn warned(warning: &str, report: &VerificationReport, keys: &TrustedKeys) -> Result<(), Failed> {
    let (kind, detail) = warning.split_once(':').unwrap_or((warning, ""));
    let given = match kind {
        "unsigned-members" => detail.split(',').all(|name| {
            let pointer = format!("/{name}");
            report.uncovered.iter().any(|member| member.pointer == pointer && member.fate == Fate::Stripped)
                && report.findings.iter().any(|finding| finding.pointer.as_deref() == Some(pointer.as_str()))
        }),
        "key-ignored" => {
            let is_ignored = keys.unusable().iter().any(|key| key.kid.as_deref() == Some(detail));
            let is_found = keys.findings().iter().any(|found| found.finding.kid.as_deref() == Some(detail));
            is_ignored && is_found
        }
        "private-key-material" => keys.findings().iter().any(|found| {
            let about = found.finding.kid.as_deref().unwrap_or_default();
            labels::codes(kind).contains(&found.finding.code.name()) && about == detail
        }),
        "signatures[0]" => {
            let label = if detail == "malformed-header" { "malformed-entry" } else { detail };
            let codes = report.signatures.first().map(|signature| signature.codes.as_slice());
            let all_expected =
                |codes: &[Code]| codes.iter().all(|code| labels::codes(label).contains(&code.name()));
            codes.is_some_and(|codes| !codes.is_empty() && all_expected(codes))
        }
        _ => false,
    };
    if given { Ok(()) } else { Err(format!("no warning {warning}: {report:?} {:?}", keys.findings()).into()) }
}

fn hinted(check: &Check, report: &VerificationReport, causes: &[Cause]) -> Result<(), Failed> {
    let hint = check.text("hint");
    let reasons = report.signatures.iter().flat_map(|signature| &signature.reasons);
    let is_given = reasons.clone().any(|reason| reason.contains(hint));
    let is_diagnosed = causes.iter().any(|cause| DIAGNOSED.contains(&(check.case().as_str(), hint, *cause)));
    if hint.is_empty() || is_given || is_diagnosed {
        return Ok(());
    }
    Err(format!("no hint {hint:?} in {:?}", reasons.collect::<Vec<_>>()).into())
}

/// The member of the trusted keys that `must_not_print` names stays out of everything that can be printed.
fn not_printed(check: &Check, printed: &str) -> Result<(), Failed> {
    let secret = check.text("must_not_print");
    if secret.is_empty() {
        return Ok(());
    }
    let keys: Value = serde_json::from_slice(&check.octets("trust"))?;
    let keys = keys.get("keys").and_then(Value::as_array).into_iter().flatten();
    let secrets: Vec<&str> = keys.filter_map(|key| key.get(secret).and_then(Value::as_str)).collect();
    if secrets.is_empty() || secrets.iter().any(|value| printed.contains(value)) {
        return Err(format!("`{secret}` is printed, or is not in the trusted keys").into());
    }
    Ok(())
}
