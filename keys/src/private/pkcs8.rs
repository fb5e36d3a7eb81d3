//! `PrivateKeyInfo` (RFC 5208, RFC 5958) with EC (RFC 5915), Ed25519 (RFC 8410) and RSA (RFC 8017) inside.

use pkcs8::PrivateKeyInfoRef;
use pkcs8::der::asn1::{AnyRef, BitStringRef, ContextSpecific, OctetStringRef};
use pkcs8::der::{self, Decode as _, Reader as _, SliceReader, TagMode, TagNumber};

use super::{SigningKey, rsa_key};
use crate::public::spki;
use crate::{KeyError, KeyKind, VerifyingKey};

pub(super) fn read(octets: &[u8]) -> Result<SigningKey, KeyError> {
    let malformed = |_| KeyError::MalformedDer { structure: "PrivateKeyInfo" };
    if let Some((info, public)) = ring_ed25519(octets) {
        let key = read_ed25519(&info)?;
        return with_public(key, &VerifyingKey::from_ed25519(public)?);
    }
    let info = PrivateKeyInfoRef::from_der(octets).map_err(malformed)?;
    let kind = spki::kind_of(&info.algorithm)?;
    let public = info.public_key.as_ref().map(|bits| public_octets(*bits)).transpose()?;
    match kind {
        KeyKind::P256 | KeyKind::P384 | KeyKind::P521 => {
            let key = read_ec(kind, info.private_key.as_bytes())?;
            check_point(&key, public)?;
            Ok(key)
        }
        KeyKind::Ed25519 => {
            let key = read_ed25519(&info)?;
            match public {
                Some(public) => with_public(key, &VerifyingKey::from_ed25519(public)?),
                None => Ok(key),
            }
        }
        KeyKind::Rsa => rsa_key::from_pkcs1(info.private_key.as_bytes()),
    }
}

fn with_public(key: SigningKey, public: &VerifyingKey) -> Result<SigningKey, KeyError> {
    key.check_pair(public)?;
    Ok(key)
}

fn public_octets(bits: BitStringRef<'_>) -> Result<&[u8], KeyError> {
    bits.as_bytes().ok_or(KeyError::MalformedDer { structure: "PrivateKeyInfo" })
}

/// `CurvePrivateKey`, an OCTET STRING inside the OCTET STRING (RFC 8410 7).
fn read_ed25519(info: &PrivateKeyInfoRef<'_>) -> Result<SigningKey, KeyError> {
    let inner = <&OctetStringRef>::from_der(info.private_key.as_bytes())
        .map_err(|_| KeyError::MalformedDer { structure: "PrivateKeyInfo" })?;
    SigningKey::from_ed25519(inner.as_bytes())
}

/// ring before 0.17 tagged the public key of version 2 explicitly. Gives the same key as version 1, and the public key.
fn ring_ed25519(octets: &[u8]) -> Option<(PrivateKeyInfoRef<'_>, &[u8])> {
    const PUBLIC: [u8; 5] = [0xa1, 0x23, 0x03, 0x21, 0x00];
    let mut reader = SliceReader::new(octets).ok()?;
    let found = reader
        .sequence(|reader| {
            let version = u8::decode(reader)?;
            let algorithm = pkcs8::AlgorithmIdentifierRef::decode(reader)?;
            let private_key = <&OctetStringRef>::decode(reader)?;
            let rest = reader.read_slice(reader.remaining_len())?;
            Ok::<_, der::Error>((version, algorithm, private_key, rest))
        })
        .ok()?;
    reader.finish().ok()?;
    let (1, algorithm, private_key, rest) = found else { return None };
    let public = rest.strip_prefix(&PUBLIC)?;
    (algorithm.oid == spki::ED25519).then(|| (PrivateKeyInfoRef::new(algorithm, private_key), public))
}

/// `ECPrivateKey` (RFC 5915 3) on its own: the curve is named inside.
pub(super) fn read_sec1(octets: &[u8]) -> Result<SigningKey, KeyError> {
    let members = ec_members(octets).map_err(|_| MALFORMED_EC)?;
    let kind = spki::kind_of_parameters(members.curve.ok_or(MALFORMED_EC)?)?;
    ec_key(kind, &members)
}

/// `ECPrivateKey` inside PKCS#8, where the curve is named outside and may be inside too.
fn read_ec(kind: KeyKind, octets: &[u8]) -> Result<SigningKey, KeyError> {
    let members = ec_members(octets).map_err(|_| MALFORMED_EC)?;
    if members.curve.is_some_and(|curve| spki::kind_of_parameters(curve) != Ok(kind)) {
        return Err(MALFORMED_EC);
    }
    ec_key(kind, &members)
}

const MALFORMED_EC: KeyError = KeyError::MalformedDer { structure: "ECPrivateKey" };

fn ec_key(kind: KeyKind, members: &EcMembers<'_>) -> Result<SigningKey, KeyError> {
    if members.version != 1 {
        return Err(MALFORMED_EC);
    }
    let key = SigningKey::from_ec(kind, members.d)?;
    let public = members.public.map(|bits| bits.as_bytes().ok_or(MALFORMED_EC)).transpose()?;
    check_point(&key, public)?;
    Ok(key)
}

struct EcMembers<'a> {
    version: u8,
    d: &'a [u8],
    /// `ECParameters`: an object identifier, or the curve written out.
    curve: Option<AnyRef<'a>>,
    public: Option<BitStringRef<'a>>,
}

fn ec_members(octets: &[u8]) -> der::Result<EcMembers<'_>> {
    let mut reader = SliceReader::new(octets)?;
    let members = reader.sequence(|reader| {
        Ok::<_, der::Error>(EcMembers {
            version: u8::decode(reader)?,
            d: <&OctetStringRef>::decode(reader)?.as_bytes(),
            curve: ContextSpecific::decode_explicit(reader, TagNumber(0))?.map(|field| field.value),
            public: reader.context_specific::<BitStringRef<'_>>(TagNumber(1), TagMode::Explicit)?,
        })
    })?;
    reader.finish()?;
    Ok(members)
}

/// The point may be compressed here: it is only compared, never used.
fn check_point(key: &SigningKey, point: Option<&[u8]>) -> Result<(), KeyError> {
    let Some(point) = point else { return Ok(()) };
    let own = key.verifying_key().point().unwrap_or_default();
    let same = match point {
        [4, ..] => point == own,
        [sign @ (2 | 3), x @ ..] => {
            let odd = own.last().is_some_and(|last| last % 2 == 1);
            own.get(1..).is_some_and(|own| own.starts_with(x) && own.len() / 2 == x.len())
                && odd == (*sign == 3)
        }
        _ => false,
    };
    if same { Ok(()) } else { Err(KeyError::PairMismatch { kind: key.kind() }) }
}
