//! Versions that agents give themselves, and which of two is newer.

use std::cmp::Ordering;

/// A `version` in the order of Semantic Versioning 2.0.0. Of a release minor and patch may be left out and count as 0 then.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AgentVersion<'t> {
    /// Major, minor and patch, in digits.
    numbers: [&'t str; 3],
    /// What follows the hyphen; none for a release.
    before_release: Option<Vec<&'t str>>,
}

/// How the version `right` stands to `left`; [`None`] if one of them has no place in the order and they are not equal.
pub(super) fn compare(left: &str, right: &str) -> Option<Ordering> {
    if left == right {
        return Some(Ordering::Equal);
    }
    Some(AgentVersion::read(right)?.cmp(&AgentVersion::read(left)?))
}

impl<'t> AgentVersion<'t> {
    fn read(text: &'t str) -> Option<Self> {
        // What follows a plus sign takes no part in the order (section 10).
        let text = text.split_once('+').map_or(text, |(text, _)| text);
        let (core, before_release) = match text.split_once('-') {
            Some((core, rest)) => (core, Some(rest.split('.').collect::<Vec<_>>())),
            None => (text, None),
        };
        // `2026-05-01` is a date.
        if before_release.is_some() && core.split('.').count() < 3 {
            return None;
        }
        let mut parts = core.split('.');
        let numbers = [parts.next()?, parts.next().unwrap_or("0"), parts.next().unwrap_or("0")];
        let is_read = parts.next().is_none()
            && numbers.iter().all(|number| is_number(number))
            && before_release.iter().flatten().all(|part| is_identifier(part));
        is_read.then_some(Self { numbers, before_release })
    }

    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = self.numbers.iter().zip(other.numbers);
        let of_numbers = numbers.map(|(left, right)| by_value(left, right)).find(|order| order.is_ne());
        of_numbers.unwrap_or_else(|| match (&self.before_release, &other.before_release) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(left), Some(right)) => {
                let parts = left.iter().zip(right).map(|(left, right)| by_precedence(left, right));
                parts.into_iter().find(|order| order.is_ne()).unwrap_or(left.len().cmp(&right.len()))
            }
        })
    }
}

/// Digits without leading zeros.
fn is_number(text: &str) -> bool {
    is_numeric(text) && (text == "0" || !text.starts_with('0'))
}

fn is_numeric(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_digit())
}

fn is_identifier(text: &str) -> bool {
    let is_word =
        !text.is_empty() && text.bytes().all(|octet| octet.is_ascii_alphanumeric() || octet == b'-');
    is_word && (is_number(text) || !is_numeric(text))
}

/// Numbers of any length, without leading zeros.
fn by_value(left: &str, right: &str) -> Ordering {
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

fn by_precedence(left: &str, right: &str) -> Ordering {
    match (is_numeric(left), is_numeric(right)) {
        (true, true) => by_value(left, right),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (false, false) => left.cmp(right),
    }
}

#[cfg(test)]
mod tests {
    use super::compare;
    use std::cmp::Ordering::{Equal, Greater, Less};

    #[test]
    fn versions_stand_in_the_order_of_semantic_versioning() {
        // The chain of section 11, and numbers that no machine word holds.
        let chain = [
            "0.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1.0.0",
            "1.2",
            "1.10.0",
            "2",
            "99999999999999999999999.0.0",
            "100000000000000000000000.0.0",
        ];
        for (place, left) in chain.iter().enumerate() {
            for (other, right) in chain.iter().enumerate() {
                assert_eq!(compare(left, right), Some(other.cmp(&place)), "{left} {right}");
            }
        }
    }

    #[test]
    fn what_is_left_out_is_zero_and_build_metadata_takes_no_part() {
        assert_eq!(compare("1", "1.0.0"), Some(Equal));
        assert_eq!(compare("1.0.0+1", "1.0.0+2"), Some(Equal));
        assert_eq!(compare("1.0.0+9", "1.0.1"), Some(Greater));
        assert_eq!(compare("1.0.1", "1.0.0+9"), Some(Less));
    }

    #[test]
    fn what_is_no_version_has_no_place_in_the_order() {
        for text in [
            "",
            "v1.0.0",
            "1.02",
            "1.0.0.0",
            "2026-05-01",
            "1.0-rc.1",
            "1.0.0-",
            "1.0.0-01",
            "latest",
            "1..0",
        ] {
            assert_eq!(compare(text, "1.0.0"), None, "{text}");
            assert_eq!(compare("1.0.0", text), None, "{text}");
            assert_eq!(compare(text, text), Some(Equal), "{text}");
        }
    }
}
