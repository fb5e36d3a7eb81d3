fn needs<T: Default>() {}

fn main() {
    needs::<countersign::AdmittedCard>();
}
