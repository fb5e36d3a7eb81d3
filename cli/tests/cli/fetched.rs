//! `admit URL` against TLS servers on loopback, and what it remembers.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use countersign::Form;
use serde_json::{Value, json};

use crate::agent::{changed, entry, key, with_entries};
use crate::server::{Authority, Server, Validity};
use crate::support::{countersign, text};

const AT: &str = "2026-10-01T12:00:00Z";
const NETWORKS: &str = "networks = [\"127.0.0.0/8\", \"::1/128\"]";

/// A folder with a policy, the keys of the agents, and the authority of their servers.
struct Desk {
    folder: tempfile::TempDir,
}

/// How the server treats the next request.
#[derive(Default)]
struct Agents {
    /// Another version of each card than before.
    is_released_anew: AtomicBool,
    /// How long it thinks, in milliseconds.
    pause: AtomicUsize,
    now_asked: AtomicUsize,
    most_asked_at_once: AtomicUsize,
    /// The same of all servers together.
    everywhere: Arc<[AtomicUsize; 2]>,
}

impl Agents {
    /// The response to a request, by the path.
    fn answer(&self, head: &str) -> Vec<u8> {
        let asked = self.now_asked.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_asked_at_once.fetch_max(asked, Ordering::SeqCst);
        let [now, most] = &*self.everywhere;
        most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(self.pause.load(Ordering::SeqCst).try_into().unwrap()));
        let path = head.split(' ').nth(1).unwrap();
        let host = head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        let response = if path.starts_with("/absent/") || path == "/old/.well-known/agent-card.json" {
            b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec()
        } else if path.starts_with("/unreadable/") {
            ok(b"{\"name\": ")
        } else {
            ok(&self.card(path, host))
        };
        now.fetch_sub(1, Ordering::SeqCst);
        self.now_asked.fetch_sub(1, Ordering::SeqCst);
        response
    }

    /// The signed card of the agent at a path; the host is the one that was asked.
    fn card(&self, path: &str, host: &str) -> Vec<u8> {
        let is_released_anew = self.is_released_anew.load(Ordering::SeqCst);
        let at = |host: &str| {
            changed(|card| {
                card["name"] = json!(format!("Agent {path}"));
                card["version"] = json!(if is_released_anew { "1.1.0" } else { "1.0.0" });
                *card.pointer_mut("/supportedInterfaces/0/url").unwrap() =
                    json!(format!("https://{host}/a2a"));
            })
        };
        let (card, signed) = match path.strip_prefix("/rewritten/") {
            None => (at(host), at(host)),
            // A gateway changed the host after signing: from one that only the policy names, or from its own.
            Some(_) if host.starts_with("127.0.0.2:") => (at("inner.example"), at(host)),
            Some(_) => (at(host), at("agents.example")),
        };
        if path.starts_with("/unsigned/") {
            return card.to_string().into_bytes();
        }
        let header = r#"{"alg":"EdDSA","typ":"JOSE","kid":"k1"}"#;
        with_entries(&card, [entry(&signed, Form::A2a10, header, 1)]).octets().to_vec()
    }
}

fn ok(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=600\r\nETag: \"1\"\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// A server with the agents at an address; it has all names and addresses that are used here.
fn serve(authority: &Authority, address: &str, agents: &Arc<Agents>) -> Server {
    let identity =
        authority.server(&["localhost", "127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"], Validity::Now);
    let agents = Arc::clone(agents);
    Server::new_at(address, &identity, move |head, connection| {
        // A client that was killed hears nothing.
        let _ = connection.write_all(&agents.answer(head));
    })
}

fn origin(server: &Server) -> String {
    format!("https://{}", server.address)
}

impl Desk {
    /// A policy that admits the agents of these servers.
    fn new(authority: &Authority, origins: &[String]) -> Self {
        let desk = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(desk.path("ca.pem"), &authority.pem).unwrap();
        let jwk = key(1).verifying_key().to_jwk(Some("k1"), None).unwrap();
        fs::write(desk.path("keys.jwks"), format!("{{\"keys\":[{jwk}]}}")).unwrap();
        desk.write_policy(origins, NETWORKS, "");
        desk
    }

    fn write_policy(&self, origins: &[String], fetch: &str, rule: &str) {
        let origins = json!(origins);
        let policy = format!(
            "schema = 1\n[fetch]\n{fetch}\n[[jwks]]\nid = \"agents\"\nfile = \"keys.jwks\"\norigins = {origins}\n\
             [[allow]]\nid = \"agents\"\nfrom = {origins}\ninterfaces.allow-loopback = true\n{rule}\n"
        );
        fs::write(self.path("policy.toml"), policy).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = countersign();
        command.current_dir(self.folder.path()).args(arguments);
        command
    }

    /// `admit` of these agents with what most tests want.
    fn admit(&self, arguments: &[&str]) -> Command {
        let mut command = self.command(&["admit"]);
        command.args(arguments).args(["--policy", "policy.toml", "--ca", "ca.pem", "--at", AT]);
        command
    }

    /// The same with a folder that remembers; the answers as documents.
    fn ask(&self, arguments: &[&str]) -> Asked {
        let mut command = self.admit(arguments);
        command.args(["--cache", "cache", "--format", "json"]);
        Asked::of(&command.output().unwrap())
    }
}

/// What a run with `--format json` answered.
#[derive(Debug)]
struct Asked {
    exit: Option<i32>,
    answers: Vec<Value>,
    stderr: String,
}

impl Asked {
    fn of(output: &Output) -> Self {
        let answers = text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        Self { exit: output.status.code(), answers, stderr: text(&output.stderr) }
    }

    /// A member of every answer, as text.
    fn each(&self, member: &str) -> Vec<&str> {
        self.answers.iter().map(|answer| answer[member].as_str().unwrap_or_default()).collect()
    }

    /// Exit code, then outcome and cache state of the only answer.
    fn only(&self) -> (Option<i32>, &str, &str) {
        assert_eq!(self.answers.len(), 1, "{self:?}");
        let answer = self.answers.first().unwrap();
        (
            self.exit,
            answer["outcome"].as_str().unwrap_or_default(),
            answer["cache"].as_str().unwrap_or_default(),
        )
    }
}

fn with_input(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    process.wait_with_output().unwrap()
}

/// One server, and a policy for it.
fn one() -> (Desk, Server, Arc<Agents>) {
    let (authority, agents) = (Authority::new("agents"), Arc::<Agents>::default());
    let server = serve(&authority, "127.0.0.1", &agents);
    (Desk::new(&authority, &[origin(&server)]), server, agents)
}

#[test]
fn the_command_of_the_readme_admits_and_remembers() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let line = readme.lines().find(|line| line.starts_with("countersign admit https://agents.maps.example"));
    let (authority, agents) = (Authority::new("agents"), Arc::<Agents>::default());
    let server = serve(&authority, "127.0.0.1", &agents);
    let host = format!("localhost:{}", server.address.port());
    let desk = Desk::new(&authority, &[format!("https://{host}")]);
    fs::rename(desk.path("policy.toml"), desk.path("trust-policy.toml")).unwrap();
    let line = line.unwrap().replace("agents.maps.example", &host);
    let words: Vec<&str> = line.split(' ').skip(1).collect();
    let run = || {
        let mut command = desk.command(&words);
        let output = command.args(["--ca", "ca.pem", "--at", AT]).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    for (time, remembered) in [("first", "(cache miss)"), ("second", "(cache hit)")] {
        let (exit, stdout, stderr) = run();
        assert_eq!(exit, Some(0), "{time}: {stdout}{stderr}");
        assert!(stdout.starts_with(&format!("https://{host}: ADMIT: ")), "{time}: {stdout}");
        assert!(stdout.contains(remembered), "{time}: {stdout}");
    }
    assert_eq!(server.connections(), 1);
}

#[test]
fn the_list_of_the_readme_is_asked_pinned_and_reported() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md")).unwrap();
    let line = readme.lines().find(|line| line.starts_with("countersign admit - ")).unwrap();
    let (command, list) = line.split_once(" < ").unwrap();
    assert_eq!(list, "agents.txt");
    let (desk, server, _) = one();
    fs::rename(desk.path("policy.toml"), desk.path("trust-policy.toml")).unwrap();
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    let mut command = desk.command(&words);
    command.args(["--ca", "ca.pem", "--at", AT]);
    let output = with_input(&mut command, &format!("{0}/1\n{0}/unsigned\n", origin(&server)));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout).matches(": ADMIT: ").count(), 1);
    assert!(fs::read_to_string(desk.path("fleet.html")).unwrap().contains("sig.absent"));
    assert!(desk.path("pins.jsonl").exists());
}

#[test]
fn answers_of_a_list_come_in_its_order_and_each_host_is_asked_for_one_card_at_a_time() {
    let authority = Authority::new("agents");
    let addresses = ["127.0.0.1", "127.0.0.2", "127.0.0.3", "127.0.0.4"];
    let everywhere = Arc::<[AtomicUsize; 2]>::default();
    let agents = |_| Arc::new(Agents { everywhere: Arc::clone(&everywhere), ..Agents::default() });
    let each: Vec<Arc<Agents>> = addresses.iter().map(agents).collect();
    let servers: Vec<Server> =
        addresses.iter().zip(&each).map(|(address, agents)| serve(&authority, address, agents)).collect();
    // The first answers last.
    for (agents, pause) in each.iter().zip([90, 60, 30, 0]) {
        agents.pause.store(pause, Ordering::SeqCst);
    }
    let origins: Vec<String> = servers.iter().map(origin).collect();
    let desk = Desk::new(&authority, &origins);
    let urls: Vec<String> = (0..12).map(|number| format!("{}/{number}", origins[number % 4])).collect();
    let list = format!("# agents\n\n{}\n", urls.join("\n"));
    let mut command = desk.admit(&["-", "--format", "json", "--jobs", "4", "--cache", "cache"]);
    let asked = Asked::of(&with_input(&mut command, &list));
    assert_eq!(asked.exit, Some(0), "{}", asked.stderr);
    assert_eq!(asked.each("input"), urls);
    assert_eq!(asked.each("outcome"), ["admit"; 12]);
    for (server, agents) in servers.iter().zip(&each) {
        assert_eq!((server.connections(), agents.most_asked_at_once.load(Ordering::SeqCst)), (3, 1));
    }
    assert!(everywhere[1].load(Ordering::SeqCst) > 1, "hosts are asked at the same time");
}

#[test]
fn a_list_of_objects_says_for_whom_and_for_what() {
    let (desk, server, _) = one();
    let url = origin(&server);
    let lines = [
        json!({"url": format!("{url}/1"), "tenant": "red", "use": "routes"}).to_string(),
        json!({"url": format!("{url}/2")}).to_string(),
        format!("{}/3", server.address),
    ];
    let mut command = desk.admit(&["-", "--format", "json", "--tenant", "blue"]);
    let asked = Asked::of(&with_input(&mut command, &lines.join("\n")));
    assert_eq!(asked.exit, Some(0), "{}", asked.stderr);
    let subjects: Vec<_> = asked
        .answers
        .iter()
        .map(|answer| (answer["subject"]["tenant"].clone(), answer["subject"]["use"].clone()))
        .collect();
    let expected =
        [(json!("red"), json!("routes")), (json!("blue"), Value::Null), (json!("blue"), Value::Null)];
    assert_eq!(subjects, expected);
    for (list, told) in [
        ("{\"url\": \"a.example\", \"tennant\": \"x\"}", "line 1 of the list"),
        ("a.example\nhttp://b.example", "line 2 of the list"),
        ("# nothing\n", "names no agent"),
    ] {
        let output = with_input(&mut desk.admit(&["-"]), list);
        assert_eq!(output.status.code(), Some(2), "{list}");
        assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
    }
    assert_eq!(server.connections(), 3);
}

#[test]
fn an_answer_is_remembered_until_the_card_or_a_rule_is_another() {
    let (desk, server, agents) = one();
    let url = format!("{}/1", origin(&server));
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "miss"));
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "hit"));
    let policy = fs::read_to_string(desk.path("policy.toml")).unwrap();
    fs::write(desk.path("policy.toml"), format!("# said in other words\n{policy}")).unwrap();
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "hit"), "a comment is no change");
    fs::write(desk.path("policy.toml"), format!("{policy}cache.max-ttl = \"5m\"\n")).unwrap();
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "miss"), "another rule is one");
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "hit"));
    assert_eq!(desk.ask(&[&url, "--use", "routes"]).only(), (Some(0), "admit", "miss"), "another question");
    assert_eq!(server.connections(), 1, "the card was fresh all the time");
    agents.is_released_anew.store(true, Ordering::SeqCst);
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "hit"));
    let cleared = desk
        .command(&["cache", "clear", &format!("{url}/.well-known/agent-card.json"), "--cache", "cache"])
        .output()
        .unwrap();
    assert_eq!(cleared.status.code(), Some(0));
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "miss"), "another card");
    // A denial is remembered too.
    let unsigned = format!("{}/unsigned", origin(&server));
    assert_eq!(desk.ask(&[&unsigned]).only(), (Some(1), "deny", "miss"));
    assert_eq!(desk.ask(&[&unsigned]).only(), (Some(1), "deny", "hit"));
}

#[test]
fn a_damaged_answer_is_none() {
    let (desk, server, _) = one();
    let url = origin(&server);
    desk.ask(&[&url]);
    let file = fs::read_dir(desk.path("cache/answers")).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read_to_string(&file).unwrap();
    let longer = whole.replacen(" 17", " 18", 2);
    assert_ne!(longer, whole);
    let cut = whole.get(..whole.len() / 2).unwrap();
    for damaged in [&*longer, cut, "", "countersign-answer-1\n"] {
        fs::write(&file, damaged).unwrap();
        assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "miss"), "{damaged}");
        assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "hit"), "it is written anew");
    }
}

#[test]
fn offline_only_what_is_remembered_and_fresh_is_used() {
    let (desk, server, _) = one();
    let url = origin(&server);
    let unknown = desk.ask(&[&url, "--offline"]);
    assert_eq!((unknown.exit, unknown.each("code")), (Some(3), vec!["fetch.offline"]), "{unknown:?}");
    assert_eq!(server.connections(), 0);
    assert_eq!(desk.ask(&[&url]).exit, Some(0));
    assert_eq!(desk.ask(&[&url, "--offline"]).only(), (Some(0), "admit", "hit"));
    let mut later =
        desk.command(&["admit", &url, "--offline", "--policy", "policy.toml", "--cache", "cache"]);
    let later = later.args(["--at", "2026-10-01T13:00:00Z", "--format", "json"]).output().unwrap();
    let later = Asked::of(&later);
    assert_eq!((later.exit, later.each("code")), (Some(3), vec!["fetch.offline"]), "{later:?}");
    assert_eq!(server.connections(), 1);
}

#[test]
fn the_old_path_is_tried_only_when_it_is_asked_for() {
    let (desk, server, _) = one();
    let url = format!("{}/old", origin(&server));
    let asked = desk.ask(&[&url]);
    assert_eq!((asked.exit, asked.each("code")), (Some(3), vec!["fetch.status"]), "{asked:?}");
    let asked = desk.ask(&[&url, "--old-path"]);
    assert_eq!(asked.only(), (Some(0), "admit", "miss"), "{asked:?}");
    let answer = &asked.answers[0];
    assert_eq!(answer["fetched"]["url"], format!("{url}/.well-known/agent.json"));
    let codes: Vec<_> =
        answer["findings"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    assert!(codes.contains(&&json!("fetch.well-known-location")), "{codes:?}");
}

#[test]
fn every_decision_is_a_line_of_the_audit_log_without_text_of_the_card() {
    let (desk, server, _) = one();
    let (good, bad) = (origin(&server), format!("{}/unsigned", origin(&server)));
    for _ in 0..2 {
        assert_eq!(desk.ask(&[&good, &bad, "--audit-log", "audit.jsonl"]).exit, Some(1));
    }
    let log = fs::read_to_string(desk.path("audit.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = lines.iter().map(|line| (line["outcome"].as_str(), line["cache"].as_str())).collect();
    let (admit, deny) = (Some("admit"), Some("deny"));
    let (miss, hit) = (Some("miss"), Some("hit"));
    assert_eq!(told, [(admit, miss), (deny, miss), (admit, hit), (deny, hit)]);
    for of_card in ["Adds numbers.", "/a2a", "Example", "Agent /"] {
        assert!(!log.contains(of_card), "{of_card}: {log}");
    }
}

#[test]
fn a_card_that_is_fetched_is_pinned_and_an_older_one_is_denied() {
    let (desk, server, agents) = one();
    let url = origin(&server);
    let origins = [url.clone()];
    desk.write_policy(&origins, NETWORKS, "pin = { rollback = \"deny\" }");
    let ask = || {
        let mut command = desk.admit(&[&url, "--pins", "pins.jsonl", "--format", "json"]);
        Asked::of(&command.output().unwrap())
    };
    agents.is_released_anew.store(true, Ordering::SeqCst);
    assert_eq!(ask().exit, Some(0));
    assert_eq!(ask().exit, Some(0));
    assert!(fs::read_to_string(desk.path("pins.jsonl")).unwrap().contains(&url));
    agents.is_released_anew.store(false, Ordering::SeqCst);
    let older = ask();
    assert_eq!(older.only(), (Some(1), "deny", "off"), "{older:?}");
    assert_eq!(older.answers[0]["codes"], json!(["pin.rollback"]));
}

#[test]
fn what_is_remembered_is_listed_shown_and_forgotten() {
    let (desk, server, _) = one();
    let urls: Vec<String> = (1..4).map(|number| format!("{}/{number}", origin(&server))).collect();
    let arguments: Vec<&str> = urls.iter().map(String::as_str).collect();
    assert_eq!(desk.ask(&arguments).exit, Some(0));
    let cards: Vec<String> = urls.iter().map(|url| format!("{url}/.well-known/agent-card.json")).collect();
    let cache = |arguments: &[&str]| {
        let output = desk.command(&[&["cache"], arguments, &["--cache", "cache"]].concat()).output().unwrap();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(
        cache(&["list", "--format", "short"]),
        (Some(0), format!("{}\n", cards.join("\n")), String::new())
    );
    assert!(cache(&["list"]).1.ends_with("3 responses, 3 answers\n"));
    let (_, lines, _) = cache(&["list", "--format", "json"]);
    let listed: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(listed.iter().all(|response| response["schema"] == "countersign.response/1"), "{lines}");
    let (exit, card, _) = cache(&["show", &cards[0]]);
    let card: Value = serde_json::from_str(&card).unwrap();
    assert_eq!((exit, &card["name"]), (Some(0), &json!("Agent /1/.well-known/agent-card.json")));
    assert_eq!(cache(&["show", &urls[0]]).0, Some(0), "as `admit` takes it");
    assert_eq!(cache(&["show", "https://elsewhere.example"]).0, Some(2));
    assert_eq!(cache(&["clear", &cards[0]]), (Some(0), String::new(), "forgot 1 responses\n".to_owned()));
    assert_eq!(cache(&["clear", &cards[0]]).0, Some(2));
    assert_eq!(cache(&["clear"]), (Some(0), String::new(), "forgot 2 responses and 3 answers\n".to_owned()));
    assert_eq!(cache(&["list"]), (Some(0), "0 responses, 0 answers\n".to_owned(), String::new()));
    assert_eq!(desk.ask(&arguments).each("cache"), ["miss"; 3]);
}

#[test]
fn the_worst_answer_is_the_exit_code() {
    let (desk, server, _) = one();
    let at = |path: &str| format!("{}/{path}", origin(&server));
    let [good, unsigned, unreadable, absent] = ["good", "unsigned", "unreadable", "absent"].map(at);
    assert_eq!(desk.ask(&[&good]).exit, Some(0));
    assert_eq!(desk.ask(&[&unsigned, &good]).exit, Some(1));
    let asked = desk.ask(&[&unreadable, &good]);
    assert_eq!((asked.exit, asked.each("outcome")), (Some(1), vec!["deny", "admit"]));
    assert_eq!(asked.answers[0]["codes"], json!(["json.malformed"]));
    let asked = desk.ask(&[&absent, &unsigned, &good]);
    assert_eq!((asked.exit, asked.each("outcome")), (Some(3), vec!["", "deny", "admit"]));
    assert_eq!(asked.answers[0]["schema"], "countersign.failure/1");
    fs::write(desk.path("card.json"), "{}").unwrap();
    let mixed = desk.ask(&[&good, "card.json"]);
    assert_eq!(mixed.exit, Some(2));
    assert!(mixed.stderr.contains("not mixed"), "{}", mixed.stderr);
    assert_eq!(desk.ask(&[&good, "--as", &good]).exit, Some(2));
    assert_eq!(desk.ask(&[&good, "--source", "file"]).exit, Some(2));
}

#[test]
fn a_redirect_is_told_and_not_followed() {
    let authority = Authority::new("agents");
    let target = serve(&authority, "127.0.0.1", &Arc::default());
    let location = format!("{}/elsewhere.json", origin(&target));
    let moved = format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
    let server = Server::answering(&authority.server(&["127.0.0.1"], Validity::Now), moved.as_bytes());
    let desk = Desk::new(&authority, &[origin(&server), origin(&target)]);
    let asked = desk.ask(&[&origin(&server)]);
    assert_eq!((asked.exit, asked.each("code")), (Some(3), vec!["fetch.redirect"]), "{asked:?}");
    assert!(asked.each("message")[0].contains(&location), "{asked:?}");
    assert_eq!((server.connections(), target.connections()), (1, 0));
}

#[test]
fn an_address_that_the_policy_does_not_list_is_not_connected_to() {
    let (desk, server, _) = one();
    desk.write_policy(&[origin(&server)], "", "");
    let asked = desk.ask(&[&origin(&server)]);
    assert_eq!((asked.exit, asked.each("code")), (Some(3), vec!["fetch.address"]), "{asked:?}");
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_server_of_an_unknown_authority_is_not_believed() {
    let (desk, server, _) = one();
    fs::write(desk.path("ca.pem"), Authority::new("another").pem).unwrap();
    let asked = desk.ask(&[&origin(&server)]);
    assert_eq!((asked.exit, asked.each("code")), (Some(3), vec!["fetch.tls"]), "{asked:?}");
    assert!(server.requests().is_empty());
}

#[test]
fn a_card_that_a_gateway_rewrote_is_denied_with_the_cause() {
    let authority = Authority::new("agents");
    let (outer, own) = (Arc::default(), Arc::default());
    let (server, gateway) = (serve(&authority, "127.0.0.1", &outer), serve(&authority, "127.0.0.2", &own));
    let desk = Desk::new(&authority, &[origin(&server), origin(&gateway)]);
    let hosts = "interfaces.hosts = [\"*source\", \"agents.example\"]";
    desk.write_policy(&[origin(&server), origin(&gateway)], NETWORKS, hosts);
    // It was signed for a host of the rule, or for the host that it is fetched from.
    for server in [&server, &gateway] {
        let url = format!("{}/rewritten", origin(server));
        let asked = desk.ask(&[&url]);
        assert_eq!(asked.only(), (Some(1), "deny", "miss"), "{asked:?}");
        assert!(asked.answers[0]["codes"].as_array().unwrap().contains(&json!("sig.invalid")), "{asked:?}");
        assert_eq!(asked.answers[0]["diagnosis"][0]["cause"], "interface-url-rewritten", "{asked:?}");
        let told = text(&desk.admit(&[&url]).output().unwrap().stdout);
        assert!(
            told.contains("interface-url-rewritten: rewritten after signing: `/supportedInterfaces/0/url`"),
            "{told}"
        );
        let short = text(&desk.admit(&[&url, "--format", "short"]).output().unwrap().stdout);
        assert!(short.lines().count() == 1 && !short.contains("rewritten after"), "{short}");
    }
    let good = desk.ask(&[&format!("{}/good", origin(&server))]);
    assert_eq!(good.answers[0].get("diagnosis"), None, "{good:?}");
}

#[test]
fn many_runs_share_a_folder_at_the_same_time() {
    let (desk, server, _) = one();
    let urls: Vec<String> = (0..8).map(|number| format!("{}/{number}", origin(&server))).collect();
    let arguments: Vec<&str> = urls.iter().map(String::as_str).collect();
    let runs: Vec<_> = (0..6)
        .map(|_| {
            let mut command = desk.admit(&arguments);
            command.args(["--cache", "cache", "--format", "json", "--audit-log", "audit.jsonl"]);
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for run in runs {
        let asked = Asked::of(&run.wait_with_output().unwrap());
        assert_eq!((asked.exit, asked.each("outcome")), (Some(0), vec!["admit"; 8]), "{asked:?}");
        let codes = asked.answers.iter().flat_map(|answer| answer["findings"].as_array().unwrap());
        let codes: BTreeSet<_> = codes.map(|finding| finding["code"].as_str().unwrap()).collect();
        assert!(!codes.contains("fetch.store"), "{codes:?}");
    }
    assert_eq!(desk.ask(&arguments).each("cache"), ["hit"; 8]);
    let log = fs::read_to_string(desk.path("audit.jsonl")).unwrap();
    assert_eq!(log.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok()).count(), 48);
    assert_eq!(fs::read_dir(desk.path("cache/responses")).unwrap().count(), 8, "nothing unfinished is left");
    assert_eq!(fs::read_dir(desk.path("cache/answers")).unwrap().count(), 8);
}

#[test]
fn a_run_that_was_killed_leaves_nothing_that_hurts_the_next() {
    let (desk, server, agents) = one();
    agents.pause.store(15, Ordering::SeqCst);
    let urls: Vec<String> = (0..12).map(|number| format!("{}/{number}", origin(&server))).collect();
    let arguments: Vec<&str> = urls.iter().map(String::as_str).collect();
    for answers in [1, 5, 9] {
        let mut command = desk.admit(&arguments);
        command.args(["--cache", "cache", "--format", "short"]).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        for _ in 0..answers {
            lines.next().unwrap().unwrap();
        }
        process.kill().unwrap();
        process.wait().unwrap();
    }
    let asked = desk.ask(&arguments);
    assert_eq!((asked.exit, asked.each("outcome")), (Some(0), vec!["admit"; 12]), "{asked:?}");
    assert!(asked.each("cache").starts_with(&["hit"; 9]), "{asked:?}");
    assert_eq!(desk.ask(&arguments).each("cache"), ["hit"; 12]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_others_may_use_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;

    let (desk, server, _) = one();
    let url = origin(&server);
    let rights = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(desk.ask(&[&url]).exit, Some(0));
    for name in ["cache", "cache/responses", "cache/answers"] {
        assert_eq!(rights(&desk.path(name)), 0o700, "{name}");
    }
    for name in ["cache/responses", "cache/answers"] {
        fs::set_permissions(desk.path(name), fs::Permissions::from_mode(0o750)).unwrap();
        let asked = desk.ask(&[&url]);
        assert_eq!((asked.exit, asked.answers.len()), (Some(3), 0), "{name}: {asked:?}");
        assert!(asked.stderr.contains("mode 0700"), "{}", asked.stderr);
        fs::set_permissions(desk.path(name), fs::Permissions::from_mode(0o700)).unwrap();
    }
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "hit"));
    // A file stands where the folder would be.
    fs::write(desk.path("file"), "").unwrap();
    let refused = desk.admit(&[&url, "--cache", "file"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stderr));
}

/// Nobody else can have another folder emptied, and nothing is removed that is not of the cache.
#[cfg(unix)]
#[test]
fn only_files_of_the_cache_in_folders_of_the_cache_are_removed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let (desk, server, _) = one();
    assert_eq!(desk.ask(&[&origin(&server)]).exit, Some(0));
    let clear = || desk.command(&["cache", "clear", "--cache", "cache"]).output().unwrap();
    for name in ["cache/responses/id_rsa", "cache/answers/notes"] {
        fs::write(desk.path(name), "mine").unwrap();
    }
    assert_eq!(clear().status.code(), Some(0));
    for name in ["cache/responses/id_rsa", "cache/answers/notes"] {
        assert_eq!(fs::read_to_string(desk.path(name)).unwrap(), "mine", "{name}");
    }
    assert_eq!(fs::read_dir(desk.path("cache/responses")).unwrap().count(), 1);
    // Links in the place of the folders.
    let digits = "0".repeat(64);
    fs::create_dir(desk.path("victim")).unwrap();
    fs::set_permissions(desk.path("victim"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(desk.path("victim").join(&digits), "mine").unwrap();
    for name in ["responses", "answers"] {
        fs::remove_dir_all(desk.path("cache").join(name)).unwrap();
        symlink(desk.path("victim"), desk.path("cache").join(name)).unwrap();
        clear();
        assert!(desk.path("victim").join(&digits).exists(), "{name}");
        assert_eq!(desk.ask(&[&origin(&server)]).exit, Some(3), "{name}");
        fs::remove_file(desk.path("cache").join(name)).unwrap();
    }
    fs::set_permissions(desk.path("cache"), fs::Permissions::from_mode(0o777)).unwrap();
    let asked = desk.ask(&[&origin(&server)]);
    assert_eq!(asked.exit, Some(3));
    assert!(asked.stderr.contains("only its owner may write in"), "{}", asked.stderr);
}

/// What came while one authority was trusted is not believed without it.
#[test]
fn a_response_is_remembered_for_the_authorities_that_it_was_fetched_under() {
    let (desk, server, _) = one();
    let url = origin(&server);
    assert_eq!(desk.ask(&[&url]).only(), (Some(0), "admit", "miss"));
    let untrusting = ["admit", &url, "--policy", "policy.toml", "--cache", "cache", "--format", "json"];
    let output = desk.command(&untrusting).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("fetch.tls"), "{}", text(&output.stdout));
}

#[test]
fn a_card_that_cannot_be_read_is_a_line_of_the_audit_log() {
    let (desk, server, _) = one();
    let unreadable = format!("{}/unreadable", origin(&server));
    let asked = desk.ask(&[&unreadable, "--audit-log", "audit.jsonl"]);
    assert_eq!(asked.exit, Some(1));
    let log = fs::read_to_string(desk.path("audit.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 1);
    assert!(log.contains("\"codes\":[\"json.malformed\"]"), "{log}");
    // A line that a killed run left behind is ended before the next one.
    fs::write(desk.path("audit.jsonl"), "{\"half\"").unwrap();
    desk.ask(&[&unreadable, "--audit-log", "audit.jsonl"]);
    let log = fs::read_to_string(desk.path("audit.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2, "{log}");
}
