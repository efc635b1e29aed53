//! A server on this computer, from its port to its last answers.

use std::future::IntoFuture as _;
use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// How long requests in flight may take after Ctrl-C.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Listens to this computer alone; 0 is a free port.
pub(crate) async fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.with_context(|| {
        format!("Port {port} cannot be opened. Choose another with `--port`, or leave it out for a free one.")
    })
}

/// Serves until somebody asks it to stop. `stop` is cancelled then, for answers that would go on.
pub(crate) async fn serve_until_asked(
    listener: TcpListener,
    router: Router,
    stop: CancellationToken,
) -> io::Result<()> {
    let server = axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
    let interrupted = async {
        asked_to_stop().await;
        stop.cancel();
        tokio::time::sleep(LAST_ANSWERS).await;
    };
    tokio::select! {
        ended = server.into_future() => ended,
        () = interrupted => Ok(()),
    }
}

/// Ends on Ctrl-C or when the system asks the program to end.
async fn asked_to_stop() {
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
