//! JSON Schema of the policy file.

use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde_json::Value;

use super::written::WrittenPolicy;

/// The JSON Schema (draft 2020-12) of a policy file, for editors that read TOML as JSON.
///
/// It knows names, types, and the words of members that have few. Dates are texts of the formats `date` and `date-time`. What hangs together, such as ids and thresholds, only [`TrustPolicy::load`] checks.
///
/// [`TrustPolicy::load`]: crate::TrustPolicy::load
#[must_use]
pub fn policy_schema() -> String {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(without_null));
    let mut schema = settings.into_generator().into_root_schema_for::<WrittenPolicy>();
    schema.insert("title".to_owned(), "countersign trust policy".into());
    format!("{:#}", schema.as_value())
}

/// TOML has no null: a member that may be left out is left out.
fn without_null(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|known| known != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            members.insert("type".to_owned(), only);
        }
    }
    let Some(Value::Array(choices)) = members.get_mut("anyOf") else { return };
    choices.retain(|choice| choice.get("type").is_none_or(|known| known != "null"));
    if let [Value::Object(only)] = choices.as_slice() {
        let only = only.clone();
        members.remove("anyOf");
        for (name, value) in only {
            members.entry(name).or_insert(value);
        }
    }
}
