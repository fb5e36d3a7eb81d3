fn main() {
    let _ = serde_json::from_str::<countersign::VerifiedCard>("{}");
}
