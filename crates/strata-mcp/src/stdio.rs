//! A client that starts the server and talks to it by its input and output.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, Result};
use rmcp::service::serve_server;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Handle;

use crate::Options;
use crate::knows::Knows;
use crate::server::Server;

/// Bytes on the way.
const ROOM: usize = 256 * 1024;

/// Answers until the client closes the server's input.
pub fn stdio(options: Options, runtime: &Handle) -> Result<()> {
    let knows = Arc::new(Knows::new(options.database));
    let (ours, theirs) = tokio::io::duplex(ROOM);
    let (from_us, to_us) = tokio::io::split(theirs);
    // The process's own input and output block: each has a thread.
    let reading = runtime.clone();
    thread::spawn(move || copy_in(to_us, &reading));
    let writing = runtime.clone();
    let written = thread::spawn(move || copy_out(from_us, &writing));
    runtime.block_on(async {
        let service = match serve_server(Server::new(knows), ours).await {
            Ok(service) => service,
            // A client that leaves before it has said anything was only trying.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
            Err(error) => return Err(error).context("The client did not begin as the protocol has it."),
        };
        service.waiting().await.context("The server ended. Start it again.").map(drop)
    })?;
    // What was answered last is still on its way.
    let _ = written.join();
    Ok(())
}

fn copy_in(mut to_us: impl tokio::io::AsyncWrite + Unpin, runtime: &Handle) {
    let mut piece = vec![0; ROOM];
    let mut input = io::stdin().lock();
    loop {
        match input.read(&mut piece) {
            Ok(n @ 1..) if runtime.block_on(to_us.write_all(&piece[..n])).is_ok() => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            _ => break,
        }
    }
    // The server hears that its client has left.
    let _ = runtime.block_on(to_us.shutdown());
}

fn copy_out(mut from_us: impl tokio::io::AsyncRead + Unpin, runtime: &Handle) {
    let mut piece = vec![0; ROOM];
    let mut output = io::stdout();
    while let Ok(n @ 1..) = runtime.block_on(from_us.read(&mut piece)) {
        let Some(bytes) = piece.get(..n) else { return };
        if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}
