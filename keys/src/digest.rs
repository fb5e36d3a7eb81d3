//! SHA-256, as this package uses it, for callers that report digests, and the hash that an algorithm signs.

use sha2::{Digest as _, Sha256, Sha384, Sha512};

use crate::Algorithm;

/// The SHA-256 hash of `octets` (FIPS 180-4).
///
/// # Examples
///
/// ```
/// assert_eq!(countersign_keys::sha256(b"abc")[..4], [0xba, 0x78, 0x16, 0xbf]);
/// ```
#[must_use]
pub fn sha256(octets: &[u8]) -> [u8; 32] {
    // Twice as fast as sha2 where the processor has no instructions for it.
    let digest = ring::digest::digest(&ring::digest::SHA256, octets);
    let mut array = [0; 32];
    array.iter_mut().zip(digest.as_ref()).for_each(|(to, from)| *to = *from);
    array
}

/// The SHA-256 hash of a list of octet strings: different lists have different digests, however they are cut.
///
/// Before each part stand its length in octets, in decimal, and a colon.
///
/// # Examples
///
/// ```
/// use countersign_keys::sha256_of_parts;
///
/// assert_ne!(sha256_of_parts(["ab", "c"]), sha256_of_parts(["a", "bc"]));
/// ```
#[must_use]
pub fn sha256_of_parts(parts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> [u8; 32] {
    let mut framed = Vec::new();
    for part in parts {
        let part = part.as_ref();
        framed.extend_from_slice(part.len().to_string().as_bytes());
        framed.push(b':');
        framed.extend_from_slice(part);
    }
    sha256(&framed)
}

/// Lower-case hexadecimal digits, two for each octet.
///
/// # Examples
///
/// ```
/// assert_eq!(countersign_keys::hex(&[0, 10, 255]), "000aff");
/// ```
#[must_use]
pub fn hex(octets: &[u8]) -> String {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    let digits = octets.iter().flat_map(|octet| [digit(octet >> 4), digit(octet & 0xf)]).collect();
    String::from_utf8(digits).unwrap_or_default() // digits are UTF-8
}

impl Algorithm {
    /// The hash of `octets` that this algorithm signs: SHA-256, SHA-384 or SHA-512 (RFC 7518 3.1). [`None`] for Ed25519,
    /// which signs the octets themselves (RFC 8032 5.1.6).
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_keys::{Algorithm, sha256};
    ///
    /// assert_eq!(Algorithm::Es256.digest(b"abc"), Some(sha256(b"abc").to_vec()));
    /// assert_eq!(Algorithm::EdDsa.digest(b"abc"), None);
    /// ```
    #[must_use]
    pub fn digest(self, octets: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::EdDsa | Self::Ed25519 => None,
            Self::Es256 | Self::Ps256 | Self::Rs256 => Some(Sha256::digest(octets).to_vec()),
            Self::Es384 | Self::Ps384 | Self::Rs384 => Some(Sha384::digest(octets).to_vec()),
            Self::Es512 | Self::Ps512 | Self::Rs512 => Some(Sha512::digest(octets).to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Algorithm;

    #[test]
    fn the_digest_is_that_of_the_hash_in_the_name() {
        for algorithm in Algorithm::ALL {
            let bits = match algorithm.name() {
                "EdDSA" | "Ed25519" => None,
                name => name.get(2..).and_then(|digits| digits.parse::<usize>().ok()),
            };
            let found = algorithm.digest(b"abc").map(|digest| digest.len() * 8);
            assert_eq!(found, bits, "{algorithm}");
        }
    }
}
