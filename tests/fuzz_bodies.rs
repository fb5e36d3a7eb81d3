//! The bodies of the fuzz targets over their seeds and a fixed number of mutants, without nightly Rust.

#![expect(clippy::expect_used, reason = "a seed that cannot be read fails the test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[path = "fuzz/src/lib.rs"]
pub mod bodies;

use bodies::{card_verify, endorsement, json_reader, jws_header, strict_url};

const MUTANTS: usize = 30_000;

#[test]
fn the_strict_reader_and_serde_json_never_read_different_trees() {
    let seeds = seeds("json_reader");
    let mut outcomes: BTreeSet<json_reader::Outcome> =
        seeds.iter().map(|seed| json_reader::run(seed)).collect();
    let mut mutator = Mutator::new(seeds, JSON_TOKENS);
    for _ in 0..MUTANTS {
        outcomes.insert(json_reader::run(&mutator.mutant()));
    }
    // A run in which one of these never happens has not looked at much.
    for outcome in [
        json_reader::Outcome::Both,
        json_reader::Outcome::OnlySerdeJson,
        json_reader::Outcome::OnlyStrict,
        json_reader::Outcome::Neither,
    ] {
        assert!(outcomes.contains(&outcome), "{outcome:?} never happened");
    }
}

#[test]
fn no_header_is_followed_that_rfc_7515_forbids() {
    let seeds = seeds("jws_header");
    let mut outcomes: BTreeSet<jws_header::Outcome> =
        seeds.iter().map(|seed| jws_header::run(seed)).collect();
    let mut mutator = Mutator::new(seeds, JSON_TOKENS);
    for _ in 0..MUTANTS {
        outcomes.insert(jws_header::run(&mutator.mutant()));
    }
    for outcome in
        [jws_header::Outcome::Accepted, jws_header::Outcome::RefusedHeader, jws_header::Outcome::RefusedJson]
    {
        assert!(outcomes.contains(&outcome), "{outcome:?} never happened");
    }
}

#[test]
fn no_card_is_handed_on_that_does_not_read_back() {
    let seeds = seeds("card_verify");
    let mut outcomes: BTreeSet<card_verify::Outcome> =
        seeds.iter().map(|seed| card_verify::run(seed)).collect();
    let mut mutator = Mutator::new(seeds, JSON_TOKENS);
    for _ in 0..MUTANTS / 10 {
        outcomes.insert(card_verify::run(&mutator.mutant()));
    }
    for outcome in [
        card_verify::Outcome::Unreadable,
        card_verify::Outcome::Refused,
        card_verify::Outcome::Verified,
        card_verify::Outcome::VerifiedInPart,
    ] {
        assert!(outcomes.contains(&outcome), "{outcome:?} never happened");
    }
}

#[test]
fn no_endorsement_counts_for_a_card_that_it_is_not_for() {
    let seeds = seeds("endorsement");
    let mut outcomes: BTreeSet<endorsement::Outcome> =
        seeds.iter().map(|seed| endorsement::run(seed)).collect();
    let mut mutator = Mutator::new(seeds, JSON_TOKENS);
    for _ in 0..MUTANTS / 10 {
        outcomes.insert(endorsement::run(&mutator.mutant()));
    }
    for outcome in [
        endorsement::Outcome::RefusedJson,
        endorsement::Outcome::Refused,
        endorsement::Outcome::ForAnother,
        endorsement::Outcome::NotVerified,
        endorsement::Outcome::Verified,
    ] {
        assert!(outcomes.contains(&outcome), "{outcome:?} never happened");
    }
}

#[test]
fn no_url_has_two_readings() {
    let seeds = seeds("strict_url");
    let mut outcomes: BTreeSet<strict_url::Outcome> =
        seeds.iter().map(|seed| strict_url::run(seed)).collect();
    let mut mutator = Mutator::new(seeds, URL_TOKENS);
    for _ in 0..MUTANTS {
        outcomes.insert(strict_url::run(&mutator.mutant()));
    }
    for outcome in [
        strict_url::Outcome::Url,
        strict_url::Outcome::GrpcAddress,
        strict_url::Outcome::Refused,
        strict_url::Outcome::NotText,
    ] {
        assert!(outcomes.contains(&outcome), "{outcome:?} never happened");
    }
}

#[test]
fn mutants_are_the_same_in_every_run_and_differ_from_their_seeds() {
    let seeds = vec![b"{\"name\":\"Agent\"}".to_vec(), b"[1,2,3]".to_vec()];
    let run = || {
        let mut mutator = Mutator::new(seeds.clone(), JSON_TOKENS);
        (0..100).map(|_| mutator.mutant()).collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
    assert!(run().iter().filter(|mutant| !seeds.contains(mutant)).count() > 90);
}

const JSON_TOKENS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u",
    b"\\ud800",
    b"\\udc00",
    b"\\u0000",
    b"null",
    b"true",
    b"0",
    b"-",
    b".",
    b"e",
    b"E+",
    b"1e309",
    b"9007199254740993",
    b"\"a\":",
    b"\xEF\xBB\xBF",
    b"\xC3",
    b"\xED\xA0\x80",
    b"\xF0\x9F\x98\x80",
    b"\0",
    b" ",
    b"\n",
    b"//",
];

const URL_TOKENS: &[&[u8]] = &[
    b"https://",
    b"HTTP://",
    b"ws://",
    b"dns:",
    b":",
    b"/",
    b"//",
    b"?",
    b"#",
    b"@",
    b"[",
    b"]",
    b"::1",
    b".",
    b"..",
    b"%2e",
    b"%2F",
    b"%00",
    b"%",
    b";",
    b"xn--",
    b"xn--4db",
    b"0x7f",
    b"127.0.0.1",
    b"169.254.169.254",
    b"0",
    b"443",
    b"65536",
    b"-",
    b"_",
    b"\\",
    b"\t",
    b"\xC3\xBC",
    b"\xFF",
];

/// Every file under `tests/fuzz/seeds/TARGET`.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(target);
    let entries = fs::read_dir(folder).expect("a folder of seeds");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{target} has no seeds");
    paths.iter().map(|path| fs::read(path).expect("a seed")).collect()
}

/// Makes inputs out of seeds: one to four changes each, from a fixed start.
struct Mutator {
    seeds: Vec<Vec<u8>>,
    tokens: &'static [&'static [u8]],
    state: u64,
}

impl Mutator {
    fn new(seeds: Vec<Vec<u8>>, tokens: &'static [&'static [u8]]) -> Self {
        Self { seeds, tokens, state: 0x9E37_79B9_7F4A_7C15 }
    }

    fn mutant(&mut self) -> Vec<u8> {
        let mut octets = self.seed();
        for _ in 0..=self.below(4) {
            self.change(&mut octets);
        }
        octets
    }

    fn change(&mut self, octets: &mut Vec<u8>) {
        let at = self.below(octets.len() + 1);
        let end = (at + 1 + self.below(8)).min(octets.len());
        match self.below(6) {
            0 => {
                let bit = 1_u8 << self.below(8);
                octets.iter_mut().skip(at).take(1).for_each(|octet| *octet ^= bit);
            }
            1 => drop(octets.drain(at..end)),
            2 => {
                let copy: Vec<u8> = octets.iter().skip(at).take(end - at).copied().collect();
                octets.splice(at..at, copy);
            }
            3 => octets.truncate(at),
            4 => {
                let other = self.seed();
                let from = self.below(other.len() + 1);
                octets.splice(at.., other.into_iter().skip(from));
            }
            _ => {
                let index = self.below(self.tokens.len());
                let token = self.tokens.get(index).copied().unwrap_or_default();
                octets.splice(at..at, token.iter().copied());
            }
        }
    }

    fn seed(&mut self) -> Vec<u8> {
        let index = self.below(self.seeds.len());
        self.seeds.get(index).cloned().unwrap_or_default()
    }

    /// A number below `end`, by xorshift64 (Marsaglia 2003).
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let end = u64::try_from(end).expect("a length of 64 bits");
        usize::try_from((self.state >> 16) % end).expect("a number below a usize")
    }
}
