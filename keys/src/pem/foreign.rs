//! What key text is that holds no PEM block, and what an OpenSSH key is.

use super::error::{Error, NEW_ED25519};
use super::without_bom;

/// `pkcs7-data`, `pkcs-5` and `pkcs-12PbeIds` (RFC 8018, RFC 7292) as DER.
const PKCS7_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x01];
const PKCS5: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05];
const PKCS12_PBE: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c, 0x01];

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const OBJECT_IDENTIFIER: u8 = 0x06;

const CONVERT_OPENSSH: &str = "cp key key.copy && ssh-keygen -p -m PKCS8 -f key.copy";
const EXPORT_OPENSSH: &str = "ssh-keygen -e -m PKCS8 -f key.pub > public.pem";

/// OpenSSH exports no Ed25519 key: the public one is the last 32 octets of its text, behind the header of its SPKI.
const EXPORT_ED25519: &str = "(printf '\\060\\052\\060\\005\\006\\003\\053\\145\\160\\003\\041\\000'; cut -d ' ' -f 2 key.pub | openssl base64 -d -A | tail -c 32) | openssl pkey -pubin -inform DER -out public.pem";

/// Octets in which no PEM block is looked for.
pub(super) fn is_binary(octets: &[u8]) -> bool {
    is_utf16(octets) || octets.first() == Some(&SEQUENCE) && octets.get(1).is_some_and(|next| *next >= 0x80)
}

/// Whether there are printable ASCII characters and white space only, which DER never is.
fn is_text(octets: &[u8]) -> bool {
    octets.iter().all(|octet| octet.is_ascii_graphic() || octet.is_ascii_whitespace())
}

/// Whether the text has the byte order mark of UTF-16, or begins with a character that has a zero octet beside it.
pub(super) fn is_utf16(octets: &[u8]) -> bool {
    octets.starts_with(&[0xff, 0xfe])
        || octets.starts_with(&[0xfe, 0xff])
        || matches!(octets, [b'{' | b'[' | b'-', 0, ..] | [0, b'{' | b'[' | b'-', ..])
}

/// The error for octets without a PEM block.
pub(super) fn name(octets: &[u8]) -> Error {
    let text = without_bom(octets).trim_ascii();
    if is_utf16(octets) {
        Error::Utf16
    } else if text.is_empty() {
        Error::Empty
    } else if octets.first() == Some(&SEQUENCE) && !is_text(octets) {
        der(octets)
    } else if let Some(command) = openssh_public(text) {
        Error::Convert {
            label: "ssh-…",
            what: "an OpenSSH public key",
            command,
            for_verifying: Some(command),
        }
    } else if text.starts_with(b"LS0tLS1CRUdJTi") {
        Error::Base64 { of: "PEM" }
    } else if text.starts_with(b"eyJ") && !text.contains(&b'.') {
        Error::Base64 { of: "a JWK" }
    } else {
        Error::NoBlock
    }
}

/// The error for the octets of an `OPENSSH PRIVATE KEY` block.
pub(super) fn openssh_private(octets: &[u8]) -> Error {
    let label = "OPENSSH PRIVATE KEY";
    match openssh_kind(octets) {
        Some(kind) if kind.starts_with(b"sk-") => Error::Convert {
            label,
            what: "an OpenSSH key whose private half is in a security key",
            command: NEW_ED25519,
            for_verifying: None,
        },
        Some(b"ssh-ed25519") => Error::Convert {
            label,
            what: "an OpenSSH private key on Ed25519, which OpenSSH and OpenSSL do not convert",
            command: NEW_ED25519,
            for_verifying: Some(EXPORT_ED25519),
        },
        _ => Error::Convert {
            label,
            what: "an OpenSSH private key",
            command: CONVERT_OPENSSH,
            for_verifying: Some(EXPORT_OPENSSH),
        },
    }
}

/// The kind of an OpenSSH private key: that of its public half, which is not encrypted.
fn openssh_kind(octets: &[u8]) -> Option<&[u8]> {
    let rest = octets.strip_prefix(b"openssh-key-v1\0")?;
    let (_cipher, rest) = openssh_text(rest)?;
    let (_kdf, rest) = openssh_text(rest)?;
    let (_options, rest) = openssh_text(rest)?;
    let (_count, rest) = rest.split_at_checked(4)?;
    let (public, _) = openssh_text(rest)?;
    openssh_text(public).map(|(kind, _)| kind)
}

/// A text with its length before it (RFC 4251 5), and what follows.
fn openssh_text(octets: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = octets.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}

/// The command that exports an OpenSSH public key, for text that is one.
fn openssh_public(text: &[u8]) -> Option<&'static str> {
    if text.starts_with(b"ssh-ed25519 ") {
        return Some(EXPORT_ED25519);
    }
    let kinds: [&[u8]; 3] = [b"ssh-rsa ", b"ssh-dss ", b"ecdsa-sha2-nistp"];
    kinds.iter().any(|kind| text.starts_with(kind)).then_some(EXPORT_OPENSSH)
}

/// The error for binary DER: told by the first elements of its structure.
fn der(octets: &[u8]) -> Error {
    let named = |what, command, for_verifying| Error::Der { what, command, for_verifying };
    let private = |what| {
        let public = "openssl pkey -inform DER -in key.der -pubout -out public.pem";
        named(what, "openssl pkey -inform DER -in key.der -out new-key.pem", public)
    };
    let only = |what, command| named(what, command, command);
    let certificate = || {
        only(
            "an X.509 certificate",
            "openssl x509 -inform DER -in certificate.der -noout -pubkey > public.pem",
        )
    };
    let content = element(octets).map(|element| element.content).unwrap_or_default();
    let first = element(content);
    let inner = first.as_ref().and_then(|first| element(first.content));
    let second = first.as_ref().and_then(|first| element(first.rest));
    match (first.as_ref().map(|first| (first.tag, first.content)), inner) {
        (Some((INTEGER, [3])), _)
            if second.is_some_and(|second| has_identifier(second.content, PKCS7_DATA)) =>
        {
            named(
                "a PKCS#12 file (.p12, .pfx)",
                "openssl pkcs12 -in key.p12 -nocerts -out new-key.pem",
                "openssl pkcs12 -in key.p12 -nokeys -clcerts | openssl x509 -noout -pubkey > public.pem",
            )
        }
        (Some((INTEGER, [0 | 1])), _) => private("a private key"),
        (Some((INTEGER, _)), _) => only(
            "an RSA public key (PKCS#1)",
            "openssl rsa -RSAPublicKey_in -inform DER -in key.der -pubout -out public.pem",
        ),
        (Some((SEQUENCE, content)), Some(Element { tag: OBJECT_IDENTIFIER, .. })) => {
            if has_identifier(content, PKCS5) || has_identifier(content, PKCS12_PBE) {
                named(
                    "an encrypted private key",
                    "openssl pkey -inform DER -in key.der -aes256 -out new-key.pem",
                    "openssl pkey -inform DER -in key.der -pubout -out public.pem",
                )
            } else {
                only("a public key", "openssl pkey -pubin -inform DER -in key.der -out public.pem")
            }
        }
        (Some((SEQUENCE, _)), Some(Element { tag: INTEGER, content: [0], .. })) => only(
            "a certificate request",
            "openssl req -inform DER -in request.der -noout -pubkey > public.pem",
        ),
        (Some((SEQUENCE, _)), Some(Element { tag: INTEGER | 0xa0, .. })) => certificate(),
        _ => private("a key or another structure"),
    }
}

/// One element of DER: its tag, its content as far as it is there, and what follows it.
struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    rest: &'a [u8],
}

/// The first element, for naming only: nothing is decoded from it. An indefinite length is taken as all that is left.
fn element(octets: &[u8]) -> Option<Element<'_>> {
    let (&tag, rest) = octets.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        0x80 => (rest.len(), rest),
        0x81..=0x84 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            (length.iter().fold(0_usize, |sum, octet| (sum << 8) | usize::from(*octet)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length).unwrap_or((rest, &[]));
    Some(Element { tag, content, rest })
}

/// Whether the content begins with an object identifier that begins with this one.
fn has_identifier(content: &[u8], identifier: &[u8]) -> bool {
    element(content)
        .is_some_and(|found| found.tag == OBJECT_IDENTIFIER && found.content.starts_with(identifier))
}
