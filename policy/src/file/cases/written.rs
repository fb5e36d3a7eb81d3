//! The members of a test file, as written.

use serde::Deserialize;

use crate::file::written::{At, Date, Texts};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenTests {
    pub(super) policy: At<String>,
    pub(super) now: At<Date>,
    pub(super) case: Option<Vec<At<WrittenCase>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenCase {
    pub(super) name: At<String>,
    pub(super) card: At<String>,
    pub(super) patch: Option<At<Vec<At<WrittenOperation>>>>,
    pub(super) from: At<WrittenSource>,
    pub(super) tenant: Option<At<String>>,
    #[serde(rename = "use")]
    pub(super) purpose: Option<At<String>>,
    pub(super) accept: Option<Texts>,
    pub(super) extensions: Option<Texts>,
    pub(super) assume_version: Option<At<String>>,
    pub(super) endorsements: Option<Texts>,
    pub(super) now: Option<At<Date>>,
    pub(super) expect: At<WrittenExpectation>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenSource {
    pub(super) url: At<String>,
    pub(super) source: Option<At<String>>,
}

/// An operation of RFC 6902. TOML has no null, so a value may be written as JSON text instead.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenOperation {
    pub(super) op: At<String>,
    pub(super) path: At<String>,
    pub(super) from: Option<At<String>>,
    pub(super) value: Option<At<toml::Value>>,
    pub(super) json: Option<At<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct WrittenExpectation {
    pub(super) outcome: Option<At<String>>,
    pub(super) enforced: Option<At<bool>>,
    pub(super) codes: Option<Texts>,
    pub(super) codes_any: Option<Texts>,
    pub(super) rule: Option<At<String>>,
    pub(super) interfaces: Option<Texts>,
    pub(super) ttl_at_most: Option<At<String>>,
    pub(super) uncovered: Option<Texts>,
}
