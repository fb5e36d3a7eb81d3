use ed25519_dalek::Signer as _;
use sha2::{Digest as _, Sha512};

use super::{Ed25519Key, SMALL_ORDER};
use crate::KeyError;

/// The order of the base point, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

fn strict(key: &Ed25519Key, message: &[u8], signature: &[u8; 64]) -> bool {
    key.0.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
}

#[test]
fn the_listed_encodings_are_the_eight_points_of_small_order() {
    for (index, encoding) in SMALL_ORDER.iter().enumerate() {
        let key = ed25519_dalek::VerifyingKey::from_bytes(encoding).unwrap();
        assert!(key.is_weak());
        assert!(!SMALL_ORDER[..index].contains(encoding));
    }
}

#[test]
fn small_order_and_non_canonical_keys_are_refused() {
    for encoding in &SMALL_ORDER {
        assert!(matches!(Ed25519Key::read(encoding), Err(KeyError::SmallOrder)));
    }
    // y = p + 0 … p + 18: every encoding that has a smaller twin.
    for low in 0xed..=0xff_u8 {
        for high in [0x7f, 0xff] {
            let mut encoding = [0xff; 32];
            encoding[0] = low;
            encoding[31] = high;
            assert!(matches!(Ed25519Key::read(&encoding), Err(KeyError::OffCurve { .. })));
        }
    }
    // x = 0 with the sign bit set.
    let mut encoding = SMALL_ORDER[0];
    encoding[31] = 0x80;
    assert!(Ed25519Key::read(&encoding).is_err());
}

#[test]
fn verifying_equals_verify_strict_over_crafted_signatures() {
    const KEYS: u8 = 4;
    let (mut accepted, mut refused, mut lax) = (0, 0, 0);
    for seed in 0..KEYS {
        let secret = ed25519_dalek::SigningKey::from_bytes(&[seed; 32]);
        let key = Ed25519Key::read(secret.verifying_key().as_bytes()).unwrap();
        let message = [seed, 1, 2, 3];
        let good = secret.sign(&message).to_bytes();
        let mut crafted = vec![good, with_s_plus_order(&good)];
        for bit in (0..512).step_by(8) {
            let mut flipped = good;
            flipped[bit / 8] ^= 1 << (bit % 8);
            crafted.push(flipped);
        }
        let mut points = SMALL_ORDER.to_vec();
        points.extend((0xed..=0xff).map(|low| with_ends(low, 0x7f)));
        points.extend((0xed..=0xff).map(|low| with_ends(low, 0xff)));
        for r in points {
            // With S = k a the computed point is the identity, whatever R is.
            crafted.push(join(&r, &product(&challenge(&r, &secret, &message), &scalar(&secret))));
            crafted.push(join(&r, &[0; 32]));
        }
        for signature in &crafted {
            let expected = strict(&key, &message, signature);
            assert_eq!(key.verify(&message, signature), expected);
            accepted += usize::from(expected);
            refused += usize::from(!expected);
            let plain = ed25519_dalek::Verifier::verify(
                &key.0,
                &message,
                &ed25519_dalek::Signature::from_bytes(signature),
            );
            lax += usize::from(plain.is_ok() && !expected);
        }
    }
    assert_eq!(accepted, usize::from(KEYS));
    assert_eq!(refused, usize::from(KEYS) * (1 + 64 + 2 * 46));
    // The crafted signatures are real forgeries: plain `verify` takes one per key.
    assert_eq!(lax, usize::from(KEYS));
}

fn with_ends(low: u8, high: u8) -> [u8; 32] {
    let mut octets = [0xff; 32];
    octets[0] = low;
    octets[31] = high;
    octets
}

fn join(r: &[u8; 32], s: &[u8; 32]) -> [u8; 64] {
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(r);
    signature[32..].copy_from_slice(s);
    signature
}

fn with_s_plus_order(signature: &[u8; 64]) -> [u8; 64] {
    let mut out = *signature;
    let mut carry = 0_u16;
    for (octet, order) in out[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*octet) + u16::from(order) + carry;
        *octet = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    out
}

fn scalar(secret: &ed25519_dalek::SigningKey) -> Vec<u8> {
    let mut low = Sha512::digest(secret.as_bytes())[..32].to_vec();
    low[0] &= 248;
    low[31] = low[31] & 63 | 64;
    low
}

fn challenge(r: &[u8; 32], secret: &ed25519_dalek::SigningKey, message: &[u8]) -> Vec<u8> {
    Sha512::digest([r, secret.verifying_key().as_bytes(), message].concat()).to_vec()
}

/// The product of two little-endian numbers modulo the group order.
fn product(one: &[u8], other: &[u8]) -> [u8; 32] {
    let mut unit = [0; 32];
    unit[0] = 1;
    times_bits(one, &times_bits(other, &unit))
}

/// `bits` times `unit` modulo the group order, by doubling.
fn times_bits(bits: &[u8], unit: &[u8; 32]) -> [u8; 32] {
    let mut sum = [0; 32];
    for index in (0..bits.len() * 8).rev() {
        sum = add(&sum, &sum);
        if bits[index / 8] >> (index % 8) & 1 == 1 {
            sum = add(&sum, unit);
        }
    }
    sum
}

fn add(one: &[u8; 32], other: &[u8; 32]) -> [u8; 32] {
    let mut sum = [0; 32];
    let mut carry = 0_u16;
    for index in 0..32 {
        carry += u16::from(one[index]) + u16::from(other[index]);
        sum[index] = carry.to_le_bytes()[0];
        carry >>= 8;
    }
    if sum.iter().rev().ge(ORDER.iter().rev()) {
        let mut borrow = 0_i16;
        for index in 0..32 {
            let difference = i16::from(sum[index]) - i16::from(ORDER[index]) + borrow;
            sum[index] = difference.to_le_bytes()[0];
            borrow = difference >> 8;
        }
    }
    sum
}
