//! Private values in a text that could not be read, so that no message quotes them.

use std::ops::Range;

/// Members of a JWK that are private (RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1).
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "k", "oth"];

/// Where private values may stand: what follows the name of a private member up to the end of its line, and PEM from its
/// first to its last line. It may be more than that, never less.
pub(super) fn suspects(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut offset: usize = 0;
    let mut is_in_pem = false;
    for line in text.split_inclusive('\n') {
        let range = offset..offset.saturating_add(line.len());
        offset = range.end;
        is_in_pem |= line.contains("-----BEGIN");
        if is_in_pem {
            found.push(range.clone());
            is_in_pem = !line.contains("-----END");
        } else if let Some(value) = private_value(line) {
            found.push(range.start.saturating_add(value)..range.end);
        }
    }
    found
}

/// Where the value of the first private member of a line begins.
fn private_value(line: &str) -> Option<usize> {
    let equals = line.match_indices('=').find(|(at, _)| {
        let before = line.get(..*at).unwrap_or_default().trim_end().trim_end_matches(['"', '\'']);
        let name = before.rsplit(|character: char| !character.is_ascii_alphanumeric()).next();
        name.is_some_and(|name| PRIVATE.contains(&name))
    });
    equals.map(|(at, _)| at.saturating_add(1))
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
        assert_eq!(left("{ \"d\" = \"secret\" }"), "{ \"d\" =");
        assert_eq!(left("id = \"x\"\nkid = \"y\"\n"), "id = \"x\"\nkid = \"y\"\n");
    }

    #[test]
    fn pem_is_suspect_from_its_first_to_its_last_line() {
        let text = "a = 1\nkey = \"\"\"-----BEGIN PRIVATE KEY-----\nsecret\n-----END PRIVATE KEY-----\"\"\"\nb = 2\n";
        assert_eq!(left(text), "a = 1\nb = 2\n");
        assert_eq!(left("-----BEGIN PRIVATE KEY-----\nsecret"), "");
    }
}
