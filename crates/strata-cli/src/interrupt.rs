//! Ctrl-C as a token that long work awaits, or looks at.

use std::io::Write as _;

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// The exit code of a command that Ctrl-C stopped, as shells expect it.
pub(crate) const STOPPED: u8 = 130;

/// Cancelled when somebody presses Ctrl-C, which from now on does not end the program; pressed again, it does.
pub(crate) fn interrupted(runtime: &Handle) -> CancellationToken {
    let stop = CancellationToken::new();
    let pressed = stop.clone();
    runtime.spawn(async move {
        // Without a way to be told, Ctrl-C ends the program at once. An import keeps what is stored even then.
        if tokio::signal::ctrl_c().await.is_err() {
            return;
        }
        pressed.cancel();
        let _ = writeln!(std::io::stderr(), "\rStopping. Press Ctrl-C again to end at once.");
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(STOPPED.into());
        }
    });
    stop
}
