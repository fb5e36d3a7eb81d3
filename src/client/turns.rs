//! One look at a card for all who want it at the same time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::ClientError;
use crate::admission::AdmittedInterface;
use crate::cache::AgentScope;

type Outcome = Result<Arc<AdmittedInterface>, ClientError>;

/// The looks that have begun and not ended.
#[derive(Default)]
pub(super) struct Turns {
    open: Mutex<HashMap<AgentScope, Arc<OnceLock<Outcome>>>>,
}

impl Turns {
    /// What `look` finds, or what the thread finds that is looking already.
    pub(super) fn once(&self, scope: &AgentScope, look: impl FnOnce() -> Outcome) -> Outcome {
        let turn = Arc::clone(self.lock().entry(scope.clone()).or_default());
        let outcome = turn.get_or_init(look).clone();
        let mut open = self.lock();
        // A later turn for the same scope is not this one's to end.
        if open.get(scope).is_some_and(|current| Arc::ptr_eq(current, &turn)) {
            open.remove(scope);
        }
        outcome
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<AgentScope, Arc<OnceLock<Outcome>>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
