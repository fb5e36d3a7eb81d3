//! Private values in a text that could not be read, so that no message quotes them.

use std::ops::Range;

/// Members of a JWK that are private (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1).
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "k", "oth"];

/// Whether a message repeats a private key: PEM, or a JWK with a private member.
pub(super) fn is_in(message: &str) -> bool {
    message.contains("PRIVATE KEY") || (message.contains("kty") && private_value(message).is_some())
}

/// Where private values may stand: what follows the name of a private member up to the end of its line or of its text of
/// several lines, and PEM from its first to its last line. It may be more than that, never less.
pub(super) fn suspects(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut offset: usize = 0;
    // What ends the text of several lines that is being read.
    let mut end: Option<&str> = None;
    for line in text.split_inclusive('\n') {
        let range = offset..offset.saturating_add(line.len());
        offset = range.end;
        if let Some(mark) = end {
            found.push(range);
            end = Some(mark).filter(|mark| !line.contains(*mark));
        } else if line.contains("-----BEGIN") {
            found.push(range);
            end = Some("-----END").filter(|mark| !line.contains(*mark));
        } else if let Some(start) = private_value(line) {
            found.push(range.start.saturating_add(start)..range.end);
            let value = line.get(start..).unwrap_or_default();
            let opens = |mark: &&str| value.matches(*mark).count() % 2 == 1;
            end = ["\"\"\"", "\'\'\'"].into_iter().find(opens);
        }
    }
    found
}

/// Where the value of the first private member of a line begins: behind `=`, or `:` as in JSON, after a name of which one
/// part is private.
fn private_value(line: &str) -> Option<usize> {
    let signs = line.match_indices(['=', ':']);
    let mut values = signs.filter(|(at, _)| {
        let before = line.get(..*at).unwrap_or_default().trim_end();
        let is_in_name = |character: char| {
            character.is_ascii_alphanumeric()
                || matches!(character, '.' | '_' | '-' | '"' | '\'' | ' ' | '\\')
        };
        let name = before.rsplit(|character: char| !is_in_name(character)).next().unwrap_or_default();
        let mut parts = name.split(|character: char| !character.is_ascii_alphanumeric());
        parts.any(|part| PRIVATE.contains(&part))
    });
    values.next().map(|(at, _)| at.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::suspects;

    fn left(text: &str) -> String {
        let ranges = suspects(text);
        let is_left = |(at, character): (usize, char)| {
            (!ranges.iter().any(|range| range.contains(&at))).then_some(character)
        };
        text.char_indices().filter_map(is_left).collect()
    }

    #[test]
    fn what_follows_the_name_of_a_private_member_is_suspect() {
        assert_eq!(left("jwk = { kty = \"EC\", d = \"secret\", x = \"y\" }"), "jwk = { kty = \"EC\", d =");
        assert_eq!(left("jwk.d = 'secret'"), "jwk.d =");
        assert_eq!(left("jwk.d.x = 'secret'"), "jwk.d.x =");
        assert_eq!(left("\"d\": \"secret\""), "\"d\":");
        assert_eq!(left("d = \"\"\"\nsecret\nmore\"\"\" q\nid = 1\n"), "d =id = 1\n");
        assert_eq!(left("{ \"d\" = \"secret\" }"), "{ \"d\" =");
        assert_eq!(left("id = \"x\"\nkid = \"y\"\n"), "id = \"x\"\nkid = \"y\"\n");
    }

    #[test]
    fn a_message_with_a_private_jwk_is_told_from_one_about_a_key() {
        assert!(super::is_in("`{\"kty\":\"EC\",\"d\":\"secret\"}` leads out of the folder"));
        assert!(super::is_in("`-----BEGIN PRIVATE KEY-----`"));
        assert!(!super::is_in("the member `d` of the JWK is private"));
        assert!(!super::is_in("`kty` is missing: expected `EC`"));
    }

    #[test]
    fn pem_is_suspect_from_its_first_to_its_last_line() {
        let text = "a = 1\nkey = \"\"\"-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\"\"\"\nb = 2\n";
        assert_eq!(left(text), "a = 1\nb = 2\n");
        assert_eq!(left("-----BEGIN PRIVATE KEY-----\nsecret"), "");
    }
}
