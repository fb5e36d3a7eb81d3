fn pretend(decision: countersign::Decision) -> countersign::AdmittedCard {
    countersign::AdmittedCard { decision }
}

fn main() {}
