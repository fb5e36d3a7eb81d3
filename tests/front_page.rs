//! The table of features in src/lib.rs is true: which there are, what each includes, and how many crates it adds.

#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

/// The crates of the library with a feature, itself and the packages of ours left out.
fn crates(feature: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--quiet", "--package", "countersign", "--edges", "normal"])
        .args(["--prefix", "none", "--target", "x86_64-unknown-linux-gnu", "--features", feature])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    let crates = lines.lines().map(|line| line.trim_end_matches(" (*)"));
    crates.filter(|line| !line.is_empty() && !line.starts_with("countersign")).map(str::to_owned).collect()
}

/// The rows of the table: feature, what it adds, what it costs.
fn rows(page: &str) -> Vec<[&str; 3]> {
    let table = page.split_once("//! | feature |").unwrap().1;
    let rows = table.lines().skip(2).map_while(|line| line.strip_prefix("//! | `")?.strip_suffix(" |"));
    rows.map(|row| row.splitn(3, " | ").collect::<Vec<_>>().try_into().unwrap())
        .map(|[feature, adds, costs]: [&str; 3]| [feature.trim_end_matches('`'), adds, costs])
        .collect()
}

#[test]
fn the_table_of_features_is_that_of_the_manifest_and_counts_their_crates() {
    let page = fs::read_to_string("src/lib.rs").unwrap();
    let manifest = fs::read_to_string("Cargo.toml").unwrap();
    let section = manifest.split_once("\n[features]\n").unwrap().1.split("\n[").next().unwrap();
    let features =
        section.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    let rows = rows(&page);
    assert_eq!(
        rows.iter().map(|[feature, ..]| *feature).collect::<BTreeSet<_>>(),
        features.map(|(feature, _)| feature).collect()
    );
    let always = crates("").len();
    assert!(
        page.contains(&format!("to the {always} that are always there")),
        "{always} crates without a feature"
    );
    for [feature, adds, costs] in rows {
        let included =
            adds.split_once("; includes `").map_or("", |(_, included)| included.trim_end_matches('`'));
        let count = crates(feature).difference(&crates(included)).count();
        assert!(costs.starts_with(&format!("{count} crates")), "`{feature}` adds {count} crates: {costs}");
    }
}
