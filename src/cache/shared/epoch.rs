//! The epoch of a store: what was stored under another one is worthless.

use ring::rand::{SecureRandom as _, SystemRandom};

/// Octets of the random part.
const NONCE_OCTETS: usize = 16;

/// A number that rises with each revocation, and random octets: a store that lost its memory begins at a low number again,
/// and nothing of before fits what it begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Epoch {
    counter: u64,
    nonce: [u8; NONCE_OCTETS],
}

impl Epoch {
    /// Octets of an epoch.
    pub(super) const OCTETS: usize = 8 + NONCE_OCTETS;

    /// A new one; [`None`] without random octets.
    pub(super) fn new(counter: u64) -> Option<Self> {
        let mut nonce = [0; NONCE_OCTETS];
        SystemRandom::new().fill(&mut nonce).ok()?;
        Some(Self { counter, nonce })
    }

    pub(super) const fn counter(&self) -> u64 {
        self.counter
    }

    pub(super) fn to_octets(self) -> Vec<u8> {
        [self.counter.to_be_bytes().as_slice(), self.nonce.as_slice()].concat()
    }

    pub(super) fn read(octets: &[u8]) -> Option<Self> {
        let (counter, nonce) = octets.split_first_chunk::<8>()?;
        Some(Self { counter: u64::from_be_bytes(*counter), nonce: nonce.try_into().ok()? })
    }
}
