//! How a card says that clients must authenticate: schemes, requirements, and what a signature makes of them.

mod coverage;
mod requirements;
mod schemes;

use countersign_keys::Level;
use countersign_keys::json::Value;

use super::report::{Place, Remark, Report};
use super::{Family, Lint, Subject};
use crate::SchemeKind;
use crate::card::member;
use crate::codes::security as codes;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const ANONYMOUS: Lint = Lint::new(codes::AUTH_ANONYMOUS, Some(Level::Warning), Some(Level::Warning));
const UNDEFINED_SCHEME: Lint =
    Lint::new(codes::AUTH_UNDEFINED_SCHEME, Some(Level::Error), Some(Level::Error));
const UNUSED_SCHEME: Lint = Lint::new(codes::AUTH_UNUSED_SCHEME, Some(Level::Info), None);
const BARE_REQUIREMENT: Lint =
    Lint::new(codes::AUTH_BARE_REQUIREMENT, Some(Level::Error), Some(Level::Error));
const EMPTY_ONEOF: Lint = Lint::new(codes::AUTH_EMPTY_ONEOF, Some(Level::Error), Some(Level::Error));
const DEPRECATED_FLOW: Lint = Lint::new(codes::AUTH_DEPRECATED_FLOW, Some(Level::Warning), Some(Level::Info));
const API_KEY_QUERY: Lint = Lint::new(codes::AUTH_API_KEY_QUERY, Some(Level::Warning), Some(Level::Info));
const BASIC: Lint = Lint::new(codes::AUTH_BASIC, Some(Level::Warning), Some(Level::Info));
const PKCE: Lint = Lint::new(codes::AUTH_PKCE, Some(Level::Warning), None);
const NOT_COVERED: Lint = Lint::new(codes::AUTH_NOT_COVERED, Some(Level::Error), Some(Level::Warning));
const EXTENDED_CARD: Lint = Lint::new(codes::CARD_EXTENDED_CARD_WITHOUT_AUTH, Some(Level::Warning), None);
const PUSH: Lint = Lint::new(codes::CARD_PUSH_WITHOUT_AUTH, Some(Level::Info), None);

static LINTS: [Lint; 12] = [
    ANONYMOUS,
    UNDEFINED_SCHEME,
    UNUSED_SCHEME,
    BARE_REQUIREMENT,
    EMPTY_ONEOF,
    DEPRECATED_FLOW,
    API_KEY_QUERY,
    BASIC,
    PKCE,
    NOT_COVERED,
    EXTENDED_CARD,
    PUSH,
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    schemes::check(subject, report);
    requirements::check(subject, report);
    coverage::check(subject, report);
    flags(subject, report);
}

/// Capabilities that make sense only for authenticated clients.
fn flags(subject: &Subject<'_>, report: &mut Report<'_>) {
    let view = subject.view;
    let mut schemes = view.security_schemes();
    if schemes.any(|scheme| !matches!(scheme.kind, SchemeKind::Unreadable(_))) {
        return;
    }
    let capability = |name| member(view.member("capabilities")?, name);
    let is_set = |flag: &Value<'_>| flag.as_bool() == Some(true);
    let offers = view.offers_extended_card();
    let extended =
        capability("extendedAgentCard").or_else(|| view.member("supportsAuthenticatedExtendedCard"));
    if let Some(flag) = extended.filter(|_| offers) {
        let remark =
            Remark::new("the card offers an extended card, and no security scheme that a client can use");
        report.add(&EXTENDED_CARD, Place::At(flag), remark);
    }
    if let Some(flag) = capability("pushNotifications").filter(is_set) {
        let remark =
            Remark::new("the card offers push notifications, and no security scheme that a client can use");
        report.add(&PUSH, Place::At(flag), remark);
    }
}

#[cfg(test)]
mod tests;
