//! What explains the signatures of a denied card that do not verify, as `verify` explains them.

use countersign::policy::SignatureState;
use countersign::{
    AdmissionRequest, Decision, Diagnosis, DiagnosisHints, Limits, Outcome, TrustPolicy, UnixTime,
    UntrustedCard, VerifyTerms,
};

/// The diagnosis of a card with these octets. It is for people, and changes no answer.
pub(super) fn of(
    octets: &[u8],
    decision: &Decision,
    policy: &TrustPolicy,
    request: &AdmissionRequest,
    now: UnixTime,
) -> Vec<Diagnosis> {
    let mut of_card = decision.signatures.iter().filter(|signature| signature.endorsement.is_none());
    if decision.outcome == Outcome::Admit
        || !of_card.any(|signature| signature.outcome != SignatureState::Verified)
    {
        return Vec::new();
    }
    let limits = Limits::default().with_max_octets(octets.len());
    let Ok(card) = UntrustedCard::read(octets.to_vec(), &limits) else { return Vec::new() };
    let keys = policy.trusted_keys();
    let mut terms = VerifyTerms::default();
    if let Some(rule) = policy.rule_for(request) {
        terms.forms = rule.signatures.forms.value.iter().filter_map(|name| name.parse().ok()).collect();
    }
    let mut hints = DiagnosisHints::default();
    hints.expected_hosts = expected_hosts(policy, request);
    match card.verify(keys, &terms, now) {
        Ok(_) => Vec::new(),
        Err(refused) => refused.diagnose(keys, &terms, &hints),
    }
}

/// Where the interfaces may have been when the card was signed: where it came from, then where the rule allows them and cards.
fn expected_hosts(policy: &TrustPolicy, request: &AdmissionRequest) -> Vec<String> {
    let mut texts = vec![request.source.url.raw().to_owned()];
    if let Some(rule) = policy.rule_for(request) {
        let patterns = rule.interfaces.hosts.listed.iter().chain(&rule.from);
        texts.extend(patterns.map(|placed| placed.value.to_string()));
    }
    let mut hosts: Vec<String> = Vec::new();
    for text in &texts {
        let authority = text.split_once("://").map_or(text.as_str(), |(_, after)| after);
        let authority = authority.split('/').next().unwrap_or_default();
        // A wildcard names no host.
        if !authority.contains('*') && !hosts.iter().any(|host| host == authority) {
            hosts.push(authority.to_owned());
        }
    }
    hosts
}
