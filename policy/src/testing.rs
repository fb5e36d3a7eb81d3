//! Tests of a policy: cases with what is expected of them, what they make use of, and what they would not notice.

mod attacks;
mod coverage;
mod expect;
mod mutants;

use crate::{AdmissionRequest, Placed, PolicyFile, PolicyPlace, UnixTime};
pub use attacks::{Attack, AttackAnswer, AttackTrial, HeldByProgram, RuleAttacks};
pub use coverage::{CoverageGap, GapKind, PolicyCoverage};
pub use expect::{Difference, Expectation, ExpectedCodes, usable_interfaces};
pub use mutants::Mutant;

/// A test file: a policy and cases. It holds the time, so a run reads no clock.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyTests {
    /// The policy, relative to the folder of the test file.
    pub policy: Placed<String>,
    /// The time that counts as now where a case does not say otherwise.
    pub now: UnixTime,
    /// The cases, at least one, in the order of the file.
    pub cases: Vec<PolicyCase>,
    /// The test file.
    pub file: PolicyFile,
}

/// A card, a request, and what is expected of the decision.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyCase {
    /// Its name, like that of no other case of the file.
    pub name: String,
    /// The file of the card, relative to the folder of the test file.
    pub card: Placed<String>,
    /// What is changed in the card before it is admitted: the JSON text of a patch (RFC 6902).
    pub patch: Option<Placed<String>>,
    /// What is asked.
    pub request: AdmissionRequest,
    /// Files with endorsements, relative to the folder of the test file.
    pub endorsements: Vec<Placed<String>>,
    /// The time that counts as now.
    pub now: UnixTime,
    /// What is expected.
    pub expect: Expectation,
    /// Where it is written.
    pub place: PolicyPlace,
}
