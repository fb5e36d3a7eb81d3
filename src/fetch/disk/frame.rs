//! A response as the octets of a file: a line that says what it is, the SHA-256 of the rest, then texts with their lengths.

use std::sync::Arc;

use countersign_keys::{hex, sha256};
use countersign_policy::UnixTime;

use crate::fetch::{StoreKey, StoredResponse};

const FIRST_LINE: &[u8] = b"countersign response 1\n";

/// Hexadecimal digits of a SHA-256, and the end of the line.
const CHECKSUM_OCTETS: usize = 65;

/// Most header lines of one kind.
const MAX_LINES: usize = 256;

type Lines = Vec<(String, String)>;

pub(super) fn write(response: &StoredResponse) -> Vec<u8> {
    let mut rest = Vec::new();
    push(&mut rest, response.key.url.as_bytes());
    push_option(&mut rest, response.key.version.as_deref());
    push_option(&mut rest, response.key.credential.as_deref());
    push_option(&mut rest, response.key.connection.as_deref());
    push(&mut rest, response.received_at.seconds().to_string().as_bytes());
    push_lines(&mut rest, &response.request_headers);
    push_lines(&mut rest, &response.headers);
    push(&mut rest, &response.octets);
    let mut octets = FIRST_LINE.to_vec();
    octets.extend_from_slice(hex(&sha256(&rest)).as_bytes());
    octets.push(b'\n');
    octets.extend_from_slice(&rest);
    octets
}

/// Nothing if anything is not as [`write`] does it.
pub(super) fn read(octets: &[u8]) -> Option<StoredResponse> {
    let (checksum, rest) = octets.strip_prefix(FIRST_LINE)?.split_at_checked(CHECKSUM_OCTETS)?;
    if checksum.strip_suffix(b"\n")? != hex(&sha256(rest)).as_bytes() {
        return None;
    }
    let mut cursor = Cursor { rest };
    let key = StoreKey {
        url: cursor.text()?,
        version: cursor.option()?,
        credential: cursor.option()?,
        connection: cursor.option()?,
    };
    let received_at = UnixTime::from_seconds(cursor.text()?.parse().ok()?);
    let (request_headers, headers) = (cursor.lines()?, cursor.lines()?);
    let octets: Arc<[u8]> = cursor.part()?.into();
    cursor.rest.is_empty().then(|| StoredResponse::new(key, received_at, request_headers, headers, octets))
}

fn push(to: &mut Vec<u8>, part: &[u8]) {
    to.extend_from_slice(part.len().to_string().as_bytes());
    to.push(b':');
    to.extend_from_slice(part);
}

/// None, or one that follows.
fn push_option(to: &mut Vec<u8>, text: Option<&str>) {
    push(to, if text.is_some() { b"1" } else { b"0" });
    if let Some(text) = text {
        push(to, text.as_bytes());
    }
}

fn push_lines(to: &mut Vec<u8>, lines: &[(String, String)]) {
    push(to, lines.len().to_string().as_bytes());
    for (name, value) in lines {
        push(to, name.as_bytes());
        push(to, value.as_bytes());
    }
}

struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    fn part(&mut self) -> Option<&'a [u8]> {
        let colon = self.rest.iter().position(|octet| *octet == b':')?;
        let (length, rest) = self.rest.split_at_checked(colon)?;
        let length: usize = std::str::from_utf8(length).ok()?.parse().ok()?;
        let (part, rest) = rest.strip_prefix(b":")?.split_at_checked(length)?;
        self.rest = rest;
        Some(part)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.part()?.to_vec()).ok()
    }

    fn option(&mut self) -> Option<Option<String>> {
        match self.part()? {
            b"0" => Some(None),
            b"1" => self.text().map(Some),
            _ => None,
        }
    }

    fn lines(&mut self) -> Option<Lines> {
        let count: usize = self.text()?.parse().ok().filter(|count| *count <= MAX_LINES)?;
        let mut lines = Lines::new();
        for _ in 0..count {
            lines.push((self.text()?, self.text()?));
        }
        Some(lines)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_policy::UnixTime;
    use proptest::prelude::*;

    use super::{CHECKSUM_OCTETS, FIRST_LINE, read, write};
    use crate::fetch::{StoreKey, StoredResponse};
    use countersign_keys::{hex, sha256};

    fn response(
        octets: Vec<u8>,
        seconds: i64,
        version: Option<String>,
        lines: Vec<(String, String)>,
    ) -> StoredResponse {
        let key =
            StoreKey { url: "https://a.example/".to_owned(), version, credential: None, connection: None };
        let octets: Arc<[u8]> = octets.into();
        StoredResponse::new(key, UnixTime::from_seconds(seconds), lines.clone(), lines, octets)
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            octets in any::<Vec<u8>>(),
            seconds in any::<i64>(),
            version in any::<Option<String>>(),
            lines in proptest::collection::vec((".*", ".*"), 0..5),
        ) {
            let response = response(octets, seconds, version, lines);
            prop_assert_eq!(read(&write(&response)), Some(response));
        }

        #[test]
        fn any_other_octets_are_no_response(octets in any::<Vec<u8>>()) {
            prop_assert_eq!(read(&octets), None);
            let mut octets = octets;
            let checksum = hex(&sha256(&octets));
            octets.splice(0..0, [FIRST_LINE, checksum.as_bytes(), b"\n"].concat());
            prop_assert_eq!(read(&octets), None);
        }
    }

    #[test]
    fn a_file_that_is_cut_or_changed_anywhere_is_no_response() {
        let lines = vec![("etag".to_owned(), "\"1\"".to_owned())];
        let whole = write(&response(b"{\"name\":\"Echo\"}".to_vec(), 7, Some("1.0".to_owned()), lines));
        assert!(read(&whole).is_some());
        for end in 0..whole.len() {
            assert!(read(&whole[..end]).is_none(), "cut at {end}");
            let mut changed = whole.clone();
            changed[end] ^= 1;
            assert!(read(&changed).is_none(), "changed at {end}");
        }
        assert!(whole.len() > FIRST_LINE.len() + CHECKSUM_OCTETS);
    }
}
