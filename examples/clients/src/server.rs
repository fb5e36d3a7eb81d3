//! The agent of the examples: a server on a loopback address, with a signed card, the key set of its publisher, and a name.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use countersign::fetch::{NotResolved, Resolve};
use countersign::policy::HostName;
use countersign::{Algorithm, KeySigner, Limits, SignTerms, Signer, SigningKey, TrustedKeys, UntrustedCard};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::Failure;

/// The host of the agent. Only [`Names`] knows where it is.
pub const HOST: &str = "agents.maps.example";

/// Status and body of an answer.
pub type Reply = (u16, Value);

/// A call of the agent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Call {
    /// The path.
    pub path: String,
    /// The header lines, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body; null where it is not JSON.
    pub body: Value,
}

/// An agent, until the end of the program.
pub struct AgentServer {
    origin: String,
    authority: String,
    published: Arc<Published>,
}

struct Published {
    card: Vec<u8>,
    key_set: String,
    fetched: AtomicUsize,
}

impl AgentServer {
    /// An agent with these interfaces, their `url` a path, that answers calls with `answer`.
    ///
    /// # Errors
    ///
    /// No port, no certificate, or no signature.
    pub fn start(
        mut interfaces: Value,
        answer: impl Fn(&Call) -> Reply + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let origin = format!("https://{HOST}:{}", listener.local_addr()?.port());
        for interface in interfaces.as_array_mut().into_iter().flatten() {
            let url = interface.get("url").and_then(Value::as_str).map(|path| format!("{origin}{path}"));
            interface.as_object_mut().and_then(|interface| interface.insert("url".to_owned(), url.into()));
        }
        let identity = rcgen::generate_simple_self_signed([HOST.to_owned()])?;
        let key = PrivateKeyDer::try_from(identity.signing_key.serialize_der())?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![identity.cert.der().clone()], key)?;
        let published = Arc::new(publish(&interfaces)?);
        let (config, shared, answer) = (Arc::new(config), Arc::clone(&published), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (config, published, answer) =
                    (Arc::clone(&config), Arc::clone(&shared), Arc::clone(&answer));
                // A client that hangs up is no failure of the server.
                thread::spawn(move || respond(stream, config, &published, &*answer).is_ok());
            }
        });
        Ok(Self { origin, authority: identity.cert.pem(), published })
    }

    /// Where its card is.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The authority of its certificate, in PEM.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// A policy for clients of this agent.
    #[must_use]
    pub fn policy(&self) -> String {
        let origin = &self.origin;
        format!(
            r#"
schema = 1

[fetch]
networks = ["127.0.0.0/8"] # where the agent of the example is; public addresses need no entry

[[jwks]]
id = "maps"
url = "{origin}/keys/jwks.json"
origins = ["{origin}"]

[[allow]]
id = "route-planner"
from = ["{origin}"]
interfaces = {{ versions = ["1.0", "0.3"] }}
"#
        )
    }

    /// How often the card was fetched.
    #[must_use]
    pub fn cards_fetched(&self) -> usize {
        self.published.fetched.load(Ordering::SeqCst)
    }
}

impl Call {
    /// The first header with this name, given in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn read(reader: &mut impl BufRead) -> io::Result<Self> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.by_ref().take(8192).read_line(&mut line)?;
            if line.trim_end().is_empty() {
                break;
            }
            lines.push(line);
        }
        let path = lines.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
        let headers = lines.iter().skip(1).filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        let mut call = Self { path, headers: headers.collect(), body: Value::Null };
        let length = call.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        call.body = serde_json::from_reader(reader.take(length)).unwrap_or_default();
        Ok(call)
    }
}

/// A card with these interfaces, signed, and the key set of the signer.
fn publish(interfaces: &Value) -> Result<Published, Failure> {
    let card = json!({
        "name": "Route Planner", "description": "Plans routes.", "version": "1.0.0",
        "supportedInterfaces": interfaces, "capabilities": {},
        "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
        "skills": [{"id": "plan", "name": "Plan", "description": "Plans a route.", "tags": ["maps"]}],
    });
    let signer =
        KeySigner::new(SigningKey::generate(Algorithm::Es256)?, Algorithm::Es256)?.with_kid("maps-1");
    let card = UntrustedCard::read(card.to_string(), &Limits::default())?;
    let signed = card.sign(&signer, &SignTerms::default(), &TrustedKeys::default())?;
    let jwk = signer.verifying_key().to_jwk(Some("maps-1"), None)?;
    Ok(Published {
        card: signed.octets,
        key_set: format!("{{\"keys\":[{jwk}]}}"),
        fetched: AtomicUsize::new(0),
    })
}

fn respond(
    stream: TcpStream,
    config: Arc<ServerConfig>,
    published: &Published,
    answer: &impl Fn(&Call) -> Reply,
) -> Result<(), Failure> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut stream = StreamOwned::new(ServerConnection::new(config)?, stream);
    let call = Call::read(&mut BufReader::new(&mut stream))?;
    let (status, body) = match call.path.as_str() {
        "/.well-known/agent-card.json" => {
            published.fetched.fetch_add(1, Ordering::SeqCst);
            (200, published.card.clone())
        }
        "/keys/jwks.json" => (200, published.key_set.clone().into_bytes()),
        _ => {
            let (status, body) = answer(&call);
            (status, body.to_string().into_bytes())
        }
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} Answer\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
         Cache-Control: max-age=300\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), &body].concat())?;
    stream.conn.send_close_notify();
    stream.flush()?;
    // What the client still sends must not reset what it has not read yet.
    stream.sock.shutdown(Shutdown::Write)?;
    io::copy(&mut stream.sock, &mut io::sink())?;
    Ok(())
}

/// Stands in for DNS: every name is at one address, which can change.
#[derive(Clone, Debug)]
pub struct Names(Arc<Mutex<IpAddr>>);

impl Default for Names {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(IpAddr::V4(Ipv4Addr::LOCALHOST))))
    }
}

impl Names {
    /// From now on every name is at `address`.
    pub fn move_to(&self, address: IpAddr) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = address;
    }
}

impl Resolve for Names {
    fn resolve(&self, _: &HostName) -> Result<Vec<IpAddr>, NotResolved> {
        Ok(vec![*self.0.lock().unwrap_or_else(PoisonError::into_inner)])
    }
}
