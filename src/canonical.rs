//! Canonical forms: the named ways from a received card to the octets that a signer signs.
//!
//! A form is applied to the tree as it was received, without its top-level member `signatures`. It never invents a
//! member (except `a2a-1.0-filled`) and never changes a value. Which members have no image in the payload is
//! recorded while the form is applied: that is what a signature under this form does not cover.

mod apply;
mod python;
mod recipe;

use std::fmt;
use std::str::FromStr;

use countersign_keys::json::{Ancestry, NodeId, Value};
use countersign_keys::{Code, jcs};

use crate::card::UntrustedCard;
use crate::codes;
pub(crate) use apply::{Because, Lost};

/// The name of a canonical form, in the order in which forms are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Form {
    /// A2A 1.0 §8.4.1: presence by schema, unknown members dropped, RFC 8785. The form the specification describes.
    A2a10,
    /// The same with unknown members kept; camelCase names only.
    A2a10Open,
    /// RFC 8785 of what was received; nothing dropped. The only form that countersign signs for 0.3 cards.
    AsReceived,
    /// What a2a-python from 1.1.4 and a2a-js from 1.0.1 sign: by schema, then every `""`, `[]`, `{}` and null removed.
    Sdk1x,
    /// `a2a-1.0` with absent REQUIRED members at their default: for cards that an SDK re-emitted after signing.
    A2a10Filled,
    /// What a2a-python 1.0.0 to 1.1.3 sign: as `sdk-1.x`, written by Python's JSON module.
    SdkPy10,
    /// What a2a-js signs when it is given a typed object: `sdk-1.x` without `securitySchemes`.
    SdkJsTyped,
    /// What a2a-python 0.3.24 to 0.3.26 sign: the 0.3 model without defaults and empties, Python's JSON.
    SdkPy03,
    /// What a2a-python 0.3.22 and 0.3.23 sign: the same with every falsy value removed.
    SdkPy0322,
    /// What zeph-a2a signs: received JSON without members equal to `""`, `false`, `0`, `[]` or `{}`.
    Zeph,
}

impl Form {
    /// Every form, in the order in which they are tried.
    pub const ALL: [Self; 10] = [
        Self::A2a10,
        Self::A2a10Open,
        Self::AsReceived,
        Self::Sdk1x,
        Self::A2a10Filled,
        Self::SdkPy10,
        Self::SdkJsTyped,
        Self::SdkPy03,
        Self::SdkPy0322,
        Self::Zeph,
    ];

    /// The forms that are accepted unless the caller says otherwise.
    pub const ACCEPTED: [Self; 5] =
        [Self::A2a10, Self::A2a10Open, Self::AsReceived, Self::Sdk1x, Self::SdkPy10];

    /// The forms that countersign signs under.
    pub const SIGNABLE: [Self; 5] = Self::ACCEPTED;

    /// Its public name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::A2a10 => "a2a-1.0",
            Self::A2a10Open => "a2a-1.0-open",
            Self::AsReceived => "as-received",
            Self::Sdk1x => "sdk-1.x",
            Self::A2a10Filled => "a2a-1.0-filled",
            Self::SdkPy10 => "sdk-py-1.0",
            Self::SdkJsTyped => "sdk-js-typed",
            Self::SdkPy03 => "sdk-py-0.3",
            Self::SdkPy0322 => "sdk-py-0.3.22",
            Self::Zeph => "zeph",
        }
    }

    /// Who makes signatures under this form.
    #[must_use]
    pub const fn signers(self) -> &'static str {
        match self {
            Self::A2a10 => "the A2A 1.0 specification",
            Self::A2a10Open => "a2a-protocol-types 0.15",
            Self::AsReceived => "Mastra, a2a-protocol-types 0.14 and others, countersign for 0.3 cards",
            Self::Sdk1x => "a2a-python from 1.1.4, a2a-js from 1.0.1",
            Self::A2a10Filled => "signers of a2a-1.0 whose card an SDK re-emitted",
            Self::SdkPy10 => "a2a-python 1.0.0 to 1.1.3",
            Self::SdkJsTyped => "a2a-js given a typed object",
            Self::SdkPy03 => "a2a-python 0.3.24 to 0.3.26",
            Self::SdkPy0322 => "a2a-python 0.3.22 and 0.3.23",
            Self::Zeph => "zeph-a2a",
        }
    }

    /// Whether its octets are those of RFC 8785, rather than Python's.
    pub(crate) fn is_rfc8785(self) -> bool {
        recipe::recipe(self).script == recipe::Script::Rfc8785
    }

    /// Whether countersign signs under it.
    #[must_use]
    pub fn is_signable(self) -> bool {
        Self::SIGNABLE.contains(&self)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no canonical form, expected one of {}", Form::ALL.map(Form::name).join(", "))]
#[non_exhaustive]
pub struct UnknownForm {
    /// The text.
    pub found: String,
}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(name: &str) -> Result<Self, UnknownForm> {
        Self::ALL
            .into_iter()
            .find(|form| form.name() == name)
            .ok_or_else(|| UnknownForm { found: name.to_owned() })
    }
}

/// A card has no octets under a form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the card has no canonical form `{form}`: the security scheme at `{pointer}` has no `type` that A2A 0.3 knows"
)]
#[non_exhaustive]
pub struct NoCanonicalForm {
    /// The form.
    pub form: Form,
    /// JSON Pointer of the member that does not fit.
    pub pointer: String,
}

impl NoCanonicalForm {
    /// The public code.
    #[must_use]
    pub fn code(&self) -> Code {
        codes::SIG_FORM_NOT_ACCEPTED
    }
}

/// The octets of a card under one form, and which members have no image in them.
#[derive(Clone, Debug)]
pub struct CanonicalPayload {
    form: Form,
    octets: Vec<u8>,
    pub(crate) lost: Vec<Lost>,
    /// Whether the payload holds names that the received card spells otherwise, or members that it does not hold.
    pub(crate) respelled: Respelled,
}

/// Whether reading the payload gives other member names or more members than the received card has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Respelled {
    No,
    Yes,
}

impl CanonicalPayload {
    /// Applies `form` to the card without its top-level `signatures`.
    ///
    /// # Errors
    ///
    /// [`NoCanonicalForm`] when the form cannot express the card: only the two `sdk-py-0.3` forms refuse, and only
    /// security schemes that are not of A2A 0.3.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{CanonicalPayload, Form, Limits, UntrustedCard};
    ///
    /// let card = UntrustedCard::read(r#"{"name": "Agent", "x-note": 1, "skills": []}"#, &Limits::default())?;
    /// assert_eq!(CanonicalPayload::of(&card, Form::A2a10)?.octets(), br#"{"name":"Agent","skills":[]}"#);
    /// assert_eq!(CanonicalPayload::of(&card, Form::Sdk1x)?.octets(), br#"{"name":"Agent"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(card: &UntrustedCard, form: Form) -> Result<Self, NoCanonicalForm> {
        apply::apply(card, form)
    }

    /// The form.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The octets that a signature under this form is made over, before base64url.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        &self.octets
    }

    pub(crate) fn into_octets(self) -> Vec<u8> {
        self.octets
    }

    /// JSON Pointers of the members of `card` that have no image in the payload, in the order of the form. `card` must
    /// be the card that the payload was made of. Nothing inside a member that is named has an image either. At most as
    /// many are named as fit into the size of the card, or into 256 KiB.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{CanonicalPayload, Form, Limits, UntrustedCard};
    ///
    /// let card = UntrustedCard::read(r#"{"name": "Agent", "x-note": {"a": 1}}"#, &Limits::default())?;
    /// assert_eq!(CanonicalPayload::of(&card, Form::A2a10)?.left_out(&card), ["/x-note"]);
    /// assert!(CanonicalPayload::of(&card, Form::AsReceived)?.left_out(&card).is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn left_out(&self, card: &UntrustedCard) -> Vec<String> {
        let ancestry = Ancestry::of(card.document(), self.lost.len());
        let mut budget = crate::coverage::pointer_budget(card);
        let pointers = self.lost.iter().map_while(|lost| {
            let pointer = ancestry.pointer(lost.value);
            budget = budget.checked_sub(pointer.len())?;
            Some(pointer)
        });
        pointers.collect()
    }
}

/// What is handed on of a card: the payload's tree under `form`, with the values in `kept` although they have no
/// image in the payload, and without the values in `withheld` although they have one. RFC 8785 octets, whatever the
/// form writes.
pub(crate) fn handed_on(card: &UntrustedCard, form: Form, kept: &[NodeId], withheld: &[NodeId]) -> Vec<u8> {
    apply::handed_on(card, form, kept, withheld)
}

/// The octets of `card` under `a2a-1.0-open`, which tells cards apart that mean something else and no others.
pub(crate) fn open_octets(card: Value<'_>) -> Vec<u8> {
    apply::octets(card, Form::A2a10Open)
}

/// Whether every signable form writes this string, number, boolean or null with the same octets.
pub(crate) fn is_written_alike(scalar: Value<'_>) -> bool {
    let (mut rfc8785, mut python) = (Vec::new(), Vec::new());
    jcs::write_scalar(scalar, &mut rfc8785);
    python::write_scalar(scalar, recipe::Integers::AreFloats, &mut python);
    rfc8785 == python
}

/// How octets differ from those that a form gives: what a diagnosis supposes, never what a signature is accepted over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variation {
    /// Values that are left out.
    pub(crate) withheld: Vec<NodeId>,
    pub(crate) signatures: SignaturesMember,
    /// Another way to write text and order members than the form's.
    pub(crate) text: Option<OtherText>,
}

/// Whether the top-level member `signatures` is part of the payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SignaturesMember {
    #[default]
    LeftOut,
    Included,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherText {
    /// As RFC 8785 writes it, with members in the order of code points.
    CodePointOrder,
    /// As Python's `json.dumps(sort_keys=True, separators=(",", ":"))` writes it.
    PythonEscapes,
    /// The same with every number as a float: `1` as `1.0`.
    PythonFloats,
    /// The same with every number as ECMAScript writes it: `1.0` as `1`.
    PythonShortNumbers,
}

/// The octets of `card` under `form`, varied; none where the form has none.
pub(crate) fn varied(card: &UntrustedCard, form: Form, variation: &Variation) -> Option<Vec<u8>> {
    apply::varied(card, form, variation)
}
