//! What the page may call.

use std::sync::Arc;

use strata_app::{AppError, Reply, Strata};
use tauri::ipc::Response;
use tauri::{State, WebviewWindow, async_runtime};
use tauri_plugin_dialog::DialogExt as _;

type App<'a> = State<'a, Arc<Strata>>;

/// Runs a command that answers in JSON, and returns the text.
#[tauri::command]
pub(crate) async fn dispatch(app: App<'_>, name: String, params: String) -> Result<String, AppError> {
    match run(&app, name.clone(), params).await? {
        Reply::Json(text) => Ok(text),
        Reply::Bytes(_) => Err(AppError::bad_input(format!("`{name}` answers in bytes, not JSON."))),
    }
}

/// Runs a command that answers in bytes.
#[tauri::command]
pub(crate) async fn dispatch_bytes(app: App<'_>, name: String, params: String) -> Result<Response, AppError> {
    match run(&app, name.clone(), params).await? {
        Reply::Bytes(bytes) => Ok(Response::new(bytes)),
        Reply::Json(_) => Err(AppError::bad_input(format!("`{name}` answers in JSON, not bytes."))),
    }
}

/// Lets a person choose files, or folders. No paths when they change their mind.
#[tauri::command]
pub(crate) async fn pick_files(window: WebviewWindow, folders: bool) -> Result<Vec<String>, AppError> {
    let title = if folders { "Import folders" } else { "Open sessions" };
    let dialog = window.dialog().file().set_parent(&window).set_title(title);
    let pick = move || if folders { dialog.blocking_pick_folders() } else { dialog.blocking_pick_files() };
    let picked = async_runtime::spawn_blocking(pick).await.map_err(|error| {
        internal("The file dialog could not be shown. Drop files on the window instead.", &error)
    })?;
    Ok(picked.unwrap_or_default().iter().map(ToString::to_string).collect())
}

/// Lets a person choose where a text is saved, and saves it there. The path; none when they change their mind.
#[tauri::command]
pub(crate) async fn save_text(
    window: WebviewWindow,
    name: String,
    text: String,
) -> Result<Option<String>, AppError> {
    save(&window, name, text.as_bytes()).await
}

/// The same for an image.
#[tauri::command]
pub(crate) async fn save_image(
    window: WebviewWindow,
    name: String,
    bytes: Vec<u8>,
) -> Result<Option<String>, AppError> {
    save(&window, name, &bytes).await
}

async fn save(window: &WebviewWindow, name: String, content: &[u8]) -> Result<Option<String>, AppError> {
    let dialog = window.dialog().file().set_parent(window).set_title("Save").set_file_name(name);
    let chosen = async_runtime::spawn_blocking(move || dialog.blocking_save_file());
    let chosen = chosen.await.map_err(|error| internal("The file dialog could not be shown.", &error))?;
    let Some(path) = chosen.and_then(|chosen| chosen.into_path().ok()) else { return Ok(None) };
    std::fs::write(&path, content).map_err(|error| {
        let message = format!("{} could not be written. Nothing else was changed.", path.display());
        AppError::bad_input(message).with_detail(&error)
    })?;
    Ok(Some(path.display().to_string()))
}

/// Commands compute and read files, so they run on threads that may block.
async fn run(app: &Arc<Strata>, name: String, params: String) -> Result<Reply, AppError> {
    let app = Arc::clone(app);
    let command = name.clone();
    async_runtime::spawn_blocking(move || app.dispatch(&command, &params)).await.unwrap_or_else(|error| {
        let message = format!(
            "`{name}` hit a defect of Strata. The session is untouched. Please report it with the details."
        );
        Err(internal(&message, &error))
    })
}

fn internal(message: &str, cause: &tauri::Error) -> AppError {
    AppError::internal(message).with_detail(&cause)
}
