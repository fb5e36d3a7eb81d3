//! What is in force: the policy, its keys that are usable, and the latest time that anybody told.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use countersign_keys::sha256_of_parts;
use countersign_policy::{TrustPolicy, UnixTime};

use crate::files::TOOL;

/// The policy in force. What was decided in an earlier generation stands no more.
pub(super) struct Standing {
    /// The latest time that was told, in seconds. It never falls.
    latest: AtomicI64,
    /// Counts policies, sets of usable keys, and turns.
    generation: AtomicU64,
    /// From when on other keys are usable, in seconds.
    turns_at: AtomicI64,
    in_force: RwLock<InForce>,
}

struct InForce {
    policy: Arc<TrustPolicy>,
    digest: [u8; 32],
}

/// What is in force at one time.
pub(super) struct Stand {
    pub(super) policy: Arc<TrustPolicy>,
    /// Of the policy, its usable keys and this library.
    pub(super) digest: [u8; 32],
    pub(super) moment: Moment,
}

/// A time and the generation that is in force at it.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) now: UnixTime,
    pub(super) generation: u64,
}

impl Standing {
    pub(super) fn new(policy: Arc<TrustPolicy>) -> Self {
        // Before the first time is told: the first question turns.
        Self {
            latest: AtomicI64::new(i64::MIN),
            generation: AtomicU64::new(0),
            turns_at: AtomicI64::new(i64::MIN),
            in_force: RwLock::new(InForce { policy, digest: [0; 32] }),
        }
    }

    pub(super) fn policy(&self) -> Arc<TrustPolicy> {
        Arc::clone(&self.read().policy)
    }

    pub(super) fn replace(&self, policy: Arc<TrustPolicy>) {
        let mut in_force = self.write();
        let before = in_force.digest;
        in_force.policy = policy;
        self.settle(&mut in_force);
        if in_force.digest != before {
            self.generation.fetch_add(1, Ordering::Release);
        }
    }

    /// Ends the generation; policy and keys stay.
    pub(super) fn turn(&self) {
        let _in_force = self.write();
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// The time, or the latest one that was told before, and the generation at it. No lock unless other keys are usable.
    pub(super) fn moment(&self, now: UnixTime) -> Moment {
        let now = self.advance(now);
        // First the generation: a reader that sees a new one sees the end of it, which was written before.
        let generation = self.generation.load(Ordering::Acquire);
        if now.seconds() < self.turns_at.load(Ordering::Acquire) {
            return Moment { now, generation };
        }
        self.at(now).moment
    }

    /// Everything that is in force at the time, or at the latest one that was told before.
    pub(super) fn at(&self, now: UnixTime) -> Stand {
        self.advance(now);
        let in_force = self.read();
        let latest = self.latest.load(Ordering::Acquire);
        if latest < self.turns_at.load(Ordering::Acquire) {
            return self.stand(&in_force, latest);
        }
        drop(in_force);
        let mut in_force = self.write();
        let before = in_force.digest;
        let latest = self.settle(&mut in_force);
        if in_force.digest != before {
            self.generation.fetch_add(1, Ordering::Release);
        }
        self.stand(&in_force, latest)
    }

    fn stand(&self, in_force: &InForce, latest: i64) -> Stand {
        let now = UnixTime::from_seconds(latest);
        let moment = Moment { now, generation: self.generation.load(Ordering::Acquire) };
        Stand { policy: Arc::clone(&in_force.policy), digest: in_force.digest, moment }
    }

    /// Looks which keys are usable, and until when; gives the time it looked at.
    fn settle(&self, in_force: &mut InForce) -> i64 {
        let latest = self.latest.load(Ordering::Acquire);
        let now = UnixTime::from_seconds(latest);
        in_force.digest = digest_of(&in_force.policy, now);
        self.turns_at.store(turns_after(&in_force.policy, now), Ordering::Release);
        latest
    }

    fn advance(&self, now: UnixTime) -> UnixTime {
        let latest = self.latest.load(Ordering::Acquire);
        if now.seconds() <= latest {
            return UnixTime::from_seconds(latest);
        }
        let latest = self.latest.fetch_max(now.seconds(), Ordering::AcqRel);
        UnixTime::from_seconds(latest).max(now)
    }

    // Nothing that runs under the lock can panic, so what it guards is whole even if a thread died with it.

    fn read(&self) -> RwLockReadGuard<'_, InForce> {
        self.in_force.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, InForce> {
        self.in_force.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The digest of what a policy contributes to its decisions: its meaning, which of its keys are usable at `now`, what is
/// said about all of them, and the version of this library. Until when the keys of a set count is no part of it: that moves
/// with every time that the set is fetched, and what was decided before has its own end.
pub(super) fn digest_of(policy: &TrustPolicy, now: UnixTime) -> [u8; 32] {
    let keys = policy.keys().iter().map(|key| {
        let trusted = &key.trusted;
        let algorithms =
            trusted.algorithms().map(|named| sha256_of_parts(named.iter().map(|one| one.name())));
        let status = format!("{:?}", trusted.status());
        sha256_of_parts([
            sha256_of_parts([key.id.as_str(), status.as_str()]),
            sha256_of_parts(trusted.kid()),
            sha256_of_parts([trusted.thumbprint().to_string()]),
            sha256_of_parts(algorithms),
        ])
    });
    let keys = sha256_of_parts(keys);
    let texts = [TOOL.version, policy.digest(), &policy.key_epoch(now)];
    sha256_of_parts([sha256_of_parts(texts), keys])
}

/// The first second after `now` at which a key becomes usable or stops to be; the last one of all if there is none.
fn turns_after(policy: &TrustPolicy, now: UnixTime) -> i64 {
    let ends = policy.keys().iter().flat_map(|key| {
        let after = key.trusted.not_after().map(|last| last.saturating_add(1));
        [key.trusted.not_before(), after]
    });
    ends.flatten().filter(|end| *end > now.seconds()).min().unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
