//! The decision for people: the verdict first, then what it rests on.

use countersign::keys::json::Kind;
use countersign::policy::{InterfaceVerdict, SignatureState, SignatureVerdict, TraceStep, UncoveredFacts};
use countersign::{CacheState, Finding, InterfaceOutcome, Outcome, Reason, codes};

use super::fetched::Fetching;
use super::{Answer, explanation, names, pins};
use crate::command::security;
use crate::command::verify::diagnosis_lines;
use crate::output::{Detail, finding_line};
use crate::render::{Paint, escape};

/// Most reasons that the first line says in words.
const MAX_IN_HEAD: usize = 2;

/// `card.json: admit …`, on one line.
pub(super) fn line(answer: &Answer<'_>) -> String {
    let decision = answer.decision;
    let name = escape(&answer.name);
    let codes = names(&decision.codes()).join(" ");
    match (decision.outcome, decision.enforced) {
        (Outcome::Deny, true) => format!("{name}: deny {codes}"),
        (Outcome::Deny, false) => format!("{name}: deny, not enforced {codes}"),
        (Outcome::Admit, _) => {
            let rule = decision.rule.as_deref().map(escape).unwrap_or_default();
            let usable = decision.interfaces.iter().filter(|verdict| is_usable(verdict));
            let interfaces = match &answer.selected {
                Some(selected) => {
                    let interface = selected.interface;
                    format!(
                        "{} {} {}",
                        interface.version(),
                        escape(interface.binding()),
                        escape(interface.url())
                    )
                }
                None => usable.map(told).collect::<Vec<_>>().join(", "),
            };
            format!("{name}: admit {rule} {interfaces} until {}", decision.expires_at)
        }
    }
}

pub(super) fn lines(answer: &Answer<'_>, paint: Paint, detail: Detail) -> Vec<String> {
    let decision = answer.decision;
    let mut tree = Tree { paint, lines: vec![head(answer, paint)] };
    for reason in &decision.reasons {
        tree.reason("  ", reason);
    }
    for waived in &decision.waived {
        let exception = escape(&waived.exception);
        let text =
            format!("waived by `{exception}`: {} [{}]", escape(&waived.reason.message), waived.reason.code);
        tree.push(format!("  {} {text}", paint.warn("!")));
    }
    tree.member("card", &card(answer));
    let source =
        format!("{} ({})", escape(&decision.subject.url), escape(&decision.subject.source.to_string()));
    tree.member("source", &source);
    if let Some(fetching) = &answer.fetching {
        tree.member("fetched", &fetched(fetching, answer.cache));
    }
    if let Some(tenant) = &decision.subject.tenant {
        tree.member("tenant", &escape(tenant));
    }
    if let Some(purpose) = &decision.subject.purpose {
        tree.member("use", &escape(purpose));
    }
    tree.member("rule", &rule(answer));
    tree.signatures(answer);
    tree.interfaces(answer);
    for (index, words) in security::words(answer.view).iter().enumerate() {
        tree.member(if index == 0 { "auth" } else { "" }, words);
    }
    for (scheme, ours) in &decision.credentials {
        tree.member("credential", &format!("`{}` for the scheme `{}`", escape(ours), escape(scheme)));
    }
    tree.uncovered(&decision.uncovered, detail);
    // An uncovered member has its own line above.
    let is_told = |finding: &&Finding| {
        finding.code == codes::SIG_UNCOVERED_MEMBER
            && decision.uncovered.iter().any(|member| Some(&member.pointer) == finding.pointer.as_ref())
    };
    for finding in decision.findings.iter().filter(|finding| !is_told(finding)) {
        tree.push(format!("  {}", finding_line(finding, None, paint)));
    }
    for (index, words) in decision.pins.iter().flat_map(pins::lines).enumerate() {
        tree.member(if index == 0 { "pins" } else { "" }, &words);
    }
    if detail == Detail::Verbose {
        for step in &decision.trace {
            tree.step(step);
        }
    }
    if !decision.not_checked.is_empty() {
        tree.member("not checked", &decision.not_checked.join(", "));
    }
    tree.member("expires", &decision.expires_at.to_string());
    tree.explanation(answer);
    let (pinned, others): (Vec<_>, Vec<_>) =
        decision.codes().into_iter().partition(|code| pins::is_answered(*code, answer));
    for code in others {
        tree.push(format!("  help[{code}]: {}", code.page().instead));
    }
    if let Some(command) = pins::accept(answer).filter(|_| !pinned.is_empty()) {
        let codes = names(&pinned).join(", ");
        tree.push(format!("  help[{codes}]: look at the card; this accepts it, and no other one: {command}"));
    }
    tree.lines
}

/// The verdict and what it rests on, in words.
fn head(answer: &Answer<'_>, paint: Paint) -> String {
    let decision = answer.decision;
    let name = paint.bold(&escape(&answer.name));
    let why = decision.reasons.iter().take(MAX_IN_HEAD).map(|reason| escape(&reason.message));
    let mut why = why.collect::<Vec<_>>().join("; ");
    let more = decision.reasons.len().saturating_sub(MAX_IN_HEAD);
    if more > 0 {
        why = format!("{why}; and {more} more");
    }
    match (decision.outcome, &decision.audit) {
        (Outcome::Admit, _) => format!("{name}: {}: {}", paint.good("ADMIT"), basis(answer)),
        (Outcome::Deny, Some(audit)) if !decision.enforced => {
            let mode = paint.warn(&format!("DENY, not enforced until {}", audit.until));
            format!("{name}: {mode}: {why}")
        }
        (Outcome::Deny, _) => format!("{name}: {}: {why}", paint.bad("DENY")),
    }
}

/// `signed by `acme-release`, 1 of 2 interfaces may be called`
fn basis(answer: &Answer<'_>) -> String {
    let decision = answer.decision;
    let counted = decision.signatures.iter().filter(|verdict| verdict.counts);
    let mut keys: Vec<String> = counted
        .filter_map(|verdict| verdict.key.as_deref())
        .map(|key| format!("`{}`", escape(key)))
        .collect();
    keys.dedup();
    let signed = if !keys.is_empty() {
        format!("signed by {}", keys.join(" and "))
    } else if decision.signature_level == Some("off") {
        "signatures were not looked at".to_owned()
    } else {
        "unsigned".to_owned()
    };
    let usable = decision.interfaces.iter().filter(|verdict| is_usable(verdict)).count();
    format!("{signed}; {usable} of {} interfaces may be called", decision.interfaces.len())
}

fn card(answer: &Answer<'_>) -> String {
    let card = &answer.decision.card;
    let or_unnamed = card.name.as_deref().map_or_else(|| "unnamed".to_owned(), escape);
    let version = card.version.as_deref().map(|version| format!(" {}", escape(version))).unwrap_or_default();
    let digest =
        card.sha256.as_ref().map(|digest| format!(", sha256 {}", digest.to_hex())).unwrap_or_default();
    format!("{or_unnamed}{version}{digest}")
}

/// How the card was had, and whether the answer is one of before.
fn fetched(fetching: &Fetching<'_>, cache: CacheState) -> String {
    let how = match fetching.how {
        "network" => "from the server".to_owned(),
        "revalidated" => "unchanged, says the server".to_owned(),
        "stale" => "remembered and no longer fresh: the server cannot be asked".to_owned(),
        _ => format!("remembered, fresh until {}", fetching.fresh_until),
    };
    let answer = match cache {
        CacheState::Hit => "; the answer was given before (cache hit)",
        CacheState::Miss => "; the answer is new (cache miss)",
        CacheState::Off => "",
    };
    format!("{how}{answer}")
}

fn rule(answer: &Answer<'_>) -> String {
    let decision = answer.decision;
    let step = decision.trace.iter().find(|step| step.step == "select-rule");
    let why = step.map(|step| format!(": {}", escape(&step.why))).unwrap_or_default();
    let place =
        step.and_then(|step| step.place.as_ref()).map(|place| format!(" ({})", escape(&place.to_string())));
    match &decision.rule {
        Some(rule) => format!("`{}`{}{why}", escape(rule), place.unwrap_or_default()),
        None => "none".to_owned(),
    }
}

fn is_usable(verdict: &InterfaceVerdict) -> bool {
    match verdict.outcome {
        InterfaceOutcome::Admitted | InterfaceOutcome::NotEnforced => true,
        InterfaceOutcome::Dropped => false,
    }
}

/// `1.0 JSONRPC https://…`
fn told(verdict: &InterfaceVerdict) -> String {
    let or_none = |text: Option<&str>| text.map_or_else(|| "none".to_owned(), escape);
    let version = verdict.version.map_or_else(|| "no version".to_owned(), |version| version.to_string());
    format!("{version} {} {}", or_none(verdict.binding.as_deref()), or_none(verdict.claimed_text()))
}

struct Tree {
    paint: Paint,
    lines: Vec<String>,
}

impl Tree {
    fn push(&mut self, line: String) {
        self.lines.push(line);
    }

    fn member(&mut self, name: &str, text: &str) {
        self.push(format!("  {name:<11} {text}"));
    }

    fn mark(&self, is_good: Mark) -> String {
        match is_good {
            Mark::Good => self.paint.good("✓"),
            Mark::Bad => self.paint.bad("✗"),
            Mark::Unsure => self.paint.warn("!"),
        }
    }

    /// A reason, the demand that is not met, and the pattern that comes nearest.
    fn reason(&mut self, indent: &str, reason: &Reason) {
        let pointer = reason.pointer.as_deref().filter(|pointer| !pointer.is_empty());
        let pointer = pointer.map(|pointer| format!(" at {}", escape(pointer))).unwrap_or_default();
        let code = self.paint.bad(&format!("[{}]", reason.code));
        let mark = self.mark(Mark::Bad);
        self.push(format!("{indent}{mark} {code}{pointer}: {}", escape(&reason.message)));
        if let Some(place) = &reason.place {
            let whence = if place.is_of_default() {
                "by default".to_owned()
            } else {
                format!("at {}", escape(&place.to_string()))
            };
            self.push(format!("{indent}    demanded {whence}"));
        }
        if let Some(nearest) = &reason.nearest {
            let (pattern, place) = (escape(&nearest.pattern), escape(&nearest.place.to_string()));
            self.push(format!("{indent}    nearest `{pattern}` at {place}: {}", escape(&nearest.why)));
        }
    }

    /// ` [sig.unknown-key]`
    fn codes_of(&self, reasons: &[Reason]) -> String {
        let mut codes: Vec<_> = reasons.iter().map(|reason| reason.code.name()).collect();
        codes.dedup();
        if codes.is_empty() {
            String::new()
        } else {
            format!(" {}", self.paint.bad(&format!("[{}]", codes.join(", "))))
        }
    }

    /// The reasons of a part that the reasons of the card do not tell already.
    fn reasons_beside(&mut self, reasons: &[Reason], answer: &Answer<'_>) {
        for reason in reasons.iter().filter(|reason| !answer.decision.reasons.contains(reason)) {
            self.reason("      ", reason);
        }
    }

    fn signatures(&mut self, answer: &Answer<'_>) {
        let decision = answer.decision;
        let is_signed = || {
            let list = answer.view.member("signatures").filter(|list| !list.is_null());
            list.is_some_and(|list| list.kind() != Kind::Array || !list.is_empty())
        };
        if !decision.signatures.is_empty() {
            self.push("  signatures".to_owned());
        } else if decision.signature_level == Some("off") || is_signed() {
            self.member("signatures", "not looked at");
        } else {
            self.member("signatures", "none");
        }
        for verdict in &decision.signatures {
            self.signature(verdict, answer);
        }
    }

    fn signature(&mut self, verdict: &SignatureVerdict, answer: &Answer<'_>) {
        let mark = match (verdict.counts, verdict.outcome) {
            (true, _) => Mark::Good,
            (false, SignatureState::Verified) => Mark::Unsure,
            (false, SignatureState::Malformed | SignatureState::Unverifiable | SignatureState::Invalid) => {
                Mark::Bad
            }
        };
        let file =
            verdict.endorsement.map(|index| format!("endorsement {}, ", escape(answer.endorsement(index))));
        let parts = [
            Some(verdict.outcome.name().to_owned()),
            verdict.alg.as_deref().map(escape),
            verdict.kid.as_deref().map(|kid| format!("kid `{}`", escape(kid))),
            verdict.key.as_deref().map(|key| format!("key `{}`", escape(key))),
            verdict.form.map(|form| format!("form {form}")),
            (mark == Mark::Unsure).then(|| "not needed".to_owned()),
        ];
        let parts = parts.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let mark = self.mark(mark);
        let told = self.codes_of(&verdict.reasons);
        self.push(format!("    {mark} {}{}: {parts}{told}", file.unwrap_or_default(), verdict.index));
        self.reasons_beside(&verdict.reasons, answer);
        if verdict.endorsement.is_none() {
            self.lines.extend(diagnosis_lines(&answer.asked.diagnosis, verdict.index, self.paint, "      "));
        }
    }

    fn interfaces(&mut self, answer: &Answer<'_>) {
        let interfaces = &answer.decision.interfaces;
        if interfaces.is_empty() {
            let is_looked_at = answer.decision.rule.is_some();
            self.member("interfaces", if is_looked_at { "none" } else { "not looked at" });
            return;
        }
        if answer.decision.lets_pass() {
            self.push("  interfaces".to_owned());
        } else {
            self.member("interfaces", "none may be called, the card is denied");
        }
        for verdict in interfaces {
            let mark = match verdict.outcome {
                InterfaceOutcome::Admitted => Mark::Good,
                InterfaceOutcome::NotEnforced => Mark::Unsure,
                InterfaceOutcome::Dropped => Mark::Bad,
            };
            let tenant = verdict.tenant.as_deref().map(|tenant| format!(", tenant {}", escape(tenant)));
            let selected =
                answer.selected.as_ref().filter(|selected| selected.interface.index() == verdict.index);
            let selected = selected.map(|selected| match selected.because {
                Some(because) => format!(", selected: {}", because.name()),
                None => ", selected".to_owned(),
            });
            let mark = self.mark(mark);
            self.push(format!(
                "    {mark} {} {}{}{}{}",
                verdict.index,
                told(verdict),
                tenant.unwrap_or_default(),
                self.codes_of(&verdict.reasons),
                self.paint.good(&selected.unwrap_or_default())
            ));
            self.reasons_beside(&verdict.reasons, answer);
        }
    }

    /// Members that no signature covers; those at their default are silent unless everything is asked for.
    fn uncovered(&mut self, members: &[UncoveredFacts], detail: Detail) {
        for member in members.iter().filter(|member| member.class != "default" || detail == Detail::Verbose) {
            let fate = match member.fate {
                "silent" => self.paint.dim("handed on, it is at its default"),
                "stripped" => self.paint.warn("not handed on"),
                "marked" => self.paint.warn("handed on, marked as not signed"),
                _ => self.paint.bad("makes the signature worthless"),
            };
            self.push(format!("  not signed: {} ({}): {fate}", escape(&member.pointer), member.class));
        }
    }

    fn explanation(&mut self, answer: &Answer<'_>) {
        if let Some(why_not) = &answer.asked.why_not {
            self.member("why not", &escape(why_not));
        }
        let explanation = answer.asked.explanation.as_ref();
        let lines = explanation.map(|explanation| explanation::lines(explanation, answer.decision));
        for (index, line) in lines.unwrap_or_default().iter().enumerate() {
            self.member(if index == 0 { "explained" } else { "" }, line);
        }
    }

    fn step(&mut self, step: &TraceStep) {
        let place = step.place.as_ref().map(|place| format!(" ({})", escape(&place.to_string())));
        let text = format!("{}: {}{}", step.step, escape(&step.why), place.unwrap_or_default());
        self.member("trace", &text);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Good,
    Bad,
    Unsure,
}
