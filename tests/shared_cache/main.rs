//! Cards that instances share, through real engines: Redis and Valkey.
//!
//! `COUNTERSIGN_ENGINES` names the folder that `.ci/run` installs Valkey into; without it `redis-server` and `valkey-server`
//! are looked for in `PATH`. With `CI=true` both must be there; elsewhere a missing one is skipped, visibly.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failed expectation must stop the test"
)]
#![expect(clippy::print_stdout, reason = "a test that was skipped says so")]

mod engine;
mod faults;
mod fixture;
mod rules;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use engine::{KINDS, Kind};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials: Vec<Trial> = faults::TESTS.iter().map(|(name, test)| trial(name, *test)).collect();
    for kind in KINDS {
        if kind.program().is_none() {
            assert!(std::env::var_os("CI").is_none_or(|ci| ci != "true"), "{kind} is not installed");
            println!("skipped: {kind} is not installed, {} tests", rules::TESTS.len());
            continue;
        }
        trials.extend(rules::TESTS.iter().map(|(name, test)| with_engine(kind, name, *test)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

fn with_engine(kind: Kind, name: &str, test: fn(Kind)) -> Trial {
    Trial::test(format!("{kind}: {name}"), move || {
        test(kind);
        Ok(())
    })
}
