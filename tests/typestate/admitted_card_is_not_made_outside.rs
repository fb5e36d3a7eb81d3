fn main() {
    let _ = countersign::AdmittedCard::new;
}
