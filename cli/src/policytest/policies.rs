//! The policies of test files, each loaded once, and what their cases say about them as a whole.

use std::fs;
use std::path::{Path, PathBuf};

use countersign::TrustPolicy;
use countersign::policy::{CoverageGap, Mutant, PolicyCoverage, RuleAttacks};
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use super::{Decided, Suite};
use crate::failure::Stop;
use crate::output::Session;
use crate::policyfile;

/// A policy and the test files that name it.
pub(crate) struct Tested {
    /// The file, as it is found from the test file.
    pub(crate) name: String,
    pub(crate) policy: TrustPolicy,
    file: PathBuf,
    /// Places of its suites.
    suites: Vec<usize>,
}

/// Test files and their policies.
#[derive(Default)]
pub(crate) struct Policies {
    pub(crate) suites: Vec<Suite>,
    pub(crate) tested: Vec<Tested>,
}

/// What of the changes of a policy its cases notice.
pub(crate) struct Noticed {
    pub(crate) total: usize,
    /// Those that no case notices.
    pub(crate) survivors: Vec<Mutant>,
}

impl Policies {
    /// Reads a test file and the policy that it names.
    pub(crate) fn add(&mut self, path: &Path, session: &mut Session<'_>) -> Result<(), Stop> {
        let suite = Suite::read(path, session)?;
        let policy = super::beside(path, &suite.tests.policy.value);
        let file = fs::canonicalize(&policy).unwrap_or_else(|_| policy.clone());
        let place = self.suites.len();
        match self.tested.iter_mut().find(|tested| tested.file == file) {
            Some(tested) => tested.suites.push(place),
            None => {
                let loaded = policyfile::load(&policy, session)?;
                let name = policy.display().to_string();
                self.tested.push(Tested { name, policy: loaded, file, suites: vec![place] });
            }
        }
        self.suites.push(suite);
        Ok(())
    }

    /// The policy of each test file, in the order of the files.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&Suite, &Tested)> {
        let policy = |place| self.tested.iter().find(|tested| tested.suites.contains(&place));
        self.suites.iter().enumerate().filter_map(move |(place, suite)| Some((suite, policy(place)?)))
    }

    /// What no case makes use of.
    pub(crate) fn gaps(&self, tested: &Tested) -> Vec<CoverageGap> {
        let mut coverage = PolicyCoverage::default();
        for decided in self.decided(tested, &tested.policy) {
            coverage.note(&tested.policy, &decided.case.request, &decided.decision);
        }
        coverage.gaps(&tested.policy)
    }

    /// Tries every change of the policy on every case that holds without it.
    pub(crate) fn mutants(&self, tested: &Tested) -> Noticed {
        let holds: Vec<bool> = self.decided(tested, &tested.policy).iter().map(Decided::holds).collect();
        let mutants = tested.policy.mutants();
        let total = mutants.len();
        let survives = |mutant: &Mutant| {
            let changed = tested.policy.with(&mutant.change);
            let decided = self.decided(tested, &changed);
            !decided.iter().zip(&holds).any(|(decided, held)| *held && !decided.holds())
        };
        Noticed { total, survivors: mutants.into_par_iter().filter(survives).collect() }
    }

    /// What the policy says to known attacks, as of the time of its first test file.
    pub(crate) fn attacks(&self, tested: &Tested) -> Vec<RuleAttacks> {
        let first = tested.suites.first().and_then(|place| self.suites.get(*place));
        first.map(|suite| tested.policy.withstand(suite.tests.now)).unwrap_or_default()
    }

    fn decided(&self, tested: &Tested, policy: &TrustPolicy) -> Vec<Decided<'_>> {
        let suites = tested.suites.iter().filter_map(|place| self.suites.get(*place));
        suites.flat_map(|suite| suite.decide(policy)).collect()
    }
}
