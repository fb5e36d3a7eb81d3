//! `extends`: the base is a floor. What the child adds is joined, and what it loosens is a fault.

mod terms;

use super::check::Defaults;
use super::compose::Loaded;
use super::error::PolicyFault;
use super::text::Text;
use crate::codes::load as codes;
use crate::{AllowPattern, AllowRule, Exception, KeyGroup, Placed, PolicyPlace, SourceKind, WordPattern};
use terms::{Looser, looser_fetch, looser_limits, looser_terms};

/// The rules and exceptions of the base that hold, and its groups on the rules of the child.
pub(super) fn join(
    base: &Loaded,
    defaults: &mut Defaults,
    allows: &mut Vec<AllowRule>,
    exceptions: &mut Vec<Exception>,
    faults: &mut Vec<PolicyFault>,
) {
    for exception in exceptions.iter() {
        let message = format!("the exception `{}` waives what the base demands", exception.id);
        faults.push(PolicyFault::new(codes::POLICY_EXTENDS_LOOSENED, exception.place.clone(), message));
    }
    if base.stated.binds("signatures.require") {
        add_groups(&mut defaults.signatures.groups, base.defaults.signatures.groups.clone());
    }
    if allows.is_empty() {
        allows.clone_from(&base.allows);
    } else {
        for rule in allows.iter_mut() {
            let demanded: Vec<KeyGroup> = if base.allows.is_empty() {
                let is_stated = base.stated.binds("signatures.require");
                if is_stated { base.defaults.signatures.groups.clone() } else { Vec::new() }
            } else {
                rules_above(base, rule)
                    .into_iter()
                    .flat_map(|above| above.signatures.groups.clone())
                    .collect()
            };
            add_groups(&mut rule.signatures.groups, demanded);
        }
    }
    // A rule of the child that has the same id is another rule.
    let is_of_base = |rule: &&AllowRule| base.allows.iter().any(|known| known.place == rule.place);
    let holds =
        |exception: &&Exception| allows.iter().filter(is_of_base).any(|rule| rule.id == exception.rule.value);
    exceptions.extend(base.exceptions.iter().filter(holds).cloned());
}

fn add_groups(groups: &mut Vec<KeyGroup>, demanded: Vec<KeyGroup>) {
    for group in demanded {
        let is_there = |known: &KeyGroup| known.keys == group.keys && known.min >= group.min;
        if !groups.iter().any(is_there) {
            groups.push(group);
        }
    }
}

/// Refuses what allows more than the base.
pub(super) fn check(base: &Loaded, child: &Loaded, text: &Text, faults: &mut Vec<PolicyFault>) {
    let mut loosened = Vec::new();
    let beginning = text.beginning();
    looser_limits(&base.limits, &child.limits, &mut loosened);
    looser_fetch(&base.fetch, &child.fetch, &mut loosened);
    for looser in loosened.drain(..) {
        faults.push(fault("the policy", &beginning, base.defaults.mode.place.clone(), &looser));
    }
    check_keys(base, child, faults);
    // Rules that the base handed on are its own.
    let handed_on = |rule: &&AllowRule| base.allows.iter().any(|known| known.place == rule.place);
    if child.allows.iter().all(|rule| handed_on(&rule)) {
        // Without rules of its own the child is a floor by its defaults.
        let of_base = terms::Terms::of_defaults(&base.defaults);
        looser_terms(&of_base, &terms::Terms::of_defaults(&child.defaults), &mut loosened);
        loosened.retain(|looser| base.stated.binds(looser.member));
        for looser in loosened.drain(..) {
            let of_base = looser.base.clone().unwrap_or_else(|| base.defaults.mode.place.clone());
            faults.push(fault("`[defaults]`", &beginning, of_base, &looser));
        }
    }
    for rule in child.allows.iter().filter(|rule| !handed_on(rule)) {
        let what = format!("the rule `{}`", rule.id);
        if base.allows.is_empty() {
            let floor = &base.defaults;
            let below = &rule_terms(rule);
            looser_terms(&terms::Terms::of_defaults(floor), below, &mut loosened);
            loosened.retain(|looser| base.stated.binds(looser.member));
            for looser in loosened.drain(..) {
                let of_base = looser.base.clone().unwrap_or_else(|| floor.mode.place.clone());
                faults.push(fault(&what, &rule.place, of_base, &looser));
            }
            continue;
        }
        for from in
            rule.from.iter().filter(|from| !base.allows.iter().any(|above| is_above(above, rule, from)))
        {
            let message = format!("{what} is for `{}`, which no rule of the base allows in full", from.value);
            let fault = PolicyFault::new(codes::POLICY_EXTENDS_LOOSENED, from.place.clone(), message);
            let related = base.allows.first().map(|first| first.place.clone());
            faults.push(match related {
                Some(place) => fault.with_related(place, "the first rule of the base"),
                None => fault,
            });
        }
        for above in rules_above(base, rule) {
            looser_terms(&rule_terms(above), &rule_terms(rule), &mut loosened);
            for looser in loosened.drain(..) {
                let of_base = looser.base.clone().unwrap_or_else(|| above.place.clone());
                faults.push(fault(&what, &rule.place, of_base, &looser));
            }
        }
    }
}

/// Refuses keys of the child that could sign for a source of a rule of the base: whom to believe there is the base's to say.
fn check_keys(base: &Loaded, child: &Loaded, faults: &mut Vec<PolicyFault>) {
    let is_of_base = |place: &PolicyPlace| {
        base.keys.keys.iter().any(|key| key.place == *place)
            || base.keys.sets.iter().any(|set| set.place == *place)
    };
    let keys = child.keys.keys.iter().map(|key| (&key.id, &key.origins, &key.place));
    let sets = child.keys.sets.iter().map(|set| (&set.id, &set.origins, &set.place));
    let mut told: Vec<&PolicyPlace> = Vec::new();
    for (id, origins, place) in keys.chain(sets).filter(|(_, _, place)| !is_of_base(place)) {
        let speaks_for = |rule: &&AllowRule| {
            rule.from
                .iter()
                .any(|from| origins.iter().any(|origin| origin.value.overlap(&from.value).is_some()))
        };
        if let Some(rule) = base.allows.iter().find(speaks_for)
            && !told.contains(&place)
        {
            told.push(place);
            let message =
                format!("the key `{id}` could sign for sources of the rule `{}` of the base", rule.id);
            let fault = PolicyFault::new(codes::POLICY_EXTENDS_LOOSENED, place.clone(), message);
            faults.push(fault.with_related(rule.place.clone(), "the rule"));
        }
    }
}

fn rule_terms(rule: &AllowRule) -> terms::Terms<'_> {
    terms::Terms {
        mode: &rule.mode,
        signatures: &rule.signatures,
        interfaces: &rule.interfaces,
        auth: &rule.auth,
        pin: rule.pin.as_ref(),
        cache: &rule.cache,
    }
}

/// A fault where the child writes the member; where it does not, at `otherwise`: a default may come from the base.
fn fault(what: &str, otherwise: &PolicyPlace, of_base: PolicyPlace, looser: &Looser) -> PolicyFault {
    let own = looser.child.as_ref().filter(|place| place.file != of_base.file);
    let place = own.unwrap_or(otherwise).clone();
    let message = format!("{what} loosens `{}` of the base: {}", looser.member, looser.how);
    PolicyFault::new(codes::POLICY_EXTENDS_LOOSENED, place, message).with_related(of_base, "the base")
}

/// The rules of the base that would decide about a source of the child's rule.
///
/// For one `from` these are the most specific that cover it, and those that are more specific and overlap it.
fn rules_above<'b>(base: &'b Loaded, rule: &AllowRule) -> Vec<&'b AllowRule> {
    let mut above: Vec<&AllowRule> = Vec::new();
    for from in &rule.from {
        let covering = base.allows.iter().filter(|above| covers_context(above, rule));
        let patterns = covering.flat_map(|above| &above.from).filter(|wide| wide.value.covers(&from.value));
        let best = patterns.map(|wide| wide.value.specificity()).max();
        for candidate in &base.allows {
            let decides = |wide: &Placed<AllowPattern>| {
                let specificity = wide.value.specificity();
                wide.value.overlap(&from.value).is_some() && best.is_none_or(|best| specificity >= best)
            };
            let is_new = above.iter().all(|known| known.id != candidate.id);
            if is_new && shares_context(candidate, rule) && candidate.from.iter().any(decides) {
                above.push(candidate);
            }
        }
    }
    above
}

fn is_above(above: &AllowRule, rule: &AllowRule, from: &Placed<AllowPattern>) -> bool {
    covers_context(above, rule) && above.from.iter().any(|wide| wide.value.covers(&from.value))
}

/// Whether `wide` is for every kind of source, tenant and use that `narrow` is for.
fn covers_context(wide: &AllowRule, narrow: &AllowRule) -> bool {
    let covers_sources =
        |wide: &[SourceKind], narrow: &[SourceKind]| narrow.iter().all(|kind| wide.contains(kind));
    is_within(wide.sources.as_deref(), narrow.sources.as_deref(), covers_sources)
        && is_within(wide.tenants.as_deref(), narrow.tenants.as_deref(), covers_words)
        && is_within(wide.uses.as_deref(), narrow.uses.as_deref(), covers_words)
}

/// Whether one request may fit both.
fn shares_context(one: &AllowRule, other: &AllowRule) -> bool {
    let words = |one: &Option<Vec<WordPattern>>, other: &Option<Vec<WordPattern>>| match (one, other) {
        (Some(one), Some(other)) => one.iter().any(|left| other.iter().any(|right| left.overlaps(right))),
        (None, _) | (_, None) => true,
    };
    let sources = match (&one.sources, &other.sources) {
        (Some(one), Some(other)) => one.iter().any(|kind| other.contains(kind)),
        (None, _) | (_, None) => true,
    };
    sources && words(&one.tenants, &other.tenants) && words(&one.uses, &other.uses)
}

fn is_within<T>(wide: Option<&[T]>, narrow: Option<&[T]>, covers: fn(&[T], &[T]) -> bool) -> bool {
    match (wide, narrow) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(wide), Some(narrow)) => covers(wide, narrow),
    }
}

fn covers_words(wide: &[WordPattern], narrow: &[WordPattern]) -> bool {
    let covers = |wide: &WordPattern, narrow: &WordPattern| match (wide, narrow) {
        (WordPattern::Prefix(start), WordPattern::Exact(word) | WordPattern::Prefix(word)) => {
            word.starts_with(start.as_str())
        }
        (WordPattern::Exact(one), WordPattern::Exact(other)) => one == other,
        (WordPattern::Exact(_), WordPattern::Prefix(_)) => false,
    };
    narrow.iter().all(|narrow| wide.iter().any(|wide| covers(wide, narrow)))
}
