//! The life of the desktop program: one app behind one window.

use std::path::Path;
use std::sync::Arc;

use strata_app::{AppError, Host, Options, Strata, Subscription, default_database};
use tauri::{AppHandle, Builder, Emitter as _, Manager as _, Wry, async_runtime};
use tauri_plugin_window_state::StateFlags;

use crate::arguments::{Arguments, files_of_start};
use crate::{commands, failure, window};

/// Runs until the window is closed. Returns the exit code.
pub(crate) fn run(arguments: Arguments) -> tauri::Result<i32> {
    // A database of its own means a window of its own: the running one would put the files in another database.
    let builder = if arguments.database.is_none() { one_instance() } else { Builder::default() };
    let app = builder
        .plugin(tauri_plugin_dialog::init())
        .plugin(
            tauri_plugin_window_state::Builder::default()
                .with_state_flags(StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED)
                .build(),
        )
        .invoke_handler(tauri::generate_handler![
            commands::dispatch,
            commands::dispatch_bytes,
            commands::pick_files,
            commands::save_text,
            commands::save_image
        ])
        .setup(|app| {
            let handle = app.handle();
            if let Err(error) = start(handle, arguments) {
                failure::tell_and_exit(handle, &error);
            }
            Ok(())
        })
        .build(tauri::generate_context!())?;
    Ok(app.run_return(|_, _| ()))
}

/// Whether there is a screen to draw on, as far as that is known before trying.
pub(crate) fn has_display() -> bool {
    let is_named = |variable| std::env::var_os(variable).is_some_and(|display| !display.is_empty());
    !cfg!(target_os = "linux") || is_named("DISPLAY") || is_named("WAYLAND_DISPLAY")
}

/// A builder whose app hands its arguments to the one that already runs, if any, and ends.
fn one_instance() -> Builder<Wry> {
    Builder::default().plugin(tauri_plugin_single_instance::init(|app, arguments, folder| {
        let handle = app.clone();
        // The main thread takes this up after the start, so there is a window to show.
        let handed_over =
            app.run_on_main_thread(move || continue_from(&handle, &arguments, Path::new(&folder)));
        if let Err(error) = handed_over {
            failure::report(&format!(
                "The files of another start were not opened: {error}. Open them in the window."
            ));
        }
    }))
}

fn start(app: &AppHandle, arguments: Arguments) -> Result<(), AppError> {
    let Arguments { files, database } = arguments;
    let database = database.map_or_else(default_database, Ok)?;
    let runtime = async_runtime::handle().inner().clone();
    let options = Options { host: Host::Desktop, database: Some(database), open: files, runtime };
    let strata = Strata::start(options)?;
    forward_notifications(app.clone(), strata.subscribe());
    app.manage(strata);
    window::open(app)
}

/// Shows the window and opens the files of another start in it.
fn continue_from(app: &AppHandle, arguments: &[String], folder: &Path) {
    window::show(app);
    let Some(strata) = app.try_state::<Arc<Strata>>() else { return };
    let files = match files_of_start(arguments, folder) {
        Ok(files) => files,
        Err(error) => {
            failure::tell(app, "Strata is already open", &AppError::bad_input(error.to_string()));
            return;
        }
    };
    strata.open_paths(files);
}

/// Passes notifications to the page for as long as the app lives.
fn forward_notifications(app: AppHandle, mut notifications: Subscription) {
    async_runtime::spawn(async move {
        while let Some(notification) = notifications.next().await {
            // A page that is gone asks anew when it is back.
            let _ = app.emit("notification", notification);
        }
    });
}
