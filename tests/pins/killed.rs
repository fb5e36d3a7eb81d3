//! Programs that end in the middle: what they answered was remembered before. They are this test program, run again.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use countersign::{NotAdmitted, Pins};

use crate::support::{Folder, NOW, at, card, policy, read, request, signed};

/// Names the file for the program that admits cards into it.
const FILE: &str = "COUNTERSIGN_TEST_PINS";
/// Names the program among several.
const WRITER: &str = "COUNTERSIGN_TEST_WRITER";
const SELF: &str = "killed::admits_cards_until_it_is_stopped";

fn agent(writer: &str, number: usize) -> String {
    format!("https://agents.acme.example/{writer}/{number}.json")
}

/// The program: says each agent whose card it was given.
#[test]
fn admits_cards_until_it_is_stopped() {
    let (Ok(file), Ok(writer)) = (std::env::var(FILE), std::env::var(WRITER)) else { return };
    let pins = Pins::open(Path::new(&file)).unwrap();
    let (policy, card) = (policy("pin = {}"), signed(&card("1.0.0")));
    for number in 0..100_000 {
        let agent = agent(&writer, number);
        match read(&card).admit_remembered(&policy, &request(&agent), &[], &pins, at(NOW)) {
            Ok(_) => {
                let mut out = std::io::stdout().lock();
                writeln!(out, "admitted {agent}").unwrap();
                out.flush().unwrap();
            }
            Err(NotAdmitted::Pins(error)) => {
                writeln!(std::io::stdout(), "stopped {}", error.code()).unwrap();
                return;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

fn command(program: &mut Command, file: &Path, writer: &str) -> Child {
    program.args(["--exact", SELF, "--nocapture"]);
    program.env(FILE, file).env(WRITER, writer);
    program.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// The agents that a program says, up to `most`.
fn said(child: &mut Child, most: usize) -> Vec<String> {
    let out = child.stdout.as_mut().unwrap();
    let lines = BufReader::new(out).lines().map_while(Result::ok);
    let agents = lines.filter_map(|line| line.split_once("admitted ").map(|(_, agent)| agent.to_owned()));
    agents.take(most).collect()
}

fn known(file: &Path) -> Vec<String> {
    let list = Pins::open(file).unwrap().list().unwrap();
    list.agents.into_iter().map(|agent| agent.agent).collect()
}

#[test]
fn what_was_answered_before_a_kill_is_remembered() {
    let folder = Folder::new("killed");
    drop(folder.pins());
    let program = std::env::current_exe().unwrap();
    let mut answered = Vec::new();
    for round in 0..6 {
        // Two write at once, and both are killed wherever they are.
        let start =
            |name: &str| command(&mut Command::new(&program), &folder.file(), &format!("{name}{round}"));
        let (mut one, mut other) = (start("a"), start("b"));
        answered.extend(said(&mut one, 3 + round * 5));
        one.kill().unwrap();
        answered.extend(said(&mut other, 2));
        other.kill().unwrap();
        one.wait().unwrap();
        other.wait().unwrap();
        let known = known(&folder.file());
        for agent in &answered {
            assert!(known.contains(agent), "{agent} was admitted and is not remembered");
        }
    }
    assert!(answered.len() >= 6 * 3);
    // Whatever was left behind, the file can be written.
    let pins = Pins::open(&folder.file()).unwrap();
    let admitted = read(&signed(&card("1.0.0")));
    let request = request(&agent("last", 0));
    assert!(admitted.admit_remembered(&policy("pin = {}"), &request, &[], &pins, at(NOW)).is_ok());
    assert_eq!(pins.torn_octets().unwrap(), 0);
}

#[cfg(unix)]
#[test]
fn a_full_disk_admits_nothing_and_spoils_nothing() {
    let folder = Folder::new("full");
    drop(folder.pins());
    let program = std::env::current_exe().unwrap();
    // A file may have 16 blocks, of 512 or 1,024 octets: the limit is in the middle of a line.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\""]).arg(&program);
    let mut child = command(&mut shell, &folder.file(), "full");
    let lines: Vec<String> =
        BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok).collect();
    child.wait().unwrap();
    let admitted: Vec<&str> =
        lines.iter().filter_map(|line| line.split_once("admitted ").map(|(_, agent)| agent)).collect();
    assert!(!admitted.is_empty(), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("stopped pin.unavailable")), "{lines:?}");
    // Exactly what was answered is remembered.
    let mut known = known(&folder.file());
    let mut admitted: Vec<String> = admitted.into_iter().map(str::to_owned).collect();
    known.sort();
    admitted.sort();
    assert_eq!(known, admitted);
    // With room again it goes on.
    let pins = Pins::open(&folder.file()).unwrap();
    let request = request(&agent("full", 9_999));
    assert!(
        read(&signed(&card("1.0.0")))
            .admit_remembered(&policy("pin = {}"), &request, &[], &pins, at(NOW))
            .is_ok()
    );
}
