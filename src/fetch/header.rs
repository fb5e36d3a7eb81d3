//! Header lines of responses: what is kept of them, and in one spelling.

use countersign_keys::is_hidden;

/// Most characters of a value from outside in an error.
const MAX_SHOWN_CHARACTERS: usize = 256;

/// The longest lifetime and age that are told apart, in seconds (RFC 9111 section 1.2.2).
const MAX_SECONDS: u64 = 1 << 31;

/// Headers that are kept as they are, the first line of each.
const KEPT: [&str; 4] = ["content-type", "date", "etag", "last-modified"];

/// A value from outside, shortened and without hidden characters.
pub(super) fn shown(value: &str) -> String {
    value.chars().filter(|character| !is_hidden(*character)).take(MAX_SHOWN_CHARACTERS).collect()
}

/// Whether a content type is one of `accepted`. Parameters are ignored, but `charset` must be `utf-8`.
pub(super) fn is_accepted(content_type: Option<&str>, accepted: &[String]) -> bool {
    let Some(content_type) = content_type else { return false };
    let mut parts = content_type.split(';').map(str::trim);
    let media_type = parts.next().unwrap_or_default();
    accepted.iter().any(|known| known.eq_ignore_ascii_case(media_type))
        && parts.filter_map(|parameter| parameter.split_once('=')).all(|(name, value)| {
            !name.trim().eq_ignore_ascii_case("charset")
                || value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        })
}

/// What freshness and validation need of a response, in one spelling: `Cache-Control` with the directives that matter to a
/// private cache, in lower case, and everything that cannot be read turned into the stricter meaning.
pub(super) fn kept(headers: &[(String, String)]) -> Vec<(String, String)> {
    let all = |name: &'static str| {
        headers.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.trim())
    };
    let mut kept: Vec<(String, String)> = Vec::new();
    for name in KEPT {
        kept.extend(all(name).next().map(|value| (name.to_owned(), value.to_owned())));
    }
    let vary: Vec<&str> = all("vary").collect();
    if !vary.is_empty() {
        kept.push(("vary".to_owned(), vary.join(", ")));
    }
    let mut expires = all("expires");
    if let Some(first) = expires.next() {
        // RFC 9111 section 5.3: what is no date has passed already.
        let value = if expires.all(|other| other == first) { first } else { "0" };
        kept.push(("expires".to_owned(), value.to_owned()));
    }
    let mut directives = Directives::default();
    all("cache-control").for_each(|value| directives.read(value));
    let is_pragma = all("pragma").any(|value| value.to_ascii_lowercase().contains("no-cache"));
    if is_pragma && all("cache-control").next().is_none() {
        directives.no_cache = true;
    }
    let ages: Vec<Option<u64>> = all("age").map(seconds).collect();
    if ages.contains(&None) {
        directives.max_age = Some(0);
    } else if let Some(age) = ages.into_iter().flatten().max() {
        kept.push(("age".to_owned(), age.to_string()));
    }
    kept.extend(directives.text().map(|text| ("cache-control".to_owned(), text)));
    kept
}

/// The directives of `Cache-Control` that matter to a private cache (RFC 9111 section 5.2.2).
#[derive(Default)]
struct Directives {
    no_store: bool,
    no_cache: bool,
    must_revalidate: bool,
    max_age: Option<u64>,
}

impl Directives {
    fn read(&mut self, value: &str) {
        let Some(parts) = split(value) else {
            self.no_store = true;
            return;
        };
        for part in parts {
            let (name, argument) =
                part.split_once('=').map_or((part, None), |(name, argument)| (name, Some(argument)));
            match name.trim().to_ascii_lowercase().as_str() {
                "no-store" => self.no_store = true,
                // The form with a list of headers is taken for the one without.
                "no-cache" => self.no_cache = true,
                "must-revalidate" => self.must_revalidate = true,
                "max-age" => {
                    let read = argument.and_then(|text| seconds(text.trim().trim_matches('"'))).unwrap_or(0);
                    // RFC 9111 section 4.2.1: a response with conflicting lifetimes is stale.
                    self.max_age = Some(match self.max_age {
                        Some(other) if other != read => 0,
                        _ => read,
                    });
                }
                _ => {}
            }
        }
    }

    fn text(&self) -> Option<String> {
        let mut parts: Vec<String> = Vec::new();
        for (is_set, name) in [
            (self.no_store, "no-store"),
            (self.no_cache, "no-cache"),
            (self.must_revalidate, "must-revalidate"),
        ] {
            parts.extend(is_set.then(|| name.to_owned()));
        }
        parts.extend(self.max_age.map(|seconds| format!("max-age={seconds}")));
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// Splits at the commas outside quotes; nothing if a quote stays open or a character is outside ASCII.
fn split(value: &str) -> Option<Vec<&str>> {
    if !value.is_ascii() {
        return None;
    }
    let (mut quoted, mut escaped) = (false, false);
    let parts = value
        .split(|character: char| {
            let is_end = character == ',' && !quoted;
            if character == '"' && !escaped {
                quoted = !quoted;
            }
            escaped = quoted && character == '\\' && !escaped;
            is_end
        })
        .map(str::trim)
        .collect();
    (!quoted).then_some(parts)
}

/// Seconds in digits (RFC 9111 section 1.2.2); what is too large is the largest.
fn seconds(text: &str) -> Option<u64> {
    let is_digits = !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit());
    is_digits.then(|| text.parse::<u64>().map_or(MAX_SECONDS, |seconds| seconds.min(MAX_SECONDS)))
}

#[cfg(test)]
mod tests {
    use super::{is_accepted, kept};

    fn cache_control(lines: &[(&str, &str)]) -> Option<String> {
        let lines: Vec<(String, String)> =
            lines.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        kept(&lines).into_iter().find(|(name, _)| name == "cache-control").map(|(_, value)| value)
    }

    #[test]
    fn directives_are_read_in_any_case_and_written_in_one() {
        let read = |value| cache_control(&[("cache-control", value)]);
        assert_eq!(read("Max-Age=60 , Must-Revalidate").as_deref(), Some("must-revalidate, max-age=60"));
        assert_eq!(read("NO-STORE").as_deref(), Some("no-store"));
        assert_eq!(read("no-cache=\"set-cookie, x\"").as_deref(), Some("no-cache"));
        assert_eq!(read("ext=\"a, max-age=9\", max-age=\"5\"").as_deref(), Some("max-age=5"));
        assert_eq!(read("public, s-maxage=60"), None);
    }

    #[test]
    fn what_cannot_be_read_is_taken_in_the_stricter_meaning() {
        let read = |value| cache_control(&[("cache-control", value)]);
        assert_eq!(read("max-age=60, max-age=61").as_deref(), Some("max-age=0"));
        assert_eq!(read("max-age=60, max-age=60").as_deref(), Some("max-age=60"));
        assert_eq!(read("max-age=1h").as_deref(), Some("max-age=0"));
        assert_eq!(read("max-age").as_deref(), Some("max-age=0"));
        assert_eq!(read("max-age=-1").as_deref(), Some("max-age=0"));
        assert_eq!(read("max-age=99999999999999999999999").as_deref(), Some("max-age=2147483648"));
        assert_eq!(read("max-age=60, ext=\"open").as_deref(), Some("no-store"));
        assert_eq!(read("max-age=60, \u{e9}").as_deref(), Some("no-store"));
        let both = cache_control(&[("cache-control", "max-age=60"), ("cache-control", "max-age=9")]);
        assert_eq!(both.as_deref(), Some("max-age=0"));
        let age = cache_control(&[("cache-control", "max-age=60"), ("age", "soon")]);
        assert_eq!(age.as_deref(), Some("max-age=0"));
        assert_eq!(cache_control(&[("pragma", "no-cache")]).as_deref(), Some("no-cache"));
        let pragma = cache_control(&[("pragma", "no-cache"), ("cache-control", "max-age=1")]);
        assert_eq!(pragma.as_deref(), Some("max-age=1"));
    }

    #[test]
    fn a_content_type_counts_without_its_parameters_but_for_the_character_set() {
        let accepted = ["application/json".to_owned(), "application/a2a+json".to_owned()];
        for good in [
            "application/json",
            "Application/JSON",
            "application/a2a+json; charset=utf-8",
            "application/json;charset=\"UTF-8\"; profile=x",
        ] {
            assert!(is_accepted(Some(good), &accepted), "{good}");
        }
        for bad in [
            "",
            "text/html",
            "application/jsonx",
            "application/json charset=utf-8",
            "application/json; charset=iso-8859-1",
            "application/json; charset=utf-8; CHARSET=utf-16",
        ] {
            assert!(!is_accepted(Some(bad), &accepted), "{bad}");
        }
        assert!(!is_accepted(None, &accepted));
    }
}
