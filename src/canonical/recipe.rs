//! What each form does, as data.

use super::Form;
use crate::card::schema::{AGENT_CARD, AGENT_CARD_03, Message};

/// The steps of a form, in the order in which they are taken.
#[derive(Debug)]
pub(super) struct Recipe {
    /// The schema that says which members are known and when they are present; none: every member is kept.
    pub(super) schema: Option<&'static Message>,
    pub(super) unknown: Unknown,
    pub(super) names: Names,
    pub(super) absent: Absent,
    pub(super) prune: Prune,
    pub(super) script: Script,
    /// A top-level member that the form leaves out beside `signatures`.
    pub(super) without: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    Drop,
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// A snake_case spelling is the member it spells.
    ReadSnakeCase,
    AsWritten,
}

/// What becomes of REQUIRED members that are absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Absent {
    Leave,
    Fill,
}

/// What is removed bottom-up after the schema was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prune {
    Nothing,
    /// `""`, `[]`, `{}` and null; members and elements.
    Empties,
    /// The same, and `false` and zero.
    Falsy,
    /// `""`, `[]`, `{}`, `false` and zero, but only as members of objects.
    FalsyMembers,
}

/// Who writes the JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Rfc8785,
    /// RFC 8785 with the members in the order of code points: what a signer writes that sorts UTF-8. No form does.
    CodePoints,
    /// Python's `json.dumps(sort_keys=True, ensure_ascii=True)`.
    Python(Integers),
}

/// How a number is written whose value is an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Integers {
    /// As a float, because protobuf has no other number.
    AreFloats,
    Exact,
    /// Every number as ECMAScript writes it, `1.0` as `1`. No form does.
    Shortest,
}

const A2A_1_0: Recipe = Recipe {
    schema: Some(&AGENT_CARD),
    unknown: Unknown::Drop,
    names: Names::ReadSnakeCase,
    absent: Absent::Leave,
    prune: Prune::Nothing,
    script: Script::Rfc8785,
    without: None,
};
const OPEN: Recipe = Recipe { unknown: Unknown::Keep, names: Names::AsWritten, ..A2A_1_0 };
const FILLED: Recipe = Recipe { absent: Absent::Fill, ..A2A_1_0 };
const AS_RECEIVED: Recipe = Recipe { schema: None, ..OPEN };
const ZEPH: Recipe = Recipe { prune: Prune::FalsyMembers, ..AS_RECEIVED };
const SDK_1_X: Recipe = Recipe { prune: Prune::Empties, ..A2A_1_0 };
const SDK_PY_1_0: Recipe = Recipe { script: Script::Python(Integers::AreFloats), ..SDK_1_X };
const SDK_JS_TYPED: Recipe = Recipe { without: Some("securitySchemes"), ..SDK_1_X };
const SDK_PY_0_3: Recipe = Recipe {
    schema: Some(&AGENT_CARD_03),
    names: Names::AsWritten,
    script: Script::Python(Integers::Exact),
    ..SDK_1_X
};
const SDK_PY_0_3_22: Recipe = Recipe { prune: Prune::Falsy, ..SDK_PY_0_3 };

pub(super) const fn recipe(form: Form) -> &'static Recipe {
    match form {
        Form::A2a10 => &A2A_1_0,
        Form::A2a10Open => &OPEN,
        Form::AsReceived => &AS_RECEIVED,
        Form::Sdk1x => &SDK_1_X,
        Form::A2a10Filled => &FILLED,
        Form::SdkPy10 => &SDK_PY_1_0,
        Form::SdkJsTyped => &SDK_JS_TYPED,
        Form::SdkPy03 => &SDK_PY_0_3,
        Form::SdkPy0322 => &SDK_PY_0_3_22,
        Form::Zeph => &ZEPH,
    }
}
