//! A running command that does not outlive its time limit, nor the signals that end this process.

use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked whether the command has ended.
const POLL: Duration = Duration::from_millis(5);

/// What ends together with the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// All that it started and that did not leave its process group.
    #[cfg(unix)]
    Group,
    /// Itself only. It shares the process group, without which it could not ask for a PIN on the terminal.
    Alone,
}

impl Scope {
    /// What fits where this process runs.
    #[cfg(unix)]
    pub(super) fn here() -> Self {
        let has_terminal = std::fs::File::open("/dev/tty").is_ok();
        if has_terminal { Self::Alone } else { Self::Group }
    }

    /// What fits where this process runs.
    #[cfg(not(unix))]
    pub(super) fn here() -> Self {
        Self::Alone
    }
}

/// A command that was started.
pub(super) struct Running {
    child: Child,
    scope: Scope,
    /// Once it is reaped.
    status: Option<ExitStatus>,
}

impl Running {
    /// Starts the command. From here on SIGTERM ends it and this process, and so does SIGINT where the terminal does not
    /// send that to both. On Windows nothing but the time limit ends it.
    pub(super) fn start(command: &mut Command, scope: Scope) -> io::Result<Self> {
        let child = platform::start(command, scope)?;
        Ok(Self { child, scope, status: None })
    }

    pub(super) fn pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take())
    }

    /// The exit status, if there is one before the deadline. What a command that failed leaves behind is ended.
    pub(super) fn wait(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            match platform::succeeded(&mut self.child)? {
                Some(true) => return self.reap().map(Some),
                Some(false) => return self.end().map(Some),
                None if Instant::now() >= deadline => return Ok(None),
                None => thread::sleep(POLL),
            }
        }
    }

    /// Whether the command has ended; processes that it started may not have.
    pub(super) fn has_ended(&mut self) -> bool {
        platform::succeeded(&mut self.child).is_ok_and(|ended| ended.is_some())
    }

    /// Ends what is in the scope, unless that is done.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        platform::kill(&mut self.child, self.scope);
        self.reap()
    }

    /// The process id is free for others from here on.
    fn reap(&mut self) -> io::Result<ExitStatus> {
        platform::forget(&self.child, self.scope);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

#[cfg(unix)]
mod platform {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};
    use std::sync::{Mutex, MutexGuard, Once, PoisonError};
    use std::thread;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    use super::Scope;

    /// What ends with this process, none of it reaped.
    static RUNNING: Mutex<Vec<(Pid, Scope)>> = Mutex::new(Vec::new());

    fn running() -> MutexGuard<'static, Vec<(Pid, Scope)>> {
        RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn start(command: &mut Command, scope: Scope) -> io::Result<Child> {
        watch(scope);
        if scope == Scope::Group {
            command.process_group(0);
        }
        // A signal waits until the new process is in the list.
        let mut running = running();
        let child = command.spawn()?;
        running.push((Pid::from_child(&child), scope));
        Ok(child)
    }

    /// Whether it ended well, if it has ended; it is not reaped, so that nothing else gets its process id.
    pub(super) fn succeeded(child: &mut Child) -> io::Result<Option<bool>> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = rustix::process::waitid(WaitId::Pid(Pid::from_child(child)), options)?;
        Ok(status.map(|status| status.exit_status() == Some(0)))
    }

    pub(super) fn kill(child: &mut Child, scope: Scope) {
        end((Pid::from_child(child), scope));
    }

    pub(super) fn forget(child: &Child, scope: Scope) {
        let ended = (Pid::from_child(child), scope);
        running().retain(|other| *other != ended);
    }

    /// What has ended already cannot be killed, which is as well.
    fn end((pid, scope): (Pid, Scope)) {
        let _ = match scope {
            Scope::Group => rustix::process::kill_process_group(pid, Signal::KILL),
            Scope::Alone => rustix::process::kill_process(pid, Signal::KILL),
        };
    }

    /// Has signals end what runs before they end this process.
    fn watch(scope: Scope) {
        static WATCH: Once = Once::new();
        WATCH.call_once(|| {
            // The terminal sends SIGINT to the whole process group; a signer may have the terminal to restore.
            let signals: &[_] = if scope == Scope::Group { &[SIGINT, SIGTERM] } else { &[SIGTERM] };
            let Ok(mut signals) = Signals::new(signals) else { return };
            thread::spawn(move || {
                for signal in signals.forever() {
                    let running = running();
                    running.iter().copied().for_each(end);
                    // Ends the process. It cannot fail for these signals.
                    let _ = emulate_default_handler(signal);
                }
            });
        });
    }
}

#[cfg(not(unix))]
mod platform {
    use std::io;
    use std::process::{Child, Command};

    use super::Scope;

    pub(super) fn start(command: &mut Command, _: Scope) -> io::Result<Child> {
        command.spawn()
    }

    /// Whether it ended well, if it has ended.
    pub(super) fn succeeded(child: &mut Child) -> io::Result<Option<bool>> {
        Ok(child.try_wait()?.map(|status| status.success()))
    }

    /// What has ended already cannot be killed, which is as well.
    pub(super) fn kill(child: &mut Child, _: Scope) {
        let _ = child.kill();
    }

    pub(super) fn forget(_: &Child, _: Scope) {}
}
