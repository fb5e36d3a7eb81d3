//! Cards that instances of a client share through a Redis or Valkey (feature `cache-shared`): they save fetches, and never
//! a decision.
//!
//! The engine is not trusted. An entry holds what is needed to decide again: the octets of a card that one instance
//! admitted, its endorsements, and until when it is fresh. It is authenticated with a key that only the instances have
//! (HMAC-SHA-256, RFC 2104), together with the question that it belongs to, so an entry that was changed, made by somebody
//! else, or moved to another tenant, use or source is not used. What is loaded is still an untrusted card: it is admitted
//! anew under the policy of the instance that loads it.
//!
//! A [revocation](SharedStore::revoke) makes every entry that was stored before worthless for all instances: each load
//! reads the epoch of the store beside the entry, in one round trip, and takes no entry of another one. An instance never
//! goes back behind an epoch that it saw.
//!
//! An engine that is down is a miss. Not here: encryption. Entries are readable for whoever reads the engine or the
//! network before it; their names tell nothing. Do not share cards that were fetched with a credential.

mod engine;
mod entry;
mod epoch;
mod error;
mod key;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use countersign_keys::hex;
use countersign_policy::{AdmissionRequest, LazyDigest, PinDigest, UnixTime};

use super::{Answer, ReceivedCard};
use crate::endorsement::Endorsement;
use engine::{Engine, Urgency};
use entry::Entry;
use epoch::Epoch;
pub use error::{EngineFault, SharedError};
pub use key::SharedKey;

/// How a shared store is used.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SharedTerms {
    /// Instances with the same name share cards and revocations. Default: `default`.
    pub namespace: String,
    /// Longest time to connect, and to wait for octets of an answer. Default: 50 ms.
    pub timeout: Duration,
    /// Largest entry, in octets: a card with its endorsements and 128 octets. Default: 524,288 (512 KiB).
    pub max_value_octets: usize,
    /// Failures in a row after which the engine is left alone for a while. Default: 3.
    pub max_failures: u32,
    /// How long it is left alone, in seconds. Default: 5.
    pub retry_seconds: i64,
}

/// A store that several instances share.
///
/// # Examples
///
/// ```
/// use countersign::cache::shared::{MissReason, SharedKey, SharedStore, SharedTerms};
/// use countersign::{AdmissionRequest, Source, UnixTime};
///
/// let key = SharedKey::new(vec![7; 32])?; // random octets, from where the instances keep their secrets
/// let store = SharedStore::new("redis://127.0.0.1:1", key, &SharedTerms::default())?;
/// let request = AdmissionRequest::new(Source::at("https://agents.example/.well-known/agent-card.json")?);
/// let now = UnixTime::from_seconds(1_790_856_000);
/// match store.load(&request, now) {
///     // Admit it: `cache.admit(&request, &shared.received(), now)`.
///     Ok(shared) => assert!(!shared.octets().is_empty()),
///     // Fetch the card, admit it, and then `store.store(vacancy, &answer, &received, now)`.
///     Err(vacancy) => assert_eq!(vacancy.reason(), MissReason::Unreachable),
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SharedStore {
    engine: Engine,
    key: SharedKey,
    namespace: String,
    max_value_octets: usize,
    /// The highest epoch that was seen or wished for.
    highest: AtomicU64,
}

/// A card that an instance shared: authentic, and as untrusted as on the day when it was fetched.
#[derive(Debug)]
pub struct SharedCard {
    entry: Entry,
    endorsements: Vec<Endorsement>,
}

/// Where a card is missing: the right to store one there, as long as nothing is revoked.
#[derive(Clone, Debug)]
pub struct Vacancy {
    reason: MissReason,
    name: String,
    request: [u8; 32],
    epoch: Option<Epoch>,
}

/// Why no card was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MissReason {
    /// There is none.
    Absent,
    /// It is not fresh any more, or was stored later than now.
    Ended,
    /// It was stored before a revocation.
    Revoked,
    /// It is not authentic: changed, moved, or made with another key; or it is no entry.
    Damaged,
    /// It is larger than allowed.
    TooLarge,
    /// The store has no epoch: it is new, or has lost its memory.
    NoEpoch,
    /// The epoch of the store is not authentic, or lower than one that was seen before.
    RolledBack,
    /// The engine did not answer in time, or not what was asked for.
    Unreachable,
    /// It failed several times and is left alone for a while.
    LeftAlone,
}

impl SharedStore {
    /// A store behind `redis://HOST:PORT`, `redis://USER:PASSWORD@HOST:PORT/DATABASE` or `redis+unix:///PATH`. Does not
    /// connect. A host name is resolved at each connection, for which no time-out holds: give an address, or a name that is
    /// resolved on this machine.
    ///
    /// # Errors
    ///
    /// [`SharedError::Address`].
    pub fn new(address: &str, key: SharedKey, terms: &SharedTerms) -> Result<Self, SharedError> {
        Ok(Self {
            engine: Engine::new(address, terms)?,
            key,
            namespace: terms.namespace.clone(),
            max_value_octets: terms.max_value_octets,
            highest: AtomicU64::new(0),
        })
    }

    /// The card that was shared for a question: for exactly this source, tenant, use and client. One round trip, and a few more
    /// where the store has no epoch yet.
    ///
    /// # Errors
    ///
    /// [`Vacancy`]: there is none that may be used.
    pub fn load(&self, request: &AdmissionRequest, now: UnixTime) -> Result<SharedCard, Vacancy> {
        let request = request.digest();
        let name = self.name(&request);
        let mut vacancy = Vacancy { reason: MissReason::Absent, name, request, epoch: None };
        self.load_into(&mut vacancy, now).map_err(|reason| {
            vacancy.reason = reason;
            vacancy
        })
    }

    /// Shares a card that was admitted, until the answer ends; nothing if that is now.
    ///
    /// What was revoked since the [`load`](Self::load) that found the vacancy makes the entry worthless.
    ///
    /// # Errors
    ///
    /// [`SharedError::NotAdmitted`] if the answer is a denial or about another card or request,
    /// [`SharedError::TooLarge`], [`SharedError::Unreachable`], also if the engine was not reached by the `load`.
    pub fn store(
        &self,
        vacancy: Vacancy,
        answer: &Answer,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        now: UnixTime,
    ) -> Result<(), SharedError> {
        let decision = answer.decision();
        let subject = &decision.subject;
        let is_about = vacancy.request == request.digest()
            && decision.card.sha256.as_ref().map(LazyDigest::get) == Some(PinDigest::of(received.octets()))
            && (&*subject.url, &subject.source) == (request.source.url.raw(), &request.source.kind)
            && (&subject.tenant, &subject.purpose) == (&request.tenant, &request.purpose);
        if answer.admitted().is_none() || !is_about {
            return Err(SharedError::NotAdmitted);
        }
        let until = received.at_most(answer.until());
        if until <= now {
            return Ok(());
        }
        let octets = entry::size_of(received);
        if octets > self.max_value_octets {
            return Err(SharedError::TooLarge { octets, limit: self.max_value_octets });
        }
        // Without the epoch of before the card was fetched nobody can tell whether something was revoked since.
        let epoch = vacancy.epoch.ok_or_else(|| self.engine.unreachable(EngineFault::LeftAlone))?;
        let entry = Entry::of(epoch, received, now, until);
        let value = self.key.seal(&[b"card", vacancy.name.as_bytes()], entry.to_octets());
        self.engine.write(&vacancy.name, &value, until.seconds().saturating_sub(now.seconds()), now)
    }

    /// Makes everything that was shared so far worthless, for every instance. Call it after a key or a policy was taken
    /// back, so that no instance starts from a card of before.
    ///
    /// It holds for this instance at once, even if the engine cannot be reached, and for the others as soon as it is written:
    /// now, or when this instance next loads a card. Tries the engine even when it is left alone.
    ///
    /// # Errors
    ///
    /// [`SharedError::Unreachable`]: the other instances do not know yet.
    pub fn revoke(&self, now: UnixTime) -> Result<(), SharedError> {
        let least = self.highest.fetch_add(1, Ordering::AcqRel).saturating_add(1);
        self.change_epoch(Urgency::Urgent, now, |found| match found {
            Some(epoch) => Some(epoch.counter().saturating_add(1).max(least)),
            None => Some(least),
        })?;
        Ok(())
    }

    fn load_into(&self, vacancy: &mut Vacancy, now: UnixTime) -> Result<SharedCard, MissReason> {
        // One octet more than allowed shows that there are too many.
        let most = self.max_value_octets.saturating_add(1);
        let (epoch, value) = self.engine.read(&self.epoch_name(), &vacancy.name, most, now)?;
        let epoch = match self.epoch_read(epoch) {
            Ok(epoch) => epoch,
            Err(reason) => {
                // Whoever finds none begins one, so that what is stored now can be revoked.
                vacancy.epoch = self.settle_epoch(now).ok();
                return Err(reason);
            }
        };
        vacancy.epoch = Some(epoch);
        if value.is_empty() {
            return Err(MissReason::Absent);
        }
        if value.len() > self.max_value_octets {
            return Err(MissReason::TooLarge);
        }
        let octets = self.key.open(&[b"card", vacancy.name.as_bytes()], value).ok_or(MissReason::Damaged)?;
        let entry = Entry::read(&octets).ok_or(MissReason::Damaged)?;
        if entry.epoch != epoch {
            return Err(MissReason::Revoked);
        }
        if now < entry.from || entry.until <= now {
            return Err(MissReason::Ended);
        }
        let endorsements = entry.read_endorsements().ok_or(MissReason::Damaged)?;
        Ok(SharedCard { entry, endorsements })
    }

    /// The epoch that was read, if it is authentic and none of before.
    fn epoch_read(&self, value: Vec<u8>) -> Result<Epoch, MissReason> {
        if value.is_empty() {
            return Err(MissReason::NoEpoch);
        }
        let epoch = self.epoch_of(value).ok_or(MissReason::RolledBack)?;
        let highest = self.highest.fetch_max(epoch.counter(), Ordering::AcqRel);
        if epoch.counter() < highest { Err(MissReason::RolledBack) } else { Ok(epoch) }
    }

    /// The epoch that another instance began in the meantime, or a new one.
    fn settle_epoch(&self, now: UnixTime) -> Result<Epoch, SharedError> {
        let highest = self.highest.load(Ordering::Acquire);
        self.change_epoch(Urgency::Ordinary, now, |found| match found {
            Some(epoch) if epoch.counter() >= highest => None,
            Some(_) | None => Some(highest.saturating_add(1)),
        })
    }

    /// Replaces the epoch by one with the number that `next` says, or leaves it; gives the one that holds then.
    fn change_epoch(
        &self,
        urgency: Urgency,
        now: UnixTime,
        next: impl Fn(Option<Epoch>) -> Option<u64>,
    ) -> Result<Epoch, SharedError> {
        let name = self.epoch_name();
        let made = self.engine.replace(&name, urgency, now, |found| {
            let found = found.and_then(|found| self.epoch_of(found));
            match (next(found), found) {
                (None, Some(epoch)) => Some((epoch, None)),
                (number, _) => {
                    let epoch = Epoch::new(number.unwrap_or(1))?;
                    let value = self.key.seal(&[b"epoch", name.as_bytes()], epoch.to_octets());
                    Some((epoch, Some(value)))
                }
            }
        })?;
        self.highest.fetch_max(made.counter(), Ordering::AcqRel);
        Ok(made)
    }

    fn epoch_of(&self, value: Vec<u8>) -> Option<Epoch> {
        Epoch::read(&self.key.open(&[b"epoch", self.epoch_name().as_bytes()], value)?)
    }

    fn epoch_name(&self) -> String {
        format!("countersign:1:{}:epoch", self.namespace)
    }

    /// The name of the entry for a question. It tells neither tenant nor source to those who do not have the key.
    fn name(&self, request: &[u8; 32]) -> String {
        let tag = self.key.tag(&[b"name", self.namespace.as_bytes(), request]);
        format!("countersign:1:{}:card:{}", self.namespace, hex(&tag))
    }
}

impl SharedCard {
    /// The card as it was received.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        &self.entry.card
    }

    /// The endorsements that it was admitted with.
    #[must_use]
    pub fn endorsements(&self) -> &[Endorsement] {
        &self.endorsements
    }

    /// From when on it is not used.
    #[must_use]
    pub const fn until(&self) -> UnixTime {
        self.entry.until
    }

    /// The same, for [`AdmissionCache::admit`](super::AdmissionCache::admit).
    #[must_use]
    pub fn received(&self) -> ReceivedCard<'_> {
        ReceivedCard::new(self.octets()).with_endorsements(&self.endorsements).fresh_until(self.entry.until)
    }
}

impl Vacancy {
    /// Why no card was loaded.
    #[must_use]
    pub const fn reason(&self) -> MissReason {
        self.reason
    }
}

impl MissReason {
    /// `absent`, `ended`, `revoked`, `damaged`, `too-large`, `no-epoch`, `rolled-back`, `unreachable` or `left-alone`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Ended => "ended",
            Self::Revoked => "revoked",
            Self::Damaged => "damaged",
            Self::TooLarge => "too-large",
            Self::NoEpoch => "no-epoch",
            Self::RolledBack => "rolled-back",
            Self::Unreachable => "unreachable",
            Self::LeftAlone => "left-alone",
        }
    }
}

impl Default for SharedTerms {
    fn default() -> Self {
        Self {
            namespace: "default".to_owned(),
            timeout: Duration::from_millis(50),
            max_value_octets: 512 * 1024,
            max_failures: 3,
            retry_seconds: 5,
        }
    }
}

/// Neither the key nor the password of the engine is shown.
impl fmt::Debug for SharedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedStore")
            .field("address", &self.engine.address())
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
