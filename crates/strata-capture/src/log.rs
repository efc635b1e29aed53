//! The log of a gateway: JSON, a line for each thing heard. It only grows, so that it can be followed.
//!
//! | line | what it holds |
//! |---|---|
//! | `{"strata_capture":1,"began":…}` | the first one |
//! | `{"strata_capture":1,"piece":"HASH","text":…}` | a part of the requests behind it |
//! | `{"strata_capture":1,"request":N,…,"body":["…",{"piece":"HASH"},…]}` | a request when all of it was sent; the parts joined are its body |
//! | `{"strata_capture":1,"answer":N,…,"body":"…"}` | what came back, when it had ended |
//!
//! Bodies are there as they were sent, without their compression and with what looks like a key masked; what is no text
//! stands as `body_base64`.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use strata_wire::coding::decoded;

use crate::exchange::{ExchangeId, Headers};
use crate::pieces::pieces;
use crate::redact;

/// The version of the format.
const VERSION: u32 = 1;

/// Pieces below this stand in the line of their request.
const LEAST_PIECE: usize = 512;

/// The first 16 bytes of a SHA-256.
type Hash = [u8; 16];

/// Writes lines, each whole and at once.
#[derive(Debug)]
pub(crate) struct Log {
    file: File,
    /// The pieces that stand in the file.
    known: HashSet<Hash>,
}

/// What is known of a request besides its body.
#[derive(Debug, Serialize)]
pub(crate) struct RequestLine<'l> {
    #[serde(rename = "request")]
    pub(crate) id: ExchangeId,
    /// When its head came in, in epoch seconds.
    pub(crate) at: f64,
    pub(crate) method: &'l str,
    pub(crate) url: &'l str,
    pub(crate) upstream: &'l str,
    pub(crate) headers: &'l Headers,
    /// As they were sent, compressed or not.
    pub(crate) bytes: u64,
}

/// What is known of an answer besides its body.
#[derive(Debug, Serialize)]
pub(crate) struct AnswerLine<'l> {
    #[serde(rename = "answer")]
    pub(crate) to: ExchangeId,
    /// When its head came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) at: Option<f64>,
    pub(crate) ended: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    pub(crate) headers: &'l Headers,
    pub(crate) bytes: u64,
    /// Milliseconds since the request, and bytes.
    pub(crate) writes: &'l [(u64, usize)],
    pub(crate) end: &'l str,
    /// What of the exchange is not here, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) incomplete: Option<&'l str>,
}

#[derive(Serialize)]
struct Line<'l, L> {
    strata_capture: u32,
    #[serde(flatten)]
    head: &'l L,
    #[serde(flatten)]
    body: Body<'l>,
}

#[derive(Serialize)]
enum Body<'l> {
    #[serde(rename = "body")]
    Text(&'l str),
    #[serde(rename = "body")]
    Parts(Vec<Part<'l>>),
    #[serde(rename = "body_base64")]
    Base64(String),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Part<'l> {
    Text(&'l str),
    Piece { piece: String },
}

/// A new file that only its owner can read, to add to.
pub(crate) fn own_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Log {
    /// A new file that only its owner can read.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let mut log = Self { file: own_file(path)?, known: HashSet::new() };
        let began =
            SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        log.write(&serde_json::json!({"strata_capture": VERSION, "began": began}))?;
        Ok(log)
    }

    /// Writes a request, after the pieces of it that are not there yet.
    pub(crate) fn request(&mut self, line: &RequestLine<'_>, body: &[u8]) -> io::Result<()> {
        let body = decoded(body, encoding(line.headers));
        let Ok(text) = std::str::from_utf8(&body) else {
            return self.write_with(line, Body::Base64(STANDARD.encode(&body)));
        };
        let text = redact::body(text);
        let mut parts = Vec::new();
        for piece in pieces(&text) {
            if piece.len() < LEAST_PIECE {
                parts.push(Part::Text(piece));
                continue;
            }
            let hash = hash_of(piece);
            let name = format!("{:032x}", u128::from_be_bytes(hash));
            if !self.known.contains(&hash) {
                self.write(&serde_json::json!({"strata_capture": VERSION, "piece": name, "text": piece}))?;
                self.known.insert(hash);
            }
            parts.push(Part::Piece { piece: name });
        }
        self.write_with(line, Body::Parts(parts))
    }

    pub(crate) fn answer(&mut self, line: &AnswerLine<'_>, body: &[u8]) -> io::Result<()> {
        let body = decoded(body, encoding(line.headers));
        match std::str::from_utf8(&body) {
            Ok(text) => self.write_with(line, Body::Text(&redact::body(text))),
            Err(_) => self.write_with(line, Body::Base64(STANDARD.encode(&body))),
        }
    }

    fn write_with(&mut self, line: &impl Serialize, body: Body<'_>) -> io::Result<()> {
        self.write(&Line { strata_capture: VERSION, head: line, body })
    }

    /// One write a line: a reader never sees a part of one that is there to stay.
    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        self.file.write_all(&bytes)
    }
}

fn encoding(headers: &Headers) -> &str {
    headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-encoding"))
        .map_or("", |(_, value)| value)
}

fn hash_of(piece: &str) -> Hash {
    let mut hash = Hash::default();
    hash.copy_from_slice(&Sha256::digest(piece)[..16]);
    hash
}
