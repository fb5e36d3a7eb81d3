//! Names to addresses.

use core::net::IpAddr;
use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use countersign_policy::HostName;

/// Resolves host names. Each name is resolved once for a fetch, in a thread of its own.
pub trait Resolve: Send + Sync {
    /// Every address of the name, in the order in which they are to be tried.
    ///
    /// # Errors
    ///
    /// [`NotResolved`] if there is none.
    fn resolve(&self, name: &HostName) -> Result<Vec<IpAddr>, NotResolved>;
}

/// A name has no address, or none is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name does not resolve to an address")]
#[expect(clippy::exhaustive_structs, reason = "there is nothing to say about it")]
pub struct NotResolved;

/// Resolves as the system does.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: &HostName) -> Result<Vec<IpAddr>, NotResolved> {
        let found = (name.as_str(), 0).to_socket_addrs().map_err(|_| NotResolved)?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Resolves in a thread, which is left behind if it takes too long; then there is no answer.
pub(super) fn resolve_within(
    resolver: &Arc<dyn Resolve>,
    name: &HostName,
    limit: Duration,
) -> Option<Result<Vec<IpAddr>, NotResolved>> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let (resolver, name) = (resolver.clone(), name.clone());
    let begun = thread::Builder::new().spawn(move || {
        // Nobody listens any more where the time was up.
        let _ = sender.send(resolver.resolve(&name));
    });
    if begun.is_err() {
        return Some(Err(NotResolved));
    }
    match receiver.recv_timeout(limit) {
        Ok(answer) => Some(answer),
        Err(mpsc::RecvTimeoutError::Timeout) => None,
        // The resolver panicked.
        Err(mpsc::RecvTimeoutError::Disconnected) => Some(Err(NotResolved)),
    }
}
