//! How far long work has come, for people at a terminal.

use std::io::{self, IsTerminal as _};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, or nothing.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// A bar for so many steps, each one of `what`, when standard error is a terminal.
    pub(crate) fn on_terminal(steps: usize, what: &str) -> Self {
        if !io::stderr().is_terminal() {
            return Self::none();
        }
        let steps = u64::try_from(steps).unwrap_or(u64::MAX);
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr());
        // A template that is wrong leaves the bar as it is.
        if let Ok(style) = ProgressStyle::with_template(&format!("{{bar:32}} {{pos}} of {{len}} {what}")) {
            bar.set_style(style);
        }
        Self(Some(bar))
    }

    pub(crate) const fn none() -> Self {
        Self(None)
    }

    pub(crate) fn advance(&self, steps: usize) {
        if let Some(bar) = &self.0 {
            bar.inc(u64::try_from(steps).unwrap_or(u64::MAX));
        }
    }

    /// Writes while the bar is out of the way.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
