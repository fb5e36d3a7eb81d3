//! What would change an answer, and why a rule was not the one.

mod proposal;

use crate::codes::decision::IFACE_NONE_COMPATIBLE;
use crate::evaluate::{fits, fits_kind, loopback_names, nearest};
use crate::{AdmissionRequest, AllowRule, Decision, NearMiss, Outcome, PolicyChange, Reason, TrustPolicy};

/// What would turn a denial into an admission.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// Changes of the policy that together turn the answer, none of which can be left out: the answer was computed anew
    /// with them. Empty where there are none, or where no change is needed.
    pub changes: Vec<PolicyChange>,
    /// Reasons that no change of the policy answers: the card, its publisher or the request must change.
    pub beyond_policy: Vec<Reason>,
}

/// Why a rule was not the one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a rule is picked, narrower than another, or misses one part of the context"
)]
pub enum WhyNot {
    /// It was.
    Picked,
    /// It is for the request, and a narrower one is too.
    LessSpecific {
        /// The `id` of the narrower rule.
        picked: String,
    },
    /// It is for other sources.
    Source(Option<NearMiss>),
    /// It is for cards that are found in other ways.
    Kind(Vec<String>),
    /// It is for other tenants.
    Tenant(Vec<String>),
    /// It is for other uses.
    Use(Vec<String>),
}

/// Most reasons that are looked at.
const MAX_REASONS: usize = 256;

/// Most changes that are proposed together: each costs two decisions more.
const MAX_CHANGES: usize = 16;

/// Most rounds of changes that are tried.
const MAX_ROUNDS: usize = 4;

impl Explanation {
    /// Looks for the fewest changes of `policy` that turn `decision`. `evaluate` must give the answer of another policy for
    /// the same card, request and time.
    ///
    /// Each reason proposes one change. All proposals together are tried, with those of the reasons that appear then, in at
    /// most four rounds; then each change is left out that the answer does not need, once from the first and once from the last,
    /// and the fewer count. More than 16 changes are not proposed.
    pub fn of(
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        decision: &Decision,
        evaluate: impl Fn(&TrustPolicy) -> Decision,
    ) -> Self {
        let mut beyond_policy = Vec::new();
        let mut changes: Vec<PolicyChange> = Vec::new();
        let mut current = decision.clone();
        for _ in 0..MAX_ROUNDS {
            if current.outcome == Outcome::Admit {
                break;
            }
            let before = changes.len();
            // Another interface may be one that the client speaks.
            let is_unspoken = current.reasons.iter().any(|reason| reason.code == IFACE_NONE_COMPATIBLE);
            let dropped =
                current.interfaces.iter().filter(|_| is_unspoken).flat_map(|verdict| &verdict.reasons);
            for reason in current.reasons.iter().chain(dropped).take(MAX_REASONS) {
                match proposal::for_reason(policy, request, &current, reason) {
                    Some(change) if !changes.contains(&change) => changes.push(change),
                    Some(_) => {}
                    None if proposal::follows(reason) || beyond_policy.contains(reason) => {}
                    None => beyond_policy.push(reason.clone()),
                }
            }
            if changes.len() == before || changes.len() > MAX_CHANGES {
                break;
            }
            current = evaluate(&with_all(policy, &changes));
        }
        if current.outcome == Outcome::Deny || changes.len() > MAX_CHANGES {
            return Self { changes: Vec::new(), beyond_policy };
        }
        let admits =
            |changes: &[PolicyChange]| evaluate(&with_all(policy, changes)).outcome == Outcome::Admit;
        let (first_kept, last_kept) =
            (needed(&changes, admits, (0..changes.len()).rev()), needed(&changes, admits, 0..changes.len()));
        let changes = if last_kept.len() < first_kept.len() { last_kept } else { first_kept };
        Self { changes, beyond_policy: Vec::new() }
    }
}

impl TrustPolicy {
    /// Why the rule with this `id` is not the one that a request is held against; [`None`] if there is no such rule.
    #[must_use]
    pub fn why_not(&self, id: &str, request: &AdmissionRequest) -> Option<WhyNot> {
        let rule = self.allow(id)?;
        let picked = self.rule_for(request);
        if picked.is_some_and(|picked| picked.id == rule.id) {
            return Some(WhyNot::Picked);
        }
        Some(misfit(rule, request).unwrap_or_else(|| WhyNot::LessSpecific {
            picked: picked.map(|picked| picked.id.clone()).unwrap_or_default(),
        }))
    }
}

/// The changes that are left when each that is not needed is taken out, one after the other.
fn needed(
    changes: &[PolicyChange],
    admits: impl Fn(&[PolicyChange]) -> bool,
    order: impl Iterator<Item = usize>,
) -> Vec<PolicyChange> {
    let mut left: Vec<Option<PolicyChange>> = changes.iter().cloned().map(Some).collect();
    for index in order {
        let mut without = left.clone();
        if let Some(change) = without.get_mut(index) {
            *change = None;
        }
        let kept: Vec<PolicyChange> = without.iter().flatten().cloned().collect();
        if admits(&kept) {
            left = without;
        }
    }
    left.into_iter().flatten().collect()
}

fn misfit(rule: &AllowRule, request: &AdmissionRequest) -> Option<WhyNot> {
    let loopback_names = loopback_names(rule);
    let source = &request.source;
    if !rule.from.iter().any(|from| from.value.allows(&source.url, loopback_names)) {
        return Some(WhyNot::Source(nearest(&source.url, &rule.from)));
    }
    if !fits_kind(rule, request) {
        return Some(WhyNot::Kind(texts(rule.sources.iter().flatten())));
    }
    if !fits(rule.tenants.as_deref(), request.tenant.as_deref()) {
        return Some(WhyNot::Tenant(texts(rule.tenants.iter().flatten())));
    }
    (!fits(rule.uses.as_deref(), request.purpose.as_deref()))
        .then(|| WhyNot::Use(texts(rule.uses.iter().flatten())))
}

fn texts<'l, T: ToString + 'l>(list: impl Iterator<Item = &'l T>) -> Vec<String> {
    list.map(ToString::to_string).collect()
}

fn with_all(policy: &TrustPolicy, changes: &[PolicyChange]) -> TrustPolicy {
    changes.iter().fold(policy.clone(), |policy, change| policy.with(change))
}
