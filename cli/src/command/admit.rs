//! `admit`: whether a trust policy allows a card, and which of its interfaces may be called.

mod diagnosis;
mod explanation;
mod fetched;
mod json;
mod pins;
mod target;
mod tree;

use std::path::Path;

use countersign::policy::UrlError;
use countersign::{
    AdmissionRequest, AdmittedCard, AdmittedInterface, AuditRecord, CacheState, CardView, Code, Decision,
    Diagnosis, Explanation, NotAdmitted, PinMemory, Pins, SelectTerms, SelectedBecause, Source, TrustPolicy,
    UnixTime, UntrustedCard,
};

use crate::args::{AdmitArgs, Format};
use crate::auditlog::AuditLog;
use crate::endorsement::Endorsements;
use crate::failure::{Failure, Stop};
use crate::fleet::Fleet;
use crate::input::{self, Found, Input};
use crate::outcome::Outcome;
use crate::output::{Session, is_same};
use crate::pinfile;
use crate::policyfile;
use crate::render::escape;
use fetched::Fetching;

/// The answer for one card.
struct Answer<'a> {
    name: String,
    decision: &'a Decision,
    /// What is handed on; of a denied card what it claims.
    view: CardView<'a>,
    /// What the client uses, if it says what it speaks and the card may be used.
    selected: Option<Selected<'a>>,
    endorsements: &'a Endorsements,
    asked: &'a Asked,
    cache: CacheState,
    /// How the card was had, if it was fetched.
    fetching: Option<Fetching<'a>>,
}

/// The interface for the client.
struct Selected<'a> {
    interface: &'a AdmittedInterface,
    because: Option<SelectedBecause>,
}

/// What goes with the decision about one card.
struct Beside<'a> {
    input: &'a Input,
    endorsements: &'a Endorsements,
    asked: &'a Asked,
}

/// What the arguments ask beside the decision.
struct Asked {
    explanation: Option<Explanation>,
    /// What explains signatures that do not verify, if the card is denied.
    diagnosis: Vec<Diagnosis>,
    why_not: Option<String>,
    /// The file of pins.
    pins: Option<String>,
}

/// What a card is held against.
struct Question<'a> {
    policy: &'a TrustPolicy,
    request: &'a AdmissionRequest,
    endorsements: &'a Endorsements,
    pins: Option<&'a Pins>,
    now: UnixTime,
}

/// A card that could not be read: it is denied before the policy is asked.
struct Unread<'a> {
    name: &'a str,
    failure: &'a Failure,
    pointer: &'a str,
    request: &'a AdmissionRequest,
    policy: &'a TrustPolicy,
    now: UnixTime,
}

pub(crate) fn run(args: &AdmitArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let named = args.cards.iter().chain(&args.endorsements).chain([&args.policy]);
    input::refuse_second_standard(named)?;
    if let Some(report) = &args.report {
        refuse_to_replace_input(report, args)?;
        session.keep_documents();
    }
    if target::are_given(args)? {
        return fetched::run(args, session);
    }
    let mut log = args.audit_log.as_deref().map(AuditLog::open).transpose()?;
    let request = request(args)?;
    let policy = policyfile::load(&args.policy, session)?;
    let pins = args.pins.as_deref().map(|path| pinfile::open_or_make(path, session)).transpose()?;
    let endorsements = Endorsements::read(&args.endorsements, session)?;
    let terms = (!args.accept.is_empty()).then(|| SelectTerms::accepting(args.accept.iter().cloned()));
    let now = session.now();
    let why_not =
        args.why_not.as_deref().map(|id| explanation::why_not(id, &policy, &request)).transpose()?;
    let question = Question {
        policy: &policy,
        request: &request,
        endorsements: &endorsements,
        pins: pins.as_ref(),
        now,
    };
    let outcome = input::each(session, &args.cards, |session, input, found| match found {
        Found::Unreadable { failure, pointer } => {
            let unread = Unread {
                name: &input.name(),
                failure: &failure,
                pointer: &pointer,
                request: &request,
                policy: &policy,
                now,
            };
            unread.print(session)?;
            Ok(Outcome::No)
        }
        Found::Card(card) => {
            let explanation = args.explain.then(|| question.explain(&card)).transpose()?;
            let pins = args.pins.as_ref().map(|path| path.display().to_string());
            let mut asked = Asked { explanation, diagnosis: Vec::new(), why_not: why_not.clone(), pins };
            let mut record = |decision: &Decision| match &mut log {
                Some(log) => log.append(&AuditRecord::of(decision, CacheState::Off, now)),
                None => Ok(()),
            };
            match question.admit(card) {
                Ok(card) => {
                    record(card.decision())?;
                    let beside = Beside { input, endorsements: &endorsements, asked: &asked };
                    admitted(&card, terms.as_ref(), &beside, session)
                }
                Err(NotAdmitted::Denied(denied)) => {
                    record(denied.decision())?;
                    // One line for each card has no room for it.
                    if session.format != Format::Short {
                        let (decision, octets) = (denied.decision(), denied.card().octets());
                        asked.diagnosis = diagnosis::of(octets, decision, &policy, &request, now);
                    }
                    let beside = Beside { input, endorsements: &endorsements, asked: &asked };
                    beside.answer(denied.decision(), denied.card().view(), None).tell(session)
                }
                Err(NotAdmitted::Pins(error)) => Err(pinfile::failure(error).into()),
                Err(other) => Err(Failure::environment(other.to_string()).into()),
            }
        }
    })?;
    report(args, &policy, now, session)?;
    Ok(endorsements.outcome(outcome))
}

impl Question<'_> {
    fn admit(&self, card: UntrustedCard) -> Result<AdmittedCard, NotAdmitted> {
        let (policy, request, endorsements) = (self.policy, self.request, &self.endorsements.read);
        match self.pins {
            Some(pins) => card.admit_remembered(policy, request, endorsements, pins, self.now),
            None => card.admit(policy, request, endorsements, self.now).map_err(NotAdmitted::Denied),
        }
    }

    fn explain(&self, card: &UntrustedCard) -> Result<Explanation, Stop> {
        let source = &self.request.source;
        let memory = self.pins.map(|pins| pins.memory(source)).transpose().map_err(pinfile::failure)?;
        let memory = memory.as_ref().map_or(PinMemory::NotKept, PinMemory::Kept);
        Ok(card.explain_remembered(self.policy, self.request, &self.endorsements.read, memory, self.now))
    }
}

/// Refuses a report in the place of a file that is read.
fn refuse_to_replace_input(report: &Path, args: &AdmitArgs) -> Result<(), Failure> {
    let mut read = args.cards.iter().chain(&args.endorsements).chain(&args.pins).chain([&args.policy]);
    if read.any(|path| is_same(report, path)) {
        let message = format!("`{}` is read, and the report would take its place", report.display());
        return Err(Failure::usage(message).with_help("name another file for `--report`"));
    }
    Ok(())
}

/// Writes the report of the run, if one was asked for.
fn report(
    args: &AdmitArgs,
    policy: &TrustPolicy,
    now: UnixTime,
    session: &mut Session<'_>,
) -> Result<(), Failure> {
    match &args.report {
        Some(path) => Fleet { documents: session.take_documents(), policy, now }.write(path),
        None => Ok(()),
    }
}

/// The question of the arguments.
fn request(args: &AdmitArgs) -> Result<AdmissionRequest, Failure> {
    let Some(url) = &args.url else {
        let message = "`--as URL` is missing: a policy decides by where a card comes from";
        return Err(Failure::usage(message).with_help(
            "name the URL that the card was fetched from, such as `--as https://agents.example/.well-known/agent-card.json`; to \
             have it fetched, write the URL in place of the file: https://agents.example",
        ));
    };
    let mut source = Source::at(url).map_err(|error: UrlError| {
        Failure::coded(Outcome::CouldNotTell, error.code(), format!("the URL of `--as` is none: {error}"))
    })?;
    if let Some(kind) = &args.source {
        source = source.found_in(kind.clone());
    }
    let mut request = AdmissionRequest::new(source);
    request.tenant.clone_from(&args.tenant);
    request.purpose.clone_from(&args.purpose);
    request.accept = (!args.accept.is_empty()).then(|| args.accept.clone());
    request.extensions = (!args.extensions.is_empty()).then(|| args.extensions.clone());
    request.assumed = args.assume_version;
    Ok(request)
}

fn admitted(
    card: &AdmittedCard,
    terms: Option<&SelectTerms>,
    beside: &Beside<'_>,
    session: &mut Session<'_>,
) -> Result<Outcome, Stop> {
    let selection = terms.map(|terms| card.select(terms));
    let selected = selection.as_ref().and_then(|selection| {
        Some(Selected { interface: selection.interface()?, because: selection.because() })
    });
    beside.answer(card.decision(), card.view(), selected).tell(session)
}

impl<'a> Beside<'a> {
    fn answer(
        &self,
        decision: &'a Decision,
        view: CardView<'a>,
        selected: Option<Selected<'a>>,
    ) -> Answer<'a> {
        let Self { input, endorsements, asked } = *self;
        let (cache, fetching) = (CacheState::Off, None);
        Answer { name: input.name(), decision, view, selected, endorsements, asked, cache, fetching }
    }
}

impl Answer<'_> {
    /// Prints it, and warns of a denial that is not enforced.
    fn tell(&self, session: &mut Session<'_>) -> Result<Outcome, Stop> {
        self.print(session)?;
        let decision = self.decision;
        if !decision.lets_pass() {
            return Ok(Outcome::No);
        }
        if !decision.enforced {
            let audit = decision.audit.as_ref();
            let end = audit.map(|audit| format!(" until {}", audit.until)).unwrap_or_default();
            let paint = session.err.paint;
            let name = escape(&self.name);
            let codes = names(&decision.codes()).join(", ");
            session.note(&format!(
                "{} {name}: the denial is not enforced{end} [{codes}]",
                paint.warn("warning:")
            ))?;
        }
        Ok(Outcome::Yes)
    }

    fn print(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        session.document(&json::decision(self))?;
        match session.format {
            Format::Json => session.json(&json::decision(self))?,
            Format::Short => session.say(&tree::line(self))?,
            Format::Human => {
                for line in tree::lines(self, session.out.paint, session.detail) {
                    session.say(&line)?;
                }
            }
        }
        Ok(())
    }

    /// The name of the file of an endorsement, by its place.
    fn endorsement(&self, index: usize) -> &str {
        self.endorsements.name_at(index)
    }
}

impl Unread<'_> {
    fn print(&self, session: &mut Session<'_>) -> Result<(), Stop> {
        session.document(&json::unread(self))?;
        let code = self.failure.code.map(Code::name).unwrap_or_default();
        let name = escape(self.name);
        match session.format {
            Format::Json => session.json(&json::unread(self))?,
            Format::Short => session.say(&format!("{name}: deny {code}"))?,
            Format::Human => {
                let paint = session.out.paint;
                let message = escape(&self.failure.message);
                session.say(&format!("{}: {}: {message} [{code}]", paint.bold(&name), paint.bad("DENY")))?;
                if let Some(code) = self.failure.code {
                    let help = self.failure.help.as_deref().unwrap_or(code.page().instead);
                    session.say(&format!("  help[{code}]: {}", escape(help)))?;
                }
            }
        }
        Ok(())
    }
}

fn names(codes: &[Code]) -> Vec<&'static str> {
    codes.iter().map(|code| code.name()).collect()
}
