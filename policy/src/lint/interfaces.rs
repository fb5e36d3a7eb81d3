//! Versions, bindings and authentication that a rule asks for.

use countersign_keys::{Edit, FixSafety, Level};

use super::report::{Remark, Report};
use super::{Family, PolicyLint, Subject};
use crate::codes::lints as codes;
use crate::{AllowRule, CORE_BINDINGS, VersionRequirement};

pub(super) const FAMILY: Family = Family { lints: &LINTS, check };

const PATCH: PolicyLint = PolicyLint::new(codes::POLICY_VERSION_WITH_PATCH, Level::Warning);
const BINDING: PolicyLint = PolicyLint::new(codes::POLICY_BINDING_UNKNOWN, Level::Warning);
const AUTH_HOST: PolicyLint = PolicyLint::new(codes::POLICY_AUTH_HOST_MISSING, Level::Warning);

static LINTS: [PolicyLint; 3] = [PATCH, BINDING, AUTH_HOST];

fn check(subject: &Subject<'_>, report: &mut Report) {
    for rule in subject.policy.allows() {
        versions(subject, rule, report);
        bindings(subject, rule, report);
        auth_hosts(subject, rule, report);
    }
}

fn versions(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let versions = &rule.interfaces.versions;
    if versions.value.iter().all(|version| version.ignored_patch().is_none()) {
        return;
    }
    for written in subject.sources.strings_in(&versions.place) {
        let read = VersionRequirement::read(written.text);
        let Some(patch) = read.ok().and_then(|version| version.ignored_patch()) else { continue };
        let short = without_patch(written.text);
        let message = format!("the patch number {patch} of `{}` takes no part", written.text);
        let remark = Remark::new(message)
            .help(format!("write `{short}`"))
            .fix(FixSafety::Safe, vec![Edit { range: written.range(), text: short }]);
        let place = subject.sources.place(&written);
        report.add(&PATCH, place.as_ref().unwrap_or(&versions.place), remark);
    }
}

/// The requirement with two numbers in each of its versions.
fn without_patch(text: &str) -> String {
    let mut short = String::new();
    let mut dots = 0_usize;
    for character in text.chars() {
        match character {
            ',' => dots = 0,
            '.' => dots = dots.saturating_add(1),
            _ => {}
        }
        let is_of_patch = dots > 1 && (character == '.' || character.is_ascii_digit());
        if !is_of_patch {
            short.push(character);
        }
    }
    short
}

fn bindings(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let bindings = &rule.interfaces.bindings;
    // A binding of others is named by a URI (A2A 1.0 section 12.7).
    let unknown = |name: &&String| !CORE_BINDINGS.contains(&name.as_str()) && !name.contains(':');
    for name in bindings.value.iter().filter(unknown) {
        let written = subject.sources.strings_in(&bindings.place).find(|written| written.text == name);
        let place = written.and_then(|written| subject.sources.place(&written));
        let meant = CORE_BINDINGS.into_iter().find(|core| folded(core) == folded(name));
        let message = format!("`{name}` is no binding of A2A 1.0 and no URI");
        let mut remark = Remark::new(message);
        if let Some(meant) = meant {
            remark = remark.help(format!("write `{meant}`"));
            if let Some(written) = written {
                let edit = Edit { range: written.range(), text: meant.to_owned() };
                remark = remark.fix(FixSafety::Suggested, vec![edit]);
            }
        }
        report.add(&BINDING, place.as_ref().unwrap_or(&bindings.place), remark);
    }
}

/// Letters and digits in upper case: `json-rpc`, `JsonRpc` and `HTTP/JSON` are near to a name, not it.
fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_uppercase()).collect()
}

/// OAuth and OpenID Connect, whose tokens mostly come from a host of its own.
fn auth_hosts(subject: &Subject<'_>, rule: &AllowRule, report: &mut Report) {
    let Some(schemes) = rule.auth.schemes.as_ref().filter(|_| rule.auth.hosts.is_empty()) else { return };
    let asks_elsewhere = |scheme: &&String| scheme.starts_with("oauth2") || *scheme == "openid";
    let Some(scheme) = schemes.value.iter().find(asks_elsewhere) else { return };
    let written = subject.sources.strings_in(&schemes.place).find(|written| written.text == scheme);
    let place = written.and_then(|written| subject.sources.place(&written));
    let message = format!(
        "`{scheme}` is allowed and `auth.hosts` is empty: a token URL may only be on the host of an interface"
    );
    report.add(&AUTH_HOST, place.as_ref().unwrap_or(&schemes.place), Remark::new(message));
}

#[cfg(test)]
mod tests {
    use super::without_patch;
    use crate::VersionRequirement;

    #[test]
    fn a_requirement_without_patch_numbers_means_the_same() {
        for (text, short) in
            [("1.0.0", "1.0"), (">=1.0.3, <2.0.0", ">=1.0, <2.0"), (">=0.3,<=1.0.12", ">=0.3,<=1.0")]
        {
            assert_eq!(without_patch(text), short);
            let (long, short) =
                (VersionRequirement::read(text).unwrap(), VersionRequirement::read(short).unwrap());
            assert_eq!(long.to_string(), short.to_string());
            assert_eq!(short.ignored_patch(), None);
        }
    }
}
