//! The key that entries are authenticated with.

use std::fmt;

use countersign_keys::sha256_of_parts;
use ring::hmac;
use zeroize::Zeroizing;

use super::error::SharedError;

/// Octets of a tag of HMAC-SHA-256.
pub(super) const TAG_OCTETS: usize = 32;

/// What every tag is for, so that it is none of another version or program.
const DOMAIN: &[u8] = b"countersign shared store 1";

/// A secret of at least 32 octets that all instances have, and nobody else. Its octets are overwritten when it is dropped.
pub struct SharedKey {
    octets: Zeroizing<Vec<u8>>,
}

impl SharedKey {
    /// Shortest key: the octets of SHA-256 (RFC 2104 section 3).
    pub const LEAST_OCTETS: usize = 32;

    /// A key of random octets. Not checked: whether they are random.
    ///
    /// # Errors
    ///
    /// [`SharedError::KeyTooShort`] for less than 32.
    pub fn new(octets: Vec<u8>) -> Result<Self, SharedError> {
        let octets = Zeroizing::new(octets);
        if octets.len() < Self::LEAST_OCTETS {
            return Err(SharedError::KeyTooShort { octets: octets.len(), least: Self::LEAST_OCTETS });
        }
        Ok(Self { octets })
    }

    /// The tag over a list of octet strings, however they are cut.
    pub(super) fn tag(&self, parts: &[&[u8]]) -> [u8; TAG_OCTETS] {
        let tag = hmac::sign(&self.hmac(), &message(parts, b""));
        let mut array = [0; TAG_OCTETS];
        array.iter_mut().zip(tag.as_ref()).for_each(|(to, from)| *to = *from);
        array
    }

    /// `octets` with the tag over them and where they belong at the end.
    pub(super) fn seal(&self, place: &[&[u8]], mut octets: Vec<u8>) -> Vec<u8> {
        let tag = hmac::sign(&self.hmac(), &message(place, &octets));
        octets.extend_from_slice(tag.as_ref());
        octets
    }

    /// The octets before the tag, if the tag is right.
    pub(super) fn open(&self, place: &[&[u8]], mut sealed: Vec<u8>) -> Option<Vec<u8>> {
        let tag = sealed.split_off(sealed.len().checked_sub(TAG_OCTETS)?);
        hmac::verify(&self.hmac(), &message(place, &sealed), &tag).ok()?;
        Some(sealed)
    }

    fn hmac(&self) -> hmac::Key {
        hmac::Key::new(hmac::HMAC_SHA256, &self.octets)
    }
}

fn message(place: &[&[u8]], octets: &[u8]) -> [u8; 32] {
    sha256_of_parts([DOMAIN].into_iter().chain(place.iter().copied()).chain([octets]))
}

impl fmt::Debug for SharedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedKey(…)")
    }
}
