//! The right members in the wrong octets: another form, another writer, another signing input, another header text.

use countersign_keys::base64url;
use countersign_keys::json::{Document, Limits, Value};
use countersign_keys::jws::signing_input;

use super::Cause;
use super::trial::{Fit, Trial, Tried};
use crate::canonical::{Form, OtherText, SignaturesMember, Variation};

/// Most signature checks that are spent on protected headers.
const MAX_HEADER_CHECKS: usize = 64;

/// Most members of a header of which other orders are tried.
const MAX_HEADER_MEMBERS: usize = 16;

/// Orders in which signers write the members that nearly every header has.
const HEADER_ORDERS: [[&str; 3]; 6] = [
    ["alg", "typ", "kid"],
    ["alg", "kid", "typ"],
    ["typ", "alg", "kid"],
    ["kid", "alg", "typ"],
    ["typ", "kid", "alg"],
    ["kid", "typ", "alg"],
];

pub(super) fn form_not_accepted(trial: &mut Trial<'_>) -> Tried<Option<Fit>> {
    let [accepted, others] = trial.forms.clone();
    // What the accepted forms give was checked by the verification; after this it counts as tried.
    for form in accepted {
        trial.fits(trial.card, form, &Variation::default())?;
    }
    for form in others {
        if trial.fits(trial.card, form, &Variation::default())? {
            let message = format!("it verifies {}; signed so by {}", trial.under(form), form.signers());
            return Ok(Some(Fit::new(Cause::FormNotAccepted, form, message)));
        }
    }
    Ok(None)
}

pub(super) fn written_otherwise(trial: &mut Trial<'_>) -> Tried<Option<Fit>> {
    let (of_rfc8785, of_python): (Vec<Form>, Vec<Form>) =
        trial.all_forms().into_iter().partition(|form| form.is_rfc8785());
    let code_points = "the members were sorted by code points (as UTF-8 sorts), not by UTF-16 code units";
    let escapes = "text and numbers were written as Python's json.dumps writes them, with `\\u` escapes";
    let numbers = "a number is spelled otherwise than when it was signed (such as `1` for `1.0`), which only Python's \
                   forms notice";
    let suppositions = [
        (OtherText::CodePointOrder, &of_rfc8785, Cause::CodePointOrder, code_points),
        (OtherText::PythonEscapes, &of_rfc8785, Cause::PythonEscapes, escapes),
        (OtherText::PythonFloats, &of_python, Cause::NumberRespelled, numbers),
        (OtherText::PythonShortNumbers, &of_python, Cause::NumberRespelled, numbers),
    ];
    for (text, forms, cause, what) in suppositions {
        let variation = Variation { text: Some(text), ..Variation::default() };
        for form in forms {
            if trial.fits(trial.card, *form, &variation)? {
                let message = format!("{what}; apart from that it verifies {}", trial.under(*form));
                return Ok(Some(Fit::new(cause, *form, message)));
            }
        }
    }
    Ok(None)
}

pub(super) fn payload_not_base64url(trial: &mut Trial<'_>) -> Tried<Option<Fit>> {
    for form in trial.all_forms() {
        let Some(payload) = trial.payload(trial.card, form, &Variation::default())? else { continue };
        let input = [trial.protected.as_bytes(), b".", &payload].concat();
        if trial.fits_input(&input)? {
            let message = format!(
                "it was made over the payload itself, not over its base64url text; apart from that it verifies {}",
                trial.under(form)
            );
            return Ok(Some(Fit::new(Cause::PayloadNotBase64url, form, message)));
        }
    }
    Ok(None)
}

/// `signatures` as it may have been when `entry` was made: without it and those after it, without it only, empty.
pub(super) fn signed_with_signatures(trial: &mut Trial<'_>, entry: Value<'_>) -> Tried<Option<Fit>> {
    let list = trial.card.root().member("signatures");
    let all: Vec<_> = list.into_iter().flat_map(Value::elements).map(Value::id).collect();
    let from_here = all.iter().copied().filter(|id| *id >= entry.id()).collect();
    let suppositions = [
        ("the signatures before this one", from_here),
        ("the other signatures", vec![entry.id()]),
        ("an empty `signatures`", all),
    ];
    for (with, withheld) in suppositions {
        let variation =
            Variation { withheld, signatures: SignaturesMember::Included, ..Variation::default() };
        for form in trial.all_forms() {
            if trial.fits(trial.card, form, &variation)? {
                let message = format!(
                    "it was made over the card with {with}; apart from that it verifies {}",
                    trial.under(form)
                );
                return Ok(Some(Fit::new(Cause::SignedWithSignatures, form, message)));
            }
        }
    }
    Ok(None)
}

pub(super) fn header_reserialized(trial: &mut Trial<'_>) -> Tried<Option<Fit>> {
    let headers = other_headers(trial.protected);
    trial.within(MAX_HEADER_CHECKS, |trial| {
        let [accepted, _] = trial.forms.clone();
        for form in accepted {
            let Some(payload) = trial.payload(trial.card, form, &Variation::default())? else { continue };
            for header in &headers {
                if trial.fits_input(&signing_input(&base64url::encode(header.as_bytes()), &payload))? {
                    let message = format!(
                        "the protected header was written anew; as `{header}` it verifies {}",
                        trial.under(form)
                    );
                    return Ok(Some(Fit::new(Cause::HeaderReserialized, form, message)));
                }
            }
        }
        Ok(None)
    })
}

/// The header in other orders and with other spaces; none for a header that cannot be read.
fn other_headers(protected: &str) -> Vec<String> {
    let document =
        base64url::decode(protected).ok().and_then(|octets| Document::read(octets, &Limits::default()).ok());
    let Some(document) = document else { return Vec::new() };
    let received: Vec<(String, &str)> = document.root().members().map(written).collect();
    if received.len() > MAX_HEADER_MEMBERS {
        return Vec::new();
    }
    let mut sorted = received.clone();
    sorted.sort();
    let mut orders = vec![received.clone(), sorted];
    for names in HEADER_ORDERS {
        let mut order = received.clone();
        order.sort_by_key(|(name, _)| {
            names.iter().position(|known| name == &format!("\"{known}\"")).unwrap_or(names.len())
        });
        orders.push(order);
    }
    let layouts = [(",", ":"), (", ", ": ")];
    let text = |order: &[(String, &str)], (comma, colon): (&str, &str)| {
        let members: Vec<_> = order.iter().map(|(name, value)| [name, colon, value].concat()).collect();
        format!("{{{}}}", members.join(comma))
    };
    orders.iter().flat_map(|order| layouts.map(|layout| text(order, layout))).collect()
}

fn written<'d>((name, value): (&'d str, Value<'d>)) -> (String, &'d str) {
    let mut token = Vec::new();
    countersign_keys::jcs::write_text(name, &mut token);
    (String::from_utf8_lossy(&token).into_owned(), value.raw())
}

#[cfg(test)]
mod tests {
    use super::other_headers;
    use countersign_keys::base64url;

    #[test]
    fn a_header_is_tried_in_the_orders_and_with_the_spaces_of_known_signers() {
        let headers = other_headers(&base64url::encode(br#"{"kid":"k","alg":"ES256","typ":"JOSE","x":1}"#));
        for expected in [
            r#"{"alg":"ES256","kid":"k","typ":"JOSE","x":1}"#,
            r#"{"kid": "k", "alg": "ES256", "typ": "JOSE", "x": 1}"#,
            r#"{"alg": "ES256", "typ": "JOSE", "kid": "k", "x": 1}"#,
        ] {
            assert!(headers.iter().any(|header| header == expected), "{expected}");
        }
    }

    #[test]
    fn the_number_of_headers_does_not_grow_with_the_header() {
        let members: Vec<String> = (0..200).map(|index| format!("\"m{index}\":1")).collect();
        assert!(
            other_headers(&base64url::encode(format!("{{{}}}", members.join(",")).as_bytes())).is_empty()
        );
        assert_eq!(other_headers(&base64url::encode(br#"{"alg":1}"#)).len(), 16);
    }
}
