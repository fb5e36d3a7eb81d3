//! A key that is behind a command: each signature is one run of it, without a shell and within a time limit.

use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use countersign::keys::{PreparedSigner, SignError, accepted_signature, base64url, json};
use countersign::{Algorithm, Limits, Signer, VerifyingKey};
use serde::Serialize;

use crate::failure::Failure;

/// How long one signature may take.
pub(super) const TIME_OUT: Duration = Duration::from_secs(60);

/// Most octets of an answer, and of what is kept of standard error.
const MAX_OUTPUT: usize = 64 * 1024;

/// Most characters of standard error in a message.
const MAX_QUOTED: usize = 200;

/// How often it is looked whether the command has ended.
const POLL: Duration = Duration::from_millis(5);

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
        Ok(Self { public, kid, program, arguments: words.collect(), time_out })
    }

    /// The signature that the command answers, unverified.
    fn ask(&self, signing_input: &[u8]) -> Result<Vec<u8>, String> {
        let algorithm = self.algorithm();
        let request = Request {
            alg: algorithm.name(),
            kid: &self.kid,
            signing_input: base64url::encode(signing_input),
            digest: algorithm.digest(signing_input).map(|digest| base64url::encode(&digest)),
        };
        let mut line = serde_json::to_vec(&request).map_err(|error| error.to_string())?;
        line.push(b'\n');
        read_answer(self.run(line)?)
    }

    /// What the command writes to standard output, once it has ended well.
    fn run(&self, request: Vec<u8>) -> Result<Vec<u8>, String> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("`{}` cannot be started: {error}", self.program))?;
        let answer = self.attend(&mut child, request);
        if answer.is_err() {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
        answer
    }

    fn attend(&self, child: &mut Child, request: Vec<u8>) -> Result<Vec<u8>, String> {
        let deadline = Instant::now() + self.time_out;
        if let Some(mut stdin) = child.stdin.take() {
            // A command that does not read all of it may still answer.
            thread::spawn(move || stdin.write_all(&request));
        }
        let stdout = collect(child.stdout.take());
        let stderr = collect(child.stderr.take());
        let late = || format!("`{}` did not end within {:?} and was killed", self.program, self.time_out);
        let octets = stdout
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
            .map_err(|_| late())?
            .map_err(|error| format!("the answer of `{}` cannot be read: {error}", self.program))?;
        if octets.len() > MAX_OUTPUT {
            return Err(format!("`{}` wrote more than {MAX_OUTPUT} octets", self.program));
        }
        let status = wait(child, deadline)
            .map_err(|error| format!("`{}` cannot be waited for: {error}", self.program))?
            .ok_or_else(late)?;
        if status.success() {
            return Ok(octets);
        }
        let said = stderr.recv_timeout(GRACE).ok().and_then(Result::ok).unwrap_or_default();
        let said = first_line(&said);
        let colon = if said.is_empty() { "" } else { ": " };
        Err(format!("`{}` failed ({status}){colon}{said}", self.program))
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
            self.ask(signing_input).map_err(|message| SignError::External { source: message.into() })?;
        accepted_signature(self.verifying_key(), self.algorithm(), signing_input, &signature)
    }
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

/// The exit status, if there is one before the deadline.
fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        thread::sleep(POLL);
    }
}

fn read_answer(octets: Vec<u8>) -> Result<Vec<u8>, String> {
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

    use super::{CommandSigner, MAX_QUOTED, first_line};

    const SOON: Duration = Duration::from_millis(300);
    const LATE: Duration = Duration::from_secs(30);

    #[expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
    fn signer(key: &SigningKey, script: &str, time_out: Duration) -> CommandSigner {
        let public = PreparedSigner::new(key.verifying_key().clone(), Algorithm::Es256).unwrap();
        let command = format!("sh -c {}", shell_words::quote(script));
        CommandSigner::new(&command, public, Some("k1"), time_out).unwrap()
    }

    /// What the failed command is said to have done.
    #[expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
    fn failure(script: &str, time_out: Duration) -> String {
        let key = SigningKey::generate(Algorithm::Es256).unwrap();
        match signer(&key, script, time_out).sign(b"input") {
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
            ("true", "the answer is not one JSON object"),
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
        for script in [
            "exec sleep 20",
            // A child holds standard output open.
            "sleep 20",
            "sleep 20 & exit 0",
            // It closes standard output and stays.
            "exec >&-; exec sleep 20",
        ] {
            let begun = Instant::now();
            let said = failure(script, SOON);
            assert!(said.contains("did not end within 300ms and was killed"), "{script}: {said}");
            assert!(begun.elapsed() < Duration::from_secs(10), "{script}");
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
