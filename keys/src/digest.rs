//! SHA-256, as this package uses it, for callers that report digests.

use sha2::{Digest as _, Sha256};

/// The SHA-256 hash of `octets` (FIPS 180-4).
///
/// # Examples
///
/// ```
/// assert_eq!(countersign_keys::sha256(b"abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
#[must_use]
pub fn sha256(octets: &[u8]) -> [u8; 32] {
    Sha256::digest(octets).into()
}
