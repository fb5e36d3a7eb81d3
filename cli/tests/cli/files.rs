//! What is written to files, and what is not.

use std::fs;
use std::path::Path;

use crate::support::{countersign, data, run, text};

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_new_private_key() {
    let folder = tempfile::tempdir().unwrap();
    for (private, public) in [("a.jwk", "a.jwks"), ("b.json", "b.public.jwk"), ("c.pem", "c.public.pem")] {
        let (private, public) = (folder.path().join(private), folder.path().join(public));
        let made = run([
            "key".as_ref(),
            "generate".as_ref(),
            "--out".as_ref(),
            private.as_os_str(),
            "--public".as_ref(),
            public.as_os_str(),
        ]);
        assert!(made.status.success(), "{}", text(&made.stderr));
        assert_eq!(mode(&private), 0o600);
        assert_eq!(mode(&public) & 0o400, 0o400);
        assert!(!fs::read_to_string(&public).unwrap().contains("\"d\""));
    }
    assert_eq!(names(folder.path()).len(), 6, "no temporary file is left");
}

#[test]
fn a_new_key_signs_and_its_public_half_verifies() {
    for (alg, private, public) in [
        ("ES256", "k.jwk", "k.jwks"),
        ("ES384", "k.pem", "k.public.pem"),
        ("ES512", "k.json", "k.p.json"),
        ("EdDSA", "k.pem", "k.p.jwk"),
        ("Ed25519", "k.jwk", "k.jwks"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = |name| folder.path().join(name).into_os_string().into_string().unwrap();
        let (private, public, signed) = (path(private), path(public), path("signed.json"));
        assert!(
            run(["key", "generate", "--alg", alg, "--out", &private, "--public", &public]).status.success()
        );
        let card = data("card.json").into_os_string().into_string().unwrap();
        let made = run(["sign", &card, "--key", &private, "-o", &signed]);
        assert!(made.status.success(), "{alg}: {}", text(&made.stderr));
        let verified = run(["verify", &signed, "--keys", &public]);
        assert!(verified.status.success(), "{alg}: {}", text(&verified.stdout));
    }
}

#[test]
fn a_key_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old.jwk"), folder.path().join("new.jwk"));
    fs::write(&old, "mine").unwrap();
    for (private, public) in [(&old, &new), (&new, &old)] {
        let refused = run([
            "key".as_ref(),
            "generate".as_ref(),
            "--out".as_ref(),
            private.as_os_str(),
            "--public".as_ref(),
            public.as_os_str(),
        ]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains("never overwritten"));
    }
    assert_eq!(fs::read_to_string(&old).unwrap(), "mine");
    assert_eq!(names(folder.path()), ["old.jwk"]);
}

#[cfg(unix)]
#[test]
fn a_link_to_nowhere_is_no_place_for_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("k.jwk");
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
    let refused = run(["key".as_ref(), "generate".as_ref(), "--out".as_ref(), link.as_os_str()]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(names(folder.path()), ["k.jwk"]);
}

#[cfg(unix)]
#[test]
fn signing_in_place_replaces_the_file_whole_and_keeps_its_mode() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.json");
    fs::copy(data("card.json"), &card).unwrap();
    fs::set_permissions(&card, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&card).unwrap().ino();
    let key = data("es256.jwk");
    let signed = run([
        "sign".as_ref(),
        card.as_os_str(),
        "--key".as_ref(),
        key.as_os_str(),
        "--in-place".as_ref(),
        "--format".as_ref(),
        "json".as_ref(),
    ]);
    assert!(signed.status.success(), "{}", text(&signed.stderr));
    assert_eq!(mode(&card), 0o640);
    assert_ne!(fs::metadata(&card).unwrap().ino(), before, "it is another file under the same name");
    assert_eq!(fs::read(&card).unwrap(), fs::read(data("signed.json")).unwrap());
    assert_eq!(names(folder.path()), ["card.json"]);
    let report = text(&signed.stdout);
    assert!(report.starts_with(r#"{"schema":"countersign.signing/1","card":""#), "{report}");
    assert!(report.ends_with("\"replaced\":0,\"stale\":[],\"findings\":[]}\n"), "{report}");
}

#[test]
fn a_signer_that_is_killed_leaves_the_old_card_or_the_new_one() {
    use std::process::Stdio;
    use std::time::Duration;
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.json");
    // A long card takes longer to write.
    let old =
        text(&fs::read(data("card.json")).unwrap()).replacen('{', &format!("{{{}", " ".repeat(200_000)), 1);
    let arguments = || {
        let key = ["--key".into(), data("es256.jwk").into_os_string(), "--in-place".into()];
        ["sign".into(), card.clone().into_os_string()].into_iter().chain(key)
    };
    fs::write(&card, &old).unwrap();
    assert!(run(arguments()).status.success());
    let new = fs::read(&card).unwrap();
    assert_ne!(new, old.as_bytes());
    for delay in 0..48 {
        fs::write(&card, &old).unwrap();
        let mut signer =
            countersign().args(arguments()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_micros(delay * 400));
        signer.kill().unwrap();
        signer.wait().unwrap();
        let found = fs::read(&card).unwrap();
        assert!(found == old.as_bytes() || found == new, "{} octets after {delay}", found.len());
    }
}

#[cfg(unix)]
#[test]
fn signing_in_place_writes_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let (card, link) = (folder.path().join("card.json"), folder.path().join("link.json"));
    fs::copy(data("card.json"), &card).unwrap();
    std::os::unix::fs::symlink(&card, &link).unwrap();
    let key = data("es256.jwk");
    let signed =
        run(["sign".as_ref(), link.as_os_str(), "--key".as_ref(), key.as_os_str(), "--in-place".as_ref()]);
    assert!(signed.status.success());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&card).unwrap(), fs::read(data("signed.json")).unwrap());
}

#[test]
fn an_output_that_is_the_input_under_another_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let card = folder.path().join("card.json");
    fs::copy(data("card.json"), &card).unwrap();
    let other = folder.path().join(".").join("card.json");
    let key = data("es256.jwk");
    let refused = run([
        "sign".as_ref(),
        card.as_os_str(),
        "--key".as_ref(),
        key.as_os_str(),
        "-o".as_ref(),
        other.as_os_str(),
    ]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read(&card).unwrap(), fs::read(data("card.json")).unwrap());
}

#[test]
fn a_refused_card_leaves_no_output_behind() {
    let folder = tempfile::tempdir().unwrap();
    let (output, key, card) = (folder.path().join("signed.json"), data("es256.jwk"), data("foreign.json"));
    let refused = run([
        "sign".as_ref(),
        card.as_os_str(),
        "--key".as_ref(),
        key.as_os_str(),
        "-o".as_ref(),
        output.as_os_str(),
    ]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_folder_that_is_not_there_is_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let (output, key, card) = (folder.path().join("no/signed.json"), data("es256.jwk"), data("card.json"));
    let failed = run([
        "sign".as_ref(),
        card.as_os_str(),
        "--key".as_ref(),
        key.as_os_str(),
        "-o".as_ref(),
        output.as_os_str(),
    ]);
    assert_eq!(failed.status.code(), Some(3));
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_to_and_stays_a_device() {
    use std::os::unix::fs::FileTypeExt as _;
    let (key, card) = (data("es256.jwk"), data("card.json"));
    let sign = |to: &str| {
        run([
            "sign".as_ref(),
            card.as_os_str(),
            "--key".as_ref(),
            key.as_os_str(),
            "-o".as_ref(),
            to.as_ref(),
        ])
    };
    assert!(sign("/dev/null").status.success());
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    assert_eq!(sign("/dev/full").status.code(), Some(3), "a full disk is the environment");
}

#[test]
fn a_signed_card_is_written_over_a_card_or_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.json");
    let sign = || {
        let (card, key) = (data("card.json"), data("es256.jwk"));
        run([
            "sign".as_ref(),
            card.as_os_str(),
            "--key".as_ref(),
            key.as_os_str(),
            "-o".as_ref(),
            output.as_os_str(),
        ])
    };
    for other in ["es256.jwks", "ed25519.pem", "endorsement.json", "foreign.json", "password.txt"] {
        fs::copy(data(other), &output).unwrap();
        let refused = sign();
        assert_eq!(refused.status.code(), Some(2), "{other}");
        assert!(text(&refused.stderr).contains("is no AgentCard; it is not overwritten"), "{other}");
        assert_eq!(fs::read(&output).unwrap(), fs::read(data(other)).unwrap());
    }
    for card in ["card.json", "legacy.json", "signed.json"] {
        fs::copy(data(card), &output).unwrap();
        assert!(sign().status.success(), "{card}");
        assert_eq!(fs::read(&output).unwrap(), fs::read(data("signed.json")).unwrap());
    }
    fs::write(&output, "").unwrap();
    assert!(sign().status.success());
}

#[test]
fn other_documents_are_named_and_endorsements_are_passed_over_in_folders() {
    let folder = tempfile::tempdir().unwrap();
    let keys = data("es256.jwks");
    for name in ["signed.json", "endorsement.json"] {
        fs::copy(data(name), folder.path().join(name)).unwrap();
    }
    let verify =
        |path: &Path| run(["verify".as_ref(), path.as_os_str(), "--keys".as_ref(), keys.as_os_str()]);
    let all = verify(folder.path());
    assert!(all.status.success(), "{}", text(&all.stdout));
    assert!(text(&all.stderr).contains("endorsement.json: passed over"), "{}", text(&all.stderr));
    let envelope = folder.path().join("envelope.json");
    let card = fs::read_to_string(data("card.json")).unwrap();
    fs::write(&envelope, format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{card}}}")).unwrap();
    for (path, said) in [
        (data("endorsement.json"), "this is an endorsement, not an AgentCard"),
        (data("es256.jwks"), "this is a JWK set, not an AgentCard"),
        (envelope, "this is a JSON-RPC response with a card, not an AgentCard"),
    ] {
        let (verified, inspected) = (verify(&path), run(["inspect".as_ref(), path.as_os_str()]));
        assert_eq!(verified.status.code(), Some(1), "{said}");
        for output in [verified, inspected] {
            assert!(text(&output.stdout).contains(said), "{}", text(&output.stdout));
        }
    }
    assert!(!text(&verify(&data("signed.json")).stdout).contains("not an AgentCard"));
}

#[test]
fn a_signature_under_the_thumbprint_is_told_which_kid_to_sign_with() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).into_os_string().into_string().unwrap();
    let (key, keys, signed) = (path("r.pem"), path("r.jwks"), path("signed.json"));
    assert!(
        run(["key", "generate", "--kid", "release-2026", "--out", &key, "--public", &keys]).status.success()
    );
    let card = data("card.json").into_os_string().into_string().unwrap();
    assert!(run(["sign", &card, "--key", &key, "-o", &signed]).status.success());
    let refused = run(["verify", &signed, "--keys", &keys]);
    let said = text(&refused.stdout);
    assert!(said.contains("[sig.unknown-key]"), "{said}");
    assert!(said.contains("sign again with `--kid release-2026`"), "{said}");
    assert!(run(["sign", &card, "--key", &key, "--kid", "release-2026", "-o", &signed]).status.success());
    assert!(run(["verify", &signed, "--keys", &keys]).status.success());
}

#[test]
fn verify_shows_when_a_signature_was_made_and_when_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let signed = folder.path().join("signed.json").into_os_string().into_string().unwrap();
    let of = |name| data(name).into_os_string().into_string().unwrap();
    let (card, key, keys) = (of("card.json"), of("es256.jwk"), of("es256.jwks"));
    let times = ["--issued-at", "2026-01-01T00:00:00Z", "--expires", "2126-01-01T00:00:00Z"];
    let made = run(["sign", &card, "--key", &key, "-o", &signed].iter().chain(&times));
    assert!(made.status.success(), "{}", text(&made.stderr));
    let human = text(&run(["verify", &signed, "--keys", &keys]).stdout);
    assert!(human.contains("    iat 2026-01-01T00:00:00Z\n    exp 2126-01-01T00:00:00Z\n"), "{human}");
    let json = text(&run(["verify", &signed, "--keys", &keys, "--format", "json"]).stdout);
    assert!(json.contains(r#""codes":[],"iat":1767225600,"exp":4922899200}"#), "{json}");
    let without = of("signed.json");
    assert!(!text(&run(["verify", &without, "--keys", &keys]).stdout).contains("iat"));
    let json = text(&run(["verify", &without, "--keys", &keys, "--format", "json"]).stdout);
    assert!(json.contains(r#""iat":null,"exp":null}"#), "{json}");
}
