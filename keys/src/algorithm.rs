//! Signature algorithms (RFC 7518 3.1, RFC 8037, RFC 9864) and the kinds of key that serve them.

use std::fmt;

use crate::VerifyError;
use crate::public::check_signature_length;

/// A signature algorithm by its JOSE name. HMAC and `none` do not exist here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Algorithm {
    /// Ed25519 under the name of RFC 8037.
    EdDsa,
    /// Ed25519 under the name of RFC 9864; the same signatures as [`Algorithm::EdDsa`].
    Ed25519,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// ECDSA on P-521 with SHA-512.
    Es512,
    /// RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 octets.
    Ps256,
    /// RSASSA-PSS with SHA-384, MGF1 with SHA-384 and a salt of 48 octets.
    Ps384,
    /// RSASSA-PSS with SHA-512, MGF1 with SHA-512 and a salt of 64 octets.
    Ps512,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// RSASSA-PKCS1-v1_5 with SHA-384.
    Rs384,
    /// RSASSA-PKCS1-v1_5 with SHA-512.
    Rs512,
}

impl Algorithm {
    /// Every algorithm, in the order of their names.
    pub const ALL: &[Self] = &[
        Self::EdDsa,
        Self::Ed25519,
        Self::Es256,
        Self::Es384,
        Self::Es512,
        Self::Ps256,
        Self::Ps384,
        Self::Ps512,
        Self::Rs256,
        Self::Rs384,
        Self::Rs512,
    ];

    /// The value of `alg`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::EdDsa => "EdDSA",
            Self::Ed25519 => "Ed25519",
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Es512 => "ES512",
            Self::Ps256 => "PS256",
            Self::Ps384 => "PS384",
            Self::Ps512 => "PS512",
            Self::Rs256 => "RS256",
            Self::Rs384 => "RS384",
            Self::Rs512 => "RS512",
        }
    }

    /// The algorithm with exactly this name. Letter case and white space count.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|algorithm| algorithm.name() == name)
    }

    /// The one kind of key that fits.
    #[must_use]
    pub const fn key_kind(self) -> KeyKind {
        match self {
            Self::EdDsa | Self::Ed25519 => KeyKind::Ed25519,
            Self::Es256 => KeyKind::P256,
            Self::Es384 => KeyKind::P384,
            Self::Es512 => KeyKind::P521,
            Self::Ps256 | Self::Ps384 | Self::Ps512 | Self::Rs256 | Self::Rs384 | Self::Rs512 => KeyKind::Rsa,
        }
    }

    /// Whether both names mean the same signatures: equal, or one is `EdDSA` and the other `Ed25519`.
    #[must_use]
    pub fn agrees_with(self, other: Self) -> bool {
        self == other || (self.key_kind() == KeyKind::Ed25519 && other.key_kind() == KeyKind::Ed25519)
    }

    /// Looks at the length of a signature, as far as the algorithm decides it without the key. Nothing is verified, and
    /// a signature of RSA passes whatever its length.
    ///
    /// # Errors
    ///
    /// [`VerifyError::DerSignature`] for an ECDSA signature that looks like DER, else [`VerifyError::SignatureLength`].
    pub fn check_signature_form(self, signature: &[u8]) -> Result<(), VerifyError> {
        let expected = self.key_kind().signature_octets();
        expected.map_or(Ok(()), |expected| check_signature_length(self, expected, signature))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kind of key: the type and, where there is one, the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum KeyKind {
    /// NIST P-256, also called secp256r1 and prime256v1.
    P256,
    /// NIST P-384, also called secp384r1.
    P384,
    /// NIST P-521, also called secp521r1.
    P521,
    /// Ed25519 (RFC 8032).
    Ed25519,
    /// RSA.
    Rsa,
}

impl KeyKind {
    /// The value of `kty`: `EC`, `OKP` or `RSA`.
    #[must_use]
    pub const fn kty(self) -> &'static str {
        match self {
            Self::P256 | Self::P384 | Self::P521 => "EC",
            Self::Ed25519 => "OKP",
            Self::Rsa => "RSA",
        }
    }

    /// The value of `crv`; RSA keys have none.
    #[must_use]
    pub const fn crv(self) -> Option<&'static str> {
        match self {
            Self::P256 => Some("P-256"),
            Self::P384 => Some("P-384"),
            Self::P521 => Some("P-521"),
            Self::Ed25519 => Some("Ed25519"),
            Self::Rsa => None,
        }
    }

    /// Octets of a signature: 64, 96 or 132 for ECDSA, 64 for Ed25519; for RSA the key decides.
    #[must_use]
    pub const fn signature_octets(self) -> Option<usize> {
        match self {
            Self::P256 | Self::Ed25519 => Some(64),
            Self::P384 => Some(96),
            Self::P521 => Some(132),
            Self::Rsa => None,
        }
    }

    /// `crv` where there is one, else `kty`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self.crv() {
            Some(crv) => crv,
            None => self.kty(),
        }
    }

    /// The algorithms that keys of this kind serve, the default first.
    #[must_use]
    pub const fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::P256 => &[Algorithm::Es256],
            Self::P384 => &[Algorithm::Es384],
            Self::P521 => &[Algorithm::Es512],
            Self::Ed25519 => &[Algorithm::EdDsa, Algorithm::Ed25519],
            Self::Rsa => &[
                Algorithm::Ps256,
                Algorithm::Ps384,
                Algorithm::Ps512,
                Algorithm::Rs256,
                Algorithm::Rs384,
                Algorithm::Rs512,
            ],
        }
    }

    /// The algorithm used for signing when none is asked for: `ES256`, `ES384`, `ES512`, `EdDSA`, `PS256`.
    #[must_use]
    pub const fn default_algorithm(self) -> Algorithm {
        match self {
            Self::P256 => Algorithm::Es256,
            Self::P384 => Algorithm::Es384,
            Self::P521 => Algorithm::Es512,
            Self::Ed25519 => Algorithm::EdDsa,
            Self::Rsa => Algorithm::Ps256,
        }
    }

    /// Octets of one coordinate (RFC 7518 6.2.1.2, RFC 8037 2): 32, 48, 66 or 32. RSA keys have none.
    pub(crate) const fn coordinate_octets(self) -> usize {
        match self {
            Self::P256 | Self::Ed25519 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
            Self::Rsa => 0,
        }
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::{Algorithm, KeyKind};

    #[test]
    fn a_name_reads_back_as_its_algorithm() {
        for &algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::from_name(algorithm.name()), Some(algorithm));
            assert!(algorithm.key_kind().algorithms().contains(&algorithm));
        }
        assert_eq!(Algorithm::ALL.len(), 11);
    }

    #[test]
    fn names_are_exact_and_neither_none_nor_hmac_exists() {
        for name in
            ["es256", "ES256 ", "ES256K", "none", "nOnE", "HS256", "HS384", "HS512", "Ed448", "ML-DSA-65", ""]
        {
            assert_eq!(Algorithm::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn only_the_two_names_of_ed25519_agree() {
        for &one in Algorithm::ALL {
            for &other in Algorithm::ALL {
                let same = one == other
                    || [Algorithm::EdDsa, Algorithm::Ed25519].contains(&one)
                        && [Algorithm::EdDsa, Algorithm::Ed25519].contains(&other);
                assert_eq!(one.agrees_with(other), same);
            }
        }
    }

    #[test]
    fn the_form_of_a_signature_is_judged_without_a_key() {
        let code = |algorithm: Algorithm, signature: &[u8]| {
            algorithm.check_signature_form(signature).map_err(|error| error.code().name())
        };
        let der = [[0x30, 68, 2, 32].as_slice(), &[1; 32], &[2, 32], &[1; 32]].concat();
        for (algorithm, octets) in [(Algorithm::Es256, 64), (Algorithm::Es512, 132), (Algorithm::EdDsa, 64)] {
            assert_eq!(code(algorithm, &vec![1; octets]), Ok(()));
            assert_eq!(code(algorithm, &vec![1; octets - 1]), Err("sig.malformed"));
            assert_eq!(code(algorithm, &der), Err("sig.malformed"));
        }
        assert!(Algorithm::Es256.check_signature_form(&der).unwrap_err().to_string().contains("DER"));
        assert!(!Algorithm::EdDsa.check_signature_form(&der).unwrap_err().to_string().contains("DER"));
        assert_eq!(code(Algorithm::Ps256, &[]), Ok(()));
    }

    #[test]
    fn the_default_algorithm_is_the_first_of_its_kind() {
        for kind in [KeyKind::P256, KeyKind::P384, KeyKind::P521, KeyKind::Ed25519, KeyKind::Rsa] {
            assert_eq!(kind.algorithms()[0], kind.default_algorithm());
        }
    }
}
