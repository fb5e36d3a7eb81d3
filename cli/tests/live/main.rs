//! What countersign signs, the published SDKs verify, and the other way round: live, each cell a named test.
//!
//! `COUNTERSIGN_LIVE` names the folder with the installed SDKs (`.ci/run` makes it). With it nothing is skipped;
//! without it this says that it tested nothing. `UPDATE_README=1` writes the table of the README anew.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a failed expectation must stop the test")]
#![expect(clippy::print_stdout, reason = "a test that was skipped says so")]

mod agents;
mod known;
mod matrix;
mod peer;
#[path = "../../../tests/fetch/server.rs"]
#[expect(dead_code, reason = "only its certificates are wanted")]
mod server;
mod support;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use agents::AGENTS;
use known::REFUSED;
use matrix::Matrix;
use peer::Peer;
use support::{Card, cards};

/// How many cells there are; a lost one fails.
const CELLS: usize = 445;

fn main() -> ExitCode {
    let Some(folder) = std::env::var_os("COUNTERSIGN_LIVE").map(PathBuf::from) else {
        println!("skipped: COUNTERSIGN_LIVE names no folder with the SDKs");
        return ExitCode::SUCCESS;
    };
    let matrix = Arc::new(Matrix::start(&folder));
    let mut trials = trials(&matrix);
    assert_eq!(trials.len(), CELLS, "the matrix has lost or won cells");
    trials.extend(agents::trials(&folder));
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    // A part of the matrix has no table.
    if conclusion.num_passed == u64::try_from(CELLS + AGENTS).unwrap() {
        table::check(&matrix.tally());
    }
    conclusion.exit_code()
}

fn trials(matrix: &Arc<Matrix>) -> Vec<Trial> {
    let (refused, signed): (Vec<Card>, Vec<Card>) =
        cards().into_iter().partition(|card| REFUSED.iter().any(|(id, _)| *id == card.id));
    let mut trials = Vec::new();
    for card in refused {
        trials.push(Trial::test(format!("countersign refuses {}", card.id), move || matrix::refuses(&card)));
    }
    for card in signed {
        for peer in Peer::ALL {
            trials.push(cell(matrix, &card, format!("{peer} verifies {}", card.id), move |matrix, card| {
                matrix.verifies(peer, card);
            }));
            trials.push(cell(matrix, &card, format!("{peer} signs {}", card.id), move |matrix, card| {
                matrix.signs(peer, card);
            }));
        }
        trials.push(cell(matrix, &card, format!("all verify {}", card.id), Matrix::all_verify));
        trials.push(cell(matrix, &card, format!("served as signed {}", card.id), Matrix::served_as_signed));
        trials.push(cell(
            matrix,
            &card,
            format!("signed by the server {}", card.id),
            Matrix::signed_by_server,
        ));
    }
    for kid in ["es384-a", "es512-a", "rs256-a", "ps256-a", "eddsa-a"] {
        for peer in Peer::ALL {
            let matrix = Arc::clone(matrix);
            trials.push(Trial::test(format!("{peer} with {kid}"), move || {
                matrix.with_key(peer, kid);
                Ok(())
            }));
        }
    }
    trials
}

fn cell(
    matrix: &Arc<Matrix>,
    card: &Card,
    name: String,
    run: impl FnOnce(&Matrix, &Card) + Send + 'static,
) -> Trial {
    let (matrix, card) = (Arc::clone(matrix), card.clone());
    Trial::test(name, move || -> Result<(), Failed> {
        run(&matrix, &card);
        Ok(())
    })
}
