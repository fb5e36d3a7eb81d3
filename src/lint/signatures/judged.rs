//! What trusted keys say about the signatures.

use countersign_keys::json::Value;
use countersign_keys::{FixSafety, Level, codes as key_codes};
use countersign_policy::UnixTime;

use super::{
    EXPIRED, Entry, KEY_MISMATCH, MALFORMED, NOT_PROVABLE, STALE, UNCOVERED, UNKNOWN_KEY, fault_of_form,
};
use crate::SignatureReport;
use crate::canonical::CanonicalPayload;
use crate::coverage::{Coverage, Fate};
use crate::lint::report::{Place, Remark, Report, quoted};
use crate::lint::{Profile, Subject, edit};
use crate::signature::{Examined, authentication_is_not_provable};

pub(super) fn check(subject: &Subject<'_>, list: Value<'_>, entries: &[Entry<'_>], report: &mut Report<'_>) {
    let (Some(examined), Some((_, now))) = (&subject.examined, subject.terms.keys) else { return };
    let judge = Judge { subject, examined, list };
    for (entry, answer) in entries.iter().zip(&examined.signatures) {
        judge.expiry(entry, now, report);
        judge.answer(entry, answer, report);
    }
    match examined.best() {
        Some(best) => {
            let Some(payload) = examined.payloads.get(best.payload) else { return };
            judge.stripped(payload, &best.coverage, report);
            if let Some(finding) = authentication_is_not_provable(subject.card, subject.view, payload)
                && let Some(schemes) = subject.view.member("securitySchemes")
            {
                report.add(&NOT_PROVABLE, Place::At(schemes), Remark::new(finding.message));
            }
        }
        None => judge.fatal(report),
    }
}

struct Judge<'s> {
    subject: &'s Subject<'s>,
    examined: &'s Examined,
    list: Value<'s>,
}

impl Judge<'_> {
    fn expiry(&self, entry: &Entry<'_>, now: UnixTime, report: &mut Report<'_>) {
        let exp = entry.claim.header.as_ref().and_then(|header| header.exp);
        if let Some(exp) = exp.filter(|exp| *exp <= now.seconds()) {
            let message = format!("the signature expired at {}", UnixTime::from_seconds(exp));
            report.add(&EXPIRED, entry.protected(), self.weigh(Remark::new(message)));
        }
    }

    fn answer(&self, entry: &Entry<'_>, answer: &SignatureReport, report: &mut Report<'_>) {
        let kid = || quoted(answer.kid.as_deref().unwrap_or_default());
        for (code, reason) in answer.codes.iter().zip(&answer.reasons) {
            let at_entry = Place::At(entry.value);
            if *code == key_codes::SIG_INVALID {
                let message = format!("the key {} is known and did not sign the card as it is now", kid());
                report.add(&STALE, at_entry, self.without(entry, self.weigh(Remark::new(message))));
            } else if *code == KEY_MISMATCH.code {
                report.add(&KEY_MISMATCH, entry.protected(), self.weigh(Remark::new(reason.clone())));
            } else if *code == UNKNOWN_KEY.code {
                let remark = Remark::new(format!("none of the keys has the `kid` {}", kid()));
                let remark = if self.is_proven() { remark.level(Level::Info) } else { remark };
                report.add(&UNKNOWN_KEY, entry.protected(), remark);
            } else if *code == MALFORMED.code
                && entry.claim.header.is_some()
                && fault_of_form(entry).is_none()
            {
                let value = entry.value.member("signature").unwrap_or(entry.value);
                report.add(&MALFORMED, Place::At(value), Remark::new(reason.clone()));
            }
        }
    }

    /// What the signature that counts leaves out and is not handed on.
    fn stripped(&self, payload: &CanonicalPayload, coverage: &Coverage, report: &mut Report<'_>) {
        // One for each lost value, in the same order; findings are about some of them.
        let mut members = coverage.members.iter().zip(&payload.lost);
        for finding in &coverage.findings {
            let found = members.find(|(member, _)| finding.pointer.as_ref() == Some(&member.pointer));
            let Some((_, lost)) = found else { return };
            // Requirements that stay unsigned are `auth.not-covered`.
            if finding.code == UNCOVERED.code {
                let place = Place::At(self.subject.card.document().value(lost.value));
                let remark = || Remark::new(finding.message.clone()).level(finding.level);
                report.add_with(&UNCOVERED, place, remark);
            }
        }
    }

    /// Why the first signature that matches a form does not count.
    fn fatal(&self, report: &mut Report<'_>) {
        let mut answers = self.examined.signatures.iter();
        let Some(answer) = answers.find(|answer| answer.codes.contains(&UNCOVERED.code)) else { return };
        let payload = self.examined.payloads.iter().find(|payload| Some(payload.form()) == answer.form);
        let lost = payload.into_iter().flat_map(|payload| &payload.lost);
        for (member, lost) in answer.uncovered.iter().zip(lost) {
            if member.fate == Fate::Fatal {
                let place = Place::At(self.subject.card.document().value(lost.value));
                report.add_with(&UNCOVERED, place, || {
                    let pointer = quoted(&member.pointer);
                    let index = answer.index;
                    Remark::new(format!("signature {index} does not cover {pointer}, so it does not count"))
                });
            }
        }
    }

    /// A signature that another one makes up for decides nothing about the card of somebody else.
    fn weigh(&self, remark: Remark) -> Remark {
        let is_foreign = self.subject.terms.profile == Profile::Consume;
        if is_foreign && self.is_proven() { remark.level(Level::Warning) } else { remark }
    }

    /// Proposes to remove the entry, where the card stays signed.
    fn without(&self, entry: &Entry<'_>, remark: Remark) -> Remark {
        let remark = remark.help("have the key sign again, or remove the entry");
        let fix = || edit::remove_element(FixSafety::Suggested, self.list, entry.claim.index);
        match self.is_proven().then(fix).flatten() {
            Some(fix) => remark.fix(fix),
            None => remark,
        }
    }

    fn is_proven(&self) -> bool {
        !self.examined.proofs.is_empty()
    }
}
