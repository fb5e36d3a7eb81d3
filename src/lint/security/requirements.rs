//! What the card and its skills demand, against what is declared.

use std::collections::BTreeSet;

use countersign_keys::json::{Kind, Value};
use countersign_keys::{Edit, Fix, FixSafety, Level};

use super::{ANONYMOUS, BARE_REQUIREMENT, UNDEFINED_SCHEME, UNUSED_SCHEME};
use crate::card::member;
use crate::lint::Subject;
use crate::lint::report::{MAX_OF_A_KIND, Place, Remark, Report, quoted};
use crate::{RequiredScheme, Requirement, RequirementFault, Requirements};
use countersign_keys::nearest::nearest;

/// The names of schemes, declared and required.
struct Names<'c> {
    declared: BTreeSet<&'c str>,
    required: BTreeSet<&'c str>,
    /// How many required names were not declared.
    undefined: usize,
}

pub(super) fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let declared = subject.view.security_schemes().map(|scheme| scheme.name).collect();
    let mut names = Names { declared, required: BTreeSet::new(), undefined: 0 };
    let demands = subject.view.requirements();
    anonymous(subject, &demands, &names, report);
    legacy_member(subject, report);
    names.look_at(&demands, report);
    for skill in subject.view.skills() {
        names.look_at(&skill.requirements(), report);
    }
    // Where nothing at all is demanded, that is what is wrong.
    if !names.required.is_empty() {
        unused(subject, &names, report);
    }
}

fn anonymous(subject: &Subject<'_>, demands: &Requirements<'_>, names: &Names<'_>, report: &mut Report<'_>) {
    let entries = match demands {
        Requirements::Unreadable(_) => return,
        Requirements::Absent => return nothing_demanded(subject, names, report),
        Requirements::AnyOf(entries) => entries,
    };
    for entry in entries {
        let Requirement::AllOf { value, schemes } = entry else { continue };
        if !schemes.is_empty() {
            continue;
        }
        let remark = if entries.len() == 1 {
            Remark::new("the only requirement demands nothing: clients need not authenticate")
        } else {
            Remark::new("this alternative demands nothing: clients may choose it and need not authenticate")
                .help("delete it; requirements are alternatives")
        };
        report.add(&ANONYMOUS, Place::At(*value), remark);
    }
}

fn nothing_demanded(subject: &Subject<'_>, names: &Names<'_>, report: &mut Report<'_>) {
    let is_for_1_0 = subject.is_for_1_0;
    let name = if is_for_1_0 { "securityRequirements" } else { "security" };
    let remark = match names.declared.first() {
        None => Remark::new("the card demands no authentication")
            .help(format!("declare a scheme in `securitySchemes` and demand it in `{name}`")),
        Some(scheme) => {
            let scheme = quoted(scheme).replace('`', "");
            let entry = if is_for_1_0 {
                format!("{{\"schemes\": {{\"{scheme}\": {{\"list\": []}}}}}}")
            } else {
                format!("{{\"{scheme}\": []}}")
            };
            Remark::new("the card declares security schemes and demands none of them")
                .help(format!("add `\"{name}\": [{entry}]`, with the scopes that are needed"))
        }
    };
    let place = match subject.view.member(name) {
        Some(written) => Place::At(written),
        None => Place::Missing(subject.view.value(), name),
    };
    report.add(&ANONYMOUS, place, remark);
}

/// `security` of A2A 0.3 as the only demand of a card that clients of A2A 1.0 read.
fn legacy_member(subject: &Subject<'_>, report: &mut Report<'_>) {
    let demands = |name| subject.view.member(name).filter(|list| !list.is_null() && !list.is_empty());
    let Some(list) = demands("security") else { return };
    if !subject.is_for_1_0 || demands("securityRequirements").is_some() {
        return;
    }
    let remark = Remark::new(
        "only `security` of A2A 0.3 demands authentication; clients of A2A 1.0 do not read it",
    )
    .help("state the same demands in `securityRequirements`: `{\"schemes\": {\"NAME\": {\"list\": []}}}`")
    .level(Level::Warning);
    report.add(&BARE_REQUIREMENT, Place::At(list), remark);
}

impl<'c> Names<'c> {
    /// Notes what is demanded, and reports what cannot be met.
    fn look_at(&mut self, demands: &Requirements<'c>, report: &mut Report<'_>) {
        for entry in demands.entries() {
            match entry {
                Requirement::AllOf { value, schemes } => {
                    let inner = member(*value, "schemes").filter(|inner| inner.kind() == Kind::Object);
                    for scheme in schemes {
                        let is_inside = |inner: &Value<'_>| inner.contains(scheme.value.id());
                        self.required(scheme, inner.filter(is_inside).unwrap_or(*value), report);
                    }
                }
                Requirement::Unreadable { value, fault: RequirementFault::Bare } => {
                    self.required.extend(value.members().map(|(name, _)| name));
                    bare(*value, report);
                }
                Requirement::Unreadable { .. } => {}
            }
        }
    }

    /// `owner` is the object whose member names are those of schemes.
    fn required(&mut self, scheme: &RequiredScheme<'c>, owner: Value<'c>, report: &mut Report<'_>) {
        self.required.insert(scheme.name);
        if self.declared.contains(scheme.name) {
            return;
        }
        let remark = Remark::new(format!("no security scheme is called {}", quoted(scheme.name)));
        self.undefined += 1;
        // What is not told is not thought about: a hostile card has thousands of names.
        let likely =
            (self.undefined <= MAX_OF_A_KIND).then(|| nearest(scheme.name, self.declared.iter().copied()));
        let remark = match likely.flatten() {
            None => remark.help("declare it in `securitySchemes`"),
            Some(likely) => {
                let remark = remark.help(format!("write {}", quoted(likely)));
                match renamed(owner, scheme, likely) {
                    Some(fix) => remark.fix(fix),
                    None => remark,
                }
            }
        };
        report.add(&UNDEFINED_SCHEME, Place::Name(owner, scheme.name), remark);
    }
}

fn renamed(owner: Value<'_>, scheme: &RequiredScheme<'_>, name: &str) -> Option<Fix> {
    let (token, _) = owner.sorted_members().find(|(_, value)| value.id() == scheme.value.id())?;
    // A second member of that name would make the card unreadable.
    let is_taken = owner.member(name).is_some();
    let mut text = Vec::new();
    countersign_keys::jcs::write_text(name, &mut text);
    let text = String::from_utf8(text).ok().filter(|_| !is_taken)?;
    Some(Fix::new(FixSafety::Suggested, vec![Edit { range: token.range(), text }]))
}

fn bare(entry: Value<'_>, report: &mut Report<'_>) {
    let remark = Remark::new("the requirement has no `schemes`: it is written as in A2A 0.3")
        .help("write `{\"schemes\": {\"NAME\": {\"list\": [SCOPES]}}}`");
    let is_scopes = |value: Value<'_>| {
        value.kind() == Kind::Array && value.elements().all(|scope| scope.kind() == Kind::Text)
    };
    let remark =
        if entry.members().all(|(_, value)| is_scopes(value)) { remark.fix(wrap(entry)) } else { remark };
    report.add(&BARE_REQUIREMENT, Place::At(entry), remark);
}

/// `{"oauth": ["read"]}` as `{"schemes": {"oauth": {"list": ["read"]}}}`, white space as it was.
fn wrap(entry: Value<'_>) -> Fix {
    let insert = |at, text: &str| Edit { range: at..at, text: text.to_owned() };
    let mut edits = vec![insert(entry.range().start, "{\"schemes\": ")];
    for (_, scopes) in entry.members() {
        let range = scopes.range();
        edits.extend([insert(range.start, "{\"list\": "), insert(range.end, "}")]);
    }
    edits.push(insert(entry.range().end, "}"));
    Fix::new(FixSafety::Suggested, edits)
}

fn unused(subject: &Subject<'_>, names: &Names<'_>, report: &mut Report<'_>) {
    let Some(schemes) = subject.view.member("securitySchemes") else { return };
    for (name, _) in schemes.members().filter(|(name, _)| !names.required.contains(name)) {
        let remark = Remark::new(format!("no requirement demands scheme {}", quoted(name)))
            .help("demand it where it is needed, or delete it");
        report.add(&UNUSED_SCHEME, Place::Name(schemes, name), remark);
    }
}
