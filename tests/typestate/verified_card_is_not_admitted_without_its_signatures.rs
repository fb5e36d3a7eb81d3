use countersign::{AdmissionRequest, TrustPolicy, UnixTime, VerifiedCard};

fn admit(card: VerifiedCard, policy: &TrustPolicy, request: &AdmissionRequest, now: UnixTime) {
    let _ = card.admit(policy, request, &[], now);
}

fn main() {}
