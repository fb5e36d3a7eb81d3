//! Times and durations as arguments write them.

use countersign::UnixTime;
use jiff::Timestamp;

/// The value of `--issued-at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Issued {
    Now,
    At(UnixTime),
}

/// The value of `--expires`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expiry {
    /// This many seconds from now.
    After(i64),
    At(UnixTime),
}

impl Issued {
    pub(crate) fn resolve(self, now: UnixTime) -> UnixTime {
        match self {
            Self::Now => now,
            Self::At(time) => time,
        }
    }
}

impl Expiry {
    pub(crate) fn resolve(self, now: UnixTime) -> UnixTime {
        match self {
            Self::After(seconds) => now.saturating_add_seconds(seconds),
            Self::At(time) => time,
        }
    }
}

/// A time in RFC 3339; fractions of a second are dropped.
pub(crate) fn point(text: &str) -> Result<UnixTime, &'static str> {
    let timestamp: Timestamp = text
        .parse()
        .map_err(|_| "expected a time in RFC 3339 with its offset, such as 2026-01-31T12:00:00Z")?;
    // `as_second` rounds towards zero, a time before 1970 goes down.
    let before = i64::from(timestamp.subsec_nanosecond() < 0);
    Ok(UnixTime::from_seconds(timestamp.as_second().saturating_sub(before)))
}

pub(crate) fn issued(text: &str) -> Result<Issued, &'static str> {
    if text == "now" { Ok(Issued::Now) } else { point(text).map(Issued::At) }
}

pub(crate) fn expiry(text: &str) -> Result<Expiry, &'static str> {
    match duration(text) {
        Some(seconds) => Ok(Expiry::After(seconds)),
        None => point(text)
            .map(Expiry::At)
            .map_err(|_| "expected a number with s, m, h or d, such as 180d, or a time in RFC 3339"),
    }
}

/// A positive number with its unit, in seconds.
fn duration(text: &str) -> Option<i64> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return None,
    };
    let number =
        text.strip_suffix(unit).filter(|number| number.bytes().all(|octet| octet.is_ascii_digit()))?;
    number.parse::<i64>().ok()?.checked_mul(seconds).filter(|seconds| *seconds > 0)
}

#[cfg(test)]
mod tests {
    use super::{Expiry, Issued, expiry, issued, point};
    use countersign::UnixTime;

    #[test]
    fn a_time_is_rfc_3339_with_an_offset() {
        assert_eq!(point("2026-01-01T00:00:00Z"), Ok(UnixTime::from_seconds(1_767_225_600)));
        assert_eq!(point("2026-01-01T01:00:00.9+01:00"), Ok(UnixTime::from_seconds(1_767_225_600)));
        assert_eq!(point("1969-12-31T23:59:59.5Z"), Ok(UnixTime::from_seconds(-1)));
        for text in ["", "now", "2026-01-01", "2026-01-01T00:00:00", "1767225600", "2026-02-30T00:00:00Z"] {
            assert!(point(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_duration_names_its_unit() {
        for (text, seconds) in [("180d", 15_552_000), ("12h", 43_200), ("5m", 300), ("1s", 1)] {
            assert_eq!(expiry(text), Ok(Expiry::After(seconds)));
        }
        for text in ["180", "d", "0d", "-1d", "+1d", "1.5d", "1y", "99999999999999999d", ""] {
            assert!(expiry(text).is_err(), "{text}");
        }
    }

    #[test]
    fn now_is_the_time_that_is_given() {
        let now = UnixTime::from_seconds(1000);
        assert_eq!(issued("now").unwrap().resolve(now), now);
        assert_eq!(issued("1970-01-01T00:00:05Z"), Ok(Issued::At(UnixTime::from_seconds(5))));
        assert_eq!(expiry("1m").unwrap().resolve(now).seconds(), 1060);
    }
}
