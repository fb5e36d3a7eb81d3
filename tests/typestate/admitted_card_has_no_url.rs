fn url(card: &countersign::AdmittedCard) {
    card.url();
}

fn main() {}
