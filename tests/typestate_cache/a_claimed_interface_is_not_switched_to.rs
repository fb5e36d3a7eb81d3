use countersign::cache::{AdmissionCache, AgentScope};
use countersign::{ClaimedInterface, SelectedBecause, UnixTime};

fn switch(cache: &AdmissionCache, scope: &AgentScope, claim: &ClaimedInterface<'_>, now: UnixTime) {
    cache.switch_to(scope, claim, SelectedBecause::CardOrder, now);
}

fn main() {}
