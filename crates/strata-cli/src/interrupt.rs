//! Ctrl-C as a question that long work asks.

use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of a command that Ctrl-C stopped, as shells expect it.
pub(crate) const STOPPED: u8 = 130;

/// Whether somebody pressed Ctrl-C.
#[derive(Debug, Clone)]
pub(crate) struct Interrupt {
    is_pressed: Arc<AtomicBool>,
}

impl Interrupt {
    /// From now on Ctrl-C does not end the program but is remembered; pressed again, it does end it.
    pub(crate) fn listen() -> Self {
        let interrupt = Self { is_pressed: Arc::default() };
        let pressed = interrupt.is_pressed.clone();
        std::thread::spawn(move || {
            // Without a way to be told, Ctrl-C ends the program at once. An import keeps what is stored even then.
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_io().build() else {
                return;
            };
            runtime.block_on(async {
                if tokio::signal::ctrl_c().await.is_err() {
                    return;
                }
                pressed.store(true, Ordering::Relaxed);
                let _ = writeln!(std::io::stderr(), "\rStopping. Press Ctrl-C again to end at once.");
                if tokio::signal::ctrl_c().await.is_ok() {
                    std::process::exit(STOPPED.into());
                }
            });
        });
        interrupt
    }

    pub(crate) fn is_pressed(&self) -> bool {
        self.is_pressed.load(Ordering::Relaxed)
    }
}
