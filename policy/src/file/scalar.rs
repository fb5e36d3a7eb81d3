//! Durations, sizes and dates.

use jiff::civil::DateTime;
use jiff::tz::Offset;
use toml::value::{Datetime, Offset as TomlOffset};

use crate::UnixTime;

/// Longest duration: ten years of 365 days.
const MAX_SECONDS: i64 = 10 * 365 * 86_400;

/// Largest size: 64 MiB.
const MAX_OCTETS: usize = 64 * 1024 * 1024;

/// Why a text is no duration, size or date.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ScalarError {
    #[error("`{text}` is no duration: a whole number and `s`, `m`, `h` or `d`, such as `90s`")]
    Duration { text: String },
    #[error("`{text}` is longer than ten years")]
    DurationRange { text: String },
    #[error("`{text}` is no size: a whole number and `KiB` or `MiB`, such as `256KiB`")]
    Size { text: String },
    #[error("`{text}` is not between 1 KiB and 64 MiB")]
    SizeRange { text: String },
    #[error("`{text}` is no date, and no date and time with an offset such as `Z`")]
    Date { text: String },
    #[error("`{text}` has a fraction of a second")]
    Fraction { text: String },
    #[error("`{text}` is not in the years 1970 to 9998")]
    DateRange { text: String },
}

/// Seconds of `90s`, `15m`, `1h`, `180d`; `0` needs no unit.
pub(super) fn seconds(text: &str) -> Result<i64, ScalarError> {
    if text == "0" {
        return Ok(0);
    }
    let wrong = || ScalarError::Duration { text: text.to_owned() };
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let unit: i64 = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let too_long = || ScalarError::DurationRange { text: text.to_owned() };
    let number: i64 = number.parse().map_err(|_| too_long())?;
    number.checked_mul(unit).filter(|seconds| *seconds <= MAX_SECONDS).ok_or_else(too_long)
}

/// Octets of `256KiB`, `1MiB`.
pub(super) fn octets(text: &str) -> Result<usize, ScalarError> {
    let wrong = || ScalarError::Size { text: text.to_owned() };
    let (number, unit) = split(text).ok_or_else(wrong)?;
    let unit: usize = match unit {
        "KiB" => 1024,
        "MiB" => 1024 * 1024,
        _ => return Err(wrong()),
    };
    let out_of_range = || ScalarError::SizeRange { text: text.to_owned() };
    let number: usize = number.parse().map_err(|_| out_of_range())?;
    number.checked_mul(unit).filter(|octets| (1..=MAX_OCTETS).contains(octets)).ok_or_else(out_of_range)
}

/// The whole number without leading zeros at the start, and what follows it.
fn split(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|character: char| !character.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(end)?;
    let is_plain = number == "0" || (!number.is_empty() && !number.starts_with('0'));
    is_plain.then_some((number, unit))
}

/// The second that a date names; a date without time is its last second in UTC.
pub(super) fn last_second(date: &Datetime) -> Result<UnixTime, ScalarError> {
    instant(date, Part::Last)
}

/// The second that a date names; a date without time is its first second in UTC.
pub(super) fn first_second(date: &Datetime) -> Result<UnixTime, ScalarError> {
    instant(date, Part::First)
}

#[derive(Clone, Copy)]
enum Part {
    First,
    Last,
}

fn instant(datetime: &Datetime, part: Part) -> Result<UnixTime, ScalarError> {
    let text = || datetime.to_string();
    let wrong = || ScalarError::Date { text: text() };
    let out_of_range = || ScalarError::DateRange { text: text() };
    let date = datetime.date.ok_or_else(wrong)?;
    let (hour, minute, second, offset_minutes) = match (datetime.time, datetime.offset, part) {
        (None, None, Part::First) => (0, 0, 0, 0),
        (None, None, Part::Last) => (23, 59, 59, 0),
        (Some(time), Some(offset), _) => {
            if time.nanosecond.is_some_and(|nanosecond| nanosecond != 0) {
                return Err(ScalarError::Fraction { text: text() });
            }
            let offset = match offset {
                TomlOffset::Z => 0,
                TomlOffset::Custom { minutes } => minutes,
            };
            (time.hour, time.minute, time.second.unwrap_or(0), offset)
        }
        (Some(_) | None, None | Some(_), _) => return Err(wrong()),
    };
    let number = |number: u8| i8::try_from(number).map_err(|_| out_of_range());
    let civil = DateTime::new(
        i16::try_from(date.year).map_err(|_| out_of_range())?,
        number(date.month)?,
        number(date.day)?,
        number(hour)?,
        number(minute)?,
        number(second)?,
        0,
    )
    .map_err(|_| out_of_range())?;
    let offset =
        Offset::from_seconds(i32::from(offset_minutes).saturating_mul(60)).map_err(|_| out_of_range())?;
    let seconds = offset.to_timestamp(civil).map_err(|_| out_of_range())?.as_second();
    if !(1970..9999).contains(&civil.year()) {
        return Err(out_of_range());
    }
    Ok(UnixTime::from_seconds(seconds))
}

#[cfg(test)]
mod tests {
    use super::{first_second, last_second, octets, seconds};

    #[test]
    fn a_duration_is_a_number_and_a_unit() {
        for (text, expected) in
            [("90s", 90), ("15m", 900), ("1h", 3600), ("180d", 15_552_000), ("0s", 0), ("0", 0)]
        {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in [
            "",
            "s",
            "90",
            "1.5h",
            "-1s",
            "+1s",
            "01s",
            "1 s",
            "1S",
            "1w",
            "1h30m",
            "3651d",
            "99999999999999999999s",
        ] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_size_is_a_number_and_a_binary_unit() {
        assert_eq!(octets("256KiB"), Ok(262_144));
        assert_eq!(octets("64MiB"), Ok(67_108_864));
        for text in ["", "0KiB", "65MiB", "256KB", "256", "1B", "1GiB", "1kib", "1.5MiB"] {
            assert!(octets(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_date_is_a_day_in_utc_or_a_second() {
        let last = |text: &str| last_second(&text.parse().unwrap()).map(|time| time.to_string());
        let first = |text: &str| first_second(&text.parse().unwrap()).map(|time| time.to_string());
        assert_eq!(last("2026-12-31").unwrap(), "2026-12-31T23:59:59Z");
        assert_eq!(first("2026-12-31").unwrap(), "2026-12-31T00:00:00Z");
        assert_eq!(last("2026-12-31T12:00:00+02:00").unwrap(), "2026-12-31T10:00:00Z");
        for text in ["2026-12-31T12:00:00", "12:00:00", "2026-12-31T12:00:00.5Z", "1969-12-31", "9999-01-01"]
        {
            assert!(last(text).is_err(), "{text}");
        }
    }
}
