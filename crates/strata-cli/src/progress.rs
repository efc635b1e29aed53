//! One line on standard error that says how far long work is, for people at a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use strata_app::report::{Step, Watch};
use strata_app::{cut, whole};
use tokio_util::sync::CancellationToken;

use crate::terminal::visible;

/// Work that is done sooner is not mentioned.
const QUIET: Duration = Duration::from_millis(400);
const TELL_EVERY: Duration = Duration::from_millis(100);
/// Characters of a name.
const NAME: usize = 48;

/// Watches work; dropped, it leaves no trace on the terminal.
pub(crate) struct Progress {
    stop: CancellationToken,
    line: Option<Mutex<Line>>,
}

struct Line {
    started: Instant,
    told: Option<Instant>,
    what: String,
    is_bytes: bool,
    /// Somebody else takes their time: that is said at once.
    is_waiting: bool,
}

impl Progress {
    /// Of work that nothing stops but the end of the program.
    pub(crate) fn new() -> Self {
        Self::until(CancellationToken::new())
    }

    /// Of work that ends when `stop` is cancelled.
    pub(crate) fn until(stop: CancellationToken) -> Self {
        let line = io::stderr().is_terminal().then(|| {
            let what = String::new();
            Mutex::new(Line { started: Instant::now(), told: None, what, is_bytes: false, is_waiting: false })
        });
        Self { stop, line }
    }

    /// Takes the line away, for what is written to the same terminal. It comes back with the next progress.
    pub(crate) fn hide(&self) {
        let Some(mut line) = self.line() else { return };
        if line.told.take().is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
            let _ = io::stderr().flush();
        }
    }

    fn line(&self) -> Option<MutexGuard<'_, Line>> {
        Some(self.line.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Watch for Progress {
    fn begins(&self, step: Step<'_>) {
        let Some(mut line) = self.line() else { return };
        let name = |path: &std::path::Path| {
            path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
        };
        (line.what, line.is_bytes) = match step {
            Step::Files(path) => (format!("Importing {}", cut(&name(path), NAME)), false),
            Step::Reading(path) => (format!("Reading {}", cut(&name(path), NAME)), true),
            Step::Indexing(_) => ("Indexing what is stored".to_owned(), false),
            Step::Storing(path) => (format!("Storing {}", cut(&name(path), NAME)), false),
            Step::Compiling(title) => (format!("Compiling {}", cut(title, NAME)), false),
            Step::Sweeping(title) => (format!("Sweeping {}", cut(title, NAME)), false),
            Step::Compacting(title) => (format!("Compacting {}", cut(title, NAME)), false),
            Step::Asking(endpoint) => (format!("Asking {}", cut(endpoint, NAME)), false),
        };
        line.is_waiting = matches!(step, Step::Asking(_));
    }

    fn progress(&self, done: u64, total: u64) {
        let Some(mut line) = self.line() else { return };
        let is_time = match line.told {
            Some(told) => told.elapsed() >= TELL_EVERY,
            None => line.is_waiting || line.started.elapsed() >= QUIET,
        };
        if !is_time {
            return;
        }
        line.told = Some(Instant::now());
        let percent = (done * 100).checked_div(total).unwrap_or(100).min(100);
        let amount = if line.is_bytes {
            format!("of {:.1} MB", total as f64 / 1e6)
        } else {
            format!("of {}", whole(i64::try_from(total).unwrap_or(i64::MAX)))
        };
        let _ = write!(io::stderr(), "\r\x1b[K{}  {percent} % {amount}", visible(&line.what));
        let _ = io::stderr().flush();
    }

    fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.hide();
    }
}
