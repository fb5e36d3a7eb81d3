//! What would change the answer, and why a rule was not the one.

use countersign::policy::{Explanation, NearMiss, WhyNot};
use countersign::{AdmissionRequest, Code, Decision, Outcome, Reason, TrustPolicy};
use serde::Serialize;

use super::names;
use crate::failure::Failure;
use crate::render::escape;

#[derive(Serialize)]
pub(super) struct ExplanationJson<'e> {
    changes: Vec<String>,
    beyond_policy: Vec<BeyondJson<'e>>,
}

#[derive(Serialize)]
struct BeyondJson<'e> {
    code: &'static str,
    message: &'e str,
    instead: &'static str,
}

impl<'e> BeyondJson<'e> {
    fn of(reason: &'e Reason) -> Self {
        Self { code: reason.code.name(), message: &reason.message, instead: reason.code.page().instead }
    }
}

pub(super) fn json(explanation: &Explanation) -> ExplanationJson<'_> {
    ExplanationJson {
        changes: explanation.changes.iter().map(ToString::to_string).collect(),
        beyond_policy: explanation.beyond_policy.iter().map(BeyondJson::of).collect(),
    }
}

/// The explanation in lines, without indent.
pub(super) fn lines(explanation: &Explanation, decision: &Decision) -> Vec<String> {
    if decision.outcome == Outcome::Admit {
        return vec!["nothing has to change: the card is admitted".to_owned()];
    }
    if !explanation.changes.is_empty() {
        let head = match explanation.changes.len() {
            1 => "the card would be admitted with this change of the policy, and was decided anew with it:",
            _ => {
                "the card would be admitted with these changes of the policy, all of them, and was decided anew with them:"
            }
        };
        let changes = explanation.changes.iter().map(|change| format!("  {}", escape(&change.to_string())));
        let caution = "this is what would change the answer, and no advice: a denial may be right".to_owned();
        return std::iter::once(head.to_owned()).chain(changes).chain([caution]).collect();
    }
    let mut codes: Vec<Code> = Vec::new();
    for reason in &explanation.beyond_policy {
        if !codes.contains(&reason.code) {
            codes.push(reason.code);
        }
    }
    let mut lines = vec![if codes.is_empty() {
        "no change of the policy for each reason, at most 16 together, admits the card".to_owned()
    } else {
        format!("no change that is known here answers {}; instead:", names(&codes).join(", "))
    }];
    lines.extend(codes.iter().map(|code| format!("  [{code}] {}", code.page().instead)));
    lines
}

/// Why the rule is not the one, in a sentence.
pub(super) fn why_not(id: &str, policy: &TrustPolicy, request: &AdmissionRequest) -> Result<String, Failure> {
    let Some(why) = policy.why_not(id, request) else {
        let known: Vec<String> = policy.allows().iter().map(|rule| format!("`{}`", rule.id)).collect();
        return Err(Failure::usage(format!("the policy has no rule `{id}`"))
            .with_help(format!("its rules are {}", known.join(", "))));
    };
    let list = |words: &[String]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    Ok(match why {
        WhyNot::Picked => format!("`{id}` is the rule for this request"),
        WhyNot::LessSpecific { picked } => {
            format!("`{id}` is for this request, and the `from` of `{picked}` is more specific")
        }
        WhyNot::Source(None) => format!("`{id}` is for other sources"),
        WhyNot::Source(Some(NearMiss { pattern, place, why, .. })) => {
            format!("`{id}` is for other sources; nearest `{pattern}` at {place}: {why}")
        }
        WhyNot::Kind(kinds) => format!("`{id}` is for cards found as {}", list(&kinds)),
        WhyNot::Tenant(tenants) => format!("`{id}` is for the tenants {}", list(&tenants)),
        WhyNot::Use(uses) => format!("`{id}` is for the uses {}", list(&uses)),
    })
}
