//! JSON Schema of the policy file.

use schemars::generate::SchemaSettings;

use super::written::WrittenPolicy;

/// The JSON Schema (draft 2020-12) of a policy file, for editors that read TOML as JSON.
///
/// It knows names and types. What hangs together, such as ids and thresholds, only [`TrustPolicy::load`] checks.
///
/// [`TrustPolicy::load`]: crate::TrustPolicy::load
#[must_use]
pub fn policy_schema() -> String {
    let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<WrittenPolicy>();
    schema.insert("title".to_owned(), "countersign trust policy".into());
    format!("{:#}", schema.as_value())
}
