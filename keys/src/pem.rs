//! PEM key files (RFC 7468): private keys as PKCS#8, encrypted PKCS#8, SEC 1 or PKCS#1, public keys as SPKI or PKCS#1.
//! Every other kind is named in the error.

mod encrypted;
mod error;
mod foreign;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

pub use encrypted::{MAX_ITERATIONS, MAX_SCRYPT_OCTETS, Password};
pub use error::Error;

use crate::{SigningKey, VerifyingKey};

/// Longest PEM file that is read, in octets. A private RSA key of 4096 bits takes 3,300, a long comment fits too.
pub const MAX_OCTETS: usize = 65_536;

/// Most blocks that an error names.
const MAX_LABELS: usize = 4;

/// The key of a PEM file.
#[derive(Debug)]
#[non_exhaustive]
pub enum PemKey {
    /// From a `PUBLIC KEY` (SPKI) or `RSA PUBLIC KEY` (PKCS#1) block.
    Public(VerifyingKey),
    /// From a block with a private key.
    Private(Box<SigningKey>),
}

impl PemKey {
    /// The private key.
    ///
    /// # Errors
    ///
    /// [`Error::PublicKey`] when it is a public one.
    pub fn into_private(self) -> Result<SigningKey, Error> {
        match self {
            Self::Private(key) => Ok(*key),
            Self::Public(_) => Err(Error::PublicKey),
        }
    }
}

/// Reads a file with one key that is not encrypted: a `PRIVATE KEY` (PKCS#8), `EC PRIVATE KEY` (SEC 1, RFC 5915),
/// `RSA PRIVATE KEY` (PKCS#1, RFC 8017), `PUBLIC KEY` (SPKI) or `RSA PUBLIC KEY` (PKCS#1) block.
///
/// Accepted around it: a UTF-8 byte order mark, text before the block, LF or CRLF, blanks at line ends, a missing final
/// line break, lines of any length. An `EC PARAMETERS` block beside another block is skipped: the key names its curve.
///
/// # Errors
///
/// [`Error`] names what was found instead and, where there is one, the command that converts it. For an encrypted
/// private key that is [`Error::Encrypted`].
pub fn read(octets: &[u8]) -> Result<PemKey, Error> {
    read_block(octets, None)
}

/// Reads what [`read`] reads, and an `ENCRYPTED PRIVATE KEY` (PKCS#8 with PBES2, RFC 8018 6.2).
///
/// Keys are decrypted with AES-CBC under PBKDF2 with HMAC-SHA-2, up to [`MAX_ITERATIONS`], or under scrypt, up to
/// [`MAX_SCRYPT_OCTETS`]. Not checked: whether the password is a good one, and whether the key needed one.
///
/// # Errors
///
/// [`Error::WrongPassword`], [`Error::UnsupportedEncryption`], [`Error::LegacyEncryption`], [`Error::Iterations`],
/// [`Error::ScryptOctets`], and what [`read`] refuses.
pub fn read_with_password(octets: &[u8], password: &Password) -> Result<PemKey, Error> {
    read_block(octets, Some(password))
}

/// Reads a private key as [`read`] does.
///
/// # Errors
///
/// [`Error::PublicKey`] when the file holds a public key, else what [`read`] refuses.
pub fn read_private(octets: &[u8]) -> Result<SigningKey, Error> {
    read(octets)?.into_private()
}

/// As [`read`]; the error names what a verifier needs, which is never a new private key.
pub(crate) fn read_for_verifying(octets: &[u8]) -> Result<PemKey, Error> {
    read(octets).map_err(Error::for_verifying)
}

/// Whether the octets are to be read here: they do not begin as JSON, or they are UTF-16, which JSON never is.
#[must_use]
pub fn looks_like_pem(octets: &[u8]) -> bool {
    let text = without_bom(octets).trim_ascii_start();
    foreign::is_utf16(octets) || !matches!(text.first(), None | Some(b'{' | b'[' | b'"'))
}

fn read_block(octets: &[u8], password: Option<&Password>) -> Result<PemKey, Error> {
    if octets.len() > MAX_OCTETS {
        return Err(Error::TooLarge { octets: octets.len(), max: MAX_OCTETS });
    }
    let block = single_block(octets)?;
    block.refuse_legacy_encryption()?;
    let private = |key| PemKey::Private(Box::new(key));
    match block.label {
        "PUBLIC KEY" => {
            VerifyingKey::from_spki_der(&block.der()?).map(PemKey::Public).map_err(error::of_public_key)
        }
        "RSA PUBLIC KEY" => Ok(PemKey::Public(VerifyingKey::from_pkcs1_der(&block.der()?)?)),
        "PRIVATE KEY" => {
            SigningKey::from_pkcs8_der(&block.der()?).map(private).map_err(error::of_private_key)
        }
        "EC PRIVATE KEY" => {
            SigningKey::from_sec1_der(&block.der()?).map(private).map_err(error::of_private_key)
        }
        "RSA PRIVATE KEY" => Ok(private(SigningKey::from_pkcs1_der(&block.der()?)?)),
        "ENCRYPTED PRIVATE KEY" => encrypted::read(&block.der()?, block.label, password).map(private),
        "OPENSSH PRIVATE KEY" => Err(foreign::openssh_private(&block.der()?)),
        label => Err(error::of_label(label)),
    }
}

struct Block<'a> {
    label: &'a str,
    /// Trimmed lines between the markers.
    lines: Vec<&'a [u8]>,
}

impl Block<'_> {
    fn der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let body = Zeroizing::new(self.lines.concat());
        // Reserved in full, so that decoding leaves no copy behind.
        let mut der = Zeroizing::new(Vec::with_capacity(body.len()));
        STANDARD
            .decode_vec(body.as_slice(), &mut der)
            .map_err(|_| Error::Body { label: self.label.to_owned() })?;
        Ok(der)
    }

    /// The header lines that OpenSSL wrote before PKCS#8 (RFC 1421 4.6.1.1).
    fn refuse_legacy_encryption(&self) -> Result<(), Error> {
        let is_header = |line: &&[u8]| line.starts_with(b"Proc-Type:") || line.starts_with(b"DEK-Info:");
        if self.lines.iter().any(is_header) {
            return Err(Error::LegacyEncryption { label: self.label.to_owned() });
        }
        Ok(())
    }
}

fn single_block(octets: &[u8]) -> Result<Block<'_>, Error> {
    if foreign::is_binary(octets) {
        return Err(foreign::name(octets));
    }
    let mut blocks = blocks(without_bom(octets))?;
    if blocks.len() > 1 {
        blocks.retain(|block| block.label != "EC PARAMETERS");
    }
    let count = blocks.len();
    match (blocks.pop(), count) {
        (Some(block), 1) => Ok(block),
        (Some(last), count) => {
            let labels = blocks.iter().chain([&last]).take(MAX_LABELS).map(|block| block.label.to_owned());
            Err(Error::SeveralBlocks { count, labels: labels.collect() })
        }
        (None, _) => Err(foreign::name(octets)),
    }
}

fn blocks(octets: &[u8]) -> Result<Vec<Block<'_>>, Error> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (index, line) in octets.split(|&octet| octet == b'\n').enumerate() {
        let (line, number) = (line.trim_ascii(), index.saturating_add(1));
        match (marker(line), open.take()) {
            (Some(Marker::Begin(label)), None) => open = Some(Block { label, lines: Vec::new() }),
            (Some(Marker::End(end)), Some(block)) if end == block.label => blocks.push(block),
            (Some(Marker::End(end)), Some(block)) => {
                return Err(Error::LabelMismatch { begin: block.label.to_owned(), end: end.to_owned() });
            }
            (Some(Marker::Begin(_)), Some(block)) => {
                return Err(Error::MissingEnd { label: block.label.to_owned() });
            }
            (Some(Marker::End(_)), None) => return Err(Error::DamagedMarker { line: number }),
            (Some(Marker::Damaged), _) if contains(line, b"\\n") => return Err(Error::EscapedLineBreaks),
            (Some(Marker::Damaged), _) if contains(line, b"-BEGIN ") && contains(line, b"-END ") => {
                return Err(Error::OneLine);
            }
            (Some(Marker::Damaged), _) => return Err(Error::DamagedMarker { line: number }),
            (None, Some(mut block)) => {
                if !line.is_empty() {
                    block.lines.push(line);
                }
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    match open {
        Some(block) => Err(Error::MissingEnd { label: block.label.to_owned() }),
        None => Ok(blocks),
    }
}

enum Marker<'a> {
    Begin(&'a str),
    End(&'a str),
    Damaged,
}

/// A trimmed line as a marker; [`None`] when it is none.
fn marker(line: &[u8]) -> Option<Marker<'_>> {
    if !contains(line, b"-BEGIN ") && !contains(line, b"-END ") {
        return None;
    }
    let marker = line.strip_prefix(b"-----").and_then(|rest| rest.strip_suffix(b"-----"));
    // RFC 7468 3: a label holds single hyphens, and none at its ends.
    let is_label = |text: &&str| !text.contains("--") && !text.starts_with('-') && !text.ends_with('-');
    let text = marker.and_then(|rest| std::str::from_utf8(rest).ok()).filter(is_label);
    Some(match text.and_then(|text| text.split_once(' ')) {
        Some(("BEGIN", label)) => Marker::Begin(label),
        Some(("END", label)) => Marker::End(label),
        _ => Marker::Damaged,
    })
}

fn without_bom(octets: &[u8]) -> &[u8] {
    octets.strip_prefix(b"\xef\xbb\xbf").unwrap_or(octets)
}

fn contains(octets: &[u8], part: &[u8]) -> bool {
    octets.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests;
