//! The keys of the policy: how old they are, how long they last, and how many agents rest on them.

use std::collections::BTreeMap;

use countersign::UnixTime;
use countersign::policy::{KeySet, PolicyKey, Tombstone};

use super::document::Document;
use super::html::{Html, counted};
use super::{Left, Run, days};
use crate::policyfile;

pub(super) fn section(run: &Run<'_>, html: &mut Html) {
    html.markup("<section id=\"keys\" aria-labelledby=\"keys-title\">\n<h2 id=\"keys-title\">Keys</h2>\n");
    let (keys, revoked) = (run.policy.keys(), run.policy.tombstones());
    if keys.is_empty() && revoked.is_empty() {
        html.markup("<p>The policy names no key itself.</p>\n");
    } else {
        html.markup("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"keys-title\"><table class=\"sortable\"><thead><tr>");
        for title in ["Key", "kid", "Kind", "For", "First second", "Last second"] {
            html.markup("<th scope=\"col\">").markup(title).markup("</th>");
        }
        for title in ["Days in use", "Days left", "Agents that rest on it"] {
            html.markup("<th scope=\"col\" data-sort=\"number\">").markup(title).markup("</th>");
        }
        html.markup("<th scope=\"col\">State</th><th scope=\"col\">Thumbprint</th></tr></thead><tbody>\n");
        let used = used(run);
        let mut keys: Vec<&PolicyKey> = keys.iter().collect();
        keys.sort_by_key(|key| (key.trusted.not_after().unwrap_or(i64::MAX), &key.id));
        for key in keys {
            usable(run, key, &used, html);
        }
        for tombstone in revoked {
            void(run, tombstone, html);
        }
        html.markup("</tbody></table></div>\n");
    }
    sets(run, html);
    html.markup("</section>\n");
}

/// What is left of each key that has an end.
pub(super) fn lefts(run: &Run<'_>) -> Vec<Left> {
    let ends = run.policy.keys().iter().filter_map(|key| key.trusted.not_after());
    ends.map(|last| Left::until(UnixTime::from_seconds(last), run.now)).collect()
}

/// How many agents a key counts for, by its id and `kid`.
fn used(run: &Run<'_>) -> BTreeMap<(String, Option<String>), usize> {
    let mut used = BTreeMap::new();
    for decision in run.documents.iter().filter_map(Document::decision) {
        let counting = decision.signatures.iter().filter(|signature| signature.counts);
        let keys: std::collections::BTreeSet<_> =
            counting.filter_map(|signature| Some((signature.key.clone()?, signature.kid.clone()))).collect();
        for key in keys {
            let number: &mut usize = used.entry(key).or_default();
            *number = number.saturating_add(1);
        }
    }
    used
}

fn usable(run: &Run<'_>, key: &PolicyKey, used: &BTreeMap<(String, Option<String>), usize>, html: &mut Html) {
    let trusted = &key.trusted;
    html.markup("<tr><th scope=\"row\">").code(&key.id).markup("</th><td>");
    optional(trusted.kid(), html);
    html.markup("</td><td>").text(trusted.key().kind()).markup("</td><td class=\"origins\">");
    origins(key.origins.iter().map(|origin| origin.value.to_string()), html);
    let first = policyfile::first_second(run.policy, key);
    let last = trusted.not_after().map(UnixTime::from_seconds);
    for time in [first, last] {
        html.markup("</td><td>");
        match time {
            Some(time) => html.markup("<time>").text(time).markup("</time>"),
            None => html.markup("–"),
        };
    }
    html.markup("</td>");
    match first {
        Some(first) if first > run.now => {
            html.markup("<td class=\"number\" data-order=\"-1\">not yet</td>");
        }
        Some(first) => {
            let age = days(first, run.now);
            html.markup("<td class=\"number\"").attribute("data-order", age).markup(">").text(age);
            html.markup(" d</td>");
        }
        None => {
            html.markup("<td class=\"number\">–</td>");
        }
    }
    let left = last.map(|last| Left::until(last, run.now));
    match left {
        Some(left) => left.cell(html),
        None => {
            html.markup("<td class=\"number\">no end</td>");
        }
    }
    let agents = match trusted.kid() {
        Some(kid) => used.get(&(key.id.clone(), Some(kid.to_owned()))).copied().unwrap_or_default(),
        // It answers to every `kid`.
        None => used.iter().filter(|((id, _), _)| *id == key.id).map(|(_, number)| number).sum(),
    };
    html.markup("<td class=\"number\"").attribute("data-order", agents).markup(">").text(agents);
    html.markup("</td><td>");
    html.markup(match (first, left) {
        (_, Some(Left::Ended { .. })) => "<span class=\"state bad\">ended</span>",
        (Some(first), _) if first > run.now => "<span class=\"state plain\">not yet valid</span>",
        (_, Some(Left::Soon { .. })) => "<span class=\"state warn\">ends soon</span>",
        _ => "<span class=\"state good\">valid</span>",
    });
    html.markup("</td><td class=\"digest\">").code(trusted.thumbprint()).markup("</td></tr>\n");
}

fn void(run: &Run<'_>, tombstone: &Tombstone, html: &mut Html) {
    html.markup("<tr><th scope=\"row\">").code(&tombstone.id).markup("</th><td>");
    optional(tombstone.kid.as_deref(), html);
    html.markup("</td><td>–</td><td>–</td><td>–</td><td><time>").text(tombstone.at);
    html.markup("</time></td><td class=\"number\">–</td>");
    Left::Ended { days: days(tombstone.at, run.now) }.cell(html);
    html.markup("<td class=\"number\" data-order=\"0\">0</td><td><span class=\"state bad\">revoked: ");
    html.text(tombstone.reason.name()).markup("</span></td><td class=\"digest\">").code(tombstone.thumbprint);
    html.markup("</td></tr>\n");
}

/// The sets that are fetched. Those that are files are among the keys.
fn sets(run: &Run<'_>, html: &mut Html) {
    let fetched: Vec<(&KeySet, String)> = run
        .policy
        .key_sets()
        .iter()
        .filter_map(|set| Some((set, set.url.as_ref()?.canonical_text())))
        .collect();
    if fetched.is_empty() {
        return;
    }
    html.markup("<h3 id=\"sets-title\">Key sets by URL</h3>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"sets-title\"><table class=\"sortable\"><thead><tr>");
    for title in ["Key set", "URL", "For", "Fetched anew after", "Most keys", "Pinned to"] {
        html.markup("<th scope=\"col\">").markup(title).markup("</th>");
    }
    html.markup("</tr></thead><tbody>\n");
    for (set, url) in fetched {
        html.markup("<tr><th scope=\"row\">").code(&set.id).markup("</th><td>").code(url).markup("</td><td>");
        origins(set.origins.iter().map(|origin| origin.value.to_string()), html);
        html.markup("</td><td class=\"number\">").text(set.refresh_seconds).markup(" s</td>");
        html.markup("<td class=\"number\">").text(set.max_keys).markup("</td><td>");
        match set.pins.len() {
            0 => html.markup("any key of the set"),
            number => html.text(counted(number, "thumbprint", "thumbprints")),
        };
        html.markup("</td></tr>\n");
    }
    html.markup("</tbody></table></div>\n");
}

fn origins(origins: impl Iterator<Item = String>, html: &mut Html) {
    for origin in origins {
        html.markup("<span class=\"line\">").code(origin).markup("</span>");
    }
}

fn optional(text: Option<&str>, html: &mut Html) {
    match text {
        Some(text) => html.foreign(text),
        None => html.markup("–"),
    };
}
