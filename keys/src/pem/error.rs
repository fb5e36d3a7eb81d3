//! What a PEM file holds instead of a usable key.

use crate::{Code, KeyError, codes};

/// Why a PEM file gives no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No `-----BEGIN …-----` line.
    #[error("no PEM block found: there is no `-----BEGIN …-----` line")]
    NoBlock,
    /// The file is longer than the limit.
    #[error("the key file has {octets} octets, at most {max} are read")]
    TooLarge {
        /// Octets of the file.
        octets: usize,
        /// Octets that are read.
        max: usize,
    },
    /// Binary DER.
    #[error(
        "the file is binary DER, not PEM; convert it with `openssl pkey -inform DER -in key.der -out key.pem` (add `-pubin` for a public key)"
    )]
    Der,
    /// The text `\n` where line breaks should be, as environment files leave it.
    #[error(
        "the file has the two characters `\\n` where line breaks should be; restore them with `printf '%b' \"$KEY\" > key.pem`"
    )]
    EscapedLineBreaks,
    /// A line that looks like a marker and is not `-----BEGIN LABEL-----` or `-----END LABEL-----`, or an END alone.
    #[error(
        "line {line} is a damaged or misplaced PEM marker; `-----BEGIN …-----` and `-----END …-----` stand on lines of their own, with five dashes on each side"
    )]
    DamagedMarker {
        /// Line, counted from 1.
        line: usize,
    },
    /// A block without its END line.
    #[error("the block `{label}` has no `-----END {label}-----` line")]
    MissingEnd {
        /// Label of the BEGIN line.
        label: String,
    },
    /// BEGIN and END name different things.
    #[error("the block begins as `{begin}` and ends as `{end}`")]
    LabelMismatch {
        /// Label of the BEGIN line.
        begin: String,
        /// Label of the END line.
        end: String,
    },
    /// The lines between the markers are not base64.
    #[error("the lines inside the block `{label}` are not base64")]
    Body {
        /// Label of the block.
        label: String,
    },
    /// More than one block.
    #[error("the file has {count} PEM blocks, one key is needed")]
    SeveralBlocks {
        /// Blocks found, curve parameters not counted.
        count: usize,
    },
    /// An encrypted private key.
    #[error(
        "the private key (`{label}`) is encrypted; decrypt it with `openssl pkcs8 -topk8 -nocrypt -in key.pem -out plain.pem`"
    )]
    Encrypted {
        /// Label of the block.
        label: String,
    },
    /// Something known that is read after one command.
    #[error("the file holds {what} (`{label}`), which is not read here; use `{command}`")]
    Convert {
        /// Label of the block.
        label: &'static str,
        /// What that is.
        what: &'static str,
        /// The command that converts it, or makes another key where nothing can.
        command: &'static str,
    },
    /// A label that means no key.
    #[error(
        "a PEM block `{label}` is not a key that is read here; `PRIVATE KEY` (PKCS#8) and `PUBLIC KEY` (SPKI) are"
    )]
    UnknownLabel {
        /// Label of the block.
        label: String,
    },
    /// A public key where a private one is needed.
    #[error("the file holds a public key; signing needs the private key")]
    PublicKey,
    /// The block was read and the key in it is not usable.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Error {
    /// The reason code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Encrypted { .. } => codes::KEY_ENCRYPTED,
            Self::Key(error) => error.code(),
            Self::NoBlock
            | Self::TooLarge { .. }
            | Self::Der
            | Self::EscapedLineBreaks
            | Self::DamagedMarker { .. }
            | Self::MissingEnd { .. }
            | Self::LabelMismatch { .. }
            | Self::Body { .. }
            | Self::SeveralBlocks { .. }
            | Self::Convert { .. }
            | Self::UnknownLabel { .. }
            | Self::PublicKey => codes::KEY_UNREADABLE,
        }
    }
}

/// Label, what it is, and the command that converts it, or makes another key where nothing can.
pub(super) const CONVERSIONS: &[(&str, &str, &str)] = &[
    (
        "EC PRIVATE KEY",
        "an EC private key in SEC 1 form",
        "openssl pkcs8 -topk8 -nocrypt -in key.pem -out pkcs8.pem",
    ),
    (
        "RSA PRIVATE KEY",
        "an RSA private key in PKCS#1 form",
        "openssl pkcs8 -topk8 -nocrypt -in key.pem -out pkcs8.pem",
    ),
    (
        "RSA PUBLIC KEY",
        "an RSA public key in PKCS#1 form",
        "openssl rsa -RSAPublicKey_in -in key.pem -pubout -out public.pem",
    ),
    ("CERTIFICATE", "an X.509 certificate", "openssl x509 -in certificate.pem -noout -pubkey > public.pem"),
    (
        "X509 CERTIFICATE",
        "an X.509 certificate",
        "openssl x509 -in certificate.pem -noout -pubkey > public.pem",
    ),
    (
        "TRUSTED CERTIFICATE",
        "an X.509 certificate",
        "openssl x509 -in certificate.pem -noout -pubkey > public.pem",
    ),
    (
        "CERTIFICATE REQUEST",
        "a certificate request",
        "openssl req -in request.pem -noout -pubkey > public.pem",
    ),
    (
        "OPENSSH PRIVATE KEY",
        "an OpenSSH private key (OpenSSH exports RSA and ECDSA keys only; instead of an Ed25519 key make a new one with `openssl genpkey -algorithm ed25519`)",
        "ssh-keygen -p -N '' -m PKCS8 -f key",
    ),
    (
        "EC PARAMETERS",
        "curve parameters without a key",
        "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem",
    ),
    (
        "DSA PRIVATE KEY",
        "a DSA private key, which no algorithm here uses",
        "openssl genpkey -algorithm ed25519 -out key.pem",
    ),
];
