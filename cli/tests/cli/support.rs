//! How the integration tests run the binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A test file of `tests/data`.
pub(crate) fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A file of `examples`.
pub(crate) fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples").join(name)
}

/// The binary, without what the environment says.
pub(crate) fn countersign() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_countersign"));
    command.env_remove("COUNTERSIGN_FORMAT").env_remove("CLICOLOR_FORCE").env("NO_COLOR", "1");
    command.env_remove("GITHUB_STEP_SUMMARY");
    command
}

/// Runs the binary with arguments that may be paths.
pub(crate) fn run<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> Output {
    countersign().args(arguments).output().unwrap()
}

pub(crate) fn text(octets: &[u8]) -> String {
    String::from_utf8(octets.to_vec()).unwrap()
}
