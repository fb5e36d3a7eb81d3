fn pretend(card: std::sync::Arc<countersign::AdmittedCard>, until: countersign::UnixTime) -> countersign::cache::Answer {
    countersign::cache::Answer { verdict: Ok(card), until, provenance: countersign::cache::Provenance::Decided }
}

fn main() {}
