fn needs<T: From<countersign::UntrustedCard>>() {}

fn main() {
    needs::<countersign::VerifiedCard>();
}
