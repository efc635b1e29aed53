//! The desktop shell: one window over the use cases of [`strata_app`].
//!
//! The shell owns what only a desktop program can do: the window, native dialogs, files given as arguments or by a
//! second start, and carrying commands and notifications between the page and the app. It has no logic of its own.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

mod arguments;
mod commands;
#[cfg(target_os = "linux")]
mod environment;
mod failure;
mod shell;
mod window;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if !shell::has_display() {
        return failure::report(
            "Strata needs a display, and there is none here. Nothing was changed. Use `strata serve` and open the \
             address it prints in a browser.",
        );
    }
    #[cfg(target_os = "linux")]
    environment::settle();
    // Window toolkits panic where they cannot start; a person gets a sentence instead of a backtrace.
    failure::silence_panics_of_this_thread();
    let failed = match catch_unwind(AssertUnwindSafe(|| shell::run(arguments))) {
        Ok(Ok(code)) => return ExitCode::from(u8::try_from(code).unwrap_or(1)),
        Ok(Err(error)) => error.to_string(),
        Err(panic) => failure::words_of(&*panic),
    };
    failure::report(&format!(
        "Strata cannot show its window: {failed}. Your sessions are untouched. Use `strata serve` and open the address \
         it prints in a browser."
    ))
}
