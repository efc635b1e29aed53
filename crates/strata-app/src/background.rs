//! Work that goes on while people look at something else.

use std::thread;

/// How much less a thread of the background gets of a processor than one that somebody waits for, as of `nice`.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

/// Does something on a thread of its own, which lets those go first that answer commands and draw. What it starts (threads
/// of a pool, programs) gets no more than it, for good: jobs, which start such, have threads of the usual kind.
pub(crate) fn spawn(work: impl FnOnce() + Send + 'static) {
    thread::spawn(move || {
        give_way();
        work();
    });
}

#[cfg(target_os = "linux")]
fn give_way() {
    // On Linux that is the calling thread. Where it is refused, the thread runs as all others do.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

#[cfg(not(target_os = "linux"))]
fn give_way() {}
