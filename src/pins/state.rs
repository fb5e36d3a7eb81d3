//! What the events of a file add up to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use countersign_policy::{AgentMemory, PinDigest, SignedBy, Source, UnixTime};

use super::line::{Event, What};
use super::{PinnedAgent, PinsList};

/// What is known of all agents.
#[derive(Debug, Default)]
pub(super) struct State {
    agents: BTreeMap<String, PinnedAgent>,
    /// When the first signed card of an origin was admitted.
    signed_origins: BTreeMap<String, UnixTime>,
    /// For each digest of a card that was admitted, all digests of that card.
    beside: BTreeMap<PinDigest, BTreeSet<PinDigest>>,
    accepted: BTreeMap<PinDigest, UnixTime>,
    revoked: BTreeMap<PinDigest, UnixTime>,
    accepted_digests: Arc<BTreeSet<PinDigest>>,
    revoked_digests: Arc<BTreeSet<PinDigest>>,
}

impl State {
    pub(super) fn apply(&mut self, event: Event) {
        let Event { at, what } = event;
        match what {
            What::Seen { agent, origin, card } => {
                if card.signed == SignedBy::Key {
                    self.signed_origins.entry(origin).or_insert(at);
                }
                let all: BTreeSet<PinDigest> = card.names().chain(card.payloads.iter().copied()).collect();
                for name in &all {
                    self.beside.entry(*name).or_default().extend(&all);
                }
                let pinned = self.agents.entry(agent.clone()).or_insert_with(|| PinnedAgent {
                    agent,
                    memory: AgentMemory::default(),
                    since: at,
                    changed: at,
                });
                pinned.memory.remember(*card, at);
                pinned.changed = at;
            }
            What::Accepted(digest) => {
                self.accepted.entry(digest).or_insert(at);
                Arc::make_mut(&mut self.accepted_digests).insert(digest);
            }
            What::Revoked { digest, also } => {
                self.revoked.entry(digest).or_insert(at);
                Arc::make_mut(&mut self.revoked_digests).extend(also.into_iter().chain([digest]));
            }
        }
    }

    /// What is remembered of the agent of a source.
    pub(super) fn memory(&self, source: &Source) -> AgentMemory {
        let known = self.agents.get(&AgentMemory::agent(source));
        let mut memory = self.reviewed(known.map(|known| known.memory.clone()).unwrap_or_default());
        memory.signed_since = self.signed_origins.get(&source.url.origin().to_string()).copied();
        memory
    }

    /// Adds what people said.
    fn reviewed(&self, mut memory: AgentMemory) -> AgentMemory {
        memory.accepted = Arc::clone(&self.accepted_digests);
        memory.revoked = Arc::clone(&self.revoked_digests);
        memory
    }

    pub(super) fn accepted_at(&self, digest: PinDigest) -> Option<UnixTime> {
        self.accepted.get(&digest).copied()
    }

    pub(super) fn revoked_at(&self, digest: PinDigest) -> Option<UnixTime> {
        self.revoked.get(&digest).copied()
    }

    pub(super) fn is_revoked(&self, digest: PinDigest) -> bool {
        self.revoked_digests.contains(&digest)
    }

    /// The other digests of the cards that have this one.
    pub(super) fn names_beside(&self, digest: PinDigest) -> BTreeSet<PinDigest> {
        let mut beside = self.beside.get(&digest).cloned().unwrap_or_default();
        beside.remove(&digest);
        beside
    }

    pub(super) fn list(&self) -> PinsList {
        let agents = self
            .agents
            .values()
            .map(|pinned| PinnedAgent { memory: self.reviewed(pinned.memory.clone()), ..pinned.clone() });
        PinsList {
            agents: agents.collect(),
            accepted: self.accepted.iter().map(|(digest, at)| (*digest, *at)).collect(),
            revoked: self.revoked.iter().map(|(digest, at)| (*digest, *at)).collect(),
        }
    }
}
