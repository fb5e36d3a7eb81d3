//! Changes that loosen or break a policy, which its tests should notice.

use std::num::NonZeroUsize;

use crate::{AllowRule, PolicyChange, PolicyPlace, SignatureLevel, TrustPolicy};

/// A change of a policy that a case should notice: one of its expectations fails under it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Mutant {
    /// The change.
    pub change: PolicyChange,
    /// What is changed.
    pub place: PolicyPlace,
    /// What to add to the tests if none notices: an imperative sentence.
    pub advice: String,
}

impl TrustPolicy {
    /// The changes that its tests should notice: every allow rule, every entry of `from` of several, every entry of
    /// `interfaces.hosts` and every deny rule removed, and every threshold lowered by one; where it is one already, the
    /// level of the rule lowered to `if-present`.
    #[must_use]
    pub fn mutants(&self) -> Vec<Mutant> {
        let of_rules = self.allows().iter().flat_map(of_rule);
        let of_denies = self.denies().iter().map(|rule| Mutant {
            change: PolicyChange::DropDeny { rule: rule.id.clone() },
            place: rule.place.clone(),
            advice: format!("add a card that would be admitted if deny rule `{}` did not hit", rule.id),
        });
        of_rules.chain(of_denies).collect()
    }
}

fn of_rule(rule: &AllowRule) -> Vec<Mutant> {
    let id = &rule.id;
    let mut mutants = vec![Mutant {
        change: PolicyChange::DropAllow { rule: id.clone() },
        place: rule.place.clone(),
        advice: format!("add a card that rule `{id}` admits"),
    }];
    // Without its only entry the rule would go too.
    let sources = rule.from.iter().enumerate().filter(|_| rule.from.len() > 1);
    mutants.extend(sources.map(|(index, from)| Mutant {
        change: PolicyChange::DropSource { rule: id.clone(), index },
        place: from.place.clone(),
        advice: format!("add a card from `{}` that rule `{id}` admits", from.value),
    }));
    mutants.extend(rule.interfaces.hosts.listed.iter().enumerate().map(|(index, host)| Mutant {
        change: PolicyChange::DropHost { rule: id.clone(), index },
        place: host.place.clone(),
        advice: format!("add a card with an interface at `{}`, and expect it in `interfaces`", host.value),
    }));
    mutants.extend(of_thresholds(rule));
    mutants
}

fn of_thresholds(rule: &AllowRule) -> Vec<Mutant> {
    if !matches!(rule.signatures.level.value, SignatureLevel::Require) {
        return Vec::new();
    }
    let id = &rule.id;
    let lowered = |(group, terms): (usize, &crate::KeyGroup)| {
        let min = NonZeroUsize::new(terms.min.get().checked_sub(1)?)?;
        Some(Mutant {
            change: PolicyChange::SetMin { rule: id.clone(), group, min },
            place: terms.place.clone(),
            advice: format!(
                "add a card for rule `{id}` that {min} of the needed {} keys signed, and expect a denial",
                terms.min
            ),
        })
    };
    let groups = &rule.signatures.groups;
    let mut mutants: Vec<_> = groups.iter().enumerate().filter_map(lowered).collect();
    if groups.iter().any(|group| group.min == NonZeroUsize::MIN) {
        mutants.push(Mutant {
            change: PolicyChange::VerifyIfPresent { rule: id.clone() },
            place: rule.place.clone(),
            advice: format!("add an unsigned card for rule `{id}`, and expect a denial"),
        });
    }
    mutants
}
