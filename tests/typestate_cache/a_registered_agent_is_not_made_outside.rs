fn pretend(answer: countersign::cache::Answer) -> countersign::cache::Registered {
    countersign::cache::Registered { answer, interface: None }
}

fn main() {}
