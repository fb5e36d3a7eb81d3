//! How a card is served: what its publisher can do better.

use countersign_keys::{Finding, Level};

use super::{CardAddressKind, Fetched, FetchedCard, FetchedHow};
use crate::codes::fetch as codes;

/// The content types of a card (A2A 1.0 section 14.1; RFC 8259).
const CARD_TYPES: [&str; 2] = ["application/json", "application/a2a+json"];

/// The path before A2A 0.3.
const OLD_PATH: &str = "/.well-known/agent.json";

impl FetchedCard {
    /// What is unwise about how the card is served (A2A 1.0 sections 8.2, 8.6.1 and 14.3): `fetch.cache-headers` and
    /// `fetch.well-known-location`. Of a response that was remembered only what was kept of it is looked at.
    #[must_use]
    pub fn served_findings(&self) -> Vec<Finding> {
        let fetched = &self.fetched;
        let mut findings: Vec<Finding> =
            self.cache_headers().map(|message| finding(codes::FETCH_CACHE_HEADERS, message)).collect();
        if self.kind == CardAddressKind::OldWellKnown || fetched.url.path().ends_with(OLD_PATH) {
            let message =
                format!("the card is at `{OLD_PATH}`, where clients of A2A 0.3 and later do not look");
            findings.push(finding(codes::FETCH_WELL_KNOWN_LOCATION, message));
        }
        findings
    }

    fn cache_headers(&self) -> impl Iterator<Item = String> {
        let fetched = &self.fetched;
        let states_none = fetched.cache_control.is_none() && fetched.expires.is_none();
        let lifetime = states_none.then(|| {
            "the response does not say how long the card is fresh (`Cache-Control: max-age=…`)".to_owned()
        });
        let no_etag = fetched
            .etag
            .is_none()
            .then(|| "the response has no `ETag`, so an unchanged card is sent whole every time".to_owned());
        let reused = (fetched.how == FetchedHow::Network && fetched.is_etag_reused).then(|| {
            let etag = fetched.etag.as_deref().unwrap_or_default();
            format!("the card changed and its `ETag` is still `{etag}`, so caches keep the old one")
        });
        let other_type = content_type(fetched)
            .filter(|found| !CARD_TYPES.iter().any(|known| known.eq_ignore_ascii_case(found)))
            .map(|found| format!("the content type is `{found}`, expected {}", CARD_TYPES.join(" or ")));
        [lifetime, no_etag, reused, other_type].into_iter().flatten()
    }
}

fn content_type(fetched: &Fetched) -> Option<&str> {
    fetched.content_type.as_deref()?.split(';').next().map(str::trim)
}

fn finding(code: crate::Code, message: String) -> Finding {
    Finding::new(code, Level::Warning, message)
}
