//! The engine behind a shared store: connections, time-outs, and when it is left alone.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use countersign_policy::UnixTime;
use redis::{Client, Connection, ErrorKind, RedisError, RedisResult};

use super::error::{EngineFault, SharedError};
use super::{MissReason, SharedTerms};

/// Most connections that are kept while nobody uses them.
const MAX_IDLE: usize = 8;

/// How often a value is replaced that others change at the same time.
const MAX_ATTEMPTS: usize = 16;

pub(super) struct Engine {
    client: Client,
    address: String,
    timeout: Duration,
    idle: Mutex<Vec<Connection>>,
    breaker: Mutex<Breaker>,
}

/// Leaves an engine alone that fails again and again.
struct Breaker {
    failures: u32,
    max_failures: u32,
    retry_seconds: i64,
    /// Since when it is left alone.
    since: Option<UnixTime>,
}

/// Whether an engine is asked that is left alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Urgency {
    Ordinary,
    Urgent,
}

impl Engine {
    pub(super) fn new(address: &str, terms: &SharedTerms) -> Result<Self, SharedError> {
        let client = Client::open(address).map_err(|_| SharedError::Address)?;
        let address = client.get_connection_info().addr().to_string();
        let breaker = Breaker {
            failures: 0,
            max_failures: terms.max_failures,
            retry_seconds: terms.retry_seconds,
            since: None,
        };
        // The library takes no time-out of zero.
        let timeout = terms.timeout.max(Duration::from_millis(1));
        Ok(Self { client, address, timeout, idle: Mutex::default(), breaker: Mutex::new(breaker) })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// The whole first value, and the first `most` octets of the second one, in one round trip; empty where there is none.
    pub(super) fn read(
        &self,
        first: &str,
        second: &str,
        most: usize,
        now: UnixTime,
    ) -> Result<(Vec<u8>, Vec<u8>), MissReason> {
        // The last place, counted from 0.
        let last = most.saturating_sub(1);
        let read = |connection: &mut Connection| {
            let mut both = redis::pipe();
            // An epoch is far shorter; whoever writes into the engine may write anything.
            both.cmd("GETRANGE").arg(first).arg(0).arg(255);
            both.cmd("GETRANGE").arg(second).arg(0).arg(last);
            both.query(connection)
        };
        self.ask(Urgency::Ordinary, now, read).map_err(|fault| match fault {
            EngineFault::LeftAlone => MissReason::LeftAlone,
            EngineFault::Answer => MissReason::Damaged,
            EngineFault::Timeout
            | EngineFault::Refused
            | EngineFault::Broken
            | EngineFault::Authentication
            | EngineFault::Contended
            | EngineFault::NoRandom => MissReason::Unreachable,
        })
    }

    /// Writes a value that the engine may drop after some seconds.
    pub(super) fn write(
        &self,
        name: &str,
        value: &[u8],
        seconds: i64,
        now: UnixTime,
    ) -> Result<(), SharedError> {
        let write = |connection: &mut Connection| {
            redis::cmd("SET").arg(name).arg(value).arg("EX").arg(seconds.max(1)).exec(connection)
        };
        self.ask(Urgency::Ordinary, now, write).map_err(|fault| self.unreachable(fault))
    }

    /// Replaces a value by what `next` makes of it, unless somebody else changes it in between: then once more. `next`
    /// gives what this answers and the new value, if there is one; [`None`] when it cannot be made.
    pub(super) fn replace<T>(
        &self,
        name: &str,
        urgency: Urgency,
        now: UnixTime,
        next: impl Fn(Option<Vec<u8>>) -> Option<(T, Option<Vec<u8>>)>,
    ) -> Result<T, SharedError> {
        let attempt = |connection: &mut Connection| -> RedisResult<Result<Option<T>, EngineFault>> {
            redis::cmd("WATCH").arg(name).exec(connection)?;
            // What is no string is replaced like what is absent.
            let found: Option<Vec<u8>> = match redis::cmd("GET").arg(name).query(connection) {
                Ok(found) => found,
                Err(error) if is_answer(&error) => None,
                Err(error) => return Err(error),
            };
            let Some((answer, value)) = next(found) else {
                redis::cmd("UNWATCH").exec(connection)?;
                return Ok(Err(EngineFault::NoRandom));
            };
            let Some(value) = value else {
                redis::cmd("UNWATCH").exec(connection)?;
                return Ok(Ok(Some(answer)));
            };
            let mut set = redis::pipe();
            set.atomic().cmd("SET").arg(name).arg(value);
            let done: Option<(String,)> = set.query(connection)?;
            Ok(Ok(done.map(|_| answer)))
        };
        for _ in 0..MAX_ATTEMPTS {
            let answer = self.ask(urgency, now, attempt).and_then(|answer| answer);
            if let Some(answer) = answer.map_err(|fault| self.unreachable(fault))? {
                return Ok(answer);
            }
        }
        Err(self.unreachable(EngineFault::Contended))
    }

    pub(super) fn unreachable(&self, fault: EngineFault) -> SharedError {
        SharedError::Unreachable { address: self.address.clone(), fault }
    }

    /// Does something with a connection, a new one if the first has gone in the meantime.
    fn ask<T>(
        &self,
        urgency: Urgency,
        now: UnixTime,
        what: impl Fn(&mut Connection) -> RedisResult<T>,
    ) -> Result<T, EngineFault> {
        if urgency == Urgency::Ordinary && !self.breaker().admits(now) {
            return Err(EngineFault::LeftAlone);
        }
        let answer = self.ask_once(&what);
        match &answer {
            // It answers, whatever it says.
            Ok(_) | Err(EngineFault::Answer) => self.breaker().succeed(),
            Err(_) => self.breaker().fail(now),
        }
        answer
    }

    fn ask_once<T>(&self, what: &impl Fn(&mut Connection) -> RedisResult<T>) -> Result<T, EngineFault> {
        // In a statement of its own, or the lock would be held as long as the connection is used.
        let idle = self.idle().pop();
        if let Some(mut connection) = idle {
            match what(&mut connection) {
                Ok(answer) => {
                    self.keep(connection);
                    return Ok(answer);
                }
                Err(error) => {
                    let fault = fault_of(&error);
                    if fault != EngineFault::Broken {
                        return Err(fault);
                    }
                    // An engine that was started anew knows none of the old connections.
                    self.idle().clear();
                }
            }
        }
        let mut connection = self.connect().map_err(|error| fault_of(&error))?;
        let answer = what(&mut connection).map_err(|error| fault_of(&error))?;
        self.keep(connection);
        Ok(answer)
    }

    fn connect(&self) -> RedisResult<Connection> {
        let connection = self.client.get_connection_with_timeout(self.timeout)?;
        connection.set_read_timeout(Some(self.timeout))?;
        connection.set_write_timeout(Some(self.timeout))?;
        Ok(connection)
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle();
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
    }

    // Nothing that runs under the locks can panic, so what they guard is whole even if a thread died with one.

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Breaker {
    /// Whether the engine is asked now. One question at a time finds out whether it is back.
    fn admits(&mut self, now: UnixTime) -> bool {
        let Some(since) = self.since else { return true };
        // A clock that was set back must not lengthen it.
        if since <= now && now < since.saturating_add_seconds(self.retry_seconds) {
            return false;
        }
        self.since = Some(now);
        true
    }

    fn succeed(&mut self) {
        self.failures = 0;
        self.since = None;
    }

    fn fail(&mut self, now: UnixTime) {
        self.failures = self.failures.saturating_add(1);
        if self.failures >= self.max_failures {
            self.since = Some(now);
        }
    }
}

fn is_answer(error: &RedisError) -> bool {
    matches!(error.kind(), ErrorKind::Server(_) | ErrorKind::Extension | ErrorKind::UnexpectedReturnType)
}

fn fault_of(error: &RedisError) -> EngineFault {
    if error.is_timeout() {
        EngineFault::Timeout
    } else if error.is_connection_refusal() {
        EngineFault::Refused
    } else if error.kind() == ErrorKind::AuthenticationFailed {
        EngineFault::Authentication
    } else if is_answer(error) {
        EngineFault::Answer
    } else {
        EngineFault::Broken
    }
}

#[cfg(test)]
mod tests;
