//! Whether a remembered response may be used (RFC 9111 section 4), without asking any clock.

use std::time::{Duration, SystemTime};

use countersign_policy::UnixTime;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};
use http_cache_semantics::{AfterResponse, BeforeRequest, CacheOptions, CachePolicy};

use super::{FetchRequest, FetchResponse, ReuseTerms, StoredResponse, header};

/// The last second that has a date with four digits of year; later times make nothing fresh.
const LAST_SECOND: i64 = 253_402_300_799;

/// What may be done with a remembered response.
pub(super) struct Verdict {
    /// Whether it is the response to this request at all.
    pub(super) matches: bool,
    /// Whether it may be used without asking.
    pub(super) is_fresh: bool,
    /// Until when it may be used without asking, not included.
    pub(super) fresh_until: UnixTime,
    /// Whether it may be used while the source cannot be asked.
    pub(super) may_stand_in: bool,
}

/// Judges a remembered response for a request at `now`, where `newest` is the latest time that was ever seen: a clock that
/// was set back makes nothing fresh again.
pub(super) fn judge(
    stored: &StoredResponse,
    request: &[(String, String)],
    reuse: &ReuseTerms,
    now: UnixTime,
    newest: UnixTime,
) -> Verdict {
    let useless =
        Verdict { matches: false, is_fresh: false, fresh_until: stored.received_at, may_stand_in: false };
    let parts = (policy(stored, reuse), ask(&stored.key.url, request), moment(newest));
    let (Some(policy), Some(ask), Some(moment)) = parts else { return useless };
    let (matches, is_fresh) = match policy.before_request(&ask, moment) {
        BeforeRequest::Fresh(_) => (true, true),
        BeforeRequest::Stale { matches, .. } => (matches, false),
    };
    let fresh_until = fresh_until(&policy, stored, reuse);
    let is_past = stored.received_at <= now;
    let directives = stored.header("cache-control").unwrap_or_default();
    let is_strict = directives.contains("must-revalidate") || directives.contains("no-cache");
    let last_resort = fresh_until.saturating_add_seconds(reuse.stale_if_error_seconds.max(0));
    Verdict {
        matches,
        is_fresh: matches && is_fresh && is_past && newest < fresh_until,
        fresh_until,
        may_stand_in: matches && is_past && !is_strict && newest < last_resort,
    }
}

/// Until when a response that was just received may be used without asking; nothing if it must not be remembered.
pub(super) fn storable_until(stored: &StoredResponse, reuse: &ReuseTerms) -> Option<UnixTime> {
    let policy = policy(stored, reuse)?;
    policy.is_storable().then(|| fresh_until(&policy, stored, reuse))
}

/// The headers that ask whether a response is still the same (RFC 9110 section 13.1).
pub(super) fn validators(stored: &StoredResponse) -> Vec<(String, String)> {
    [("etag", "if-none-match"), ("last-modified", "if-modified-since")]
        .into_iter()
        .filter_map(|(name, asks)| Some((asks.to_owned(), stored.header(name)?.to_owned())))
        .collect()
}

/// The remembered response after a 304 (RFC 9111 section 4.3.4); nothing if the 304 is about another one.
pub(super) fn renewed(
    stored: &StoredResponse,
    request: &FetchRequest,
    request_headers: Vec<(String, String)>,
    response: &FetchResponse,
    now: UnixTime,
) -> Option<StoredResponse> {
    let policy = policy(stored, &ReuseTerms::default())?;
    let ask = ask(&stored.key.url, &request.headers)?;
    let kept = header::kept(&response.headers);
    let mut answer = Response::new(());
    *answer.status_mut() = http::StatusCode::NOT_MODIFIED;
    *answer.headers_mut() = map(&kept)?;
    match policy.after_response(&ask, &answer, moment(now)?) {
        AfterResponse::Modified(..) => None,
        AfterResponse::NotModified(..) => {
            let is_new = |name: &str| kept.iter().any(|(known, _)| known == name);
            // `Date` and `Age` were about the older response, and the type goes with the octets.
            let mut headers: Vec<(String, String)> = stored
                .headers
                .iter()
                .filter(|(name, _)| {
                    name == "content-type" || !is_new(name) && !matches!(name.as_str(), "date" | "age")
                })
                .cloned()
                .collect();
            headers.extend(kept.iter().filter(|(name, _)| name != "content-type").cloned());
            Some(StoredResponse::new(
                stored.key.clone(),
                now,
                request_headers,
                headers,
                stored.octets.clone(),
            ))
        }
    }
}

fn policy(stored: &StoredResponse, reuse: &ReuseTerms) -> Option<CachePolicy> {
    let mut headers = map(&stored.headers)?;
    let directives = stored.header("cache-control").unwrap_or_default();
    let states_lifetime = stored.header("expires").is_some()
        || ["max-age", "no-cache", "no-store"].iter().any(|name| directives.contains(name));
    if !states_lifetime && reuse.default_lifetime_seconds > 0 {
        let parts = [directives, &format!("max-age={}", reuse.default_lifetime_seconds)];
        let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
        headers.insert(http::header::CACHE_CONTROL, HeaderValue::from_str(&text).ok()?);
    }
    let mut response = Response::new(());
    *response.headers_mut() = headers;
    let options = CacheOptions {
        shared: false,
        // Neither guesses from `Last-Modified` nor long lives that a response does not state.
        cache_heuristic: 0.0,
        immutable_min_time_to_live: Duration::ZERO,
        ignore_cargo_cult: false,
    };
    let request = ask(&stored.key.url, &stored.request_headers)?;
    Some(CachePolicy::new_options(&request, &response, moment(stored.received_at)?, options))
}

/// The age that the response had already is counted.
fn fresh_until(policy: &CachePolicy, stored: &StoredResponse, reuse: &ReuseTerms) -> UnixTime {
    let stated = moment(stored.received_at).map_or(Duration::ZERO, |received| policy.time_to_live(received));
    let seconds = i64::try_from(stated.as_secs()).unwrap_or(i64::MAX).min(reuse.max_lifetime_seconds.max(0));
    stored.received_at.saturating_add_seconds(seconds)
}

fn ask(url: &str, headers: &[(String, String)]) -> Option<Request<()>> {
    let mut request = Request::new(());
    *request.method_mut() = Method::GET;
    *request.uri_mut() = url.parse().ok()?;
    *request.headers_mut() = map(headers)?;
    Some(request)
}

fn map(headers: &[(String, String)]) -> Option<HeaderMap> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        map.append(name, HeaderValue::from_str(value).ok()?);
    }
    Some(map)
}

/// The same moment as the type that the rules of RFC 9111 are written in. No clock is read.
fn moment(time: UnixTime) -> Option<SystemTime> {
    let seconds = u64::try_from(time.seconds()).ok().filter(|_| time.seconds() <= LAST_SECOND)?;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}
