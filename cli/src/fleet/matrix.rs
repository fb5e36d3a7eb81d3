//! The matrix: agents by the codes that are said about them, with what narrows it down.

use std::collections::BTreeSet;

use super::Run;
use super::card;
use super::document::{Decision, Document, Interface, Signature, Standing};
use super::html::{Html, counted, shortened};
use super::marks::{Column, Mark, Weight};

/// Most characters of a text of a card in a row; the whole is in its details.
pub(super) const MAX_IN_ROW: usize = 120;
/// Most interfaces and signatures in a row.
const MAX_LISTED: usize = 3;
/// Columns beside those of the codes.
const FIXED_COLUMNS: usize = 6;

pub(super) fn section(run: &Run<'_>, html: &mut Html) {
    html.markup(
        "<section id=\"agents\" aria-labelledby=\"agents-title\">\n<h2 id=\"agents-title\">Agents</h2>\n",
    );
    filter(run, html);
    html.markup("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"agents-title\">\n<table id=\"matrix\">\n<thead><tr>");
    html.markup("<th scope=\"col\">Agent</th><th scope=\"col\">Outcome</th>");
    for column in &run.columns.columns {
        html.markup("<th scope=\"col\" class=\"code\" data-sort=\"number\"><span>").text(column.code);
        html.markup("</span></th>");
    }
    for title in ["Rule", "Signed by", "Interfaces", "Decide anew"] {
        html.markup("<th scope=\"col\">").markup(title).markup("</th>");
    }
    html.markup("</tr></thead>\n");
    for (place, document) in run.documents.iter().enumerate() {
        agent(run, place, document, html);
    }
    html.markup("</table>\n</div>\n<p class=\"note\">Letters: ");
    for (index, weight) in Weight::ALL.into_iter().enumerate() {
        html.markup(if index == 0 { "" } else { ", " });
        letter(weight, html);
        html.markup(" ").markup(weight.words());
    }
    html.markup(". A number says how often. The heaviest letter of a cell is shown; all messages open with it.</p>\n</section>\n");
}

fn filter(run: &Run<'_>, html: &mut Html) {
    html.markup("<form id=\"filter\" role=\"search\" aria-label=\"Agents\" hidden>\n<label>Text <input type=\"search\" name=\"text\" autocomplete=\"off\" spellcheck=\"false\"></label>\n<label>Outcome <select name=\"outcome\"><option value=\"\">any</option>");
    for standing in Standing::ALL {
        html.markup("<option").attribute("value", standing.name()).markup(">").markup(standing.words());
        html.markup("</option>");
    }
    html.markup("</select></label>\n<label>Code <select name=\"code\"><option value=\"\">any</option>");
    let codes: BTreeSet<&str> = run.columns.columns.iter().map(|column| column.code).collect();
    options(&codes, html);
    html.markup("</select></label>\n<label>Rule <select name=\"rule\"><option value=\"\">any</option>");
    let decisions = run.documents.iter().filter_map(Document::decision);
    options(&decisions.filter_map(|decision| decision.rule.as_deref()).collect(), html);
    html.markup("</select></label>\n<button type=\"reset\">Show all</button>\n<output id=\"shown\" role=\"status\"></output>\n</form>\n");
}

fn options(values: &BTreeSet<&str>, html: &mut Html) {
    for value in values {
        html.markup("<option").attribute("value", value).markup(">").text(shortened(value, MAX_IN_ROW));
        html.markup("</option>");
    }
}

/// Two rows: the facts, then the details.
fn agent(run: &Run<'_>, place: usize, document: &Document, html: &mut Html) {
    let standing = document.standing();
    html.markup("<tbody").attribute("id", format!("agent-{place}"));
    html.attribute("data-outcome", standing.name());
    let rule = document.decision().and_then(|decision| decision.rule.as_deref());
    if let Some(rule) = rule {
        html.attribute("data-rule", rule);
    }
    html.markup(">\n<tr><th scope=\"row\">");
    who(document, html);
    html.markup("</th><td").attribute("data-order", position(standing)).markup(">");
    state(standing, html);
    if document.is_from_cache() {
        html.markup("<span class=\"small\">from the cache</span>");
    }
    html.markup("</td>");
    for (index, column) in run.columns.columns.iter().enumerate() {
        cell(place, index, column, html);
    }
    html.markup("<td class=\"rule\">");
    match rule {
        Some(rule) => html.code(shortened(rule, MAX_IN_ROW)),
        None => html.markup("–"),
    };
    html.markup("</td>");
    match document.decision() {
        Some(decision) => {
            signers(decision, html);
            interfaces(decision, standing, html);
        }
        None => {
            html.markup("<td>–</td><td>–</td><td>–</td>");
        }
    }
    html.markup("</tr>\n<tr class=\"more\"><td");
    html.attribute("colspan", FIXED_COLUMNS.saturating_add(run.columns.columns.len()));
    html.markup("><details><summary>");
    why(document, html);
    html.markup("</summary>\n");
    card::details(document, html);
    html.markup("</details></td></tr>\n</tbody>\n");
}

fn who(document: &Document, html: &mut Html) {
    let (input, url) = match document {
        Document::Decision(decision) => {
            if let Some(name) = &decision.card.name {
                html.markup("<span class=\"name\">").foreign(shortened(name, MAX_IN_ROW)).markup("</span> ");
            }
            if let Some(version) = &decision.card.version {
                html.foreign(shortened(version, MAX_IN_ROW)).markup(" ");
            }
            (&*decision.input, Some(&*decision.subject.url))
        }
        Document::Failure(failure) => (&*failure.input, None),
        Document::Unknown { .. } => ("?", None),
    };
    for (index, text) in url.into_iter().chain(Some(input)).enumerate() {
        // A card that was fetched is named by its URL.
        if index == 0 || url != Some(text) {
            html.markup("<span class=\"small\">").code(shortened(text, MAX_IN_ROW)).markup("</span>");
        }
    }
}

fn signers(decision: &Decision, html: &mut Html) {
    html.markup("<td class=\"signers\">");
    let counted: Vec<&Signature> = decision.signatures.iter().filter(|signature| signature.counts).collect();
    for signature in counted.iter().take(MAX_LISTED) {
        html.markup("<span class=\"line\">");
        match (&signature.key, &signature.kid) {
            (Some(key), _) => html.code(shortened(key, MAX_IN_ROW)),
            (None, _) => html.markup("?"),
        };
        if let Some(kid) = signature.kid.as_ref().filter(|kid| Some(*kid) != signature.key.as_ref()) {
            html.markup(" kid ").code(shortened(kid, MAX_IN_ROW));
        }
        if let Some(form) = &signature.form {
            html.markup(" <span class=\"dim\">").foreign(form).markup("</span>");
        }
        html.markup("</span>");
    }
    more(counted.len(), html);
    if counted.is_empty() {
        html.text(match (decision.signatures.len(), decision.signature_level.as_deref()) {
            (_, Some("off")) => "not looked at".to_owned(),
            (0, _) => "no signature".to_owned(),
            (number, _) => format!("none of {number} counts"),
        });
    }
    html.markup("</td>");
}

fn interfaces(decision: &Decision, standing: Standing, html: &mut Html) {
    let usable = decision.interfaces.iter().filter(|interface| is_usable(interface, standing)).count();
    html.markup("<td class=\"interfaces\"").attribute("data-order", usable).markup("><span class=\"line\">");
    html.text(format!("{usable} of {}", decision.interfaces.len())).markup("</span>");
    for interface in decision.interfaces.iter().take(MAX_LISTED) {
        html.markup("<span class=\"line small\">");
        sign(interface, standing, html);
        for part in [&interface.version, &interface.binding].into_iter().flatten() {
            html.foreign(shortened(part, MAX_IN_ROW)).markup(" ");
        }
        html.code(shortened(interface.url.as_deref().unwrap_or("no URL"), MAX_IN_ROW)).markup("</span>");
    }
    more(decision.interfaces.len(), html);
    html.markup("</td><td><time>").text(&decision.expires_at).markup("</time></td>");
}

/// Whether an interface may be called. Of a card that is denied none may.
pub(super) fn is_usable(interface: &Interface, standing: Standing) -> bool {
    standing >= Standing::NotEnforced && matches!(&*interface.outcome, "admitted" | "not-enforced")
}

/// Whether an interface may be called, as a sign and in words.
pub(super) fn sign(interface: &Interface, standing: Standing, html: &mut Html) {
    html.markup(if is_usable(interface, standing) {
        "<span class=\"good\" aria-hidden=\"true\">✓</span><span class=\"spoken\">may be called: </span> "
    } else {
        "<span class=\"bad\" aria-hidden=\"true\">✕</span><span class=\"spoken\">may not be called: </span> "
    });
}

fn more(number: usize, html: &mut Html) {
    let left = number.saturating_sub(MAX_LISTED);
    if left > 0 {
        html.markup("<span class=\"line dim\">and ").text(left).markup(" more</span>");
    }
}

/// The letter of a code, which opens its messages.
fn cell(place: usize, index: usize, column: &Column<'_>, html: &mut Html) {
    let marks: &[Mark<'_>] = column.marks.get(&place).map_or(&[], Vec::as_slice);
    let Some(heaviest) = marks.first() else {
        html.markup("<td class=\"code\"></td>");
        return;
    };
    let id = format!("said-{place}-{index}");
    html.markup("<td class=\"code\"").attribute("data-order", marks.len()).markup("><button type=\"button\"");
    html.attribute("class", heaviest.weight.class()).attribute("popovertarget", &id);
    let times = counted(marks.len(), "message", "messages");
    html.attribute("aria-label", format!("{}, {}: {times}", column.code, heaviest.weight.words()));
    html.markup(">").markup(heaviest.weight.letter());
    if marks.len() > 1 {
        html.text(marks.len());
    }
    html.markup("</button><div popover class=\"said\"").attribute("id", &id);
    html.markup("><strong>").code(column.code).markup("</strong><ul>");
    for mark in marks {
        html.markup("<li>").markup(mark.weight.words()).markup(": ").foreign(mark.message);
        if !mark.about.is_empty() {
            html.markup(" <span class=\"dim\">(").foreign(&mark.about).markup(")</span>");
        }
        html.markup("</li>");
    }
    html.markup("</ul></div></td>");
}

fn letter(weight: Weight, html: &mut Html) {
    html.markup("<b").attribute("class", format!("letter {}", weight.class())).markup(">");
    html.markup(weight.letter()).markup("</b>");
}

fn state(standing: Standing, html: &mut Html) {
    let class = match standing {
        Standing::Admitted => "good",
        Standing::NotEnforced => "warn",
        Standing::Denied | Standing::NotFetched => "bad",
    };
    html.markup("<span").attribute("class", format!("state {class}")).markup(">");
    html.markup(standing.words()).markup("</span>");
}

fn position(standing: Standing) -> usize {
    Standing::ALL.iter().position(|one| *one == standing).unwrap_or_default()
}

/// Why, in one line.
fn why(document: &Document, html: &mut Html) {
    match document {
        Document::Failure(failure) => html.foreign(shortened(&failure.message, MAX_IN_ROW)),
        Document::Unknown { .. } => html.markup("the run left no document that can be read"),
        Document::Decision(decision) => match decision.reasons.split_first() {
            None => html.markup("Details"),
            Some((first, others)) => {
                html.foreign(shortened(&first.message, MAX_IN_ROW));
                match others.len() {
                    0 => html,
                    number => html.text(format!("; and {number} more")),
                }
            }
        },
    };
}
