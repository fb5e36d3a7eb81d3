//! The documents of a run, read back: `countersign.decision/1` and `countersign.failure/1`, which this program wrote.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

/// What one document says.
#[derive(Debug)]
pub(super) enum Document {
    Decision(Box<Decision>),
    /// No card was there to decide on.
    Failure(Failure),
    /// It is neither: a fault of this program, which must not look like an admission.
    Unknown {
        text: String,
    },
}

/// How an agent came out of the run, best last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Standing {
    NotFetched,
    Denied,
    NotEnforced,
    Admitted,
}

#[derive(Debug, Deserialize)]
pub(super) struct Decision {
    #[serde(default)]
    pub(super) input: String,
    pub(super) outcome: String,
    pub(super) enforced: bool,
    pub(super) reasons: Vec<Reason>,
    #[serde(default)]
    pub(super) waived: Vec<Waived>,
    pub(super) audit: Option<Audit>,
    pub(super) rule: Option<String>,
    pub(super) subject: Subject,
    pub(super) card: Card,
    pub(super) signature_level: Option<String>,
    #[serde(default)]
    pub(super) signatures: Vec<Signature>,
    #[serde(default)]
    pub(super) interfaces: Vec<Interface>,
    pub(super) selected: Option<Selected>,
    #[serde(default)]
    pub(super) uncovered: Vec<Uncovered>,
    #[serde(default)]
    pub(super) credentials: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) findings: Vec<Finding>,
    #[serde(default)]
    pub(super) trace: Vec<Step>,
    #[serde(default)]
    pub(super) not_checked: Vec<String>,
    pub(super) explanation: Option<Explanation>,
    pub(super) why_not: Option<String>,
    #[serde(default)]
    pub(super) cache: String,
    pub(super) evaluated_at: String,
    pub(super) expires_at: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Failure {
    #[serde(default)]
    pub(super) input: String,
    #[serde(default, deserialize_with = "or_empty")]
    pub(super) code: String,
    pub(super) message: String,
    pub(super) help: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Reason {
    pub(super) code: String,
    pub(super) message: String,
    pub(super) pointer: Option<String>,
    pub(super) value: Option<String>,
    pub(super) span: Option<String>,
    pub(super) nearest: Option<Nearest>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Nearest {
    pub(super) pattern: String,
    pub(super) span: String,
    pub(super) why: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Waived {
    pub(super) exception: String,
    #[serde(flatten)]
    pub(super) reason: Reason,
}

#[derive(Debug, Deserialize)]
pub(super) struct Audit {
    pub(super) reason: String,
    pub(super) until: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Subject {
    pub(super) url: String,
    pub(super) source: String,
    pub(super) tenant: Option<String>,
    #[serde(rename = "use")]
    pub(super) purpose: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Card {
    pub(super) sha256: Option<String>,
    pub(super) payload_sha256: Option<String>,
    pub(super) name: Option<String>,
    pub(super) version: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Signature {
    pub(super) index: usize,
    pub(super) endorsement: Option<String>,
    pub(super) kid: Option<String>,
    pub(super) alg: Option<String>,
    pub(super) outcome: String,
    pub(super) reasons: Vec<Reason>,
    pub(super) key: Option<String>,
    pub(super) form: Option<String>,
    pub(super) counts: bool,
}

#[derive(Debug, Deserialize)]
pub(super) struct Interface {
    pub(super) index: usize,
    pub(super) version: Option<String>,
    pub(super) binding: Option<String>,
    pub(super) url: Option<String>,
    pub(super) tenant: Option<String>,
    pub(super) outcome: String,
    pub(super) reasons: Vec<Reason>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Selected {
    pub(super) index: usize,
}

#[derive(Debug, Deserialize)]
pub(super) struct Uncovered {
    pub(super) pointer: String,
    pub(super) class: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Finding {
    pub(super) code: String,
    pub(super) level: String,
    pub(super) pointer: Option<String>,
    pub(super) message: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Step {
    pub(super) step: String,
    pub(super) picked: Option<String>,
    pub(super) why: String,
    pub(super) span: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Explanation {
    pub(super) changes: Vec<String>,
}

#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl Document {
    pub(super) fn read(line: &str) -> Self {
        let schema = serde_json::from_str(line).map(|head: Head| head.schema);
        let read = match schema.as_deref() {
            Ok("countersign.decision/1") => serde_json::from_str(line).map(Self::Decision).ok(),
            Ok("countersign.failure/1") => serde_json::from_str(line).map(Self::Failure).ok(),
            _ => None,
        };
        read.unwrap_or_else(|| Self::Unknown { text: line.to_owned() })
    }

    pub(super) fn standing(&self) -> Standing {
        match self {
            Self::Decision(decision) => match (&*decision.outcome, decision.enforced) {
                ("admit", _) => Standing::Admitted,
                ("deny", false) => Standing::NotEnforced,
                _ => Standing::Denied,
            },
            Self::Failure(_) | Self::Unknown { .. } => Standing::NotFetched,
        }
    }

    /// The decision, if there is one.
    pub(super) fn decision(&self) -> Option<&Decision> {
        match self {
            Self::Decision(decision) => Some(decision),
            Self::Failure(_) | Self::Unknown { .. } => None,
        }
    }

    pub(super) fn is_from_cache(&self) -> bool {
        self.decision().is_some_and(|decision| decision.cache == "hit")
    }
}

impl Standing {
    pub(super) const ALL: [Self; 4] = [Self::NotFetched, Self::Denied, Self::NotEnforced, Self::Admitted];

    /// The value of `data-outcome`.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::NotFetched => "not-fetched",
            Self::Denied => "denied",
            Self::NotEnforced => "not-enforced",
            Self::Admitted => "admitted",
        }
    }

    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::NotFetched => "not fetched",
            Self::Denied => "denied",
            Self::NotEnforced => "not enforced",
            Self::Admitted => "admitted",
        }
    }
}

/// A failure without a code has `null` there.
fn or_empty<'d, D: Deserializer<'d>>(from: D) -> Result<String, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use super::{Document, Standing};

    #[test]
    fn a_failure_needs_no_code() {
        let line = r#"{"schema":"countersign.failure/1","input":"https://a.example","code":null,"message":"m","help":null}"#;
        assert!(matches!(Document::read(line), Document::Failure(failure) if failure.code.is_empty()));
    }

    #[test]
    fn what_is_no_document_is_not_admitted() {
        for line in ["", "{", "[]", r#"{"schema":"countersign.decision/2","outcome":"admit"}"#] {
            let document = Document::read(line);
            assert!(matches!(document, Document::Unknown { .. }), "{line}");
            assert_eq!(document.standing(), Standing::NotFetched);
        }
    }

    #[test]
    fn an_outcome_of_another_name_is_a_denial() {
        let line = r#"{"schema":"countersign.decision/1","outcome":"perhaps","enforced":true,"reasons":[],
            "subject":{"url":"https://a.example","source":"url"},"card":{},"evaluated_at":"","expires_at":""}"#;
        assert_eq!(Document::read(line).standing(), Standing::Denied);
    }
}
