//! `[[exception]]`.

use countersign_keys::Code;

use super::super::error::PolicyFault;
use super::super::written::{At, WrittenException};
use super::desk::Desk;
use crate::codes::{self as all_codes, load as codes};
use countersign_keys::nearest::nearest;

use crate::evaluate::is_waivable;
use crate::{Exception, Origin, Placed, StrictUrl, UrlUse, is_integrity};

/// An exception; [`None`] where a fault was found.
pub(in crate::file) fn exception(desk: &mut Desk<'_>, written: &At<WrittenException>) -> Option<Exception> {
    let WrittenException { id, rule, origin, waives, reason, owner, until } = &written.value;
    for (name, is_missing) in
        [("reason", reason.is_none()), ("owner", owner.is_none()), ("until", until.is_none())]
    {
        if is_missing {
            let message = format!("the exception `{}` has no `{name}`", id.value);
            desk.fault(codes::POLICY_EXCEPTION_MISSING_REASON, &written.range, message);
        }
    }
    let origin = read_origin(desk, origin);
    let codes: Vec<Placed<Code>> =
        desk.list(waives).iter().filter_map(|text| waived_code(desk, text)).collect();
    let id = desk.text(id);
    let rule = Placed::new(desk.text(rule), desk.place(&rule.range));
    let reason = reason.as_ref().map(|at| desk.text(at));
    let owner = owner.as_ref().map(|at| desk.text(at));
    let until = until.as_ref().and_then(|at| desk.last_second(at));
    let place = desk.place(&written.range);
    Some(Exception {
        id,
        rule,
        origin: origin?,
        waives: codes,
        reason: reason?,
        owner: owner?,
        until: until?,
        place,
    })
}

/// Exactly one scheme, host and port.
fn read_origin(desk: &mut Desk<'_>, at: &At<String>) -> Option<Placed<Origin>> {
    if at.value.contains('*') {
        let message = format!("`{}` stands for more than one origin", at.value);
        desk.fault(codes::POLICY_EXCEPTION_TOO_WIDE, &at.range, message);
        return None;
    }
    match StrictUrl::read(&at.value, UrlUse::Interface) {
        Ok(url) if url.path() == "/" => Some(desk.text.placed(at, url.origin())),
        Ok(url) => {
            let message = format!("`{}` has a path; an origin is `{}`", at.value, url.origin());
            desk.invalid(&at.range, message);
            None
        }
        Err(error) => {
            desk.fault(error.code(), &at.range, format!("the origin `{}`: {error}", at.value));
            None
        }
    }
}

fn waived_code(desk: &mut Desk<'_>, text: &At<String>) -> Option<Placed<Code>> {
    let known = || {
        let lists = [countersign_keys::codes::ALL, all_codes::ALL, all_codes::decision::ALL];
        lists.into_iter().flatten().copied()
    };
    let Some(code) = known().find(|code| code.name() == text.value) else {
        let message = format!("`{}` is no code that a decision can have", text.value);
        let fault = PolicyFault::new(codes::POLICY_INVALID, desk.place(&text.range), message);
        let near = nearest(&text.value, known().map(Code::name));
        desk.faults.push(match near {
            Some(near) => fault.with_help(format!("did you mean `{near}`?")),
            None => fault,
        });
        return None;
    };
    if !is_waivable(code) {
        let why = if is_integrity(code) {
            "the card is not what its publisher signed"
        } else {
            "it is no demand of a rule"
        };
        let message = format!("`{code}` is never waived: {why}");
        desk.fault(codes::POLICY_EXCEPTION_TOO_WIDE, &text.range, message);
        return None;
    }
    Some(desk.text.placed(text, code))
}
