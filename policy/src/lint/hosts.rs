//! Host patterns: how wide, how safe, and how they are spelled.

use countersign_keys::{Edit, FixSafety, Level};

use super::report::{Remark, Report};
use super::scripts::{Deception, deceptive_label};
use super::source::Written;
use super::{Family, PolicyLint, Subject};
use crate::codes::lints as codes;
use crate::pattern::Wildcard;
use crate::{
    AddressClass, AllowPattern, AllowRule, DenyPattern, LoopbackNames, Placed, PolicyPlace, Scheme,
    StrictUrl, UrlUse, registrable_domain,
};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const BROAD: PolicyLint = PolicyLint::new(codes::POLICY_BROAD_WILDCARD, Level::Warning);
const HTTP: PolicyLint = PolicyLint::new(codes::POLICY_HTTP_SCHEME, Level::Warning);
const IP: PolicyLint = PolicyLint::new(codes::POLICY_IP_LITERAL, Level::Warning);
const SPELLING: PolicyLint = PolicyLint::new(codes::POLICY_PATTERN_NOT_CANONICAL, Level::Info);
const SCRIPTS: PolicyLint = PolicyLint::new(codes::POLICY_MIXED_SCRIPT_HOST, Level::Warning);
const APEX: PolicyLint = PolicyLint::new(codes::POLICY_APEX_PROBABLY_MISSING, Level::Info);

static LINTS: [PolicyLint; 6] = [BROAD, HTTP, IP, SPELLING, SCRIPTS, APEX];

/// A pattern with the place and the string that it was read from.
struct Seen<'s> {
    pattern: &'s AllowPattern,
    place: &'s PolicyPlace,
    written: Option<Written<'s>>,
    /// Whether the string is the pattern; else it is the name of a set that the pattern is in.
    is_literal: bool,
}

fn check(subject: &Subject<'_>, report: &mut Report) {
    for rule in subject.policy.allows() {
        for pattern in rule.from.iter().chain(&rule.interfaces.hosts.listed).chain(&rule.auth.hosts) {
            let seen = Seen::of(subject, pattern);
            seen.look(report);
            seen.transport(report);
            seen.address(report);
        }
        schemes(subject, rule, report);
        missing_apex(subject, rule, report);
    }
    let policy = subject.policy;
    let origins = policy.keys().iter().flat_map(|key| &key.origins);
    for origin in origins.chain(policy.key_sets().iter().flat_map(|set| &set.origins)) {
        Seen::of(subject, origin).look(report);
    }
    for host in policy.denies().iter().flat_map(|rule| &rule.hosts) {
        if let Some(written) = subject.sources.string_at(&host.place) {
            denied_spelling(&written, &host.place, report);
        }
    }
    for set in policy.named_hosts().values() {
        for written in subject.sources.strings_in(&set.place).filter(|written| is_member(set, written)) {
            let Some(place) = subject.sources.place(&written) else { continue };
            match AllowPattern::read(written.text) {
                Ok(pattern) => spelling(&pattern, &written, &place, report),
                Err(_) => denied_spelling(&written, &place, report),
            }
        }
    }
}

fn is_member(set: &Placed<Vec<String>>, written: &Written<'_>) -> bool {
    set.value.iter().any(|member| member == written.text)
}

impl<'s> Seen<'s> {
    fn of(subject: &Subject<'s>, pattern: &'s Placed<AllowPattern>) -> Self {
        let written = subject.sources.string_at(&pattern.place);
        let is_literal = written.is_some_and(|written| {
            // Most are spelled as they are compared; reading one again costs more.
            let text = written.text.strip_prefix("https://").unwrap_or(written.text);
            text == pattern.value.to_string()
                || AllowPattern::read(written.text).is_ok_and(|read| read == pattern.value)
        });
        Self { pattern: &pattern.value, place: &pattern.place, written, is_literal }
    }

    /// The pattern for a message.
    fn shown(&self) -> String {
        match &self.written {
            Some(written) if !self.is_literal => {
                format!("`{}` of the set `{}`", self.pattern, written.text)
            }
            Some(written) => format!("`{}`", written.text),
            None => format!("`{}`", self.pattern),
        }
    }

    /// Takes `old` out of the string and puts `new` there.
    fn replaced(&self, old: &str, new: &str) -> Option<Edit> {
        let written = self.written.as_ref().filter(|_| self.is_literal)?;
        let start = written.start.saturating_add(written.text.find(old)?);
        Some(Edit { range: start..start.saturating_add(old.len()), text: new.to_owned() })
    }

    fn look(&self, report: &mut Report) {
        self.width(report);
        if let Some(written) = self.written.as_ref().filter(|_| self.is_literal) {
            spelling(self.pattern, written, self.place, report);
        }
        let host = self.pattern.host_parts().1;
        if let Some((label, deception)) = host.name().and_then(|name| deceptive_label(name.as_str())) {
            let how = match deception {
                Deception::Mixed => "has letters of several scripts",
                Deception::LooksLatin => "has no Latin letter and looks as if it were Latin",
            };
            let message = format!("the label `{label}` of {} {how}", self.shown());
            report.add(&SCRIPTS, self.place, Remark::new(message));
        }
    }

    fn width(&self, report: &mut Report) {
        let (wildcard, host) = self.pattern.host_parts();
        if let (Wildcard::AnyDepth, Some(base)) = (wildcard, host.name())
            && registrable_domain(base) == Some(base.as_str())
        {
            let message = format!("{} matches every name below the registered domain `{base}`", self.shown());
            let mut remark = Remark::new(message)
                .help(format!("write `*.{base}` for one label, or a name below it: `**.agents.{base}`"));
            if let Some(edit) = self.replaced("**.", "*.") {
                remark = remark.fix(FixSafety::Suggested, vec![edit]);
            }
            report.add(&BROAD, self.place, remark);
        }
        if self.pattern.allows_any_port() {
            let mut remark = Remark::new(format!("{} matches every port", self.shown()))
                .help("write the port, or none for the default one");
            if let Some(edit) = self.replaced(":*", "") {
                remark = remark.fix(FixSafety::Suggested, vec![edit]);
            }
            report.add(&BROAD, self.place, remark);
        }
    }

    fn transport(&self, report: &mut Report) {
        let Some(scheme) = plain_name(self.pattern.scheme()) else { return };
        let host = self.pattern.host_parts().1;
        let is_loopback = host.address_class() == AddressClass::Loopback;
        let (level, where_to) =
            if is_loopback { (Level::Warning, "this machine") } else { (Level::Error, "other machines") };
        let message = format!("{} allows {scheme} to {where_to}, which is not encrypted", self.shown());
        report.add(&HTTP, self.place, Remark::new(message).level(level));
    }

    fn address(&self, report: &mut Report) {
        let class = match self.pattern.exact_host().map(crate::Host::address_class) {
            Some(AddressClass::Name | AddressClass::Loopback) | None => return,
            Some(class) => class,
        };
        let help = if class == AddressClass::Public {
            "write the host name, whose certificate the client checks"
        } else if class == AddressClass::Metadata {
            "delete it: no card with this address is ever admitted"
        } else {
            "write the host name, or the range in `interfaces.networks` with a comment that says why"
        };
        let message = format!("{} is {class}, whose owner can change without notice", self.shown());
        report.add(&IP, self.place, Remark::new(message).help(help));
    }
}

/// `http` and `ws`.
fn plain_name(scheme: Scheme) -> Option<&'static str> {
    match scheme {
        Scheme::Http | Scheme::Ws => scheme.name(),
        Scheme::Https | Scheme::Wss | Scheme::HostPort => None,
    }
}

/// `interfaces.schemes` and `interfaces.allow-loopback`.
fn schemes(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let terms = &rule.interfaces;
    for name in terms.schemes.value.iter().filter_map(|scheme| plain_name(*scheme)) {
        let written = subject.sources.strings_in(&terms.schemes.place).find(|written| written.text == name);
        let place = written.and_then(|written| subject.sources.place(&written));
        let message = format!("interfaces may be called over {name}, which is not encrypted");
        let remark = Remark::new(message).level(Level::Error);
        report.add(&HTTP, place.as_ref().unwrap_or(&terms.schemes.place), remark);
    }
    if let Some(place) = &terms.allow_loopback {
        let message = "this machine may be called, over http too: for development only";
        report.add(&HTTP, place, Remark::new(message).help("delete it where cards of others are judged"));
    }
}

/// Upper case, a label outside ASCII, a default port.
fn spelling(pattern: &AllowPattern, written: &Written<'_>, place: &PolicyPlace, report: &mut Report) {
    let scheme = written.text.split_once("://").map(|(scheme, _)| scheme);
    let is_https = scheme.is_some_and(|scheme| scheme.eq_ignore_ascii_case("https"));
    let canonical = if is_https { format!("https://{pattern}") } else { pattern.to_string() };
    respell(written, canonical, place, report);
}

/// Scheme and port of a denied host are not looked at.
fn denied_spelling(written: &Written<'_>, place: &PolicyPlace, report: &mut Report) {
    let is_odd = |character: char| character.is_ascii_uppercase() || !character.is_ascii();
    if written.text.contains(is_odd)
        && let Ok(pattern) = DenyPattern::read(written.text)
    {
        respell(written, pattern.to_string(), place, report);
    }
}

fn respell(written: &Written<'_>, canonical: String, place: &PolicyPlace, report: &mut Report) {
    if written.text == canonical {
        return;
    }
    let remark = Remark::new(format!("`{}` is read as `{canonical}`", written.text))
        .help(format!("write `{canonical}`"))
        .fix(FixSafety::Safe, vec![Edit { range: written.range(), text: canonical }]);
    report.add(&SPELLING, place, remark);
}

/// A name that a wildcard of `from` stands below, that no `from` matches, and that is a source all the same: in a test case,
/// or in the origins of a key.
fn missing_apex(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    for from in &rule.from {
        let (wildcard, host) = from.value.host_parts();
        if wildcard == Wildcard::None || host.name().is_none() {
            continue;
        }
        let Ok(apex) = StrictUrl::read(&format!("https://{host}"), UrlUse::Interface) else { continue };
        let Ok(pattern) = AllowPattern::read(&host.to_string()) else { continue };
        let is_listed = |place: (usize, usize)| {
            let rule = subject.policy.allows().get(place.0);
            let from = rule.and_then(|rule| rule.from.get(place.1));
            from.is_some_and(|from| from.value.allows(&apex, LoopbackNames::Allowed))
        };
        if subject.indexes.sources.near(&pattern).any(is_listed) {
            continue;
        }
        let why = if subject.coverage.is_some_and(|coverage| coverage.has_source(&host)) {
            "a test case has a card from there".to_owned()
        } else if let Some(signer) = subject
            .indexes
            .signers_of(&pattern)
            .find(|signer| signer.origins().iter().any(|origin| origin.value.exact_host() == Some(&host)))
        {
            format!("`{}` may sign cards from there", signer.id())
        } else {
            continue;
        };
        let seen = Seen::of(subject, from);
        let message = format!("{} does not match `{host}` itself, and {why}", seen.shown());
        let mut remark = Remark::new(message).help(format!("list `{host}` too, if it is meant"));
        if let Some(written) =
            seen.written.filter(|written| seen.is_literal && subject.sources.is_element(written))
        {
            let end = written.range().end.saturating_add(1);
            remark = remark.fix(
                FixSafety::Suggested,
                vec![Edit { range: end..end, text: format!(", \"https://{host}\"") }],
            );
        }
        report.add(&APEX, &from.place, remark);
    }
}
