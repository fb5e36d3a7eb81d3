//! What other programs do to files while a signer runs, and what happens to the signer.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{countersign, data, run, text};

/// A folder with a card, where signers do other things too.
struct Desk {
    folder: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        fs::copy(data("card.json"), desk.path("card.json")).unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Signs with a script that does something before it answers.
    fn signing(&self, before: &str, arguments: &[&str]) -> Command {
        let answer = data("answer.json");
        let script = format!("{before}\ncat '{}'", answer.display());
        let mut command = countersign();
        command.current_dir(self.folder.path()).args(["sign", "card.json", "--public"]);
        command.arg(data("es256.jwks")).args(["--signer", &format!("sh -c \"{script}\"")]).args(arguments);
        command
    }

    fn entries(&self, name: &str) -> usize {
        let file: Value = serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap();
        file.get("signatures").and_then(Value::as_array).unwrap().len()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn ok(output: &Output) {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn no_signature_is_lost_when_many_endorse_at_once() {
    let desk = Desk::new();
    let keys: Vec<PathBuf> = (0..8).map(|number| desk.path(&format!("{number}.jwk"))).collect();
    for key in &keys {
        ok(&run(["key".as_ref(), "generate".as_ref(), "--out".as_ref(), key.as_os_str()]));
    }
    let card = desk.path("card.json");
    let file = desk.path("review.json");
    let signers = keys.iter().map(|key| {
        let mut command = countersign();
        command.arg("sign").arg(&card).arg("--key").arg(key).arg("--endorsement").arg(&file);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    let signers: Vec<_> = signers.collect();
    for signer in signers {
        ok(&signer.wait_with_output().unwrap());
    }
    assert_eq!(desk.entries("review.json"), 8);
    assert_eq!(desk.names().len(), 10, "no lock and no temporary file is left: {:?}", desk.names());
}

#[cfg(unix)]
#[test]
fn an_endorsement_that_appears_or_grows_while_the_signer_runs_is_added_to() {
    let by = |desk: &Desk, key: &str, name: &str| {
        let (card, key, file) = (desk.path("card.json"), data(key), desk.path(name));
        let fixed = ["sign".as_ref(), card.as_os_str(), "--key".as_ref(), key.as_os_str()];
        ok(&run(fixed.into_iter().chain(["--endorsement".as_ref(), file.as_os_str()])));
    };
    for existed in [false, true] {
        let desk = Desk::new();
        by(&desk, "ed25519.pem", "theirs.json");
        if existed {
            fs::copy(desk.path("theirs.json"), desk.path("review.json")).unwrap();
            by(&desk, "other.jwk", "theirs.json");
        }
        let before = "echo asked >> asked; cp theirs.json review.json";
        ok(&desk.signing(before, &["--endorsement", "review.json"]).output().unwrap());
        assert_eq!(desk.entries("review.json"), if existed { 3 } else { 2 });
        assert_eq!(fs::read_to_string(desk.path("asked")).unwrap(), "asked\n", "the signer is asked once");
    }
    // What appears is no endorsement.
    let desk = Desk::new();
    let refused =
        desk.signing("echo mine > review.json", &["--endorsement", "review.json"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read_to_string(desk.path("review.json")).unwrap(), "mine\n");
}

#[cfg(unix)]
#[test]
fn a_card_that_changes_while_the_signer_runs_is_not_overwritten() {
    let desk = Desk::new();
    let original = fs::read(desk.path("card.json")).unwrap();
    for change in ["echo >> card.json", "echo other > new; mv new card.json"] {
        fs::write(desk.path("card.json"), &original).unwrap();
        let refused = desk.signing(change, &["--in-place"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains("was changed while it was being signed; nothing was written"));
        assert!(!text(&fs::read(desk.path("card.json")).unwrap()).contains("signatures"));
    }
    fs::write(desk.path("card.json"), &original).unwrap();
    let refused = desk.signing("rm card.json", &["--in-place"]).output().unwrap();
    assert_eq!((refused.status.code(), desk.names().len()), (Some(3), 0));
    fs::write(desk.path("card.json"), &original).unwrap();
    ok(&desk.signing("touch card.json", &["--in-place"]).output().unwrap());
    assert_eq!(desk.entries("card.json"), 1);
    assert_eq!(desk.names(), ["card.json"]);
}

#[test]
fn a_card_with_a_byte_order_mark_can_be_signed_in_place() {
    let desk = Desk::new();
    let card = desk.path("card.json");
    let octets = [b"\xef\xbb\xbf", fs::read(&card).unwrap().as_slice()].concat();
    fs::write(&card, octets).unwrap();
    let key = data("es256.jwk");
    ok(&run(["sign".as_ref(), card.as_os_str(), "--key".as_ref(), key.as_os_str(), "--in-place".as_ref()]));
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_refused_and_stays() {
    let desk = Desk::new();
    std::os::unix::fs::symlink("elsewhere.json", desk.path("link.json")).unwrap();
    for option in ["-o", "--endorsement"] {
        // Before the signer is asked.
        let refused = desk.signing("touch asked", &[option, "link.json"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{option}");
        assert!(text(&refused.stderr).contains("`link.json` is a link to a file that is not there"));
        // While it runs.
        let late = desk.signing("ln -s elsewhere.json late.json", &[option, "late.json"]).output().unwrap();
        assert_eq!(late.status.code(), Some(2), "{option}");
        assert!(desk.path("late.json").is_symlink());
        fs::remove_file(desk.path("late.json")).unwrap();
    }
    assert_eq!(desk.names(), ["card.json", "link.json"]);
    // A link to a file is followed.
    for option in ["-o", "--endorsement"] {
        fs::remove_file(desk.path("link.json")).unwrap();
        std::os::unix::fs::symlink(format!("to{option}"), desk.path("link.json")).unwrap();
        ok(&desk.signing("", &[option, &format!("to{option}")]).output().unwrap());
        ok(&desk.signing("", &[option, "link.json"]).output().unwrap());
        assert!(desk.path("link.json").is_symlink());
    }
}

#[test]
fn no_card_is_written_that_verify_refuses_as_too_large() {
    let desk = Desk::new();
    let (card, signed, key) = (desk.path("card.json"), desk.path("signed.json"), data("es256.jwk"));
    let original = text(&fs::read(&card).unwrap());
    let sign = |octets: usize, limit: &[&str]| {
        fs::write(&card, format!("{original}{}", " ".repeat(octets - original.len()))).unwrap();
        let fixed = ["sign".as_ref(), card.as_os_str(), "--key".as_ref(), key.as_os_str()];
        let output = ["-o".as_ref(), signed.as_os_str()];
        run(fixed.into_iter().chain(output).chain(limit.iter().map(AsRef::as_ref)))
    };
    for in_limit in [262_092, 262_144] {
        let refused = sign(in_limit, &[]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(text(&refused.stderr).contains("error[json.too-large]"), "{}", text(&refused.stderr));
        assert!(!signed.exists());
    }
    ok(&sign(262_092, &["--max-octets", "300000"]));
    fs::remove_file(&signed).unwrap();
    ok(&sign(261_000, &[]));
    let keys = data("es256.jwks");
    ok(&run(["verify".as_ref(), signed.as_os_str(), "--keys".as_ref(), keys.as_os_str()]));
}

#[cfg(unix)]
#[test]
fn a_signer_ends_with_the_run_that_is_terminated() {
    let desk = Desk::new();
    let runs = "echo $$ > pid; mv pid running; exec sleep 30";
    let mut signing = desk.signing(runs.replace("$$", "\\$\\$").as_str(), &["--in-place"]);
    let mut signing = signing.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while !desk.path("running").exists() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let signer = fs::read_to_string(desk.path("running")).unwrap();
    assert!(is_running(signer.trim()));
    kill("-TERM", &signing.id().to_string());
    let status = signing.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(15));
    let begun = Instant::now();
    while is_running(signer.trim()) && begun.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!is_running(signer.trim()));
    assert_eq!(fs::read(desk.path("card.json")).unwrap(), fs::read(data("card.json")).unwrap());
}

#[cfg(unix)]
fn kill(signal: &str, process: &str) -> bool {
    let mut kill = Command::new("sh");
    kill.args(["-c", "kill \"$1\" \"$2\"", "sh", signal, process]);
    kill.stderr(Stdio::null()).status().unwrap().success()
}

/// A process that has ended counts even where nobody reaps it.
#[cfg(unix)]
fn is_running(process: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(process).join("status")).unwrap_or_default();
    kill("-0", process) && !status.contains("State:\tZ")
}
