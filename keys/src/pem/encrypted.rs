//! `EncryptedPrivateKeyInfo` (RFC 5958 3) under PBES2 (RFC 8018 6.2): its parameters come from the file, so their cost is
//! bounded before anything is computed.

use std::fmt;

use pkcs8::der::asn1::{AnyRef, OctetStringRef};
use pkcs8::der::{self, Decode as _, ErrorKind, Reader as _, SliceReader};
use pkcs8::pkcs5::pbes2::{self, EncryptionScheme, Kdf, Parameters, Pbkdf2Prf, ScryptParams};
use pkcs8::{AlgorithmIdentifierRef, ObjectIdentifier};
use zeroize::Zeroizing;

use super::Error;
use crate::{KeyError, SigningKey};

/// Most iterations of PBKDF2 that are computed: a few seconds. RFC 8018 4.2 names this count for especially critical
/// keys; OpenSSL writes 2,048.
pub const MAX_ITERATIONS: u32 = 10_000_000;

/// Most octets that scrypt may mix, 128 · N · r · p (RFC 7914 2): 256 MiB, which bounds its memory too. OpenSSL writes
/// keys of 16 MiB and refuses more than 32 MiB.
pub const MAX_SCRYPT_OCTETS: u64 = 268_435_456;

/// The password of an encrypted private key, as octets. The empty password is one. Wiped when dropped, never printed.
pub struct Password(Zeroizing<Vec<u8>>);

impl Password {
    /// Takes the octets as they are: no line break is removed, no character set is assumed.
    #[must_use]
    pub fn new(octets: impl Into<Vec<u8>>) -> Self {
        Self(Zeroizing::new(octets.into()))
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(..)")
    }
}

/// Opens an `EncryptedPrivateKeyInfo`. What is wrong with the file itself is told even without a password.
pub(super) fn read(octets: &[u8], label: &str, password: Option<&Password>) -> Result<SigningKey, Error> {
    let (algorithm, data) = members(octets).map_err(|_| malformed())?;
    let parameters = parameters(&algorithm)?;
    check_cost(&parameters.kdf)?;
    let Some(password) = password else { return Err(Error::Encrypted { label: label.to_owned() }) };
    let mut buffer = Zeroizing::new(data.to_vec());
    let plain = parameters
        .decrypt_in_place(password.0.as_slice(), &mut buffer)
        .map_err(|_| Error::WrongPassword { label: label.to_owned() })?;
    match SigningKey::from_pkcs8_der(plain) {
        // One wrong password in 256 leaves octets that look padded.
        Err(KeyError::MalformedDer { structure: "PrivateKeyInfo" }) => {
            Err(Error::WrongPassword { label: label.to_owned() })
        }
        read => Ok(read?),
    }
}

fn malformed() -> Error {
    KeyError::MalformedDer { structure: "EncryptedPrivateKeyInfo" }.into()
}

fn unsupported(scheme: impl Into<String>) -> Error {
    Error::UnsupportedEncryption { scheme: scheme.into() }
}

fn members(octets: &[u8]) -> der::Result<(AlgorithmIdentifierRef<'_>, &[u8])> {
    let mut reader = SliceReader::new(octets)?;
    let members = reader.sequence(|reader| {
        let algorithm = AlgorithmIdentifierRef::decode(reader)?;
        let data = <&OctetStringRef>::decode(reader)?.as_bytes();
        Ok::<_, der::Error>((algorithm, data))
    })?;
    reader.finish()?;
    Ok(members)
}

/// The parameters of a scheme that is read here; any other is named.
fn parameters(algorithm: &AlgorithmIdentifierRef<'_>) -> Result<Parameters, Error> {
    if algorithm.oid != pbes2::PBES2_OID {
        return Err(unsupported(name_of(algorithm.oid)));
    }
    let any = algorithm.parameters.ok_or_else(malformed)?;
    let (derivation, cipher) = identifiers(any).map_err(|_| malformed())?;
    for (oid, known) in [(derivation, KEY_DERIVATIONS.as_slice()), (cipher, CIPHERS.as_slice())] {
        if !known.contains(&oid) {
            return Err(unsupported(name_of(oid)));
        }
    }
    let parameters = Parameters::try_from(any).map_err(|error| {
        if let ErrorKind::OidUnknown { oid } = error.kind() { unsupported(name_of(oid)) } else { malformed() }
    })?;
    match (&parameters.kdf, &parameters.encryption) {
        (Kdf::Pbkdf2(derivation), _) if derivation.prf == Pbkdf2Prf::HmacWithSha1 => {
            Err(unsupported("HMAC-SHA-1"))
        }
        (
            _,
            EncryptionScheme::Aes128Cbc { .. }
            | EncryptionScheme::Aes192Cbc { .. }
            | EncryptionScheme::Aes256Cbc { .. },
        ) => Ok(parameters),
        _ => Err(unsupported(name_of(cipher))),
    }
}

fn identifiers(any: AnyRef<'_>) -> der::Result<(ObjectIdentifier, ObjectIdentifier)> {
    any.sequence(|reader| {
        let derivation = AlgorithmIdentifierRef::decode(reader)?;
        let cipher = AlgorithmIdentifierRef::decode(reader)?;
        Ok::<_, der::Error>((derivation.oid, cipher.oid))
    })
}

fn check_cost(derivation: &Kdf) -> Result<(), Error> {
    if let Some(parameters) = derivation.pbkdf2() {
        return match parameters.iteration_count {
            0 => Err(malformed()),
            1..=MAX_ITERATIONS => Ok(()),
            found => Err(Error::Iterations { found, max: MAX_ITERATIONS }),
        };
    }
    let Some(&ScryptParams { cost_parameter, block_size, parallelization, .. }) = derivation.scrypt() else {
        return Err(unsupported(name_of(derivation.oid())));
    };
    if cost_parameter < 2 || !cost_parameter.is_power_of_two() || block_size == 0 || parallelization == 0 {
        return Err(malformed());
    }
    let found = [128, u64::from(block_size), u64::from(parallelization)]
        .into_iter()
        .fold(cost_parameter, u64::saturating_mul);
    if found > MAX_SCRYPT_OCTETS {
        return Err(Error::ScryptOctets { found, max: MAX_SCRYPT_OCTETS });
    }
    Ok(())
}

const KEY_DERIVATIONS: [ObjectIdentifier; 2] = [pbes2::PBKDF2_OID, pbes2::SCRYPT_OID];
const CIPHERS: [ObjectIdentifier; 3] =
    [pbes2::AES_128_CBC_OID, pbes2::AES_192_CBC_OID, pbes2::AES_256_CBC_OID];

/// The usual name of a scheme, cipher or function, else the digits of its object identifier.
fn name_of(oid: ObjectIdentifier) -> String {
    let digits = oid.to_string();
    let name = match digits.as_str() {
        "1.2.840.113549.1.5.1" => "PBES1 (MD2 and DES)",
        "1.2.840.113549.1.5.3" => "PBES1 (MD5 and DES)",
        "1.2.840.113549.1.5.4" => "PBES1 (MD2 and RC2)",
        "1.2.840.113549.1.5.6" => "PBES1 (MD5 and RC2)",
        "1.2.840.113549.1.5.10" => "PBES1 (SHA-1 and DES)",
        "1.2.840.113549.1.5.11" => "PBES1 (SHA-1 and RC2)",
        "1.2.840.113549.1.12.1.1" => "PKCS#12 PBE (SHA-1 and RC4, 128 bits)",
        "1.2.840.113549.1.12.1.2" => "PKCS#12 PBE (SHA-1 and RC4, 40 bits)",
        "1.2.840.113549.1.12.1.3" => "PKCS#12 PBE (SHA-1 and 3DES)",
        "1.2.840.113549.1.12.1.4" => "PKCS#12 PBE (SHA-1 and 3DES with two keys)",
        "1.2.840.113549.1.12.1.5" => "PKCS#12 PBE (SHA-1 and RC2, 128 bits)",
        "1.2.840.113549.1.12.1.6" => "PKCS#12 PBE (SHA-1 and RC2, 40 bits)",
        "1.2.840.113549.3.2" => "RC2",
        "1.2.840.113549.3.7" => "3DES",
        "1.3.14.3.2.7" => "DES",
        "2.16.840.1.101.3.4.1.6" => "AES-128-GCM",
        "2.16.840.1.101.3.4.1.26" => "AES-192-GCM",
        "2.16.840.1.101.3.4.1.46" => "AES-256-GCM",
        "1.2.840.113549.2.12" => "HMAC-SHA-512/224",
        "1.2.840.113549.2.13" => "HMAC-SHA-512/256",
        _ => return digits,
    };
    name.to_owned()
}

#[cfg(test)]
mod tests;
