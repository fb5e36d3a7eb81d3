//! RFC 9111, for a private cache, with the time as an argument. The server is a script.

use std::io;
use std::sync::Arc;

use countersign::fetch::{
    AskTerms, Credential, Fetch, FetchError, FetchRequest, FetchResponse, Fetched, FetchedHow, Fetcher,
    MemoryStore, ResponseStore, ReuseTerms, StoreAction, StoreError, StoreKey, StoredResponse,
};
use countersign::policy::{CacheTerms, FetchTerms, StrictUrl};
use countersign::{ProtocolVersion, UnixTime};

use crate::server::{Script, terms, url};

/// When a test begins: 2027-01-15T08:00:00Z.
const START: i64 = 1_800_000_000;
const START_DATE: &str = "Fri, 15 Jan 2027 08:00:00 GMT";

fn at(seconds: i64) -> UnixTime {
    UnixTime::from_seconds(START + seconds)
}

fn card() -> StrictUrl {
    url("https://agents.example/.well-known/agent-card.json")
}

fn response(status: u16, headers: &[(&str, &str)], octets: &str) -> FetchResponse {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    FetchResponse::new(status, headers, octets.as_bytes().to_vec())
}

/// Status 200 with a content type and these headers.
fn ok(headers: &[(&str, &str)], octets: &str) -> Result<FetchResponse, FetchError> {
    Ok(response(200, &[&[("Content-Type", "application/json")], headers].concat(), octets))
}

fn not_modified(headers: &[(&str, &str)]) -> Result<FetchResponse, FetchError> {
    Ok(response(304, headers, ""))
}

fn status(status: u16) -> Result<FetchResponse, FetchError> {
    Ok(response(status, &[], ""))
}

fn outage() -> FetchError {
    FetchError::Unreachable {
        url: card().raw().to_owned(),
        connected: false,
        kind: io::ErrorKind::ConnectionRefused,
    }
}

/// A fetcher over a script, with what a test asks it.
struct Bench<'a> {
    fetcher: Fetcher<&'a Script, MemoryStore>,
    ask: AskTerms,
}

impl<'a> Bench<'a> {
    fn new(script: &'a Script) -> Self {
        Self { fetcher: Fetcher::new(script, MemoryStore::default()), ask: AskTerms::default() }
    }

    fn with(mut self, reuse: ReuseTerms) -> Self {
        self.ask = self.ask.with_reuse(reuse);
        self
    }

    fn get(&self, seconds: i64) -> Result<Fetched, FetchError> {
        self.fetcher.get(&card(), &self.ask, &FetchTerms::default(), at(seconds))
    }

    /// How it is had, and the text.
    fn had(&self, seconds: i64) -> (FetchedHow, String) {
        let fetched = self.get(seconds).unwrap();
        (fetched.how, String::from_utf8(fetched.octets.to_vec()).unwrap())
    }

    fn code(&self, seconds: i64) -> &'static str {
        self.get(seconds).unwrap_err().code().name()
    }
}

fn network(text: &str) -> (FetchedHow, String) {
    (FetchedHow::Network, text.to_owned())
}

fn fresh(text: &str) -> (FetchedHow, String) {
    (FetchedHow::Fresh, text.to_owned())
}

fn revalidated(text: &str) -> (FetchedHow, String) {
    (FetchedHow::Revalidated, text.to_owned())
}

/// Until when a first response with these headers is fresh, in seconds after it came; asks again one second before and at
/// that time to see that it is so.
fn lifetime_under(reuse: ReuseTerms, headers: &[(&str, &str)]) -> i64 {
    let script = Script::default();
    script.will(ok(headers, "1"));
    let bench = Bench::new(&script).with(reuse);
    let lifetime = bench.get(0).unwrap().fresh_until.seconds() - START;
    if lifetime > 0 {
        assert_eq!(bench.had(lifetime - 1), fresh("1"), "{headers:?}");
    }
    script.will(ok(headers, "2"));
    assert_eq!(bench.had(lifetime), network("2"), "{headers:?}");
    assert_eq!(script.count(), 2);
    lifetime
}

fn lifetime(headers: &[(&str, &str)]) -> i64 {
    lifetime_under(ReuseTerms::default(), headers)
}

#[test]
fn a_response_is_used_until_its_lifetime_ends() {
    assert_eq!(lifetime(&[("Cache-Control", "max-age=60")]), 60);
    assert_eq!(lifetime(&[("Cache-Control", "private, max-age=60")]), 60);
    assert_eq!(lifetime(&[("Cache-Control", "MAX-AGE=60")]), 60);
    assert_eq!(lifetime(&[("Cache-Control", "s-maxage=60, max-age=30")]), 30);
    assert_eq!(lifetime(&[("Date", START_DATE), ("Expires", "Fri, 15 Jan 2027 08:01:00 GMT")]), 60);
    assert_eq!(lifetime(&[("Expires", "Fri, 15 Jan 2027 08:01:00 GMT")]), 60);
    let both = [("Expires", "Fri, 15 Jan 2027 08:01:00 GMT"), ("Cache-Control", "max-age=5")];
    assert_eq!(lifetime(&both), 5);
}

#[test]
fn the_age_that_a_response_has_already_is_counted() {
    assert_eq!(lifetime(&[("Cache-Control", "max-age=60"), ("Age", "20")]), 40);
    assert_eq!(lifetime(&[("Cache-Control", "max-age=60"), ("Age", "60")]), 0);
    assert_eq!(lifetime(&[("Cache-Control", "max-age=60"), ("Age", "20"), ("Age", "50")]), 10);
    assert_eq!(lifetime(&[("Cache-Control", "max-age=60"), ("Age", "99999999999999999999")]), 0);
    assert_eq!(lifetime(&[("Cache-Control", "max-age=60"), ("Age", "-20")]), 0);
}

#[test]
fn what_states_no_lifetime_or_a_broken_one_is_asked_for_each_time() {
    for headers in [
        &[][..],
        &[("ETag", "\"1\"")],
        &[("Last-Modified", "Thu, 01 Jan 1998 00:00:00 GMT")],
        &[("Cache-Control", "immutable")],
        &[("Cache-Control", "public")],
        &[("Cache-Control", "max-age=sixty")],
        &[("Cache-Control", "max-age=60, max-age=61")],
        &[("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=61")],
        &[("Cache-Control", "max-age=60, no-cache")],
        &[("Cache-Control", "max-age=60, no-store")],
        &[("Cache-Control", "max-age=60, No-Store")],
        &[("Cache-Control", "max-age=60, x=\"")],
        &[("Expires", "0")],
        &[("Expires", "tomorrow")],
        &[("Expires", START_DATE)],
        &[("Pragma", "no-cache")],
        &[("Cache-Control", "max-age=60"), ("Vary", "*")],
        &[("Cache-Control", "max-age=60"), ("Vary", "Accept, *")],
    ] {
        // `Vary: *` keeps its lifetime and is not used all the same.
        let script = Script::default();
        script.will(ok(headers, "1"));
        let bench = Bench::new(&script);
        assert_eq!(bench.had(0), network("1"));
        script.will(ok(headers, "2"));
        assert_eq!(bench.had(1), network("2"), "{headers:?}");
    }
}

#[test]
fn a_default_lifetime_is_for_responses_that_state_none() {
    let reuse = ReuseTerms::default().with_default_lifetime_seconds(30);
    assert_eq!(lifetime_under(reuse, &[]), 30);
    assert_eq!(lifetime_under(reuse, &[("Last-Modified", "Thu, 01 Jan 1998 00:00:00 GMT")]), 30);
    assert_eq!(lifetime_under(reuse, &[("Cache-Control", "must-revalidate")]), 30);
    assert_eq!(lifetime_under(reuse, &[("Age", "10")]), 20);
    assert_eq!(lifetime_under(reuse, &[("Cache-Control", "max-age=5")]), 5);
    for headers in [
        &[("Cache-Control", "no-cache")][..],
        &[("Cache-Control", "no-store")],
        &[("Cache-Control", "max-age=0")],
        &[("Cache-Control", "max-age=x")],
        &[("Expires", "0")],
        &[("Pragma", "no-cache")],
    ] {
        assert_eq!(lifetime_under(reuse, headers), 0, "{headers:?}");
    }
}

#[test]
fn the_policy_bounds_the_lifetime() {
    assert_eq!(lifetime(&[("Cache-Control", "max-age=999999")]), 3600);
    assert_eq!(lifetime(&[("Cache-Control", "max-age=99999999999999999999999")]), 3600);
    let mut terms = CacheTerms::default();
    terms.max_ttl_seconds = 10;
    assert_eq!(lifetime_under(ReuseTerms::from(&terms), &[("Cache-Control", "max-age=60")]), 10);
    terms.max_ttl_seconds = 0;
    assert_eq!(lifetime_under(ReuseTerms::from(&terms), &[("Cache-Control", "max-age=60")]), 0);
}

#[test]
fn an_expired_response_is_asked_about_with_its_validators() {
    let script = Script::default();
    let modified = "Thu, 14 Jan 2027 08:00:00 GMT";
    script.will(ok(&[("ETag", "\"v1\""), ("Last-Modified", modified), ("Cache-Control", "max-age=60")], "1"));
    let bench = Bench::new(&script);
    assert_eq!(bench.had(0), network("1"));
    assert!(!script.last().contains_key("if-none-match"));

    script.will(not_modified(&[("ETag", "\"v1\""), ("Cache-Control", "max-age=10")]));
    let renewed = bench.get(60).unwrap();
    assert_eq!((renewed.how, &*renewed.octets), (FetchedHow::Revalidated, &b"1"[..]));
    assert_eq!((renewed.confirmed_at, renewed.fresh_until), (at(60), at(70)));
    assert_eq!(renewed.etag.as_deref(), Some("\"v1\""));
    assert_eq!(script.last()["if-none-match"], "\"v1\"");
    assert_eq!(script.last()["if-modified-since"], modified);
    assert_eq!(bench.had(69), fresh("1"));

    script.will(ok(&[("ETag", "\"v2\""), ("Cache-Control", "max-age=60")], "2"));
    assert_eq!(bench.had(70), network("2"));
    assert_eq!(bench.had(129), fresh("2"));
}

#[test]
fn a_304_renews_octets_and_freshness_and_nothing_else() {
    let script = Script::default();
    script.will(ok(&[("ETag", "\"v1\""), ("Cache-Control", "max-age=60"), ("Age", "50")], "1"));
    let bench = Bench::new(&script);
    assert_eq!(bench.get(0).unwrap().fresh_until, at(10));
    // No lifetime is stated, so the old one counts from now; the age was of the other response. The type goes with the octets.
    script.will(not_modified(&[("ETag", "W/\"v1\""), ("Content-Type", "text/html")]));
    let renewed = bench.get(10).unwrap();
    assert_eq!((renewed.how, renewed.fresh_until), (FetchedHow::Revalidated, at(70)));
    assert_eq!(renewed.content_type.as_deref(), Some("application/json"));
    assert_eq!(bench.had(69), fresh("1"));
}

#[test]
fn a_304_that_forbids_to_remember_is_used_once() {
    let script = Script::default();
    script.will(ok(&[("ETag", "\"v1\"")], "1"));
    let bench = Bench::new(&script);
    bench.get(0).unwrap();
    script.will(not_modified(&[("ETag", "\"v1\""), ("Cache-Control", "no-store")]));
    assert_eq!(bench.had(1), revalidated("1"));
    assert!(bench.fetcher.store().is_empty());
}

#[test]
fn a_304_about_another_response_is_no_answer() {
    let script = Script::default();
    script.will(ok(&[("ETag", "\"v1\"")], "1"));
    let bench = Bench::new(&script);
    bench.get(0).unwrap();
    script.will(not_modified(&[("ETag", "\"v2\"")]));
    script.will(ok(&[("ETag", "\"v2\"")], "2"));
    assert_eq!(bench.had(1), network("2"));
    assert!(!script.last().contains_key("if-none-match"), "the second time without a condition");
    // And one that nobody asked for is an error.
    let script = Script::default();
    script.will(not_modified(&[]));
    assert_eq!(Bench::new(&script).code(0), "fetch.status");
}

#[test]
fn no_store_is_not_remembered_and_drops_what_was() {
    let script = Script::default();
    let bench = Bench::new(&script);
    script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
    bench.get(0).unwrap();
    assert_eq!(bench.fetcher.store().len(), 1);
    script.will(ok(&[("Cache-Control", "no-store")], "2"));
    assert_eq!(bench.had(60), network("2"));
    assert!(bench.fetcher.store().is_empty());
}

#[test]
fn what_the_server_takes_back_is_forgotten() {
    let lines = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")];
    let reuse = ReuseTerms::default().with_stale_if_error_seconds(3600);
    let redirect = || Ok(response(302, &[("Location", "https://other.example/")], ""));
    let html = || Ok(response(200, &[("Content-Type", "text/html")], "<p>"));
    for (answer, code) in [
        (status(404), "fetch.status"),
        (status(410), "fetch.status"),
        (status(401), "fetch.status"),
        (redirect(), "fetch.redirect"),
        (html(), "fetch.content-type"),
    ] {
        let script = Script::default();
        script.will(ok(&lines, "1"));
        let bench = Bench::new(&script).with(reuse);
        bench.get(0).unwrap();
        script.will(answer);
        assert_eq!(bench.code(60), code);
        assert!(bench.fetcher.store().is_empty(), "{code}");
        script.will(Err(outage()));
        assert_eq!(bench.code(61), "fetch.unreachable", "it does not come back");
    }
}

#[test]
fn a_response_stands_in_for_a_server_that_cannot_be_asked_only_as_long_as_is_said() {
    let script = Script::default();
    script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
    let bench = Bench::new(&script).with(ReuseTerms::default().with_stale_if_error_seconds(100));
    bench.get(0).unwrap();
    for error in [
        outage(),
        FetchError::Dns { url: card().raw().to_owned() },
        FetchError::Timeout { url: card().raw().to_owned(), limit: std::time::Duration::from_secs(5) },
    ] {
        script.will(Err(error.clone()));
        assert_eq!(bench.had(159), (FetchedHow::Stale(error), "1".to_owned()));
    }
    script.will(status(503));
    let stale = bench.get(159).unwrap();
    assert!(matches!(stale.how, FetchedHow::Stale(FetchError::Status { status: 503, .. })));
    assert_eq!((stale.fresh_until, stale.confirmed_at), (at(60), at(0)));
    script.will(Err(outage()));
    assert_eq!(bench.code(160), "fetch.unreachable");
}

#[test]
fn an_answer_that_is_refused_is_no_outage() {
    for error in [
        FetchError::Tls { url: card().raw().to_owned(), fault: countersign::fetch::TlsFault::WrongName },
        FetchError::Protocol { url: card().raw().to_owned() },
    ] {
        let script = Script::default();
        script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
        let bench = Bench::new(&script).with(ReuseTerms::default().with_stale_if_error_seconds(100));
        bench.get(0).unwrap();
        script.will(Err(error.clone()));
        assert_eq!(bench.get(61).unwrap_err(), error);
    }
}

#[test]
fn nothing_stands_in_without_being_told_or_where_the_response_forbids_it() {
    let told = ReuseTerms::default().with_stale_if_error_seconds(100);
    for (reuse, directives) in [
        (ReuseTerms::default(), "max-age=60"),
        (told, "max-age=60, must-revalidate"),
        (told, "no-cache"),
        (told, "no-store"),
    ] {
        let script = Script::default();
        script.will(ok(&[("Cache-Control", directives)], "1"));
        let bench = Bench::new(&script).with(reuse);
        bench.get(0).unwrap();
        script.will(Err(outage()));
        assert_eq!(bench.code(61), "fetch.unreachable", "{directives}");
    }
}

#[test]
fn a_clock_that_is_set_back_makes_nothing_fresh() {
    let script = Script::default();
    script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
    let bench = Bench::new(&script).with(ReuseTerms::default().with_stale_if_error_seconds(100));
    bench.get(0).unwrap();
    assert_eq!(bench.had(59), fresh("1"));
    assert_eq!(bench.had(30), fresh("1"), "it was fresh at the latest time that was seen");
    script.will(Err(outage()));
    assert!(matches!(bench.get(60).unwrap().how, FetchedHow::Stale(_)));
    // Expired at 60; no clock says otherwise afterwards.
    script.will(ok(&[("Cache-Control", "max-age=60")], "2"));
    assert_eq!(bench.had(30), network("2"));
    // Received at 30, it is fresh until 90, also by a clock that goes on from the latest time.
    assert_eq!(bench.had(89), fresh("2"));
}

#[test]
fn a_response_from_the_future_is_not_used() {
    let store = MemoryStore::default();
    let script = Script::default();
    script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
    let ahead = Fetcher::new(&script, Arc::new(store));
    ahead.get(&card(), &AskTerms::default(), &FetchTerms::default(), at(0)).unwrap();
    // Another fetcher over the same store, whose clock is behind.
    let script = Script::default();
    let behind = Fetcher::new(&script, ahead.store().clone());
    let ask = AskTerms::default().with_reuse(ReuseTerms::default().with_stale_if_error_seconds(3600));
    script.will(Err(outage()));
    assert!(behind.get(&card(), &ask, &FetchTerms::default(), at(-1)).is_err());
    let fetched = behind.get(&card(), &ask, &FetchTerms::default(), at(0)).unwrap();
    assert_eq!(fetched.how, FetchedHow::Fresh);
}

#[test]
fn times_beyond_the_calendar_make_nothing_fresh_and_do_no_harm() {
    for seconds in [i64::MIN, -1, 253_402_300_800, i64::MAX] {
        let now = UnixTime::from_seconds(seconds);
        let script = Script::default();
        let fetcher = Fetcher::new(&script, MemoryStore::default());
        for text in ["1", "2"] {
            script.will(ok(&[("Cache-Control", "max-age=60"), ("Age", "1")], text));
            let fetched = fetcher.get(&card(), &AskTerms::default(), &FetchTerms::default(), now).unwrap();
            assert_eq!(&*fetched.octets, text.as_bytes());
        }
    }
}

#[test]
fn what_a_response_varies_by_must_be_the_same() {
    let script = Script::default();
    let fetcher = Fetcher::new(&script, MemoryStore::default());
    let mut other = FetchTerms::default();
    other.content_types = vec!["application/json".to_owned()];
    let get = |terms: &FetchTerms, seconds| {
        let fetched = fetcher.get(&card(), &AskTerms::default(), terms, at(seconds)).unwrap();
        (fetched.how, String::from_utf8(fetched.octets.to_vec()).unwrap())
    };
    let lines = [("Cache-Control", "max-age=60"), ("Vary", "A2A-Version, Accept"), ("ETag", "\"v1\"")];
    script.will(ok(&lines, "1"));
    assert_eq!(get(&FetchTerms::default(), 0), network("1"));
    assert_eq!(get(&FetchTerms::default(), 1), fresh("1"));
    // Another `Accept`.
    script.will(ok(&lines, "2"));
    assert_eq!(get(&other, 2), network("2"));
    assert!(!script.last().contains_key("if-none-match"), "the tag is of another response");
    assert_eq!(get(&other, 3), fresh("2"));
}

#[test]
fn each_version_and_each_credential_has_a_response_of_its_own() {
    let script = Script::default();
    let fetcher = Fetcher::new(&script, MemoryStore::default());
    let asks = [
        AskTerms::default(),
        AskTerms::default().with_version(ProtocolVersion::V0_3),
        AskTerms::default().with_version(ProtocolVersion::V1_0),
        AskTerms::default().with_credential(Credential::new("Bearer one")),
        AskTerms::default().with_credential(Credential::new("Bearer two")),
    ];
    // `Vary: Authorization` is met as well: the credential is compared by its SHA-256.
    let lines = [("Cache-Control", "max-age=60"), ("Vary", "Authorization")];
    for (ask, number) in asks.iter().zip(1..) {
        script.will(ok(&lines, &number.to_string()));
        fetcher.get(&card(), ask, &FetchTerms::default(), at(0)).unwrap();
    }
    for (ask, number) in asks.iter().zip(1..) {
        let fetched = fetcher.get(&card(), ask, &FetchTerms::default(), at(1)).unwrap();
        assert_eq!((fetched.how, &*fetched.octets), (FetchedHow::Fresh, number.to_string().as_bytes()));
    }
    assert_eq!((script.count(), fetcher.store().len()), (5, 5));
    let digests: std::collections::BTreeSet<String> =
        asks.iter().map(|ask| StoreKey::of(&card(), ask).digest()).collect();
    assert_eq!(digests.len(), 5);
}

#[test]
fn no_credential_is_remembered_or_shown() {
    let script = Script::default();
    let fetcher = Fetcher::new(&script, MemoryStore::default());
    let ask = AskTerms::default().with_credential(Credential::new("Bearer not-a-real-token"));
    script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
    fetcher.get(&card(), &ask, &FetchTerms::default(), at(0)).unwrap();
    assert_eq!(script.last()["authorization"], "Bearer not-a-real-token");
    let key = fetcher.key(&card(), &ask, &FetchTerms::default());
    let stored = fetcher.store().load(&key).unwrap().unwrap();
    for shown in [format!("{ask:?}"), format!("{stored:?}"), format!("{:?}", fetcher.store())] {
        assert!(!shown.contains("not-a-real-token"), "{shown}");
    }
}

#[test]
fn a_remembered_response_must_pass_the_terms_of_today() {
    let script = Script::default();
    let fetcher = Fetcher::new(&script, MemoryStore::default());
    script.will(ok(&[("Cache-Control", "max-age=60")], "{\"name\":\"Echo\"}"));
    fetcher.get(&card(), &AskTerms::default(), &FetchTerms::default(), at(0)).unwrap();
    let mut shorter = FetchTerms::default();
    shorter.max_octets = 14;
    script.will(ok(&[], "{}"));
    let fetched = fetcher.get(&card(), &AskTerms::default(), &shorter, at(1)).unwrap();
    assert_eq!((fetched.how, &*fetched.octets), (FetchedHow::Network, &b"{}"[..]));
}

#[test]
fn a_client_of_the_embedder_is_held_to_the_same_limits() {
    let script = Script::default();
    let bench = Bench::new(&script);
    script.will(ok(&[], &" ".repeat(256 * 1024)));
    assert!(bench.get(0).is_ok());
    script.will(ok(&[], &" ".repeat(256 * 1024 + 1)));
    assert_eq!(bench.code(0), "fetch.size");
    script.will(Ok(response(200, &[], "{}")));
    assert_eq!(bench.code(0), "fetch.content-type");
    script.will(Ok(response(307, &[("Location", "https://other.example/")], "")));
    assert_eq!(bench.code(0), "fetch.redirect");
}

/// A store that cannot be used.
struct Broken;

impl ResponseStore for Broken {
    fn load(&self, _key: &StoreKey) -> Result<Option<StoredResponse>, StoreError> {
        Err(StoreError::new(StoreAction::Read, io::ErrorKind::PermissionDenied))
    }

    fn save(&self, _response: &StoredResponse) -> Result<(), StoreError> {
        Err(StoreError::new(StoreAction::Write, io::ErrorKind::StorageFull))
    }

    fn remove(&self, _key: &StoreKey) -> Result<(), StoreError> {
        Ok(())
    }
}

#[test]
fn a_store_that_fails_is_reported_and_the_document_is_fetched_all_the_same() {
    let script = Script::default();
    script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
    let fetcher = Fetcher::new(&script, Broken);
    let fetched = fetcher.get(&card(), &AskTerms::default(), &FetchTerms::default(), at(0)).unwrap();
    let error = fetched.store_error.unwrap();
    assert_eq!((&*fetched.octets, error.code().name()), (&b"1"[..], "fetch.store"));
    assert_eq!(error.to_string(), "remembered responses cannot be written: no storage space");
}

/// What was fetched with one authority trusted is not believed where it is not.
#[test]
fn clients_that_connect_differently_share_no_responses() {
    struct Trusting(&'static Script, u8);
    impl Fetch for Trusting {
        fn fetch(&self, request: &FetchRequest) -> Result<FetchResponse, FetchError> {
            self.0.fetch(request)
        }
        fn connects(&self) -> Option<[u8; 32]> {
            Some([self.1; 32])
        }
    }
    let script: &'static Script = Box::leak(Box::default());
    let store = Arc::new(MemoryStore::default());
    let get = |trusted: u8, networks: &[&str]| {
        let fetcher = Fetcher::new(Trusting(script, trusted), store.clone());
        fetcher.get(&card(), &AskTerms::default(), &terms(networks), at(1)).unwrap().how
    };
    for (trusted, networks) in [(1, &[][..]), (2, &[]), (1, &["10.0.0.0/8"])] {
        script.will(ok(&[("Cache-Control", "max-age=60")], "1"));
        assert_eq!(get(trusted, networks), FetchedHow::Network);
        assert_eq!(get(trusted, networks), FetchedHow::Fresh);
    }
}
