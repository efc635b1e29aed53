//! A WebSocket: passed on byte by byte, both ways, with a copy aside.

use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, split};

use crate::copy::{Tape, Way};
use crate::exchange::{End, Told};

/// So many bytes are read at once at most.
const READ: usize = 16 << 10;

/// Passes on what both sides say until one of them is gone.
pub(crate) async fn run(client: Upgraded, provider: Upgraded, tape: Arc<Tape>) {
    let (mut from_client, mut to_client) = split(TokioIo::new(client));
    let (mut from_provider, mut to_provider) = split(TokioIo::new(provider));
    let up = pass_on(&mut from_client, &mut to_provider, &tape, Way::Up);
    let down = pass_on(&mut from_provider, &mut to_client, &tape, Way::Down);
    // Whoever ends first has ended for both: a WebSocket that is half closed says nothing more.
    let end = tokio::select! {
        passed = up => passed.map_or(End::ClientLeft, |()| End::Complete),
        passed = down => passed.map_or(End::ProviderLeft, |()| End::Complete),
    };
    // What the other side still reads: the end, as it was told.
    let _ = tokio::join!(to_client.shutdown(), to_provider.shutdown());
    tape.end(end);
}

async fn pass_on(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    tape: &Tape,
    way: Way,
) -> io::Result<()> {
    let mut buffer = vec![0; READ];
    loop {
        let n = from.read(&mut buffer).await?;
        if n == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..n]).await?;
        to.flush().await?;
        // Frames cannot be told from one another behind a gap.
        if tape.is_whole() {
            let bytes = Bytes::copy_from_slice(&buffer[..n]);
            tape.tell(match way {
                Way::Up => Told::RequestBytes(bytes),
                Way::Down => Told::AnswerBytes(bytes, SystemTime::now()),
            });
        }
    }
}
