//! What a decision rests on.

use std::fmt;

use countersign_keys::{hex, sha256, sha256_of_parts};
use countersign_policy::{AdmissionRequest, AgentMemory, PinMemory, TrustPolicy, UnixTime};

use super::standing::digest_of;
use crate::endorsement::Endorsement;

/// A card as it arrived, with what arrived beside it.
#[derive(Clone, Copy, Debug)]
pub struct ReceivedCard<'r> {
    octets: &'r [u8],
    endorsements: &'r [Endorsement],
    fresh_until: Option<UnixTime>,
    state: Option<[u8; 32]>,
}

/// Everything that a decision rests on, as one SHA-256 digest: tenant, use, source, what the client speaks, the octets of the
/// card with its signatures, the endorsements, the meaning of the policy, its keys that are usable now, what else was looked
/// at, and the version of this library.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DecisionKey([u8; 32]);

impl<'r> ReceivedCard<'r> {
    /// A card without endorsements, of which nobody said how long it is fresh.
    #[must_use]
    pub const fn new(octets: &'r [u8]) -> Self {
        Self { octets, endorsements: &[], fresh_until: None, state: None }
    }

    /// The same with endorsements.
    #[must_use]
    pub const fn with_endorsements(mut self, endorsements: &'r [Endorsement]) -> Self {
        self.endorsements = endorsements;
        self
    }

    /// The same with the end of the freshness of its response (RFC 9111 section 4.2). From then on no answer about it is
    /// remembered; a time that has come already turns remembering off.
    #[must_use]
    pub const fn fresh_until(mut self, fresh_until: UnixTime) -> Self {
        self.fresh_until = Some(fresh_until);
        self
    }

    /// The same with the digest of a state that takes part in the decision, such as what is remembered of earlier cards.
    #[must_use]
    pub const fn with_state(mut self, digest: [u8; 32]) -> Self {
        self.state = Some(digest);
        self
    }

    /// The same, beside what is remembered of the agent: it takes part in the decision.
    #[must_use]
    pub fn with_memory(self, memory: &AgentMemory) -> Self {
        self.with_state(sha256(PinMemory::Kept(memory).digest().as_bytes()))
    }

    pub(super) const fn octets(&self) -> &'r [u8] {
        self.octets
    }

    pub(super) const fn endorsements(&self) -> &'r [Endorsement] {
        self.endorsements
    }

    /// The earlier of `until` and the end of the freshness.
    pub(super) fn at_most(&self, until: UnixTime) -> UnixTime {
        self.fresh_until.map_or(until, |fresh_until| fresh_until.min(until))
    }
}

impl DecisionKey {
    /// The key of the decision about a card, for one request, under a policy as of `now`. Hashes the card and every key of the
    /// policy.
    #[must_use]
    pub fn of(
        policy: &TrustPolicy,
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
        now: UnixTime,
    ) -> Self {
        Self::under(&digest_of(policy, now), request, received)
    }

    /// The same, with the digest of policy and keys made before.
    pub(super) fn under(
        standing: &[u8; 32],
        request: &AdmissionRequest,
        received: &ReceivedCard<'_>,
    ) -> Self {
        // Every member by its name; how long the card is fresh is no part of what is decided.
        let ReceivedCard { octets, endorsements, fresh_until: _, state } = *received;
        let endorsements = endorsements.iter().map(|endorsement| sha256(endorsement.octets()));
        Self(sha256_of_parts([
            *standing,
            request.digest(),
            sha256(octets),
            sha256_of_parts(endorsements),
            sha256_of_parts(state),
        ]))
    }

    /// The digest.
    #[must_use]
    pub const fn octets(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for DecisionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DecisionKey({})", hex(&self.0))
    }
}
