//! What the example clients share: the agent that they call, the message that they send, and a resolver for `reqwest` that
//! judges addresses. The clients themselves are the programs in `src/bin/`.

pub mod checked;
pub mod message;
pub mod server;

use std::error::Error;
use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use countersign::UnixTime;

/// Whatever goes wrong in an example ends it.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The time of the system. The library reads no clock.
///
/// # Errors
///
/// A clock that is before 1970.
#[expect(clippy::disallowed_methods, reason = "a program has to read the clock somewhere")]
pub fn now() -> Result<UnixTime, Failure> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    Ok(UnixTime::from_seconds(i64::try_from(seconds)?))
}

/// The first error of a type among the causes of an error.
#[must_use]
pub fn cause<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // What an I/O error holds is not its source.
        let held = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = held.map(|held| -> &'e (dyn Error + 'static) { held }).or_else(|| error.source());
    }
    None
}
