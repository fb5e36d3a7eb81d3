//! One look at a card for all who want it at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::ClientError;
use crate::admission::AdmittedInterface;
use crate::cache::AgentScope;

pub(super) type Outcome = Result<Arc<AdmittedInterface>, ClientError>;

/// What came of a look, and whose it was.
pub(super) enum Turn {
    Own(Outcome),
    /// Another thread had begun it before.
    Shared(Outcome),
}

/// Most agents of which it is known what the pins were.
const MAX_SEEN: usize = 100_000;

/// What the pins were when each agent was last looked at.
#[derive(Default)]
pub(super) struct Seen {
    epochs: Mutex<HashMap<AgentScope, String>>,
}

impl Seen {
    pub(super) fn get(&self, scope: &AgentScope) -> Option<String> {
        self.epochs.lock().unwrap_or_else(PoisonError::into_inner).get(scope).cloned()
    }

    pub(super) fn put(&self, scope: &AgentScope, epoch: String) {
        let mut epochs = self.epochs.lock().unwrap_or_else(PoisonError::into_inner);
        // An agent that is forgotten here is looked at again.
        if epochs.len() >= MAX_SEEN {
            epochs.clear();
        }
        epochs.insert(scope.clone(), epoch);
    }
}

/// The looks that have begun and not ended.
#[derive(Default)]
pub(super) struct Turns {
    open: Mutex<HashMap<AgentScope, Arc<OnceLock<Outcome>>>>,
}

impl Turns {
    /// What `look` finds, or what the thread finds that is looking already.
    pub(super) fn once(&self, scope: &AgentScope, look: impl FnOnce() -> Outcome) -> Turn {
        let turn = Arc::clone(self.lock().entry(scope.clone()).or_default());
        let mut is_own = false;
        let outcome = turn
            .get_or_init(|| {
                is_own = true;
                look()
            })
            .clone();
        let mut open = self.lock();
        // A later turn for the same scope is not this one's to end.
        if open.get(scope).is_some_and(|current| Arc::ptr_eq(current, &turn)) {
            open.remove(scope);
        }
        if is_own { Turn::Own(outcome) } else { Turn::Shared(outcome) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AgentScope, Arc<OnceLock<Outcome>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
