fn needs<T: Clone>() {}

fn main() {
    needs::<countersign::AdmittedCard>();
}
