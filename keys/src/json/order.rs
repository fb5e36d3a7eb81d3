//! The order of member names in RFC 8785 §3.2.3: by UTF-16 code units of the unescaped name.

use std::cmp::Ordering;

/// Compares two names by their UTF-16 code units.
///
/// This is the order of their UTF-8 octets except that U+E000 to U+FFFF come after all characters beyond U+FFFF.
#[must_use]
pub fn compare_utf16(left: &str, right: &str) -> Ordering {
    let first_difference = left.bytes().zip(right.bytes()).find(|(l, r)| l != r);
    match first_difference {
        // The first octets that differ are both lead octets here: trailing octets are below 0xC0.
        Some((l, r)) if l >= 0xEE && r >= 0xEE => (l < 0xF0, l).cmp(&(r < 0xF0, r)),
        Some((l, r)) => l.cmp(&r),
        None => left.len().cmp(&right.len()),
    }
}

/// The first eight octets as a number that orders like [`compare_utf16`]; equal numbers leave the question open.
pub(super) fn rank_utf16(name: &str) -> u64 {
    let octets = name.as_bytes();
    let mut first = octets.first_chunk::<8>().copied().unwrap_or_else(|| {
        let mut padded = [0; 8];
        padded.iter_mut().zip(octets).for_each(|(place, octet)| *place = *octet);
        padded
    });
    if first.is_ascii() {
        return u64::from_be_bytes(first);
    }
    for octet in &mut first {
        *octet = match *octet {
            // Lead octets of U+E000 to U+FFFF go behind those of all characters beyond U+FFFF.
            lead @ 0xEE..=0xEF => lead + 5,
            lead @ 0xF0.. => lead - 2,
            other => other,
        };
    }
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::{compare_utf16, rank_utf16};
    use proptest::prelude::*;

    fn by_units(left: &str, right: &str) -> std::cmp::Ordering {
        left.encode_utf16().cmp(right.encode_utf16())
    }

    #[test]
    fn emoji_come_before_the_end_of_the_basic_plane() {
        let names =
            ["\u{1f600}", "\u{ff01}", "\u{fb33}", "\u{20ac}", "\u{e000}", "\u{d7ff}", "a", "", "\u{10ffff}"];
        for left in names {
            for right in names {
                assert_eq!(compare_utf16(left, right), by_units(left, right), "{left:?} {right:?}");
                let ranked =
                    rank_utf16(left).cmp(&rank_utf16(right)).then_with(|| compare_utf16(left, right));
                assert_eq!(ranked, by_units(left, right), "{left:?} {right:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_utf16_code_units(left in "\\PC{0,6}", right in "\\PC{0,6}") {
            prop_assert_eq!(compare_utf16(&left, &right), by_units(&left, &right));
            let ranked = rank_utf16(&left).cmp(&rank_utf16(&right)).then_with(|| compare_utf16(&left, &right));
            prop_assert_eq!(ranked, by_units(&left, &right));
        }

        #[test]
        fn a_shared_prefix_does_not_matter(prefix in "\\PC{0,3}", l in any::<char>(), r in any::<char>()) {
            let (left, right) = (format!("{prefix}{l}"), format!("{prefix}{r}"));
            prop_assert_eq!(compare_utf16(&left, &right), by_units(&left, &right));
        }
    }
}
