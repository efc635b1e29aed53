//! Telling a person what went wrong outside the page.

use std::any::Any;
use std::io::Write as _;
use std::process::ExitCode;
use std::{panic, thread};

use strata_app::AppError;
use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt as _, MessageDialogKind};

/// The window never came up: there is nothing but the terminal to write to.
pub(crate) fn report(message: &str) -> ExitCode {
    // With the terminal gone as well there is nobody left to tell.
    let _ = writeln!(std::io::stderr(), "{message}");
    ExitCode::from(2)
}

/// Keeps panics of this thread off the terminal, for a caller that catches them. Those of other threads are defects and
/// stay visible.
pub(crate) fn silence_panics_of_this_thread() {
    let this_thread = thread::current().id();
    let show = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if thread::current().id() != this_thread {
            show(panic);
        }
    }));
}

/// What a caught panic said.
pub(crate) fn words_of(panic: &(dyn Any + Send)) -> String {
    let text =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it gave no reason").to_owned()
}

/// Says why the app did not start, and ends it when that was read.
pub(crate) fn tell_and_exit(app: &AppHandle, error: &AppError) {
    report(&text(error));
    let handle = app.clone();
    dialog(app, "Strata did not start", error, move || handle.exit(2));
}

/// Says what did not work. The app goes on.
pub(crate) fn tell(app: &AppHandle, title: &str, error: &AppError) {
    dialog(app, title, error, || ());
}

fn dialog(app: &AppHandle, title: &str, error: &AppError, when_read: impl FnOnce() + Send + 'static) {
    let message = app.dialog().message(text(error)).title(title).kind(MessageDialogKind::Error);
    message.show(move |_| when_read());
}

fn text(error: &AppError) -> String {
    match &error.detail {
        Some(detail) => format!("{}\n\n{detail}", error.message),
        None => error.message.clone(),
    }
}
