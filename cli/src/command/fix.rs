//! `fix`: a card in, the same card without what can be fixed unasked, or an old card as one of A2A 1.0.

use std::path::Path;

use countersign::{
    BreakingChanges, ClaimedSignature, Finding, FixSafety, FixTerms, FixedCard, Level, Limits, Portability,
    Shape,
};
use countersign::{UntrustedCard, UpgradeError, UpgradedCard};
use serde::Serialize;
use similar::TextDiff;

use crate::args::{FixArgs, Format};
use crate::failure::{Failure, Stop};
use crate::input::{Input, Source};
use crate::outcome::Outcome;
use crate::output::{self, FindingJson, Replaced, Session, finding_line};
use crate::render::escape;

#[derive(Serialize)]
struct FixJson<'f> {
    schema: &'static str,
    card: &'f str,
    changed: bool,
    fixed: Vec<FindingJson<'f>>,
    held_back: Vec<FindingJson<'f>>,
    remaining: Vec<FindingJson<'f>>,
    losses: Vec<FindingJson<'f>>,
    choices: Vec<FindingJson<'f>>,
    broken_signatures: Vec<SignatureJson<'f>>,
    changed_forms: Option<Vec<&'static str>>,
    portable: Option<bool>,
}

#[derive(Serialize)]
struct SignatureJson<'f> {
    index: usize,
    kid: Option<&'f str>,
}

/// What is done with the fixed card.
enum Target<'a> {
    Standard,
    InPlace(&'a Path),
    File(&'a Path),
    Diff,
}

/// What was done to the card.
struct Done {
    upgraded: Option<UpgradedCard>,
    fixed: FixedCard,
    portable: Option<bool>,
}

pub(crate) fn run(args: &FixArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let input = Input::single(&args.card);
    let target = target(args, &input)?;
    let card = input.read_card(session)?;
    let done = fix(args, &input, &card)?;
    match target {
        Target::Standard => session.out.writer.write_all(&done.fixed.octets)?,
        Target::InPlace(path) => {
            let read = Some(card.octets());
            if output::replace_unchanged(path, read, &done.fixed.octets)? == Replaced::Changed {
                return Err(Failure::changed_meanwhile(path).into());
            }
        }
        Target::File(path) => output::replace_file(path, &done.fixed.octets)?,
        Target::Diff if session.format == Format::Json => {}
        Target::Diff => diff(&input.name(), card.octets(), &done.fixed.octets, session)?,
    }
    let name = input.name();
    if session.format == Format::Json && !matches!(target, Target::Standard) {
        session.json(&json(&name, &card, &done))?;
    } else {
        describe(&name, &card, &done, &target, session)?;
    }
    Ok(done.outcome())
}

/// Where the card goes; never silently over the card that is read.
fn target<'a>(args: &'a FixArgs, input: &'a Input) -> Result<Target<'a>, Failure> {
    if input.source != Source::Standard && args.card.is_dir() {
        let message = format!("`{}` is a folder; `fix` takes one card", args.card.display());
        return Err(Failure::usage(message));
    }
    if args.destination.dry_run {
        return Ok(Target::Diff);
    }
    if args.destination.in_place {
        return match &input.source {
            Source::File(path) => Ok(Target::InPlace(path)),
            Source::Standard => Err(Failure::usage("`--in-place` needs a card file, not standard input")),
        };
    }
    let Some(output) = args.destination.output.as_deref().filter(|path| *path != Path::new("-")) else {
        return Ok(Target::Standard);
    };
    if output::is_same(output, &args.card) {
        let message = format!("`{}` is the card that is read", output.display());
        return Err(Failure::usage(message).with_help("use `--in-place` to replace it"));
    }
    Ok(Target::File(output))
}

fn fix(args: &FixArgs, input: &Input, card: &UntrustedCard) -> Result<Done, Failure> {
    if let Some(other) = card.other_document() {
        return Err(input.about(Failure::coded(Outcome::No, other.code, other.message)));
    }
    let mut terms = FixTerms::default();
    terms.assumed = args.assume_version;
    terms.portability = if args.portable { Portability::Require } else { Portability::Report };
    terms.breaking =
        if args.drop_signatures { BreakingChanges::DropSignatures } else { BreakingChanges::HoldBack };
    let upgraded = args.to.map(|to| card.upgrade(to.into(), args.assume_version)).transpose();
    let upgraded = upgraded.map_err(|error| refusal(input, &error))?;
    let fixed = match &upgraded {
        None => card.fix(&terms),
        Some(upgraded) => {
            let limits = Limits::default().with_max_octets(usize::MAX);
            let card = UntrustedCard::read(upgraded.octets.clone(), &limits)
                .map_err(|error| input.about(Failure::coded(Outcome::No, error.code(), error.to_string())))?;
            card.fix(&terms)
        }
    };
    let portable = args.portable.then_some(fixed.differences.is_empty());
    Ok(Done { upgraded, fixed, portable })
}

fn refusal(input: &Input, error: &UpgradeError) -> Failure {
    let message = if let UpgradeError::NoPlace { source } = error {
        format!("{error}: {source}")
    } else {
        error.to_string()
    };
    let help = match error {
        UpgradeError::OtherShape { found: Shape::Unversioned } => {
            "`--assume-version 0.3` upgrades a card that names no version"
        }
        UpgradeError::OtherShape { found: Shape::Foreign } => error.code().page().instead,
        UpgradeError::OtherShape { .. } => "`fix` without `--to` fixes cards of any generation",
        UpgradeError::HasInterfaces => "write `\"protocolVersion\": \"1.0\"` in the interfaces that speak it",
        UpgradeError::TooOldForDual => {
            "use `--to 1.0`, or write `\"protocolVersion\": \"0.3.0\"` if the server speaks it"
        }
        UpgradeError::NoInterface | UpgradeError::NoPlace { .. } | _ => error.code().page().instead,
    };
    input.about(Failure::coded(Outcome::No, error.code(), message).with_help(help))
}

impl Done {
    fn losses(&self) -> &[Finding] {
        self.upgraded.as_ref().map_or(&[], |upgraded| &upgraded.losses)
    }

    fn choices(&self) -> &[Finding] {
        self.upgraded.as_ref().map_or(&[], |upgraded| &upgraded.choices)
    }

    /// Those of the card that was read.
    fn broken(&self) -> &[ClaimedSignature] {
        self.upgraded.as_ref().map_or(&self.fixed.broken, |upgraded| &upgraded.removed)
    }

    fn outcome(&self) -> Outcome {
        let is_grave = self.losses().iter().any(|loss| loss.level == Level::Error);
        // The rounds of one run are bounded.
        let is_safe =
            |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.safety == FixSafety::Safe);
        let is_unfinished = self.fixed.remaining.iter().any(is_safe);
        let is_left =
            is_grave || is_unfinished || !self.fixed.held_back.is_empty() || self.portable == Some(false);
        if is_left { Outcome::No } else { Outcome::Yes }
    }
}

fn json<'f>(name: &'f str, card: &UntrustedCard, done: &'f Done) -> FixJson<'f> {
    let about = |findings: &'f [Finding]| findings.iter().map(FindingJson::about_card).collect();
    let fixed = &done.fixed;
    let remaining = fixed.remaining.iter().chain(&fixed.differences);
    FixJson {
        schema: "countersign.fix/1",
        card: name,
        changed: fixed.octets != card.octets(),
        fixed: about(&fixed.fixed),
        held_back: about(&fixed.held_back),
        remaining: remaining.map(FindingJson::about_card).collect(),
        losses: about(done.losses()),
        choices: about(done.choices()),
        broken_signatures: done
            .broken()
            .iter()
            .map(|signature| SignatureJson { index: signature.index, kid: kid(signature) })
            .collect(),
        // An upgraded card is another card.
        changed_forms: done
            .upgraded
            .is_none()
            .then(|| fixed.changed_forms.iter().map(|form| form.name()).collect()),
        portable: done.portable,
    }
}

fn kid(signature: &ClaimedSignature) -> Option<&str> {
    signature.header.as_ref().map(|header| header.kid.as_str())
}

/// The report on standard error.
fn describe(
    name: &str,
    card: &UntrustedCard,
    done: &Done,
    target: &Target<'_>,
    session: &mut Session<'_>,
) -> Result<(), Stop> {
    let paint = session.err.paint;
    let verdict = match (&done.upgraded, done.fixed.octets == card.octets()) {
        (Some(_), _) => paint.good("upgraded"),
        (None, true) => "unchanged".to_owned(),
        (None, false) => paint.good("fixed"),
    };
    let to = match target {
        Target::Standard => String::new(),
        Target::InPlace(path) | Target::File(path) => {
            format!(" -> {}", escape(&path.display().to_string()))
        }
        Target::Diff => " (dry run)".to_owned(),
    };
    session.note(&format!("{}: {verdict}{to}", escape(name)))?;
    let fixed = &done.fixed;
    let groups: [(&str, &[Finding]); 6] = [
        ("lost", done.losses()),
        ("chosen", done.choices()),
        ("fixed", &fixed.fixed),
        ("held back", &fixed.held_back),
        ("left", &fixed.remaining),
        ("not portable", &fixed.differences),
    ];
    for (what, findings) in groups {
        for finding in findings {
            session.note(&format!("  {what}: {}", finding_line(finding, None, paint)))?;
            if let Some(help) = finding.help.as_ref().filter(|_| session.format != Format::Short) {
                session.note(&format!("    help: {}", escape(help)))?;
            }
        }
    }
    for signature in done.broken() {
        let kid = kid(signature).map(|kid| format!(", kid `{}`", escape(kid))).unwrap_or_default();
        let what = if fixed.held_back.is_empty() { "removed" } else { "would break" };
        session.note(&format!("  signature {}{kid}: {what}", signature.index))?;
    }
    if !fixed.held_back.is_empty() {
        session.note("  help: `--drop-signatures` makes the fixes and removes the signatures; sign the card afterwards")?;
    }
    if done.portable == Some(true) {
        session.note("  portable: all signable forms give the same octets")?;
    }
    Ok(())
}

/// A unified diff on standard output, with the text of the card made harmless.
fn diff(name: &str, before: &[u8], after: &[u8], session: &mut Session<'_>) -> Result<(), Stop> {
    let (before, after) = (String::from_utf8_lossy(before), String::from_utf8_lossy(after));
    let diff = TextDiff::from_lines(before.as_ref(), after.as_ref());
    let paint = session.out.paint;
    let unified = diff.unified_diff();
    for (index, hunk) in unified.iter_hunks().enumerate() {
        if index == 0 {
            session.data(&format!("--- {}", escape(name)))?;
            session.data(&format!("+++ {}", escape(name)))?;
        }
        session.data(&hunk.header().to_string())?;
        for change in hunk.iter_changes() {
            let line = format!("{}{}", change.tag(), harmless(change.value().trim_end_matches('\n')));
            let line = match change.tag() {
                similar::ChangeTag::Delete => paint.bad(&line),
                similar::ChangeTag::Insert => paint.good(&line),
                similar::ChangeTag::Equal => line,
            };
            session.data(&line)?;
            if change.missing_newline() {
                session.data("\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

/// Tabs indent; every other control character is escaped.
fn harmless(line: &str) -> String {
    line.split('\t').map(escape).collect::<Vec<_>>().join("\t")
}
