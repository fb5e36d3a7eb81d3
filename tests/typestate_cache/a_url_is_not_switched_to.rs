use countersign::cache::{AdmissionCache, AgentScope};
use countersign::{SelectedBecause, UnixTime};

fn switch(cache: &AdmissionCache, scope: &AgentScope, now: UnixTime) {
    cache.switch_to(scope, "https://evil.example/a2a", SelectedBecause::CardOrder, now);
}

fn main() {}
