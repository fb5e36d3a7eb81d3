//! `policy show`: what a policy means.

mod json;

use countersign::policy::{AllowRule, DenyRule, Grace, KeySelector, Mode, PolicyKey, SignatureLevel};
use countersign::{TOOL, TrustPolicy, UnixTime};
use serde::Serialize;

use crate::args::{Format, PolicyShowArgs};
use crate::failure::{Failure, Stop};
use crate::outcome::Outcome;
use crate::output::Session;
use crate::policyfile;
use crate::render::{Paint, escape};

#[derive(Serialize)]
struct ExpandedJson<'p> {
    schema: &'static str,
    policy: &'p str,
    digest: &'p str,
    expanded: &'p countersign::policy::ExpandedPolicy,
}

pub(crate) fn run(args: &PolicyShowArgs, session: &mut Session<'_>) -> Result<Outcome, Stop> {
    let policy = policyfile::load(&args.policy, session)?;
    let name = args.policy.display().to_string();
    match (args.expanded, session.format) {
        (true, Format::Json) => session.json(&ExpandedJson {
            schema: "countersign.policy-expanded/1",
            policy: &name,
            digest: policy.digest(),
            expanded: policy.expanded(),
        })?,
        (true, Format::Human | Format::Short) => expanded(&policy, &name, session)?,
        (false, Format::Json) => session.json(&json::policy(&policy, &name, session.now()))?,
        (false, Format::Short) => session.data(&short(&policy, &name))?,
        (false, Format::Human) => {
            for line in lines(&policy, &name, session.now(), session.out.paint) {
                session.data(&line)?;
            }
        }
    }
    Ok(Outcome::Yes)
}

/// The policy as one file, with its digest in a comment.
fn expanded(policy: &TrustPolicy, name: &str, session: &mut Session<'_>) -> Result<(), Stop> {
    let text = policy.to_toml().map_err(|error| {
        Failure::coded(Outcome::CouldNotTell, error.code(), format!("a key cannot be written: {error}"))
    })?;
    session.data(&format!("# {}, {}", escape(name), policy.digest()))?;
    session.out.writer.write_all(text.as_bytes())?;
    if TrustPolicy::read(&text, name, &TOOL).ok().is_none_or(|again| again.digest() != policy.digest()) {
        let head = session.err.paint.warn("warning:");
        let what = "a rule that is extended lacks what the defaults have; read as a policy, the text has another digest";
        session.note(&format!("{head} {}: {what}", escape(name)))?;
    }
    Ok(())
}

fn short(policy: &TrustPolicy, name: &str) -> String {
    let counts = [
        counted(policy.keys().len(), "key", "keys"),
        counted(policy.key_sets().len(), "key set", "key sets"),
        counted(policy.allows().len(), "rule", "rules"),
        counted(policy.denies().len(), "denial", "denials"),
        counted(policy.exceptions().len(), "exception", "exceptions"),
    ];
    format!("{}: {} {}", escape(name), policy.digest(), counts.join(", "))
}

fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

fn lines(policy: &TrustPolicy, name: &str, now: UnixTime, paint: Paint) -> Vec<String> {
    let titled = |title: Option<&str>| title.map_or_else(|| "no name".to_owned(), escape);
    let mut lines = vec![format!("{}: {}", paint.bold(&escape(name)), titled(policy.name()))];
    if let Some(owner) = policy.owner() {
        lines.push(format!("  owner       {}", escape(owner)));
    }
    lines.push(format!("  digest      {}", policy.digest()));
    for file in policy.files().iter().skip(1) {
        lines.push(format!("  with        {}", escape(&file.name)));
    }
    let sections: [(&str, Vec<String>); 6] = [
        ("keys", policy.keys().iter().map(|of| key(policy, of, now)).collect()),
        (
            "revoked",
            policy
                .tombstones()
                .iter()
                .map(|of| {
                    let kid =
                        of.kid.as_deref().map(|kid| format!(", kid `{}`", escape(kid))).unwrap_or_default();
                    format!(
                        "{}: {}, since {}, thumbprint {}{kid}",
                        escape(&of.id),
                        of.reason.name(),
                        of.at,
                        of.thumbprint
                    )
                })
                .collect(),
        ),
        (
            "key sets",
            policy
                .key_sets()
                .iter()
                .map(|of| {
                    let place = of
                        .url
                        .as_ref()
                        .map_or_else(|| "with the policy".to_owned(), |url| escape(&url.canonical_text()));
                    format!(
                        "{}: {place}, for {}",
                        escape(&of.id),
                        joined(of.origins.iter().map(|origin| &origin.value))
                    )
                })
                .collect(),
        ),
        ("deny", policy.denies().iter().map(deny).collect()),
        ("allow", policy.allows().iter().map(|of| allow(of, now)).collect()),
        (
            "exceptions",
            policy
                .exceptions()
                .iter()
                .map(|of| {
                    let codes: Vec<&str> = of.waives.iter().map(|code| code.value.name()).collect();
                    let state = if now <= of.until { "until" } else { "ended" };
                    format!(
                        "{}: {} waived for {} in `{}`, {state} {}, {}: {}",
                        escape(&of.id),
                        codes.join(", "),
                        of.origin.value,
                        escape(&of.rule.value),
                        of.until,
                        escape(&of.owner),
                        escape(&of.reason)
                    )
                })
                .collect(),
        ),
    ];
    for (title, entries) in sections {
        if !entries.is_empty() {
            lines.push(format!("  {title}"));
            lines.extend(entries.into_iter().map(|entry| format!("    {entry}")));
        }
    }
    if policy.allows().is_empty() {
        lines.push("  no rule allows anything: every card is denied".to_owned());
    }
    lines
}

/// Values with commas between them.
fn joined<T: ToString>(values: impl Iterator<Item = T>) -> String {
    values.map(|value| escape(&value.to_string())).collect::<Vec<_>>().join(", ")
}

/// Whether a key counts now.
fn validity(key: &PolicyKey, now: UnixTime) -> &'static str {
    let now = now.seconds();
    if key.trusted.not_after().is_some_and(|last| now > last) {
        "ended"
    } else if key.trusted.not_before().is_some_and(|first| now < first) {
        "not-yet"
    } else {
        "valid"
    }
}

fn key(policy: &TrustPolicy, key: &PolicyKey, now: UnixTime) -> String {
    let algorithms = match key.trusted.algorithms() {
        Some(algorithms) => joined(algorithms.iter()),
        None => key.trusted.key().kind().to_string(),
    };
    let kid = key.trusted.kid().map(|kid| format!(", kid `{}`", escape(kid))).unwrap_or_default();
    let last = key.trusted.not_after().map(UnixTime::from_seconds);
    let validity = match (validity(key, now), policyfile::first_second(policy, key), last) {
        ("ended", _, Some(last)) => format!("ended {last}"),
        ("not-yet", Some(first), _) => format!("not valid before {first}"),
        (_, _, Some(last)) => format!("valid until {last}"),
        (_, _, None) => "valid".to_owned(),
    };
    let origins = joined(key.origins.iter().map(|origin| &origin.value));
    let (id, thumbprint) = (escape(&key.id), key.trusted.thumbprint());
    format!("{id}: {algorithms}{kid}, {validity}, for {origins}, thumbprint {thumbprint}")
}

fn deny(rule: &DenyRule) -> String {
    let hosts = rule.hosts.iter().map(|host| host.value.to_string());
    let what = joined(hosts.chain(rule.extensions.iter().map(|extension| extension.value.clone())));
    format!("{}: {what}: {}", escape(&rule.id), escape(&rule.reason))
}

fn allow(rule: &AllowRule, now: UnixTime) -> String {
    let mut parts = vec![format!("from {}", joined(rule.from.iter().map(|from| &from.value)))];
    if let Some(kinds) = &rule.sources {
        parts.push(format!("found as {}", joined(kinds.iter())));
    }
    for (what, words) in [("tenants", &rule.tenants), ("uses", &rule.uses)] {
        if let Some(words) = words {
            parts.push(format!("{what} {}", joined(words.iter())));
        }
    }
    let level = &rule.signatures.level.value;
    let end = match level.at(now) {
        SignatureLevel::Require => String::new(),
        SignatureLevel::IfPresent(grace) | SignatureLevel::Off(grace) => ending(grace),
    };
    let groups = rule.signatures.groups.iter().map(|group| {
        let keys = match &group.keys {
            KeySelector::Origin => "*origin".to_owned(),
            KeySelector::Named { names, .. } => joined(names.iter()),
        };
        format!("{} of {keys}", group.min)
    });
    let groups: Vec<String> = groups.collect();
    parts.push(format!("signatures {}{end} ({})", level.at(now).name(), groups.join("; ")));
    let hosts = rule.interfaces.hosts.source.iter().map(|_| "*source".to_owned());
    let hosts = hosts.chain(rule.interfaces.hosts.listed.iter().map(|host| host.value.to_string()));
    let holds = |grace: &Option<Grace>| grace.as_ref().is_none_or(|grace| grace.holds(now));
    let any = rule
        .interfaces
        .any_host
        .iter()
        .filter(|any| holds(&any.value.grace))
        .map(|_| "any public host".to_owned());
    parts.push(format!("interfaces on {}", joined(hosts.chain(any))));
    parts.push(match &rule.mode.value {
        Mode::Audit(grace) if grace.holds(now) => format!("audit{}: nothing is enforced", ending(grace)),
        Mode::Audit(grace) => format!("enforced since {}", grace.until),
        Mode::Enforce => "enforced".to_owned(),
    });
    format!("{}: {}", escape(&rule.id), parts.join("; "))
}

fn ending(grace: &Grace) -> String {
    format!(" until {}", grace.until)
}
