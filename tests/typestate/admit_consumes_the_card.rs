use countersign::{AdmissionRequest, TrustPolicy, UnixTime, UntrustedCard};

fn admit(card: UntrustedCard, policy: &TrustPolicy, request: &AdmissionRequest, now: UnixTime) {
    let _ = card.admit(policy, request, &[], now);
    let _ = card.admit(policy, request, &[], now);
}

fn main() {}
