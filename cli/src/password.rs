//! The password of an encrypted key file, from a file or a variable: never an argument, never asked for. No message
//! here repeats what was given, which may be the password itself.

use std::env;

use countersign::keys::pem::Password;
use zeroize::Zeroizing;

use crate::args::PasswordArgs;
use crate::failure::Failure;
use crate::keyfile::read_secret_file;

/// Longest password file that is read, in octets: what OpenSSL reads.
const MAX_OCTETS: usize = 1024;

/// The password that the arguments name. What is set but empty is the empty password.
pub(crate) fn read(args: &PasswordArgs) -> Result<Option<Password>, Failure> {
    if let Some(path) = &args.key_password_file {
        let octets = read_secret_file(path, MAX_OCTETS)
            .map_err(|error| Failure::reading_what("the file that `--key-password-file` names", &error))?;
        return of_file(octets).map(Some);
    }
    args.key_password_env.as_deref().map(of_variable).transpose()
}

/// One line end after the password belongs to the file.
fn of_file(mut octets: Zeroizing<Vec<u8>>) -> Result<Password, Failure> {
    if octets.len() > MAX_OCTETS {
        let message = format!("the password file has more than {MAX_OCTETS} octets");
        return Err(Failure::usage(message));
    }
    let line = octets.strip_suffix(b"\r\n").or_else(|| octets.strip_suffix(b"\n"));
    let length = line.unwrap_or(&octets).len();
    octets.truncate(length);
    Ok(Password::new(std::mem::take(&mut *octets)))
}

fn of_variable(name: &str) -> Result<Password, Failure> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(Failure::usage("`--key-password-env` takes the name of an environment variable"));
    }
    match env::var_os(name) {
        Some(text) => Ok(Password::new(text.into_encoded_bytes())),
        None => Err(Failure::usage("the environment variable that `--key-password-env` names is not set")),
    }
}
