//! The canonical forms, held against 65 base cards whose payloads were computed outside this project.

use countersign::{CanonicalPayload, Form, Limits, UntrustedCard};
use serde_json::Value;

#[path = "support/profiles.rs"]
mod profiles;

use profiles::profile;

/// Base cards that the strict reader refuses, with its code: what the other profiles say of them does not matter.
const REFUSED: [(&str, &str); 5] = [
    ("v1-duplicate-key", "json.duplicate-member"),
    ("v1-params-big-int", "json.inexact-number"),
    ("v1-lone-surrogate", "json.invalid-unicode"),
    ("v1-lone-surrogate-params", "json.invalid-unicode"),
    ("v03-ext-params", "json.inexact-number"),
];

/// A payload that was computed and never signed, and what a2a-python 1.0.3 signs instead: it reads `-0` as the integer
/// 0, `-0.0` as a negative zero.
const CORRECTED: (&str, Form, &str, &str) =
    ("v1-params-neg-zero", Form::SdkPy10, r#"{"a":-0.0,"b":-0.0,"#, r#"{"a":0.0,"b":-0.0,"#);

#[test]
fn every_base_card_has_the_payload_of_its_vector_under_every_form() {
    let file = std::fs::read_to_string("tests/vectors/interop/vectors/base-canonical.json").unwrap();
    let file: Value = serde_json::from_str(&file).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    let mut compared = 0;
    let mut refused = Vec::new();
    let mut differing = Vec::new();
    for vector in vectors {
        let id = vector["id"].as_str().unwrap();
        let card = match UntrustedCard::read(vector["card_text"].as_str().unwrap(), &Limits::default()) {
            Ok(card) => card,
            Err(error) => {
                refused.push((id, error.code().name()));
                continue;
            }
        };
        let payloads = vector["payloads"].as_array().unwrap();
        for form in Form::ALL {
            let expected = vector["profile_payload"][profile(form)].as_u64();
            let expected = expected.map(|index| payloads[usize::try_from(index).unwrap()].as_str().unwrap());
            let expected = expected.map(|payload| corrected(id, form, payload));
            let payload = CanonicalPayload::of(&card, form).ok();
            let found = payload.as_ref().map(|payload| str::from_utf8(payload.octets()).unwrap().to_owned());
            if found != expected {
                differing.push(format!("{id} under {form}:\n  expected {expected:?}\n  found    {found:?}"));
            }
            compared += 1;
        }
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert_eq!(refused, REFUSED);
    assert_eq!(compared, (65 - REFUSED.len()) * 10);
}

fn corrected(id: &str, form: Form, payload: &str) -> String {
    let (corrected_id, corrected_form, computed, signed) = CORRECTED;
    if (id, form) != (corrected_id, corrected_form) {
        return payload.to_owned();
    }
    assert_eq!(payload.matches(computed).count(), 1, "the correction of {id} fits no more");
    payload.replace(computed, signed)
}
