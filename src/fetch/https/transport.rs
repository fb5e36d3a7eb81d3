//! The connection: to one of the judged addresses, over TLS, until a deadline.

use core::net::SocketAddr;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, StreamOwned};
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, LazyBuffers, NextTimeout, Transport,
};

use crate::fetch::TlsFault;

/// Most addresses that are tried.
const MAX_ADDRESSES: usize = 16;

/// Most octets of the request.
const MAX_REQUEST_OCTETS: usize = 64 * 1024;

/// When everything must be done. One deadline for all steps: a server that drips gains no time with any of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    /// Nothing if it is beyond what can be counted.
    end: Option<Instant>,
}

/// Answers with the addresses that were judged, whatever the URL is.
#[derive(Debug)]
pub(super) struct Judged {
    pub(super) addresses: Vec<SocketAddr>,
}

/// Connects to one of the judged addresses.
pub(super) struct Dial {
    pub(super) tls: Arc<ClientConfig>,
    pub(super) server_name: ServerName<'static>,
    pub(super) deadline: Deadline,
    pub(super) buffer_octets: usize,
}

/// Why there is no connection, or none any more.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub(super) enum Lost {
    #[error("the deadline has passed")]
    Late,
    #[error("no connection: {0}")]
    NotConnected(io::ErrorKind),
    #[error("the connection ended: {0}")]
    Closed(io::ErrorKind),
    #[error("{0}")]
    Tls(TlsFault),
}

/// A connection that keeps its deadline.
pub(super) struct TlsTransport {
    stream: StreamOwned<ClientConnection, Timed>,
    buffers: LazyBuffers,
}

/// A socket that waits no longer than the deadline, at each step.
struct Timed {
    stream: TcpStream,
    deadline: Deadline,
}

impl Deadline {
    pub(super) fn after(limit: Duration) -> Self {
        Self { end: Instant::now().checked_add(limit) }
    }

    pub(super) fn remaining(self) -> Duration {
        self.end.map_or(Duration::MAX, |end| end.saturating_duration_since(Instant::now()))
    }

    /// As a socket takes it: no limit is written as none, and no time left is an error.
    fn for_socket(self) -> io::Result<Option<Duration>> {
        match self.remaining() {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            remaining => Ok(self.end.map(|_| remaining)),
        }
    }
}

impl Resolver for Judged {
    fn resolve(
        &self,
        _uri: &Uri,
        _config: &Config,
        _timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut addresses = self.empty();
        self.addresses.iter().take(MAX_ADDRESSES).for_each(|address| addresses.push(*address));
        if addresses.is_empty() { Err(ureq::Error::HostNotFound) } else { Ok(addresses) }
    }
}

impl Connector for Dial {
    type Out = TlsTransport;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        _chained: Option<()>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let stream = self.dial(&details.addrs).map_err(lost)?;
        let mut timed = Timed { stream, deadline: self.deadline };
        let connection = ClientConnection::new(self.tls.clone(), self.server_name.clone());
        let mut connection = connection.map_err(|error| lost(Lost::Tls(tls_fault(&error))))?;
        connection.complete_io(&mut timed).map_err(|error| lost(handshake_fault(&error)))?;
        let buffers = LazyBuffers::new(self.buffer_octets.max(1), MAX_REQUEST_OCTETS);
        Ok(Some(TlsTransport { stream: StreamOwned::new(connection, timed), buffers }))
    }
}

impl Dial {
    /// Tries one address after the other; each may take its share of the time that is left.
    fn dial(&self, addresses: &[SocketAddr]) -> Result<TcpStream, Lost> {
        let mut last = Lost::NotConnected(io::ErrorKind::AddrNotAvailable);
        for (address, left) in addresses.iter().zip((1..=addresses.len()).rev()) {
            let remaining = self.deadline.remaining();
            if remaining.is_zero() {
                return Err(Lost::Late);
            }
            let share = remaining.checked_div(u32::try_from(left).unwrap_or(1)).unwrap_or(remaining);
            match TcpStream::connect_timeout(address, share.max(Duration::from_millis(1))) {
                Ok(stream) => {
                    stream.set_nodelay(true).map_err(|error| Lost::NotConnected(error.kind()))?;
                    return Ok(stream);
                }
                Err(error) => last = Lost::NotConnected(error.kind()),
            }
        }
        if self.deadline.remaining().is_zero() { Err(Lost::Late) } else { Err(last) }
    }
}

impl Transport for TlsTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _timeout: NextTimeout) -> Result<(), ureq::Error> {
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        self.stream.write_all(output).map_err(|error| lost(io_fault(&error)))
    }

    fn await_input(&mut self, _timeout: NextTimeout) -> Result<bool, ureq::Error> {
        let input = self.buffers.input_append_buf();
        // An end without the alert that announces it is an error of the stream: half a response is never a whole one.
        let amount = self.stream.read(input).map_err(|error| lost(io_fault(&error)))?;
        self.buffers.input_appended(amount);
        Ok(amount > 0)
    }

    fn is_open(&mut self) -> bool {
        false
    }

    fn is_tls(&self) -> bool {
        true
    }
}

impl Read for Timed {
    fn read(&mut self, octets: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.deadline.for_socket()?)?;
        self.stream.read(octets)
    }
}

impl Write for Timed {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.deadline.for_socket()?)?;
        self.stream.write(octets)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl fmt::Debug for Dial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dial").field("server_name", &self.server_name).finish_non_exhaustive()
    }
}

impl fmt::Debug for TlsTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TlsTransport").finish_non_exhaustive()
    }
}

fn lost(lost: Lost) -> ureq::Error {
    ureq::Error::Other(Box::new(lost))
}

/// An end in the middle of the handshake is a handshake that failed.
fn handshake_fault(error: &io::Error) -> Lost {
    match io_fault(error) {
        Lost::Closed(io::ErrorKind::UnexpectedEof) => Lost::Tls(TlsFault::Handshake),
        lost @ (Lost::Late | Lost::NotConnected(_) | Lost::Closed(_) | Lost::Tls(_)) => lost,
    }
}

fn io_fault(error: &io::Error) -> Lost {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match (tls, error.kind()) {
        (Some(error), _) => Lost::Tls(tls_fault(error)),
        (None, io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => Lost::Late,
        (None, kind) => Lost::Closed(kind),
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "what has no name here is one fault, whatever its kind")]
fn tls_fault(error: &rustls::Error) -> TlsFault {
    match error {
        rustls::Error::InvalidCertificate(error) => match error {
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                TlsFault::WrongName
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => TlsFault::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                TlsFault::NotYetValid
            }
            CertificateError::UnknownIssuer => TlsFault::UnknownIssuer,
            CertificateError::Revoked => TlsFault::Revoked,
            _ => TlsFault::BadCertificate,
        },
        rustls::Error::AlertReceived(alert) => TlsFault::Alert { number: u8::from(*alert) },
        _ => TlsFault::Handshake,
    }
}
