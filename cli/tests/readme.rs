//! Every `countersign` command of the README, with its output. `TRYCMD=overwrite UPDATE_README=1` writes them anew.
#![expect(clippy::unwrap_used, reason = "a failed expectation must stop the test")]

use std::fs;
use std::path::Path;

/// Copies the folder of examples, which the commands read and write next to.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn the_commands_of_the_readme_print_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let readme = folder.path().join("README.md");
    fs::copy(root.join("README.md"), &readme).unwrap();
    copy(&root.join("examples"), &folder.path().join("examples"));
    let key = fs::read_to_string(root.join("examples/keys/demo.jwk")).unwrap();
    // The only test of this process, so nobody else relies on the folder.
    std::env::set_current_dir(folder.path()).unwrap();
    trycmd::TestCases::new().env("CARD_KEY", key).case(&readme).run();
    if std::env::var_os("UPDATE_README").is_some() {
        fs::copy(&readme, root.join("README.md")).unwrap();
    }
}
