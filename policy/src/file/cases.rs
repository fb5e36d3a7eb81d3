//! Reads test files of policies.

mod patch;
mod written;

use std::collections::BTreeMap;

use countersign_keys::Code;

use super::check::Desk;
use super::error::{PolicyError, PolicyFault};
use super::nearest::suggestion;
use super::text::Text;
use super::written::{At, Date, Texts};
use super::{NoFiles, Tool, parse};
use crate::codes::load as codes;
use crate::{
    Accepted, AdmissionRequest, Expectation, ExpectedCodes, Outcome, Placed, PolicyCase, PolicyFile,
    PolicyTests, ProtocolVersion, Source, SourceKind, UnixTime,
};
use written::{WrittenCase, WrittenExpectation, WrittenSource, WrittenTests};

impl PolicyTests {
    /// Reads a test file. `name` is used in places; `codes` are the codes that an expectation may name.
    ///
    /// No file that it names is looked at: the names are as written, relative to the folder of the test file.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] with every fault; a text that is no TOML, and a member of an unknown name or of a wrong type, is
    /// the only fault.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign_policy::{PolicyTests, codes::decision};
    ///
    /// let text = r#"
    /// policy = "trust-policy.toml"
    /// now    = 2026-10-01T12:00:00Z
    ///
    /// [[case]]
    /// name   = "the signature is stripped"
    /// card   = "fixtures/agent.json"
    /// patch  = [{ op = "remove", path = "/signatures" }]
    /// from   = { url = "https://agents.acme.example/.well-known/agent-card.json" }
    /// expect = { outcome = "deny", codes = ["sig.absent"] }
    /// "#;
    /// let tests = PolicyTests::read(text, "acme.test.toml", &[decision::SIG_ABSENT])?;
    /// assert_eq!(tests.cases[0].name, "the signature is stripped");
    ///
    /// let error = PolicyTests::read(&text.replace("outcome", "result"), "acme.test.toml", &[]).unwrap_err();
    /// assert!(error.to_string().starts_with("acme.test.toml:10:12: the member `result` is not known here"));
    /// # Ok::<(), countersign_policy::PolicyError>(())
    /// ```
    pub fn read(text: &str, name: &str, codes: &[Code]) -> Result<Self, PolicyError> {
        let text = Text::new(name, text);
        let mut faults = Vec::new();
        let tests = read(&text, codes, &mut faults);
        match tests {
            Some(tests) if faults.is_empty() => Ok(tests),
            Some(_) | None => {
                faults.sort_by_key(|fault| fault.place.as_ref().map(|place| place.span.start));
                Err(PolicyError { faults, files: vec![text.blackened(&[])] })
            }
        }
    }
}

/// The tests, as far as they can be read; [`None`] only with a fault.
fn read(text: &Text, known: &[Code], faults: &mut Vec<PolicyFault>) -> Option<PolicyTests> {
    let written: WrittenTests = parse::members(text).map_err(|fault| faults.push(*fault)).ok()?;
    // Test files have neither sets of hosts nor files that are read here, and no form is named in them.
    let (tool, host_sets) = (Tool { version: "", forms: &[], default_forms: &[] }, BTreeMap::new());
    let files = NoFiles { name: text.name(), text: text.as_str() };
    let mut black = Vec::new();
    let mut desk =
        Desk { text, tool: &tool, files: &files, host_sets: &host_sets, faults, black: &mut black };
    let policy = text.placed(&written.policy, desk.text(&written.policy));
    let now = time(&written.now, &mut desk);
    let cases = written.case.as_deref().unwrap_or_default();
    if cases.is_empty() {
        desk.invalid(&(0..0), "the file has no `[[case]]`");
    }
    refuse_repeated(cases, &mut desk);
    let cases: Option<Vec<_>> = cases.iter().map(|written| case(written, now, known, &mut desk)).collect();
    Some(PolicyTests {
        policy,
        now: now?,
        cases: cases?,
        file: PolicyFile { name: text.name().into(), text: text.as_str().into() },
    })
}

fn refuse_repeated(cases: &[At<WrittenCase>], desk: &mut Desk<'_>) {
    let mut seen: BTreeMap<&str, &At<String>> = BTreeMap::new();
    for case in cases {
        let name = &case.value.name;
        if let Some(first) = seen.insert(&name.value, name) {
            let message = format!("two cases have the name `{}`", name.value);
            let fault = PolicyFault::new(codes::POLICY_DUPLICATE_ID, desk.place(&name.range), message);
            let first = desk.place(&first.range);
            desk.faults.push(fault.with_related(first, "the other one"));
        }
    }
}

/// A case; [`None`] only with a fault.
fn case(
    written: &At<WrittenCase>,
    now: Option<UnixTime>,
    known: &[Code],
    desk: &mut Desk<'_>,
) -> Option<PolicyCase> {
    let case = &written.value;
    let name = desk.text(&case.name);
    let card = desk.text.placed(&case.card, desk.text(&case.card));
    let patch = case.patch.as_ref().map(|operations| {
        if operations.value.is_empty() {
            desk.invalid(&operations.range, "the list is empty");
        }
        desk.text.placed(operations, patch::text(&operations.value, desk))
    });
    let request = request(case, desk);
    let endorsements = case.endorsements.as_ref().map(|files| placed(files, desk)).unwrap_or_default();
    let now = case.now.as_ref().map_or(now, |now| time(now, desk));
    let expect = expectation(&case.expect, known, desk);
    let place = desk.place(&written.range);
    Some(PolicyCase { name, card, patch, request: request?, endorsements, now: now?, expect: expect?, place })
}

fn request(case: &WrittenCase, desk: &mut Desk<'_>) -> Option<AdmissionRequest> {
    let source = source(&case.from.value, desk);
    let tenant = case.tenant.as_ref().map(|tenant| desk.text(tenant));
    let purpose = case.purpose.as_ref().map(|purpose| desk.text(purpose));
    let accept = case.accept.as_ref().map(|accept| accepted(accept, desk));
    let extensions = case.extensions.as_ref().map(texts);
    let assumed = case.assume_version.as_ref().and_then(|version| {
        desk.word(version, &[("0.3", ProtocolVersion::V0_3), ("1.0", ProtocolVersion::V1_0)])
    });
    let mut request = AdmissionRequest::new(source?);
    (request.tenant, request.purpose, request.accept) = (tenant, purpose, accept);
    (request.extensions, request.assumed) = (extensions, assumed);
    Some(request)
}

fn source(written: &WrittenSource, desk: &mut Desk<'_>) -> Option<Source> {
    let url = &written.url;
    let source = Source::at(&url.value).map_err(|error| {
        let message = format!("`{}` is no URL of a source: {error}", url.value);
        desk.fault(error.code(), &url.range, message);
    });
    let Some(kind) = &written.source else { return source.ok() };
    let read = SourceKind::read(&kind.value);
    if read.is_none() {
        desk.unknown_word(kind, ["well-known", "url", "file", "registry:NAME"].into_iter());
    }
    Some(source.ok()?.found_in(read?))
}

fn accepted(written: &Texts, desk: &mut Desk<'_>) -> Vec<Accepted> {
    let mut accepted = Vec::new();
    for text in desk.list(written) {
        match text.value.parse::<Accepted>() {
            Ok(one) => accepted.push(one),
            Err(error) => desk.invalid(&text.range, error.to_string()),
        }
    }
    accepted
}

/// A time that says what the clock shows: a date alone does not.
fn time(at: &At<Date>, desk: &mut Desk<'_>) -> Option<UnixTime> {
    if at.value.0.time.is_none() {
        desk.invalid(&at.range, "the date has no time, such as `2026-10-01T12:00:00Z`");
        return None;
    }
    desk.first_second(at)
}

fn expectation(written: &At<WrittenExpectation>, known: &[Code], desk: &mut Desk<'_>) -> Option<Expectation> {
    let expect = &written.value;
    let outcome = match &expect.outcome {
        Some(word) => desk
            .word(word, &[("admit", Outcome::Admit), ("deny", Outcome::Deny)])
            .map(|outcome| desk.text.placed(word, outcome)),
        None => {
            desk.invalid(
                &written.range,
                "the case does not say which `outcome` it expects, `admit` or `deny`",
            );
            None
        }
    };
    let codes = match (&expect.codes, &expect.codes_any) {
        (Some(_), Some(any)) => {
            desk.invalid(&any.range, "of `codes` and `codes-any` only one can hold");
            None
        }
        (Some(exact), None) => Some(ExpectedCodes::Exactly(codes(exact, known, desk))),
        (None, Some(any)) => {
            if any.value.is_empty() {
                desk.invalid(&any.range, "the list is empty");
            }
            Some(ExpectedCodes::AnyOf(codes(any, known, desk)))
        }
        (None, None) => None,
    };
    if let Some(outcome) = &outcome {
        refuse_impossible(expect, outcome.value, desk);
    }
    let lists =
        |list: &Option<Texts>, desk: &Desk<'_>| list.as_ref().map(|list| desk.text.placed(list, texts(list)));
    Some(Expectation {
        codes,
        enforced: expect.enforced.as_ref().map(|enforced| desk.text.placed(enforced, enforced.value)),
        rule: expect.rule.as_ref().map(|rule| desk.text.placed(rule, rule.value.clone())),
        interfaces: lists(&expect.interfaces, desk),
        ttl_at_most_seconds: expect
            .ttl_at_most
            .as_ref()
            .and_then(|ttl| Some(desk.text.placed(ttl, desk.seconds(ttl)?))),
        uncovered: lists(&expect.uncovered, desk),
        outcome: outcome?,
    })
}

/// What no decision can be.
fn refuse_impossible(expect: &WrittenExpectation, outcome: Outcome, desk: &mut Desk<'_>) {
    let is_unenforced = expect.enforced.as_ref().is_some_and(|enforced| !enforced.value);
    match outcome {
        Outcome::Admit => {
            for codes in [&expect.codes, &expect.codes_any]
                .into_iter()
                .flatten()
                .filter(|codes| !codes.value.is_empty())
            {
                desk.invalid(&codes.range, "a card that is admitted has no reasons for a denial");
            }
            if let Some(enforced) = expect.enforced.as_ref().filter(|_| is_unenforced) {
                desk.invalid(&enforced.range, "only a denial can be unenforced");
            }
        }
        Outcome::Deny => {
            let interfaces = expect.interfaces.as_ref().filter(|interfaces| !interfaces.value.is_empty());
            if let Some(interfaces) = interfaces.filter(|_| !is_unenforced) {
                desk.invalid(&interfaces.range, "a card that is denied has no interface that may be used");
            }
        }
    }
}

fn codes(written: &Texts, known: &[Code], desk: &mut Desk<'_>) -> Placed<Vec<Code>> {
    let mut codes: Vec<Code> = Vec::new();
    for text in &written.value {
        match known.iter().find(|code| code.name() == text.value) {
            Some(code) if codes.contains(code) => desk.invalid(&text.range, format!("`{code}` stands twice")),
            Some(code) => codes.push(*code),
            None => {
                let message = format!("`{}` is no code", text.value);
                let mut fault = PolicyFault::new(codes::POLICY_INVALID, desk.place(&text.range), message);
                fault.help = suggestion(&text.value, known.iter().map(|code| code.name()));
                desk.faults.push(fault);
            }
        }
    }
    desk.text.placed(written, codes)
}

fn texts(written: &Texts) -> Vec<String> {
    written.value.iter().map(|text| text.value.clone()).collect()
}

fn placed(written: &Texts, desk: &mut Desk<'_>) -> Vec<Placed<String>> {
    desk.list(written).iter().map(|text| desk.text.placed(text, text.value.clone())).collect()
}
