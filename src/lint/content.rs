//! What the texts of a card hold beside what they say: hidden characters, secrets, orders to a model; and tenants.

mod characters;
mod directive;
mod secret;

use countersign_keys::json::{Kind, Value};
use countersign_keys::{Edit, Fix, FixSafety, Level};

use super::report::{Place, Remark, Report, quoted};
use super::{Family, Lint, Subject};
use crate::card::member;
use crate::codes::content as codes;
use characters::Layout;
use secret::Zone;

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const CHARACTERS: Lint =
    Lint::new(codes::CARD_TEXT_CONTROL_OR_BIDI, Some(Level::Warning), Some(Level::Warning));
const DIRECTIVE: Lint = Lint::new(codes::CARD_TEXT_DIRECTIVE, None, None);
const SECRET: Lint = Lint::new(codes::CARD_SECRET_IN_CARD, Some(Level::Error), Some(Level::Warning));
const TENANT: Lint = Lint::new(codes::CARD_TENANT_SUSPICIOUS, Some(Level::Warning), Some(Level::Warning));

static LINTS: [Lint; 4] = [CHARACTERS, DIRECTIVE, SECRET, TENANT];

/// Members that hold one line.
const ONE_LINE: [&str; 9] =
    ["name", "id", "organization", "version", "url", "uri", "tenant", "protocolBinding", "protocolVersion"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let directives = if report.wants(&DIRECTIVE) { Directives::Wanted } else { Directives::Off };
    let here = Here { secret_name_in: None, layout: Layout::Lines, zone: Zone::Card };
    Walk { report, directives }.value(subject.view.value(), here);
    mixed_scripts(subject, report);
    tenants(subject, report);
}

/// Looks at every string and every member name once.
struct Walk<'r, 't> {
    report: &'r mut Report<'t>,
    directives: Directives,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Directives {
    Wanted,
    Off,
}

/// What is known about a place from the places above it.
#[derive(Clone, Copy)]
struct Here<'c> {
    /// The object one of whose member names holds a secret: no pointer may name anything below it.
    secret_name_in: Option<Value<'c>>,
    layout: Layout,
    zone: Zone,
}

impl<'c> Walk<'_, '_> {
    fn value(&mut self, value: Value<'c>, here: Here<'c>) {
        match value.kind() {
            Kind::Text => {
                let place = here.secret_name_in.map_or(Place::At(value), Place::At);
                self.text(value.as_text().unwrap_or_default(), Some(value), place, here);
            }
            Kind::Array => value.elements().for_each(|element| self.value(element, here)),
            Kind::Object => self.object(value, here),
            Kind::Null | Kind::Bool | Kind::Number => {}
        }
    }

    fn object(&mut self, object: Value<'c>, here: Here<'c>) {
        let place = |wanted: Place<'c>| here.secret_name_in.map_or(wanted, Place::At);
        if let Some(name) = secret::private_jwk_member(object) {
            let remark = Remark::new(format!("the JWK has the private member `{name}`"))
                .help("publish the public key only, and replace this key");
            self.report.add(&SECRET, place(Place::Name(object, name)), remark);
        }
        for (name, value) in object.members() {
            let mut below = here;
            if secret::kind(name, here.zone).is_some() && below.secret_name_in.is_none() {
                below.secret_name_in = Some(object);
            }
            let place = below.secret_name_in.map_or(Place::Name(object, name), Place::At);
            self.text(name, None, place, Here { layout: Layout::Line, ..below });
            below.layout = if ONE_LINE.contains(&name) { Layout::Line } else { Layout::Lines };
            if name == "signatures" {
                below.zone = Zone::Signatures;
            }
            self.value(value, below);
        }
    }

    /// `value` is the string; none for a member name.
    fn text(&mut self, text: &str, value: Option<Value<'c>>, place: Place<'c>, here: Here<'c>) {
        let what = if value.is_some() { "the text" } else { "a member name" };
        if let Some(found) = characters::look(text, here.layout) {
            let more =
                if found.count > 1 { format!(", and {} more", found.count - 1) } else { String::new() };
            let first = found.first;
            let remark =
                Remark::new(format!("{what} holds {} (U+{:04X}{more})", found.what, u32::from(first)))
                    .help("delete what nobody can see");
            let remark = match value.and_then(|value| deletion(value, &found.removable)) {
                Some(fix) => remark.fix(fix),
                None => remark,
            };
            self.report.add(&CHARACTERS, place, remark);
        }
        if let Some(kind) = secret::kind(text, here.zone) {
            let remark = Remark::new(format!("{what} holds what looks like {kind}"))
                .help("revoke it, then delete it from the card");
            self.report.add(&SECRET, place, remark);
        }
        if self.directives == Directives::Wanted
            && let Some(phrase) = directive::phrase(text)
        {
            let remark = Remark::new(format!("{what} addresses the model that reads it: `{phrase}`"));
            self.report.add(&DIRECTIVE, place, remark);
        }
    }
}

/// Deletes octets of a string that was written without escapes.
fn deletion(string: Value<'_>, removable: &[std::ops::Range<usize>]) -> Option<Fix> {
    let text = string.range().start + 1;
    let edit = |range: &std::ops::Range<usize>| Edit {
        range: text + range.start..text + range.end,
        text: String::new(),
    };
    let is_plain = !string.raw().contains('\\') && !removable.is_empty();
    is_plain.then(|| Fix::new(FixSafety::Suggested, removable.iter().map(edit).collect()))
}

/// Names by which people know the agent, its provider and its skills.
fn mixed_scripts(subject: &Subject<'_>, report: &mut Report<'_>) {
    let view = subject.view;
    let provider = view.provider().and_then(|provider| member(provider, "organization"));
    let skills = view.skills().filter_map(|skill| member(skill.value(), "name"));
    for name in view.member("name").into_iter().chain(provider).chain(skills) {
        if let Some(word) = name.as_text().and_then(characters::mixed_word) {
            let remark = Remark::new(format!("{} mixes letters of several scripts", quoted(word)))
                .help("write each word in one script; letters of another may look the same");
            report.add(&CHARACTERS, Place::At(name), remark);
        }
    }
}

fn tenants(subject: &Subject<'_>, report: &mut Report<'_>) {
    let interfaces = subject.view.member("supportedInterfaces");
    for interface in interfaces.into_iter().flat_map(Value::elements) {
        let Some(tenant) = member(interface, "tenant") else { continue };
        let Some(text) = tenant.as_text() else { continue };
        if let Some(fault) = tenant_fault(text) {
            let remark = Remark::new(format!("the tenant {} {fault}", quoted(text)))
                .help("use letters, digits, `-`, `_` and single dots");
            report.add(&TENANT, Place::At(tenant), remark);
        }
    }
}

/// Why a tenant should not be put into the path of a URL.
fn tenant_fault(text: &str) -> Option<&'static str> {
    let has = |wanted: &[char]| text.contains(wanted);
    if text.contains(|character: char| character.is_control() || character.is_whitespace()) {
        Some("holds white space or control characters")
    } else if text.contains("://") {
        Some("is a URL")
    } else if has(&['/', '\\']) {
        Some("holds a slash, so it is more than one segment of a path")
    } else if matches!(text, "." | "..") {
        Some("is a dot segment, which URLs resolve away")
    } else if has(&['{', '}']) {
        Some("is a template that nobody has filled in")
    } else if has(&['?', '#', '%']) {
        Some("holds a character with a meaning in URLs")
    } else {
        None
    }
}

#[cfg(test)]
mod tests;
