fn url(card: &countersign::VerifiedCard) {
    card.url();
}

fn main() {}
