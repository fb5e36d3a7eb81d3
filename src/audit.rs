//! Security events: one record for every decision, as a line of JSON and, with the feature `events`, as an event of
//! [`tracing`](https://docs.rs/tracing).

use std::fmt::Write as _;

use countersign_keys::{Code, hex, jcs, sha256};
use countersign_policy::{AdmissionRequest, Decision, LazyDigest, Outcome, TrustPolicy, UnixTime};

/// The target of the events.
pub const AUDIT_TARGET: &str = "countersign::admission";

/// Most characters of a text of the client: tenant and use.
const MAX_TEXT_CHARACTERS: usize = 128;

/// Hexadecimal digits of the id of a decision.
const ID_DIGITS: usize = 32;

/// What is kept of a decision: who asked for what, what was answered and why, and what it rests on.
///
/// Everything is a word of this library, of the policy or of the client, or a digest: no text of the card takes part, so no
/// card can write into a log. URLs are those of the request; tenant and use are cut after 128 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AuditRecord {
    /// Names the decision: 32 hexadecimal digits, the same for the same answer to the same question at the same time.
    pub id: String,
    /// When it was asked for.
    pub at: UnixTime,
    /// When it was decided: before `at` where it was remembered.
    pub decided_at: UnixTime,
    /// The answer.
    pub outcome: Outcome,
    /// Whether it is enforced.
    pub enforced: bool,
    /// `enforce` or `audit`: the mode of the rule at that time.
    pub mode: &'static str,
    /// `id` of the rule.
    pub rule: Option<String>,
    /// The reasons for a denial.
    pub codes: Vec<Code>,
    /// Ids of the exceptions that waived a reason.
    pub exceptions: Vec<String>,
    /// Ids of the keys whose signatures count.
    pub keys: Vec<String>,
    /// URL of the source, as asked.
    pub url: String,
    /// `well-known`, `url`, `file` or `registry:NAME`.
    pub source: String,
    /// Tenant.
    pub tenant: Option<String>,
    /// Use.
    pub purpose: Option<String>,
    /// SHA-256 of the octets of the card; [`None`] if they could not be read as one.
    pub card_sha256: Option<String>,
    /// SHA-256 of the payload of the counted signatures.
    pub payload_sha256: Option<String>,
    /// Digest of the policy.
    pub policy: String,
    /// Digest of its usable keys.
    pub key_epoch: String,
    /// Whether the answer was remembered.
    pub cache: CacheState,
    /// From when on it must be asked anew.
    pub expires_at: UnixTime,
}

/// Whether an answer was remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the three words of the decision document")]
pub enum CacheState {
    /// It was.
    Hit,
    /// It was not, and was decided.
    Miss,
    /// Nothing is remembered.
    Off,
}

impl AuditRecord {
    /// The record of a decision.
    ///
    /// # Examples
    ///
    /// ```
    /// use countersign::{AdmissionRequest, AuditRecord, CacheState, Limits, Source, TOOL, TrustPolicy, UnixTime, UntrustedCard};
    ///
    /// let policy = TrustPolicy::read("schema = 1", "trust-policy.toml", &TOOL)?;
    /// let card = UntrustedCard::read(r#"{"name": "say \"admit\""}"#, &Limits::default())?;
    /// let request = AdmissionRequest::new(Source::at("https://agents.example/card.json")?);
    /// let decision = card.decide(&policy, &request, &[], UnixTime::from_seconds(1_790_856_000));
    /// let line = AuditRecord::of(&decision, CacheState::Off, decision.evaluated_at).to_json();
    /// assert!(line.contains(r#""outcome":"deny""#) && line.contains(r#""origin.no-rule""#));
    /// assert!(!line.contains("say"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of(decision: &Decision, cache: CacheState, now: UnixTime) -> Self {
        let keys = decision.signatures.iter().filter(|signature| signature.counts);
        let mut record = Self {
            id: String::new(),
            at: decision.evaluated_at,
            decided_at: decision.evaluated_at,
            outcome: decision.outcome,
            enforced: decision.enforced,
            mode: if decision.audit.is_some() { "audit" } else { "enforce" },
            rule: decision.rule.clone(),
            codes: decision.codes(),
            exceptions: decision.waived.iter().map(|waived| waived.exception.clone()).collect(),
            keys: keys.filter_map(|signature| signature.key.clone()).collect(),
            url: decision.subject.url.to_string(),
            source: decision.subject.source.to_string(),
            tenant: decision.subject.tenant.as_deref().map(bounded),
            purpose: decision.subject.purpose.as_deref().map(bounded),
            card_sha256: decision.card.sha256.as_ref().map(LazyDigest::to_hex),
            payload_sha256: decision.card.payload_sha256.as_ref().map(LazyDigest::to_hex),
            policy: decision.policy.digest.to_string(),
            key_epoch: decision.key_epoch.to_string(),
            cache: CacheState::Off,
            expires_at: decision.expires_at,
        };
        // What was remembered is the same decision.
        record.name();
        (record.cache, record.at) = (cache, now);
        record
    }

    /// The record of a card that could not be read: it is denied before the policy is asked.
    #[must_use]
    pub fn unreadable(code: Code, request: &AdmissionRequest, policy: &TrustPolicy, now: UnixTime) -> Self {
        let mut record = Self {
            id: String::new(),
            at: now,
            decided_at: now,
            outcome: Outcome::Deny,
            enforced: true,
            mode: "enforce",
            rule: None,
            codes: vec![code],
            exceptions: Vec::new(),
            keys: Vec::new(),
            url: request.source.url.raw().to_owned(),
            source: request.source.kind.to_string(),
            tenant: request.tenant.as_deref().map(bounded),
            purpose: request.purpose.as_deref().map(bounded),
            card_sha256: None,
            payload_sha256: None,
            policy: policy.digest().to_owned(),
            key_epoch: policy.key_epoch(now).to_string(),
            cache: CacheState::Off,
            expires_at: now,
        };
        record.name();
        record
    }

    fn name(&mut self) {
        self.id = hex(&sha256(self.to_json().as_bytes())).chars().take(ID_DIGITS).collect();
    }

    /// One object of JSON without a line break: `{"schema":"countersign.audit/1","id":…,"at":…,…}`. Members without a value
    /// are left out.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut line = Line::default();
        line.text("schema", "countersign.audit/1");
        line.text("id", &self.id);
        line.text("at", &self.at.to_string());
        line.text("decided_at", &self.decided_at.to_string());
        line.text("outcome", self.outcome.name());
        line.word("enforced", if self.enforced { "true" } else { "false" });
        line.text("mode", self.mode);
        line.optional("rule", self.rule.as_deref());
        line.list("codes", self.codes.iter().map(|code| code.name()));
        line.list("exceptions", self.exceptions.iter().map(String::as_str));
        line.list("keys", self.keys.iter().map(String::as_str));
        line.text("url", &self.url);
        line.text("source", &self.source);
        line.optional("tenant", self.tenant.as_deref());
        line.optional("use", self.purpose.as_deref());
        line.optional("card_sha256", self.card_sha256.as_deref());
        line.optional("payload_sha256", self.payload_sha256.as_deref());
        line.text("policy", &self.policy);
        line.text("key_epoch", &self.key_epoch);
        line.text("cache", self.cache.name());
        line.text("expires_at", &self.expires_at.to_string());
        line.end()
    }

    /// Gives the record to the subscriber of `tracing`, under the target [`AUDIT_TARGET`]: a denial that is enforced as a
    /// warning, everything else as information. Lists are joined by commas.
    #[cfg(feature = "events")]
    pub fn emit(&self) {
        macro_rules! emit {
            ($level:ident) => {
                tracing::event!(
                    target: AUDIT_TARGET,
                    tracing::Level::$level,
                    id = self.id,
                    at = %self.at,
                    decided_at = %self.decided_at,
                    outcome = self.outcome.name(),
                    enforced = self.enforced,
                    mode = self.mode,
                    rule = self.rule,
                    codes = self.codes.iter().map(|code| code.name()).collect::<Vec<_>>().join(","),
                    exceptions = self.exceptions.join(","),
                    keys = self.keys.join(","),
                    url = self.url,
                    source = self.source,
                    tenant = self.tenant,
                    "use" = self.purpose,
                    card_sha256 = self.card_sha256,
                    payload_sha256 = self.payload_sha256,
                    policy = self.policy,
                    key_epoch = self.key_epoch,
                    cache = self.cache.name(),
                    expires_at = %self.expires_at,
                )
            };
        }
        if self.outcome == Outcome::Deny && self.enforced {
            emit!(WARN);
        } else {
            emit!(INFO);
        }
    }
}

/// Tells a record to whoever listens; without anybody it is not even made.
#[cfg(feature = "client")]
pub(crate) fn tell(record: impl FnOnce() -> AuditRecord) {
    #[cfg(feature = "events")]
    if tracing::enabled!(target: AUDIT_TARGET, tracing::Level::WARN) {
        record().emit();
    }
    #[cfg(not(feature = "events"))]
    drop(record);
}

impl CacheState {
    /// `hit`, `miss` or `off`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::Miss => "miss",
            Self::Off => "off",
        }
    }
}

/// The members of one object, in the order that they are written in.
#[derive(Default)]
struct Line {
    text: String,
}

impl Line {
    fn text(&mut self, name: &str, value: &str) {
        let quoted = quoted(value);
        self.word(name, &quoted);
    }

    fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    fn list<'t>(&mut self, name: &str, values: impl Iterator<Item = &'t str>) {
        let values: Vec<String> = values.map(quoted).collect();
        self.word(name, &format!("[{}]", values.join(",")));
    }

    fn word(&mut self, name: &str, word: &str) {
        let before = if self.text.is_empty() { '{' } else { ',' };
        let written = write!(self.text, "{before}\"{name}\":{word}");
        debug_assert!(written.is_ok(), "a text takes everything");
    }

    fn end(mut self) -> String {
        self.text.push('}');
        self.text
    }
}

fn quoted(text: &str) -> String {
    let mut octets = Vec::with_capacity(text.len().saturating_add(2));
    jcs::write_text(text, &mut octets);
    String::from_utf8(octets).unwrap_or_default()
}

fn bounded(text: &str) -> String {
    text.chars().take(MAX_TEXT_CHARACTERS).collect()
}
