//! Ids of skills, and the media types that the agent takes and gives.

use std::collections::BTreeSet;

use countersign_keys::json::Value;
use countersign_keys::{Edit, Fix, FixSafety, Level};

use super::report::{Place, Remark, Report, quoted};
use super::{Family, Lint, Subject};
use crate::card::member;
use crate::codes::skills as codes;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const ID_DUPLICATE: Lint = Lint::new(codes::SKILL_ID_DUPLICATE, Some(Level::Error), Some(Level::Warning));
const MEDIA_TYPE: Lint = Lint::new(codes::CARD_MEDIA_TYPE_SYNTAX, Some(Level::Warning), None);

static LINTS: [Lint; 2] = [ID_DUPLICATE, MEDIA_TYPE];

/// Words that cards use for media types.
const COMMON: [(&str, &str); 10] = [
    ("text", "text/plain"),
    ("plain", "text/plain"),
    ("markdown", "text/markdown"),
    ("html", "text/html"),
    ("csv", "text/csv"),
    ("json", "application/json"),
    ("data", "application/json"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("jpeg", "image/jpeg"),
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for list in ["defaultInputModes", "defaultOutputModes"] {
        media_types(subject.view.member(list), report);
    }
    let mut seen = BTreeSet::new();
    for skill in subject.view.skills() {
        for list in ["inputModes", "outputModes"] {
            media_types(member(skill.value(), list), report);
        }
        let Some(id) = skill.id().filter(|id| !seen.insert(*id)) else { continue };
        let place = member(skill.value(), "id").map_or(Place::At(skill.value()), Place::At);
        let remark = Remark::new(format!("a skill before this one has the id {} too", quoted(id)));
        report.add(&ID_DUPLICATE, place, remark.help("give each skill an id of its own"));
    }
}

fn media_types(list: Option<Value<'_>>, report: &mut Report<'_>) {
    for mode in list.into_iter().flat_map(Value::elements) {
        let Some(text) = mode.as_text().filter(|text| !is_media_type(text)) else { continue };
        let remark = Remark::new(format!("{} is no media type", quoted(text)));
        let meant = COMMON.iter().find(|(word, _)| text.trim().eq_ignore_ascii_case(word));
        let remark = match meant {
            Some((_, meant)) => {
                let edit = Edit { range: mode.range(), text: format!("\"{meant}\"") };
                remark.help(format!("write `{meant}`")).fix(Fix::new(FixSafety::Suggested, vec![edit]))
            }
            None => remark.help("write a type and a subtype, such as `text/plain`"),
        };
        report.add(&MEDIA_TYPE, Place::At(mode), remark);
    }
}

/// RFC 9110 §8.3.1: `type/subtype`, then any number of `;name=value`. Values are not looked at.
fn is_media_type(text: &str) -> bool {
    let (essence, parameters) =
        text.split_once(';').map_or((text, None), |(essence, rest)| (essence, Some(rest)));
    let is_essence = essence
        .trim_end_matches([' ', '\t'])
        .split_once('/')
        .is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
    let is_parameter = |parameter: &str| {
        let name = parameter.trim_matches([' ', '\t']).split_once('=').map(|(name, _)| name);
        name.is_some_and(is_token)
    };
    // A quoted value may hold `;`, so only the first name is sure to be one.
    is_essence && parameters.is_none_or(is_parameter)
}

/// RFC 9110 §5.6.2.
fn is_token(text: &str) -> bool {
    let is_tchar = |octet: u8| octet.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&octet);
    !text.is_empty() && text.bytes().all(is_tchar)
}

#[cfg(test)]
mod tests {
    use super::is_media_type;
    use crate::lint::{LintTerms, Profile};
    use crate::{Finding, Limits, UntrustedCard};

    fn found(code: &str, members: &str) -> Vec<Finding> {
        let card = format!(r#"{{"supportedInterfaces":[{{}}],{members}}}"#);
        let card = UntrustedCard::read(card, &Limits::default()).unwrap();
        let terms = LintTerms { profile: Profile::Publish, ..LintTerms::default() };
        card.lint(&terms).into_iter().filter(|finding| finding.code.name() == code).collect()
    }

    #[test]
    fn a_media_type_is_a_type_and_a_subtype() {
        for mode in
            ["text/plain", "application/vnd.a2a+json", "text/plain; charset=utf-8", "a/b;c=\"d;e\"", "*/*"]
        {
            assert!(is_media_type(mode), "{mode}");
        }
        for mode in [
            "",
            "text",
            "text/",
            "/plain",
            "text/plain/x",
            "text plain",
            "text/plain;",
            "text/plain; x",
            " text/plain",
        ] {
            assert!(!is_media_type(mode), "{mode}");
        }
    }

    #[test]
    fn modes_of_the_card_and_of_skills_are_looked_at() {
        let members = r#""defaultInputModes":["text","a/b"],"skills":[{"outputModes":["zip"]}]"#;
        let findings = found("card.media-type-syntax", members);
        let places: Vec<_> = findings.iter().map(|finding| finding.pointer.as_deref().unwrap()).collect();
        assert_eq!(places, ["/defaultInputModes/0", "/skills/0/outputModes/0"]);
        let fixes: Vec<_> = findings.iter().map(|finding| finding.fix.is_some()).collect();
        assert_eq!(fixes, [true, false]);
    }

    #[test]
    fn an_id_names_one_skill() {
        assert_eq!(
            found("skill.id-duplicate", r#""skills":[{"id":"a"},{"id":"A"},{},{"id":""},{"id":""}]"#),
            []
        );
        let twice = found("skill.id-duplicate", r#""skills":[{"id":"a"},{"id":"b"},{"id":"a"}]"#);
        let places: Vec<_> = twice.iter().map(|finding| finding.pointer.as_deref().unwrap()).collect();
        assert_eq!(places, ["/skills/2/id"]);
    }
}
