fn url(card: &countersign::UntrustedCard) {
    card.url();
}

fn main() {}
