//! What the types promise, as programs that must not compile: no card counts as verified unless it was.

#[test]
fn a_card_counts_as_verified_only_after_verification() {
    trybuild::TestCases::new().compile_fail("tests/typestate/*.rs");
}
