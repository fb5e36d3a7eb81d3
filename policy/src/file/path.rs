//! References from file to file, all inside the folder of the policy.

use std::ops::Range;

use super::error::PolicyFault;
use super::text::Text;
use super::{FileFaultKind, Files};
use crate::codes::load as codes;

/// Longest file that is read, in octets: 4 MiB.
const MAX_OCTETS: usize = 4 * 1024 * 1024;

/// A path, as a file writes it.
pub(super) struct Reference<'r> {
    pub(super) from: &'r Text,
    pub(super) path: &'r str,
    pub(super) range: &'r Range<usize>,
}

/// The name and the octets of the file that a reference means.
pub(super) fn read(
    files: &dyn Files,
    reference: &Reference<'_>,
) -> Result<(String, Vec<u8>), Box<PolicyFault>> {
    let name = resolve(reference)?;
    let place = || reference.from.place(reference.range);
    let octets = files.read(&name).map_err(|fault| {
        let code = match fault.kind {
            FileFaultKind::Escape => codes::POLICY_INCLUDE_LOOP_OR_ESCAPE,
            FileFaultKind::Unreadable => codes::POLICY_UNREADABLE_FILE,
        };
        Box::new(PolicyFault::new(code, place(), format!("`{name}` cannot be read: {}", fault.message)))
    })?;
    if octets.len() > MAX_OCTETS {
        let message = format!("`{name}` has {} octets, more than {MAX_OCTETS}", octets.len());
        return Err(Box::new(PolicyFault::new(codes::POLICY_UNREADABLE_FILE, place(), message)));
    }
    Ok((name, octets))
}

/// The path relative to the folder of the file that writes it, in the words of `Files`.
pub(super) fn resolve(reference: &Reference<'_>) -> Result<String, Box<PolicyFault>> {
    let path = reference.path;
    let fault = |message: String| {
        Err(Box::new(PolicyFault::new(
            codes::POLICY_INCLUDE_LOOP_OR_ESCAPE,
            reference.from.place(reference.range),
            message,
        )))
    };
    if path.is_empty() || path.contains(|character: char| character.is_control() || character == '\\') {
        return fault("the path is empty, or has a backslash or a control character".to_owned());
    }
    let is_outside = path.starts_with('/') || path.contains(':') || path.split('/').any(|part| part == "..");
    if is_outside {
        return fault(format!("`{path}` leads out of the folder of the file that names it"));
    }
    if path.split('/').any(|part| part.is_empty() || part == ".") {
        return fault(format!("`{path}` has a part that is empty or `.`"));
    }
    Ok(match reference.from.name().rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{path}"),
        None => path.to_owned(),
    })
}
