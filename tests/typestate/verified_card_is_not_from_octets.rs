fn needs<T: From<Vec<u8>>>() {}

fn main() {
    needs::<countersign::VerifiedCard>();
}
