//! PEM key files (RFC 7468): PKCS#8 private keys and SPKI public keys. Every other kind is named in the error.

mod error;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

pub use error::Error;

use crate::{SigningKey, VerifyingKey, private};

/// Longest PEM file that is read, in octets. A private RSA key of 4096 bits takes 3,300, a long comment fits too.
pub const MAX_OCTETS: usize = 65_536;

/// The key of a PEM file.
#[derive(Debug)]
#[non_exhaustive]
pub enum PemKey {
    /// From a `PUBLIC KEY` block.
    Public(VerifyingKey),
    /// From a `PRIVATE KEY` block.
    Private(Box<SigningKey>),
}

/// Reads a file with one `PRIVATE KEY` (PKCS#8, not encrypted) or `PUBLIC KEY` (SPKI) block.
///
/// Accepted around it: a UTF-8 byte order mark, text before the block, LF or CRLF, blanks at line ends, a missing final
/// line break, lines of any length. An `EC PARAMETERS` block before another block is skipped.
///
/// # Errors
///
/// [`Error`] names what was found instead and, where there is one, the command that converts it.
pub fn read(octets: &[u8]) -> Result<PemKey, Error> {
    if octets.len() > MAX_OCTETS {
        return Err(Error::TooLarge { octets: octets.len(), max: MAX_OCTETS });
    }
    let block = single_block(octets)?;
    match block.label {
        "PUBLIC KEY" => Ok(PemKey::Public(VerifyingKey::from_spki_der(&block.der()?)?)),
        "PRIVATE KEY" => {
            block.refuse_encrypted()?;
            Ok(PemKey::Private(Box::new(SigningKey::from_pkcs8_der(&block.der()?)?)))
        }
        _ => Err(block.refuse()),
    }
}

/// Reads a private key as [`read`] does.
///
/// # Errors
///
/// [`Error::PublicKey`] when the file holds a public key, else what [`read`] refuses.
pub fn read_private(octets: &[u8]) -> Result<SigningKey, Error> {
    match read(octets)? {
        PemKey::Private(key) => Ok(*key),
        PemKey::Public(_) => Err(Error::PublicKey),
    }
}

/// Whether the octets are meant as PEM, a DER key or an OpenSSH key rather than as JSON.
#[must_use]
pub fn looks_like_pem(octets: &[u8]) -> bool {
    let text = without_bom(octets).trim_ascii_start();
    contains(text, b"-BEGIN ")
        && !text.starts_with(b"{")
        && !text.starts_with(b"[")
        && !text.starts_with(b"\"")
        || text.starts_with(&[0x30])
        || is_openssh_public(text)
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
    fn refuse_encrypted(&self) -> Result<(), Error> {
        let encrypted =
            self.lines.iter().any(|line| line.starts_with(b"Proc-Type:") && contains(line, b"ENCRYPTED"));
        if encrypted { Err(Error::Encrypted { label: self.label.to_owned() }) } else { Ok(()) }
    }

    /// The error for a block whose label is not read.
    fn refuse(&self) -> Error {
        if let Err(encrypted) = self.refuse_encrypted() {
            return encrypted;
        }
        if self.label == "ENCRYPTED PRIVATE KEY" {
            return Error::Encrypted { label: self.label.to_owned() };
        }
        if self.label == "EC PRIVATE KEY"
            && let Some(wrong) = self.der().ok().and_then(|der| private::wrong_sec1_curve(&der))
        {
            return wrong.into();
        }
        match error::CONVERSIONS.iter().find(|(label, ..)| *label == self.label) {
            Some(&(label, what, command)) => Error::Convert { label, what, command },
            None => Error::UnknownLabel { label: self.label.to_owned() },
        }
    }
}

fn single_block(octets: &[u8]) -> Result<Block<'_>, Error> {
    let mut blocks = blocks(without_bom(octets))?;
    if blocks.len() > 1 {
        blocks.retain(|block| block.label != "EC PARAMETERS");
    }
    let count = blocks.len();
    match (blocks.pop(), count) {
        (Some(block), 1) => Ok(block),
        (Some(_), count) => Err(Error::SeveralBlocks { count }),
        (None, _) => Err(nothing_found(without_bom(octets))),
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
    let text = marker.and_then(|rest| std::str::from_utf8(rest).ok()).filter(|text| !text.contains('-'));
    Some(match text.and_then(|text| text.split_once(' ')) {
        Some(("BEGIN", label)) => Marker::Begin(label),
        Some(("END", label)) => Marker::End(label),
        _ => Marker::Damaged,
    })
}

fn nothing_found(octets: &[u8]) -> Error {
    if is_openssh_public(octets) {
        Error::Convert {
            label: "ssh-…",
            what: "an OpenSSH public key (OpenSSH exports RSA and ECDSA keys only)",
            command: "ssh-keygen -e -m PKCS8 -f key.pub > public.pem",
        }
    } else if octets.starts_with(&[0x30]) {
        Error::Der
    } else {
        Error::NoBlock
    }
}

fn is_openssh_public(octets: &[u8]) -> bool {
    let kinds: [&[u8]; 4] = [b"ssh-ed25519 ", b"ssh-rsa ", b"ssh-dss ", b"ecdsa-sha2-nistp"];
    kinds.iter().any(|kind| octets.starts_with(kind))
}

fn without_bom(octets: &[u8]) -> &[u8] {
    octets.strip_prefix(b"\xef\xbb\xbf").unwrap_or(octets)
}

fn contains(octets: &[u8], part: &[u8]) -> bool {
    octets.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests;
