//! The one window.

use strata_app::AppError;
use tauri::webview::NewWindowResponse;
use tauri::{AppHandle, Manager as _, Url, WebviewUrl, WebviewWindowBuilder};

const LABEL: &str = "main";
const SIZE: (f64, f64) = (1440.0, 900.0);
/// Below this the views do not fit.
const MIN_SIZE: (f64, f64) = (1100.0, 700.0);

/// Opens the window. Its title follows the page's.
pub(crate) fn open(app: &AppHandle) -> Result<(), AppError> {
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::default())
        .title("Strata")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(MIN_SIZE.0, MIN_SIZE.1)
        .on_navigation(is_own_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_document_title_changed(|window, title| {
            // A title that cannot be set is not worth a word.
            let _ = window.set_title(&title);
        })
        .build()
        .map(|_| ())
        .map_err(|error| {
            let message = "Strata could not open its window. Nothing was changed. Use `strata serve` and open the \
                           address it prints in a browser.";
            AppError::internal(message).with_detail(&error)
        })
}

/// Brings the window to the front.
pub(crate) fn show(app: &AppHandle) {
    let Some(window) = app.get_webview_window(LABEL) else { return };
    // Window managers may refuse any of these; the person still finds the window in the task bar.
    let _ = window.unminimize();
    let _ = window.show();
    let _ = window.set_focus();
}

/// The page is the only one this window ever shows: text of a session must not be able to lead it elsewhere.
fn is_own_page(url: &Url) -> bool {
    let is_app_scheme = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    // Windows has no custom schemes and uses this name instead.
    is_app_scheme || url.host_str() == Some("tauri.localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_the_app_are_shown() {
        let is_own = |url: &str| is_own_page(&url.parse().unwrap());
        assert!(is_own("tauri://localhost/index.html#session=3"));
        assert!(is_own("http://tauri.localhost/"));
        assert!(!is_own("https://example.org/"));
        assert!(!is_own("file:///etc/passwd"));
        assert!(!is_own("data:text/html,hello"));
    }
}
