//! Protocol versions as cards and requests write them.

mod requirement;

use std::fmt;

use countersign_keys::Code;

use crate::codes;
pub use requirement::{RequirementError, VersionRequirement};

/// Most digits of one number of a version.
const MAX_DIGITS: usize = 5;

/// A version of the A2A protocol: major and minor (A2A 1.0 section 3.6).
///
/// Ordered by major, then minor, as numbers. It is never the agent's own `version`, and a `/v1` in a URL is no
/// evidence of it. Whether anybody speaks the version is not checked: `7.0` is a version.
///
/// # Examples
///
/// ```
/// use countersign_policy::ProtocolVersion;
///
/// let declared = ProtocolVersion::from_card("0.3.0")?;
/// assert_eq!(declared.version, ProtocolVersion::V0_3);
/// assert_eq!(declared.ignored_patch, Some(0));
/// assert!(ProtocolVersion::from_header("0.3.0").is_err());
/// # Ok::<(), countersign_policy::VersionError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProtocolVersion {
    major: u32,
    minor: u32,
}

/// What a card declares: a version, and the patch number that was ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CardVersion {
    /// The version, as it is compared.
    pub version: ProtocolVersion,
    /// The patch number, where the card wrote one (`card.version-patch`).
    pub ignored_patch: Option<u32>,
}

/// Text that is no version where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionError {
    /// In a card.
    #[error("`{text}` is not a protocol version: {fault}")]
    Card {
        /// The text, as the card has it.
        text: String,
        /// What is wrong with it.
        fault: VersionFault,
    },
    /// In an `A2A-Version` header.
    #[error("`{text}` is not a value of the `A2A-Version` header: {fault}")]
    Header {
        /// The text, as the header has it.
        text: String,
        /// What is wrong with it.
        fault: VersionFault,
    },
}

/// Why a text is not a version; the first fault from the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionFault {
    /// Not two numbers, nor three where a patch number may stand.
    #[error("{found} numbers where {} expected", if *.most == 2 { "exactly 2 are" } else { "2 or 3 are" })]
    Count {
        /// Parts between the dots.
        found: usize,
        /// Most that may stand here.
        most: usize,
    },
    /// A part is empty.
    #[error("number {part} is empty")]
    Empty {
        /// Which part, counted from 1.
        part: usize,
    },
    /// A part holds something other than the ASCII digits 0 to 9.
    #[error("number {part} holds a character that is no ASCII digit")]
    NotDigits {
        /// Which part, counted from 1.
        part: usize,
    },
    /// A part starts with a zero that is not all of it.
    #[error("number {part} has a leading zero")]
    LeadingZero {
        /// Which part, counted from 1.
        part: usize,
    },
    /// A part has more than 5 digits.
    #[error("number {part} has {digits} digits, at most 5 are read")]
    TooLong {
        /// Which part, counted from 1.
        part: usize,
        /// How many digits it has.
        digits: usize,
    },
}

impl ProtocolVersion {
    /// A2A 0.3.
    pub const V0_3: Self = Self { major: 0, minor: 3 };

    /// A2A 1.0.
    pub const V1_0: Self = Self { major: 1, minor: 0 };

    /// The first number.
    #[must_use]
    pub const fn major(self) -> u32 {
        self.major
    }

    /// The second number.
    #[must_use]
    pub const fn minor(self) -> u32 {
        self.minor
    }

    /// Reads a `protocolVersion` of a card: `X.Y`, or `X.Y.Z` with `Z` ignored.
    ///
    /// # Errors
    ///
    /// [`VersionError::Card`] for anything else, `1`, `v1.0`, `01.0`, `2025-06-18` and padded text included.
    pub fn from_card(text: &str) -> Result<CardVersion, VersionError> {
        let fault = |fault| VersionError::Card { text: text.to_owned(), fault };
        match numbers(text, 3).map_err(fault)? {
            (major, Some(minor), ignored_patch) => {
                Ok(CardVersion { version: Self { major, minor }, ignored_patch })
            }
            (_, None, _) => Err(fault(VersionFault::Count { found: 1, most: 3 })),
        }
    }

    /// Reads the value of an `A2A-Version` header: exactly `X.Y` (A2A 1.0 section 14.2.1).
    ///
    /// An absent header is the caller's to judge; an empty one is an error here.
    ///
    /// # Errors
    ///
    /// [`VersionError::Header`] for anything else, `1.0.0` included.
    pub fn from_header(text: &str) -> Result<Self, VersionError> {
        let fault = |fault| VersionError::Header { text: text.to_owned(), fault };
        match numbers(text, 2).map_err(fault)? {
            (major, Some(minor), _) => Ok(Self { major, minor }),
            (_, None, _) => Err(fault(VersionFault::Count { found: 1, most: 2 })),
        }
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl VersionError {
    /// The code of this error.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Card { .. } => codes::CARD_VERSION_UNRECOGNIZED,
            Self::Header { .. } => codes::IFACE_VERSION_HEADER,
        }
    }
}

/// The numbers between the dots, `most` at most, which is at most three.
fn numbers(text: &str, most: usize) -> Result<(u32, Option<u32>, Option<u32>), VersionFault> {
    // The usual `1.0` and `0.3`, which no limit refuses: `most` is 2 or 3.
    if let [major @ b'0'..=b'9', b'.', minor @ b'0'..=b'9'] = text.as_bytes() {
        return Ok((u32::from(major - b'0'), Some(u32::from(minor - b'0')), None));
    }
    let found = text.bytes().filter(|octet| *octet == b'.').count().saturating_add(1);
    if found > most {
        return Err(VersionFault::Count { found, most });
    }
    let mut parts = text.split('.').zip(1..).map(|(digits, part)| number(digits, part));
    let first = parts.next().unwrap_or(Err(VersionFault::Empty { part: 1 }))?;
    Ok((first, parts.next().transpose()?, parts.next().transpose()?))
}

fn number(text: &str, part: usize) -> Result<u32, VersionFault> {
    if text.is_empty() {
        return Err(VersionFault::Empty { part });
    }
    if !text.bytes().all(|octet| octet.is_ascii_digit()) {
        return Err(VersionFault::NotDigits { part });
    }
    if text.len() > 1 && text.starts_with('0') {
        return Err(VersionFault::LeadingZero { part });
    }
    if text.len() > MAX_DIGITS {
        return Err(VersionFault::TooLong { part, digits: text.len() });
    }
    text.parse().map_err(|_| VersionFault::NotDigits { part })
}

#[cfg(test)]
mod tests {
    use super::{ProtocolVersion, VersionError, VersionFault};

    fn card_fault(text: &str) -> VersionFault {
        match ProtocolVersion::from_card(text).unwrap_err() {
            VersionError::Card { fault, text: kept } => {
                assert_eq!(kept, text);
                fault
            }
            other @ VersionError::Header { .. } => panic!("a card error was expected, found {other:?}"),
        }
    }

    fn header_fault(text: &str) -> VersionFault {
        match ProtocolVersion::from_header(text).unwrap_err() {
            VersionError::Header { fault, text: kept } => {
                assert_eq!(kept, text);
                fault
            }
            other @ VersionError::Card { .. } => panic!("a header error was expected, found {other:?}"),
        }
    }

    #[test]
    fn major_and_minor_are_a_version_in_a_card() {
        for (text, version) in [("0.3", ProtocolVersion::V0_3), ("1.0", ProtocolVersion::V1_0)] {
            let declared = ProtocolVersion::from_card(text).unwrap();
            assert_eq!(declared.version, version);
            assert_eq!(declared.ignored_patch, None);
        }
    }

    #[test]
    fn a_patch_number_in_a_card_is_told_and_not_compared() {
        let declared = ProtocolVersion::from_card("0.3.17").unwrap();
        assert_eq!(declared.version, ProtocolVersion::V0_3);
        assert_eq!(declared.ignored_patch, Some(17));
        assert_eq!(card_fault("0.3.17.2"), VersionFault::Count { found: 4, most: 3 });
        assert_eq!(card_fault("0.3.x"), VersionFault::NotDigits { part: 3 });
        assert_eq!(card_fault("0.3."), VersionFault::Empty { part: 3 });
    }

    #[test]
    fn one_number_alone_is_no_version() {
        assert_eq!(card_fault("1"), VersionFault::Count { found: 1, most: 3 });
        assert_eq!(header_fault("1"), VersionFault::Count { found: 1, most: 2 });
    }

    #[test]
    fn nothing_is_no_version() {
        assert_eq!(card_fault(""), VersionFault::Empty { part: 1 });
        assert_eq!(header_fault(""), VersionFault::Empty { part: 1 });
        assert_eq!(card_fault("1."), VersionFault::Empty { part: 2 });
        assert_eq!(card_fault(".0"), VersionFault::Empty { part: 1 });
    }

    #[test]
    fn only_ascii_digits_and_dots_are_read() {
        for text in ["v1.0", " 1.0", "+1.0", "-1.0", "2025-06-18", "١.0", "1e0.0", "\u{feff}1.0"] {
            assert_eq!(card_fault(text), VersionFault::NotDigits { part: 1 }, "{text:?}");
        }
        for text in ["1.0 ", "1.0\n", "1.0-rc1", "1.0+x", "1.x", "1.٠", "1. 0"] {
            assert_eq!(card_fault(text), VersionFault::NotDigits { part: 2 }, "{text:?}");
            assert_eq!(header_fault(text), VersionFault::NotDigits { part: 2 }, "{text:?}");
        }
    }

    #[test]
    fn a_leading_zero_is_refused_and_zero_alone_is_not() {
        assert_eq!(card_fault("01.0"), VersionFault::LeadingZero { part: 1 });
        assert_eq!(card_fault("1.00"), VersionFault::LeadingZero { part: 2 });
        assert_eq!(card_fault("1.0.00"), VersionFault::LeadingZero { part: 3 });
        assert_eq!(header_fault("00.3"), VersionFault::LeadingZero { part: 1 });
        assert_eq!(ProtocolVersion::from_header("0.0").unwrap().to_string(), "0.0");
    }

    #[test]
    fn five_digits_are_read_and_six_are_not() {
        let version = ProtocolVersion::from_card("99999.99999").unwrap().version;
        assert_eq!((version.major(), version.minor()), (99_999, 99_999));
        assert_eq!(card_fault("1.100000"), VersionFault::TooLong { part: 2, digits: 6 });
        assert_eq!(header_fault("100000.1"), VersionFault::TooLong { part: 1, digits: 6 });
    }

    #[test]
    fn a_header_takes_exactly_major_and_minor() {
        assert_eq!(ProtocolVersion::from_header("1.0").unwrap(), ProtocolVersion::V1_0);
        assert_eq!(ProtocolVersion::from_header("0.3").unwrap(), ProtocolVersion::V0_3);
        assert_eq!(header_fault("1.0.0"), VersionFault::Count { found: 3, most: 2 });
        assert_eq!(header_fault("0.3.0"), VersionFault::Count { found: 3, most: 2 });
    }

    #[test]
    fn versions_are_ordered_as_numbers_not_as_text() {
        let version = |text| ProtocolVersion::from_header(text).unwrap();
        assert!(version("0.3") < version("1.0"));
        assert!(version("1.9") < version("1.10"));
        assert!(version("9.0") < version("10.0"));
        assert!(version("0.30") > version("0.3"));
    }

    #[test]
    fn the_text_of_a_version_reads_back_as_it() {
        for text in ["0.3", "1.0", "12.345"] {
            let version = ProtocolVersion::from_header(text).unwrap();
            assert_eq!(version.to_string(), text);
            assert_eq!(ProtocolVersion::from_card(&version.to_string()).unwrap().version, version);
        }
    }

    #[test]
    fn an_error_names_the_text_the_fault_and_its_code() {
        let error = ProtocolVersion::from_card("v1.0").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`v1.0` is not a protocol version: number 1 holds a character that is no ASCII digit"
        );
        assert_eq!(error.code().name(), "card.version-unrecognized");

        let error = ProtocolVersion::from_header("1.0.0").unwrap_err();
        assert_eq!(
            error.to_string(),
            "`1.0.0` is not a value of the `A2A-Version` header: 3 numbers where exactly 2 are expected"
        );
        assert_eq!(error.code().name(), "iface.version-header");
    }
}
