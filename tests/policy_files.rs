//! The files of a policy are those of its folder, and no others.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::fs;
use std::path::{Path, PathBuf};

use countersign::load_policy;

const PEM: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAOh+IxriaNTvHwve9KhLU/Ghlc8e2oEEMvGXixtbrcaM=\n-----END PUBLIC KEY-----\n";

/// A new folder with `policy/trust-policy.toml`, whose key is in `policy/keys/acme.pem`, and `outside.pem`.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("policy_files").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("policy/keys")).unwrap();
    let policy = "schema = 1\n[[key]]\nid = \"acme\"\nfile = \"keys/acme.pem\"\norigins = [\"https://agents.acme.example\"]\n\
                  [[allow]]\nid = \"acme\"\nfrom = [\"https://agents.acme.example\"]\n";
    fs::write(folder.join("policy/trust-policy.toml"), policy).unwrap();
    fs::write(folder.join("policy/keys/acme.pem"), PEM).unwrap();
    fs::write(folder.join("outside.pem"), PEM).unwrap();
    folder
}

/// The code and message of the one file that cannot be read.
fn fault(policy: &Path) -> (&'static str, String) {
    let error = load_policy(policy).unwrap_err();
    let fault = error.faults.iter().find(|fault| fault.message.contains("cannot be read: ")).unwrap();
    (fault.code.name(), fault.message.clone())
}

#[test]
fn a_policy_is_read_with_the_files_of_its_folder() {
    let policy = folder("plain").join("policy/trust-policy.toml");
    let loaded = load_policy(&policy).unwrap();
    assert_eq!(loaded.keys().len(), 1);
    assert!(loaded.files().first().unwrap().name.ends_with("/trust-policy.toml"));

    fs::remove_file(policy.with_file_name("keys").join("acme.pem")).unwrap();
    let (code, message) = fault(&policy);
    assert_eq!(code, "policy.unreadable-file");
    assert!(message.ends_with("no such file or directory"), "{message}");
}

#[test]
fn what_is_too_long_or_no_file_is_not_read() {
    let folder = folder("kinds");
    let (policy, key) = (folder.join("policy/trust-policy.toml"), folder.join("policy/keys/acme.pem"));
    let text = fs::read_to_string(&policy).unwrap();
    let padded = |octets: usize| format!("{text}{}", "\n".repeat(octets - text.len()));
    fs::write(&policy, padded(1024 * 1024)).unwrap();
    assert!(load_policy(&policy).is_ok());
    fs::write(&policy, padded(1024 * 1024 + 1)).unwrap();
    assert!(fault(&policy).1.ends_with("more than 1048576 octets"));
    fs::write(&policy, &text).unwrap();
    fs::remove_file(&key).unwrap();
    fs::create_dir(&key).unwrap();
    assert!(fault(&policy).1.ends_with("it is no regular file"));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_an_escape_and_one_within_is_followed() {
    use std::os::unix::fs::symlink;

    let folder = folder("links");
    let (policy, key) = (folder.join("policy/trust-policy.toml"), folder.join("policy/keys/acme.pem"));
    fs::rename(&key, folder.join("policy/keys/real.pem")).unwrap();
    symlink("real.pem", &key).unwrap();
    assert!(load_policy(&policy).is_ok());

    fs::remove_file(&key).unwrap();
    symlink("../../outside.pem", &key).unwrap();
    assert_eq!(fault(&policy).0, "policy.include-loop-or-escape");

    // A folder next to it whose name begins alike is outside too.
    fs::create_dir(folder.join("policy-2")).unwrap();
    fs::write(folder.join("policy-2/acme.pem"), PEM).unwrap();
    fs::remove_file(&key).unwrap();
    symlink("../../policy-2/acme.pem", &key).unwrap();
    assert_eq!(fault(&policy).0, "policy.include-loop-or-escape");
}

#[cfg(unix)]
#[test]
fn the_policy_itself_may_be_a_link_and_its_files_are_those_beside_the_link() {
    use std::os::unix::fs::symlink;

    let folder = folder("linked");
    let policy = folder.join("policy/trust-policy.toml");
    fs::rename(&policy, folder.join("elsewhere.toml")).unwrap();
    symlink("../elsewhere.toml", &policy).unwrap();
    assert_eq!(load_policy(&policy).unwrap().keys().len(), 1);
    // Beside what the link leads to there is no key.
    assert_eq!(fault(&folder.join("elsewhere.toml")).0, "policy.unreadable-file");
}
