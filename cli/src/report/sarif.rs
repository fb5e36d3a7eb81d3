//! SARIF 2.1.0: one run, written as the findings come.

use std::io::{self, Write};

use countersign::{Finding, Level, LintSetting, Span};
use serde::Serialize;

use super::text::{Fingerprints, count, plain, relative};
use super::{FileFindings, Report, Rule, Totals, place};
use crate::args::FailOn;
use crate::failure::Failure;
use crate::json::to_text;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What file names are relative to: the root of the repository, which the reader of the report knows.
const ROOT: &str = "%SRCROOT%";

/// Most files that could not be read that are told one by one.
const MAX_NOTIFICATIONS: usize = 100;

pub(super) struct Sarif {
    rules: Vec<Rule>,
    fail_on: FailOn,
    written: usize,
    unread: Vec<Notification>,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Descriptor>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
    enabled: bool,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultJson {
    rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    partial_fingerprints: Fingerprint,
}

#[derive(Serialize)]
struct Fingerprint {
    #[serde(rename = "countersign/v1")]
    ours: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactLocation {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation<'i> {
    execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rule_configuration_overrides: Vec<Override>,
    #[serde(skip_serializing_if = "slice_is_empty")]
    tool_execution_notifications: &'i [Notification],
}

#[derive(Serialize)]
struct Override {
    descriptor: Reference,
    configuration: Configuration,
}

#[derive(Serialize)]
struct Reference {
    id: &'static str,
    index: usize,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
}

impl Sarif {
    pub(super) const fn new(rules: Vec<Rule>, fail_on: FailOn) -> Self {
        Self { rules, fail_on, written: 0, unread: Vec::new() }
    }
}

impl Report for Sarif {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules = self.rules.iter().map(|rule| self.descriptor(rule)).collect();
        let driver = Driver { name: "countersign", semantic_version: env!("CARGO_PKG_VERSION"), rules };
        writeln!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{")?;
        writeln!(out, "\"tool\":{},", to_text(&Tool { driver })?)?;
        writeln!(out, "\"columnKind\":\"unicodeCodePoints\",")?;
        let root = "The root of the repository: where the report was made.";
        writeln!(out, "\"originalUriBaseIds\":{{\"{ROOT}\":{{\"description\":{{\"text\":\"{root}\"}}}}}},")?;
        write!(out, "\"results\":[")
    }

    fn file(&mut self, file: &FileFindings<'_>, out: &mut dyn Write) -> io::Result<()> {
        let artifact = ArtifactLocation::of(file.name);
        let mut fingerprints = Fingerprints::default();
        for finding in file.findings {
            let pointer = finding.pointer.as_deref().filter(|pointer| !pointer.is_empty());
            let result = ResultJson {
                rule_id: finding.code.name(),
                rule_index: self.rules.iter().position(|rule| rule.code == finding.code),
                level: self.level(finding.level),
                message: Message::new(&sentence(finding)),
                locations: [Location {
                    physical_location: PhysicalLocation {
                        artifact_location: artifact.clone(),
                        region: finding.span.map(|span| Region::of(file.octets, span)),
                    },
                    logical_locations: pointer.map(LogicalLocation::of).into_iter().collect(),
                }],
                partial_fingerprints: Fingerprint { ours: fingerprints.next("", finding) },
            };
            let separator = if self.written == 0 { "\n" } else { ",\n" };
            write!(out, "{separator}{}", to_text(&result)?)?;
            self.written += 1;
        }
        Ok(())
    }

    fn unread(&mut self, name: &str, failure: &Failure, _: &mut dyn Write) -> io::Result<()> {
        if self.unread.len() < MAX_NOTIFICATIONS {
            let text = format!("{}: {}", plain(name), plain(&failure.message));
            self.unread.push(Notification { level: "error", message: Message { text } });
        }
        Ok(())
    }

    fn end(&mut self, totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
        if totals.unread > self.unread.len() {
            let text = format!("{} more", count(totals.unread - self.unread.len(), "file"));
            self.unread.push(Notification { level: "error", message: Message { text } });
        }
        let invocation = Invocation {
            execution_successful: totals.unread == 0,
            rule_configuration_overrides: self.overrides(),
            tool_execution_notifications: &self.unread,
        };
        writeln!(out, "\n],\n\"invocations\":[{}]\n}}]}}", to_text(&invocation)?)
    }
}

impl Sarif {
    /// What is a no is an error here, and nothing else is.
    fn level(&self, level: Level) -> &'static str {
        match level {
            _ if self.fail_on.fails(level) => "error",
            Level::Error | Level::Warning => "warning",
            Level::Info => "note",
        }
    }

    fn configuration(&self, level: Option<Level>) -> Configuration {
        let enabled = level.is_some();
        Configuration { level: level.map_or("none", |level| self.level(level)), enabled }
    }

    fn descriptor(&self, rule: &Rule) -> Descriptor {
        let page = rule.code.page();
        let help = format!(
            "{}\n\nWhy: {}\n\nExample: {}\n\nInstead: {}",
            page.what, page.why, page.example, page.instead
        );
        Descriptor {
            id: page.name,
            short_description: Message::new(page.what),
            full_description: Message::new(page.why),
            help: Message { text: help },
            default_configuration: self.configuration(rule.level),
        }
    }

    /// The rules whose level somebody changed.
    fn overrides(&self) -> Vec<Override> {
        let set = |(index, rule): (usize, &Rule)| {
            let level = match rule.set? {
                LintSetting::Off => None,
                LintSetting::At(level) => Some(level),
            };
            let descriptor = Reference { id: rule.code.name(), index };
            (level != rule.level).then(|| Override { descriptor, configuration: self.configuration(level) })
        };
        self.rules.iter().enumerate().filter_map(set).collect()
    }
}

impl Message {
    fn new(text: &str) -> Self {
        Self { text: plain(text) }
    }
}

impl ArtifactLocation {
    fn of(name: &str) -> Self {
        let name = relative(name);
        let is_absolute = std::path::Path::new(&name).is_absolute();
        if is_absolute {
            let slash = if name.starts_with('/') { "" } else { "/" };
            return Self { uri: format!("file://{slash}{}", percent_encoded(&name)), uri_base_id: None };
        }
        Self { uri: percent_encoded(&name), uri_base_id: Some(ROOT) }
    }
}

impl Region {
    fn of(octets: &[u8], span: Span) -> Self {
        let (end_line, end_column) = place::end(octets, span).unzip();
        Self { start_line: span.line, start_column: span.column, end_line, end_column }
    }
}

impl LogicalLocation {
    fn of(pointer: &str) -> Self {
        Self { fully_qualified_name: plain(pointer) }
    }
}

/// The message with a capital letter and a full stop.
fn sentence(finding: &Finding) -> String {
    let mut characters = finding.message.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", characters.as_str().trim_end_matches('.'))
}

/// RFC 3986: everything but unreserved characters and the slash.
fn percent_encoded(path: &str) -> String {
    let mut encoded = String::new();
    for octet in path.bytes() {
        if octet.is_ascii_alphanumeric() || b"-._~/".contains(&octet) {
            encoded.push(char::from(octet));
        } else {
            encoded.push_str(&format!("%{octet:02X}"));
        }
    }
    encoded
}

fn slice_is_empty(notifications: &&[Notification]) -> bool {
    notifications.is_empty()
}
