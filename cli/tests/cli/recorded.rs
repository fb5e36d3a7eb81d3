//! Recorded runs: what is typed, what is answered, with which exit code.

#[test]
fn recorded_runs_answer_as_recorded() {
    trycmd::TestCases::new()
        .env("COUNTERSIGN_FORMAT", "human")
        .env("NO_COLOR", "1")
        .env("GITHUB_STEP_SUMMARY", "")
        .case("tests/cmd/*.trycmd");
}
