fn needs<T: From<countersign::Decision>>() {}

fn main() {
    needs::<countersign::AdmittedCard>();
}
