//! Digests that few ask for: made when somebody does.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::PinDigest;

/// The SHA-256 digest of octets that are kept until it is first asked for, and dropped then.
///
/// A decision needs no digest of the card that it is about, and hashing costs more the larger the card is. A clone is of the
/// digest, not of the octets.
///
/// # Examples
///
/// ```
/// use countersign_policy::{LazyDigest, PinDigest};
///
/// let digest = LazyDigest::of(b"abc".to_vec());
/// assert_eq!(digest.get(), PinDigest::of(b"abc"));
/// ```
pub struct LazyDigest(Mutex<State>);

enum State {
    Octets(Vec<u8>),
    Text(Arc<String>),
    Digest(PinDigest),
}

impl LazyDigest {
    /// The digest of `octets`.
    #[must_use]
    pub const fn of(octets: Vec<u8>) -> Self {
        Self(Mutex::new(State::Octets(octets)))
    }

    /// The digest of a text that others hold, too.
    #[must_use]
    pub const fn of_text(text: Arc<String>) -> Self {
        Self(Mutex::new(State::Text(text)))
    }

    /// The digest.
    #[must_use]
    pub fn get(&self) -> PinDigest {
        // A panic while it is held leaves the octets or the digest, both whole.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = match &*state {
            State::Digest(digest) => return *digest,
            State::Octets(octets) => PinDigest::of(octets),
            State::Text(text) => PinDigest::of(text.as_bytes()),
        };
        *state = State::Digest(digest);
        digest
    }

    /// Its 64 hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        self.get().to_hex()
    }
}

impl Clone for LazyDigest {
    fn clone(&self) -> Self {
        Self(Mutex::new(State::Digest(self.get())))
    }
}

impl PartialEq for LazyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for LazyDigest {}

impl fmt::Debug for LazyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{LazyDigest, State};

    #[test]
    fn a_digest_is_the_same_however_often_and_of_whom_it_is_asked() {
        let digest = LazyDigest::of(b"abc".to_vec());
        assert!(matches!(&*digest.0.lock().unwrap(), State::Octets(octets) if octets == b"abc"));
        let clone = digest.clone();
        for one in [&digest, &clone] {
            assert!(matches!(&*one.0.lock().unwrap(), State::Digest(_)));
            assert_eq!(one.to_hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        }
        assert_eq!(digest, clone);
        assert_eq!(digest, LazyDigest::of_text("abc".to_owned().into()));
        assert_ne!(digest, LazyDigest::of(b"abd".to_vec()));
    }
}
