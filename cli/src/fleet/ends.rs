//! What holds for a time only: exceptions, audit modes and grace periods, the next end first.

use std::collections::BTreeMap;

use countersign::UnixTime;
use countersign::policy::{Grace, Mode, PolicyPlace, SignatureLevel};

use super::html::Html;
use super::{Left, Run};

/// Something with an end. What several rules take from one place of the policy is told once.
#[derive(Debug)]
pub(super) struct End<'p> {
    what: &'static str,
    /// The exception, or the rules.
    ids: Vec<&'p str>,
    /// What it lets through.
    lets: String,
    until: UnixTime,
    reason: &'p str,
    owner: Option<&'p str>,
    place: &'p PolicyPlace,
}

impl End<'_> {
    pub(super) fn left(&self, now: UnixTime) -> Left {
        Left::until(self.until, now)
    }
}

/// All of them, those that end first before the others.
pub(super) fn ends<'f>(run: &Run<'f>) -> Vec<End<'f>> {
    let policy = run.policy;
    let mut ends: Vec<End<'f>> = Vec::new();
    let mut seen: BTreeMap<(&'static str, String), usize> = BTreeMap::new();
    for rule in policy.allows() {
        let mut add = |what: &'static str, lets: String, grace: &'f Grace, place: &'f PolicyPlace| {
            let known = seen.entry((what, place.to_string())).or_insert(ends.len());
            match ends.get_mut(*known) {
                Some(end) => end.ids.push(&rule.id),
                None => ends.push(End {
                    what,
                    ids: vec![&rule.id],
                    lets,
                    until: grace.until,
                    reason: &grace.reason,
                    owner: None,
                    place,
                }),
            }
        };
        if let Mode::Audit(grace) = &rule.mode.value {
            add("audit mode", "denials are not enforced".to_owned(), grace, &rule.mode.place);
        }
        let level = &rule.signatures.level;
        match &level.value {
            SignatureLevel::Require => {}
            SignatureLevel::IfPresent(grace) => {
                add("signatures if-present", "cards without signatures".to_owned(), grace, &level.place);
            }
            SignatureLevel::Off(grace) => {
                add("signatures off", "signatures are not looked at".to_owned(), grace, &level.place);
            }
        }
        if let Some(allowance) = &rule.signatures.allow_uncovered {
            let lets = format!("unsigned: {}", allowance.value.pointers.join(", "));
            add("allow-uncovered", lets, &allowance.value.grace, &allowance.place);
        }
        if let Some(any) = &rule.interfaces.any_host
            && let Some(grace) = &any.value.grace
        {
            add("any-host", "interfaces on any public host".to_owned(), grace, &any.place);
        }
    }
    ends.extend(policy.exceptions().iter().map(|exception| {
        let codes: Vec<&str> = exception.waives.iter().map(|code| code.value.name()).collect();
        End {
            what: "exception",
            ids: vec![&exception.id],
            lets: format!("{} for {} in {}", codes.join(", "), exception.origin.value, exception.rule.value),
            until: exception.until,
            reason: &exception.reason,
            owner: Some(&exception.owner),
            place: &exception.place,
        }
    }));
    ends.sort_by_key(|end| end.until);
    ends
}

pub(super) fn section(run: &Run<'_>, html: &mut Html) {
    html.markup("<section id=\"ends\" aria-labelledby=\"ends-title\">\n<h2 id=\"ends-title\">Exceptions, audit modes and grace periods</h2>\n");
    let ends = ends(run);
    if ends.is_empty() {
        html.markup("<p>The policy has none.</p>\n</section>\n");
        return;
    }
    html.markup("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"ends-title\"><table class=\"sortable\"><thead><tr>");
    for title in
        ["Until", "Days left", "What", "Exception or rules", "Lets through", "Reason", "Owner", "Policy"]
    {
        html.markup(if title == "Days left" {
            "<th scope=\"col\" data-sort=\"number\">"
        } else {
            "<th scope=\"col\">"
        });
        html.markup(title).markup("</th>");
    }
    html.markup("</tr></thead><tbody>\n");
    for end in &ends {
        html.markup("<tr><td><time>").text(end.until).markup("</time></td>");
        end.left(run.now).cell(html);
        html.markup("<td>").markup(end.what).markup("</td><td>");
        for id in &end.ids {
            html.markup("<span class=\"line\">").code(id).markup("</span>");
        }
        html.markup("</td><td>").foreign(&end.lets).markup("</td><td>").foreign(end.reason);
        html.markup("</td><td>").foreign(end.owner.unwrap_or("–")).markup("</td><td>").code(end.place);
        html.markup("</td></tr>\n");
    }
    html.markup("</tbody></table></div>\n</section>\n");
}
