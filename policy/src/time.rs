//! A point in time, given by the caller. There is no clock here.

use std::fmt;

use jiff::Timestamp;

/// A point in time: whole seconds since 1970-01-01T00:00:00Z, negative before it.
///
/// Leap seconds are not counted, as in POSIX. The text of a time is RFC 3339 in UTC for the years -9999 to
/// 9999; outside them it is the number of seconds, with its unit.
///
/// # Examples
///
/// ```
/// use countersign_policy::UnixTime;
///
/// let now = UnixTime::from_seconds(1_767_225_600);
/// assert_eq!(now.to_string(), "2026-01-01T00:00:00Z");
/// assert!(now < now.saturating_add_seconds(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixTime {
    seconds: i64,
}

impl UnixTime {
    /// The time `seconds` after 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self { seconds }
    }

    /// Seconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.seconds
    }

    /// The time `seconds` later, or earlier if negative; the last or first that an `i64` holds where there
    /// is none.
    #[must_use]
    pub const fn saturating_add_seconds(self, seconds: i64) -> Self {
        Self { seconds: self.seconds.saturating_add(seconds) }
    }
}

impl fmt::Display for UnixTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Timestamp::from_second(self.seconds) {
            Ok(timestamp) => write!(f, "{timestamp}"),
            Err(_) => write!(f, "{} s after 1970-01-01T00:00:00Z", self.seconds),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::UnixTime;

    fn text(seconds: i64) -> String {
        UnixTime::from_seconds(seconds).to_string()
    }

    #[test]
    fn a_time_reads_as_rfc_3339_in_utc() {
        assert_eq!(text(0), "1970-01-01T00:00:00Z");
        assert_eq!(text(-1), "1969-12-31T23:59:59Z");
        assert_eq!(text(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(text(4_107_542_400), "2100-03-01T00:00:00Z");
        assert_eq!(text(253_402_207_200), "9999-12-30T22:00:00Z");
    }

    #[test]
    fn a_time_outside_the_calendar_reads_as_seconds() {
        assert_eq!(text(i64::MAX), "9223372036854775807 s after 1970-01-01T00:00:00Z");
        assert_eq!(text(i64::MIN), "-9223372036854775808 s after 1970-01-01T00:00:00Z");
    }

    #[test]
    fn one_second_later_is_later() {
        let now = UnixTime::from_seconds(1_767_225_600);
        assert!(now < now.saturating_add_seconds(1));
        assert!(now > now.saturating_add_seconds(-1));
        assert_eq!(now, now.saturating_add_seconds(0));
    }

    #[test]
    fn addition_stops_at_the_ends() {
        let last = UnixTime::from_seconds(i64::MAX);
        let first = UnixTime::from_seconds(i64::MIN);
        assert_eq!(last.saturating_add_seconds(1), last);
        assert_eq!(first.saturating_add_seconds(-1), first);
        assert_eq!(last.saturating_add_seconds(-1).seconds(), i64::MAX - 1);
    }

    #[test]
    fn seconds_are_the_seconds_given() {
        assert_eq!(UnixTime::from_seconds(-7).seconds(), -7);
    }
}
