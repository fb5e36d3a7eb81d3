//! One policy, with the files that it names.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use countersign::policy::{PolicyError, PolicyFile, PolicyFinding, PolicyLintTerms};
use countersign::{Finding, PolicyFolder, TOOL, TrustPolicy};

use super::{Linting, Looked, LookedFile, Repair};
use crate::failure::Failure;
use crate::input::{Input, Named, Source};
use crate::output::{self, Replaced};
use crate::policyfile;

/// Longest policy that is read from standard input, in octets.
const MAX_OCTETS: u64 = 1024 * 1024;

/// Loads a policy and lints it. What makes it unusable is a finding; a file that is not there is none.
pub(super) fn look(linting: &Linting<'_>, input: &Input) -> Looked {
    let (loaded, folder) = match &input.source {
        Source::Standard => match standard() {
            Ok(text) => (TrustPolicy::read(&text, &input.name(), &TOOL), None),
            Err(failure) => return Looked::Unread(failure),
        },
        Source::File(path) => {
            if let Err(error) = File::open(path) {
                return Looked::Unread(Failure::reading(path, &error));
            }
            let folder = PolicyFolder::of(path);
            (TrustPolicy::load(folder.name(), &folder, &TOOL), Some(folder))
        }
    };
    let policy = match loaded {
        Ok(policy) => policy,
        Err(error) => return Looked::Read(faults(&error, &input.name())),
    };
    let mut terms = PolicyLintTerms::at(linting.now);
    terms.levels = linting.levels.clone();
    match folder.filter(|_| linting.repair == Repair::Write) {
        None => Looked::Read(findings(&policy, &terms, &[])),
        Some(folder) => match write_fixes(&policy, &terms, &folder) {
            Ok((policy, fixed)) => Looked::Read(findings(&policy, &terms, &fixed)),
            Err(failure) => Looked::Unread(failure),
        },
    }
}

/// Leaves out the files of a folder that another policy of it includes or extends: they are looked at as its parts, and
/// would seem to lack its rules alone.
pub(super) fn leave_out_parts(inputs: &mut Vec<Input>) {
    let found_policy = |input: &Input| match &input.source {
        Source::File(path) if input.named == Named::Folder && input.has_policy_name() => Some(path.clone()),
        Source::File(_) | Source::Standard => None,
    };
    let parts: BTreeSet<PathBuf> = inputs.iter().filter_map(found_policy).flat_map(parts_of).collect();
    inputs.retain(|input| {
        let path = found_policy(input).and_then(|path| fs::canonicalize(path).ok());
        path.is_none_or(|path| !parts.contains(&path))
    });
}

/// The files that a policy names, and those that they name.
fn parts_of(path: PathBuf) -> Vec<PathBuf> {
    let files = match countersign::load_policy(&path) {
        Ok(policy) => policy.files().to_vec(),
        Err(error) => error.files,
    };
    files.iter().skip(1).filter_map(|file| fs::canonicalize(&*file.name).ok()).collect()
}

fn standard() -> Result<String, Failure> {
    let mut octets = Vec::new();
    let read = std::io::stdin().lock().take(MAX_OCTETS + 1).read_to_end(&mut octets);
    read.map_err(|error| Failure::reading(Path::new("-"), &error))?;
    if u64::try_from(octets.len()).is_ok_and(|length| length > MAX_OCTETS) {
        return Err(Failure::usage(format!("the policy has more than {MAX_OCTETS} octets")));
    }
    String::from_utf8(octets).map_err(|_| Failure::usage("standard input is not UTF-8"))
}

/// Why a policy cannot be loaded, file by file.
fn faults(error: &PolicyError, name: &str) -> Vec<LookedFile> {
    let found = error.faults.iter().map(|fault| {
        let file = fault.place.as_ref().map_or(name, |place| &place.file);
        (file, policyfile::finding(fault))
    });
    by_file(&error.files, name, found.collect(), &[])
}

fn findings(policy: &TrustPolicy, terms: &PolicyLintTerms<'_>, fixed: &[PolicyFinding]) -> Vec<LookedFile> {
    let report = policy.lint(terms);
    let name = policy.files().first().map(|file| file.name.to_string()).unwrap_or_default();
    let found = report.findings.iter().map(|found| (&*found.file, found.finding.clone()));
    by_file(policy.files(), &name, found.collect(), fixed)
}

/// The file that was asked for, then the others about which there is something to say.
fn by_file(
    files: &[PolicyFile],
    name: &str,
    found: Vec<(&str, Finding)>,
    fixed: &[PolicyFinding],
) -> Vec<LookedFile> {
    let of_file = |name: &str, octets: &[u8]| LookedFile {
        name: name.to_owned(),
        octets: octets.to_vec(),
        findings: found
            .iter()
            .filter(|(file, _)| *file == name)
            .map(|(_, finding)| finding.clone())
            .collect(),
        fixed: fixed.iter().filter(|fixed| *fixed.file == *name).count(),
    };
    let mut looked: Vec<LookedFile> =
        files.iter().map(|file| of_file(&file.name, file.text.as_bytes())).collect();
    // A file that could not be read has no text.
    let mut unread: Vec<&str> = found.iter().map(|(file, _)| *file).collect();
    unread.push(name);
    for name in unread {
        if looked.iter().all(|file| file.name != name) {
            looked.push(of_file(name, &[]));
        }
    }
    looked.sort_by_key(|file| file.name != name);
    looked.retain(|file| file.name == name || !file.findings.is_empty() || file.fixed > 0);
    looked
}

/// Writes the fixes into the files, and gives the policy as it is then.
fn write_fixes(
    policy: &TrustPolicy,
    terms: &PolicyLintTerms<'_>,
    folder: &PolicyFolder,
) -> Result<(TrustPolicy, Vec<PolicyFinding>), Failure> {
    let fixed = policy.fix(terms, folder, &TOOL);
    for file in &fixed.changed {
        let read = policy.files().iter().find(|read| read.name == file.name);
        let path = Path::new(&*file.name);
        let read = read.map(|read| read.text.as_bytes());
        if output::replace_unchanged(path, read, file.text.as_bytes())? == Replaced::Changed {
            return Err(Failure::changed_meanwhile(path));
        }
    }
    Ok((fixed.policy, fixed.fixed))
}
