//! Test files of policies: their cases with the cards, ready to be decided under any policy.

mod patch;
mod policies;

use std::path::{Path, PathBuf};

use countersign::policy::{CardFacts, Difference, FactFault, PolicyCase, PolicyTests};
use countersign::{CardError, Code, Decision, Endorsement, Limits, TrustPolicy, UntrustedCard, codes};

use crate::endorsement;
use crate::failure::{Failure, Stop};
use crate::input::{Found, Input, Named, Source};
use crate::output::Session;
use crate::policyfile;
pub(crate) use policies::{Noticed, Policies};

/// Longest test file, in octets.
const MAX_FILE_OCTETS: usize = 4 * 1024 * 1024;

/// A test file with everything that it names but the policy.
pub(crate) struct Suite {
    /// The test file, as it was given.
    pub(crate) name: String,
    pub(crate) tests: PolicyTests,
    pub(crate) cases: Vec<Ready>,
}

/// A case that needs nothing more from outside.
pub(crate) struct Ready {
    pub(crate) case: PolicyCase,
    card: Card,
    endorsements: Vec<Endorsement>,
    limits: Limits,
}

/// What is admitted.
enum Card {
    /// Octets that were read once.
    Readable(Vec<u8>),
    /// No card, and why.
    Unreadable(FactFault),
}

/// A case and what was decided.
pub(crate) struct Decided<'s> {
    pub(crate) case: &'s PolicyCase,
    pub(crate) decision: Decision,
    pub(crate) differences: Vec<Difference>,
}

impl Suite {
    /// Reads a test file and its cards.
    pub(crate) fn read(path: &Path, session: &mut Session<'_>) -> Result<Self, Stop> {
        let limits = session.limits.with_max_octets(MAX_FILE_OCTETS);
        let octets = Input::single(path).octets(&limits)?;
        let name = path.display().to_string();
        if octets.len() > MAX_FILE_OCTETS {
            let message = format!("`{name}` has more than {MAX_FILE_OCTETS} octets");
            return Err(Failure::usage(message).into());
        }
        let text =
            String::from_utf8(octets).map_err(|_| Failure::usage(format!("`{name}` is not in UTF-8")))?;
        let known: Vec<Code> = codes::registry().collect();
        let tests = match PolicyTests::read(&text, &name, &known) {
            Ok(tests) => tests,
            Err(error) => {
                policyfile::tell(&error, path, session)?;
                return Err(Failure::usage(format!(
                    "`{name}` is no test file: {}",
                    policyfile::faults(&error)
                ))
                .into());
            }
        };
        let cases = tests.cases.iter().map(|case| Ready::read(case, path, session));
        let cases = cases.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { name, tests, cases })
    }

    /// Decides every case under a policy.
    pub(crate) fn decide(&self, policy: &TrustPolicy) -> Vec<Decided<'_>> {
        let decided = self.cases.iter().map(|ready| {
            let decision = ready.decide(policy);
            Decided { case: &ready.case, differences: ready.case.expect.matches(&decision), decision }
        });
        decided.collect()
    }
}

impl Ready {
    fn read(case: &PolicyCase, tests: &Path, session: &Session<'_>) -> Result<Self, Failure> {
        let at =
            |failure: Failure| Failure { message: format!("{}: {}", case.place, failure.message), ..failure };
        let card = Self::card(case, tests, session).map_err(at)?;
        let files = case.endorsements.iter().map(|file| endorsement::read(&beside(tests, &file.value)));
        let endorsements = files.collect::<Result<Vec<_>, _>>().map_err(at)?;
        let case = case.clone();
        Ok(Self { case, card, endorsements, limits: session.limits })
    }

    fn card(case: &PolicyCase, tests: &Path, session: &Session<'_>) -> Result<Card, Failure> {
        let source = Source::File(beside(tests, &case.card.value));
        let found = Input { source, named: Named::Itself }.read(session)?;
        match (found, &case.patch) {
            (Found::Card(card), None) => Ok(Card::Readable(card.octets().to_vec())),
            (Found::Card(card), Some(patch)) => {
                let patched = patch::apply(card.octets(), &patch.value);
                let octets = patched.map_err(|why| {
                    Failure::usage(format!("`{}` cannot be patched: {why}", case.card.value))
                })?;
                Ok(match UntrustedCard::read(octets.clone(), &session.limits) {
                    Ok(_) => Card::Readable(octets),
                    Err(error) => Card::Unreadable(fault(&error)),
                })
            }
            (Found::Unreadable { failure, pointer }, None) => match failure.code {
                Some(code) => {
                    let message = failure.message;
                    Ok(Card::Unreadable(FactFault { code, message, pointer: Some(pointer) }))
                }
                None => Err(failure),
            },
            (Found::Unreadable { failure, .. }, Some(_)) => {
                let message =
                    format!("`{}` cannot be patched, it is no card: {}", case.card.value, failure.message);
                Err(Failure::usage(message).with_help("a case without `patch` takes any octets"))
            }
        }
    }

    /// Admits the card under a policy.
    pub(crate) fn decide(&self, policy: &TrustPolicy) -> Decision {
        let (request, now) = (&self.case.request, self.case.now);
        let octets = match &self.card {
            Card::Readable(octets) => octets,
            Card::Unreadable(fault) => return self.unreadable(policy, fault.clone()),
        };
        match UntrustedCard::read(octets.clone(), &self.limits) {
            Ok(card) => match card.admit(policy, request, &self.endorsements, now) {
                Ok(admitted) => admitted.decision().clone(),
                Err(denied) => denied.decision().clone(),
            },
            Err(error) => self.unreadable(policy, fault(&error)),
        }
    }

    /// A card that could not be read is denied, for nothing else.
    fn unreadable(&self, policy: &TrustPolicy, fault: FactFault) -> Decision {
        let code = fault.code;
        let mut facts = CardFacts::default();
        facts.unusable = Some(fault);
        let mut decision = policy.evaluate(&self.case.request, &facts, self.case.now);
        decision.reasons.retain(|reason| reason.code == code);
        decision.enforced = true;
        decision
    }
}

impl Decided<'_> {
    pub(crate) fn holds(&self) -> bool {
        self.differences.is_empty()
    }
}

/// A file that a test file names.
fn beside(tests: &Path, name: &str) -> PathBuf {
    tests.parent().map_or_else(|| PathBuf::from(name), |folder| folder.join(name))
}

fn fault(error: &CardError) -> FactFault {
    FactFault { code: error.code(), message: error.to_string(), pointer: Some(error.pointer().to_owned()) }
}
