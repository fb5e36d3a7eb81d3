//! An ECDSA signature in DER (RFC 3279 §2.2.3), where RFC 7518 §3.4 wants r and s at fixed length.

/// r and s of `SEQUENCE { r INTEGER, s INTEGER }`, each in `width` octets.
pub(super) fn fixed_length(der: &[u8], width: usize) -> Option<Vec<u8>> {
    let (integers, after) = element(der, 0x30)?;
    let (r, rest) = element(integers, 0x02)?;
    let (s, end) = element(rest, 0x02)?;
    if !after.is_empty() || !end.is_empty() {
        return None;
    }
    let mut fixed = Vec::with_capacity(width.saturating_mul(2));
    for mut integer in [r, s] {
        while let Some((0, rest)) = integer.split_first() {
            integer = rest;
        }
        let zeros = width.checked_sub(integer.len())?;
        fixed.resize(fixed.len().saturating_add(zeros), 0);
        fixed.extend_from_slice(integer);
    }
    Some(fixed)
}

/// The content of an element with this tag and a length of at most 255, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (length, rest) = match der {
        [found, 0x81, length, rest @ ..] if *found == tag => (*length, rest),
        [found, length, rest @ ..] if *found == tag && *length < 0x80 => (*length, rest),
        _ => return None,
    };
    rest.split_at_checked(usize::from(length))
}

#[cfg(test)]
mod tests {
    use super::fixed_length;

    #[test]
    fn r_and_s_are_padded_and_lose_their_sign_octet() {
        assert_eq!(fixed_length(&[0x30, 7, 2, 2, 0, 0x81, 2, 1, 5], 2), Some(vec![0, 0x81, 0, 5]));
        assert_eq!(fixed_length(&[0x30, 0x81, 6, 2, 1, 1, 2, 1, 5], 1), Some(vec![1, 5]));
    }

    #[test]
    fn other_octets_are_no_such_signature() {
        for der in [
            &[0x30, 6, 2, 1, 1, 2, 1][..],
            &[0x30, 6, 2, 1, 1, 2, 1, 5, 0],
            &[0x30, 7, 2, 1, 1, 2, 1, 5, 0],
            &[0x31, 6, 2, 1, 1, 2, 1, 5],
            &[0x30, 7, 2, 2, 1, 1, 2, 1, 5],
            &[],
        ] {
            assert_eq!(fixed_length(der, 1), None, "{der:?}");
        }
    }
}
