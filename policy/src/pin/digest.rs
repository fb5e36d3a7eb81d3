//! Digests that people name: which card is accepted, which one is revoked.

use std::fmt;
use std::str::FromStr;

use countersign_keys::{hex, sha256};

/// A SHA-256 digest. Its text is `sha256:` and 64 lower-case hexadecimal digits.
///
/// # Examples
///
/// ```
/// use countersign_policy::PinDigest;
///
/// let digest = PinDigest::of(b"abc");
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// assert!("sha256:00".parse::<PinDigest>().is_err());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PinDigest([u8; 32]);

/// Text that is no digest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is no digest: expected `sha256:` and 64 hexadecimal digits")]
#[non_exhaustive]
pub struct PinDigestError {
    /// The text.
    pub text: String,
}

impl PinDigest {
    /// The digest of `octets`.
    #[must_use]
    pub fn of(octets: &[u8]) -> Self {
        Self(sha256(octets))
    }

    /// Its 64 hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// The digest with these 64 hexadecimal digits; [`None`] for anything else.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<Self> {
        let digits = digits.as_bytes();
        let mut octets = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (octet, pair) in octets.iter_mut().zip(digits.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            *octet = value(*high)? << 4 | value(*low)?;
        }
        Some(Self(octets))
    }
}

fn value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

impl fmt::Display for PinDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", hex(&self.0))
    }
}

impl fmt::Debug for PinDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// With `sha256:` or without.
impl FromStr for PinDigest {
    type Err = PinDigestError;

    fn from_str(text: &str) -> Result<Self, PinDigestError> {
        let digits = text.strip_prefix("sha256:").unwrap_or(text);
        Self::from_hex(digits).ok_or_else(|| PinDigestError { text: text.to_owned() })
    }
}
