//! Everything that one document says.

use super::document::{Decision, Document, Interface, Reason, Signature};
use super::html::Html;
use super::matrix::{is_usable, sign};

pub(super) fn details(document: &Document, html: &mut Html) {
    match document {
        Document::Decision(decision) => decided(decision, document, html),
        Document::Failure(failure) => {
            html.markup("<dl class=\"facts\">").term("Input", Some(&failure.input));
            html.term("Code", Some(&failure.code).filter(|code| !code.is_empty()).map(|code| &**code));
            html.term("Message", Some(&failure.message)).term("Help", failure.help.as_deref());
            html.markup("</dl>\n");
        }
        Document::Unknown { text } => {
            html.markup("<p>").code(text).markup("</p>\n");
        }
    }
}

fn decided(decision: &Decision, document: &Document, html: &mut Html) {
    facts(decision, html);
    reasons(decision, html);
    if !decision.interfaces.is_empty() {
        table("Interfaces", &["#", "Version", "Binding", "URL", "Tenant", "Answer", "Why"], html);
        for interface in &decision.interfaces {
            row(|html| interface_cells(interface, decision, document, html), html);
        }
        end(html);
    }
    if !decision.signatures.is_empty() {
        table("Signatures", &["#", "In", "kid", "alg", "Answer", "Key", "Form", "Counts", "Why"], html);
        for signature in &decision.signatures {
            row(|html| signature_cells(signature, html), html);
        }
        end(html);
    }
    if !decision.uncovered.is_empty() {
        table("Members that no signature covers", &["Member", "Class"], html);
        for member in &decision.uncovered {
            row(|html| cells(&[Some(&member.pointer), Some(&member.class)], html), html);
        }
        end(html);
    }
    if !decision.findings.is_empty() {
        table("Findings", &["Level", "Code", "Member", "Message"], html);
        for finding in &decision.findings {
            let parts =
                [Some(&finding.level), Some(&finding.code), finding.pointer.as_ref(), Some(&finding.message)];
            row(|html| cells(&parts, html), html);
        }
        end(html);
    }
    if !decision.trace.is_empty() {
        table("How the answer came about", &["Step", "Answer", "Taken", "Policy"], html);
        for step in &decision.trace {
            let parts = [Some(&step.step), Some(&step.why), step.picked.as_ref(), step.span.as_ref()];
            row(|html| cells(&parts, html), html);
        }
        end(html);
    }
    if let Some(explanation) = decision.explanation.as_ref().filter(|it| !it.changes.is_empty()) {
        table(
            "Changes of the policy that would admit it, all of them together; a denial may be right",
            &["Change"],
            html,
        );
        for change in &explanation.changes {
            row(|html| cells(&[Some(change)], html), html);
        }
        end(html);
    }
}

fn facts(decision: &Decision, html: &mut Html) {
    html.markup("<dl class=\"facts\">").term("Input", Some(&decision.input));
    html.markup("<dt>Source</dt><dd>").code(&decision.subject.url).markup(" (");
    html.foreign(&decision.subject.source).markup(")</dd>");
    html.term("Tenant", decision.subject.tenant.as_deref()).term("Use", decision.subject.purpose.as_deref());
    html.term("Name", decision.card.name.as_deref()).term("Version", decision.card.version.as_deref());
    html.term("Rule", decision.rule.as_deref()).term("Why not another rule", decision.why_not.as_deref());
    html.term("Signatures are", decision.signature_level.as_deref());
    if let Some(audit) = &decision.audit {
        html.markup("<dt>Not enforced until</dt><dd>").text(&audit.until).markup(": ");
        html.foreign(&audit.reason).markup("</dd>");
    }
    let selected = decision.selected.as_ref().map(|selected| format!("interface {}", selected.index));
    html.term("Selected", selected.as_deref());
    for (scheme, ours) in &decision.credentials {
        html.markup("<dt>Credential</dt><dd>").code(ours).markup(" for the scheme ").code(scheme);
        html.markup("</dd>");
    }
    html.term("SHA-256 of the card", decision.card.sha256.as_deref());
    html.term("SHA-256 of what is signed", decision.card.payload_sha256.as_deref());
    html.term("Cache", Some(&*decision.cache)).term("Decided at", Some(&decision.evaluated_at));
    html.term("Decide anew at", Some(&decision.expires_at));
    let not_checked = decision.not_checked.join(", ");
    html.term("Not checked", Some(&*not_checked).filter(|text| !text.is_empty())).markup("</dl>\n");
}

fn reasons(decision: &Decision, html: &mut Html) {
    if decision.reasons.is_empty() && decision.waived.is_empty() {
        return;
    }
    table("Reasons", &["Code", "Message", "Member", "Value", "Policy", "Nearest pattern"], html);
    for reason in &decision.reasons {
        row(|html| reason_cells(reason, None, html), html);
    }
    for waived in &decision.waived {
        row(|html| reason_cells(&waived.reason, Some(&waived.exception), html), html);
    }
    end(html);
}

fn reason_cells(reason: &Reason, exception: Option<&str>, html: &mut Html) {
    html.markup("<td>").code(&reason.code);
    if let Some(exception) = exception {
        html.markup("<span class=\"small warn\">waived by ").code(exception).markup("</span>");
    }
    html.markup("</td>");
    let parts = [
        Some(&reason.message),
        reason.pointer.as_ref().filter(|pointer| !pointer.is_empty()),
        reason.value.as_ref(),
        reason.span.as_ref(),
    ];
    cells(&parts, html);
    html.markup("<td>");
    match &reason.nearest {
        Some(nearest) => {
            html.code(&nearest.pattern).markup(" at ").code(&nearest.span).markup(": ");
            html.foreign(&nearest.why);
        }
        None => {
            html.markup("–");
        }
    }
    html.markup("</td>");
}

fn interface_cells(interface: &Interface, decision: &Decision, document: &Document, html: &mut Html) {
    html.markup("<td>").text(interface.index).markup("</td>");
    let parts = [
        interface.version.as_ref(),
        interface.binding.as_ref(),
        interface.url.as_ref(),
        interface.tenant.as_ref(),
    ];
    cells(&parts, html);
    html.markup("<td>");
    sign(interface, document.standing(), html);
    match (&*interface.outcome, is_usable(interface, document.standing())) {
        ("admitted", false) => html.markup("the card is denied"),
        (outcome, _) => html.foreign(outcome),
    };
    if decision.selected.as_ref().is_some_and(|selected| selected.index == interface.index) {
        html.markup(", selected");
    }
    html.markup("</td>");
    whys(&interface.reasons, html);
}

fn signature_cells(signature: &Signature, html: &mut Html) {
    html.markup("<td>").text(signature.index).markup("</td><td>");
    match &signature.endorsement {
        Some(file) => html.code(file),
        None => html.markup("the card"),
    };
    html.markup("</td>");
    let parts = [
        signature.kid.as_ref(),
        signature.alg.as_ref(),
        Some(&signature.outcome),
        signature.key.as_ref(),
        signature.form.as_ref(),
    ];
    cells(&parts, html);
    html.markup(if signature.counts { "<td>yes</td>" } else { "<td>no</td>" });
    whys(&signature.reasons, html);
}

fn whys(reasons: &[Reason], html: &mut Html) {
    html.markup("<td>");
    for reason in reasons {
        html.markup("<span class=\"line\">").code(&reason.code).markup(": ").foreign(&reason.message);
        if let Some(span) = &reason.span {
            html.markup(" (").code(span).markup(")");
        }
        if let Some(nearest) = &reason.nearest {
            html.markup("; nearest ").code(&nearest.pattern).markup(" (").code(&nearest.span).markup("): ");
            html.foreign(&nearest.why);
        }
        html.markup("</span>");
    }
    html.markup("</td>");
}

fn cells(parts: &[Option<&String>], html: &mut Html) {
    for part in parts {
        html.markup("<td>");
        match part {
            Some(text) => html.foreign(text),
            None => html.markup("–"),
        };
        html.markup("</td>");
    }
}

fn table(title: &'static str, columns: &[&'static str], html: &mut Html) {
    html.markup("<table class=\"inner\"><caption>").markup(title).markup("</caption><thead><tr>");
    for column in columns {
        html.markup("<th scope=\"col\">").markup(column).markup("</th>");
    }
    html.markup("</tr></thead><tbody>\n");
}

fn row(cells: impl FnOnce(&mut Html), html: &mut Html) {
    html.markup("<tr>");
    cells(html);
    html.markup("</tr>\n");
}

fn end(html: &mut Html) {
    html.markup("</tbody></table>\n");
}
