//! Cards that were signed by one implementation and then re-emitted or signed again by another.

use countersign::{CanonicalPayload, Fate, Form, SignatureOutcome, SignatureReport};
use serde_json::Value;

use crate::support::{file, names, names_of, read, text, trusted, vectors, verify};

#[test]
fn a_relayed_card_verifies_only_where_the_dropped_members_are_filled_in_again() {
    let (mut filled, mut uncovered, mut lost) = (0, Vec::new(), 0);
    let vectors = vectors("relay");
    for vector in &vectors {
        let id = text(vector, "id");
        for form in Form::ALL {
            let expected = names(vector, "verifies_under", form);
            let card = read(text(vector, "card_text")).unwrap();
            let payload = CanonicalPayload::of(&card, form).ok();
            let is_signed =
                payload.is_some_and(|payload| payload.octets() == text(vector, "payload").as_bytes());
            assert_eq!(is_signed, expected, "{id} under {form}");
            let reports = reports(vector, &[form]);
            let last = reports.last().unwrap();
            assert_eq!(last.form, expected.then_some(form), "{id} under {form}");
            if expected && last.outcome != SignatureOutcome::Verified {
                assert_eq!(names_of(&last.codes), "sig.uncovered-member", "{id}");
                uncovered.push(id.to_owned());
            }
        }
        let by_default = reports(vector, &Form::ACCEPTED);
        assert_eq!(names_of(&by_default.last().unwrap().codes), "sig.invalid", "{id}");
        match vector["verifies_under"].as_array().unwrap().len() {
            0 => lost += 1,
            _ => filled += 1,
        }
    }
    assert_eq!((filled, lost, vectors.len()), (18, 38, 56));
    assert_eq!(uncovered, Vec::<String>::new());
}

/// The form that each implementation signs under.
const SIGNERS: [(&str, Form); 12] = [
    ("py-0.3.22", Form::SdkPy0322),
    ("py-0.3.26", Form::SdkPy03),
    ("py-1.0.3", Form::SdkPy10),
    ("py-1.3.0", Form::Sdk1x),
    ("js-1.0.0-beta.0/plain", Form::Sdk1x),
    ("js-1.0.0-beta.0/instance", Form::SdkJsTyped),
    ("js-1.3.0/plain", Form::Sdk1x),
    ("js-1.3.0/instance", Form::SdkJsTyped),
    ("mastra-server-1.69.0", Form::AsReceived),
    ("rs-apt-0.14.1", Form::AsReceived),
    ("rs-apt-0.15.0", Form::A2a10Open),
    ("rs-zeph-0.22.5", Form::Zeph),
];

#[test]
fn a_card_that_was_signed_again_verifies_by_its_new_entry_whatever_the_old_one_is() {
    let resigned = file("resign-and-unprotected");
    let vectors = resigned["vectors"].as_array().unwrap();
    let notes = resigned["notes"].as_array().unwrap();
    let mut counts = [0; 3];
    for (vector, note) in vectors.iter().zip(notes) {
        let (id, producer) = (text(vector, "id"), text(vector, "producer"));
        assert_eq!(producer, text(note, "producer"));
        let form = SIGNERS.iter().find(|(signer, _)| *signer == producer);
        // car-a2a signs its own re-serialization, which is what it serves.
        let form = form.map_or(Form::AsReceived, |(_, form)| *form);
        let signatures = reports(vector, &[form]);
        let last = signatures.last().unwrap();
        assert_eq!((last.form, last.outcome), (Some(form), SignatureOutcome::Verified), "{id}: {last:?}");
        assert!(
            last.uncovered.iter().all(|member| member.fate == Fate::Silent),
            "{id}: {:?}",
            last.uncovered
        );
        match text(note, "case") {
            "existing-bad" => {
                counts[0] += 1;
                assert_eq!(signatures.len(), 2, "{id}");
                assert_eq!(signatures[0].outcome, SignatureOutcome::Invalid, "{id}: {:?}", signatures[0]);
                assert_eq!(names_of(&signatures[0].codes), "sig.invalid", "{id}");
            }
            "existing-good" => {
                counts[1] += 1;
                assert_eq!(signatures.len(), 2, "{id}");
                let old = &reports(vector, &Form::ALL)[0];
                // car-a2a adds members that are false when it signs again, which the first signature did not cover.
                let expected = if producer == "rs-car-0.60.0" {
                    SignatureOutcome::Invalid
                } else {
                    SignatureOutcome::Verified
                };
                assert_eq!(old.outcome, expected, "{id}: {old:?}");
                assert_ne!(old.thumbprint, last.thumbprint, "{id}");
            }
            "unprotected-header" => {
                counts[2] += 1;
                assert_eq!(signatures.len(), 1, "{id}");
            }
            other => panic!("{id}: no such case: {other}"),
        }
    }
    assert_eq!((vectors.len(), notes.len(), counts), (36, 36, [13, 13, 10]));
}

fn reports(vector: &Value, forms: &[Form]) -> Vec<SignatureReport> {
    match verify(read(text(vector, "card_text")).unwrap(), trusted(), forms) {
        Ok(verified) => verified.report().signatures.clone(),
        Err(refused) => refused.report().signatures.clone(),
    }
}
