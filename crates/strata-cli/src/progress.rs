//! One line on standard error that says how far long work is, for people at a terminal.

use std::cell::RefCell;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use strata_app::report::{Step, Watch};
use strata_app::{cut, whole};

use crate::interrupt::Interrupt;

/// Work that is done sooner is not mentioned.
const QUIET: Duration = Duration::from_millis(400);
const TELL_EVERY: Duration = Duration::from_millis(100);
/// Characters of a name.
const NAME: usize = 48;

/// Watches work; dropped, it leaves no trace on the terminal.
pub(crate) struct Progress {
    interrupt: Option<Interrupt>,
    line: Option<RefCell<Line>>,
}

struct Line {
    started: Instant,
    told: Option<Instant>,
    what: String,
    is_bytes: bool,
}

impl Progress {
    pub(crate) fn new(interrupt: Option<Interrupt>) -> Self {
        let line = io::stderr().is_terminal().then(|| {
            RefCell::new(Line { started: Instant::now(), told: None, what: String::new(), is_bytes: false })
        });
        Self { interrupt, line }
    }
}

impl Watch for Progress {
    fn begins(&self, step: Step<'_>) {
        let Some(line) = &self.line else { return };
        let mut line = line.borrow_mut();
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
        };
    }

    fn progress(&self, done: u64, total: u64) {
        let Some(line) = &self.line else { return };
        let mut line = line.borrow_mut();
        let is_time = match line.told {
            Some(told) => told.elapsed() >= TELL_EVERY,
            None => line.started.elapsed() >= QUIET,
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
        let _ = write!(io::stderr(), "\r\x1b[K{}  {percent} % {amount}", line.what);
        let _ = io::stderr().flush();
    }

    fn is_cancelled(&self) -> bool {
        self.interrupt.as_ref().is_some_and(Interrupt::is_pressed)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.line.as_ref().is_some_and(|line| line.borrow().told.is_some()) {
            let _ = write!(io::stderr(), "\r\x1b[K");
            let _ = io::stderr().flush();
        }
    }
}
