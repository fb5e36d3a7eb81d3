//! Which demands of a rule are weaker than those of another.

use super::super::check::Defaults;
use crate::{
    AllowPattern, AnonymousAccess, AuthTerms, CacheTerms, FailedInterfaces, FetchTerms, FirstUse, Grace,
    Hosts, InterfaceTerms, Mode, Network, PinTerms, Placed, PolicyLimits, PolicyPlace, Queries, Reaction,
    SignatureLevel, SignatureTerms, Uncovered,
};

/// The demands of a rule, or of defaults.
pub(super) struct Terms<'t> {
    pub(super) mode: &'t Placed<Mode>,
    pub(super) signatures: &'t SignatureTerms,
    pub(super) interfaces: &'t InterfaceTerms,
    pub(super) auth: &'t AuthTerms,
    pub(super) pin: Option<&'t Placed<PinTerms>>,
    pub(super) cache: &'t CacheTerms,
}

impl<'t> Terms<'t> {
    pub(super) const fn of_defaults(defaults: &'t Defaults) -> Self {
        let Defaults { mode, signatures, interfaces, auth, cache } = defaults;
        Self { mode, signatures, interfaces, auth, pin: None, cache }
    }
}

/// A demand that is weaker.
pub(super) struct Looser {
    pub(super) member: &'static str,
    pub(super) how: String,
    /// Where, as far as the member has a place of its own.
    pub(super) child: Option<PolicyPlace>,
    pub(super) base: Option<PolicyPlace>,
}

/// Two places and what was found there, as far as the child's is weaker.
struct Comparison<'l> {
    found: &'l mut Vec<Looser>,
}

impl Comparison<'_> {
    /// Notes a member unless it is `kept`.
    fn member(&mut self, member: &'static str, kept: Kept, how: &str, places: [Option<&PolicyPlace>; 2]) {
        if kept == Kept::No {
            let [base, child] = places.map(|place| place.cloned());
            self.found.push(Looser { member, how: how.to_owned(), child, base });
        }
    }
}

/// Whether a demand is at least as strict.
#[derive(PartialEq)]
enum Kept {
    Yes,
    No,
}

impl From<bool> for Kept {
    fn from(is_kept: bool) -> Self {
        if is_kept { Self::Yes } else { Self::No }
    }
}

/// What in `child` is weaker than in `base`.
pub(super) fn looser_terms(base: &Terms<'_>, child: &Terms<'_>, found: &mut Vec<Looser>) {
    let mut compare = Comparison { found };
    let mode = match (&base.mode.value, &child.mode.value) {
        (_, Mode::Enforce) => true,
        (Mode::Enforce, Mode::Audit(_)) => false,
        (Mode::Audit(base), Mode::Audit(child)) => child.until <= base.until,
    };
    let places = [Some(&base.mode.place), Some(&child.mode.place)];
    compare.member("mode", mode.into(), "audit, where the base enforces, or for longer", places);
    signatures(base.signatures, child.signatures, &mut compare);
    interfaces(base.interfaces, child.interfaces, &mut compare);
    auth(base.auth, child.auth, &mut compare);
    pin(base.pin, child.pin, &mut compare);
    let shorter = |base: i64, child: i64| Kept::from(child <= base);
    let none = [None, None];
    let ttl = shorter(base.cache.max_ttl_seconds, child.cache.max_ttl_seconds);
    compare.member("cache.max-ttl", ttl, "a longer time", none);
    let stale = shorter(base.cache.stale_if_error_seconds, child.cache.stale_if_error_seconds);
    compare.member("cache.stale-if-error", stale, "a longer time", none);
}

fn signatures(base: &SignatureTerms, child: &SignatureTerms, compare: &mut Comparison<'_>) {
    let level = match (&base.level.value, &child.level.value) {
        (_, SignatureLevel::Require) => true,
        (SignatureLevel::Require, _) | (SignatureLevel::IfPresent(_), SignatureLevel::Off(_)) => false,
        (
            SignatureLevel::IfPresent(base) | SignatureLevel::Off(base),
            SignatureLevel::IfPresent(child) | SignatureLevel::Off(child),
        ) => child.until <= base.until,
    };
    let places = [Some(&base.level.place), Some(&child.level.place)];
    compare.member("signatures.level", level.into(), "a weaker level, or for longer", places);
    let algorithms = match (&base.algorithms, &child.algorithms) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(base), Some(child)) => {
            child.value.iter().all(|one| base.value.iter().any(|known| known.agrees_with(*one)))
        }
    };
    let places = [place(base.algorithms.as_ref()), place(child.algorithms.as_ref())];
    compare.member("signatures.algorithms", algorithms.into(), "more algorithms", places);
    let places = [Some(&base.forms.place), Some(&child.forms.place)];
    compare.member("signatures.forms", within(&base.forms.value, &child.forms.value), "more forms", places);
    let places = [Some(&base.stale.place), Some(&child.stale.place)];
    compare.member("signatures.stale", reaction(base.stale.value, child.stale.value), "`report`", places);
    let uncovered = base.uncovered.value == Uncovered::Strip || child.uncovered.value == Uncovered::Deny;
    let places = [Some(&base.uncovered.place), Some(&child.uncovered.place)];
    compare.member("signatures.uncovered", uncovered.into(), "`strip`", places);
    let allowed = match (&base.allow_uncovered, &child.allow_uncovered) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(base), Some(child)) => {
            let (base, child) = (&base.value, &child.value);
            let is_below = |pointer: &str, above: &str| {
                pointer.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            let covered = |pointer: &String| base.pointers.iter().any(|above| is_below(pointer, above));
            child.grace.until <= base.grace.until && child.pointers.iter().all(covered)
        }
    };
    let places = [place(base.allow_uncovered.as_ref()), place(child.allow_uncovered.as_ref())];
    compare.member("signatures.allow-uncovered", allowed.into(), "more members, or for longer", places);
    let age = match (&base.max_age_seconds, &child.max_age_seconds) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(base), Some(child)) => child.value <= base.value,
    };
    let places = [place(base.max_age_seconds.as_ref()), place(child.max_age_seconds.as_ref())];
    compare.member("signatures.max-age", age.into(), "a greater age", places);
}

fn interfaces(base: &InterfaceTerms, child: &InterfaceTerms, compare: &mut Comparison<'_>) {
    let places = [Some(&base.schemes.place), Some(&child.schemes.place)];
    compare.member(
        "interfaces.schemes",
        within(&base.schemes.value, &child.schemes.value),
        "more schemes",
        places,
    );
    let source = base.hosts.source.is_some() || child.hosts.source.is_none();
    let hosts = source && covered(&base.hosts.listed, &child.hosts.listed);
    let places = [host_place(&base.hosts), host_place(&child.hosts)];
    compare.member("interfaces.hosts", hosts.into(), "more hosts", places);
    let paths = match (&base.paths, &child.paths) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(base), Some(child)) => child.value.iter().all(|path| {
            let is_below =
                |above: &String| path == above || (above.ends_with('/') && path.starts_with(above));
            base.value.iter().any(is_below)
        }),
    };
    let places = [place(base.paths.as_ref()), place(child.paths.as_ref())];
    compare.member("interfaces.paths", paths.into(), "more paths", places);
    let versions = child.versions.value.iter().all(|version| {
        let is_inside = |wide: &crate::VersionRequirement| {
            wide.intersection(version).is_some_and(|both| both.to_string() == version.to_string())
        };
        base.versions.value.iter().any(is_inside)
    });
    let places = [Some(&base.versions.place), Some(&child.versions.place)];
    compare.member("interfaces.versions", versions.into(), "more versions", places);
    let places = [Some(&base.bindings.place), Some(&child.bindings.place)];
    let bindings = within(&base.bindings.value, &child.bindings.value);
    compare.member("interfaces.bindings", bindings, "more bindings", places);
    let query = base.query == Queries::Allow || child.query == Queries::Deny;
    compare.member("interfaces.query", query.into(), "`allow`", [None, None]);
    let loopback = base.allow_loopback.is_some() || child.allow_loopback.is_none();
    let places = [base.allow_loopback.as_ref(), child.allow_loopback.as_ref()];
    compare.member("interfaces.allow-loopback", loopback.into(), "`true`", places);
    compare.member(
        "interfaces.networks",
        networks(&base.networks, &child.networks),
        "more networks",
        [
            base.networks.first().map(|network| &network.place),
            child.networks.first().map(|network| &network.place),
        ],
    );
    let any_host = match (&base.any_host, &child.any_host) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(base), Some(child)) => ends_first(base.value.grace.as_ref(), child.value.grace.as_ref()),
    };
    let places = [place(base.any_host.as_ref()), place(child.any_host.as_ref())];
    compare.member("interfaces.any-host", any_host.into(), "any host, or for longer", places);
    let other = base.other == FailedInterfaces::Drop || child.other == FailedInterfaces::DenyCard;
    compare.member("interfaces.other", other.into(), "`drop`", [None, None]);
}

fn auth(base: &AuthTerms, child: &AuthTerms, compare: &mut Comparison<'_>) {
    let rank = |access| match access {
        AnonymousAccess::Allow => 0,
        AnonymousAccess::Report => 1,
        AnonymousAccess::Deny => 2,
    };
    let anonymous = rank(child.anonymous.value) >= rank(base.anonymous.value);
    let places = [Some(&base.anonymous.place), Some(&child.anonymous.place)];
    compare.member("auth.anonymous", anonymous.into(), child.anonymous.value.name(), places);
    let schemes = match (&base.schemes, &child.schemes) {
        (None, _) => Kept::Yes,
        (Some(_), None) => Kept::No,
        (Some(base), Some(child)) => within(&base.value, &child.value),
    };
    let places = [place(base.schemes.as_ref()), place(child.schemes.as_ref())];
    compare.member("auth.schemes", schemes, "more schemes", places);
    let credentials = child.credentials.iter().all(|ours| base.credentials.get(ours.0) == Some(ours.1));
    compare.member("auth.credentials", credentials.into(), "more credentials", [None, None]);
    compare.member(
        "auth.hosts",
        covered(&base.hosts, &child.hosts).into(),
        "more hosts",
        [base.hosts.first().map(|host| &host.place), child.hosts.first().map(|host| &host.place)],
    );
}

fn pin(base: Option<&Placed<PinTerms>>, child: Option<&Placed<PinTerms>>, compare: &mut Comparison<'_>) {
    let kept = match (base, child) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(Placed { value: base, .. }), Some(Placed { value: child, .. })) => {
            (base.first_use == FirstUse::Accept || child.first_use == FirstUse::Review)
                && reaction(base.rollback, child.rollback) == Kept::Yes
                && reaction(base.structure, child.structure) == Kept::Yes
                && reaction(base.text, child.text) == Kept::Yes
        }
    };
    compare.member("pin", kept.into(), "a weaker reaction", [place(base), place(child)]);
}

/// What in the limits of `child` is wider.
pub(super) fn looser_limits(base: &PolicyLimits, child: &PolicyLimits, found: &mut Vec<Looser>) {
    let mut compare = Comparison { found };
    let none = [None, None];
    let skew = child.clock_skew_seconds <= base.clock_skew_seconds;
    compare.member("clock-skew", skew.into(), "a longer time", none);
    let octets = child.max_card_octets <= base.max_card_octets;
    compare.member("max-card", octets.into(), "a longer card", none);
    let count = child.max_signatures <= base.max_signatures;
    compare.member("max-signatures", count.into(), "more signatures", none);
}

/// What in the limits of fetching is wider in `child`.
pub(super) fn looser_fetch(base: &FetchTerms, child: &FetchTerms, found: &mut Vec<Looser>) {
    let mut compare = Comparison { found };
    let none = [None, None];
    compare.member("fetch.redirects", (child.redirects <= base.redirects).into(), "more redirects", none);
    let timeout = child.timeout_seconds <= base.timeout_seconds;
    compare.member("fetch.timeout", timeout.into(), "a longer time", none);
    compare.member("fetch.max-octets", (child.max_octets <= base.max_octets).into(), "more octets", none);
    let types = within(&base.content_types, &child.content_types);
    compare.member("fetch.content-types", types, "more content types", none);
    compare.member(
        "fetch.networks",
        networks(&base.networks, &child.networks),
        "more networks",
        [
            base.networks.first().map(|network| &network.place),
            child.networks.first().map(|network| &network.place),
        ],
    );
}

fn place<T>(placed: Option<&Placed<T>>) -> Option<&PolicyPlace> {
    placed.map(|placed| &placed.place)
}

fn host_place(hosts: &Hosts) -> Option<&PolicyPlace> {
    hosts.source.as_ref().or_else(|| hosts.listed.first().map(|pattern| &pattern.place))
}

fn within<T: PartialEq>(wide: &[T], narrow: &[T]) -> Kept {
    narrow.iter().all(|one| wide.contains(one)).into()
}

fn covered(wide: &[Placed<AllowPattern>], narrow: &[Placed<AllowPattern>]) -> bool {
    narrow.iter().all(|narrow| wide.iter().any(|wide| wide.value.covers(&narrow.value)))
}

fn networks(wide: &[Placed<Network>], narrow: &[Placed<Network>]) -> Kept {
    narrow.iter().all(|narrow| wide.iter().any(|wide| wide.value.covers(&narrow.value))).into()
}

fn reaction(base: Reaction, child: Reaction) -> Kept {
    (base == Reaction::Report || child == Reaction::Deny).into()
}

fn ends_first(base: Option<&Grace>, child: Option<&Grace>) -> bool {
    match (base, child) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(base), Some(child)) => child.until <= base.until,
    }
}
