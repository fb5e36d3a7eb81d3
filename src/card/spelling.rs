//! Spellings that readers disagree about: snake_case names, and twins that a lenient reader takes for one member.

use countersign_keys::json::{Kind, Value};
use countersign_keys::{Finding, Level};

use super::CardError;
use super::schema::{AGENT_CARD, Message, Type, is_snake_case_of};
use crate::codes;

/// Most spellings that are remarked on: each costs a walk over the members before it.
const MAX_REMARKS: usize = 32;

/// Looks at every object whose schema is known. Maps, `params` and unknown members have names of their own.
pub(super) fn check(card: Value<'_>) -> Result<Vec<Finding>, CardError> {
    let mut findings = Vec::new();
    object(card, &AGENT_CARD, &mut findings)?;
    Ok(findings)
}

fn object(value: Value<'_>, message: &'static Message, findings: &mut Vec<Finding>) -> Result<(), CardError> {
    let mut all_exact = true;
    for (name, member) in value.members() {
        let known = message.member(name).or_else(|| message.legacy(name)).or_else(|| {
            all_exact = false;
            let known = message.member_by_snake_case(name)?;
            if findings.len() == MAX_REMARKS {
                return Some(known);
            }
            let remark = format!("`{name}` is the proto spelling, A2A §5.5 wants `{}`", known.name);
            let mut finding =
                Finding::new(codes::CARD_SNAKE_CASE, Level::Warning, remark).at(member.pointer());
            finding.span = value.name_span(name);
            findings.push(finding);
            Some(known)
        });
        if let Some(known) = known {
            inside(member, &known.kind, findings)?;
        }
    }
    if all_exact { Ok(()) } else { refuse_twins(value, message) }
}

fn inside(value: Value<'_>, kind: &'static Type, findings: &mut Vec<Finding>) -> Result<(), CardError> {
    match (value.kind(), kind) {
        (Kind::Object, Type::Message(message)) => object(value, message, findings),
        (Kind::Object, Type::Map(inner)) => {
            value.members().try_for_each(|(_, member)| inside(member, inner, findings))
        }
        (Kind::Array, Type::List(inner)) => {
            value.elements().try_for_each(|element| inside(element, inner, findings))
        }
        _ => Ok(()),
    }
}

/// Refuses an object in which two members fold to one known name that one of them spells in a way that is read.
fn refuse_twins(value: Value<'_>, message: &'static Message) -> Result<(), CardError> {
    let mut seen: Vec<(&'static str, &str)> = Vec::new();
    for (name, member) in value.members() {
        let Some(known) = folds_to(message, name) else { continue };
        let reads = |spelled: &str| spelled == known || is_snake_case_of(spelled, known);
        let twin = seen.iter().find(|(other, spelled)| *other == known && (reads(spelled) || reads(name)));
        if let Some((_, first)) = twin {
            let odd = if name == known { first } else { name };
            return Err(ambiguous(value, odd, member, known));
        }
        let is_kept = seen.iter().any(|(other, spelled)| *other == known && reads(spelled) == reads(name));
        if !is_kept {
            seen.push((known, name));
        }
    }
    Ok(())
}

/// The known member that `name` is or reads like.
fn folds_to(message: &'static Message, name: &str) -> Option<&'static str> {
    let known = message.members.iter().chain(message.legacy).map(|member| member.name);
    known.into_iter().find(|known| same_when_folded(name, known))
}

/// Whether two names are equal after folding ASCII case and dropping underscores.
pub(crate) fn same_when_folded(left: &str, right: &str) -> bool {
    fn folded(name: &str) -> impl Iterator<Item = u8> {
        name.bytes().filter(|octet| *octet != b'_').map(|octet| octet.to_ascii_lowercase())
    }
    folded(left).eq(folded(right))
}

fn ambiguous(object: Value<'_>, name: &str, member: Value<'_>, known: &'static str) -> CardError {
    CardError::AmbiguousMember {
        name: name.to_owned(),
        known,
        pointer: object.pointer(),
        span: member.span(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, UntrustedCard};

    #[test]
    fn twins_of_known_members_are_refused_and_other_names_are_not() {
        for (card, refused) in [
            (r#"{"url":"a","URL":"b"}"#, true),
            (r#"{"URL":"a","url":"b"}"#, true),
            (r#"{"supportedInterfaces":[],"supported_interfaces":[]}"#, true),
            (r#"{"SupportedInterfaces":[],"supported_interfaces":[]}"#, true),
            (r#"{"URL":"a","Url":"b","url":"c"}"#, true),
            (r#"{"signatures":[],"Signatures":[]}"#, true),
            (r#"{"skills":[{"id":"x","ID":"y"}]}"#, true),
            (r#"{"capabilities":{"extensions":[{"uri":"x","u_r_i":"y"}]}}"#, true),
            (
                r#"{"securitySchemes":{"k":{"httpAuthSecurityScheme":{},"http_auth_security_scheme":{}}}}"#,
                true,
            ),
            (r#"{"URL":"a","Url":"b"}"#, false),
            (r#"{"supported_interfaces":[]}"#, false),
            (r#"{"x-note":1,"X-Note":2}"#, false),
            (r#"{"securitySchemes":{"name":{},"NAME":{}}}"#, false),
            (r#"{"capabilities":{"extensions":[{"params":{"url":1,"URL":2}}]}}"#, false),
        ] {
            let read = UntrustedCard::read(card, &Limits::default());
            assert_eq!(read.is_err(), refused, "{card}");
            if let Err(error) = read {
                assert_eq!(error.code().name(), "json.ambiguous-member", "{card}");
            }
        }
    }

    #[test]
    fn remarks_on_spelling_are_limited() {
        let skills = vec![r#"{"input_modes":[]}"#; 100].join(",");
        let card = UntrustedCard::read(format!(r#"{{"skills":[{skills}]}}"#), &Limits::default()).unwrap();
        assert_eq!(card.findings().len(), super::MAX_REMARKS);
    }

    #[test]
    fn snake_case_is_remarked_at_every_depth() {
        let card = r#"{"default_input_modes":[],"skills":[{"input_modes":[]}],"x_note":1,"securitySchemes":{"a_b":{}}}"#;
        let card = UntrustedCard::read(card, &Limits::default()).unwrap();
        let places: Vec<_> =
            card.findings().iter().filter_map(|finding| finding.pointer.as_deref()).collect();
        assert_eq!(places, ["/default_input_modes", "/skills/0/input_modes"]);
    }
}
