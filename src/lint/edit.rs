//! Changes of the card's text.

use countersign_keys::json::Value;
use countersign_keys::{Edit, Fix, FixSafety};

use crate::UntrustedCard;

/// White space of RFC 8259 §2.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// How a change that no reader should notice may be applied: by a person where the card has signatures, because they may
/// be over the octets as they are.
pub(super) fn safety(card: &UntrustedCard) -> FixSafety {
    if is_signed(card) { FixSafety::Suggested } else { FixSafety::Safe }
}

/// Whether `signatures` holds anything, be it no list.
pub(crate) fn is_signed(card: &UntrustedCard) -> bool {
    let signatures = card.root().member("signatures");
    signatures.is_some_and(|signatures| !signatures.is_null() && !signatures.is_empty())
}

/// Gives a member another name, unless the object has a member of that name.
pub(super) fn rename(safety: FixSafety, object: Value<'_>, name: &str, new: &str) -> Option<Fix> {
    if object.member(new).is_some() {
        return None;
    }
    let (token, _) = object.sorted_members().find(|(token, _)| token.as_text() == Some(name))?;
    Some(Fix::new(safety, vec![Edit { range: token.range(), text: format!("\"{new}\"") }]))
}

/// Writes `text`, a JSON value, in the place of a value.
pub(super) fn replace(safety: FixSafety, value: Value<'_>, text: impl Into<String>) -> Fix {
    Fix::new(safety, vec![Edit { range: value.range(), text: text.into() }])
}

/// Removes the member of `object` that has this value, with one comma: the next member takes its place.
pub(crate) fn remove(
    safety: FixSafety,
    card: &UntrustedCard,
    object: Value<'_>,
    value: Value<'_>,
) -> Option<Fix> {
    let source = card.document().source();
    let (token, _) = object.sorted_members().find(|(_, member)| member.id() == value.id())?;
    let (start, end) = (token.range().start, value.range().end);
    let after = source.get(end..)?;
    let range = match after.trim_start_matches(SPACE).strip_prefix(',') {
        Some(rest) => start..source.len() - rest.trim_start_matches(SPACE).len(),
        None => {
            let before = source.get(..start)?.trim_end_matches(SPACE);
            before.strip_suffix(',').map_or(start, str::len)..end
        }
    };
    Some(Fix::new(safety, vec![Edit { range, text: String::new() }]))
}

/// Removes the element number `index` of `list` with one comma: the one before it, of the first the one after it.
/// Removals of several elements do not overlap unless the first is among them.
pub(super) fn remove_element(safety: FixSafety, list: Value<'_>, index: usize) -> Option<Fix> {
    let range = |index| list.elements().nth(index).map(Value::range);
    let own = range(index)?;
    let range = match (index.checked_sub(1).and_then(range), range(index + 1)) {
        (Some(before), _) => before.end..own.end,
        (None, Some(after)) => own.start..after.start,
        (None, None) => own,
    };
    Some(Fix::new(safety, vec![Edit { range, text: String::new() }]))
}

#[cfg(test)]
mod tests {
    use countersign_keys::FixSafety;

    use super::{remove, remove_element, rename, safety};
    use crate::{Fix, Limits, UntrustedCard};

    fn applied(card: &UntrustedCard, fix: &Fix) -> String {
        let mut text = card.document().source().to_owned();
        for edit in fix.edits.iter().rev() {
            text.replace_range(edit.range.clone(), &edit.text);
        }
        text
    }

    #[test]
    fn a_member_goes_with_one_comma() {
        for (before, after) in [
            ("{\n  \"x\": null,\n  \"a\": 1\n}", "{\n  \"a\": 1\n}"),
            ("{\n  \"a\": 1,\n  \"x\": null ,\n  \"b\": 2\n}", "{\n  \"a\": 1,\n  \"b\": 2\n}"),
            ("{\n  \"a\": 1,\n  \"x\": null\n}", "{\n  \"a\": 1\n}"),
            ("{\"a\":\"},{\",\"x\":{\"y\":[]}}", "{\"a\":\"},{\"}"),
            ("{ \"x\" : null }", "{  }"),
        ] {
            let card = UntrustedCard::read(before, &Limits::default()).unwrap();
            let x = card.root().member("x").unwrap();
            let fix = remove(FixSafety::Safe, &card, card.root(), x).unwrap();
            assert_eq!(applied(&card, &fix), after);
            assert!(UntrustedCard::read(after, &Limits::default()).is_ok());
        }
    }

    #[test]
    fn an_element_goes_with_one_comma() {
        let removed = |before: &str, index| {
            let card = UntrustedCard::read(before, &Limits::default()).unwrap();
            let fix = remove_element(FixSafety::Safe, card.root().member("x").unwrap(), index);
            fix.map(|fix| applied(&card, &fix))
        };
        let before = r#"{"x": [ 1 , {"a":2} ,[3] ]}"#;
        for (index, after) in
            ["[ {\"a\":2} ,[3] ]", "[ 1 ,[3] ]", "[ 1 , {\"a\":2} ]"].into_iter().enumerate()
        {
            assert_eq!(removed(before, index).unwrap(), format!(r#"{{"x": {after}}}"#));
        }
        assert_eq!(removed(before, 3), None);
        assert_eq!(removed(r#"{"x":[ 1 ]}"#, 0).unwrap(), r#"{"x":[  ]}"#);
        assert_eq!(removed(r#"{"x":1}"#, 0), None);
    }

    #[test]
    fn a_name_is_replaced_and_not_the_same_text_elsewhere() {
        let card = UntrustedCard::read(r#"{"a":"Url","\u0055rl":"Url"}"#, &Limits::default()).unwrap();
        let fix = rename(FixSafety::Safe, card.root(), "Url", "url").unwrap();
        assert_eq!(applied(&card, &fix), r#"{"a":"Url","url":"Url"}"#);
        assert!(rename(FixSafety::Safe, card.root(), "Url", "a").is_none());
    }

    #[test]
    fn nothing_is_changed_unasked_in_a_card_with_signatures() {
        let of = |text: &str| safety(&UntrustedCard::read(text, &Limits::default()).unwrap());
        assert_eq!(of(r#"{"signatures":[{}]}"#), FixSafety::Suggested);
        assert_eq!(of(r#"{"signatures":"x"}"#), FixSafety::Suggested);
        for unsigned in ["{}", r#"{"signatures":[]}"#, r#"{"signatures":null}"#] {
            assert_eq!(of(unsigned), FixSafety::Safe, "{unsigned}");
        }
    }
}
