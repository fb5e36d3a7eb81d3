//! JWK thumbprints (RFC 7638).

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::base64url;

/// The SHA-256 thumbprint of a public key (RFC 7638). Two keys are the same key when their thumbprints are equal.
///
/// `Display` writes base64url, 43 characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thumbprint([u8; 32]);

impl Thumbprint {
    /// The 32 octets of the hash.
    #[must_use]
    pub const fn octets(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads what `Display` writes: strict base64url of 32 octets, 43 characters; [`None`] for anything else.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_keys::Thumbprint;
    ///
    /// let text = "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";
    /// assert_eq!(Thumbprint::from_text(text).unwrap().to_string(), text);
    /// assert!(Thumbprint::from_text(&text[1..]).is_none());
    /// ```
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let octets = base64url::decode(text).ok()?;
        octets.try_into().ok().map(Self)
    }

    /// Hashes the required members of a JWK, given in lexicographic order. Names and values need no escapes.
    pub(crate) fn of_members(members: &[(&str, &str)]) -> Self {
        let mut hash = Sha256::new();
        let mut before = "{\"";
        for (name, value) in members {
            for part in [before, name, "\":\"", value, "\""] {
                hash.update(part.as_bytes());
            }
            before = ",\"";
        }
        hash.update(b"}");
        Self(hash.finalize().into())
    }
}

impl fmt::Display for Thumbprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base64url::encode(&self.0))
    }
}

impl fmt::Debug for Thumbprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Thumbprint({self})")
    }
}
