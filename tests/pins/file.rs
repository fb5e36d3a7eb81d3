//! The file: every line that was written is there, and a file that is not as it was written is never "nothing was seen".

use std::fs;
use std::io::Write as _;

use countersign::{NotAdmitted, PinDigest, PinFault, Pins, PinsError};
use serde_json::json;

use crate::support::{Desk, Folder, IF_PRESENT, NOW, SOURCE, at, card, request, signed, text_of, with};

const STRICT: &str = "pin = { structure = \"deny\" }";

/// A file with a line for each kind of event, and its text.
fn filled(folder: &Folder) -> String {
    let pins = folder.pins();
    let desk = Desk::new(STRICT, &pins);
    assert!(desk.codes(&signed(&card("1.0.0"))).is_empty());
    pins.accept(PinDigest::of(b"accepted"), at(NOW)).unwrap();
    assert!(desk.codes(&signed(&card("1.1.0"))).is_empty());
    pins.revoke(PinDigest::of(b"revoked"), at(NOW)).unwrap();
    text_of(&folder.file())
}

fn fault(folder: &Folder) -> (usize, PinFault) {
    match Pins::open(&folder.file()) {
        Err(error @ PinsError::Damaged { .. }) => {
            assert_eq!(error.code().name(), "pin.damaged");
            let PinsError::Damaged { line, fault, .. } = error else { panic!("as matched") };
            (line, fault)
        }
        other => panic!("damage that is not seen: {other:?}"),
    }
}

#[test]
fn what_was_written_is_read_again() {
    let folder = Folder::new("reopened");
    filled(&folder);
    let pins = Pins::open(&folder.file()).unwrap();
    let list = pins.list().unwrap();
    let [agent] = list.agents.as_slice() else { panic!("one agent") };
    assert_eq!((agent.agent.as_str(), agent.since), (SOURCE, at(NOW)));
    assert_eq!(agent.memory.newest.as_ref().unwrap().version.as_deref(), Some("1.1.0"));
    assert_eq!(list.accepted, [(PinDigest::of(b"accepted"), at(NOW))]);
    assert_eq!(list.revoked, [(PinDigest::of(b"revoked"), at(NOW))]);
    let desk = Desk::new(STRICT, &pins);
    assert_eq!(desk.codes(&signed(&card("1.0.0"))), ["pin.rollback"]);
    assert!(desk.codes(&signed(&card("1.1.0"))).is_empty());
}

#[test]
fn a_card_that_is_known_writes_nothing() {
    let folder = Folder::new("known");
    let pins = folder.pins();
    let desk = Desk::new(STRICT, &pins);
    let at_time = |seconds| crate::support::signed_at(&card("1.0.0"), Some(seconds));
    assert!(desk.codes(&at_time(NOW - 9_000)).is_empty());
    let text = text_of(&folder.file());
    assert!(desk.codes(&at_time(NOW - 9_000)).is_empty());
    // A server that signs with every answer.
    assert!(desk.codes(&at_time(NOW - 5_401)).is_empty());
    assert_eq!(text_of(&folder.file()), text);
    // From an hour on the newer time is worth a line.
    assert!(desk.codes(&at_time(NOW - 5_400)).is_empty());
    assert!(text_of(&folder.file()).starts_with(&text));
    assert_ne!(text_of(&folder.file()), text);
}

#[test]
fn a_file_is_made_once_and_only_when_asked_for() {
    let folder = Folder::new("made");
    let missing = Pins::open(&folder.file()).unwrap_err();
    assert!(matches!(missing, PinsError::Missing { .. }));
    assert_eq!(missing.code().name(), "pin.unavailable");
    let pins = folder.pins();
    assert!(pins.list().unwrap().agents.is_empty());
    assert!(matches!(Pins::create(&folder.file()), Err(PinsError::Unavailable { doing: "make", .. })));
    let names: Vec<_> = fs::read_dir(folder.file().parent().unwrap()).unwrap().collect();
    assert_eq!(names.len(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(folder.file()).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(matches!(
        Pins::open(folder.file().parent().unwrap()),
        Err(PinsError::Unavailable { doing: "open", .. })
    ));
}

#[test]
fn every_changed_octet_is_found() {
    let folder = Folder::new("octets");
    let text = filled(&folder);
    let first_line = text.find('\n').unwrap();
    for place in (0..text.len()).step_by(7) {
        let mut octets = text.clone().into_bytes();
        octets[place] ^= 1;
        fs::write(folder.file(), &octets).unwrap();
        let line = 1 + text[..place].matches('\n').count();
        if place == text.len() - 1 {
            continue;
        }
        let (found, fault) = fault(&folder);
        // A line end that is lost joins two lines.
        assert_eq!(found, line, "octet {place}");
        let expected = if place <= first_line { PinFault::NotPins } else { PinFault::Checksum };
        assert_eq!(fault, expected, "octet {place}");
    }
}

#[test]
fn a_line_that_is_lost_moved_doubled_or_foreign_is_found() {
    let folder = Folder::new("lines");
    let text = filled(&folder);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    assert_eq!(lines.len(), 5);
    let write = |lines: &[&str]| fs::write(folder.file(), lines.concat()).unwrap();
    let checksum = PinFault::Checksum;

    write(&[lines[0], lines[2], lines[3]]);
    assert_eq!(fault(&folder), (2, checksum.clone()));
    write(&[lines[0], lines[1], lines[3], lines[2]]);
    assert_eq!(fault(&folder), (3, checksum.clone()));
    write(&[lines[0], lines[1], lines[1]]);
    assert_eq!(fault(&folder), (3, checksum.clone()));
    write(&[lines[0], lines[1], "\n", lines[2]]);
    assert_eq!(fault(&folder), (3, checksum.clone()));
    write(&[lines[0], "{\"event\":\"accepted\"}\n"]);
    assert_eq!(fault(&folder), (2, checksum));
    write(&[&lines[1..].concat()]);
    assert_eq!(fault(&folder), (1, PinFault::NotPins));
    write(&["{\"schema\":\"countersign.pins/2\"}\n"]);
    assert_eq!(fault(&folder), (1, PinFault::NotPins));
    // A file that was emptied, or whose first line was cut.
    for start in ["", "{\"schema\":"] {
        write(&[start]);
        assert_eq!(fault(&folder), (1, PinFault::NotPins));
    }
    write(&[&text, &"x".repeat(70_000)]);
    assert!(matches!(fault(&folder), (6, PinFault::TooLong { .. })));
    write(&[&text]);
    assert!(Pins::open(&folder.file()).is_ok());
}

#[test]
fn a_line_with_the_right_checksum_still_has_to_say_something_known() {
    let folder = Folder::new("said");
    let text = filled(&folder);
    let lines: Vec<&str> = text.lines().collect();
    let chain = |line: &str| line.rsplit_once("\"chain\":\"").unwrap().1[..64].to_owned();
    let close = |body: &str| {
        let sum = countersign::keys::hex(&countersign::keys::sha256(
            format!("{}{body}", chain(lines[0])).as_bytes(),
        ));
        fs::write(folder.file(), format!("{}\n{body},\"chain\":\"{sum}\"}}\n", lines[0])).unwrap();
    };
    let body = |line: &str| line.rsplit_once(",\"chain\"").unwrap().0.to_owned();
    close(&body(lines[1]));
    assert!(Pins::open(&folder.file()).is_ok());
    close(&body(lines[1]).replace("\"seen\"", "\"sown\""));
    assert!(matches!(fault(&folder), (2, PinFault::Event { .. })));
    for name in ["at", "event", "agent", "origin", "octets", "digest", "iat", "signed", "payloads", "text"] {
        close(&body(lines[1]).replacen(&format!("\"{name}\":"), &format!("\"no-{name}\":"), 1));
        assert!(matches!(fault(&folder), (2, PinFault::Member { .. })), "{name}");
        close(&body(lines[1]).replacen(&format!("\"{name}\":"), &format!("\"{name}\":0,\"no-{name}\":"), 1));
        assert!(matches!(fault(&folder), (2, PinFault::Member { .. })), "{name}");
    }
    close(&format!("{},\"at\":\"1\"", body(lines[1])));
    assert!(matches!(fault(&folder), (2, PinFault::Json(_))));
}

#[test]
fn a_line_without_its_end_is_left_out_and_cut_by_the_next_writer() {
    let folder = Folder::new("torn");
    let text = filled(&folder);
    let last = text.trim_end().rfind('\n').unwrap() + 1;
    let revoked = PinDigest::of(b"revoked");
    for cut in (last..text.len()).step_by(11) {
        fs::write(folder.file(), &text[..cut]).unwrap();
        let pins = Pins::open(&folder.file()).unwrap();
        assert_eq!(pins.torn_octets().unwrap(), u64::try_from(cut - last).unwrap());
        let list = pins.list().unwrap();
        assert!(list.revoked.is_empty());
        assert_eq!(list.accepted.len(), 1);
        // Readers leave the file as it is.
        assert_eq!(text_of(&folder.file()), text[..cut]);
        pins.revoke(revoked, at(NOW)).unwrap();
        assert_eq!(pins.torn_octets().unwrap(), 0);
        assert_eq!(text_of(&folder.file()), text);
    }
    // What is cut holds the complete lines of others: those stay.
    let pins = Pins::open(&folder.file()).unwrap();
    fs::File::options().append(true).open(folder.file()).unwrap().write_all(b"{\"event\":").unwrap();
    let desk = Desk::new(STRICT, &pins);
    assert!(desk.codes(&signed(&card("1.2.0"))).is_empty());
    assert!(text_of(&folder.file()).starts_with(&text));
    assert!(Pins::open(&folder.file()).is_ok());
}

#[test]
fn a_file_that_is_damaged_while_it_is_open_admits_nothing_more() {
    let folder = Folder::new("meanwhile");
    let text = filled(&folder);
    let good = signed(&card("1.1.0"));
    let admit = |pins: &Pins| {
        let policy = crate::support::policy(STRICT);
        crate::support::read(&good).admit_remembered(&policy, &request(SOURCE), &[], pins, at(NOW))
    };
    let pins = Pins::open(&folder.file()).unwrap();
    assert!(admit(&pins).is_ok());
    // Cut in place, and restored.
    let half = text.len() / 2;
    fs::File::options().write(true).open(folder.file()).unwrap().set_len(half.try_into().unwrap()).unwrap();
    let error = admit(&pins).unwrap_err();
    assert!(
        matches!(error, NotAdmitted::Pins(PinsError::Damaged { fault: PinFault::Shorter, .. })),
        "{error}"
    );
    fs::write(folder.file(), &text).unwrap();
    assert!(admit(&pins).is_ok());
    // Foreign lines.
    fs::write(folder.file(), format!("{text}{{}}\n")).unwrap();
    assert!(matches!(admit(&pins), Err(NotAdmitted::Pins(PinsError::Damaged { line: 6, .. }))));
    // Another file in its place.
    #[cfg(unix)]
    {
        fs::write(folder.file(), &text).unwrap();
        assert!(admit(&pins).is_ok());
        let copy = folder.file().with_extension("copy");
        fs::copy(folder.file(), &copy).unwrap();
        fs::rename(&copy, folder.file()).unwrap();
        assert!(matches!(admit(&pins), Err(NotAdmitted::Pins(PinsError::Replaced { .. }))));
        assert!(admit(&Pins::open(&folder.file()).unwrap()).is_ok());
        fs::remove_file(folder.file()).unwrap();
        assert!(admit(&pins).is_err());
    }
}

#[test]
fn writers_of_one_file_hear_of_each_other() {
    let folder = Folder::new("writers");
    drop(folder.pins());
    let policy = crate::support::policy(STRICT);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (policy, path) = (&policy, folder.file());
            scope.spawn(move || {
                // Two threads share one, and two open the file for themselves.
                let pins = Pins::open(&path).unwrap();
                for number in 0..10 {
                    let url = format!("https://agents.acme.example/{writer}/{number}.json");
                    let own = crate::support::read(&signed(&card("1.0.0")));
                    own.admit_remembered(policy, &request(&url), &[], &pins, at(NOW)).unwrap();
                    // All of them admit this agent, and one of them is the first.
                    let shared = crate::support::read(&signed(&card(&format!("1.{number}.0"))));
                    let _ = shared.admit_remembered(policy, &request(SOURCE), &[], &pins, at(NOW));
                }
            });
        }
    });
    let list = Pins::open(&folder.file()).unwrap().list().unwrap();
    assert_eq!(list.agents.len(), 41);
    let shared = list.agents.iter().find(|agent| agent.agent == SOURCE).unwrap();
    assert_eq!(shared.memory.newest.as_ref().unwrap().version.as_deref(), Some("1.9.0"));
    // Each version once: nobody remembered what another one had remembered.
    let seen = text_of(&folder.file()).matches(&format!("\"agent\":\"{SOURCE}\"")).count();
    assert_eq!(seen, 10);
}

#[test]
fn one_of_two_that_admit_different_first_cards_is_told_of_the_other() {
    let folder = Folder::new("race");
    let (one, other) = (folder.pins(), Pins::open(&folder.file()).unwrap());
    let unsigned = format!("{IF_PRESENT}\npin = {{ structure = \"deny\" }}");
    let tenant = |name: &str| with(card("1.0.0"), "/supportedInterfaces/0/tenant", json!(name));
    assert!(Desk::new(&unsigned, &one).codes(&tenant("a")).is_empty());
    assert_eq!(Desk::new(&unsigned, &other).codes(&tenant("b")), ["pin.structure"]);
    other.accept(Desk::new(&unsigned, &other).digest(&tenant("b")), at(NOW)).unwrap();
    assert!(Desk::new(&unsigned, &one).codes(&tenant("b")).is_empty());
}
