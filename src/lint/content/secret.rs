//! What looks like a secret. A finding says what kind it is and where, and never any of it.

use countersign_keys::json::{Kind, Value};

/// Where a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Zone {
    Card,
    /// In `signatures`, where three base64url texts with dots are a signature.
    Signatures,
}

/// A kind of token that its first characters give away.
struct Token {
    prefix: &'static str,
    /// How many characters follow at least.
    rest: usize,
    kind: &'static str,
}

const fn token(prefix: &'static str, rest: usize, kind: &'static str) -> Token {
    Token { prefix, rest, kind }
}

#[rustfmt::skip]
const TOKENS: [Token; 21] = [
    token("ghp_",        36, "a GitHub token"),
    token("gho_",        36, "a GitHub token"),
    token("ghu_",        36, "a GitHub token"),
    token("ghs_",        36, "a GitHub token"),
    token("ghr_",        36, "a GitHub token"),
    token("github_pat_", 40, "a GitHub token"),
    token("glpat-",      20, "a GitLab token"),
    token("xoxb-",       16, "a Slack token"),
    token("xoxp-",       16, "a Slack token"),
    token("xoxa-",       16, "a Slack token"),
    token("xoxr-",       16, "a Slack token"),
    token("xoxs-",       16, "a Slack token"),
    token("xapp-",       16, "a Slack token"),
    token("AIza",        35, "a Google API key"),
    token("sk_live_",    16, "a Stripe key"),
    token("rk_live_",    16, "a Stripe key"),
    token("sk-ant-",     20, "an Anthropic key"),
    token("sk-proj-",    20, "an OpenAI key"),
    token("npm_",        36, "an npm token"),
    token("pypi-AgE",    16, "a PyPI token"),
    token("hf_",         30, "a Hugging Face token"),
];

/// Shortest word that is taken for a token, whatever its kind.
const SHORTEST_TOKEN: usize = 16;

/// Members of a JWK that only its owner may know (RFC 7518 §6, RFC 8037 §2).
const PRIVATE: [&str; 8] = ["d", "k", "p", "q", "dp", "dq", "qi", "oth"];

/// The kind of secret that `text` seems to hold.
pub(super) fn kind(text: &str, zone: Zone) -> Option<&'static str> {
    if has_password(text) {
        return Some("a password in a URL");
    }
    // Most texts of a card are names and tags.
    if text.len() < SHORTEST_TOKEN {
        return None;
    }
    if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
        return Some("a private key in PEM");
    }
    let mut previous = "";
    for word in text.split(|character| !is_word(character)).filter(|word| !word.is_empty()) {
        let found = word_kind(word, previous, zone);
        if found.is_some() {
            return found;
        }
        previous = word;
    }
    None
}

/// The first private member of an object that is a JWK.
pub(super) fn private_jwk_member(object: Value<'_>) -> Option<&'static str> {
    let is_text = |value: Value<'_>| value.kind() == Kind::Text && !value.is_empty();
    object.member("kty").filter(|kty| is_text(*kty))?;
    PRIVATE.into_iter().find(|name| object.member(name).is_some_and(|value| is_text(value) || *name == "oth"))
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
}

fn word_kind(word: &str, previous: &str, zone: Zone) -> Option<&'static str> {
    if word.len() < SHORTEST_TOKEN {
        return None;
    }
    if let Some(token) = TOKENS.iter().find(|token| word.starts_with(token.prefix)) {
        let rest = word.len() - token.prefix.len();
        return (rest >= token.rest && is_random(word)).then_some(token.kind);
    }
    if matches!(word.get(..4), Some("AKIA" | "ASIA")) && word.len() == 20 {
        let is_key = word.bytes().all(|octet| octet.is_ascii_uppercase() || octet.is_ascii_digit());
        return is_key.then_some("an AWS access key");
    }
    if zone == Zone::Card && is_jwt(word) {
        return Some("a JSON Web Token");
    }
    let is_bearer = previous.eq_ignore_ascii_case("bearer");
    (is_bearer && is_random(word)).then_some("a bearer token")
}

/// Whether a word has letters and digits; `YOUR_TOKEN_HERE` has none.
fn is_random(word: &str) -> bool {
    word.bytes().any(|octet| octet.is_ascii_digit()) && word.bytes().any(|octet| octet.is_ascii_alphabetic())
}

/// Three parts of base64url, the first two of which begin a JSON object.
fn is_jwt(word: &str) -> bool {
    let mut parts = word.trim_end_matches('.').split('.');
    let (Some(header), Some(claims), Some(signature), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    header.starts_with("eyJ") && claims.starts_with("eyJ") && signature.len() >= 16
}

/// Whether `text` holds `scheme://user:password@`; what stands in brackets or is all `*` or `x` is a placeholder.
fn has_password(text: &str) -> bool {
    text.match_indices("://").any(|(index, separator)| {
        let rest = text.get(index + separator.len()..).unwrap_or_default();
        let is_end = |character: char| {
            character.is_whitespace() || matches!(character, '/' | '?' | '#' | '"' | '\'' | '<' | '`')
        };
        let authority = rest.split(is_end).next().unwrap_or_default();
        let userinfo = authority.rsplit_once('@').map(|(userinfo, _)| userinfo);
        let password = userinfo.and_then(|userinfo| userinfo.split_once(':')).map(|(_, password)| password);
        password.is_some_and(|password| {
            !password.is_empty()
                && !password.contains(['{', '}', '[', ']', '$'])
                && !password.bytes().all(|octet| matches!(octet, b'*' | b'x' | b'X' | b'.'))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Zone, kind, private_jwk_member};
    use crate::{Limits, UntrustedCard};

    /// Put together here, so that no scanner takes this file for a leak.
    fn made_up(prefix: &str, length: usize) -> String {
        format!("{prefix}{}", "a1B2c3D4e5".repeat(8).get(..length).unwrap())
    }

    #[test]
    fn tokens_are_known_by_their_first_characters() {
        for (prefix, length, expected) in [
            ("ghp_", 36, "a GitHub token"),
            ("xoxb-", 20, "a Slack token"),
            ("sk-ant-", 40, "an Anthropic key"),
            ("AIza", 35, "a Google API key"),
        ] {
            let token = made_up(prefix, length);
            for text in
                [token.clone(), format!("use {token}."), format!("https://a.example/?key={token}&x=1")]
            {
                assert_eq!(kind(&text, Zone::Card), Some(expected), "{prefix}");
            }
            assert_eq!(kind(&made_up(prefix, 8), Zone::Card), None, "{prefix}");
            assert_eq!(kind(&made_up(&format!("x{prefix}"), length), Zone::Card), None, "{prefix}");
        }
        assert_eq!(kind(&format!("AK{}", "IA2X4Y6Z8A2X4Y6Z8A"), Zone::Card), Some("an AWS access key"));
        assert_eq!(kind("AKIAlong-name-of-things", Zone::Card), None);
    }

    #[test]
    fn a_jwt_is_a_secret_outside_signatures() {
        let jwt = ["eyJhbGciOiJFUzI1NiJ9", "eyJzdWIiOiJhIn0", "c2lnbmF0dXJlLW9mLXNvbWV0aGluZw"].join(".");
        assert_eq!(kind(&jwt, Zone::Card), Some("a JSON Web Token"));
        assert_eq!(kind(&jwt, Zone::Signatures), None);
        assert_eq!(kind("eyJhbGciOiJFUzI1NiJ9", Zone::Card), None);
        assert_eq!(kind("www.example.com", Zone::Card), None);
    }

    #[test]
    fn a_bearer_token_is_not_the_word_bearer() {
        assert_eq!(
            kind(&format!("Authorization: Bearer {}", made_up("", 24)), Zone::Card),
            Some("a bearer token")
        );
        for text in
            ["Bearer authentication-with-tokens", "Bearer YOUR_TOKEN_GOES_HERE", "bearer <token>", "Bearer"]
        {
            assert_eq!(kind(text, Zone::Card), None, "{text}");
        }
    }

    #[test]
    fn userinfo_with_a_password_is_a_secret() {
        for (url, found) in [
            ("https://reader:hunter2@docs.example/", true),
            ("see https://a.example and postgres://u:p@db", true),
            ("https://docs.example/a:b@c", false),
            ("https://docs.example:8443/", false),
            ("ssh://git@code.example/x", false),
            ("https://user:{password}@docs.example/", false),
            ("https://user:***@docs.example/", false),
            ("://://://", false),
        ] {
            assert_eq!(kind(url, Zone::Card).is_some(), found, "{url}");
        }
    }

    #[test]
    fn a_private_key_is_a_secret() {
        let begin = ["-----BEGIN ", "PRIVATE KEY-----"].concat();
        assert_eq!(kind(&format!("{begin}\nMC4="), Zone::Card), Some("a private key in PEM"));
        assert_eq!(kind("-----BEGIN PUBLIC KEY-----\nMC4=", Zone::Card), None);
        let private = |text: &str| {
            let card = UntrustedCard::read(text, &Limits::default()).unwrap();
            private_jwk_member(card.root())
        };
        assert_eq!(private(r#"{"kty":"OKP","x":"AA","d":"AA"}"#), Some("d"));
        assert_eq!(private(r#"{"kty":"oct","k":"AA"}"#), Some("k"));
        for public in
            [r#"{"kty":"OKP","x":"AA"}"#, r#"{"d":"AA"}"#, r#"{"kty":"EC","d":""}"#, r#"{"kty":1,"d":"A"}"#]
        {
            assert_eq!(private(public), None, "{public}");
        }
    }
}
