//! What the octets of a URL are, from a table: which of the slower looks a text needs.

/// Octets that most URLs do not have: outside the unreserved, reserved and `%` of RFC 3986, or `@`, `[`, `]`.
pub(super) const UNUSUAL: u8 = 1;
pub(super) const QUERY: u8 = 1 << 1;
pub(super) const FRAGMENT: u8 = 1 << 2;

const TABLE: [u8; 256] = table();

const fn table() -> [u8; 256] {
    let mut table = [UNUSUAL; 256];
    let mut octet = 0_u8;
    while octet < 0x80 {
        table[octet as usize] = match octet {
            b'?' => QUERY,
            b'#' => FRAGMENT,
            b'!' | b'$'..=b';' | b'=' | b'A'..=b'Z' | b'_' | b'a'..=b'z' | b'~' => 0,
            _ => UNUSUAL,
        };
        octet += 1;
    }
    table
}

/// The classes of all octets of a text.
pub(super) fn of(text: &str) -> u8 {
    text.bytes().fold(0, |all, octet| all | TABLE.get(usize::from(octet)).copied().unwrap_or(UNUSUAL))
}
