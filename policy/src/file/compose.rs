//! From files to one policy: includes, the base, and the checks over all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use countersign_keys::trust::{RevokedKey, TrustedKeys};
use countersign_keys::{hex, sha256};

use super::check::{
    self, Defaults, Desk, HostSets, KeyNames, Keys, check_thresholds, refuse_overlaps, refuse_same_keys,
    resolve_groups,
};
use super::error::{PolicyError, PolicyFault};
use super::expanded::{self, ExpandedPolicy};
use super::nearest::suggestion;
use super::path::{self, Reference};
use super::stated::Stated;
use super::text::Text;
use super::written::{
    At, Texts, WrittenDefinitions, WrittenException, WrittenExtends, WrittenJwks, WrittenKey, WrittenPolicy,
};
use super::{Files, Tool, floor, parse, secret};
use crate::codes::load as codes;
use crate::policy::Parts;
use crate::{Exception, FetchTerms, LintLevel, Placed, PolicyFile, PolicyLimits, PolicyPlace, TrustPolicy};

/// Most files of one policy.
const MAX_FILES: usize = 256;

/// Loads a policy.
pub(super) fn load(path: &str, files: &dyn Files, tool: &Tool) -> Result<TrustPolicy, PolicyError> {
    let mut loader = Loader { files, tool, texts: Vec::new(), faults: Vec::new(), black: Vec::new() };
    let loaded = loader.policy_at(path);
    let Loader { texts, mut faults, mut black, .. } = loader;
    for fault in &mut faults {
        black.extend(fault.withhold_key());
    }
    let files: Vec<PolicyFile> = texts.iter().map(|text| text.blackened(&black)).collect();
    match loaded {
        Some(loaded) if faults.is_empty() => Ok(finish(loaded, files)),
        _ => {
            let order = |fault: &PolicyFault| {
                let place = fault.place.as_ref();
                let file = place.and_then(|place| files.iter().position(|file| file.name == place.file));
                (file, place.map(|place| place.span.start))
            };
            faults.sort_by(|left, right| {
                order(left).cmp(&order(right)).then_with(|| left.message.cmp(&right.message))
            });
            faults.dedup();
            Err(PolicyError { faults, files })
        }
    }
}

/// A policy before its last step: `not-before` is as written.
pub(super) struct Loaded {
    pub(super) name: Option<String>,
    pub(super) owner: Option<String>,
    pub(super) defaults: Defaults,
    /// The members of `[defaults]` that are written, here or in a base: with them a base is a floor.
    pub(super) stated: Stated,
    pub(super) limits: PolicyLimits,
    pub(super) keys: Keys,
    pub(super) named_keys: BTreeMap<String, Placed<Vec<String>>>,
    pub(super) named_hosts: HostSets,
    pub(super) denies: Vec<crate::DenyRule>,
    pub(super) allows: Vec<crate::AllowRule>,
    pub(super) exceptions: Vec<Exception>,
    pub(super) fetch: FetchTerms,
    pub(super) lint_levels: BTreeMap<String, Placed<LintLevel>>,
}

/// The definitions of one file.
struct Definitions {
    text: Text,
    keys: Vec<At<WrittenKey>>,
    sets: Vec<At<WrittenJwks>>,
    named_keys: BTreeMap<String, Texts>,
    named_hosts: BTreeMap<String, Texts>,
    exceptions: Vec<At<WrittenException>>,
}

struct Loader<'l> {
    files: &'l dyn Files,
    tool: &'l Tool,
    /// Every file that was read, in that order.
    texts: Vec<Text>,
    faults: Vec<PolicyFault>,
    black: Vec<PolicyPlace>,
}

impl Loader<'_> {
    /// The file that was asked for.
    fn policy_at(&mut self, path: &str) -> Option<Loaded> {
        let octets = match self.files.read(path) {
            Ok(octets) => octets,
            Err(fault) => {
                let place = Text::new(path, "").beginning();
                let message = format!("`{path}` cannot be read: {}", fault.message);
                self.faults.push(PolicyFault::new(codes::POLICY_UNREADABLE_FILE, place, message));
                return None;
            }
        };
        let text = self.text(path, octets)?;
        self.policy(text, &mut vec![path.to_owned()])
    }

    /// Keeps the text of a file.
    fn text(&mut self, name: &str, octets: Vec<u8>) -> Option<Text> {
        match String::from_utf8(octets) {
            Ok(text) => {
                let text = Text::new(name, &text);
                self.texts.push(text.clone());
                Some(text)
            }
            Err(error) => {
                let offset = error.utf8_error().valid_up_to();
                let place = Text::new(name, "").beginning();
                let message = format!("the file is not UTF-8 from octet {offset} on");
                self.faults.push(PolicyFault::new(codes::POLICY_SYNTAX, place, message));
                None
            }
        }
    }

    /// Hides what may be private in a text whose members could not be told.
    fn blacken_suspects(&mut self, text: &Text) {
        self.black.extend(secret::suspects(text.as_str()).iter().map(|range| text.place(range)));
    }

    /// A policy that may extend another; `above` are the files that extend each other up to this one.
    fn policy(&mut self, text: Text, above: &mut Vec<String>) -> Option<Loaded> {
        let written: WrittenPolicy = match parse::read(&text, self.tool) {
            Ok(written) => written,
            Err(fault) => {
                self.blacken_suspects(&text);
                self.faults.push(*fault);
                return None;
            }
        };
        let base = match &written.extends {
            Some(extends) => Some(self.base(&text, &extends.value, above)?),
            None => None,
        };
        let definitions = self.definitions(&text, &written)?;
        let faults = self.faults.len();
        let loaded = self.check(&text, &written, &definitions, base.as_ref());
        if let Some(base) = base.as_ref().filter(|_| self.faults.len() == faults) {
            floor::check(base, &loaded, &text, &mut self.faults);
        }
        Some(loaded)
    }

    /// The policy that is a floor.
    fn base(&mut self, text: &Text, extends: &WrittenExtends, above: &mut Vec<String>) -> Option<Loaded> {
        let WrittenExtends { path, sha256: digest } = extends;
        let (name, octets) = self.read(text, &path.value, &path.range)?;
        if above.contains(&name) {
            self.loop_fault(text, &path.range, &name);
            return None;
        }
        if let Some(digest) = digest {
            let found = hex(&sha256(&octets));
            if !digest.value.eq_ignore_ascii_case(&found) {
                let message = format!("the SHA-256 of `{name}` is {found}, not `{}`", digest.value);
                let place = text.place(&digest.range);
                self.faults.push(PolicyFault::new(codes::POLICY_INCLUDE_LOOP_OR_ESCAPE, place, message));
                return None;
            }
        }
        let base = self.text(&name, octets)?;
        above.push(name);
        let faults = self.faults.len();
        let loaded = self.policy(base, above);
        above.pop();
        // The faults of a base are told without those that follow from them.
        loaded.filter(|_| self.faults.len() == faults)
    }

    fn read(&mut self, text: &Text, path: &str, range: &Range<usize>) -> Option<(String, Vec<u8>)> {
        if self.texts.len() >= MAX_FILES {
            let message = format!("a policy has at most {MAX_FILES} files");
            self.faults.push(PolicyFault::new(codes::POLICY_INVALID, text.place(range), message));
            return None;
        }
        match path::read(self.files, &Reference { from: text, path, range }) {
            Ok(read) => Some(read),
            Err(fault) => {
                self.faults.push(*fault);
                None
            }
        }
    }

    fn loop_fault(&mut self, text: &Text, range: &Range<usize>, name: &str) {
        let message = format!("`{name}` is already part of what includes or extends it");
        self.faults.push(PolicyFault::new(codes::POLICY_INCLUDE_LOOP_OR_ESCAPE, text.place(range), message));
    }

    /// The definitions of a file and of all that it includes, each file once.
    fn definitions(&mut self, text: &Text, written: &WrittenPolicy) -> Option<Vec<Definitions>> {
        let mut all = vec![Definitions {
            text: text.clone(),
            keys: written.key.clone().unwrap_or_default(),
            sets: written.jwks.clone().unwrap_or_default(),
            named_keys: written.keysets.clone().unwrap_or_default(),
            named_hosts: written.hostsets.clone().unwrap_or_default(),
            exceptions: written.exception.clone().unwrap_or_default(),
        }];
        let mut seen = BTreeSet::from([text.name().to_owned()]);
        let mut above = vec![text.name().to_owned()];
        let faults = self.faults.len();
        self.include(text, written.include.as_ref(), &mut all, &mut seen, &mut above);
        (self.faults.len() == faults).then_some(all)
    }

    fn include(
        &mut self,
        text: &Text,
        include: Option<&Texts>,
        all: &mut Vec<Definitions>,
        seen: &mut BTreeSet<String>,
        above: &mut Vec<String>,
    ) {
        for at in include.iter().flat_map(|texts| &texts.value) {
            let reference = Reference { from: text, path: &at.value, range: &at.range };
            let name = match path::resolve(&reference) {
                Ok(name) => name,
                Err(fault) => {
                    self.faults.push(*fault);
                    continue;
                }
            };
            if above.contains(&name) {
                self.loop_fault(text, &at.range, &name);
                continue;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            let Some((_, octets)) = self.read(text, &at.value, &at.range) else { continue };
            let Some(included) = self.text(&name, octets) else { continue };
            let written: WrittenDefinitions = match parse::read(&included, self.tool) {
                Ok(written) => written,
                Err(fault) => {
                    self.blacken_suspects(&included);
                    self.faults.push(*fault);
                    continue;
                }
            };
            above.push(name);
            self.include(&included, written.include.as_ref(), all, seen, above);
            above.pop();
            all.push(Definitions {
                text: included,
                keys: written.key.unwrap_or_default(),
                sets: written.jwks.unwrap_or_default(),
                named_keys: written.keysets.unwrap_or_default(),
                named_hosts: written.hostsets.unwrap_or_default(),
                exceptions: written.exception.unwrap_or_default(),
            });
        }
    }

    /// Everything that the members mean. The base is not held against it here.
    fn check(
        &mut self,
        text: &Text,
        written: &WrittenPolicy,
        definitions: &[Definitions],
        base: Option<&Loaded>,
    ) -> Loaded {
        let (tool, files) = (self.tool, self.files);
        let (faults, black) = (&mut self.faults, &mut self.black);
        let faults_before = faults.len();
        let named_hosts = host_sets(definitions, base, faults);
        let mut keys = base.map(|base| base.keys.clone()).unwrap_or_default();
        let mut exceptions = Vec::new();
        let mut named_keys = base.map(|base| base.named_keys.clone()).unwrap_or_default();
        let mut key_ids = Ids::default();
        for key in keys.keys.iter().filter(|key| !key.is_set_member) {
            key_ids.add(&key.id, key.place.clone(), faults);
        }
        for (id, place) in keys.sets.iter().map(|set| (&set.id, &set.place)) {
            key_ids.add(id, place.clone(), faults);
        }
        for tombstone in &keys.tombstones {
            key_ids.add(&tombstone.id, tombstone.place.clone(), faults);
        }
        for (name, members) in &named_keys {
            key_ids.add(name, members.place.clone(), faults);
        }
        let mut exception_ids = Ids::default();
        for Definitions { text, keys: written, sets, named_keys: named, exceptions: excepted, .. } in
            definitions
        {
            let mut desk =
                Desk { text, tool, files, host_sets: &named_hosts, faults: &mut *faults, black: &mut *black };
            for written in written {
                check::key(&mut desk, written, &mut keys);
                key_ids.add(&written.value.id.value, text.place(&written.value.id.range), desk.faults);
            }
            for written in sets {
                check::key_set(&mut desk, written, &mut keys);
                key_ids.add(&written.value.id.value, text.place(&written.value.id.range), desk.faults);
            }
            for (name, members) in named {
                let list = desk.list(members).iter().map(|member| member.value.clone()).collect();
                key_ids.add(name, text.place(&members.range), desk.faults);
                named_keys.insert(name.clone(), text.placed(members, list));
            }
            for written in excepted {
                exceptions.extend(check::exception(&mut desk, written));
                exception_ids.add(&written.value.id.value, text.place(&written.value.id.range), desk.faults);
            }
        }
        let mut desk =
            Desk { text, tool, files, host_sets: &named_hosts, faults: &mut *faults, black: &mut *black };
        let built_in = || Defaults::built_in(&text.beginning(), tool.default_forms);
        let (mut defaults, limits) = check::general(
            &mut desk,
            written.defaults.as_ref(),
            written.cache.as_ref(),
            base.map_or_else(built_in, |base| base.defaults.clone()),
            base.map_or_else(PolicyLimits::default, |base| base.limits.clone()),
        );
        let stated = base.map(|base| base.stated.clone()).unwrap_or_default().and(written);
        let fetch_base = base.map_or_else(FetchTerms::default, |base| base.fetch.clone());
        let fetch = check::fetch(&mut desk, written.fetch.as_ref(), fetch_base);
        let names = KeyNames::new(&keys, &named_keys);
        names.check(desk.faults);
        resolve_groups(&mut defaults.signatures.groups, &names, desk.faults);
        let mut rule_ids = Ids::default();
        let mut denies = base.map(|base| base.denies.clone()).unwrap_or_default();
        for deny in &denies {
            rule_ids.add(&deny.id, deny.place.clone(), desk.faults);
        }
        for written in written.deny.iter().flatten() {
            denies.push(check::deny(&mut desk, written));
            rule_ids.add(&written.value.id.value, text.place(&written.value.id.range), desk.faults);
        }
        let mut allows = Vec::new();
        for written in written.allow.iter().flatten() {
            let mut rule = check::allow(&mut desk, written, &defaults);
            resolve_groups(&mut rule.signatures.groups, &names, desk.faults);
            rule_ids.add(&written.value.id.value, text.place(&written.value.id.range), desk.faults);
            allows.push(rule);
        }
        let lint_levels = lint_levels(&mut desk, written, base);
        for text in [&written.name, &written.owner].into_iter().flatten() {
            if text.trim().is_empty() {
                desk.invalid(&(0..0), "`name` or `owner` is empty");
            }
        }
        if let Some(base) = base {
            floor::join(base, &mut defaults, &mut allows, &mut exceptions, desk.faults);
        }
        // What is half read has no keys, or not the right ones.
        if desk.faults.len() == faults_before {
            allows.iter().for_each(|rule| check_thresholds(rule, &keys, desk.faults));
        }
        refuse_overlaps(&allows, desk.faults);
        refuse_same_keys(&keys, desk.faults);
        for exception in &exceptions {
            check_exception(exception, &allows, desk.faults);
        }
        Loaded {
            name: written.name.clone().or_else(|| base.and_then(|base| base.name.clone())),
            owner: written.owner.clone().or_else(|| base.and_then(|base| base.owner.clone())),
            defaults,
            stated,
            limits,
            keys,
            named_keys,
            named_hosts,
            denies,
            allows,
            exceptions,
            fetch,
            lint_levels,
        }
    }
}

/// Ids that were seen, each with its place.
#[derive(Default)]
struct Ids {
    places: BTreeMap<String, PolicyPlace>,
}

impl Ids {
    fn add(&mut self, id: &str, place: PolicyPlace, faults: &mut Vec<PolicyFault>) {
        if let Some(first) = self.places.get(id) {
            let fault = PolicyFault::new(
                codes::POLICY_DUPLICATE_ID,
                place,
                format!("the id `{id}` is written twice"),
            );
            faults.push(fault.with_related(first.clone(), "first here"));
            return;
        }
        self.places.insert(id.to_owned(), place);
    }
}

fn host_sets(definitions: &[Definitions], base: Option<&Loaded>, faults: &mut Vec<PolicyFault>) -> HostSets {
    let mut sets = base.map(|base| base.named_hosts.clone()).unwrap_or_default();
    let mut ids = Ids::default();
    for (name, set) in &sets {
        ids.add(name, set.place.clone(), faults);
    }
    for Definitions { text, named_hosts, .. } in definitions {
        for (name, patterns) in named_hosts {
            let place = text.place(&patterns.range);
            let is_plain = !name.is_empty()
                && name.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-_".contains(&octet));
            if !is_plain || name == "localhost" {
                let message = format!("`{name}` is no name of a set of hosts: letters, digits, `-` and `_`");
                faults.push(PolicyFault::new(codes::POLICY_INVALID, place.clone(), message));
            }
            if patterns.value.is_empty() {
                faults.push(PolicyFault::new(codes::POLICY_INVALID, place.clone(), "the list is empty"));
            }
            ids.add(name, place, faults);
            let list = patterns.value.iter().map(|pattern| pattern.value.clone()).collect();
            sets.insert(name.clone(), text.placed(patterns, list));
        }
    }
    sets
}

fn lint_levels(
    desk: &mut Desk<'_>,
    written: &WrittenPolicy,
    base: Option<&Loaded>,
) -> BTreeMap<String, Placed<LintLevel>> {
    let words = [("allow", LintLevel::Allow), ("warn", LintLevel::Warn), ("error", LintLevel::Error)];
    let mut levels = base.map(|base| base.lint_levels.clone()).unwrap_or_default();
    for (name, at) in written.lints.iter().flatten() {
        if let Some(level) = desk.word(at, &words) {
            levels.insert(name.clone(), desk.text.placed(at, level));
        }
    }
    levels
}

fn check_exception(exception: &Exception, allows: &[crate::AllowRule], faults: &mut Vec<PolicyFault>) {
    let Placed { value: rule, place } = &exception.rule;
    if allows.iter().any(|allow| allow.id == *rule) {
        return;
    }
    let message = format!("`{rule}` is no `[[allow]]` of the policy");
    let mut fault = PolicyFault::new(codes::POLICY_UNKNOWN_RULE_REF, place.clone(), message);
    fault.help = suggestion(rule, allows.iter().map(|allow| allow.id.as_str()));
    faults.push(fault);
}

/// The policy, its digest, and its keys as signatures are verified with.
fn finish(loaded: Loaded, files: Vec<PolicyFile>) -> TrustPolicy {
    let expanded: ExpandedPolicy = expanded::of(&loaded);
    let Loaded { name, owner, limits, keys, .. } = loaded;
    let Keys { mut keys, tombstones, sets, unusable } = keys;
    let mut trusted = TrustedKeys::new();
    for key in &mut keys {
        if let Some(first) = key.trusted.not_before() {
            let first = first.saturating_sub(limits.clock_skew_seconds);
            key.trusted = key.trusted.clone().with_not_before(first);
        }
        trusted.push(key.trusted.clone());
    }
    for key in unusable {
        trusted.push_unusable(key);
    }
    for tombstone in &tombstones {
        let mut revoked = RevokedKey::new(tombstone.thumbprint);
        revoked.kid = tombstone.kid.clone();
        revoked.at = Some(tombstone.at.seconds());
        revoked.reason = Some(tombstone.reason.name().to_owned());
        trusted.push_revoked(revoked);
    }
    TrustPolicy::new(Parts {
        name,
        owner,
        digest: expanded.digest().into(),
        expanded,
        files,
        limits,
        keys,
        trusted,
        tombstones,
        key_sets: sets,
        named_keys: loaded.named_keys,
        named_hosts: loaded.named_hosts,
        denies: loaded.denies,
        allows: loaded.allows,
        exceptions: loaded.exceptions,
        fetch: loaded.fetch,
        lint_levels: loaded.lint_levels,
    })
}
