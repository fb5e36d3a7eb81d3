//! Private keys written as JWK and as PKCS#8 PEM, into text that is wiped when dropped.

use pem_rfc7468::LineEnding;
use pkcs8::der::SecretDocument;
use pkcs8::der::asn1::{AnyRef, OctetStringRef};
use pkcs8::{AlgorithmIdentifierRef, EncodePrivateKey as _, PrivateKeyInfoRef};
use zeroize::Zeroizing;

use super::{Secret, SigningKey};
use crate::public::spki;
use crate::{Algorithm, KeyError, base64url};

impl SigningKey {
    /// The private JWK as compact JSON: the public members as [`crate::VerifyingKey::to_jwk`] writes them, then `d`
    /// and for RSA `p`, `q`, `dp`, `dq`, `qi`.
    ///
    /// # Errors
    ///
    /// [`KeyError::AlgorithmMismatch`] when `algorithm` needs another kind of key.
    pub fn to_private_jwk(
        &self,
        kid: Option<&str>,
        algorithm: Option<Algorithm>,
    ) -> Result<Zeroizing<String>, KeyError> {
        let public = self.public.to_jwk(kid, algorithm)?;
        let open = public.strip_suffix('}').ok_or(KeyError::Encoding)?;
        let mut text = match &self.secret {
            Secret::P256(key) => with_members(open, &[("d", &Zeroizing::new(key.to_bytes()))]),
            Secret::P384(key) => with_members(open, &[("d", &Zeroizing::new(key.to_bytes()))]),
            Secret::P521(key) => with_members(open, &[("d", &Zeroizing::new(key.to_bytes()))]),
            Secret::Ed25519(key) => with_members(open, &[("d", key.as_bytes())]),
            Secret::Rsa(key) => {
                let numbers = key.numbers()?;
                with_members(
                    open,
                    &[
                        ("d", numbers.private_exponent.as_bytes()),
                        ("p", numbers.prime1.as_bytes()),
                        ("q", numbers.prime2.as_bytes()),
                        ("dp", numbers.exponent1.as_bytes()),
                        ("dq", numbers.exponent2.as_bytes()),
                        ("qi", numbers.coefficient.as_bytes()),
                    ],
                )
            }
        };
        String::from_utf8(std::mem::take(&mut *text)).map(Zeroizing::new).map_err(|_| KeyError::Encoding)
    }

    /// The key as PKCS#8 version 1 PEM (`PRIVATE KEY`), which OpenSSL reads. It is not encrypted.
    ///
    /// # Errors
    ///
    /// [`KeyError::Encoding`], which no input causes.
    pub fn to_pkcs8_pem(&self) -> Result<Zeroizing<String>, KeyError> {
        let der = self.to_pkcs8_der()?;
        pem_rfc7468::encode_string("PRIVATE KEY", LineEnding::LF, der.as_bytes())
            .map(Zeroizing::new)
            .map_err(|_| KeyError::Encoding)
    }

    fn to_pkcs8_der(&self) -> Result<SecretDocument, KeyError> {
        let encoding = |_| KeyError::Encoding;
        match &self.secret {
            Secret::P256(key) => key.to_pkcs8_der().map_err(encoding),
            Secret::P384(key) => key.to_pkcs8_der().map_err(encoding),
            Secret::P521(key) => key.to_pkcs8_der().map_err(encoding),
            Secret::Ed25519(key) => {
                ed25519_dalek::pkcs8::KeypairBytes { secret_key: *key.as_bytes(), public_key: None }
                    .to_pkcs8_der()
                    .map_err(encoding)
            }
            Secret::Rsa(key) => {
                let algorithm = AlgorithmIdentifierRef { oid: spki::RSA, parameters: Some(AnyRef::NULL) };
                let inner = OctetStringRef::new(key.encoded()).map_err(|_| KeyError::Encoding)?;
                SecretDocument::encode_msg(&PrivateKeyInfoRef::new(algorithm, inner))
                    .map_err(|_| KeyError::Encoding)
            }
        }
    }
}

/// `open`, then each member as base64url text, then `}`. One allocation, so that no copy is left behind by growth.
fn with_members(open: &str, members: &[(&str, &[u8])]) -> Zeroizing<Vec<u8>> {
    const PUNCTUATION: usize = r#","":"""#.len();
    let added: usize = members
        .iter()
        .map(|(name, octets)| name.len() + PUNCTUATION + base64url::encoded_len(octets.len()))
        .sum();
    let mut text = Zeroizing::new(Vec::with_capacity(open.len() + added + 1));
    text.extend_from_slice(open.as_bytes());
    for (name, octets) in members {
        text.extend_from_slice(b",\"");
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b"\":\"");
        base64url::encode_into(octets, &mut text);
        text.push(b'"');
    }
    text.push(b'}');
    text
}
