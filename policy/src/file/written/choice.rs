//! Members that are written in more than one way.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{At, WrittenAnyHost, WrittenAudit};

/// One word, or a list.
#[derive(Clone, Debug)]
pub(in crate::file) enum Words {
    One(String),
    Many(Vec<At<String>>),
}

/// `mode`.
#[derive(Clone, Debug)]
pub(in crate::file) enum WrittenMode {
    Word(String),
    Audit(WrittenAudit),
}

/// `any-host`.
#[derive(Clone, Debug)]
pub(in crate::file) enum WrittenAnyHosts {
    Plain(Switch),
    Until(WrittenAnyHost),
}

/// `true` or `false`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::file) enum Switch {
    On,
    Off,
}

/// What a member of a JWK holds. Only texts and lists of texts mean anything to a public key.
#[derive(Clone)]
pub(in crate::file) enum JwkMember {
    Text(String),
    Texts(Vec<String>),
    Other,
}

type OfList<T> = fn(Vec<At<String>>) -> T;

/// A form that a member may be written in: any that a type does not take is refused by name.
struct Forms<T> {
    expected: &'static str,
    word: Option<fn(String) -> T>,
    switch: Option<fn(bool) -> T>,
    list: Option<OfList<T>>,
}

struct FormsVisitor<T, M> {
    forms: Forms<T>,
    map: Option<fn(M) -> T>,
    marker: PhantomData<M>,
}

impl<'de, T, M: Deserialize<'de>> Visitor<'de> for FormsVisitor<T, M> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.forms.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        match self.forms.word {
            Some(make) => Ok(make(text.to_owned())),
            None => Err(E::invalid_type(serde::de::Unexpected::Str(""), &self)),
        }
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<T, E> {
        match self.forms.switch {
            Some(make) => Ok(make(value)),
            None => Err(E::invalid_type(serde::de::Unexpected::Bool(value), &self)),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        match self.forms.list {
            Some(make) => Vec::deserialize(SeqAccessDeserializer::new(list)).map(make),
            None => Err(A::Error::invalid_type(serde::de::Unexpected::Seq, &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        match self.map {
            Some(make) => M::deserialize(MapAccessDeserializer::new(map)).map(make),
            None => Err(A::Error::invalid_type(serde::de::Unexpected::Map, &self)),
        }
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms = Forms {
            expected: "a string or a list of strings",
            word: Some(Self::One),
            switch: None,
            list: Some(Self::Many),
        };
        deserializer.deserialize_any(FormsVisitor::<Self, serde::de::IgnoredAny> {
            forms,
            map: None,
            marker: PhantomData,
        })
    }
}

impl<'de> Deserialize<'de> for WrittenMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms = Forms {
            expected: "`\"enforce\"` or a table with `audit`, `reason` and `until`",
            word: Some(Self::Word),
            switch: None,
            list: None,
        };
        deserializer.deserialize_any(FormsVisitor { forms, map: Some(Self::Audit), marker: PhantomData })
    }
}

impl<'de> Deserialize<'de> for WrittenAnyHosts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let forms = Forms {
            expected: "`true`, `false` or a table with `reason` and `until`",
            word: None,
            switch: Some(|is_on| Self::Plain(if is_on { Switch::On } else { Switch::Off })),
            list: None,
        };
        deserializer.deserialize_any(FormsVisitor { forms, map: Some(Self::Until), marker: PhantomData })
    }
}

impl<'de> Deserialize<'de> for Switch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        bool::deserialize(deserializer).map(|is_on| if is_on { Self::On } else { Self::Off })
    }
}

struct JwkMemberVisitor;

impl<'de> Visitor<'de> for JwkMemberVisitor {
    type Value = JwkMember;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member of a JWK")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<JwkMember, E> {
        Ok(JwkMember::Text(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<JwkMember, E> {
        Ok(JwkMember::Other)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<JwkMember, E> {
        Ok(JwkMember::Other)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<JwkMember, E> {
        Ok(JwkMember::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<JwkMember, E> {
        Ok(JwkMember::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<JwkMember, A::Error> {
        let mut texts = Some(Vec::new());
        while let Some(member) = list.next_element::<JwkMember>()? {
            match member {
                JwkMember::Text(text) => texts.iter_mut().for_each(|texts| texts.push(text.clone())),
                JwkMember::Texts(_) | JwkMember::Other => texts = None,
            }
        }
        Ok(texts.map_or(JwkMember::Other, JwkMember::Texts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JwkMember, A::Error> {
        while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
        Ok(JwkMember::Other)
    }
}

impl<'de> Deserialize<'de> for JwkMember {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JwkMemberVisitor)
    }
}

/// What the member holds may be private.
impl fmt::Debug for JwkMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JwkMember")
    }
}

#[cfg(feature = "schema")]
mod schema {
    use std::borrow::Cow;

    use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

    use super::{JwkMember, Switch, Words, WrittenAnyHost, WrittenAnyHosts, WrittenAudit, WrittenMode};

    macro_rules! inline {
        ($($type:ident, $generator:ident => $schema:expr;)+) => {$(
            impl JsonSchema for $type {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($type).into()
                }

                fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                    $schema
                }
            }
        )+};
    }

    inline! {
        Switch, _generator => json_schema!({ "type": "boolean" });
        JwkMember, _generator => json_schema!({ "type": ["string", "array"] });
        Words, _generator => json_schema!({ "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "type": "string" }, "minItems": 1 },
        ] });
        WrittenMode, generator => json_schema!({ "anyOf": [
            { "const": "enforce" },
            generator.subschema_for::<WrittenAudit>(),
        ] });
        WrittenAnyHosts, generator => json_schema!({ "anyOf": [
            { "type": "boolean" },
            generator.subschema_for::<WrittenAnyHost>(),
        ] });
    }
}
