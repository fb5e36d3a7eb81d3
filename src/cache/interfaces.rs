//! Interfaces, by (version, binding, URL) within (tenant, use, agent). Only admitted ones get in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use countersign_policy::UnixTime;
use moka::Entry;
use moka::ops::compute::Op;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;

use super::scope::{AgentScope, RememberedInterface};
use super::standing::{Moment, Stand};
use super::{CacheBounds, weights};
use crate::admission::{AdmittedCard, AdmittedInterface};
use crate::select::{SelectTerms, SelectedBecause};

/// What an agent and each of its interfaces take beside their texts, in octets.
const ENTRY_OCTETS: usize = 256;

/// Most octets that are put in before the bounds are looked at: 1 MiB.
const UNSETTLED_OCTETS: usize = 1024 * 1024;

pub(super) struct Interfaces {
    cache: Cache<AgentScope, Slot>,
    /// Counts registrations.
    tickets: AtomicU64,
    /// Octets that were put in since the bounds were looked at.
    unsettled: AtomicUsize,
}

/// What happens to the interface that is selected while a card is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Previous {
    Drop,
    Keep,
}

/// What there is for one agent. Every change goes through `Cache::entry`, which makes one at a time for each scope.
#[derive(Clone)]
struct Slot {
    /// The latest registration that began, or refreshment that stored.
    ticket: u64,
    held: Option<Arc<Held>>,
}

/// The interfaces of one admitted card.
pub(super) struct Held {
    interfaces: Vec<Arc<AdmittedInterface>>,
    selected: Option<(Arc<AdmittedInterface>, SelectedBecause)>,
    rule: Option<String>,
    from: UnixTime,
    until: UnixTime,
    generation: u64,
}

/// The right to say what there is for an agent, until it is overtaken or the agent is forgotten.
pub(super) struct Ticket<'i> {
    interfaces: &'i Interfaces,
    scope: AgentScope,
    number: u64,
}

impl Interfaces {
    pub(super) fn new(bounds: &CacheBounds) -> Self {
        let (capacity, share) = weights(bounds.max_agents, bounds.max_agent_octets);
        let weigh = move |scope: &AgentScope, slot: &Slot| {
            let held = slot.held.as_ref().map_or(0, |held| held.octets());
            let octets = scope.octets().saturating_add(held).saturating_add(ENTRY_OCTETS);
            u32::try_from(octets).unwrap_or(u32::MAX).max(share)
        };
        // Least recently used: a new agent is never turned away in favour of the old ones.
        let cache = Cache::builder()
            .max_capacity(capacity)
            .weigher(weigh)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        Self { cache, tickets: AtomicU64::new(0), unsettled: AtomicUsize::new(0) }
    }

    /// Begins a registration or a refreshment. What began before for the same agent can store nothing any more, after a
    /// registration at once, after a refreshment when that stores.
    pub(super) fn begin(&self, scope: AgentScope, previous: Previous) -> Ticket<'_> {
        let mut number = 0;
        self.cache.entry_by_ref(&scope).and_compute_with(|slot| {
            // Numbers are given here, so that they are in the order in which the slot changes.
            number = self.tickets.fetch_add(1, Ordering::Relaxed);
            let keeps = previous == Previous::Keep && slot.is_some();
            if keeps { Op::Nop } else { Op::Put(Slot { ticket: number, held: None }) }
        });
        Ticket { interfaces: self, scope, number }
    }

    pub(super) fn selected(&self, scope: &AgentScope, moment: Moment) -> Option<Arc<AdmittedInterface>> {
        let held = self.standing(scope, moment)?;
        held.selected.as_ref().map(|(interface, _)| Arc::clone(interface))
    }

    pub(super) fn find(
        &self,
        scope: &AgentScope,
        moment: Moment,
        is_it: impl Fn(&AdmittedInterface) -> bool,
    ) -> Option<Arc<AdmittedInterface>> {
        let held = self.standing(scope, moment)?;
        held.interfaces.iter().find(|interface| is_it(interface)).cloned()
    }

    pub(super) fn switch_to(
        &self,
        scope: &AgentScope,
        moment: Moment,
        interface: &AdmittedInterface,
        because: SelectedBecause,
    ) -> Option<Arc<AdmittedInterface>> {
        let mut switched = None;
        self.cache.entry_by_ref(scope).and_compute_with(|slot| {
            let Some(slot) = slot.map(Entry::into_value) else { return Op::Nop };
            let held = slot.held.as_ref().filter(|held| held.stands(moment));
            let next = held.and_then(|held| held.switched_to(interface, because));
            let Some(next) = next else { return Op::Nop };
            switched = next.selected.as_ref().map(|(interface, _)| Arc::clone(interface));
            Op::Put(Slot { ticket: slot.ticket, held: Some(Arc::new(next)) })
        });
        switched
    }

    pub(super) fn forget(&self, agent: &str) {
        let scopes = self.cache.iter().map(|(scope, _)| scope).filter(|scope| scope.agent() == agent);
        for scope in scopes.collect::<Vec<_>>() {
            self.cache.entry_by_ref(scope.as_ref()).and_compute_with(|_| Op::Remove);
        }
    }

    pub(super) fn clear(&self) {
        self.cache.invalidate_all();
    }

    pub(super) fn entries(&self, moment: Moment) -> impl Iterator<Item = RememberedInterface> + '_ {
        self.cache.iter().filter_map(move |(scope, slot)| {
            let held = slot.held.filter(|held| held.stands(moment))?;
            let (interface, because) = held.selected.as_ref()?;
            Some(RememberedInterface {
                scope,
                rule: held.rule.clone(),
                interface: Arc::clone(interface),
                because: *because,
                until: held.until,
            })
        })
    }

    pub(super) fn count(&self) -> u64 {
        self.cache.entry_count()
    }

    /// Lets go what is too much, at the latest when a megabyte was put in since the last time. The cache does it by itself
    /// after 64 entries, however large.
    fn settle(&self, octets: usize) {
        let put_in = self.unsettled.fetch_add(octets, Ordering::Relaxed).saturating_add(octets);
        if put_in > UNSETTLED_OCTETS {
            self.unsettled.store(0, Ordering::Relaxed);
            self.cache.run_pending_tasks();
        }
    }

    fn standing(&self, scope: &AgentScope, moment: Moment) -> Option<Arc<Held>> {
        self.cache.get(scope)?.held.filter(|held| held.stands(moment))
    }
}

impl Ticket<'_> {
    /// Stores what was admitted, if it was not overtaken and the agent not forgotten; gives the interface that is selected.
    pub(super) fn store(
        self,
        card: &AdmittedCard,
        terms: &SelectTerms,
        stand: &Stand,
        until: UnixTime,
    ) -> Option<Arc<AdmittedInterface>> {
        self.put(Held::of(card, terms, stand.moment, until))
    }

    fn put(self, held: Held) -> Option<Arc<AdmittedInterface>> {
        let selected = held.selected.as_ref().map(|(interface, _)| Arc::clone(interface));
        let octets = held.octets();
        let held = Arc::new(held);
        let mut stored = false;
        self.interfaces.cache.entry_by_ref(&self.scope).and_compute_with(|slot| {
            stored = slot.is_some_and(|slot| slot.value().ticket <= self.number);
            if stored { Op::Put(Slot { ticket: self.number, held: Some(held) }) } else { Op::Nop }
        });
        self.interfaces.settle(octets);
        selected.filter(|_| stored)
    }
}

impl Held {
    fn of(card: &AdmittedCard, terms: &SelectTerms, moment: Moment, until: UnixTime) -> Self {
        let interfaces: Vec<_> = card.interfaces().cloned().map(Arc::new).collect();
        let selection = card.select(terms);
        let chosen = selection.interface();
        let chosen = interfaces.iter().find(|interface| Some(interface.as_ref()) == chosen).cloned();
        Self {
            selected: chosen.zip(selection.because()),
            interfaces,
            rule: card.decision().rule.clone(),
            from: moment.now,
            until,
            generation: moment.generation,
        }
    }

    fn stands(&self, moment: Moment) -> bool {
        self.generation == moment.generation && self.from <= moment.now && moment.now < self.until
    }

    fn switched_to(&self, interface: &AdmittedInterface, because: SelectedBecause) -> Option<Self> {
        let chosen = self.interfaces.iter().find(|held| held.as_ref() == interface)?;
        Some(Self {
            interfaces: self.interfaces.clone(),
            selected: Some((Arc::clone(chosen), because)),
            rule: self.rule.clone(),
            from: self.from,
            until: self.until,
            generation: self.generation,
        })
    }

    fn octets(&self) -> usize {
        let texts = self.interfaces.iter().map(|interface| {
            // The URL is held as text and in parts.
            let url = interface.url().len().saturating_mul(2);
            url + interface.binding().len() + interface.tenant().map_or(0, str::len) + ENTRY_OCTETS
        });
        texts.sum()
    }
}

#[cfg(test)]
mod tests;
