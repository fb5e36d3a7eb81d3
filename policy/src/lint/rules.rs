//! Rules that never apply, admit nothing, or are there twice.

use std::collections::{HashMap, HashSet};

use countersign_keys::{Level, Span};

use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject, context, demands};
use crate::codes::lints as codes;
use crate::{
    AddressClass, AllowPattern, AllowRule, DenyRule, ExtensionUse, Placed, PolicyPlace, Specificity,
};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const UNREACHABLE: PolicyLint = PolicyLint::new(codes::POLICY_UNREACHABLE_RULE, Level::Error);
const DUPLICATE: PolicyLint = PolicyLint::new(codes::POLICY_DUPLICATE_RULE, Level::Warning);
const REDUNDANT: PolicyLint = PolicyLint::new(codes::POLICY_REDUNDANT_RULE, Level::Info);
const FULLY_DENIED: PolicyLint = PolicyLint::new(codes::POLICY_ALLOW_FULLY_DENIED, Level::Warning);
const EMPTY: PolicyLint = PolicyLint::new(codes::POLICY_EMPTY_ALLOW_SET, Level::Warning);

static LINTS: [PolicyLint; 5] = [UNREACHABLE, DUPLICATE, REDUNDANT, FULLY_DENIED, EMPTY];

fn check(subject: &Subject<'_>, report: &mut Report) {
    if subject.policy.allows().is_empty()
        && let Some(file) = subject.policy.files().first()
    {
        let start = Span { start: 0, end: 0, line: 1, column: 1 };
        let place = PolicyPlace::new(file.name.clone(), start);
        report.add(&EMPTY, &place, Remark::new("the policy has no `[[allow]]`, so it denies every card"));
    }
    for (index, rule) in subject.policy.allows().iter().enumerate() {
        if let Some(message) = unreachable(subject, index, rule) {
            report.add(&UNREACHABLE, &rule.place, Remark::new(message));
        } else if let Some(message) = redundant(subject, index, rule) {
            report.add(&REDUNDANT, &rule.place, Remark::new(message).help("delete the rule"));
        }
        if let Some(message) = admits_nothing(rule) {
            report.add(&EMPTY, &rule.place, Remark::new(message));
        }
        fully_denied(subject, rule, report);
        repeated(&rule.from, report);
        repeated(&rule.interfaces.hosts.listed, report);
    }
    denies(subject, report);
}

/// Why no request is held against the rule, with one as an example.
fn unreachable(subject: &Subject<'_>, index: usize, rule: &AllowRule) -> Option<String> {
    let mut first = None;
    for from in &rule.from {
        let why = taken(subject, index, rule, &from.value)?;
        first.get_or_insert(why);
    }
    first.map(|why| format!("the rule `{}` never admits a card: {why}", rule.id))
}

/// Why no request for a source of this pattern is held against the rule.
fn taken(subject: &Subject<'_>, index: usize, rule: &AllowRule, from: &AllowPattern) -> Option<String> {
    let example = from.overlap(from)?;
    if let Some(deny) = subject.indexes.denying(from) {
        return Some(format!("the rule `{}` denies `{example}` ({})", deny.id, deny.place));
    }
    let specificity = from.specificity();
    covering(subject, index, from).find_map(|(other, pattern)| {
        let is_taken = pattern.value.specificity() > specificity && context::covers(other, rule);
        is_taken.then(|| {
            format!(
                "`{example}` is held against `{}`, whose `from` is more specific ({})",
                other.id, pattern.place
            )
        })
    })
}

/// The patterns of other rules that match all that `from` does.
fn covering<'s>(
    subject: &'s Subject<'_>,
    index: usize,
    from: &AllowPattern,
) -> impl Iterator<Item = (&'s AllowRule, &'s Placed<AllowPattern>)> {
    let found = from.wider().into_iter().filter_map(|text| subject.indexes.sources_by_text.get(&text));
    found.flatten().filter(move |(rule, _)| *rule != index).filter_map(|place| source(subject, *place))
}

fn source<'s>(
    subject: &'s Subject<'_>,
    (rule, from): (usize, usize),
) -> Option<(&'s AllowRule, &'s Placed<AllowPattern>)> {
    let rule = subject.policy.allows().get(rule)?;
    Some((rule, rule.from.get(from)?))
}

/// Why every card would get the same answer without the rule.
fn redundant(subject: &Subject<'_>, index: usize, rule: &AllowRule) -> Option<String> {
    let mut first = None;
    for from in &rule.from {
        let (other, pattern) = shadowed(subject, index, rule, &from.value)?;
        if !demands::are_same(rule, other) || stands_between(subject, index, &from.value, pattern) {
            return None;
        }
        first.get_or_insert(other);
    }
    let other = first?;
    Some(format!("the rule `{}` demands the same as `{}`, which would take its place", rule.id, other.id))
}

/// The rule that would apply instead.
fn shadowed<'s>(
    subject: &'s Subject<'_>,
    index: usize,
    rule: &AllowRule,
    from: &AllowPattern,
) -> Option<(&'s AllowRule, Specificity)> {
    let fitting = covering(subject, index, from).filter(|(other, _)| context::overlap(other, rule));
    let (other, pattern) = fitting.max_by_key(|(_, pattern)| pattern.value.specificity())?;
    context::covers(other, rule).then(|| (other, pattern.value.specificity()))
}

/// Whether another rule is for some of these sources, and comes before the one that would apply to all.
fn stands_between(subject: &Subject<'_>, index: usize, from: &AllowPattern, below: Specificity) -> bool {
    let others = subject.indexes.sources.near(from).filter(|(rule, _)| *rule != index);
    others.filter_map(|place| source(subject, place)).any(|(_, pattern)| {
        let specificity = pattern.value.specificity();
        below < specificity && specificity < from.specificity() && pattern.value.overlap(from).is_some()
    })
}

/// Why the rule can admit nothing, whatever the card.
fn admits_nothing(rule: &AllowRule) -> Option<String> {
    let terms = &rule.interfaces;
    let is_loopback = |pattern: &AllowPattern| {
        let host = pattern.host_parts().1;
        host.name().is_some() && host.address_class() == AddressClass::Loopback
    };
    if terms.allow_loopback.is_none() && rule.from.iter().all(|from| is_loopback(&from.value)) {
        let why = "its sources are this machine, which `allow-loopback` does not allow";
        return Some(format!("the rule `{}` can admit nothing: {why}", rule.id));
    }
    let hosts = &terms.hosts.listed;
    if terms.hosts.source.is_some()
        || terms.any_host.is_some()
        || terms.allow_loopback.is_some()
        || !terms.networks.is_empty()
    {
        return None;
    }
    if !hosts.iter().any(|host| terms.schemes.value.contains(&host.value.scheme())) {
        let why = "`interfaces.schemes` has none of the schemes of `interfaces.hosts`";
        return Some(format!("the rule `{}` can admit nothing: {why}", rule.id));
    }
    let paths = terms.paths.as_ref()?;
    let meets = |host: &AllowPattern| paths.value.iter().any(|path| host.meets_path(path));
    (!hosts.iter().any(|host| meets(&host.value))).then(|| {
        let why = "no path of `interfaces.hosts` is one of `interfaces.paths`";
        format!("the rule `{}` can admit nothing: {why}", rule.id)
    })
}

/// Interface hosts each of which a deny rule denies.
fn fully_denied(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let terms = &rule.interfaces;
    let hosts = &terms.hosts.listed;
    if terms.hosts.source.is_some()
        || terms.any_host.is_some()
        || terms.allow_loopback.is_some()
        || !terms.networks.is_empty()
    {
        return;
    }
    let denying: Option<Vec<&DenyRule>> =
        hosts.iter().map(|host| subject.indexes.denying(&host.value)).collect();
    if let (Some(denying), Some(first)) = (denying, hosts.first())
        && let Some(deny) = denying.first()
    {
        let message = format!(
            "every host of `interfaces.hosts` is denied, `{}` by `{}` ({})",
            first.value, deny.id, deny.place
        );
        report.add(&FULLY_DENIED, &first.place, Remark::new(message));
    }
}

/// One pattern twice in a list. Patterns of a set stand at one place and are compared where the set is written.
fn repeated(patterns: &[Placed<AllowPattern>], report: &mut Report) {
    let mut seen = HashMap::new();
    for pattern in patterns {
        match seen.insert(&pattern.value, &pattern.place) {
            Some(first) if *first != pattern.place => {
                let message = format!("`{}` stands in this list twice", pattern.value);
                report.add(&DUPLICATE, &pattern.place, Remark::new(message).help("delete one of the two"));
            }
            Some(_) | None => {}
        }
    }
}

/// Deny rules that other deny rules make superfluous.
fn denies(subject: &Subject<'_>, report: &mut Report) {
    let rules = subject.policy.denies();
    let places: HashMap<&str, usize> =
        rules.iter().enumerate().map(|(index, rule)| (rule.id.as_str(), index)).collect();
    let mut extensions: HashMap<&str, Vec<&DenyRule>> = HashMap::new();
    for rule in rules {
        for extension in &rule.extensions {
            extensions.entry(&extension.value).or_default().push(rule);
        }
    }
    // Of two that make each other superfluous one must stay.
    let mut superfluous = HashSet::new();
    for (index, rule) in rules.iter().enumerate().rev() {
        let is_other = |other: &&DenyRule| other.id != rule.id && !superfluous.contains(other.id.as_str());
        let wider_host = |host: &Placed<crate::DenyPattern>| {
            let texts = host.value.wider();
            let found = texts.iter().filter_map(|text| subject.indexes.denied_by_text.get(text));
            found.flatten().copied().find(is_other)
        };
        let wider_extension = |extension: &Placed<String>| {
            let found = extensions.get(extension.value.as_str()).into_iter().flatten().copied();
            found
                .filter(|other| other.when == ExtensionUse::Declared || other.when == rule.when)
                .find(is_other)
        };
        let hosts = rule.hosts.iter().map(wider_host);
        let others: Option<Vec<&DenyRule>> =
            hosts.chain(rule.extensions.iter().map(wider_extension)).collect();
        let Some(other) = others.and_then(|others| others.first().copied()) else { continue };
        superfluous.insert(rule.id.as_str());
        let is_later = places.get(other.id.as_str()).is_some_and(|other| *other < index);
        if is_later && says_the_same(rule, other) {
            let message =
                format!("the rule `{}` denies the same as `{}` ({})", rule.id, other.id, other.place);
            report.add(&DUPLICATE, &rule.place, Remark::new(message).help("delete one of the two"));
        } else {
            let message = format!("`{}` denies all that `{}` does ({})", other.id, rule.id, other.place);
            report.add(&REDUNDANT, &rule.place, Remark::new(message).help("delete the rule"));
        }
    }
}

fn says_the_same(left: &DenyRule, right: &DenyRule) -> bool {
    let is_in = |rule: &DenyRule, other: &DenyRule| {
        rule.hosts.iter().all(|host| other.hosts.contains(host))
            && rule.extensions.iter().all(|extension| other.extensions.contains(extension))
    };
    left.when == right.when && is_in(left, right) && is_in(right, left)
}
