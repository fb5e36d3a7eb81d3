//! What a PEM file holds instead of a usable key.

use crate::public::spki;
use crate::{Code, KeyError, codes};

/// Why a PEM file gives no key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing, or white space only.
    #[error("there is no key: the text is empty")]
    Empty,
    /// Text without a `-----BEGIN …-----` line that does not begin as JSON either.
    #[error(
        "this is neither a JWK nor PEM: it does not begin with `{{`, and there is no `-----BEGIN …-----` line"
    )]
    NoBlock,
    /// UTF-16, as some editors and shells of Windows write it.
    #[error("this is UTF-16, keys are read as UTF-8; convert it with `iconv -f UTF-16 -t UTF-8`")]
    Utf16,
    /// A key that was encoded once more, as secrets in CI are.
    #[error("this is the base64 of {of}; decode it with `openssl base64 -d -A`")]
    Base64 {
        /// What was encoded.
        of: &'static str,
    },
    /// The file is longer than the limit.
    #[error("the key has {octets} octets, at most {max} are read")]
    TooLarge {
        /// Octets of the file.
        octets: usize,
        /// Octets that are read.
        max: usize,
    },
    /// Binary DER.
    #[error("this is {what} in binary DER, not PEM; use `{command}`")]
    Der {
        /// What it looks like.
        what: &'static str,
        /// The command that converts it.
        command: &'static str,
        /// The command that gives the public half.
        for_verifying: &'static str,
    },
    /// The text `\n` where line breaks should be, as environment files leave it.
    #[error("there are the two characters `\\n` where line breaks should be; `printf '%b'` restores them")]
    EscapedLineBreaks,
    /// All of the block on one line, as a shell leaves it when a variable is not quoted.
    #[error(
        "the PEM block stands on one line, its line breaks were lost; a shell does that to `$KEY` without quotation marks"
    )]
    OneLine,
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
    #[error("there are {count} PEM blocks ({}), one key is needed: write it into a file of its own", quoted(.labels))]
    SeveralBlocks {
        /// Blocks found, curve parameters not counted.
        count: usize,
        /// Labels of the first of them.
        labels: Vec<String>,
    },
    /// An encrypted private key, and no password.
    #[error("the private key (`{label}`) is encrypted and no password was given")]
    Encrypted {
        /// Label of the block.
        label: String,
    },
    /// The password is not the one, or the encrypted octets are damaged: AES-CBC does not tell the two apart.
    #[error("the password does not open the encrypted private key (`{label}`), or it is damaged")]
    WrongPassword {
        /// Label of the block.
        label: String,
    },
    /// A private key encrypted in a way that is not read.
    #[error(
        "the private key is encrypted with {scheme}, which is not read here; use `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -in key.pem -out new-key.pem`"
    )]
    UnsupportedEncryption {
        /// Name or object identifier of the scheme, the cipher or the function.
        scheme: String,
    },
    /// A private key encrypted by OpenSSL's own scheme (`Proc-Type`, `DEK-Info`), which derives its key with one MD5.
    #[error(
        "the private key (`{label}`) is encrypted in the form that OpenSSL wrote before PKCS#8 (`Proc-Type`, `DEK-Info`), which is not read here; use `openssl pkcs8 -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -in key.pem -out new-key.pem`"
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
    #[error("this is {what} (`{label}`), which is not read here; use `{command}`")]
    Convert {
        /// Label of the block.
        label: &'static str,
        /// What that is.
        what: &'static str,
        /// The command that converts it, or makes another key where nothing can.
        command: &'static str,
        /// The command that gives the public half; none where the publisher has to give another key.
        for_verifying: Option<&'static str>,
    },
    /// The same where nothing gives the public half.
    #[error("this is {what} (`{label}`), which verifies nothing here; ask for a public key as JWK or PEM")]
    NoPublicKey {
        /// Label of the block.
        label: &'static str,
        /// What that is.
        what: &'static str,
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
    #[error("this is a public key; signing needs the private key")]
    PublicKey,
    /// The block was read, and the key in it has to be written in another way or replaced.
    #[error("{reason}; use `{command}`")]
    Replace {
        /// Why the key is not usable.
        #[source]
        reason: KeyError,
        /// The command that writes it in another way, or makes another key where nothing can.
        command: &'static str,
        /// The command that gives a usable public half, where one does.
        for_verifying: Option<&'static str>,
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
            Self::Empty
            | Self::NoBlock
            | Self::Utf16
            | Self::Base64 { .. }
            | Self::TooLarge { .. }
            | Self::Der { .. }
            | Self::EscapedLineBreaks
            | Self::OneLine
            | Self::DamagedMarker { .. }
            | Self::MissingEnd { .. }
            | Self::LabelMismatch { .. }
            | Self::Body { .. }
            | Self::SeveralBlocks { .. }
            | Self::Convert { .. }
            | Self::NoPublicKey { .. }
            | Self::UnknownLabel { .. }
            | Self::PublicKey => codes::KEY_UNREADABLE,
        }
    }

    /// The same for whoever needs the public half: no private key is converted, and none is made.
    pub(super) fn for_verifying(self) -> Self {
        if let Self::Der { what, for_verifying, .. } = self {
            return Self::Der { what, command: for_verifying, for_verifying };
        }
        if let Self::Convert { label, what, for_verifying, .. } = self {
            return match for_verifying {
                Some(command) => Self::Convert { label, what, command, for_verifying },
                None => Self::NoPublicKey { label, what },
            };
        }
        if let Self::Replace { reason, for_verifying, .. } = self {
            return match for_verifying {
                Some(command) => Self::Replace { reason, command, for_verifying },
                None => Self::Key(reason),
            };
        }
        self
    }
}

/// The error for a block whose label is not read.
pub(super) fn of_label(label: &str) -> Error {
    match CONVERSIONS.iter().find(|known| known.0 == label) {
        Some(&(label, what, command, for_verifying)) => {
            Error::Convert { label, what, command, for_verifying }
        }
        None => Error::UnknownLabel { label: label.to_owned() },
    }
}

/// A private key that is not usable, with the command that helps.
pub(super) fn of_private_key(reason: KeyError) -> Error {
    let (command, for_verifying) = if let KeyError::WrongCurve { found } = &reason {
        if found == spki::EXPLICIT_PARAMETERS {
            (
                "openssl ec -in key.pem -param_enc named_curve -out new-key.pem",
                Some("openssl ec -in key.pem -param_enc named_curve -pubout -out public.pem"),
            )
        } else if spki::is_edwards_or_montgomery(found) {
            return reason.into();
        } else {
            (NEW_P256, None)
        }
    } else if let KeyError::UnsupportedKind { found } = &reason {
        if found == spki::RSASSA_PSS {
            (
                "(umask 077; openssl rsa -in key.pem -traditional | sed s/RSA-PSS/RSA/ > new-key.pem)",
                Some("openssl rsa -in key.pem -RSAPublicKey_out | sed s/RSA-PSS/RSA/ > public.pem"),
            )
        } else {
            (NEW_ED25519, None)
        }
    } else {
        return reason.into();
    };
    Error::Replace { reason, command, for_verifying }
}

/// A public key that is not usable, with the command that helps where one does.
pub(super) fn of_public_key(reason: KeyError) -> Error {
    let is = |name: &str| matches!(&reason, KeyError::WrongCurve { found } | KeyError::UnsupportedKind { found } if found == name);
    let command = if is(spki::EXPLICIT_PARAMETERS) {
        "openssl ec -pubin -in key.pem -param_enc named_curve -pubout -out named.pem"
    } else if is(spki::RSASSA_PSS) {
        "openssl rsa -pubin -in key.pem -RSAPublicKey_out | sed s/RSA-PSS/RSA/ > public.pem"
    } else {
        return reason.into();
    };
    Error::Replace { reason, command, for_verifying: Some(command) }
}

fn quoted(labels: &[String]) -> String {
    labels.iter().map(|label| format!("`{label}`")).collect::<Vec<_>>().join(", ")
}

/// Commands that make another key, under a name that no key has yet.
pub(super) const NEW_ED25519: &str = "openssl genpkey -algorithm ed25519 -out new-key.pem";
const NEW_P256: &str = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out new-key.pem";

const OF_CERTIFICATE: &str = "openssl x509 -in certificate.pem -noout -pubkey > public.pem";
const OF_REQUEST: &str = "openssl req -in request.pem -noout -pubkey > public.pem";

/// Label, what it is, the command that converts it, or makes another key where nothing can, and the one that gives the
/// public half.
const CONVERSIONS: &[(&str, &str, &str, Option<&str>)] = &[
    ("CERTIFICATE", "an X.509 certificate", OF_CERTIFICATE, Some(OF_CERTIFICATE)),
    ("X509 CERTIFICATE", "an X.509 certificate", OF_CERTIFICATE, Some(OF_CERTIFICATE)),
    ("TRUSTED CERTIFICATE", "an X.509 certificate", OF_CERTIFICATE, Some(OF_CERTIFICATE)),
    ("CERTIFICATE REQUEST", "a certificate request", OF_REQUEST, Some(OF_REQUEST)),
    ("EC PARAMETERS", "curve parameters without a key", NEW_P256, None),
    (
        "RSA-PSS PRIVATE KEY",
        "an RSA private key bound to RSASSA-PSS",
        "(umask 077; sed s/RSA-PSS/RSA/ key.pem > new-key.pem)",
        Some("openssl rsa -in key.pem -RSAPublicKey_out | sed s/RSA-PSS/RSA/ > public.pem"),
    ),
    (
        "RSA-PSS PUBLIC KEY",
        "an RSA public key bound to RSASSA-PSS",
        "sed s/RSA-PSS/RSA/ key.pem > public.pem",
        Some("sed s/RSA-PSS/RSA/ key.pem > public.pem"),
    ),
    ("DSA PRIVATE KEY", "a DSA private key, which no algorithm here uses", NEW_ED25519, None),
];
