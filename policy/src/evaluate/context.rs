//! Which rule a request is held against. The card takes no part, so a card cannot pick a laxer rule.

use super::Notes;
use crate::codes::decision as reasons;
use crate::evaluate::hosts::nearest_source;
use crate::{
    AdmissionRequest, AllowRule, LoopbackNames, Reason, Source, Specificity, TraceStep, TrustPolicy,
};

/// The rule, and why it is not really for the request, if so.
pub(super) struct Choice<'p> {
    pub(super) rule: Option<&'p AllowRule>,
    fault: Option<Reason>,
    considered: Vec<&'p str>,
    why: &'static str,
}

impl<'p> Choice<'p> {
    pub(super) fn of(policy: &'p TrustPolicy, request: &AdmissionRequest) -> Self {
        let for_source: Vec<_> = policy
            .allows()
            .iter()
            .filter_map(|rule| Some((specificity(rule, &request.source)?, rule)))
            .collect();
        let considered: Vec<&str> = for_source.iter().map(|(_, rule)| rule.id.as_str()).collect();
        let refused =
            |rule, fault, why| Self { rule, fault: Some(fault), considered: considered.clone(), why };
        if for_source.is_empty() {
            let fault = Reason::new(
                reasons::ORIGIN_NO_RULE,
                format!("no rule is for `{}`", request.source.url.raw()),
            );
            return refused(
                None,
                fault.near(nearest_source(policy, &request.source)),
                "no rule is for the source",
            );
        }
        let for_kind: Vec<_> =
            for_source.iter().filter(|(_, rule)| fits_kind(rule, request)).copied().collect();
        if for_kind.is_empty() {
            let rule = most_specific(&for_source);
            let message = format!("no rule for this source takes cards from `{}`", request.source.kind);
            let fault = placed(Reason::new(reasons::ORIGIN_NO_RULE, message), rule);
            return refused(rule, fault, "no rule is for cards that were found like this");
        }
        let for_tenant: Vec<_> = for_kind
            .iter()
            .filter(|(_, rule)| fits(rule.tenants.as_deref(), request.tenant.as_deref()))
            .copied()
            .collect();
        if for_tenant.is_empty() {
            let rule = most_specific(&for_kind);
            let message = match &request.tenant {
                Some(tenant) => format!("no rule for this source is for the tenant `{tenant}`"),
                None => "the rules for this source are for tenants, and none was named".to_owned(),
            };
            let fault = placed(Reason::new(reasons::TENANT_NOT_APPROVED, message), rule);
            return refused(rule, fault, "no rule is for the tenant");
        }
        let fitting: Vec<_> = for_tenant
            .iter()
            .filter(|(_, rule)| fits(rule.uses.as_deref(), request.purpose.as_deref()))
            .copied()
            .collect();
        if fitting.is_empty() {
            let rule = most_specific(&for_tenant);
            let message = match &request.purpose {
                Some(purpose) => format!("no rule for this source is for the use `{purpose}`"),
                None => "the rules for this source are for uses, and none was named".to_owned(),
            };
            let fault = placed(Reason::new(reasons::USE_NOT_APPROVED, message), rule);
            return refused(rule, fault, "no rule is for the use");
        }
        let why =
            if fitting.len() == 1 { "the only rule for the request" } else { "the most specific `from`" };
        Self { rule: most_specific(&fitting), fault: None, considered, why }
    }

    /// Whether the rule is for the request.
    pub(super) fn fits(&self) -> bool {
        self.fault.is_none()
    }

    pub(super) fn note(self, notes: &mut Notes) {
        notes.reasons.extend(self.fault);
        notes.trace.push(TraceStep {
            step: "select-rule",
            considered: self.considered.into_iter().map(str::to_owned).collect(),
            picked: self.rule.map(|rule| rule.id.clone()),
            why: self.why.to_owned(),
            place: self.rule.map(|rule| rule.place.clone()),
        });
    }
}

/// How specific the narrowest `from` is that the source fits.
fn specificity(rule: &AllowRule, source: &Source) -> Option<Specificity> {
    let loopback_names = loopback_names(rule);
    let fitting = rule.from.iter().filter(|from| from.value.matches(&source.url, loopback_names).is_ok());
    fitting.map(|from| from.value.specificity()).max()
}

pub(crate) fn loopback_names(rule: &AllowRule) -> LoopbackNames {
    match rule.interfaces.allow_loopback {
        Some(_) => LoopbackNames::Allowed,
        None => LoopbackNames::Refused,
    }
}

pub(crate) fn fits_kind(rule: &AllowRule, request: &AdmissionRequest) -> bool {
    rule.sources.as_ref().is_none_or(|sources| sources.contains(&request.source.kind))
}

pub(crate) fn fits(patterns: Option<&[crate::WordPattern]>, word: Option<&str>) -> bool {
    patterns
        .is_none_or(|patterns| word.is_some_and(|word| patterns.iter().any(|pattern| pattern.matches(word))))
}

/// The most specific rule. Equals cannot be in one policy; the id decides so that the order of the file never does.
fn most_specific<'p>(rules: &[(Specificity, &'p AllowRule)]) -> Option<&'p AllowRule> {
    rules
        .iter()
        .max_by(|left, right| left.0.cmp(&right.0).then_with(|| right.1.id.cmp(&left.1.id)))
        .map(|(_, rule)| *rule)
}

fn placed(reason: Reason, rule: Option<&AllowRule>) -> Reason {
    match rule {
        Some(rule) => reason.demanded(&rule.place),
        None => reason,
    }
}
