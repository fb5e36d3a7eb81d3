//! The command line as it is typed.

mod admit;
mod cache;
mod fix;
mod lint;
mod network;
mod pin;
mod policy;
mod select;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, ArgGroup, Args, Parser, Subcommand, ValueEnum};
use countersign::{Algorithm, Form, ProtocolVersion, UnixTime};

pub(crate) use crate::args::admit::AdmitArgs;
pub(crate) use crate::args::cache::CacheCommand;
pub(crate) use crate::args::fix::FixArgs;
pub(crate) use crate::args::lint::{FailOn, LintArgs, Whose};
pub(crate) use crate::args::network::NetworkArgs;
pub(crate) use crate::args::pin::PinCommand;
pub(crate) use crate::args::policy::{
    PolicyCheckArgs, PolicyCommand, PolicyDiffArgs, PolicyInitArgs, PolicyShowArgs, PolicyTestArgs,
};
pub(crate) use crate::args::select::SelectArgs;
use crate::time::{self, Expiry, Issued};

/// Sign, verify, inspect and lint A2A AgentCards.
#[derive(Debug, Parser)]
#[command(
    name = "countersign",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 yes, 1 no, 2 could not tell (usage, a policy, a key file, an input that is not there), \
                  3 environment (disk, a command that cannot run). Several inputs give the worst: 3, then 2, then 1.\n\
                  Codes in brackets are explained by `countersign explain CODE`."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options of every command.
#[derive(Args, Debug)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// How answers are written; `lint` and `policy check` have all of these formats, `policy test` the first three and
    /// junit, the other commands the first three
    #[arg(long, global = true, value_enum, env = "COUNTERSIGN_FORMAT", default_value_t = ReportFormat::Human)]
    pub(crate) format: ReportFormat,
    /// The time that counts as now, in RFC 3339 [default: the system clock]
    #[arg(long, global = true, value_name = "TIME", value_parser = time::point)]
    pub(crate) at: Option<UnixTime>,
    /// Longest card that is read: octets, or a number with KiB or MiB
    #[arg(long, global = true, value_name = "SIZE", value_parser = size, default_value = "256KiB")]
    pub(crate) max_octets: usize,
    /// Print only data that was asked for (cards, payloads, JSON) and errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print also what is passed over
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Whether text for people is coloured; auto honours NO_COLOR and CLICOLOR_FORCE
    #[arg(long, global = true, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub(crate) color: When,
}

/// How answers are written, as it is typed: the formats of every command, and those of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// Text for people
    Human,
    /// One line each
    Short,
    /// One JSON object each
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// JUnit XML
    Junit,
    /// Workflow commands of GitHub Actions
    Github,
    /// Code quality report of GitLab
    Gitlab,
}

/// How every command can write its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Short,
    Json,
}

impl ReportFormat {
    /// The same as a format of every command, where it is one.
    pub(crate) const fn common(self) -> Option<Format> {
        match self {
            Self::Human => Some(Format::Human),
            Self::Short => Some(Format::Short),
            Self::Json => Some(Format::Json),
            Self::Sarif | Self::Junit | Self::Github | Self::Gitlab => None,
        }
    }
}

/// When text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make, convert and show keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Sign a card; only its member `signatures` changes, and earlier signatures of the same key are replaced
    Sign(Box<SignArgs>),
    /// Verify the signatures of cards with trusted keys
    Verify(VerifyArgs),
    /// Print the octets that a signature is made over
    Canonicalize(CanonicalizeArgs),
    /// Show what a card claims to be; needs no keys and verifies nothing
    Inspect(InspectArgs),
    /// Select the interface that a client uses; nothing is verified or admitted
    Select(SelectArgs),
    /// Hold cards against a trust policy: whether it allows them, and which of their interfaces may be called
    Admit(Box<AdmitArgs>),
    /// Find what is wrong or unwise in cards and policies; what lint accepts is still not to be trusted
    Lint(Box<LintArgs>),
    /// Start, show, check, test and compare trust policies
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// List what is remembered of the cards of agents; accept and revoke single cards
    #[command(subcommand)]
    Pin(PinCommand),
    /// Look at what `admit --cache` remembers, and forget it
    #[command(subcommand)]
    Cache(CacheCommand),
    /// Fix what can be fixed in a card without changing its meaning; the rest of its text stays as it is
    Fix(FixArgs),
    /// Explain a code: what, why, example, instead
    Explain(ExplainArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
    /// Print the manual page
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a new private key
    Generate(GenerateArgs),
    /// Print the public half of keys; never a private member
    Public(PublicArgs),
    /// Show kind, algorithm, size, kid and thumbprint of keys; never a secret
    Show(ShowArgs),
}

#[derive(Args, Debug)]
pub(crate) struct GenerateArgs {
    /// Algorithm the key is for
    #[arg(long, value_parser = names(Algorithm::ALL.iter().map(|known| known.name()), algorithm), default_value = "ES256")]
    pub(crate) alg: Algorithm,
    /// File for the private key: .pem for PKCS#8, .jwk or .json for a JWK. Mode 0600, never overwritten. Without it
    /// the private JWK goes to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// File for the public key: .jwks or .json for a JWK set, .jwk for a JWK, .pem for SPKI. Never overwritten
    #[arg(long, value_name = "FILE")]
    pub(crate) public: Option<PathBuf>,
    /// `kid` of the JWK [default: the RFC 7638 thumbprint]
    #[arg(long, value_name = "KID", value_parser = non_empty)]
    pub(crate) kid: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct PublicArgs {
    /// Key files: JWK, JWK set or PEM, private or public; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// What is written
    #[arg(long = "as", value_enum, default_value_t = PublicForm::Jwks, value_name = "KIND")]
    pub(crate) form: PublicForm,
    #[command(flatten)]
    pub(crate) password: PasswordArgs,
}

/// Where the password of an encrypted PEM file comes from.
#[derive(Args, Debug)]
pub(crate) struct PasswordArgs {
    /// File with the password of an encrypted key file, without its line end; `-` is standard input. Not used for keys
    /// that are not encrypted
    #[arg(long, value_name = "FILE", conflicts_with = "key_password_env")]
    pub(crate) key_password_file: Option<PathBuf>,
    /// Environment variable that holds the password of an encrypted key file
    #[arg(long, value_name = "NAME")]
    pub(crate) key_password_env: Option<String>,
}

/// How public keys are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PublicForm {
    /// One JWK set with all keys
    Jwks,
    /// One JWK; needs exactly one key
    Jwk,
    /// SPKI in PEM; needs exactly one key
    Pem,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// Key files: JWK, JWK set or PEM; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) password: PasswordArgs,
}

#[derive(Args, Debug)]
#[command(group = ArgGroup::new("private-key").required(true).args(["key", "key_env", "public"]))]
pub(crate) struct SignArgs {
    /// The card; `-` is standard input
    #[arg(value_name = "CARD")]
    pub(crate) card: PathBuf,
    /// File with the private key: JWK, JWK set, or PEM as PKCS#8 (also encrypted), SEC 1 or PKCS#1
    #[arg(long, value_name = "FILE")]
    pub(crate) key: Option<PathBuf>,
    /// Environment variable that holds the private key as text: JWK or PEM
    #[arg(long, value_name = "NAME")]
    pub(crate) key_env: Option<String>,
    /// File with the public key when the private one is elsewhere: JWK, JWK set or PEM. Every signature that comes from
    /// there is verified with it before anything is written
    #[arg(long, value_name = "FILE", requires = "elsewhere", conflicts_with_all = ["key_password_file", "key_password_env"])]
    pub(crate) public: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) elsewhere: ElsewhereArgs,
    #[command(flatten)]
    pub(crate) password: PasswordArgs,
    /// Algorithm [default: the JWK's `alg`, else ES256, ES384, ES512, EdDSA or PS256 by the kind of key]
    #[arg(long, value_parser = names(Algorithm::ALL.iter().map(|known| known.name()), algorithm))]
    pub(crate) alg: Option<Algorithm>,
    /// `kid` of the signature; also chooses the key of a JWK set [default: the JWK's `kid`, else the thumbprint]
    #[arg(long, value_name = "KID", value_parser = non_empty)]
    pub(crate) kid: Option<String>,
    /// `jku` of the signature: where the public keys are published
    #[arg(long, value_name = "URL", value_parser = https)]
    pub(crate) jku: Option<String>,
    /// Canonical form to sign under, repeatable; one signature for each distinct payload. Name every form each time:
    /// earlier signatures of the key are replaced [default: a2a-1.0, or as-received for a card that offers 0.3 only]
    #[arg(long = "form", value_name = "FORM", value_parser = names(Form::SIGNABLE.map(Form::name), form))]
    pub(crate) forms: Vec<Form>,
    /// `iat` of the signature: `now` or a time in RFC 3339
    #[arg(long, value_name = "now|TIME", value_parser = time::issued)]
    pub(crate) issued_at: Option<Issued>,
    /// `exp` of the signature: a time in RFC 3339, or how long from now: a number with s, m, h or d
    #[arg(long, value_name = "180d|TIME", value_parser = time::expiry)]
    pub(crate) expires: Option<Expiry>,
    /// JSON Pointer of a member that the signature may leave unsigned, with everything below it; repeatable
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(crate) allow_uncovered: Vec<String>,
    /// Fail unless every implementation would verify the card
    #[arg(long)]
    pub(crate) require_portable: bool,
    /// Remove other signatures that are damaged, or that do not verify any more with the keys of --keys. Those of an
    /// endorsement that a key of --keys with their kid did not make stay
    #[arg(long)]
    pub(crate) drop_stale: bool,
    /// Trusted keys that judge the other signatures on the card: JWK, JWK set or PEM; repeatable
    #[arg(long, value_name = "FILE")]
    pub(crate) keys: Vec<PathBuf>,
    /// Write an endorsement instead: a file beside the card with the digest of the payload and the signature; the card
    /// stays as it is. To an existing endorsement of the same payload the signature is added, or replaces that of the
    /// same key; what others add to it meanwhile is kept, and no other file is ever overwritten. All forms must have one
    /// payload
    #[arg(long, value_name = "FILE", conflicts_with_all = ["output", "in_place", "require_portable"])]
    pub(crate) endorsement: Option<PathBuf>,
    /// File for the signed card; a link to a file is followed, one to nowhere refused. An existing file is replaced only
    /// if it is empty or an AgentCard [default: standard output]
    #[arg(short, long, value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the card file by the signed card, unless it was changed meanwhile
    #[arg(long)]
    pub(crate) in_place: bool,
}

/// How a key that is elsewhere signs.
#[derive(Args, Debug)]
#[group(id = "elsewhere", multiple = false)]
pub(crate) struct ElsewhereArgs {
    /// Sign nothing; print what is to be signed, one JSON line for each signature: `protected`, `signing_input` and
    /// `digest` in base64url, `form`. `digest` is the hash of the algorithm over the signing input, null for Ed25519
    #[arg(long, requires = "public", conflicts_with_all = ["key", "key_env", "output", "in_place", "drop_stale", "keys"])]
    pub(crate) print_signing_input: bool,
    /// Attach signatures that were made elsewhere: FILE has the lines of --print-signing-input, each with `signature` added
    /// in base64url, for ECDSA r and s or DER. Give the same --form again; kid, jku, iat and exp are those of the
    /// lines
    #[arg(long, value_name = "FILE", requires = "public", conflicts_with_all = ["key", "key_env", "alg", "jku", "issued_at", "expires"])]
    pub(crate) attach: Option<PathBuf>,
    /// Command that signs, run for each signature without a shell. After 60 seconds it is killed, and where there is no
    /// terminal all that it started too. It gets one JSON line on standard input, `alg`, `kid`, and `signing_input` and
    /// `digest` in base64url, and answers {"signature"} in base64url, for ECDSA r and s or DER. One that cannot be
    /// started gives exit code 3, one that gives no signature or a wrong one 2
    #[arg(long, value_name = "CMD", requires = "public", conflicts_with_all = ["key", "key_env"])]
    pub(crate) signer: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// Cards: files, globs, folders; `-` is standard input. Below a folder every *.json file counts but those in hidden
    /// folders other than .well-known, in node_modules and in target; documents that are no cards are passed over with
    /// a note
    #[arg(required = true, value_name = "CARD")]
    pub(crate) cards: Vec<PathBuf>,
    /// Trusted keys: JWK, JWK set or PEM; repeatable
    #[arg(long, required = true, value_name = "FILE")]
    pub(crate) keys: Vec<PathBuf>,
    /// Canonical form to accept instead of the default list, repeatable
    /// [default: a2a-1.0, a2a-1.0-open, as-received, sdk-1.x, sdk-py-1.0]
    #[arg(long = "form", value_name = "FORM", value_parser = names(Form::ALL.map(Form::name), form))]
    pub(crate) forms: Vec<Form>,
    /// Signatures that are kept beside the cards; repeatable, at most 64. They count as those of the cards do, each
    /// file for the cards that have a payload with its digest; a warning names a file that is for none. A file that
    /// cannot be read counts nothing and gives exit code 2
    #[arg(long = "endorsement", value_name = "FILE")]
    pub(crate) endorsements: Vec<PathBuf>,
    /// How many distinct keys must have signed, the cards or their endorsements
    #[arg(long, value_name = "N", value_parser = minimum, default_value_t = NonZeroUsize::MIN)]
    pub(crate) min: NonZeroUsize,
    /// JSON Pointer of a member that may be unsigned, with everything below it; repeatable
    #[arg(long, value_name = "POINTER", value_parser = pointer)]
    pub(crate) allow_uncovered: Vec<String>,
    /// Host, with port or without, that the interfaces should have; a diagnosis tries it. Repeatable
    #[arg(long = "expect-host", value_name = "HOST", value_parser = non_empty)]
    pub(crate) expected_hosts: Vec<String>,
}

#[derive(Args, Debug)]
pub(crate) struct CanonicalizeArgs {
    /// The card; `-` is standard input
    #[arg(value_name = "CARD")]
    pub(crate) card: PathBuf,
    /// Canonical form [default: a2a-1.0, or as-received for a card that offers 0.3 only]
    #[arg(long, value_name = "FORM", conflicts_with = "compare", value_parser = names(Form::ALL.map(Form::name), form))]
    pub(crate) form: Option<Form>,
    /// Show the digest of every form, which are equal, and which members each leaves out
    #[arg(long, action = ArgAction::SetTrue)]
    pub(crate) compare: bool,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// Cards: files, folders that are searched for *.json, globs; `-` is standard input
    #[arg(required = true, value_name = "CARD")]
    pub(crate) cards: Vec<PathBuf>,
    /// Protocol version of cards and interfaces that name none: 0.3 or 1.0
    #[arg(long, value_name = "VERSION", value_parser = assumed_version)]
    pub(crate) assume_version: Option<ProtocolVersion>,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArgs {
    /// The code, such as json.duplicate-member [default: list all codes]
    #[arg(value_name = "CODE")]
    pub(crate) code: Option<String>,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

/// A value that is one of these names, which help and completions list.
fn names<T: Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
    read: fn(String) -> Result<T, String>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(read)
}

fn algorithm(name: String) -> Result<Algorithm, String> {
    Algorithm::from_name(&name).ok_or_else(|| format!("`{name}` is no algorithm"))
}

fn form(name: String) -> Result<Form, String> {
    name.parse().map_err(|error: countersign::UnknownForm| error.to_string())
}

fn minimum(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "expected a whole number from 1 on")
}

fn https(text: &str) -> Result<String, &'static str> {
    if text.starts_with("https://") { Ok(text.to_owned()) } else { Err("expected an https URL") }
}

fn non_empty(text: &str) -> Result<String, &'static str> {
    if text.is_empty() { Err("it is empty") } else { Ok(text.to_owned()) }
}

/// RFC 6901: empty, or starting with a slash; `~` only as `~0` and `~1`.
fn pointer(text: &str) -> Result<String, &'static str> {
    if !text.is_empty() && !text.starts_with('/') {
        return Err("a JSON Pointer starts with `/`");
    }
    if text.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1'])) {
        return Err("in a JSON Pointer `~` is written as `~0`");
    }
    if text.is_empty() {
        return Err("the empty pointer is the whole card");
    }
    Ok(text.to_owned())
}

fn assumed_version(text: &str) -> Result<ProtocolVersion, &'static str> {
    match text {
        "0.3" => Ok(ProtocolVersion::V0_3),
        "1.0" => Ok(ProtocolVersion::V1_0),
        _ => Err("expected 0.3 or 1.0"),
    }
}

/// A number of octets, or of KiB or MiB.
fn size(text: &str) -> Result<usize, &'static str> {
    let digits = text.len() - text.trim_start_matches(|character: char| character.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor: usize = match unit {
        "" => 1,
        "KiB" => 1024,
        "MiB" => 1024 * 1024,
        _ => return Err("expected a number of octets, or a number with KiB or MiB"),
    };
    let number: usize =
        number.parse().map_err(|_| "expected a number of octets, or a number with KiB or MiB")?;
    match number.checked_mul(factor) {
        Some(0) | None => Err("the size is out of range"),
        Some(octets) => Ok(octets),
    }
}

#[cfg(test)]
mod tests {
    use super::{Cli, pointer, size};
    use clap::{Arg, Command, CommandFactory as _};

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_argument_and_command_has_a_help_text() {
        fn check(command: &Command) {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for argument in command.get_arguments() {
                assert!(Arg::get_help(argument).is_some(), "{} {}", command.get_name(), argument.get_id());
            }
            command.get_subcommands().for_each(check);
        }
        let mut command = Cli::command();
        command.build();
        check(&command);
    }

    #[test]
    fn a_size_is_octets_or_names_its_unit() {
        assert_eq!(size("1"), Ok(1));
        assert_eq!(size("64KiB"), Ok(65_536));
        assert_eq!(size("2MiB"), Ok(2_097_152));
        for text in ["", "0", "KiB", "1kb", "1 KiB", "-1", "99999999999999999999", "99999999999999MiB"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_pointer_starts_with_a_slash_and_names_a_member() {
        assert_eq!(pointer("/a~1b/~0").as_deref(), Ok("/a~1b/~0"));
        for text in ["", "provider", "/a~b", "/~"] {
            assert!(pointer(text).is_err(), "{text}");
        }
    }
}
