//! Levels of the command line, and the codes that findings can have.

use countersign::policy::{codes as policy_codes, policy_lints};
use countersign::{CardError, Code, Level, LintLevels, LintSetting, LintTerms, codes, keys, lints};

use crate::failure::Failure;
use crate::nearest::suggestion;
use crate::report::Rule;

/// Every code that is not named.
const ALL_OTHERS: &str = "*";

/// The settings of the command line for cards and policies; a code that is none of a lint is refused.
pub(super) fn levels(settings: &[(String, LintSetting)]) -> Result<LintLevels, Failure> {
    let cards = lints().map(|lint| lint.code);
    read(settings, &cards.chain(lints_of_policies()).collect::<Vec<_>>())
}

/// The same for policies only.
pub(crate) fn policy_levels(settings: &[(String, LintSetting)]) -> Result<LintLevels, Failure> {
    read(settings, &lints_of_policies().collect::<Vec<_>>())
}

fn lints_of_policies() -> impl Iterator<Item = Code> {
    policy_lints().map(|lint| lint.code)
}

fn read(settings: &[(String, LintSetting)], known: &[Code]) -> Result<LintLevels, Failure> {
    let mut levels = LintLevels::default();
    for (name, setting) in settings {
        if name == ALL_OTHERS {
            levels.set_all(*setting);
        } else if known.iter().any(|code| code.name() == name) {
            levels.set(name, *setting);
        } else {
            return Err(no_lint(name, known));
        }
    }
    Ok(levels)
}

fn no_lint(name: &str, known: &[Code]) -> Failure {
    if CardError::CODES.iter().any(|code| code.name() == name) {
        return Failure::usage(format!("`{name}` is always an error: the card cannot be read"));
    }
    if faults_of_policies().any(|code| code.name() == name) {
        return Failure::usage(format!("`{name}` is always an error: the policy cannot be loaded"));
    }
    let what = if codes::find(name).is_some() { "is no code of a lint" } else { "is no code" };
    Failure::usage(format!("`{name}` {what}")).with_help(suggestion(name, known.iter().copied()))
}

/// Every code that a finding about a card can have, with its levels.
pub(super) fn add_card_rules(terms: &LintTerms<'_>, rules: &mut Vec<Rule>) {
    rules.extend(lints().map(|lint| Rule {
        code: lint.code,
        level: lint.level(terms.profile),
        set: terms.levels.of(lint.code),
    }));
    add_errors(CardError::CODES, rules);
}

/// Every code that a finding about a policy can have, with its levels.
pub(super) fn add_policy_rules(levels: &LintLevels, rules: &mut Vec<Rule>) {
    rules.extend(policy_lints().map(|lint| Rule {
        code: lint.code,
        level: Some(lint.level),
        set: levels.of(lint.code),
    }));
    add_errors(faults_of_policies(), rules);
}

/// What is always an error.
fn add_errors(codes: impl IntoIterator<Item = Code>, rules: &mut Vec<Rule>) {
    for code in codes {
        if rules.iter().all(|rule| rule.code != code) {
            rules.push(Rule { code, level: Some(Level::Error), set: None });
        }
    }
}

/// Codes of what makes a policy unusable: its own, and those of the keys and URLs in it.
fn faults_of_policies() -> impl Iterator<Item = Code> {
    let areas = ["policy.", "url.", "key."];
    let all = [policy_codes::load::ALL, policy_codes::ALL, keys::codes::ALL].into_iter().flatten().copied();
    all.filter(move |code| areas.iter().any(|area| code.name().starts_with(area)))
}
