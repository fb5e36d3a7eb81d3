//! Puts a list of signatures into the text of a card; every other octet stays as it is.

use countersign_keys::json::{Document, Value};

/// How the text of the card is laid out.
struct Layout<'d> {
    /// Line break and indentation of a top-level member; empty for a card on one line.
    member: &'d str,
    /// What is added for each further level.
    unit: &'d str,
    /// What stands after a colon.
    gap: &'static str,
}

/// One element of the new list.
pub(super) enum Entry<'d> {
    /// An element as received.
    Kept(Value<'d>),
    New {
        protected: String,
        signature: String,
    },
}

/// The card's text with `entries` as its `signatures`; without the member when there are none.
pub(super) fn with_signatures(document: &Document, entries: &[Entry<'_>]) -> String {
    let text = document.source();
    let card = document.root();
    let layout = Layout::of(text, card);
    let list = layout.list(entries);
    match card.members().find(|(name, _)| *name == "signatures") {
        Some((_, old)) if !entries.is_empty() => {
            let span = old.range();
            [text.get(..span.start), Some(&list), text.get(span.end..)].into_iter().flatten().collect()
        }
        Some((_, old)) => without(text, card, old),
        None if entries.is_empty() => text.to_owned(),
        None => {
            let end = card.members().last().map_or(card.range().start + 1, |(_, last)| last.range().end);
            let comma = if card.is_empty() { "" } else { "," };
            let member = format!("{comma}{}\"signatures\":{}{list}", layout.member, layout.gap);
            [text.get(..end), Some(&member), text.get(end..)].into_iter().flatten().collect()
        }
    }
}

/// The card's text without the member `signatures`.
pub(crate) fn without_signatures(document: &Document) -> String {
    with_signatures(document, &[])
}

/// The text without the member whose value is `old`, and without one of the commas around it.
fn without(text: &str, card: Value<'_>, old: Value<'_>) -> String {
    let previous = card.members().take_while(|(_, value)| value.id() != old.id()).last();
    let start = previous.map_or(card.range().start + 1, |(_, value)| value.range().end);
    let rest = text.get(old.range().end..).unwrap_or_default();
    // The first member takes the comma after it along, the others the one before.
    let rest = match rest.trim_start().strip_prefix(',') {
        Some(after) if previous.is_none() => after.trim_start(),
        _ => rest,
    };
    [text.get(..start).unwrap_or_default(), rest].concat()
}

impl<'d> Layout<'d> {
    fn of(text: &'d str, card: Value<'_>) -> Self {
        let inside = text.get(card.range().start + 1..).unwrap_or_default();
        let white = inside.get(..inside.len() - inside.trim_start().len()).unwrap_or_default();
        // The last line break decides; blank lines before the first member are no indentation.
        let start = white.rfind('\n').map(|place| {
            if white.get(..place).is_some_and(|s| s.ends_with('\r')) { place - 1 } else { place }
        });
        let member = start.and_then(|start| white.get(start..)).unwrap_or_default();
        Self {
            member,
            unit: member.trim_start_matches(['\r', '\n']),
            gap: if member.is_empty() { "" } else { " " },
        }
    }

    fn list(&self, entries: &[Entry<'_>]) -> String {
        let element = format!("{}{}", self.member, self.unit);
        let inner = format!("{element}{}", self.unit);
        let mut list = String::from("[");
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 {
                list.push(',');
            }
            list.push_str(&element);
            match entry {
                Entry::Kept(value) => list.push_str(value.raw()),
                Entry::New { protected, signature } => {
                    let gap = self.gap;
                    list.push_str(&format!(
                        "{{{inner}\"protected\":{gap}\"{protected}\",{inner}\"signature\":{gap}\"{signature}\"{element}}}"
                    ));
                }
            }
        }
        list.push_str(self.member);
        list.push(']');
        list
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, with_signatures};
    use countersign_keys::json::{Document, Limits, Value};

    fn new() -> Entry<'static> {
        Entry::New { protected: "P".to_owned(), signature: "S".to_owned() }
    }

    fn spliced(text: &str, kept: usize, added: usize) -> String {
        let document = Document::read(text, &Limits::default()).unwrap();
        let old = document.root().member("signatures").into_iter().flat_map(Value::elements);
        let mut entries: Vec<_> = old.take(kept).map(Entry::Kept).collect();
        entries.extend((0..added).map(|_| new()));
        let spliced = with_signatures(&document, &entries);
        Document::read(spliced.clone(), &Limits::default()).unwrap();
        spliced
    }

    #[test]
    fn one_line_stays_one_line() {
        assert_eq!(
            spliced(r#"{"a":1 }"#, 0, 1),
            r#"{"a":1,"signatures":[{"protected":"P","signature":"S"}] }"#
        );
        assert_eq!(
            spliced(r#"{"signatures":[],"a":1}"#, 0, 1),
            r#"{"signatures":[{"protected":"P","signature":"S"}],"a":1}"#
        );
        assert_eq!(
            spliced(r#"{"signatures":null}"#, 0, 1),
            r#"{"signatures":[{"protected":"P","signature":"S"}]}"#
        );
    }

    #[test]
    fn indentation_is_taken_over() {
        let pretty = "{\n  \"a\": 1\n}\n";
        let expected = "{\n  \"a\": 1,\n  \"signatures\": [\n    {\n      \"protected\": \"P\",\n      \"signature\": \"S\"\n    }\n  ]\n}\n";
        assert_eq!(spliced(pretty, 0, 1), expected);
        assert_eq!(spliced(&pretty.replace('\n', "\r\n"), 0, 1), expected.replace('\n', "\r\n"));
        assert_eq!(spliced(&pretty.replace("  ", "\t"), 0, 1), expected.replace("  ", "\t"));
    }

    #[test]
    fn kept_elements_keep_their_octets() {
        let text = r#"{"signatures":[ {"signature" : "x"} , 5 ],"a":1}"#;
        assert_eq!(spliced(text, 2, 0), r#"{"signatures":[{"signature" : "x"},5],"a":1}"#);
    }

    #[test]
    fn an_empty_list_takes_the_member_out() {
        assert_eq!(spliced(r#"{"a":1,"signatures":[1],"b":2}"#, 0, 0), r#"{"a":1,"b":2}"#);
        assert_eq!(spliced(r#"{"signatures":[1] , "b":2}"#, 0, 0), r#"{"b":2}"#);
        assert_eq!(spliced("{\n \"a\": 1,\n \"signatures\": [1]\n}", 0, 0), "{\n \"a\": 1\n}");
        assert_eq!(spliced(r#"{"signatures":[1]}"#, 0, 0), "{}");
    }

    #[test]
    fn a_byte_order_mark_stays() {
        assert!(spliced("\u{feff}{\"a\":1}", 0, 1).starts_with("\u{feff}{\"a\":1,"));
    }
}
