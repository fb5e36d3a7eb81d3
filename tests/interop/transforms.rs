//! Signed cards that were altered afterwards: what still verifies, and what reaches the caller unmarked.

use countersign::{Class, Form, VerifiedCard};
use serde_json::Value;

use crate::handed_on::{added, gone};
use crate::support::{assert_table, file, names, names_of, read, text, trusted, verify};

/// Alterations that a strict reader undoes or refuses although the lenient readers of the vectors do not.
const BYTE_ORDER_MARK: &str = "t39-leading-bom";

#[test]
fn an_altered_card_matches_exactly_the_forms_that_still_give_what_was_signed() {
    let (mut refused, mut differing, mut by_default) = (Vec::new(), Vec::new(), Vec::new());
    let vectors = vectors();
    for vector in &vectors {
        let id = text(vector, "id");
        if let Err(code) = read(text(vector, "card_text")) {
            refused.push(format!("{id}\t{code}"));
            continue;
        }
        for form in Form::ALL {
            let expected = if id.starts_with(BYTE_ORDER_MARK) {
                names(vector, "signed_payload_is", form)
            } else {
                names(vector, "still_equals", form) || names(vector, "other_profiles_now_equal", form)
            };
            let found = match verified(vector, &[form]) {
                Ok(card) => card.report().signatures[0].form,
                Err(report) => report.signatures[0].form,
            };
            if found != expected.then_some(form) {
                differing.push(format!("{id} under {form}: expected {expected}, found {found:?}"));
            }
        }
        by_default.push(match verified(vector, &Form::ACCEPTED) {
            Ok(card) => format!("{id}\tverified\t{}\t{}", card.payload().form(), uncovered(&card)),
            Err(report) => format!("{id}\t{}\t\t{}", report.outcome.name(), names_of(&report.codes)),
        });
    }
    assert!(differing.is_empty(), "{} differ:\n{}", differing.len(), differing.join("\n"));
    assert_table("transforms-refused", refused);
    assert_table("transforms-default", by_default);
    assert_eq!(vectors.len(), 217);
}

#[test]
fn nothing_that_was_added_or_changed_is_handed_on_unmarked() {
    let mut compared = 0;
    for vector in vectors() {
        for form in
            Form::ALL.map(|form| vec![form]).into_iter().chain([Form::ACCEPTED.to_vec(), Form::ALL.to_vec()])
        {
            let Ok(card) = verified(&vector, &form) else { continue };
            let signed: Value = serde_json::from_str(text(&vector, "payload")).unwrap();
            let added = added(&card, text(&vector, "card_text"), &signed);
            let gone = gone(&card, &signed);
            assert!(
                added.is_empty() && gone.is_empty(),
                "{} {form:?}: {added:?} {gone:?}",
                text(&vector, "id")
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 267);
}

/// A verifier cannot see that a member is gone which its form would not have covered, nor a value that its form
/// writes as the same octets. This table is what follows from each form, and no more.
#[test]
fn what_no_verifier_can_see_is_known() {
    let mut silent = Vec::new();
    for vector in vectors() {
        if vector["consumer_visible_change"] != true {
            continue;
        }
        for form in Form::ALL {
            let Ok(card) = verified(&vector, &[form]) else { continue };
            let report = card.report();
            if report.uncovered.iter().all(|member| member.class == Class::Default) {
                let warned = report.findings.iter().any(|finding| finding.code.name() == "auth.not-provable");
                let warned = if warned { "auth.not-provable" } else { "" };
                silent.push(format!("{}\t{form}\t{}\t{warned}", text(&vector, "id"), uncovered(&card)));
            }
        }
    }
    assert_table("transforms-silent", silent);
}

fn vectors() -> Vec<Value> {
    file("transforms")["vectors"].as_array().unwrap().clone()
}

fn verified(vector: &Value, forms: &[Form]) -> Result<VerifiedCard, Box<countersign::VerificationReport>> {
    let Ok(card) = read(text(vector, "card_text")) else {
        // Nothing is handed on of what cannot be read; an unsigned card stands for it.
        return Err(Box::new(verify(read("{}").unwrap(), trusted(), forms).unwrap_err().report().clone()));
    };
    verify(card, trusted(), forms).map_err(|refused| Box::new(refused.report().clone()))
}

fn uncovered(card: &VerifiedCard) -> String {
    let members = card.report().uncovered.iter();
    let named = members.map(|member| format!("{} {} {:?}", member.pointer, member.class.name(), member.fate));
    named.collect::<Vec<_>>().join(", ")
}
