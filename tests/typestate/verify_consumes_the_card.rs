use countersign::{TrustedKeys, UnixTime, UntrustedCard, VerifyTerms};

fn verify(card: UntrustedCard, keys: &TrustedKeys, terms: &VerifyTerms, now: UnixTime) {
    let _ = card.verify(keys, terms, now);
    let _ = card.octets();
}

fn main() {}
