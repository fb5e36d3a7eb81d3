//! A value and the octets of the file that it is written in.

use std::ops::Range;

use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::value::Datetime;

/// A value and where it is written.
#[derive(Clone, Debug)]
pub(in crate::file) struct At<T> {
    pub(in crate::file) value: T,
    pub(in crate::file) range: Range<usize>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<T>::deserialize(deserializer)?;
        let range = spanned.span();
        Ok(Self { value: spanned.into_inner(), range })
    }
}

/// A TOML date, or date and time.
#[derive(Clone, Copy, Debug)]
pub(in crate::file) struct Date(pub(in crate::file) Datetime);

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Datetime::deserialize(deserializer).map(Self)
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{At, Date};

    impl<T: JsonSchema> JsonSchema for At<T> {
        fn inline_schema() -> bool {
            T::inline_schema()
        }

        fn schema_name() -> Cow<'static, str> {
            T::schema_name()
        }

        fn schema_id() -> Cow<'static, str> {
            T::schema_id()
        }

        fn json_schema(generator: &mut SchemaGenerator) -> Schema {
            T::json_schema(generator)
        }
    }

    impl JsonSchema for Date {
        fn inline_schema() -> bool {
            true
        }

        fn schema_name() -> Cow<'static, str> {
            "Date".into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!({
                "description": "A TOML date, which stands for the whole day in UTC, or a TOML date and time with offset.",
                "anyOf": [{ "type": "string", "format": "date" }, { "type": "string", "format": "date-time" }],
            })
        }
    }
}
