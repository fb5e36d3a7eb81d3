//! What signs: a key in memory, or one that lives elsewhere.

use crate::{Algorithm, KeyKind, SignError, SigningKey, VerifyingKey};

/// Something that signs with one key under one algorithm. Implement it for keys that never leave a token or a service.
///
/// Callers verify each signature with [`Signer::verifying_key`] before they use it.
pub trait Signer {
    /// The algorithm of every signature made here.
    fn algorithm(&self) -> Algorithm;

    /// The `kid` that belongs to the key, where one is known.
    fn kid(&self) -> Option<&str>;

    /// The public key.
    fn verifying_key(&self) -> &VerifyingKey;

    /// Signs the octets; ECDSA signatures are r and s at fixed length.
    ///
    /// # Errors
    ///
    /// [`SignError::External`] for a key that lives elsewhere, or what [`SigningKey::sign`] gives.
    fn sign(&self, signing_input: &[u8]) -> Result<Vec<u8>, SignError>;
}

/// Refuses an algorithm that needs another kind of key.
pub(super) fn check_kind(algorithm: Algorithm, kind: KeyKind) -> Result<(), SignError> {
    if algorithm.key_kind() == kind {
        Ok(())
    } else {
        Err(SignError::AlgorithmKeyMismatch { algorithm, kind })
    }
}

/// A [`SigningKey`] with the algorithm it signs under.
#[derive(Debug)]
pub struct KeySigner {
    key: SigningKey,
    algorithm: Algorithm,
    kid: Option<String>,
}

impl KeySigner {
    /// Binds a key to an algorithm.
    ///
    /// # Errors
    ///
    /// [`SignError::AlgorithmKeyMismatch`] when `algorithm` needs another kind of key.
    pub fn new(key: SigningKey, algorithm: Algorithm) -> Result<Self, SignError> {
        check_kind(algorithm, key.kind())?;
        Ok(Self { key, algorithm, kid: None })
    }

    /// The same with a `kid`.
    #[must_use]
    pub fn with_kid(mut self, kid: impl Into<String>) -> Self {
        self.kid = Some(kid.into());
        self
    }
}

impl Signer for KeySigner {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    fn verifying_key(&self) -> &VerifyingKey {
        self.key.verifying_key()
    }

    fn sign(&self, signing_input: &[u8]) -> Result<Vec<u8>, SignError> {
        self.key.sign(self.algorithm, signing_input)
    }
}
