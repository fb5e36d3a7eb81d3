//! Signatures that were made elsewhere, as a signer.

use super::signer::check_kind;
use crate::{Algorithm, SignError, Signer, VerifyError, VerifyingKey};

/// Signatures that were made elsewhere, before: each is handed out for the octets that it was made over.
///
/// Without signatures it stands for a key that signs later: it tells what is to be signed, and signs nothing.
///
/// # Examples
///
/// ```
/// use countersign_keys::{Algorithm, PreparedSigner, SignError, Signer, SigningKey};
///
/// // In an HSM or a service; only the public key and the signature leave it.
/// let elsewhere = SigningKey::generate(Algorithm::Es256)?;
/// let signature = elsewhere.sign(Algorithm::Es256, b"header.payload")?;
///
/// let signer = PreparedSigner::new(elsewhere.verifying_key().clone(), Algorithm::Es256)?
///     .with_signature(b"header.payload", &signature)?;
/// assert_eq!(signer.sign(b"header.payload")?, signature);
/// assert!(matches!(signer.sign(b"header.other"), Err(SignError::NotPrepared)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PreparedSigner {
    key: VerifyingKey,
    algorithm: Algorithm,
    kid: Option<String>,
    /// Signing inputs with their signatures.
    signatures: Vec<(Vec<u8>, Vec<u8>)>,
}

impl PreparedSigner {
    /// Binds a public key to an algorithm. There are no signatures yet.
    ///
    /// # Errors
    ///
    /// [`SignError::AlgorithmKeyMismatch`] when `algorithm` needs another kind of key.
    pub fn new(key: VerifyingKey, algorithm: Algorithm) -> Result<Self, SignError> {
        check_kind(algorithm, key.kind())?;
        Ok(Self { key, algorithm, kid: None, signatures: Vec::new() })
    }

    /// The same with a `kid`.
    #[must_use]
    pub fn with_kid(mut self, kid: impl Into<String>) -> Self {
        self.kid = Some(kid.into());
        self
    }

    /// The same with one signature more, which must verify; see [`accepted_signature`].
    ///
    /// # Errors
    ///
    /// [`SignError::Refused`].
    pub fn with_signature(mut self, signing_input: &[u8], signature: &[u8]) -> Result<Self, SignError> {
        let signature = accepted_signature(&self.key, self.algorithm, signing_input, signature)?;
        self.signatures.push((signing_input.to_vec(), signature));
        Ok(self)
    }
}

impl Signer for PreparedSigner {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    fn kid(&self) -> Option<&str> {
        self.kid.as_deref()
    }

    fn verifying_key(&self) -> &VerifyingKey {
        &self.key
    }

    fn sign(&self, signing_input: &[u8]) -> Result<Vec<u8>, SignError> {
        let found = self.signatures.iter().find(|(made_over, _)| made_over == signing_input);
        found.map(|(_, signature)| signature.clone()).ok_or(SignError::NotPrepared)
    }
}

/// A signature that was made elsewhere, as JWS wants it: it verifies with `key` as it is or, for ECDSA, once its DER
/// (RFC 3279 2.2.3) is written as r and s at fixed length (RFC 7518 3.4).
///
/// # Errors
///
/// [`SignError::Refused`] when it does not.
pub fn accepted_signature(
    key: &VerifyingKey,
    algorithm: Algorithm,
    signing_input: &[u8],
    signature: &[u8],
) -> Result<Vec<u8>, SignError> {
    let refused = match key.verify(algorithm, signing_input, signature) {
        Ok(_) => return Ok(signature.to_vec()),
        Err(refused) => refused,
    };
    let Some(fixed) = key.signature_from_der(signature) else {
        return Err(SignError::Refused(refused));
    };
    match key.verify(algorithm, signing_input, &fixed) {
        Ok(_) => Ok(fixed),
        // That the octets were DER is no reason any more.
        Err(VerifyError::Invalid) => Err(SignError::Refused(VerifyError::Invalid)),
        Err(_) => Err(SignError::Refused(refused)),
    }
}

#[cfg(test)]
mod tests {
    use super::PreparedSigner;
    use crate::{Algorithm, SignError, Signer as _, SigningKey, VerifyError};

    /// `SEQUENCE { r INTEGER, s INTEGER }` of r and s at fixed length.
    fn der(fixed: &[u8]) -> Vec<u8> {
        let mut integers = Vec::new();
        for half in fixed.chunks(fixed.len() / 2) {
            let mut integer: Vec<u8> = half.iter().copied().skip_while(|octet| *octet == 0).collect();
            if integer.first().is_some_and(|first| *first >= 0x80) {
                integer.insert(0, 0);
            }
            integers.extend([2, u8::try_from(integer.len()).unwrap_or(0)]);
            integers.extend(integer);
        }
        let length = u8::try_from(integers.len()).unwrap_or(0);
        let mut der = if length < 0x80 { vec![0x30, length] } else { vec![0x30, 0x81, length] };
        der.extend(integers);
        der
    }

    #[test]
    fn a_signature_in_der_is_handed_out_as_r_and_s() {
        for algorithm in [Algorithm::Es256, Algorithm::Es384, Algorithm::Es512] {
            let key = SigningKey::generate(algorithm).unwrap();
            let fixed = key.sign(algorithm, b"input").unwrap();
            for given in [fixed.clone(), der(&fixed)] {
                let signer = PreparedSigner::new(key.verifying_key().clone(), algorithm).unwrap();
                let signer = signer.with_signature(b"input", &given).unwrap();
                assert_eq!(signer.sign(b"input").unwrap(), fixed, "{algorithm}");
                assert!(matches!(signer.sign(b"other"), Err(SignError::NotPrepared)));
            }
        }
    }

    #[test]
    fn a_signature_that_does_not_verify_is_refused() {
        let algorithm = Algorithm::Es256;
        let (key, other) =
            (SigningKey::generate(algorithm).unwrap(), SigningKey::generate(algorithm).unwrap());
        let signer = PreparedSigner::new(key.verifying_key().clone(), algorithm).unwrap();
        let by_other = other.sign(algorithm, b"input").unwrap();
        let over_other = key.sign(algorithm, b"other").unwrap();
        for bad in [by_other.clone(), der(&by_other), over_other.clone(), der(&over_other)] {
            let refused = signer.clone().with_signature(b"input", &bad).unwrap_err();
            assert!(matches!(refused, SignError::Refused(VerifyError::Invalid)), "{refused}");
        }
        for bad in [&b""[..], b"garbage", &[0x30, 6, 2, 1]] {
            let refused = signer.clone().with_signature(b"input", bad).unwrap_err();
            assert_eq!(refused.code().name(), "sig.malformed", "{refused}");
        }
    }

    #[test]
    fn the_algorithm_must_fit_the_public_key() {
        let key = SigningKey::generate(Algorithm::Es256).unwrap().verifying_key().clone();
        assert!(matches!(
            PreparedSigner::new(key, Algorithm::EdDsa),
            Err(SignError::AlgorithmKeyMismatch { .. })
        ));
    }
}
