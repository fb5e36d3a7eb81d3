//! `[defaults]`, `[fetch]` and `[cache]`.

use super::super::written::{At, Date, Switch};
use super::super::written::{WrittenAudit, WrittenCache, WrittenDefaults, WrittenFetch, WrittenMode};
use super::desk::Desk;
use super::{interfaces, signatures};
use crate::codes::load as codes;
use crate::{
    AuthTerms, CacheTerms, FetchTerms, Grace, InterfaceTerms, Mode, Placed, PolicyLimits, PolicyPlace,
    SignatureTerms,
};
use countersign_keys::Code;

/// Most seconds that a denial may be remembered.
const MAX_NEGATIVE_SECONDS: i64 = 30;

/// Most signatures that are ever looked at.
const MAX_SIGNATURES: usize = 16;

/// Most redirects that may be allowed.
const MAX_REDIRECTS: usize = 10;

/// What holds for a rule that does not say otherwise.
#[derive(Clone, Debug)]
pub(in crate::file) struct Defaults {
    pub(in crate::file) mode: Placed<Mode>,
    pub(in crate::file) signatures: SignatureTerms,
    pub(in crate::file) interfaces: InterfaceTerms,
    pub(in crate::file) auth: AuthTerms,
    pub(in crate::file) cache: CacheTerms,
}

impl Defaults {
    /// What holds where nothing is written, as if it were written at `place`.
    pub(in crate::file) fn built_in(place: &PolicyPlace, default_forms: &[&str]) -> Self {
        Self {
            mode: Placed::new(Mode::Enforce, place.clone()),
            signatures: signatures::built_in(place, default_forms),
            interfaces: interfaces::built_in(place),
            auth: interfaces::built_in_auth(place),
            cache: CacheTerms::default(),
        }
    }
}

/// What `[defaults]` and `[cache]` say over what holds without them.
pub(in crate::file) fn general(
    desk: &mut Desk<'_>,
    written: Option<&At<WrittenDefaults>>,
    cache_written: Option<&At<WrittenCache>>,
    base: Defaults,
    base_limits: PolicyLimits,
) -> (Defaults, PolicyLimits) {
    let (mut defaults, mut limits) = (base, base_limits);
    if let Some(written) = cache_written {
        defaults.cache = cache(desk, written, defaults.cache);
    }
    let Some(At { value: written, .. }) = written else { return (defaults, limits) };
    if let Some(written) = &written.mode {
        defaults.mode = mode(desk, written).unwrap_or(defaults.mode);
    }
    if let Some(skew) = &written.clock_skew {
        limits.clock_skew_seconds = desk.seconds(skew).unwrap_or(limits.clock_skew_seconds);
    }
    if let Some(octets) = &written.max_card {
        limits.max_card_octets = desk.octets(octets).unwrap_or(limits.max_card_octets);
    }
    if let Some(count) = &written.max_signatures {
        limits.max_signatures = desk.number(count, 1, MAX_SIGNATURES).unwrap_or(limits.max_signatures);
    }
    if let Some(written) = &written.signatures {
        defaults.signatures = signatures::terms(desk, written, defaults.signatures);
    }
    if let Some(written) = &written.interfaces {
        defaults.interfaces = interfaces::terms(desk, written, defaults.interfaces);
    }
    if let Some(written) = &written.auth {
        defaults.auth = interfaces::auth(desk, written, defaults.auth);
    }
    (defaults, limits)
}

/// `mode`.
pub(super) fn mode(desk: &mut Desk<'_>, written: &At<WrittenMode>) -> Option<Placed<Mode>> {
    let mode = match &written.value {
        WrittenMode::Word(word) => {
            let at = At { value: word.clone(), range: written.range.clone() };
            desk.word(&at, &[("enforce", ())])?;
            Mode::Enforce
        }
        WrittenMode::Audit(WrittenAudit { audit, reason, until }) => {
            if audit.value == Switch::Off {
                desk.invalid(&audit.range, "`audit` is `true` or left out: write `mode = \"enforce\"`");
                return None;
            }
            let code = codes::POLICY_AUDIT_WITHOUT_END;
            Mode::Audit(grace(desk, written, code, "mode", reason.as_ref(), until.as_ref())?)
        }
    };
    Some(desk.text.placed(written, mode))
}

/// `reason` and `until` of something weaker, both of which must be there.
pub(super) fn grace<T>(
    desk: &mut Desk<'_>,
    of: &At<T>,
    code: Code,
    what: &str,
    reason: Option<&At<String>>,
    until: Option<&At<Date>>,
) -> Option<Grace> {
    if reason.is_none() || until.is_none() {
        let missing = match (reason, until) {
            (None, None) => "`reason` and `until` are missing",
            (None, Some(_)) => "`reason` is missing",
            (Some(_), _) => "`until` is missing",
        };
        desk.fault(code, &of.range, format!("`{what}` weakens a demand, and {missing}"));
    }
    let reason = reason.map(|reason| desk.text(reason));
    let until = until.and_then(|until| desk.last_second(until));
    Some(Grace::new(reason?, until?))
}

/// `cache`.
pub(super) fn cache(desk: &mut Desk<'_>, written: &At<WrittenCache>, base: CacheTerms) -> CacheTerms {
    let mut terms = base;
    let WrittenCache { max_ttl, negative, stale_if_error } = &written.value;
    if let Some(at) = max_ttl {
        terms.max_ttl_seconds = desk.seconds(at).unwrap_or(terms.max_ttl_seconds);
    }
    if let Some(at) = negative {
        let seconds = desk.seconds(at).unwrap_or(terms.negative_seconds);
        if seconds > MAX_NEGATIVE_SECONDS {
            desk.invalid(&at.range, "a denial is remembered for at most 30 s");
        }
        terms.negative_seconds = seconds;
    }
    if let Some(at) = stale_if_error {
        terms.stale_if_error_seconds = desk.seconds(at).unwrap_or(terms.stale_if_error_seconds);
    }
    terms
}

/// `[fetch]`.
pub(in crate::file) fn fetch(
    desk: &mut Desk<'_>,
    written: Option<&At<WrittenFetch>>,
    base: FetchTerms,
) -> FetchTerms {
    let mut terms = base;
    let Some(At { value: written, .. }) = written else { return terms };
    if let Some(at) = &written.redirects {
        let redirects = desk.number(at, 0, MAX_REDIRECTS).and_then(|number| u32::try_from(number).ok());
        terms.redirects = redirects.unwrap_or(terms.redirects);
    }
    if let Some(at) = &written.timeout {
        terms.timeout_seconds = desk.seconds(at).unwrap_or(terms.timeout_seconds);
        if terms.timeout_seconds == 0 {
            desk.invalid(&at.range, "nothing can be fetched in no time");
        }
    }
    if let Some(at) = &written.max_octets {
        terms.max_octets = desk.octets(at).unwrap_or(terms.max_octets);
    }
    if let Some(texts) = &written.content_types {
        terms.content_types = Vec::new();
        for text in desk.list(texts) {
            if !is_media_type(&text.value) {
                desk.invalid(&text.range, format!("`{}` is no media type in lower case", text.value));
            }
            terms.content_types.push(text.value.clone());
        }
    }
    if let Some(at) = &written.addresses {
        desk.word(at, &[("public", ())]);
    }
    if let Some(texts) = &written.networks {
        terms.networks = desk.networks(texts);
    }
    terms
}

/// RFC 6838 section 4.2, in lower case and without parameters.
fn is_media_type(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|octet| {
                octet.is_ascii_lowercase() || octet.is_ascii_digit() || b"!#$&-^_.+".contains(&octet)
            })
    };
    text.split_once('/').is_some_and(|(kind, name)| is_name(kind) && is_name(name))
}
