//! What a PEM file holds instead of a usable key.

use crate::public::spki;
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
    /// An encrypted private key, and no password.
    #[error("the private key (`{label}`) is encrypted and no password was given")]
    Encrypted {
        /// Label of the block.
        label: String,
    },
    /// The password is not the one, or the encrypted octets are damaged: AES-CBC does not tell the two apart.
    #[error("the password does not open the encrypted private key (`{label}`), or the file is damaged")]
    WrongPassword {
        /// Label of the block.
        label: String,
    },
    /// A private key encrypted in a way that is not read.
    #[error(
        "the private key is encrypted with {scheme}, which is not read here; use `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -in key.pem -out new.pem`"
    )]
    UnsupportedEncryption {
        /// Name or object identifier of the scheme, the cipher or the function.
        scheme: String,
    },
    /// A private key encrypted by OpenSSL's own scheme (`Proc-Type`, `DEK-Info`), which derives its key with one MD5.
    #[error(
        "the private key (`{label}`) is encrypted in the form that OpenSSL wrote before PKCS#8 (`Proc-Type`, `DEK-Info`), which is not read here; use `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -in key.pem -out new.pem`"
    )]
    LegacyEncryption {
        /// Label of the block.
        label: String,
    },
    /// The file asks for more iterations of PBKDF2 than are computed.
    #[error("the private key is encrypted with {found} iterations of PBKDF2, at most {max} are computed")]
    Iterations {
        /// Iterations that the file asks for.
        found: u32,
        /// Iterations that are computed.
        max: u32,
    },
    /// The file asks for more work of scrypt than is done.
    #[error(
        "the private key is encrypted with scrypt over {found} octets (128 · N · r · p), at most {max} are mixed"
    )]
    ScryptOctets {
        /// Octets that the file asks for.
        found: u64,
        /// Octets that are mixed.
        max: u64,
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
        "a PEM block `{label}` is not a key that is read here; `PRIVATE KEY`, `ENCRYPTED PRIVATE KEY`, `EC PRIVATE KEY`, `RSA PRIVATE KEY`, `PUBLIC KEY` and `RSA PUBLIC KEY` are"
    )]
    UnknownLabel {
        /// Label of the block.
        label: String,
    },
    /// A public key where a private one is needed.
    #[error("the file holds a public key; signing needs the private key")]
    PublicKey,
    /// The block was read, and the key in it has to be written in another way or replaced.
    #[error("{reason}; use `{command}`")]
    Replace {
        /// Why the key is not usable.
        #[source]
        reason: KeyError,
        /// The command that writes it in another way, or makes another key where nothing can.
        command: &'static str,
    },
    /// The block was read and the key in it is not usable.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Error {
    /// The reason code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Encrypted { .. }
            | Self::WrongPassword { .. }
            | Self::UnsupportedEncryption { .. }
            | Self::LegacyEncryption { .. }
            | Self::Iterations { .. }
            | Self::ScryptOctets { .. } => codes::KEY_ENCRYPTED,
            Self::Key(error) | Self::Replace { reason: error, .. } => error.code(),
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

/// The error for a block whose label is not read.
pub(super) fn of_label(label: &str) -> Error {
    match CONVERSIONS.iter().find(|(known, ..)| *known == label) {
        Some(&(label, what, command)) => Error::Convert { label, what, command },
        None => Error::UnknownLabel { label: label.to_owned() },
    }
}

/// A private key that is not usable, with the command that helps.
pub(super) fn of_private_key(reason: KeyError) -> Error {
    let command = if let KeyError::WrongCurve { found } = &reason {
        if found == spki::EXPLICIT_PARAMETERS {
            "openssl ec -in key.pem -param_enc named_curve -out named.pem"
        } else {
            "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem"
        }
    } else if let KeyError::UnsupportedKind { found } = &reason {
        if found == spki::RSASSA_PSS {
            "openssl rsa -in key.pem -traditional | sed s/RSA-PSS/RSA/ > rsa.pem"
        } else {
            "openssl genpkey -algorithm ed25519 -out key.pem"
        }
    } else {
        return reason.into();
    };
    Error::Replace { reason, command }
}

/// A public key that is not usable, with the command that helps where one does.
pub(super) fn of_public_key(reason: KeyError) -> Error {
    let is = |name: &str| matches!(&reason, KeyError::WrongCurve { found } | KeyError::UnsupportedKind { found } if found == name);
    let command = if is(spki::EXPLICIT_PARAMETERS) {
        "openssl ec -pubin -in key.pem -param_enc named_curve -pubout -out named.pem"
    } else if is(spki::RSASSA_PSS) {
        "openssl rsa -pubin -in key.pem -RSAPublicKey_out | sed s/RSA-PSS/RSA/ > rsa.pem"
    } else {
        return reason.into();
    };
    Error::Replace { reason, command }
}

/// Label, what it is, and the command that converts it, or makes another key where nothing can.
const CONVERSIONS: &[(&str, &str, &str)] = &[
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
    ("RSA-PSS PRIVATE KEY", "an RSA private key bound to RSASSA-PSS", "sed s/RSA-PSS/RSA/ key.pem > rsa.pem"),
    ("RSA-PSS PUBLIC KEY", "an RSA public key bound to RSASSA-PSS", "sed s/RSA-PSS/RSA/ key.pem > rsa.pem"),
    (
        "DSA PRIVATE KEY",
        "a DSA private key, which no algorithm here uses",
        "openssl genpkey -algorithm ed25519 -out key.pem",
    ),
];
