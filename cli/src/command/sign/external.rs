//! A key that is behind a command: each signature is one run of it, without a shell and within a time limit.

use std::error::Error;
use std::fmt::{self, Display};
use std::io::{self, Read, Write as _};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use countersign::keys::{KeyKind, PreparedSigner, SignError, accepted_signature, base64url, codes, json};
use countersign::{Algorithm, Limits, Signer, VerifyingKey};
use serde::Serialize;

use super::process::{Running, Scope};
use crate::failure::{Failure, Stop, reason};
use crate::outcome::Outcome;

/// How long one signature may take.
pub(super) const TIME_OUT: Duration = Duration::from_secs(60);

/// Most octets of an answer, and of what is kept of standard error.
const MAX_OUTPUT: usize = 64 * 1024;

/// Most characters of standard error in a message.
const MAX_QUOTED: usize = 200;

/// How long standard error is waited for once the command has ended: a child of it may hold it open.
const GRACE: Duration = Duration::from_millis(500);

#[derive(Serialize)]
struct Request<'r> {
    alg: &'static str,
    kid: &'r str,
    signing_input: String,
    digest: Option<String>,
}

/// Signs by running a command; tells key and algorithm as the signer without signatures does.
pub(super) struct CommandSigner {
    public: PreparedSigner,
    /// `kid` of the signatures.
    kid: String,
    program: String,
    arguments: Vec<String>,
    time_out: Duration,
    scope: Scope,
    /// What the last run says on standard error.
    stderr: Mutex<Option<Receiver<io::Result<Vec<u8>>>>>,
}

/// Why the command gave no signature.
#[derive(Debug)]
pub(super) struct NoSignature {
    message: String,
    pub(super) outcome: Outcome,
}

impl Display for NoSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for NoSignature {}

impl From<String> for NoSignature {
    fn from(message: String) -> Self {
        Self { message, outcome: Outcome::CouldNotTell }
    }
}

impl CommandSigner {
    /// Splits the command as a shell does. Nothing else of a shell applies: no variables, globs or pipes.
    pub(super) fn new(
        command: &str,
        public: PreparedSigner,
        kid: Option<&str>,
        time_out: Duration,
    ) -> Result<Self, Failure> {
        let words = shell_words::split(command)
            .map_err(|_| Failure::usage("`--signer` is no command line: a quotation mark is not closed"))?;
        let mut words = words.into_iter();
        let Some(program) = words.next().filter(|program| !program.is_empty()) else {
            return Err(Failure::usage("`--signer` names no command"));
        };
        let kid = kid.or(public.kid()).map(ToOwned::to_owned);
        let kid = kid.unwrap_or_else(|| public.verifying_key().thumbprint().to_string());
        let (arguments, scope, stderr) = (words.collect(), Scope::here(), Mutex::new(None));
        Ok(Self { public, kid, program, arguments, time_out, scope, stderr })
    }

    /// Adds to a failure about a signature what the command said, and what such signatures mostly come from.
    pub(super) fn explain(&self, stop: Stop) -> Stop {
        let Stop::Failure(mut failure) = stop else { return stop };
        if !failure.code.is_some_and(|code| [codes::SIG_INVALID, codes::SIG_MALFORMED].contains(&code)) {
            return Stop::Failure(failure);
        }
        let said = self.said();
        if !said.is_empty() {
            failure.message = format!("{}; `{}` said: {said}", failure.message, self.shown());
        }
        let causes = causes(self.algorithm());
        Stop::Failure(failure.with_help(format!("{}; or {causes}", super::PUBLIC_HALF)))
    }

    /// The first line that the last run wrote to standard error.
    fn said(&self) -> String {
        let receiver = self.stderr.lock().unwrap_or_else(PoisonError::into_inner).take();
        let octets = receiver.and_then(|receiver| receiver.recv_timeout(GRACE).ok()).and_then(Result::ok);
        first_line(&octets.unwrap_or_default())
    }

    /// `message`, then what the command said, if anything.
    fn with_said(&self, message: String) -> NoSignature {
        let said = self.said();
        if said.is_empty() { message.into() } else { format!("{message}: {said}").into() }
    }

    /// The signature that the command answers, unverified.
    fn ask(&self, signing_input: &[u8]) -> Result<Vec<u8>, NoSignature> {
        let algorithm = self.algorithm();
        let request = Request {
            alg: algorithm.name(),
            kid: &self.kid,
            signing_input: base64url::encode(signing_input),
            digest: algorithm.digest(signing_input).map(|digest| base64url::encode(&digest)),
        };
        let mut line = serde_json::to_vec(&request).map_err(|error| error.to_string())?;
        line.push(b'\n');
        read_answer(self.run(line)?).map_err(|message| self.with_said(message))
    }

    /// What the command writes to standard output, once it has ended well.
    fn run(&self, request: Vec<u8>) -> Result<Vec<u8>, NoSignature> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = Running::start(&mut command, self.scope).map_err(|error| NoSignature {
            message: format!("the command `{}` cannot be started: {}", self.shown(), reason(&error)),
            outcome: Outcome::Environment,
        })?;
        let answer = self.attend(&mut running, request);
        if answer.is_err() {
            // It may have ended already.
            let _ = running.end();
        }
        answer
    }

    fn attend(&self, running: &mut Running, request: Vec<u8>) -> Result<Vec<u8>, NoSignature> {
        let deadline = Instant::now() + self.time_out;
        let (stdin, stdout, stderr) = running.pipes();
        if let Some(mut stdin) = stdin {
            // A command that does not read all of it may still answer.
            thread::spawn(move || stdin.write_all(&request));
        }
        let stdout = collect(stdout);
        *self.stderr.lock().unwrap_or_else(PoisonError::into_inner) = Some(collect(stderr));
        let Ok(octets) = stdout.recv_timeout(deadline.saturating_duration_since(Instant::now())) else {
            return Err(self.late(running).into());
        };
        let octets =
            octets.map_err(|error| format!("the answer of `{}` cannot be read: {error}", self.shown()))?;
        if octets.len() > MAX_OUTPUT {
            return Err(format!("`{}` wrote more than {MAX_OUTPUT} octets", self.shown()).into());
        }
        let status = running
            .wait(deadline)
            .map_err(|error| format!("`{}` cannot be waited for: {error}", self.shown()))?;
        let Some(status) = status else { return Err(self.late(running).into()) };
        if status.success() {
            return Ok(octets);
        }
        Err(self.with_said(format!("`{}` failed ({status})", self.shown())))
    }

    /// What the time limit ended; it is killed when this has been said.
    fn late(&self, running: &mut Running) -> String {
        let (shown, time_out) = (self.shown(), self.time_out);
        let left = "a process that it started kept its standard output open";
        match (running.has_ended(), self.scope) {
            (false, Scope::Alone) => format!(
                "`{shown}` did not end within {time_out:?} and was killed; what it started may still run"
            ),
            (true, Scope::Alone) => {
                format!("`{shown}` ended, but {left} for {time_out:?}, and may still run")
            }
            #[cfg(unix)]
            (false, Scope::Group) => format!("`{shown}` did not end within {time_out:?} and was killed"),
            #[cfg(unix)]
            (true, Scope::Group) => format!("`{shown}` ended, but {left} for {time_out:?} and was killed"),
        }
    }

    /// The program for messages. What follows `?` or `=` may be a PIN, as in a PKCS#11 URI or `PIN=1234 program`.
    fn shown(&self) -> String {
        match self.program.split_once(['?', '=']) {
            Some((start, _)) => format!("{start}…"),
            None => self.program.clone(),
        }
    }
}

impl Signer for CommandSigner {
    fn algorithm(&self) -> Algorithm {
        self.public.algorithm()
    }

    fn kid(&self) -> Option<&str> {
        self.public.kid()
    }

    fn verifying_key(&self) -> &VerifyingKey {
        self.public.verifying_key()
    }

    fn sign(&self, signing_input: &[u8]) -> Result<Vec<u8>, SignError> {
        let signature =
            self.ask(signing_input).map_err(|error| SignError::External { source: error.into() })?;
        accepted_signature(self.verifying_key(), self.algorithm(), signing_input, &signature)
    }
}

/// What a signer does wrong that has the right key.
fn causes(algorithm: Algorithm) -> String {
    let name = algorithm.name();
    let scheme = |of, own: &str, other: &str| {
        format!(
            "{name} was asked for, and a signer of {of} needs `--alg {}`; or ",
            name.replacen(own, other, 1)
        )
    };
    let scheme = if name.starts_with("PS") {
        scheme("PKCS#1", "PS", "RS")
    } else if name.starts_with("RS") {
        scheme("PSS", "RS", "PS")
    } else {
        String::new()
    };
    let hash = if algorithm.key_kind() == KeyKind::Ed25519 {
        "the signer hashed before it signed".to_owned()
    } else {
        // The digits of the name are those of the hash.
        let bits = name.trim_start_matches(|character: char| !character.is_ascii_digit());
        format!("the signer took another hash than SHA-{bits}, or hashed `digest` again")
    };
    scheme + &hash
}

/// Reads a stream to its end in the background and gives its start, one octet over the limit at most.
fn collect(stream: Option<impl Read + Send + 'static>) -> Receiver<io::Result<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let Some(mut stream) = stream else { return };
        let most = u64::try_from(MAX_OUTPUT).unwrap_or(u64::MAX).saturating_add(1);
        let mut octets = Vec::new();
        let read = stream.by_ref().take(most).read_to_end(&mut octets);
        // Nobody listens any more after the time limit.
        let _ = sender.send(read.map(|_| octets));
        // A full pipe would stop the command.
        let _ = io::copy(&mut stream, &mut io::sink());
    });
    receiver
}

fn read_answer(octets: Vec<u8>) -> Result<Vec<u8>, String> {
    if octets.trim_ascii().is_empty() {
        return Err("the answer is empty, where `{\"signature\": …}` belongs".to_owned());
    }
    let document = json::Document::read(octets, &Limits::default())
        .map_err(|_| "the answer is not one JSON object".to_owned())?;
    let signature = document.root().member("signature").and_then(json::Value::as_text);
    let signature = signature.ok_or("the answer has no text `signature`")?;
    base64url::decode(signature)
        .map_err(|error| format!("`signature` of the answer is not base64url: {error}"))
}

/// The first line that is not empty, clipped. Whoever prints it escapes it.
fn first_line(octets: &[u8]) -> String {
    let text = String::from_utf8_lossy(octets);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut clipped: String = line.chars().take(MAX_QUOTED).collect();
    if clipped.len() < line.len() {
        clipped.push('…');
    }
    clipped
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::{Duration, Instant};

    use countersign::keys::{PreparedSigner, SignError, VerifyError, base64url};
    use countersign::{Algorithm, Signer as _, SigningKey};

    use super::{CommandSigner, MAX_QUOTED, Scope, first_line};

    const SOON: Duration = Duration::from_millis(300);
    const LATE: Duration = Duration::from_secs(30);

    #[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    fn signer(key: &SigningKey, script: &str, time_out: Duration) -> CommandSigner {
        let public = PreparedSigner::new(key.verifying_key().clone(), Algorithm::Es256).unwrap();
        let command = format!("sh -c {}", shell_words::quote(script));
        let signer = CommandSigner::new(&command, public, Some("k1"), time_out).unwrap();
        CommandSigner { scope: Scope::Group, ..signer }
    }

    /// What the failed command is said to have done.
    fn failure(script: &str, time_out: Duration) -> String {
        failure_of(script, time_out, Scope::Group)
    }

    #[expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
    fn failure_of(script: &str, time_out: Duration, scope: Scope) -> String {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let signer = CommandSigner { scope, ..signer(&key, script, time_out) };
        match signer.sign(b"input") {
            Err(SignError::External { source }) => source.to_string(),
            other => panic!("{script}: {other:?}"),
        }
    }

    #[test]
    fn the_signature_of_the_command_is_taken() {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let signature = key.sign(Algorithm::Es256, b"input").unwrap();
        let answer = format!(r#"{{"signature":"{}"}}"#, base64url::encode(&signature));
        for script in [
            format!("cat > /dev/null; echo '{answer}'"),
            // It reads nothing.
            format!("echo '{answer}'"),
            // It says much beside.
            format!("head -c 300000 /dev/zero >&2; printf '%s' '{answer}'"),
        ] {
            assert_eq!(signer(&key, &script, LATE).sign(b"input").unwrap(), signature, "{script}");
            // The same answer for other octets does not verify.
            let refused = signer(&key, &script, LATE).sign(b"other").unwrap_err();
            assert!(matches!(refused, SignError::Refused(VerifyError::Invalid)), "{refused}");
        }
    }

    #[test]
    fn the_command_gets_one_line_with_what_is_to_be_signed() {
        let digest = base64url::encode(&countersign::keys::sha256(b"input"));
        let said = failure("cat >&2; exit 1", LATE);
        let line = format!(r#"{{"alg":"ES256","kid":"k1","signing_input":"aW5wdXQ","digest":"{digest}"}}"#);
        assert!(said.ends_with(&line), "{said}");
    }

    #[test]
    fn an_answer_that_is_none_is_named() {
        for (script, expected) in [
            ("echo garbage", "the answer is not one JSON object"),
            ("true", "the answer is empty"),
            ("echo '{}'", "the answer has no text `signature`"),
            ("echo '{\"signature\":5}'", "the answer has no text `signature`"),
            ("echo '{\"signature\":\"A=\"}'", "`signature` of the answer is not base64url"),
            ("echo nothing >&2; exit 7", "failed (exit status: 7): nothing"),
            ("exit 7", "failed (exit status: 7)"),
            ("kill -9 $$", "failed (signal: 9"),
            ("head -c 65537 /dev/zero", "wrote more than 65536 octets"),
            ("cat /dev/zero", "wrote more than 65536 octets"),
        ] {
            let said = failure(script, LATE);
            assert!(said.contains(expected), "{script}: {said}");
        }
    }

    #[test]
    fn a_command_that_does_not_end_is_killed() {
        let killed = "did not end within 300ms and was killed";
        let left = "ended, but a process that it started kept its standard output open for 300ms";
        for (script, expected) in [
            ("exec sleep 20", killed),
            // A child holds standard output open.
            ("sleep 20; true", killed),
            ("sleep 20 & exit 0", left),
            // It closes standard output and stays.
            ("exec >&-; exec sleep 20", killed),
        ] {
            for (scope, end) in [(Scope::Group, "killed"), (Scope::Alone, "")] {
                let begun = Instant::now();
                let said = failure_of(script, SOON, scope);
                assert!(said.contains(expected) && said.ends_with(end), "{script}: {said}");
                assert_eq!(said.contains("may still run"), scope == Scope::Alone, "{script}: {said}");
                assert!(begun.elapsed() < Duration::from_secs(10), "{script}");
            }
        }
    }

    #[test]
    fn what_a_command_started_does_not_outlive_its_failure() {
        let folder = tempfile::tempdir().unwrap();
        for (name, end) in [("late", "sleep 20"), ("refused", "exit 7"), ("long", "cat /dev/zero")] {
            let mark = folder.path().join(name);
            let path = mark.to_str().unwrap();
            failure(&format!("(sleep 1; echo on > '{path}') >/dev/null 2>&1 & {end}"), SOON);
        }
        // The one twin that shows that the mark would be there.
        let mark = folder.path().join("alone");
        let path = mark.to_str().unwrap();
        failure_of(&format!("(sleep 1; echo on > '{path}') & sleep 20"), SOON, Scope::Alone);
        let begun = Instant::now();
        while !mark.exists() && begun.elapsed() < LATE {
            std::thread::sleep(SOON);
        }
        std::thread::sleep(SOON);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(mark.exists());
    }

    #[test]
    fn a_secret_in_the_name_of_the_program_is_not_shown() {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let public = PreparedSigner::new(key.verifying_key().clone(), Algorithm::Es256).unwrap();
        for (command, shown) in [
            ("/nowhere/tool?pin=1234", "`/nowhere/tool…`"),
            ("'pkcs11:token=a?pin-value=1234'", "`pkcs11:token…`"),
            ("PIN=1234 /nowhere/tool", "`PIN…`"),
            ("/nowhere/tool 1234", "`/nowhere/tool`"),
        ] {
            let signer = CommandSigner::new(command, public.clone(), None, LATE).unwrap();
            let Err(SignError::External { source }) = signer.sign(b"input") else { panic!("{command}") };
            let said = source.to_string();
            assert!(said.starts_with(&format!("the command {shown} cannot be started")), "{said}");
            assert!(!said.contains("1234"), "{said}");
        }
    }

    #[test]
    fn no_shell_reads_the_command() {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        let public = PreparedSigner::new(key.verifying_key().clone(), Algorithm::Es256).unwrap();
        let made = |command| CommandSigner::new(command, public.clone(), None, LATE);
        let signer = made("sign 'a b' \"$HOME\" c|d *").unwrap();
        assert_eq!((signer.program.as_str(), signer.arguments.len()), ("sign", 4));
        assert_eq!(signer.arguments.join(","), "a b,$HOME,c|d,*");
        for bad in ["", "  ", "sign 'a", "''"] {
            assert!(made(bad).is_err(), "{bad}");
        }
        let missing = made("/nowhere/countersign-signer").unwrap().sign(b"input").unwrap_err();
        assert!(matches!(missing, SignError::External { .. }));
    }

    #[test]
    fn what_a_command_says_is_clipped() {
        assert_eq!(first_line(b"\n one \ntwo"), "one");
        assert_eq!(first_line(&[b'x'; 1000]).chars().count(), MAX_QUOTED + 1);
        assert_eq!(first_line(b"\xff"), "\u{fffd}");
    }
}
