//! Asks the store first and the network then.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use countersign_keys::{hex, sha256_of_parts};
use countersign_policy::{FetchTerms, Scheme, StrictUrl, UnixTime};

use super::{
    AskTerms, CardAddress, Fetch, FetchError, FetchRequest, FetchResponse, FetchedCard, ResponseStore,
    SizeLimit, StoreError, StoreKey, StoredResponse, freshness, header,
};

/// Fetches documents, and uses remembered responses as RFC 9111 says for a private cache.
///
/// A response is remembered unless it says `no-store`. It is used again while it is fresh, and after that only when the
/// server says that it is unchanged, or where [`ReuseTerms`](super::ReuseTerms) let it stand in for a server that cannot be
/// asked. Any other answer of the server than 200 and 304 drops it. Errors are never remembered.
///
/// What was renewed by a 304 is the same octets, not the same verdict: verify and admit them again.
///
/// # Examples
///
/// ```
/// use countersign::UnixTime;
/// use countersign::fetch::{AskTerms, CardAddress, Fetch, FetchError, FetchRequest, FetchResponse, FetchedHow, Fetcher};
/// use countersign::fetch::MemoryStore;
/// use countersign::policy::FetchTerms;
///
/// /// A client that the embedder brings.
/// struct Canned;
/// impl Fetch for Canned {
///     fn fetch(&self, _request: &FetchRequest) -> Result<FetchResponse, FetchError> {
///         let lines = [("Content-Type", "application/json"), ("Cache-Control", "max-age=60"), ("ETag", "\"1\"")];
///         let headers = lines.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
///         Ok(FetchResponse::new(200, headers, b"{}".to_vec()))
///     }
/// }
///
/// let fetcher = Fetcher::new(Canned, MemoryStore::default());
/// let address = CardAddress::read("agents.example")?;
/// let (ask, terms, now) = (AskTerms::default(), FetchTerms::default(), UnixTime::from_seconds(1_796_000_000));
/// let card = fetcher.card(&address, &ask, &terms, now)?;
/// assert_eq!(card.fetched.url.raw(), "https://agents.example/.well-known/agent-card.json");
/// assert_eq!(card.fetched.how, FetchedHow::Network);
/// let again = fetcher.card(&address, &ask, &terms, now.saturating_add_seconds(59))?;
/// assert_eq!(again.fetched.how, FetchedHow::Fresh);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Fetcher<F, S> {
    fetch: F,
    store: S,
    /// The latest time that was ever given, in seconds.
    newest: AtomicI64,
}

/// A document, and how it was had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// The URL that was asked for.
    pub url: StrictUrl,
    /// The octets, as the server sent them, after decompression.
    pub octets: Arc<[u8]>,
    /// How they were had.
    pub how: FetchedHow,
    /// When the server last said that these are the octets.
    pub confirmed_at: UnixTime,
    /// Until when they may be used without asking again, not included. It is past where they must be asked for each time.
    pub fresh_until: UnixTime,
    /// `Content-Type`, as written.
    pub content_type: Option<String>,
    /// `ETag`, as written.
    pub etag: Option<String>,
    /// The directives of `Cache-Control` that matter here.
    pub cache_control: Option<String>,
    /// `Expires`, as written.
    pub expires: Option<String>,
    /// Whether other octets were remembered under the same `ETag`.
    pub is_etag_reused: bool,
    /// Why the store could not be read or written.
    pub store_error: Option<StoreError>,
}

/// How a document was had.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchedHow {
    /// The server sent it.
    Network,
    /// It was remembered, and is fresh.
    Fresh,
    /// It was remembered, and the server said that it is unchanged.
    Revalidated,
    /// It was remembered and is not fresh; it stands in because of this error.
    Stale(FetchError),
}

impl Fetched {
    /// Whether the response lets it be used past its time, while the server cannot be asked (RFC 9111 section 4.2.4).
    #[must_use]
    pub fn may_stand_in(&self) -> bool {
        let directives = self.cache_control.as_deref().unwrap_or_default().to_ascii_lowercase();
        !["must-revalidate", "no-cache", "no-store"].iter().any(|forbids| directives.contains(forbids))
    }
}

impl FetchedHow {
    /// `network`, `fresh`, `revalidated` or `stale`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Fresh => "fresh",
            Self::Revalidated => "revalidated",
            Self::Stale(_) => "stale",
        }
    }
}

impl<F: Fetch, S: ResponseStore> Fetcher<F, S> {
    /// Fetches with `fetch`, and remembers in `store`.
    #[must_use]
    pub const fn new(fetch: F, store: S) -> Self {
        Self { fetch, store, newest: AtomicI64::new(i64::MIN) }
    }

    /// The document at `url`.
    ///
    /// Redirects are not followed, whatever `redirects` of `[fetch]` is: another URL is another source.
    ///
    /// # Errors
    ///
    /// [`FetchError`] if there is none that may be used: no response within the limits, another status than 200, another
    /// content type than those of `terms`.
    pub fn get(
        &self,
        url: &StrictUrl,
        ask: &AskTerms,
        terms: &FetchTerms,
        now: UnixTime,
    ) -> Result<Fetched, FetchError> {
        if url.scheme() != Scheme::Https {
            return Err(FetchError::NotHttps { url: url.raw().to_owned() });
        }
        let newest = self.newest.fetch_max(now.seconds(), Ordering::Relaxed).max(now.seconds());
        let mut turn = Turn {
            fetcher: self,
            url,
            ask,
            terms,
            now,
            newest: UnixTime::from_seconds(newest),
            key: self.key(url, ask, terms),
            store_error: None,
        };
        turn.run()
    }

    /// The card at an address. Where the address has an old path too, it is asked for if the server has nothing at the
    /// first: status 404 or 410.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get); if both paths are tried, the error of the first where neither has anything.
    pub fn card(
        &self,
        address: &CardAddress,
        ask: &AskTerms,
        terms: &FetchTerms,
        now: UnixTime,
    ) -> Result<FetchedCard, FetchError> {
        let is_nothing = |error: &FetchError| matches!(error, FetchError::Status { status: 404 | 410, .. });
        let first = self.get(address.url(), ask, terms, now);
        match (first, address.old_url()) {
            (Ok(fetched), _) => Ok(FetchedCard { fetched, kind: address.kind() }),
            (Err(error), Some(old_url)) if is_nothing(&error) => match self.get(old_url, ask, terms, now) {
                Ok(fetched) => Ok(FetchedCard { fetched, kind: super::CardAddressKind::OldWellKnown }),
                Err(second) if is_nothing(&second) => Err(error),
                Err(second) => Err(second),
            },
            (Err(error), _) => Err(error),
        }
    }

    /// What a response is remembered under: the URL, what was asked with it, and over which connections it may come, which are
    /// the networks of `terms` and [`Fetch::connects`].
    #[must_use]
    pub fn key(&self, url: &StrictUrl, ask: &AskTerms, terms: &FetchTerms) -> StoreKey {
        let networks = terms.networks.iter().map(|placed| placed.value.to_string());
        let parts = self.fetch.connects().into_iter().map(|digest| hex(&digest)).chain(networks);
        StoreKey::of(url, ask).over(&hex(&sha256_of_parts(parts)))
    }

    /// Forgets the response, if one is remembered: its octets turned out to be useless. A store that cannot be written has told
    /// that when they were fetched.
    pub fn forget(&self, url: &StrictUrl, ask: &AskTerms, terms: &FetchTerms) {
        let _ = self.store.remove(&self.key(url, ask, terms));
    }

    /// Where responses are remembered.
    #[must_use]
    pub const fn store(&self) -> &S {
        &self.store
    }
}

/// One call of [`Fetcher::get`].
struct Turn<'a, F, S> {
    fetcher: &'a Fetcher<F, S>,
    url: &'a StrictUrl,
    ask: &'a AskTerms,
    terms: &'a FetchTerms,
    now: UnixTime,
    newest: UnixTime,
    key: StoreKey,
    store_error: Option<StoreError>,
}

/// An answer that can be used.
enum Answer {
    Whole(FetchResponse),
    NotModified(FetchResponse),
}

impl<F: Fetch, S: ResponseStore> Turn<'_, F, S> {
    fn run(&mut self) -> Result<Fetched, FetchError> {
        let request = self.request();
        let noted = self.noted(&request);
        let Some(stored) = self.stored() else { return self.whole(&request, noted) };
        let verdict = freshness::judge(&stored, &noted, &self.ask.reuse, self.now, self.newest);
        if verdict.is_fresh {
            return Ok(self.fetched(&stored, FetchedHow::Fresh, verdict.fresh_until));
        }
        let validators = if verdict.matches { freshness::validators(&stored) } else { Vec::new() };
        let mut conditional = request.clone();
        conditional.headers.extend(validators);
        match self.answer(&conditional) {
            Ok(Answer::Whole(response)) => {
                let mut fetched = self.remember(response, noted);
                fetched.is_etag_reused = fetched.etag.is_some()
                    && fetched.etag.as_deref() == stored.header("etag")
                    && fetched.octets != stored.octets;
                Ok(fetched)
            }
            Ok(Answer::NotModified(response)) => {
                match freshness::renewed(&stored, &request, noted.clone(), &response, self.now) {
                    Some(renewed) => {
                        let until = self.save(&renewed);
                        Ok(self.fetched(&renewed, FetchedHow::Revalidated, until))
                    }
                    None => self.whole(&request, noted),
                }
            }
            Err(error) if error.is_outage() => {
                if verdict.may_stand_in {
                    Ok(self.fetched(&stored, FetchedHow::Stale(error), verdict.fresh_until))
                } else {
                    Err(error)
                }
            }
            Err(error) => {
                // What the server no longer stands by must not stand in for it later.
                self.forget();
                Err(error)
            }
        }
    }

    /// The response without any that is remembered.
    fn whole(&mut self, request: &FetchRequest, noted: Vec<(String, String)>) -> Result<Fetched, FetchError> {
        match self.answer(request) {
            Ok(Answer::Whole(response)) => Ok(self.remember(response, noted)),
            // Nothing was asked that 304 is an answer to.
            Ok(Answer::NotModified(response)) => {
                self.forget();
                Err(FetchError::Status { url: self.url.raw().to_owned(), status: response.status })
            }
            Err(error) => {
                if !error.is_outage() {
                    self.forget();
                }
                Err(error)
            }
        }
    }

    fn request(&self) -> FetchRequest {
        let mut request = FetchRequest::new(self.url.clone(), self.terms)
            .with_header("accept", self.terms.content_types.join(", "));
        if let Some(version) = self.ask.version {
            request = request.with_header("a2a-version", version.to_string());
        }
        if let Some(credential) = &self.ask.credential {
            request = request.with_header("authorization", credential.value());
        }
        request
    }

    /// The headers of the request as they are remembered.
    fn noted(&self, request: &FetchRequest) -> Vec<(String, String)> {
        let fingerprint = self.ask.credential.as_ref().map(|credential| hex(&credential.fingerprint()));
        let mut noted = request.headers.clone();
        for (name, value) in &mut noted {
            if name == "authorization" {
                *value = fingerprint.clone().unwrap_or_default();
            }
        }
        noted
    }

    /// What is remembered, if it could be the answer under these terms.
    fn stored(&mut self) -> Option<StoredResponse> {
        match self.fetcher.store.load(&self.key) {
            Ok(stored) => stored.filter(|stored| {
                stored.key == self.key
                    && stored.octets.len() <= self.terms.max_octets
                    && header::is_accepted(stored.header("content-type"), &self.terms.content_types)
            }),
            Err(error) => {
                self.store_error = Some(error);
                None
            }
        }
    }

    /// Asks the network. What a client of the embedder may have let pass is judged here.
    fn answer(&self, request: &FetchRequest) -> Result<Answer, FetchError> {
        let url = || self.url.raw().to_owned();
        let response = self.fetcher.fetch.fetch(request)?;
        match response.status {
            200 => {}
            304 => return Ok(Answer::NotModified(response)),
            300..=399 => {
                let location = response.header("location").map(header::shown);
                return Err(FetchError::Redirect { url: url(), status: response.status, location });
            }
            status => return Err(FetchError::Status { url: url(), status }),
        }
        if response.octets.len() > request.max_octets {
            return Err(FetchError::Size {
                url: url(),
                most: request.max_octets,
                what: SizeLimit::BodyOctets,
            });
        }
        if !header::is_accepted(response.header("content-type"), &self.terms.content_types) {
            return Err(FetchError::ContentType {
                url: url(),
                content_type: response.header("content-type").map(header::shown),
                expected: self.terms.content_types.clone(),
            });
        }
        Ok(Answer::Whole(response))
    }

    fn remember(&mut self, response: FetchResponse, noted: Vec<(String, String)>) -> Fetched {
        let headers = header::kept(&response.headers);
        let stored =
            StoredResponse::new(self.key.clone(), self.now, noted, headers, Arc::from(response.octets));
        let until = self.save(&stored);
        self.fetched(&stored, FetchedHow::Network, until)
    }

    /// Until when the response may be used without asking. One that must not be remembered takes the older one with it.
    fn save(&mut self, stored: &StoredResponse) -> UnixTime {
        match freshness::storable_until(stored, &self.ask.reuse) {
            Some(until) => {
                if let Err(error) = self.fetcher.store.save(stored) {
                    self.store_error = Some(error);
                }
                until
            }
            None => {
                self.forget();
                self.now
            }
        }
    }

    fn forget(&mut self) {
        if let Err(error) = self.fetcher.store.remove(&self.key) {
            self.store_error = Some(error);
        }
    }

    fn fetched(&self, stored: &StoredResponse, how: FetchedHow, fresh_until: UnixTime) -> Fetched {
        let header = |name| stored.header(name).map(str::to_owned);
        Fetched {
            url: self.url.clone(),
            octets: stored.octets.clone(),
            how,
            confirmed_at: stored.received_at,
            fresh_until,
            content_type: header("content-type"),
            etag: header("etag"),
            cache_control: header("cache-control"),
            expires: header("expires"),
            is_etag_reused: false,
            store_error: self.store_error,
        }
    }
}
