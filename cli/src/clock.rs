//! The system clock. Everything else gets the time as an argument.

use std::time::{SystemTime, UNIX_EPOCH};

use countersign::UnixTime;

/// The time of the operating system, in whole seconds.
pub(crate) fn now() -> UnixTime {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
    let now = SystemTime::now();
    let seconds = match now.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
    };
    UnixTime::from_seconds(seconds)
}
