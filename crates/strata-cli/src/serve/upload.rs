//! `POST /upload?name=…`

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use futures_util::TryStreamExt as _;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio_util::io::{StreamReader, SyncIoBridge};

use super::backend::Backend;
use super::failure::Failure;

/// The largest file taken. Larger ones are better opened by path, without a copy.
const MAX_UPLOAD_BYTES: u64 = 2 << 30;

#[derive(Debug, Deserialize)]
pub(crate) struct Upload {
    name: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Received {
    upload: String,
}

/// Hands the body to the app as it arrives.
pub(crate) async fn receive(
    State(backend): State<Arc<dyn Backend>>,
    upload: Result<Query<Upload>, QueryRejection>,
    body: Body,
) -> Result<Json<Received>, Failure> {
    let Query(Upload { name }) = upload.map_err(|rejection| {
        Failure::refused(
            StatusCode::BAD_REQUEST,
            format!("The file's name is missing: {}.", rejection.body_text()),
        )
    })?;
    let is_too_long = Arc::new(AtomicBool::new(false));
    let content = StreamReader::new(body.into_data_stream().map_err(io::Error::other));
    let mut content = Limited {
        content: SyncIoBridge::new(content),
        bytes_left: MAX_UPLOAD_BYTES,
        is_too_long: Arc::clone(&is_too_long),
    };
    let file = name.clone();
    let received = spawn_blocking(move || backend.receive_upload(&file, &mut content))
        .await
        .map_err(|error| Failure::defect("upload", &error))?;
    if is_too_long.load(Ordering::Relaxed) {
        return Err(too_long(&name));
    }
    Ok(Json(Received { upload: received? }))
}

fn too_long(name: &str) -> Failure {
    let gigabytes = MAX_UPLOAD_BYTES >> 30;
    Failure::refused(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!(
            "{name} is larger than {gigabytes} GB and was not taken. Read it by its path: `strata import {name}`."
        ),
    )
}

/// Content that fails where it gets too long, and remembers that it was for that reason.
struct Limited<R> {
    content: R,
    bytes_left: u64,
    is_too_long: Arc<AtomicBool>,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.content.read(buffer)? as u64;
        if n_bytes > self.bytes_left {
            self.is_too_long.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes_left -= n_bytes;
        Ok(n_bytes as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content: &[u8], limit: u64) -> (io::Result<String>, bool) {
        let is_too_long = Arc::new(AtomicBool::new(false));
        let limited = Limited { content, bytes_left: limit, is_too_long: Arc::clone(&is_too_long) };
        (io::read_to_string(limited), is_too_long.load(Ordering::Relaxed))
    }

    #[test]
    fn content_of_the_largest_size_is_read_whole() {
        let (text, is_too_long) = read(b"four", 4);
        assert_eq!(text.unwrap(), "four");
        assert!(!is_too_long);
    }

    #[test]
    fn one_byte_more_fails_and_says_why() {
        let (text, is_too_long) = read(b"fives", 4);
        assert_eq!(text.unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(is_too_long);
    }
}
