use countersign::cache::{AdmissionCache, ReceivedCard};
use countersign::{AdmissionRequest, CardError, UnixTime};

fn remember(cache: &AdmissionCache, request: &AdmissionRequest, received: &ReceivedCard<'_>, now: UnixTime) {
    let _ = cache.admit_by::<CardError>(request, received, now, |card, _, _| Ok(Ok(card)));
}

fn main() {}
