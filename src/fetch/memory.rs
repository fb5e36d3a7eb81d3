//! Responses in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{ResponseStore, StoreError, StoreKey, StoreLimits, StoredResponse};

/// Remembers responses in memory, for all threads that share it. What was saved first goes first.
#[derive(Debug, Default)]
pub struct MemoryStore {
    limits: StoreLimits,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: HashMap<StoreKey, (u64, StoredResponse)>,
    /// Keys in the order in which they were saved.
    order: BTreeMap<u64, StoreKey>,
    next: u64,
    octets: usize,
}

impl MemoryStore {
    /// An empty store with these limits.
    #[must_use]
    pub fn new(limits: StoreLimits) -> Self {
        Self { limits, inner: Mutex::default() }
    }

    /// How many responses are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().entries.len()
    }

    /// Whether nothing is remembered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A thread that panicked held no half-made change: each is finished under the lock.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ResponseStore for MemoryStore {
    fn load(&self, key: &StoreKey) -> Result<Option<StoredResponse>, StoreError> {
        Ok(self.lock().entries.get(key).map(|(_, response)| response.clone()))
    }

    fn save(&self, response: &StoredResponse) -> Result<(), StoreError> {
        let mut inner = self.lock();
        inner.remove(&response.key);
        if response.weight() <= self.limits.max_octets && self.limits.max_entries > 0 {
            inner.insert(response.clone());
            inner.shrink(self.limits);
        }
        Ok(())
    }

    fn remove(&self, key: &StoreKey) -> Result<(), StoreError> {
        self.lock().remove(key);
        Ok(())
    }
}

impl Inner {
    fn insert(&mut self, response: StoredResponse) {
        let number = self.next;
        self.next = self.next.saturating_add(1);
        self.octets = self.octets.saturating_add(response.weight());
        self.order.insert(number, response.key.clone());
        self.entries.insert(response.key.clone(), (number, response));
    }

    fn remove(&mut self, key: &StoreKey) {
        if let Some((number, response)) = self.entries.remove(key) {
            self.order.remove(&number);
            self.octets = self.octets.saturating_sub(response.weight());
        }
    }

    fn shrink(&mut self, limits: StoreLimits) {
        while self.entries.len() > limits.max_entries || self.octets > limits.max_octets {
            let Some((_, key)) = self.order.first_key_value() else { return };
            let key = key.clone();
            self.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use countersign_policy::{StrictUrl, UnixTime, UrlUse};

    use super::MemoryStore;
    use crate::fetch::{AskTerms, ResponseStore, StoreKey, StoreLimits, StoredResponse};

    fn response(path: &str, octets: usize) -> StoredResponse {
        let url = StrictUrl::read(&format!("https://a.example/{path}"), UrlUse::Interface).unwrap();
        let key = StoreKey::of(&url, &AskTerms::default());
        let octets: Arc<[u8]> = vec![b'x'; octets].into();
        StoredResponse::new(key, UnixTime::from_seconds(0), Vec::new(), Vec::new(), octets)
    }

    #[test]
    fn what_was_saved_first_goes_first() {
        let store = MemoryStore::new(StoreLimits::default().with_max_entries(2));
        let [a, b, c] = ["a", "b", "c"].map(|path| response(path, 10));
        for saved in [&a, &b, &a, &c] {
            store.save(saved).unwrap();
        }
        assert_eq!(store.len(), 2);
        assert!(store.load(&b.key).unwrap().is_none());
        assert_eq!(store.load(&a.key).unwrap(), Some(a));
        store.remove(&c.key).unwrap();
        assert_eq!(store.load(&c.key).unwrap(), None);
    }

    #[test]
    fn octets_are_bounded_and_what_is_too_large_replaces_nothing_else() {
        let store = MemoryStore::new(StoreLimits::default().with_max_octets(300));
        let [a, b] = ["a", "b"].map(|path| response(path, 100));
        store.save(&a).unwrap();
        store.save(&b).unwrap();
        assert_eq!(store.len(), 2);
        store.save(&response("c", 400)).unwrap();
        assert_eq!(store.len(), 2);
        store.save(&response("c", 250)).unwrap();
        assert_eq!(store.len(), 1);
        store.save(&response("c", 400)).unwrap();
        assert!(store.is_empty(), "the older response under the same key is no longer what the server says");
    }
}
