//! Every card that another implementation signed, under each of the ten forms alone and under the accepted ones.

use countersign::{CanonicalPayload, CardOutcome, Fate, Form, SignatureOutcome, SignatureReport};
use serde_json::Value;

use crate::support::{assert_table, names, names_of, read, text, trusted, vectors, verify};

/// The files of signed cards; for each, how many cards are verified, uncovered, invalid and refused by default.
const FILES: [(&str, [usize; 4]); 14] = [
    ("sdk-js-1.0.0-beta.0-instance", [65, 2, 32, 4]),
    ("sdk-js-1.0.0-beta.0-plain", [45, 2, 6, 1]),
    ("sdk-js-1.3.0-instance", [74, 15, 6, 4]),
    ("sdk-js-1.3.0-plain", [33, 12, 2, 1]),
    ("sdk-mastra-server-1.69.0", [52, 0, 0, 2]),
    ("sdk-py-0.3.22", [0, 0, 12, 1]),
    ("sdk-py-0.3.26", [0, 0, 13, 1]),
    ("sdk-py-1.0.3", [57, 4, 0, 0]),
    ("sdk-py-1.3.0", [58, 2, 0, 0]),
    ("sdk-rs-apt-0.14.1", [50, 0, 0, 2]),
    ("sdk-rs-apt-0.15.0", [42, 0, 0, 1]),
    ("sdk-rs-car-0.60.0", [1, 0, 0, 0]),
    ("sdk-rs-zeph-0.22.5", [39, 0, 8, 2]),
    ("algorithms", [35, 0, 24, 0]),
];

/// What the default forms say of a card; the place of its count.
#[derive(Clone, Copy)]
enum Verdict {
    Verified,
    /// It matches a form that leaves a security member unsigned.
    Uncovered,
    /// It matches no accepted form, or (`algorithms`) it is HS256.
    Invalid,
    /// The strict reader does not read it.
    Refused,
}

impl Verdict {
    const fn place(self) -> usize {
        match self {
            Self::Verified => 0,
            Self::Uncovered => 1,
            Self::Invalid => 2,
            Self::Refused => 3,
        }
    }
}

/// Everything the tables list.
#[derive(Default)]
struct Found {
    differing: Vec<String>,
    refused: Vec<String>,
    uncovered: Vec<String>,
}

#[test]
fn every_signed_card_verifies_under_exactly_the_forms_that_give_what_was_signed() {
    let mut found = Found::default();
    let mut counts = Vec::new();
    for (name, _) in FILES {
        let mut count = [0; 4];
        for vector in vectors(name) {
            count[judge(&vector, &mut found).place()] += 1;
        }
        counts.push((name, count));
    }
    assert!(found.differing.is_empty(), "{} differ:\n{}", found.differing.len(), found.differing.join("\n"));
    assert_table("refused-cards", found.refused);
    assert_table("uncovered", found.uncovered);
    assert_eq!(counts, FILES);
    let signed: usize =
        counts.iter().filter(|(name, _)| *name != "algorithms").flat_map(|(_, count)| count).sum();
    assert_eq!(signed, 651);
}

/// Compares one signed card with its vector, form by form, and returns what the default forms say.
fn judge(vector: &Value, found: &mut Found) -> Verdict {
    let id = text(vector, "id");
    if let Err(code) = read(text(vector, "card_text")) {
        found.refused.push(format!("{id}\t{code}"));
        return Verdict::Refused;
    }
    let mut first_accepted = None;
    for form in Form::ALL {
        let (report, payload) = last_signature(vector, form);
        if text(vector, "alg") == "HS256" {
            let unsupported = report.outcome == SignatureOutcome::Unverifiable
                && names_of(&report.codes) == "sig.algorithm-unsupported";
            if !unsupported {
                found.differing.push(format!("{id}: HS256 is {:?} {:?}", report.outcome, report.codes));
            }
            continue;
        }
        let expected = names(vector, "verifies_under", form);
        let is_signed_payload =
            vector["payload"].as_str().map(|signed| payload.as_deref() == Some(signed.as_bytes()));
        if report.form.is_some() != expected || is_signed_payload.is_some_and(|same| same != expected) {
            found.differing.push(format!(
                "{id} under {form}: expected {expected}, found {:?}, payload as signed: {is_signed_payload:?}",
                report.form
            ));
        }
        if !expected {
            if (report.outcome, names_of(&report.codes).as_str())
                != (SignatureOutcome::Invalid, "sig.invalid")
            {
                found.differing.push(format!("{id} under {form}: {:?} {:?}", report.outcome, report.codes));
            }
            continue;
        }
        let verdict = if report.outcome == SignatureOutcome::Verified {
            Verdict::Verified
        } else {
            if names_of(&report.codes) != "sig.uncovered-member" {
                found.differing.push(format!("{id} under {form}: {:?} {:?}", report.outcome, report.codes));
            }
            found.uncovered.push(format!("{id}\t{form}\t{}", fatal(&report)));
            Verdict::Uncovered
        };
        if Form::ACCEPTED.contains(&form) {
            first_accepted = first_accepted.or(Some(verdict));
        }
    }
    let verdict = first_accepted.unwrap_or(Verdict::Invalid);
    let (outcome, code) = match (text(vector, "alg"), verdict) {
        ("HS256", _) => (SignatureOutcome::Unverifiable, "sig.algorithm-unsupported"),
        (_, Verdict::Verified) => (SignatureOutcome::Verified, ""),
        (_, Verdict::Uncovered) => (SignatureOutcome::Invalid, "sig.uncovered-member"),
        (_, Verdict::Invalid | Verdict::Refused) => (SignatureOutcome::Invalid, "sig.invalid"),
    };
    let by_default = by_default(vector);
    if (by_default.outcome, names_of(&by_default.codes).as_str()) != (outcome, code) {
        found.differing.push(format!(
            "{id} by default: expected {outcome:?} {code}, found {:?} {:?}",
            by_default.outcome, by_default.codes
        ));
    }
    verdict
}

/// What is said of the last signature under one form, and the payload of that form.
fn last_signature(vector: &Value, form: Form) -> (SignatureReport, Option<Vec<u8>>) {
    let card = read(text(vector, "card_text")).unwrap();
    let payload = CanonicalPayload::of(&card, form).ok().map(|payload| payload.octets().to_vec());
    let report = match verify(card, trusted(), &[form]) {
        Ok(verified) => verified.report().clone(),
        Err(refused) => refused.report().clone(),
    };
    (report.signatures.last().unwrap().clone(), payload)
}

/// What is said of the last signature under the accepted forms; the card's answer must agree with it.
fn by_default(vector: &Value) -> SignatureReport {
    let card = read(text(vector, "card_text")).unwrap();
    let result = verify(card, trusted(), &Form::ACCEPTED);
    let report = match &result {
        Ok(verified) => verified.report(),
        Err(refused) => refused.report(),
    };
    let last = report.signatures.last().unwrap().clone();
    assert_eq!(result.is_ok(), report.outcome == CardOutcome::Verified);
    if report.signatures.len() == 1 {
        assert_eq!(result.is_ok(), last.outcome == SignatureOutcome::Verified, "{}", text(vector, "id"));
        assert_eq!(report.codes, last.codes, "{}", text(vector, "id"));
    }
    last
}

fn fatal(report: &SignatureReport) -> String {
    let fatal = report.uncovered.iter().filter(|member| member.fate == Fate::Fatal);
    fatal.map(|member| member.pointer.as_str()).collect::<Vec<_>>().join(" ")
}
