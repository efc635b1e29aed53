//! A request with its answer, as the gateway hears of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use bytes::Bytes;

/// Counted from 1, within one gateway.
pub(crate) type ExchangeId = u64;

/// Gives exchanges their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Numbers(Arc<AtomicU64>);

impl Numbers {
    pub(crate) fn next(&self) -> ExchangeId {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Names and values of headers, in their order and their case, with credentials masked.
pub(crate) type Headers = Vec<(String, String)>;

/// Something that happened to an exchange.
#[derive(Debug)]
pub(crate) enum Told {
    Begin {
        method: String,
        url: String,
        upstream: String,
        headers: Headers,
        at: SystemTime,
    },
    RequestBytes(Bytes),
    RequestIsThere,
    /// It was held, and is now sent.
    Sent(SystemTime),
    Answer {
        status: u16,
        headers: Headers,
        at: SystemTime,
    },
    AnswerBytes(Bytes, SystemTime),
    End {
        end: End,
        is_whole: bool,
        at: SystemTime,
    },
    /// Of what a client did elsewhere nothing is kept.
    PassedThrough(Finished),
}

impl Told {
    /// The bytes that wait to be written.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::RequestBytes(bytes) | Self::AnswerBytes(bytes, _) => bytes.len(),
            _ => 0,
        }
    }
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    ClientLeft,
    ProviderLeft,
    /// Nobody answered at the provider's address.
    Unreachable,
    /// It was held, and not sent.
    Refused,
}

impl End {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ClientLeft => "client-left",
            Self::ProviderLeft => "provider-left",
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
        }
    }
}

/// An exchange that is over, for whoever looks on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    pub number: u64,
    pub method: String,
    /// Without keys.
    pub url: String,
    /// `None` where no answer came.
    pub status: Option<u16>,
    /// In bytes, as they were sent.
    pub sent: u64,
    pub received: u64,
    /// How long it was held before it was sent, in milliseconds.
    pub held_ms: u64,
    /// From when it was sent to the first byte of the answer, and to its last, in milliseconds.
    pub first_byte_ms: Option<u64>,
    pub ms: u64,
    /// What of it is not in the log, or how it ended where it did not end well.
    pub problem: Option<String>,
}

impl Finished {
    /// It was a connection through the forward proxy to a host of no provider.
    pub fn is_elsewhere(&self) -> bool {
        self.method == "CONNECT"
    }
}
