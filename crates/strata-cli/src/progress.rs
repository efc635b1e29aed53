//! One line on standard error that says how far long work is, for people at a terminal.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use strata_app::report::{Step, Watch, Writing};
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
            Step::Usage(Some(path)) => (format!("Reading {}", cut(&name(path), NAME)), true),
            Step::Usage(None) => ("Reading what agents left here".to_owned(), true),
            Step::Indexing(_) => ("Indexing what is stored".to_owned(), false),
            Step::Storing(path) => (format!("Storing {}", cut(&name(path), NAME)), false),
            Step::Compiling(title) => (format!("Compiling {}", cut(title, NAME)), false),
            Step::Sweeping(title) => (format!("Sweeping {}", cut(title, NAME)), false),
            Step::Compacting(title) => (format!("Compacting {}", cut(title, NAME)), false),
            Step::Comparing => ("Comparing runs".to_owned(), false),
            Step::Asking(endpoint) => (format!("Asking {}", cut(endpoint, NAME)), false),
        };
        line.is_waiting = matches!(step, Step::Asking(_));
    }

    fn progress(&self, done: u64, total: u64) {
        let Some(mut line) = self.line() else { return };
        if !line.is_time() {
            return;
        }
        let percent = (done * 100).checked_div(total).unwrap_or(100).min(100);
        let amount = if line.is_bytes {
            format!("of {:.1} MB", total as f64 / 1e6)
        } else {
            format!("of {}", whole(i64::try_from(total).unwrap_or(i64::MAX)))
        };
        let _ = write!(io::stderr(), "\r\x1b[K{}  {percent} % {amount}", visible(&line.what));
        let _ = io::stderr().flush();
    }

    fn writing(&self, writing: &Writing) {
        let Some(mut line) = self.line() else { return };
        if line.is_time() {
            let _ = write!(io::stderr(), "\r\x1b[K{}  {}", visible(&line.what), written(writing));
            let _ = io::stderr().flush();
        }
    }

    fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

impl Line {
    /// Whether it is to be told how far the work is.
    fn is_time(&mut self) -> bool {
        let is_time = match self.told {
            Some(told) => told.elapsed() >= TELL_EVERY,
            None => self.is_waiting || self.started.elapsed() >= QUIET,
        };
        if is_time {
            self.told = Some(Instant::now());
        }
        is_time
    }
}

/// `summary 2 of 5, 143 tokens, 38 tokens/s, 21 s left`.
fn written(writing: &Writing) -> String {
    let mut said = format!("summary {} of {}", (writing.done + 1).min(writing.total), writing.total);
    if writing.tokens > 0 {
        said += &format!(", {} tokens", whole(writing.tokens));
    }
    if let Some(rate) = writing.tokens_per_s {
        said += &format!(", {rate:.0} tokens/s");
    }
    if let Some(seconds) = writing.seconds_left {
        said += &format!(", {} left", seconds_left(seconds));
    }
    said
}

/// `40 s`, `3 min`.
fn seconds_left(seconds: f64) -> String {
    if seconds < 100.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", seconds / 60.0) }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.hide();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_under_way_is_told_of() {
        let mut writing = Writing { done: 1, total: 5, ..Writing::default() };
        assert_eq!(written(&writing), "summary 2 of 5");
        writing = Writing { tokens: 1143, tokens_per_s: Some(38.2), seconds_left: Some(212.0), ..writing };
        assert_eq!(written(&writing), "summary 2 of 5, 1,143 tokens, 38 tokens/s, 4 min left");
        assert_eq!(written(&Writing { done: 5, total: 5, ..Writing::default() }), "summary 5 of 5");
    }
}
