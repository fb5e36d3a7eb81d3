//! Public keys written as JWK (RFC 7517) and as SPKI PEM (RFC 7468 13).

use jose_jwk::{Ec, EcCurves, Key, Okp, OkpCurves, Rsa};
use pem_rfc7468::LineEnding;
use pkcs8::AlgorithmIdentifierRef;
use pkcs8::der::Encode as _;
use pkcs8::der::asn1::{AnyRef, BitStringRef, UintRef};
use serde::Serialize;

use super::spki::{self, PublicKeyInfo};
use super::{Material, VerifyingKey, coordinates};
use crate::{Algorithm, KeyError};

/// Member order: `kty`, the numbers of the key, `use`, `alg`, `kid`. A key that is bound to no algorithm is bound to no
/// use either.
#[derive(Serialize)]
struct PublicJwk<'a> {
    #[serde(flatten)]
    key: Key,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#use: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alg: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kid: Option<&'a str>,
}

#[derive(Serialize)]
struct PublicJwkSet<'a> {
    keys: Vec<PublicJwk<'a>>,
}

impl VerifyingKey {
    /// The public JWK as compact JSON: `kty`, the numbers of the key, `use` (`sig`) and `alg` when an algorithm is
    /// given, `kid` when given.
    ///
    /// # Errors
    ///
    /// [`KeyError::AlgorithmMismatch`] when `algorithm` needs another kind of key.
    pub fn to_jwk(&self, kid: Option<&str>, algorithm: Option<Algorithm>) -> Result<String, KeyError> {
        serde_json::to_string(&self.public_jwk(kid, algorithm)?).map_err(|_| KeyError::Encoding)
    }

    /// The key as PEM with the label `PUBLIC KEY`, lines of 64 characters ending in LF.
    ///
    /// # Errors
    ///
    /// [`KeyError::Encoding`], which no input causes.
    pub fn to_spki_pem(&self) -> Result<String, KeyError> {
        let der = self.to_spki_der()?;
        pem_rfc7468::encode_string("PUBLIC KEY", LineEnding::LF, &der).map_err(|_| KeyError::Encoding)
    }

    /// The DER `SubjectPublicKeyInfo`.
    ///
    /// # Errors
    ///
    /// [`KeyError::Encoding`], which no input causes.
    pub fn to_spki_der(&self) -> Result<Vec<u8>, KeyError> {
        let encoding = |_| KeyError::Encoding;
        let rsa_key;
        let (oid, parameters, octets): (_, Option<AnyRef<'_>>, &[u8]) = match &self.material {
            Material::P256 { point } => (spki::EC, spki::curve_oid(self.kind()).map(Into::into), point),
            Material::P384 { point, .. } | Material::P521 { point, .. } => {
                (spki::EC, spki::curve_oid(self.kind()).map(Into::into), point)
            }
            Material::Ed25519 { key } => (spki::ED25519, None, key.octets()),
            Material::Rsa { n, e, .. } => {
                rsa_key = rsa::pkcs1::RsaPublicKeyRef {
                    modulus: UintRef::new(n).map_err(encoding)?,
                    public_exponent: UintRef::new(e).map_err(encoding)?,
                }
                .to_der()
                .map_err(encoding)?;
                (spki::RSA, Some(AnyRef::NULL), &rsa_key)
            }
        };
        PublicKeyInfo {
            algorithm: AlgorithmIdentifierRef { oid, parameters },
            subject_public_key: BitStringRef::from_bytes(octets).map_err(encoding)?,
        }
        .to_der()
        .map_err(encoding)
    }

    fn public_jwk<'a>(
        &self,
        kid: Option<&'a str>,
        algorithm: Option<Algorithm>,
    ) -> Result<PublicJwk<'a>, KeyError> {
        if let Some(algorithm) = algorithm.filter(|algorithm| algorithm.key_kind() != self.kind()) {
            return Err(KeyError::AlgorithmMismatch { algorithm, kind: self.kind() });
        }
        let r#use = algorithm.map(|_| "sig");
        Ok(PublicJwk { key: self.jose_key(), r#use, alg: algorithm.map(Algorithm::name), kid })
    }

    fn jose_key(&self) -> Key {
        match &self.material {
            Material::P256 { point } => ec(EcCurves::P256, point),
            Material::P384 { point, .. } => ec(EcCurves::P384, point),
            Material::P521 { point, .. } => ec(EcCurves::P521, point),
            Material::Ed25519 { key } => {
                Key::Okp(Okp { crv: OkpCurves::Ed25519, x: key.octets().to_vec().into(), d: None })
            }
            Material::Rsa { n, e, .. } => {
                Key::Rsa(Rsa { n: n.to_vec().into(), e: e.to_vec().into(), prv: None })
            }
        }
    }
}

/// A JWK set as compact JSON, members of each key as [`VerifyingKey::to_jwk`] writes them. Nothing private is in it.
///
/// # Errors
///
/// [`KeyError::AlgorithmMismatch`] when an algorithm needs another kind of key.
pub fn to_jwk_set<'a>(
    keys: impl IntoIterator<Item = (&'a VerifyingKey, Option<&'a str>, Option<Algorithm>)>,
) -> Result<String, KeyError> {
    let keys = keys
        .into_iter()
        .map(|(key, kid, algorithm)| key.public_jwk(kid, algorithm))
        .collect::<Result<_, _>>()?;
    serde_json::to_string(&PublicJwkSet { keys }).map_err(|_| KeyError::Encoding)
}

fn ec(crv: EcCurves, point: &[u8]) -> Key {
    let (x, y) = coordinates(point);
    Key::Ec(Ec { crv, x: x.to_vec().into(), y: y.to_vec().into(), d: None })
}
