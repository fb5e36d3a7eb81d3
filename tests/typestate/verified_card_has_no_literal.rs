fn pretend(report: countersign::VerificationReport) -> countersign::VerifiedCard {
    countersign::VerifiedCard { report }
}

fn main() {}
