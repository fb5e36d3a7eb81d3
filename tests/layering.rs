//! The layout of the repository, read from its sources: which package may use which, who may touch the
//! outside, where evidence is made, how long a file may be.
//!
//! Each rule is a function over text that returns violations, so each rule is also tested on a planted one.

#![expect(
    clippy::expect_used,
    clippy::panic,
    reason = "a source that cannot be read or lexed fails the test"
)]

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};

/// Each package: its name, its folder, and the packages of ours that it may depend on.
const PACKAGES: &[(&str, &str, &[&str])] = &[
    ("countersign-keys", "keys", &[]),
    ("countersign-policy", "policy", &["countersign-keys"]),
    ("countersign", "", &["countersign-keys", "countersign-policy"]),
    ("countersign-cli", "cli", &["countersign"]),
];

/// Members that are published by nobody and may use whatever they like: measurements and examples.
const UNRULED: &[&str] = &["benches", "examples/clients"];

/// The packages that do no I/O and read no clock.
const LIBRARIES: &[&str] = &["countersign-keys", "countersign-policy", "countersign"];

/// Types that prove a check was made: built in one place, from nothing else.
const EVIDENCE: &[&str] = &["VerifiedSignature", "VerifiedCard", "AdmittedCard", "AdmittedInterface"];

/// Modules of `std` that touch the outside.
const OUTSIDE_MODULES: &[&str] = &["fs", "net", "env", "process"];

/// The files of a library that may touch the outside, and what of it.
const ALLOWED_OUTSIDE: &[(&str, &str)] = &[
    // The files of a policy.
    ("src/files.rs", "a library uses std::fs"),
    // Remembered responses.
    ("src/fetch/disk.rs", "a library uses std::fs"),
    // The type that the rules of RFC 9111 are written in; it is made from the time that is given.
    ("src/fetch/freshness.rs", "a library uses SystemTime, a clock"),
    // Names, connections, and how long both may take.
    ("src/fetch/https/resolve.rs", "a library uses std::net"),
    ("src/fetch/https/transport.rs", "a library uses std::net"),
    ("src/fetch/https/transport.rs", "a library uses Instant, a clock"),
    ("src/fetch/https/transport.rs", "a library uses a clock (`::now()`)"),
    // Pins: their file, and the process whose file it is.
    ("src/pins.rs", "a library uses std::fs"),
    ("src/pins.rs", "a library uses std::process"),
];

/// Clocks, by the name of the type.
const CLOCKS: &[&str] = &["SystemTime", "Instant"];

const PRINTING_MACROS: &[&str] = &["print", "println", "eprint", "eprintln", "dbg"];

/// Traits that make a value out of nothing, or out of text from outside.
const MINTING_TRAITS: &[&str] = &["Default", "Deserialize", "DeserializeOwned"];

/// Most lines of one source file that hold code, tests, comments and blank lines not counted.
const MAX_CODE_LINES: usize = 600;

// The repository.

#[test]
fn no_arrow_between_packages_turns() {
    let mut violations = Vec::new();
    for (package, folder, _) in PACKAGES {
        let manifest = root().join(folder).join("Cargo.toml");
        violations.extend(manifest_arrows(package, &shown(&manifest), &read(&manifest)));
        for source in sources_of(folder) {
            violations.extend(source_arrows(package, &source));
        }
    }
    assert_none(&violations);
}

#[test]
fn libraries_do_no_io_and_read_no_clock() {
    let mut violations = Vec::new();
    for (_, folder, _) in PACKAGES.iter().filter(|(package, ..)| LIBRARIES.contains(package)) {
        for source in sources_of(folder) {
            violations.extend(outside_world(&source));
        }
    }
    for (file, what) in ALLOWED_OUTSIDE {
        let is_allowed = |violation: &Violation| violation.file == *file && violation.what == *what;
        assert!(violations.iter().any(is_allowed), "{file} needs no exemption any more: {what}");
        violations.retain(|violation| !is_allowed(violation));
    }
    assert_none(&violations);
}

#[test]
fn evidence_is_made_in_one_place() {
    let sources: Vec<Source> = PACKAGES.iter().flat_map(|(_, folder, _)| sources_of(folder)).collect();
    assert_none(&evidence(EVIDENCE, &sources));
}

#[test]
fn source_files_stay_short() {
    let mut violations = Vec::new();
    for (_, folder, _) in PACKAGES {
        violations.extend(sources_of(folder).iter().filter_map(too_long));
    }
    assert_none(&violations);
}

#[test]
fn no_module_file_is_called_mod() {
    let mut violations = Vec::new();
    for folder in ["keys", "policy", "src", "cli", "tests", "examples", "benches"] {
        violations.extend(rust_files(&root().join(folder)).iter().filter_map(|path| module_file(path)));
    }
    assert_none(&violations);
}

#[test]
fn every_package_is_looked_at() {
    for (package, folder, _) in PACKAGES {
        assert!(!sources_of(folder).is_empty(), "no source of {package} was found");
    }
    let manifest = read(&root().join("Cargo.toml"));
    let members = manifest.lines().find(|line| line.starts_with("members")).expect("a list of members");
    for member in members.split('"').skip(1).step_by(2).filter(|member| !UNRULED.contains(member)) {
        let folder = if member == "." { "" } else { member };
        assert!(PACKAGES.iter().any(|(_, known, _)| *known == folder), "`{member}` has no rule here");
    }
}

// The rules.

struct Violation {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Packages of ours that a manifest depends on and may not.
fn manifest_arrows(package: &str, file: &str, text: &str) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut section = "";
    for (line, number) in text.lines().zip(1..) {
        let line = line.trim();
        let named = if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            section.rsplit_once("dependencies.").map(|(_, name)| name)
        } else if section.ends_with("dependencies") && section != "workspace.dependencies" {
            // A renamed dependency names its package in the value.
            let renamed = line.split_once("package").and_then(|(_, value)| value.split('"').nth(1));
            renamed.or_else(|| line.split(['.', '=', ' ']).next())
        } else {
            None
        };
        let Some(name) = named.map(|name| name.trim_matches('"')) else { continue };
        if is_ours(name) && !allowed(package).contains(&name) {
            let what = format!("`{package}` may not depend on `{name}`");
            violations.push(Violation { file: file.to_owned(), line: number, what });
        }
    }
    violations
}

/// Packages of ours that a source names and may not.
fn source_arrows(package: &str, source: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    for token in &source.tokens {
        let name = token.text.replace('_', "-");
        if is_ours(&name) && name != package && !allowed(package).contains(&name.as_str()) {
            violations.push(source.violation(token, format!("`{package}` may not use `{name}`")));
        }
    }
    violations
}

/// Files, sockets, the environment, processes, clocks and printing.
fn outside_world(source: &Source) -> Vec<Violation> {
    let mut violations = Vec::new();
    let texts = source.texts();
    for (index, token) in source.tokens.iter().enumerate() {
        let rest = texts.get(index..).unwrap_or_default();
        let found = match rest {
            ["std", ":", ":", "{", group @ ..] => top_level_names(group)
                .into_iter()
                .find(|name| OUTSIDE_MODULES.contains(name))
                .map(|name| format!("std::{name}")),
            ["std", ":", ":", name, ..] if OUTSIDE_MODULES.contains(name) => Some(format!("std::{name}")),
            [":", ":", "now", "(", ..] => Some("a clock (`::now()`)".to_owned()),
            [name, "!", ..] if PRINTING_MACROS.contains(name) => Some(format!("{name}!")),
            [name, ..] if CLOCKS.contains(name) => Some(format!("{name}, a clock")),
            _ => None,
        };
        violations.extend(found.map(|what| source.violation(token, format!("a library uses {what}"))));
    }
    violations
}

/// Evidence types built in several places, made by `Default` or `Deserialize`, or with public members.
fn evidence(names: &[&str], sources: &[Source]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for name in names {
        let mut sites = Vec::new();
        let mut declared = None;
        for source in sources {
            sites.extend(construction_sites(name, source));
            violations.extend(minting(name, source));
            let texts = source.texts();
            let declaration = texts.windows(2).position(|pair| pair == ["struct", *name]);
            declared = declared.or(declaration
                .and_then(|index| source.tokens.get(index))
                .map(|token| source.violation(token, format!("`{name}` is declared, and built nowhere"))));
        }
        if sites.len() > 1 {
            violations.extend(sites);
        } else if sites.is_empty() {
            violations.extend(declared);
        }
    }
    violations
}

/// Where a value of the type is written as a literal, under its own name or as `Self`.
fn construction_sites(name: &str, source: &Source) -> Vec<Violation> {
    let texts = source.texts();
    let own: Vec<Range<usize>> =
        impls(&texts).into_iter().filter(|found| found.subject == name).map(|found| found.body).collect();
    let mut sites = Vec::new();
    for (index, token) in source.tokens.iter().enumerate() {
        let named =
            token.text == name || token.text == "Self" && own.iter().any(|body| body.contains(&index));
        let opened = matches!(texts.get(index + 1), Some(&"{" | &"("));
        if named && opened && is_expression(&texts, index) {
            sites.push(source.violation(token, format!("`{name}` is built in more than one place")));
        }
    }
    sites
}

/// Whether the name at `index`, with an opening delimiter after it, starts an expression.
fn is_expression(texts: &[&str], index: usize) -> bool {
    let after = closing(texts, index + 1).and_then(|end| texts.get(end + 1..)).unwrap_or_default();
    if after.starts_with(&["=", ">"]) {
        return false;
    }
    let mut before = texts.get(..index).unwrap_or_default();
    while let [path @ .., _, ":", ":"] = before {
        before = path;
    }
    while let [rest @ .., "&" | "mut" | "'"] | [rest @ .., "'", _] = before {
        before = rest;
    }
    match before {
        [.., "=", ">"] => true,
        [.., "struct" | "enum" | "union" | "impl" | "for" | "let" | "fn" | "mod" | "trait" | ">"] => false,
        _ => true,
    }
}

/// Derives and implementations that make the type out of nothing, and public members of it.
fn minting(name: &str, source: &Source) -> Vec<Violation> {
    let texts = source.texts();
    let mut found = Vec::new();
    for (index, pair) in texts.windows(2).enumerate() {
        if pair == ["derive", "("] {
            let end = closing(&texts, index + 1).unwrap_or(index);
            let derived = texts.get(index..end).unwrap_or_default();
            if declared_after(&texts, end) == Some(name) {
                let traits = derived.iter().filter(|text| MINTING_TRAITS.contains(text));
                found.extend(traits.map(|text| (index, format!("`{name}` derives `{text}`"))));
            }
        }
        if pair == ["struct", name] {
            let body = texts.get(index..).unwrap_or_default();
            let open = body.iter().position(|text| matches!(*text, "{" | "(" | ";")).unwrap_or(0) + index;
            let members = open..closing(&texts, open).unwrap_or(open);
            let public = texts.get(members).is_some_and(|members| members.contains(&"pub"));
            found.extend(public.then(|| (index, format!("`{name}` has a public member"))));
        }
    }
    for implementation in impls(&texts).into_iter().filter(|found| found.subject == name) {
        let start = implementation.header.start;
        let header = texts.get(implementation.header).unwrap_or_default();
        let traits = header.iter().filter(|text| MINTING_TRAITS.contains(text));
        found.extend(traits.map(|text| (start, format!("`{name}` implements `{text}`"))));
    }
    found.into_iter().map(|(index, what)| source.violation_at(index, what)).collect()
}

fn too_long(source: &Source) -> Option<Violation> {
    let lines: BTreeSet<usize> =
        source.tokens.iter().flat_map(|token| token.line..=token.last_line).collect();
    let last = *lines.last()?;
    let what = format!("{} lines of code, at most {MAX_CODE_LINES} are allowed", lines.len());
    (lines.len() > MAX_CODE_LINES).then(|| Violation { file: source.file.clone(), line: last, what })
}

fn module_file(path: &Path) -> Option<Violation> {
    let what = "a module file is named after its module, not `mod.rs`".to_owned();
    path.ends_with("mod.rs").then(|| Violation { file: shown(path), line: 1, what })
}

fn is_ours(name: &str) -> bool {
    PACKAGES.iter().any(|(package, ..)| *package == name)
}

fn allowed(package: &str) -> &'static [&'static str] {
    PACKAGES.iter().find(|(known, ..)| *known == package).map_or(&[], |(_, _, allowed)| allowed)
}

// Rust as tokens.

/// A source file without comments, documentation and items under `#[cfg(test)]`.
struct Source {
    file: String,
    tokens: Vec<Token>,
}

struct Token {
    text: String,
    line: usize,
    last_line: usize,
}

/// One `impl` block: its header, the type it is for, and the tokens between its braces.
struct Implementation {
    header: Range<usize>,
    subject: String,
    body: Range<usize>,
}

impl Source {
    fn new(file: &str, text: &str) -> Self {
        let stream: TokenStream = text.parse().unwrap_or_else(|_| panic!("{file} cannot be lexed"));
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        Self { file: file.to_owned(), tokens }
    }

    fn texts(&self) -> Vec<&str> {
        self.tokens.iter().map(|token| token.text.as_str()).collect()
    }

    fn violation(&self, token: &Token, what: String) -> Violation {
        Violation { file: self.file.clone(), line: token.line, what }
    }

    fn violation_at(&self, index: usize, what: String) -> Violation {
        let line = self.tokens.get(index).map_or(1, |token| token.line);
        Violation { file: self.file.clone(), line, what }
    }
}

fn flatten(stream: TokenStream, tokens: &mut Vec<Token>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let mut rest = trees.as_slice();
    while let [tree, tail @ ..] = rest {
        rest = tail;
        if let Some((attribute, after)) = attribute(tree, tail) {
            let text = attribute.stream().to_string().replace(' ', "");
            if text.starts_with("doc=") {
                rest = after;
                continue;
            }
            if text == "cfg(test)" {
                let ends = |tree: &TokenTree| match tree {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(punct) => punct.as_char() == ';',
                    TokenTree::Ident(_) | TokenTree::Literal(_) => false,
                };
                let item = after.iter().position(ends).map_or(after.len(), |end| end + 1);
                rest = after.get(item..).unwrap_or_default();
                continue;
            }
        }
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(token(open, group.span_open()));
                flatten(group.stream(), tokens);
                tokens.push(token(close, group.span_close()));
            }
            TokenTree::Ident(ident) => tokens.push(token(&ident.to_string(), ident.span())),
            TokenTree::Punct(punct) => tokens.push(token(&punct.to_string(), punct.span())),
            // The text of a literal is no code.
            TokenTree::Literal(literal) => tokens.push(token("\"\"", literal.span())),
        }
    }
}

fn token(text: &str, span: Span) -> Token {
    Token { text: text.to_owned(), line: span.start().line, last_line: span.end().line }
}

/// The attribute that starts at `#`, and what follows it.
fn attribute<'trees>(
    tree: &TokenTree,
    tail: &'trees [TokenTree],
) -> Option<(&'trees Group, &'trees [TokenTree])> {
    let is = |tree: &TokenTree, wanted| matches!(tree, TokenTree::Punct(punct) if punct.as_char() == wanted);
    match tail {
        [TokenTree::Group(group), after @ ..] if is(tree, '#') => Some((group, after)),
        [bang, TokenTree::Group(group), after @ ..] if is(tree, '#') && is(bang, '!') => Some((group, after)),
        _ => None,
    }
}

/// The index of the delimiter that closes the one at `open`.
fn closing(texts: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, text) in texts.iter().enumerate().skip(open) {
        match *text {
            "{" | "[" | "(" => depth += 1,
            "}" | "]" | ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// The names that stand first in each entry of a `use` group, whose `{` is just before `texts`.
fn top_level_names<'texts>(texts: &[&'texts str]) -> Vec<&'texts str> {
    let mut names = Vec::new();
    let mut depth = 1_usize;
    let mut before = "{";
    for text in texts {
        match *text {
            "{" => depth += 1,
            "}" => depth -= 1,
            name if depth == 1 && matches!(before, "{" | ",") => names.push(name),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        before = text;
    }
    names
}

/// The name of the struct or enum that the attribute around `end` belongs to.
fn declared_after<'texts>(texts: &[&'texts str], end: usize) -> Option<&'texts str> {
    let mut rest = texts.get(end..)?;
    loop {
        match rest {
            ["struct" | "enum", name, ..] => return Some(name),
            ["#", "[", ..] => rest = rest.get(closing(rest, 1)?..)?,
            [")" | "]" | "pub" | "(" | "crate" | "super" | "in", tail @ ..] => rest = tail,
            _ => return None,
        }
    }
}

fn impls(texts: &[&str]) -> Vec<Implementation> {
    let mut found = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        // `impl Trait` in a type follows other tokens than an item does.
        let item = index == 0 || matches!(texts.get(index - 1), Some(&"}" | &";" | &"]" | &"{" | &"unsafe"));
        if *text != "impl" || !item {
            continue;
        }
        let Some(length) = texts.iter().skip(index).position(|text| *text == "{") else { continue };
        let header = index..index + length;
        let words = texts.get(header.clone()).unwrap_or_default();
        let subject = match words.iter().rposition(|word| *word == "for") {
            Some(place) => words.get(place + 1..).unwrap_or_default(),
            None => without_generics(words.get(1..).unwrap_or_default()),
        };
        let path = subject.split(|word| matches!(*word, "<" | "where")).next().unwrap_or_default();
        let end = closing(texts, header.end).unwrap_or(header.end);
        let subject = path.last().copied().unwrap_or_default().to_owned();
        found.push(Implementation { subject, body: header.end..end, header });
    }
    found
}

/// What follows the `<…>` that `words` may start with.
fn without_generics<'words, 'text>(words: &'words [&'text str]) -> &'words [&'text str] {
    let mut depth = 0_usize;
    for (index, word) in words.iter().enumerate() {
        match *word {
            "<" => depth += 1,
            ">" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let start = if *word == ">" { index + 1 } else { index };
            return words.get(start..).unwrap_or_default();
        }
    }
    words
}

// Files.

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{} cannot be read: {error}", shown(path)))
}

/// The sources of the package in `folder`, its out-of-line test modules left out.
fn sources_of(folder: &str) -> Vec<Source> {
    let paths = rust_files(&root().join(folder).join("src"));
    let kept = paths.iter().filter(|path| !path.ends_with("tests.rs"));
    kept.map(|path| Source::new(&shown(path), &read(path))).collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry that can be read").path();
        if path.is_dir() && !path.ends_with("target") {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn assert_none(violations: &[Violation]) {
    let lines: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

// Planted violations.

fn source(text: &str) -> Source {
    Source::new("planted.rs", text)
}

fn lines(violations: &[Violation]) -> Vec<usize> {
    violations.iter().map(|violation| violation.line).collect()
}

#[test]
fn a_turned_arrow_in_a_manifest_is_seen() {
    let planted = [
        "[dependencies]\ncountersign-policy.workspace = true\n",
        "[dev-dependencies]\ncountersign = { path = \"..\" }\n",
        "[dependencies]\nkeyring = { package = \"countersign-cli\", version = \"0.1.0\" }\n",
        "[target.'cfg(unix)'.dependencies]\ncountersign-cli = \"0.1.0\"\n",
        "\n[dependencies.countersign-policy]\nworkspace = true\n",
    ];
    for text in planted {
        assert_eq!(lines(&manifest_arrows("countersign-keys", "Cargo.toml", text)), [2], "{text}");
    }
    let right = "[workspace.dependencies]\ncountersign-cli = \"0.1.0\"\n[package]\nname = \"countersign\"\n\
                 [dependencies]\ncountersign-keys.workspace = true\nserde = \"1\"\n";
    assert_none(&manifest_arrows("countersign", "Cargo.toml", right));
    assert_eq!(lines(&manifest_arrows("countersign-cli", "Cargo.toml", right)), [6]);
}

#[test]
fn a_turned_arrow_in_a_source_is_seen() {
    let planted = source("//! countersign_cli\n\nuse countersign_policy::UnixTime;\n");
    assert_eq!(lines(&source_arrows("countersign-keys", &planted)), [3]);
    assert_none(&source_arrows("countersign", &planted));
}

#[test]
fn io_clocks_and_printing_are_seen() {
    let planted = [
        "\nfn f() { std::fs::read(p); }",
        "\nuse std::{collections::BTreeMap, net::TcpStream};",
        "\nuse std::env;",
        "\nlet child = ::std::process::Command::new(c);",
        "\nuse std::time::SystemTime;",
        "\nlet now = time::Instant::elapsed(x);",
        "\nlet now = Timestamp::now();",
        "\nprintln!(\"{x}\");",
        "\nlet x = dbg!(x);",
        "\nlet x = vec![format!(\"{:?}\", std::fs::read(p))];",
    ];
    for text in planted {
        assert_eq!(lines(&outside_world(&source(text))), [2], "{text}");
    }
    let right = "use std::{fmt, collections::{btree_map, BTreeMap}};\n/// std::fs\nfn holds_at(now: UnixTime) -> bool {\n\
                 let text = \"std::fs println!\"; now() }\n#[cfg(test)]\nmod tests { use std::fs; }\n";
    assert_none(&outside_world(&source(right)));
}

#[test]
fn a_second_construction_site_is_seen() {
    let first = "pub struct VerifiedCard { tree: Tree }\nimpl VerifiedCard {\n\
                 fn new(tree: Tree) -> Self {\nSelf { tree } } }\nfn f() -> VerifiedCard { g() }\n";
    assert_none(&evidence(&["VerifiedCard"], &[source(first)]));

    for second in [
        "\nfn h() -> Evidence { crate::card::VerifiedCard { tree } }",
        "\nfn h() { let card = &VerifiedCard { ..card }; }",
        "\nfn h() { match x { _ => VerifiedCard { tree } } }",
        "\nimpl From<Tree> for VerifiedCard { fn from(tree: Tree) -> Self { Self { tree } } }",
    ] {
        assert_eq!(lines(&evidence(&["VerifiedCard"], &[source(first), source(second)])), [4, 2], "{second}");
    }
    for reading in [
        "fn h() { let VerifiedCard { tree } = card; }",
        "fn h() { match card { VerifiedCard { tree } => tree } }",
        "impl From<VerifiedCard> for Report { fn from(card: VerifiedCard) -> Self { Self { card } } }",
        "impl<'card> Iterator for Members<'card> { }",
        "fn h(card: &VerifiedCard) -> &'static VerifiedCard { card }",
    ] {
        assert_none(&evidence(&["VerifiedCard"], &[source(first), source(reading)]));
    }
}

#[test]
fn evidence_that_nobody_builds_is_seen() {
    let planted = source("\npub struct VerifiedCard { tree: Tree }\n");
    assert_eq!(lines(&evidence(&["VerifiedCard"], &[planted])), [2]);
}

#[test]
fn evidence_out_of_nothing_is_seen() {
    let site = "fn f() { VerifiedCard { tree } }\n";
    for planted in [
        "#[derive(Clone, Default)]\n#[non_exhaustive]\npub(crate) struct VerifiedCard { tree: Tree }",
        "#[derive(Debug, serde::Deserialize)]\nstruct VerifiedCard { tree: Tree }",
        "impl Default for VerifiedCard { }",
        "impl<'de> serde::Deserialize<'de> for VerifiedCard { }",
        "struct VerifiedCard { pub tree: Tree }",
    ] {
        let planted = source(&format!("{site}{planted}"));
        assert_eq!(lines(&evidence(&["VerifiedCard"], &[planted])), [2]);
    }
    let right = "#[derive(Clone)]\nstruct VerifiedCard { tree: Tree }\n#[derive(Default)]\npub struct Limits { pub octets: usize }";
    assert_none(&evidence(&["VerifiedCard"], &[source(&format!("{site}{right}"))]));
}

#[test]
fn the_first_line_too_many_is_seen() {
    let code =
        |count: usize| format!("//! Documentation.\n\n{}", "fn f() {} // one\n\n/// two\n".repeat(count));
    let tests = "#[cfg(test)]\nmod tests {\n fn f() {}\n}\n";
    assert!(too_long(&source(&format!("{}{tests}", code(MAX_CODE_LINES)))).is_none());
    assert!(too_long(&source(&format!("{}{tests}", code(MAX_CODE_LINES + 1)))).is_some());
}

#[test]
fn a_module_file_called_mod_is_seen() {
    assert!(module_file(Path::new("keys/src/json/mod.rs")).is_some());
    assert!(module_file(Path::new("keys/src/json.rs")).is_none());
}
