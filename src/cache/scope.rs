//! For whom an interface is remembered.

use std::sync::Arc;

use countersign_policy::{AdmissionRequest, UnixTime};

use crate::admission::AdmittedInterface;
use crate::select::SelectedBecause;

/// An agent, as one tenant uses it for one purpose: what is remembered for one scope is never given to another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AgentScope {
    agent: String,
    tenant: Option<String>,
    purpose: Option<String>,
    /// Of what else the question is.
    question: Option<[u8; 32]>,
}

/// An interface that is selected for an agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RememberedInterface {
    /// For whom.
    pub scope: Arc<AgentScope>,
    /// `id` of the rule that admitted it.
    pub rule: Option<String>,
    /// The interface: version, binding, URL.
    pub interface: Arc<AdmittedInterface>,
    /// Why it is this one.
    pub because: SelectedBecause,
    /// From when on it is given out no more.
    pub until: UnixTime,
}

impl AgentScope {
    /// The agent with this name, for the tenant and the use of the request. The name is the client's own; where the card
    /// comes from takes no part.
    #[must_use]
    pub fn of(request: &AdmissionRequest, agent: impl Into<String>) -> Self {
        Self::new(agent, request.tenant.clone(), request.purpose.clone())
    }

    /// The agent with this name, for a tenant and a use.
    #[must_use]
    pub fn new(agent: impl Into<String>, tenant: Option<String>, purpose: Option<String>) -> Self {
        Self { agent: agent.into(), tenant, purpose, question: None }
    }

    /// The same for one question of several about the agent, by a digest of everything else that is asked: what is remembered
    /// for one is never given to another.
    #[must_use]
    pub const fn asked(mut self, question: [u8; 32]) -> Self {
        self.question = Some(question);
        self
    }

    /// The name of the agent.
    #[must_use]
    pub fn agent(&self) -> &str {
        &self.agent
    }

    /// The tenant, in the words of the policy.
    #[must_use]
    pub fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// What the agent is wanted for, in the words of the policy.
    #[must_use]
    pub fn purpose(&self) -> Option<&str> {
        self.purpose.as_deref()
    }

    /// Octets of its texts.
    pub(super) fn octets(&self) -> usize {
        [Some(&self.agent), self.tenant.as_ref(), self.purpose.as_ref()]
            .into_iter()
            .flatten()
            .map(String::len)
            .sum()
    }
}
