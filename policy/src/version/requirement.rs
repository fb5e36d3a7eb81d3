//! Version requirements of a policy: one version, or a range.

use std::fmt;

use super::{ProtocolVersion, VersionFault, numbers};

/// The protocol versions that a policy allows: exactly one, `1.0`, or a range, `>=1.0, <2.0`.
///
/// A range is one or more comparisons with `>=`, `>`, `<=` or `<`, joined by commas, all of which must hold.
///
/// # Examples
///
/// ```
/// use countersign_policy::{ProtocolVersion, VersionRequirement};
///
/// let range = VersionRequirement::read(">=1.0, <2.0")?;
/// assert!(range.matches(ProtocolVersion::V1_0));
/// assert!(!range.matches(ProtocolVersion::V0_3));
/// assert!(VersionRequirement::read(">=1.1, <1.0").is_err());
/// # Ok::<(), countersign_policy::RequirementError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionRequirement {
    /// The first version that fits; [`None`] without a lower end.
    first: Option<ProtocolVersion>,
    /// The last version that fits; [`None`] without an upper end.
    last: Option<ProtocolVersion>,
    ignored_patch: Option<u32>,
}

/// Text that is no version requirement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequirementError {
    /// A part that is no version, and no comparison with one.
    #[error("`{part}` is neither a version such as `1.0` nor a comparison such as `>=1.0`: {fault}")]
    Syntax {
        /// The part between commas.
        part: String,
        /// What is wrong with its version.
        fault: VersionFault,
    },
    /// A version among comparisons.
    #[error("`{part}` stands alone or with one of `>=`, `>`, `<=`, `<` before it")]
    Mixed {
        /// The part between commas.
        part: String,
    },
    /// No version fits.
    #[error("no version fits `{text}`")]
    Empty {
        /// The requirement.
        text: String,
    },
}

impl RequirementError {
    /// The code of this error.
    #[must_use]
    pub const fn code(&self) -> countersign_keys::Code {
        match self {
            Self::Syntax { .. } | Self::Mixed { .. } => crate::codes::POLICY_VERSION_SYNTAX,
            Self::Empty { .. } => crate::codes::POLICY_VERSION_RANGE_EMPTY,
        }
    }
}

/// Most that a number of a version can be.
const MOST: u32 = 99_999;

impl VersionRequirement {
    /// Reads a requirement. A patch number is read and ignored: see [`ignored_patch`](Self::ignored_patch).
    ///
    /// # Errors
    ///
    /// [`RequirementError`] for anything else, and for a range without any version in it.
    pub fn read(text: &str) -> Result<Self, RequirementError> {
        let parts = text.split(',').map(str::trim);
        let mut range = Self { first: None, last: None, ignored_patch: None };
        let is_alone = text.split(',').nth(1).is_none();
        for part in parts {
            let (comparison, version) = split(part);
            let (version, patch) = read_version(version)
                .map_err(|fault| RequirementError::Syntax { part: part.to_owned(), fault })?;
            range.ignored_patch = range.ignored_patch.or(patch);
            let empty = || RequirementError::Empty { text: text.to_owned() };
            match comparison {
                "" if is_alone => (range.first, range.last) = (Some(version), Some(version)),
                "" => return Err(RequirementError::Mixed { part: part.to_owned() }),
                ">=" => range.raise(version),
                ">" => range.raise(version.next().ok_or_else(empty)?),
                "<=" => range.lower(version),
                _ => range.lower(version.previous().ok_or_else(empty)?),
            }
        }
        match (range.first, range.last) {
            (Some(first), Some(last)) if first > last => {
                Err(RequirementError::Empty { text: text.to_owned() })
            }
            _ => Ok(range),
        }
    }

    /// Exactly this version.
    #[must_use]
    pub const fn exactly(version: ProtocolVersion) -> Self {
        Self { first: Some(version), last: Some(version), ignored_patch: None }
    }

    /// Whether `version` fits.
    #[must_use]
    pub fn matches(&self, version: ProtocolVersion) -> bool {
        self.first.is_none_or(|first| first <= version) && self.last.is_none_or(|last| version <= last)
    }

    /// The version, where exactly one fits.
    #[must_use]
    pub fn exact(&self) -> Option<ProtocolVersion> {
        self.first.filter(|first| self.last == Some(*first))
    }

    /// A patch number that was written and takes no part.
    #[must_use]
    pub const fn ignored_patch(&self) -> Option<u32> {
        self.ignored_patch
    }

    /// What fits both; [`None`] where nothing does.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let mut both = self.clone();
        other.first.into_iter().for_each(|first| both.raise(first));
        other.last.into_iter().for_each(|last| both.lower(last));
        let is_empty = matches!((both.first, both.last), (Some(first), Some(last)) if first > last);
        (!is_empty).then_some(both)
    }

    fn raise(&mut self, first: ProtocolVersion) {
        self.first = self.first.max(Some(first));
    }

    fn lower(&mut self, last: ProtocolVersion) {
        self.last = Some(self.last.map_or(last, |other| other.min(last)));
    }
}

/// `1.0`, or the range from its first to its last version: `>=1.0, <=1.99999`.
impl fmt::Display for VersionRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.first, self.last) {
            (Some(first), Some(last)) if first == last => write!(f, "{first}"),
            (Some(first), Some(last)) => write!(f, ">={first}, <={last}"),
            (Some(first), None) => write!(f, ">={first}"),
            (None, Some(last)) => write!(f, "<={last}"),
            (None, None) => f.write_str(">=0.0"),
        }
    }
}

impl ProtocolVersion {
    fn next(self) -> Option<Self> {
        if self.minor < MOST {
            return Some(Self { major: self.major, minor: self.minor + 1 });
        }
        (self.major < MOST).then(|| Self { major: self.major + 1, minor: 0 })
    }

    fn previous(self) -> Option<Self> {
        if self.minor > 0 {
            return Some(Self { major: self.major, minor: self.minor - 1 });
        }
        (self.major > 0).then(|| Self { major: self.major - 1, minor: MOST })
    }
}

fn split(part: &str) -> (&'static str, &str) {
    for comparison in [">=", "<=", ">", "<"] {
        if let Some(version) = part.strip_prefix(comparison) {
            return (comparison, version.trim_start());
        }
    }
    ("", part)
}

fn read_version(text: &str) -> Result<(ProtocolVersion, Option<u32>), VersionFault> {
    match numbers(text, 3)? {
        (major, Some(minor), patch) => Ok((ProtocolVersion { major, minor }, patch)),
        (_, None, _) => Err(VersionFault::Count { found: 1, most: 3 }),
    }
}

#[cfg(test)]
mod tests {
    use super::{RequirementError, VersionRequirement};
    use crate::ProtocolVersion;

    fn matching(text: &str) -> Vec<&'static str> {
        let requirement = VersionRequirement::read(text).unwrap();
        let versions = ["0.3", "1.0", "1.1", "1.10", "2.0"];
        versions
            .into_iter()
            .filter(|v| requirement.matches(ProtocolVersion::from_header(v).unwrap()))
            .collect()
    }

    #[test]
    fn a_version_alone_is_exactly_that_one() {
        assert_eq!(matching("1.0"), ["1.0"]);
        assert_eq!(VersionRequirement::read("1.0").unwrap().exact(), Some(ProtocolVersion::V1_0));
    }

    #[test]
    fn every_comparison_of_a_range_holds() {
        assert_eq!(matching(">=1.0, <2.0"), ["1.0", "1.1", "1.10"]);
        assert_eq!(matching(">1.0,<=2.0"), ["1.1", "1.10", "2.0"]);
        assert_eq!(matching("<1.0"), ["0.3"]);
        assert_eq!(matching(">= 1.1"), ["1.1", "1.10", "2.0"]);
        assert_eq!(matching(">=1.0, >=1.1"), ["1.1", "1.10", "2.0"]);
    }

    #[test]
    fn a_range_without_a_version_is_an_error() {
        for text in [">=1.1, <1.0", ">1.0, <1.1", "<0.0", ">99999.99999", ">1.0, <=1.0"] {
            let error = VersionRequirement::read(text).unwrap_err();
            assert!(matches!(error, RequirementError::Empty { .. }), "{text}");
            assert_eq!(error.code().name(), "policy.version-range-empty");
        }
    }

    #[test]
    fn anything_else_is_an_error() {
        for text in [
            "",
            "1",
            "v1.0",
            "^1.0",
            "~1.0",
            "1.x",
            "*",
            "=1.0",
            "1.0 2.0",
            ">=1.0,",
            "1.0, 2.0",
            "1.0, <2.0",
        ] {
            assert!(VersionRequirement::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_patch_number_is_ignored_and_told() {
        let requirement = VersionRequirement::read("1.0.3").unwrap();
        assert_eq!(
            (requirement.exact(), requirement.ignored_patch()),
            (Some(ProtocolVersion::V1_0), Some(3))
        );
    }

    #[test]
    fn the_intersection_fits_both() {
        let read = |text| VersionRequirement::read(text).unwrap();
        assert_eq!(read(">=0.3").intersection(&read("<2.0")).unwrap().to_string(), ">=0.3, <=1.99999");
        assert_eq!(read("1.0").intersection(&read("1.1")), None);
    }
}
