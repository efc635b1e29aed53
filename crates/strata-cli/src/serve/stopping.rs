//! How a server is asked to stop, and how long it may take.

use std::time::Duration;

/// How long requests in flight may take after Ctrl-C.
pub(crate) const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Ends on Ctrl-C or when the system asks the program to end.
pub(crate) async fn asked_to_stop() {
    // Without a way to be told, the server runs until it is killed.
    #[cfg(unix)]
    if let Ok(mut terminated) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => return,
            _ = terminated.recv() => return,
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
