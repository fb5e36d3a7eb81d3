//! What the types promise, as programs that must not compile: no card counts as verified unless it was.

#[test]
fn a_card_counts_as_verified_only_after_verification() {
    trybuild::TestCases::new().compile_fail("tests/typestate/*.rs");
}

#[test]
#[cfg(feature = "cache")]
fn only_what_was_admitted_is_remembered() {
    trybuild::TestCases::new().compile_fail("tests/typestate_cache/*.rs");
}
