//! Which rule a request is held against. The card takes no part, so a card cannot pick a laxer rule.

use super::Notes;
use crate::codes::decision as reasons;
use crate::evaluate::hosts::nearest_source;
use crate::{
    AdmissionRequest, AllowRule, LoopbackNames, Reason, Source, Specificity, TraceStep, TrustPolicy,
};

/// The rule, and in what the request does not fit it, if so.
#[derive(Debug)]
pub(super) struct Choice<'p> {
    pub(super) rule: Option<&'p AllowRule>,
    misfit: Option<Misfit>,
    /// Every rule that the source fits.
    for_source: Vec<Candidate<'p>>,
    why: &'static str,
}

type Candidate<'p> = (Specificity, &'p AllowRule);

/// The first part of a request that no rule fits.
#[derive(Clone, Copy, Debug)]
enum Misfit {
    Source,
    Kind,
    Tenant,
    Use,
}

impl<'p> Choice<'p> {
    pub(super) fn of(policy: &'p TrustPolicy, request: &AdmissionRequest) -> Self {
        let for_source: Vec<Candidate<'p>> = policy
            .allows()
            .iter()
            .filter_map(|rule| Some((specificity(rule, &request.source)?, rule)))
            .collect();
        let (rule, misfit, why) = pick(&for_source, request);
        Self { rule, misfit, for_source, why }
    }

    /// Whether the rule is for the request.
    pub(super) fn fits(&self) -> bool {
        self.misfit.is_none()
    }

    pub(super) fn note(self, policy: &TrustPolicy, request: &AdmissionRequest, notes: &mut Notes) {
        notes.reasons.extend(self.misfit.map(|misfit| misfit.reason(policy, request, self.rule)));
        notes.trace.push(TraceStep {
            step: "select-rule",
            considered: self.for_source.into_iter().map(|(_, rule)| rule.id.clone()).collect(),
            picked: self.rule.map(|rule| rule.id.clone()),
            why: self.why.into(),
            place: self.rule.map(|rule| rule.place.clone()),
        });
    }
}

/// The most specific of the rules that fit furthest.
fn pick<'p>(
    for_source: &[Candidate<'p>],
    request: &AdmissionRequest,
) -> (Option<&'p AllowRule>, Option<Misfit>, &'static str) {
    let for_kind = || for_source.iter().filter(|(_, rule)| fits_kind(rule, request));
    let for_tenant =
        || for_kind().filter(|(_, rule)| fits(rule.tenants.as_deref(), request.tenant.as_deref()));
    let fitting = || for_tenant().filter(|(_, rule)| fits(rule.uses.as_deref(), request.purpose.as_deref()));
    if let Some(rule) = most_specific(fitting()) {
        let is_only = fitting().nth(1).is_none();
        (Some(rule), None, if is_only { "the only rule for the request" } else { "the most specific `from`" })
    } else if let Some(rule) = most_specific(for_tenant()) {
        (Some(rule), Some(Misfit::Use), "no rule is for the use")
    } else if let Some(rule) = most_specific(for_kind()) {
        (Some(rule), Some(Misfit::Tenant), "no rule is for the tenant")
    } else if let Some(rule) = most_specific(for_source.iter()) {
        (Some(rule), Some(Misfit::Kind), "no rule is for cards that were found like this")
    } else {
        (None, Some(Misfit::Source), "no rule is for the source")
    }
}

impl Misfit {
    /// Why the rule that fits furthest is not for the request.
    fn reason(self, policy: &TrustPolicy, request: &AdmissionRequest, rule: Option<&AllowRule>) -> Reason {
        let source = &request.source;
        let (code, message) = match (self, &request.tenant, &request.purpose) {
            (Self::Source, ..) => {
                let message = format!("no rule is for `{}`", source.url.raw());
                return Reason::new(reasons::ORIGIN_NO_RULE, message).near(nearest_source(policy, source));
            }
            (Self::Kind, ..) => (
                reasons::ORIGIN_NO_RULE,
                format!("no rule for this source takes cards from `{}`", source.kind),
            ),
            (Self::Tenant, Some(tenant), _) => {
                let message = format!("no rule for this source is for the tenant `{tenant}`");
                (reasons::TENANT_NOT_APPROVED, message)
            }
            (Self::Tenant, None, _) => {
                let message = "the rules for this source are for tenants, and none was named";
                (reasons::TENANT_NOT_APPROVED, message.to_owned())
            }
            (Self::Use, _, Some(purpose)) => {
                (reasons::USE_NOT_APPROVED, format!("no rule for this source is for the use `{purpose}`"))
            }
            (Self::Use, _, None) => {
                let message = "the rules for this source are for uses, and none was named";
                (reasons::USE_NOT_APPROVED, message.to_owned())
            }
        };
        placed(Reason::new(code, message), rule)
    }
}

/// How specific the narrowest `from` is that the source fits.
fn specificity(rule: &AllowRule, source: &Source) -> Option<Specificity> {
    let loopback_names = loopback_names(rule);
    let fitting = rule.from.iter().filter(|from| from.value.allows(&source.url, loopback_names));
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
fn most_specific<'r, 'p: 'r>(rules: impl Iterator<Item = &'r Candidate<'p>>) -> Option<&'p AllowRule> {
    rules
        .max_by(|left, right| left.0.cmp(&right.0).then_with(|| right.1.id.cmp(&left.1.id)))
        .map(|(_, rule)| *rule)
}

fn placed(reason: Reason, rule: Option<&AllowRule>) -> Reason {
    match rule {
        Some(rule) => reason.demanded(&rule.place),
        None => reason,
    }
}
