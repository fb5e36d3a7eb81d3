//! base64url without padding (RFC 4648 5, RFC 7515 2), strict: every octet string has exactly one text.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

/// Why text is not strict base64url.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// `=` at this offset; JOSE writes no padding.
    #[error("padding `=` at octet {offset}; base64url in JOSE is unpadded")]
    Padding {
        /// Octets from the start of the text.
        offset: usize,
    },
    /// `+` or `/` at this offset: the alphabet of plain base64.
    #[error("`{found}` at octet {offset} belongs to plain base64; base64url has `-` and `_`")]
    PlainAlphabet {
        /// Octets from the start of the text.
        offset: usize,
        /// `+` or `/`.
        found: char,
    },
    /// White space at this offset.
    #[error("white space at octet {offset}")]
    WhiteSpace {
        /// Octets from the start of the text.
        offset: usize,
    },
    /// Anything else outside the alphabet.
    #[error("octet 0x{found:02x} at {offset} is not in the base64url alphabet")]
    Foreign {
        /// Octets from the start of the text.
        offset: usize,
        /// The octet.
        found: u8,
    },
    /// One character left over: no number of octets has text of this length.
    #[error("no octets have a base64url text of {found} characters")]
    Length {
        /// Characters of the text.
        found: usize,
    },
    /// The last character carries bits that belong to no octet and are not zero.
    #[error("unused bits of the last character are not zero")]
    TrailingBits,
}

/// The octets that `text` stands for.
///
/// # Errors
///
/// [`Error`] names the first thing that is not strict base64url.
///
/// # Examples
///
/// ```
/// use countersign_keys::base64url;
///
/// assert_eq!(base64url::decode("-_8")?, [0xfb, 0xff]);
/// assert_eq!(base64url::decode("-_8="), Err(base64url::Error::Padding { offset: 3 }));
/// # Ok::<(), base64url::Error>(())
/// ```
pub fn decode(text: &str) -> Result<Vec<u8>, Error> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| explain(text.as_bytes()))
}

/// As [`decode`], into one buffer that is wiped when dropped, also after a failure.
pub(crate) fn decode_secret(text: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let mut octets = Zeroizing::new(Vec::with_capacity(text.len()));
    URL_SAFE_NO_PAD.decode_vec(text, &mut octets).map_err(|_| explain(text.as_bytes()))?;
    Ok(octets)
}

/// The text of `octets`.
#[must_use]
pub fn encode(octets: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(octets)
}

/// Appends the text of `octets` to `text`, writing in place. Reserve [`encoded_len`] to avoid a second allocation.
pub fn encode_into(octets: &[u8], text: &mut Vec<u8>) {
    let start = text.len();
    text.resize(start.saturating_add(encoded_len(octets.len())), 0);
    let written = text.get_mut(start..).and_then(|tail| URL_SAFE_NO_PAD.encode_slice(octets, tail).ok());
    if written.is_none() {
        // Only a length beyond the address space gets here; `encode` ends such a process by itself.
        text.truncate(start);
        text.extend_from_slice(encode(octets).as_bytes());
    }
}

/// Characters of the text of `octets` octets.
#[must_use]
pub const fn encoded_len(octets: usize) -> usize {
    let rest = match octets % 3 {
        0 => 0,
        1 => 2,
        _ => 3,
    };
    (octets / 3).saturating_mul(4).saturating_add(rest)
}

/// Finds the reason after the decoder said no.
fn explain(text: &[u8]) -> Error {
    for (offset, &found) in text.iter().enumerate() {
        match found {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => {}
            b'=' => return Error::Padding { offset },
            b'+' | b'/' => return Error::PlainAlphabet { offset, found: char::from(found) },
            b' ' | b'\t' | b'\r' | b'\n' => return Error::WhiteSpace { offset },
            _ => return Error::Foreign { offset, found },
        }
    }
    if text.len() % 4 == 1 { Error::Length { found: text.len() } } else { Error::TrailingBits }
}

#[cfg(test)]
mod tests {
    use super::{Error, decode, encode, encode_into, encoded_len};

    #[test]
    fn every_length_reads_back_and_has_one_text() {
        let octets: Vec<u8> = (0..=255).chain(0..=255).collect();
        for length in 0..octets.len() {
            let text = encode(&octets[..length]);
            assert_eq!(text.len(), encoded_len(length));
            assert_eq!(decode(&text).unwrap(), octets[..length]);
            let mut appended = b"protected.".to_vec();
            encode_into(&octets[..length], &mut appended);
            assert_eq!(appended, format!("protected.{text}").into_bytes());
        }
    }

    #[test]
    fn anything_but_strict_base64url_is_refused_with_its_reason() {
        assert_eq!(decode("QUI="), Err(Error::Padding { offset: 3 }));
        assert_eq!(decode("QQ=="), Err(Error::Padding { offset: 2 }));
        assert_eq!(decode("+_8"), Err(Error::PlainAlphabet { offset: 0, found: '+' }));
        assert_eq!(decode("-/8"), Err(Error::PlainAlphabet { offset: 1, found: '/' }));
        assert_eq!(decode("QUI\n"), Err(Error::WhiteSpace { offset: 3 }));
        assert_eq!(decode(" QUI"), Err(Error::WhiteSpace { offset: 0 }));
        assert_eq!(decode("QU.I"), Err(Error::Foreign { offset: 2, found: b'.' }));
        assert_eq!(decode("QUÄ"), Err(Error::Foreign { offset: 2, found: 0xc3 }));
        assert_eq!(decode("QUJDQ"), Err(Error::Length { found: 5 }));
        assert_eq!(decode("QUJ"), Err(Error::TrailingBits));
        assert_eq!(decode("QR"), Err(Error::TrailingBits));
        assert_eq!(decode("QUI"), Ok(b"AB".to_vec()));
        assert_eq!(decode(""), Ok(Vec::new()));
    }
}
