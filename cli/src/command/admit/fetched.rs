//! Cards that are fetched: many hosts at a time, one request at a time to each; answers in the order of the arguments.

use std::collections::BTreeMap;
use std::sync::mpsc;

use countersign::cache::{DecisionKey, ReceivedCard};
use countersign::client::{Admission, AdmissionClient, ClientError};
use countersign::codes;
use countersign::fetch::FetchedHow;
use countersign::policy::UrlError;
use countersign::{
    AuditRecord, CacheState, Decision, Diagnosis, Explanation, Finding, Level, Limits, PinMemory, PinsError,
    UnixTime, UntrustedCard,
};
use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use super::target::Target;
use super::{Answer, Asked, Selected, Unread, diagnosis, explanation, target};
use crate::args::{AdmitArgs, Format};
use crate::auditlog::AuditLog;
use crate::endorsement::Endorsements;
use crate::failure::{Failure, Stop};
use crate::network;
use crate::outcome::Outcome;
use crate::output::{Detail, FailureJson, Session};
use crate::pinfile;
use crate::policyfile;
use crate::progress::Progress;
use crate::remembered::{Answers, Given};

/// What goes with every card of a run.
struct Run<'r> {
    client: &'r AdmissionClient,
    answers: Option<&'r Answers>,
    endorsements: &'r Endorsements,
    args: &'r AdmitArgs,
    format: Format,
    now: UnixTime,
}

/// What came of one agent, ready to be told.
struct Looked {
    result: Result<Found, ClientError>,
}

/// The answer about a card, and how it was had.
struct Found {
    admission: Admission,
    /// The decision as it is told: with the time of an answer that holds, and with findings about fetching.
    decision: Decision,
    cache: CacheState,
    explanation: Option<Explanation>,
    diagnosis: Vec<Diagnosis>,
}

/// How a card was had, for reports.
pub(super) struct Fetching<'f> {
    pub(super) url: &'f str,
    pub(super) how: &'static str,
    pub(super) fresh_until: UnixTime,
    pub(super) etag: Option<&'f str>,
    pub(super) content_type: Option<&'f str>,
}

pub(super) fn run(args: &AdmitArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let endorsements = Endorsements::read(&args.endorsements, session)?;
    let targets = target::read(args, &endorsements)?;
    let policy = policyfile::load(&args.policy, session)?;
    let pins = args.pins.as_deref().map(|path| pinfile::open_or_make(path, session)).transpose()?;
    let client = network::client(&args.network, policy, pins)?;
    let answers = args.network.cache.as_deref().map(Answers::open).transpose()?;
    let mut log = args.audit_log.as_deref().map(AuditLog::open).transpose()?;
    let run = Run {
        client: &client,
        answers: answers.as_ref(),
        endorsements: &endorsements,
        args,
        format: session.format,
        now: session.now(),
    };
    let mut worst = Outcome::Yes;
    let progress = if session.detail == Detail::Quiet {
        Progress::none()
    } else {
        Progress::on_terminal(targets.len(), "cards")
    };
    in_order(&run, &targets, |target, looked| {
        progress.advance(1);
        let outcome = progress.aside(|| run.tell(target, &looked, log.as_mut(), session))?;
        worst = worst.max(outcome);
        Ok(())
    })?;
    super::report(args, &client.policy(), run.now, session)?;
    Ok(endorsements.outcome(worst))
}

/// Looks at every agent, and hands the answers on in the order of the agents.
fn in_order(
    run: &Run<'_>,
    targets: &[Target],
    mut tell: impl FnMut(&Target, Looked) -> Result<(), Stop>,
) -> Result<(), Stop> {
    let mut hosts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate() {
        let host = target.agent.address().url().host().to_string();
        hosts.entry(host).or_default().push(index);
    }
    let hosts: Vec<Vec<usize>> = hosts.into_values().collect();
    let pool = ThreadPoolBuilder::new()
        .num_threads(run.args.network.jobs.get().min(hosts.len()))
        .build()
        .map_err(|error| Failure::environment(format!("no threads: {error}")))?;
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let sender = sender;
            pool.install(|| {
                hosts.par_iter().for_each_with(sender, |sender, host| {
                    for index in host {
                        let Some(target) = targets.get(*index) else { continue };
                        // Nobody listens any more once an answer could not be written.
                        if sender.send((*index, run.look(target))).is_err() {
                            return;
                        }
                    }
                });
            });
        });
        let mut waiting = BTreeMap::new();
        let mut next = targets.iter().enumerate();
        let mut expected = next.next();
        for (index, looked) in receiver {
            waiting.insert(index, looked);
            while let Some((index, target)) = expected {
                let Some(looked) = waiting.remove(&index) else { break };
                tell(target, looked)?;
                expected = next.next();
            }
        }
        Ok(())
    })
}

impl Run<'_> {
    fn look(&self, target: &Target) -> Looked {
        Looked { result: self.find(target) }
    }

    fn find(&self, target: &Target) -> Result<Found, ClientError> {
        let admission = self.client.admit(&target.agent, self.now)?;
        let mut decision = admission.answer.decision().clone();
        decision.expires_at = admission.answer.until();
        let cache = match self.answers {
            None => CacheState::Off,
            Some(answers) => {
                let key = self.key(&admission)?;
                let (scope, request) = (target.agent.scope(), &admission.request);
                match answers.recall(scope, request, &key, self.now) {
                    Some(given) => {
                        decision.evaluated_at = given.at;
                        decision.expires_at = decision.expires_at.min(given.until);
                        CacheState::Hit
                    }
                    None => {
                        let given = Given { at: decision.evaluated_at, until: decision.expires_at };
                        if let Err(error) = answers.note(scope, request, &key, given) {
                            decision.findings.push(not_remembered(&error.kind().to_string()));
                        }
                        CacheState::Miss
                    }
                }
            }
        };
        decision.findings.extend(admission.findings.iter().cloned());
        decision.findings.extend(admission.card.served_findings());
        if let FetchedHow::Stale(error) = &admission.card.fetched.how {
            let message = format!("the card is the one of {}: {error}", admission.card.fetched.confirmed_at);
            decision.findings.push(Finding::new(error.code(), Level::Warning, message));
        }
        if let Some(error) = &admission.card.fetched.store_error {
            decision.findings.push(not_remembered(&error.to_string()));
        }
        let explanation = self.args.explain.then(|| self.explain(&admission)).transpose()?.flatten();
        let diagnosis = self.diagnose(&admission);
        Ok(Found { admission, decision, cache, explanation, diagnosis })
    }

    /// What the answer rests on, with what is remembered of the agent by now.
    fn key(&self, admission: &Admission) -> Result<DecisionKey, PinsError> {
        let policy = self.client.policy();
        let mut received =
            ReceivedCard::new(&admission.card.fetched.octets).with_endorsements(&self.endorsements.read);
        if let Some(pins) = self.client.pins() {
            let memory = pins.memory(&admission.request.source)?;
            received = received.with_memory(&memory);
        }
        Ok(DecisionKey::of(&policy, &admission.request, &received, self.now))
    }

    /// The card is read again: what was admitted is no longer the card as it came.
    fn explain(&self, admission: &Admission) -> Result<Option<Explanation>, PinsError> {
        let octets = admission.card.fetched.octets.to_vec();
        let limits = Limits::default().with_max_octets(octets.len());
        let Ok(card) = UntrustedCard::read(octets, &limits) else { return Ok(None) };
        let (policy, request) = (self.client.policy(), &admission.request);
        let pins = self.client.pins();
        let memory = pins.map(|pins| pins.memory(&request.source)).transpose()?;
        let memory = memory.as_ref().map_or(PinMemory::NotKept, PinMemory::Kept);
        Ok(Some(card.explain_remembered(&policy, request, &self.endorsements.read, memory, self.now)))
    }

    fn diagnose(&self, admission: &Admission) -> Vec<Diagnosis> {
        // One line for each card has no room for it.
        if self.format == Format::Short {
            return Vec::new();
        }
        let (octets, decision) = (&admission.card.fetched.octets, admission.answer.decision());
        diagnosis::of(octets, decision, &self.client.policy(), &admission.request, self.now)
    }

    fn tell(
        &self,
        target: &Target,
        looked: &Looked,
        log: Option<&mut AuditLog>,
        session: &mut Session<'_>,
    ) -> Result<Outcome, Stop> {
        match &looked.result {
            Ok(found) => {
                if let Some(log) = log {
                    log.append(&AuditRecord::of(&found.decision, found.cache, self.now))?;
                }
                self.answer(target, found, session)
            }
            Err(ClientError::Card(error)) => {
                let failure = Failure::coded(Outcome::No, error.code(), error.to_string());
                let policy = self.client.policy();
                let request = target.agent.request().map_err(unusable_url)?;
                if let Some(log) = log {
                    log.append(&AuditRecord::unreadable(error.code(), &request, &policy, self.now))?;
                }
                let unread = Unread {
                    name: &target.name,
                    failure: &failure,
                    pointer: error.pointer(),
                    request: &request,
                    policy: &policy,
                    now: self.now,
                };
                unread.print(session)?;
                Ok(Outcome::No)
            }
            Err(error) => failed(&target.name, error, session),
        }
    }

    fn answer(&self, target: &Target, found: &Found, session: &mut Session<'_>) -> Result<Outcome, Stop> {
        let Found { admission, decision, cache, explanation, diagnosis } = found;
        let why_not = self.args.why_not.as_deref();
        let why_not = why_not
            .map(|id| explanation::why_not(id, &self.client.policy(), &admission.request))
            .transpose()?;
        let asked = Asked {
            explanation: explanation.clone(),
            diagnosis: diagnosis.clone(),
            why_not,
            pins: self.args.pins.as_ref().map(|path| path.display().to_string()),
        };
        let (view, selection) = match admission.answer.verdict() {
            Ok(card) => (card.view(), Some(card.select(target.agent.terms()))),
            Err(denied) => (denied.card().view(), None),
        };
        let selection = selection.filter(|_| !self.args.accept.is_empty());
        let selected = selection.as_ref().and_then(|selection| {
            Some(Selected { interface: selection.interface()?, because: selection.because() })
        });
        let fetched = &admission.card.fetched;
        let answer = Answer {
            name: target.name.clone(),
            decision,
            view,
            selected,
            endorsements: self.endorsements,
            asked: &asked,
            cache: *cache,
            fetching: Some(Fetching {
                url: fetched.url.raw(),
                how: fetched.how.name(),
                fresh_until: fetched.fresh_until,
                etag: fetched.etag.as_deref(),
                content_type: fetched.content_type.as_deref(),
            }),
        };
        answer.tell(session)
    }
}

fn unusable_url(error: UrlError) -> Failure {
    Failure::coded(Outcome::CouldNotTell, error.code(), error.to_string())
}

/// What was not written to the folder of `--cache`. It changes no answer.
fn not_remembered(why: &str) -> Finding {
    let message = format!("the next run will not know of this one: {why}");
    Finding::new(codes::fetch::FETCH_STORE, Level::Warning, message)
}

/// An agent about which nothing can be said.
fn failed(name: &str, error: &ClientError, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let outcome = match error {
        ClientError::Url(_) => Outcome::CouldNotTell,
        ClientError::Fetch(_)
        | ClientError::Card(_)
        | ClientError::Pins(_)
        | ClientError::Denied(_)
        | ClientError::NoInterface(_)
        | _ => Outcome::Environment,
    };
    let mut failure = Failure::coded(outcome, error.code(), format!("{name}: {error}"));
    failure.help = Some(error.code().page().instead.to_owned());
    session.document(&FailureJson::of(name, &failure))?;
    if session.format == Format::Json {
        session.json(&FailureJson::of(name, &failure))?;
    } else {
        session.fail(&failure)?;
    }
    Ok(outcome)
}
