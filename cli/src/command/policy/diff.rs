//! `policy diff`: what a newer policy means differently.

use std::io;
use std::path::PathBuf;

use countersign::policy::{PartChange, PolicyDifference, usable_interfaces};
use countersign::{Decision, TrustPolicy};
use serde::Serialize;

use crate::args::{Format, PolicyDiffArgs};
use crate::failure::Stop;
use crate::input;
use crate::outcome::Outcome;
use crate::output::Session;
use crate::policyfile;
use crate::policytest::Suite;
use crate::render::escape;

const SCHEMA: &str = "countersign.policy-diff/1";

/// Which way a decision changes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// More may be used.
    Loosens,
    /// Less may be used.
    Tightens,
    /// Other interfaces may be used.
    Both,
}

/// A case that is decided differently.
struct Change {
    file: String,
    case: String,
    effect: Effect,
    before: Decision,
    after: Decision,
}

#[derive(Serialize)]
struct DiffJson<'d> {
    schema: &'static str,
    old: SideJson<'d>,
    new: SideJson<'d>,
    outcome: &'static str,
    changes: Vec<ChangeJson<'d>>,
    decisions: Vec<DecisionChangeJson<'d>>,
}

#[derive(Serialize)]
struct SideJson<'d> {
    file: String,
    name: Option<&'d str>,
    digest: &'d str,
}

#[derive(Serialize)]
struct ChangeJson<'d> {
    change: &'static str,
    subject: &'d str,
    member: Option<&'d str>,
    before: Option<&'d str>,
    after: Option<&'d str>,
    gained: &'d [String],
    lost: &'d [String],
    message: String,
}

#[derive(Serialize)]
struct DecisionChangeJson<'d> {
    file: &'d str,
    case: &'d str,
    effect: &'static str,
    before: DecisionJson,
    after: DecisionJson,
}

#[derive(Serialize)]
struct DecisionJson {
    outcome: &'static str,
    enforced: bool,
    codes: Vec<&'static str>,
    interfaces: Vec<String>,
}

pub(super) fn run(args: &PolicyDiffArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    input::refuse_second_standard(args.cases.iter())?;
    let old = policyfile::load(&args.old, session)?;
    let new = policyfile::load(&args.new, session)?;
    let differences = old.differences(&new);
    let changes = changes(&args.cases, (&old, &new), session)?;
    let is_same = differences.is_empty() && changes.is_empty();
    match session.format {
        Format::Json => {
            let side = |file: &PathBuf, policy| SideJson::of(file.display().to_string(), policy);
            session.json(&DiffJson {
                schema: SCHEMA,
                old: side(&args.old, &old),
                new: side(&args.new, &new),
                outcome: if is_same { "same" } else { "changed" },
                changes: differences.iter().map(ChangeJson::of).collect(),
                decisions: changes.iter().map(DecisionChangeJson::of).collect(),
            })?;
        }
        Format::Human | Format::Short => print(&differences, &changes, session)?,
    }
    Ok(if is_same { Outcome::Yes } else { Outcome::No })
}

/// The cases that are decided differently.
fn changes(
    files: &[PathBuf],
    (old, new): (&TrustPolicy, &TrustPolicy),
    session: &mut Session<'_>,
) -> Result<Vec<Change>, Stop> {
    let mut changes = Vec::new();
    for path in files {
        let suite = Suite::read(path, session)?;
        for ready in &suite.cases {
            let (before, after) = (ready.decide(old), ready.decide(new));
            if let Some(effect) = effect(&before, &after) {
                let (file, case) = (suite.name.clone(), ready.case.name.clone());
                changes.push(Change { file, case, effect, before, after });
            }
        }
    }
    Ok(changes)
}

/// Which way a decision changes, if its answer or the interfaces that may be used do. Other reasons are no change.
fn effect(before: &Decision, after: &Decision) -> Option<Effect> {
    let (old, new) = (usable_interfaces(before), usable_interfaces(after));
    let gains = (after.lets_pass() && !before.lets_pass()) || new.iter().any(|url| !old.contains(url));
    let loses = (before.lets_pass() && !after.lets_pass()) || old.iter().any(|url| !new.contains(url));
    match (gains, loses) {
        (true, true) => Some(Effect::Both),
        (true, false) => Some(Effect::Loosens),
        (false, true) => Some(Effect::Tightens),
        (false, false) => None,
    }
}

fn print(differences: &[PolicyDifference], changes: &[Change], session: &mut Session<'_>) -> io::Result<()> {
    let paint = session.out.paint;
    for difference in differences {
        let sign = match difference.change {
            PartChange::Added => paint.good("+"),
            PartChange::Removed => paint.bad("-"),
            PartChange::Value { .. } | PartChange::List { .. } => paint.warn("~"),
        };
        session.say(&format!("{sign} {}", escape(&difference.to_string())))?;
    }
    for change in changes {
        let effect = match change.effect {
            Effect::Loosens => paint.warn(change.effect.name()),
            Effect::Tightens => paint.good(change.effect.name()),
            Effect::Both => paint.bad(change.effect.name()),
        };
        session.say(&format!("{effect}  {}: {}", escape(&change.file), escape(&change.case)))?;
        session.say(&format!("  before: {}", escape(&told(&change.before))))?;
        session.say(&format!("  after:  {}", escape(&told(&change.after))))?;
    }
    if differences.is_empty() && changes.is_empty() {
        session.say(&paint.good("both mean the same"))?;
    }
    Ok(())
}

/// `admit https://…, https://…` or `deny [sig.absent], not enforced`
fn told(decision: &Decision) -> String {
    let codes = decision.codes().iter().map(|code| code.name()).collect::<Vec<_>>().join(", ");
    let codes = if codes.is_empty() { codes } else { format!(" [{codes}]") };
    let enforced = if decision.enforced { "" } else { ", not enforced" };
    let interfaces = usable_interfaces(decision).join(", ");
    format!("{}{codes}{enforced} {interfaces}", decision.outcome.name()).trim_end().to_owned()
}

impl Effect {
    const fn name(self) -> &'static str {
        match self {
            Self::Loosens => "loosens",
            Self::Tightens => "tightens",
            Self::Both => "loosens-and-tightens",
        }
    }
}

impl<'d> SideJson<'d> {
    fn of(file: String, policy: &'d TrustPolicy) -> Self {
        Self { file, name: policy.name(), digest: policy.digest() }
    }
}

impl<'d> ChangeJson<'d> {
    fn of(difference: &'d PolicyDifference) -> Self {
        let plain = Self {
            change: difference.change.name(),
            subject: &difference.subject,
            member: None,
            before: None,
            after: None,
            gained: &[],
            lost: &[],
            message: difference.to_string(),
        };
        match &difference.change {
            PartChange::Added | PartChange::Removed => plain,
            PartChange::Value { member, before, after } => {
                Self { member: Some(member), before: before.as_deref(), after: after.as_deref(), ..plain }
            }
            PartChange::List { member, gained, lost } => Self { member: Some(member), gained, lost, ..plain },
        }
    }
}

impl<'d> DecisionChangeJson<'d> {
    fn of(change: &'d Change) -> Self {
        Self {
            file: &change.file,
            case: &change.case,
            effect: change.effect.name(),
            before: DecisionJson::of(&change.before),
            after: DecisionJson::of(&change.after),
        }
    }
}

impl DecisionJson {
    fn of(decision: &Decision) -> Self {
        Self {
            outcome: decision.outcome.name(),
            enforced: decision.enforced,
            codes: decision.codes().iter().map(|code| code.name()).collect(),
            interfaces: usable_interfaces(decision),
        }
    }
}
