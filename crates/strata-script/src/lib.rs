//! Runs script processors: JavaScript that gets a request and returns another one.
//!
//! ```
//! use strata_engine::ScriptHost as _;
//! use strata_model::json;
//! use strata_script::{Limits, QuickJs};
//!
//! let host = QuickJs::new(Limits::DEFAULT);
//! let request = json::parse(br#"{"contents": [{"role": "user"}, {"role": "model"}]}"#)?;
//! let script = "export function process(request) { request.contents.pop(); return request }";
//! let run = host.run(script, &request, &json::Json::Null);
//! assert_eq!(json::to_compact(&run.result.unwrap()), r#"{"contents":[{"role":"user"}]}"#);
//! # Ok::<(), json::JsonError>(())
//! ```
//!
//! Every run has an interpreter of its own, so that no run leaves anything to the next. There is nothing in it that
//! reaches files, network, clock or chance. Time, memory and stack are bounded; whatever a script does, a run ends with
//! a result or a [`ScriptFailure`].
//!
//! The interpreter looks at its time limit between steps of the script. Some built-in functions can be made to work on
//! without taking a step; those that work on lists refuse lists too long to be real ones, and a run that does not end
//! for all that is left to itself and reported as one that took too long.

mod console;
mod failure;
mod limits;
mod sandbox;
mod written;

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use strata_engine::{ScriptFailure, ScriptHost, ScriptRun};
use strata_model::{Json, json};

use sandbox::{Call, PROCESS, Task};

pub use limits::{FILE_NAME, Limits};

/// Beyond the time for the script, for handing over requests and results.
const GRACE: Duration = Duration::from_secs(3);
/// Bytes of a thread's stack beside the interpreter's.
const THREAD_STACK: usize = 4 << 20;
/// Runs that never ended, at which nothing is run any more.
const MAX_LOST: usize = 3;

/// Runs scripts with QuickJS.
pub struct QuickJs {
    limits: Limits,
    /// Runs that were left to themselves and have not ended.
    lost: Arc<AtomicUsize>,
}

impl QuickJs {
    pub fn new(limits: Limits) -> Self {
        Self { limits, lost: Arc::default() }
    }

    /// Calls `export function NAME(args, context)` of a script, and gives `[result, context]`: what it returned, and what
    /// it made of its context.
    pub fn call(&self, source: &str, function: &str, args: &Json, context: &Json) -> ScriptRun {
        let arguments = (json::to_compact(args), json::to_compact(context));
        self.run_apart(
            source,
            Task::Call(Call { function: function.to_owned(), arguments, gives_second: true }),
        )
    }

    /// The names of the functions that a script exports, as an array.
    pub fn exports(&self, source: &str) -> ScriptRun {
        self.run_apart(source, Task::Exports)
    }

    /// Runs on a thread of its own, which is left to itself when it does not end.
    fn run_apart(&self, source: &str, task: Task) -> ScriptRun {
        if self.lost.load(Ordering::Relaxed) >= MAX_LOST {
            let message =
                "Scripts that cannot be stopped are still running. Start Strata again to run scripts.";
            return failed("time", message);
        }
        let (sender, receiver) = channel();
        let (limits, source) = (self.limits, source.to_owned());
        let thread =
            std::thread::Builder::new().name("script".to_owned()).stack_size(THREAD_STACK + limits.stack);
        let progress = Arc::<AtomicU8>::default();
        let ended = Ended { progress: progress.clone(), lost: self.lost.clone() };
        let spawned = thread.spawn(move || {
            let _ended = ended;
            // The receiver is gone when the run took too long.
            let _ = sender.send(sandbox::run(limits, &source, task));
        });
        if let Err(error) = spawned {
            return failed("memory", &format!("No thread could be started for the script: {error}."));
        }
        match receiver.recv_timeout(limits.time * 2 + GRACE) {
            Ok(run) => run,
            Err(RecvTimeoutError::Timeout) => {
                let relaxed = Ordering::Relaxed;
                if progress.compare_exchange(RUNNING, GIVEN_UP, relaxed, relaxed).is_ok() {
                    self.lost.fetch_add(1, relaxed);
                }
                failed("time", &failure::too_long(limits))
            }
            Err(RecvTimeoutError::Disconnected) => {
                failed("thrown", "The interpreter failed on this script. Nothing of it was used.")
            }
        }
    }
}

const RUNNING: u8 = 0;
const GIVEN_UP: u8 = 1;
const ENDED: u8 = 2;

/// Notes that a run ended, however it ended.
struct Ended {
    progress: Arc<AtomicU8>,
    lost: Arc<AtomicUsize>,
}

impl Drop for Ended {
    fn drop(&mut self) {
        if self.progress.swap(ENDED, Ordering::Relaxed) == GIVEN_UP {
            self.lost.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl ScriptHost for QuickJs {
    fn run(&self, source: &str, request: &Json, context: &Json) -> ScriptRun {
        let arguments = (json::to_compact(request), json::to_compact(context));
        self.run_apart(
            source,
            Task::Call(Call { function: PROCESS.to_owned(), arguments, gives_second: false }),
        )
    }

    fn check(&self, source: &str) -> ScriptRun {
        self.run_apart(source, Task::Check)
    }
}

fn failed(code: &'static str, message: &str) -> ScriptRun {
    let failure = ScriptFailure { code, message: message.to_owned(), ..ScriptFailure::default() };
    ScriptRun { result: Err(failure), console: Vec::new() }
}
