//! A gateway rewrote the URLs of interfaces: the host is another, and perhaps a prefix of the path.

use std::ops::Range;

use countersign_keys::jcs;
use countersign_keys::json::{Kind, Value};

use super::trial::{Fit, Trial, Tried};
use super::{Cause, DiagnosisHints};
use crate::canonical::Variation;
use crate::card;

/// Most signature checks of this search.
const MAX_CHECKS: usize = 96;

/// Most hosts that the caller expects, and most that are taken from the card.
const MAX_HOSTS: usize = 8;

/// Most URLs that are changed.
const MAX_PLACES: usize = 16;

/// Most leading segments of a path that a gateway may have put there.
const MAX_SEGMENTS: usize = 3;

pub(super) fn rewritten(trial: &mut Trial<'_>, hints: &DiagnosisHints) -> Tried<Option<Fit>> {
    let places = interface_urls(trial.card.root());
    let hosts = hosts(trial.card.root(), hints);
    trial.within(MAX_CHECKS, |trial| {
        // The host alone is the frequent case; a path that lost its prefix comes after it.
        for dropped in 0..=MAX_SEGMENTS {
            for host in &hosts {
                // All URLs at one host first: a gateway seldom rewrites one of them.
                for group in groups(&places) {
                    let changes: Vec<_> = group.iter().filter_map(|url| url.at(host, dropped)).collect();
                    if let Some(fit) = supposed(trial, &changes)? {
                        return Ok(Some(fit));
                    }
                }
            }
        }
        Ok(None)
    })
}

/// One URL in the place of another.
struct Change {
    range: Range<usize>,
    pointer: String,
    url: String,
}

fn supposed(trial: &mut Trial<'_>, changes: &[Change]) -> Tried<Option<Fit>> {
    let Some(first) = changes.first() else { return Ok(None) };
    let mut text = String::from_utf8_lossy(trial.card.octets()).into_owned();
    let mut ordered: Vec<&Change> = changes.iter().collect();
    ordered.sort_by_key(|change| std::cmp::Reverse(change.range.start));
    for change in ordered {
        let mut token = Vec::new();
        jcs::write_text(&change.url, &mut token);
        text.replace_range(change.range.clone(), &String::from_utf8_lossy(&token));
    }
    let Some(card) = trial.read(&text)? else { return Ok(None) };
    for form in trial.all_forms() {
        if trial.fits(&card, form, &Variation::default())? {
            let pointers: Vec<_> = changes.iter().map(|change| format!("`{}`", change.pointer)).collect();
            let message = format!(
                "rewritten after signing: {}; with `{}` there it verifies {}",
                pointers.join(", "),
                first.url,
                trial.under(form)
            );
            return Ok(Some(Fit::new(Cause::InterfaceUrlRewritten, form, message)));
        }
    }
    Ok(None)
}

/// The URL of an interface, in its parts.
struct InterfaceUrl<'c> {
    value: Value<'c>,
    /// Scheme with `://`; empty for a gRPC target without one.
    prefix: &'c str,
    authority: &'c str,
    rest: &'c str,
}

impl<'c> InterfaceUrl<'c> {
    fn of(value: Value<'c>) -> Option<Self> {
        let (prefix, authority, rest) = parts(value.as_text()?)?;
        Some(Self { value, prefix, authority, rest })
    }

    /// The URL at another host, without the first `dropped` segments of its path; none if that is no other URL.
    fn at(&self, host: &str, dropped: usize) -> Option<Change> {
        let mut rest = self.rest;
        for _ in 0..dropped {
            let inside = rest.strip_prefix('/')?;
            rest = inside.find('/').and_then(|slash| inside.get(slash..))?;
        }
        let is_other = !(host == self.authority && dropped == 0);
        is_other.then(|| Change {
            range: self.value.range(),
            pointer: self.value.pointer(),
            url: format!("{}{host}{rest}", self.prefix),
        })
    }
}

/// Scheme with `://`, authority, and everything after it.
fn parts(url: &str) -> Option<(&str, &str, &str)> {
    let start = url.find("://").map_or(0, |colon| colon.saturating_add(3));
    let (prefix, after) = url.split_at_checked(start)?;
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let (authority, rest) = after.split_at_checked(end)?;
    (!authority.is_empty()).then_some((prefix, authority, rest))
}

fn interface_urls(root: Value<'_>) -> Vec<InterfaceUrl<'_>> {
    let lists = ["supportedInterfaces", "additionalInterfaces"].into_iter();
    let entries = lists.filter_map(|name| card::member(root, name)).flat_map(Value::elements);
    let urls = entries.filter_map(|entry| entry.member("url")).chain(root.member("url"));
    urls.filter_map(InterfaceUrl::of).take(MAX_PLACES).collect()
}

/// The URLs that share an authority, then each one alone.
fn groups<'u, 'c>(urls: &'u [InterfaceUrl<'c>]) -> Vec<Vec<&'u InterfaceUrl<'c>>> {
    let mut groups: Vec<Vec<&InterfaceUrl<'_>>> = Vec::new();
    for url in urls {
        match groups.iter_mut().find(|group| group.iter().any(|other| other.authority == url.authority)) {
            Some(group) => group.push(url),
            None => groups.push(vec![url]),
        }
    }
    let alone = urls.iter().map(|url| vec![url]);
    groups.into_iter().chain(alone).collect()
}

/// The hosts that the caller expects, then those of other URLs of the card.
fn hosts(root: Value<'_>, hints: &DiagnosisHints) -> Vec<String> {
    let mut hosts: Vec<String> = hints.expected_hosts.iter().take(MAX_HOSTS).cloned().collect();
    let most = hosts.len().saturating_add(MAX_HOSTS);
    let mut open: Vec<Value<'_>> =
        root.members().filter(|(name, _)| *name != "signatures").map(|(_, value)| value).collect();
    while let Some(value) = open.pop() {
        match value.kind() {
            Kind::Object => open.extend(value.members().map(|(_, member)| member)),
            Kind::Array => open.extend(value.elements()),
            Kind::Null | Kind::Bool | Kind::Number | Kind::Text => {
                let url = value.as_text().and_then(parts).filter(|(prefix, ..)| !prefix.is_empty());
                let authority = url.map(|(_, authority, _)| authority.to_owned());
                hosts.extend(authority.filter(|authority| !hosts.contains(authority)));
                if hosts.len() >= most {
                    break;
                }
            }
        }
    }
    hosts
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn a_url_is_split_at_its_authority() {
        assert_eq!(parts("https://a.example:8443/x/y?z"), Some(("https://", "a.example:8443", "/x/y?z")));
        assert_eq!(parts("https://a.example"), Some(("https://", "a.example", "")));
        assert_eq!(parts("https:///x"), None);
        assert_eq!(parts("grpc.example:443"), Some(("", "grpc.example:443", "")));
    }
}
