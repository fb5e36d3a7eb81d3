//! Whether a text is meant as a trust policy.

use toml_parser::lexer::{Token, TokenKind};

/// Tables that only a policy has.
const TABLES: [&str; 6] = ["allow", "deny", "key", "jwks", "exception", "defaults"];

/// Whether a TOML text is meant as a trust policy: it has the member `schema`, and one of the tables `allow`, `deny`, `key`,
/// `jwks`, `exception` and `defaults`.
///
/// Text that is no TOML is judged as far as it goes, so that a broken policy is still known for one. Members in quotation
/// marks are not looked at.
///
/// # Examples
///
/// ```
/// use countersign_policy::is_policy_text;
///
/// assert!(is_policy_text("schema = 1\n[[allow]]\nid = \"acme\""));
/// assert!(!is_policy_text("[package]\nname = \"acme\""));
/// ```
#[must_use]
pub fn is_policy_text(text: &str) -> bool {
    let source = toml_parser::Source::new(text);
    let (mut has_schema, mut has_table, mut in_table) = (false, false, false);
    for line in source.lex().into_vec().split(|token| token.kind() == TokenKind::Newline) {
        let mut tokens = line.iter().filter(|token| token.kind() != TokenKind::Whitespace);
        let Some(first) = tokens.next() else { continue };
        let text_of = |token: &Token| text.get(token.span().start()..token.span().end()).unwrap_or_default();
        if first.kind() == TokenKind::LeftSquareBracket {
            in_table = true;
            let name = tokens.find(|token| token.kind() != TokenKind::LeftSquareBracket).map(text_of);
            has_table |= name.is_some_and(|name| TABLES.contains(&name));
        } else if !in_table && text_of(first) == "schema" {
            has_schema |= tokens.next().is_some_and(|token| token.kind() == TokenKind::Equals);
        }
    }
    has_schema && has_table
}

#[cfg(test)]
mod tests {
    use super::is_policy_text;

    #[test]
    fn a_policy_has_a_schema_and_a_table_of_policies() {
        for text in [
            "schema = 1\n[[allow]]",
            "# first\nschema=1\n\n[ defaults.signatures ]\n",
            "schema = 1\n[[deny]]\nid = \"unclosed",
        ] {
            assert!(is_policy_text(text), "{text}");
        }
        for text in [
            "",
            "schema = 1",
            "[[allow]]\nschema = 1",
            "[package]\nname = \"schema = 1\"\n[[allow]]",
            "schema = 1\n[dependencies]\nallow = 1",
            "\"\"\"schema = 1\n[[allow]]\"\"\"",
        ] {
            assert!(!is_policy_text(text), "{text}");
        }
    }
}
