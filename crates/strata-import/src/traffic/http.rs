//! Requests and answers as HTTP carries them.

use std::io::Read as _;

use strata_model::{Json, Str};

use crate::draft::Draft;
use crate::source::SourceRecord;
use crate::wire::{Exchange, read_exchange};

/// A recorded pair of bodies.
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) request: Str,
    pub(crate) response: Option<Str>,
    pub(crate) status: Option<i64>,
    /// When it was sent and when its answer was there, in epoch seconds.
    pub(crate) time: Option<f64>,
    pub(crate) end: Option<f64>,
    pub(crate) source: SourceRecord,
}

impl Pair {
    /// The exchange, when the request was to a model.
    pub(crate) fn exchange(self, draft: &mut Draft) -> Option<Exchange> {
        let response = self.response.map(Json::from);
        let mut exchange = read_exchange(Json::from(self.request), response, self.source, draft)?;
        exchange.time = self.time;
        exchange.end = self.end;
        if let Some(answer) = &mut exchange.answer
            && let Some(status) = self.status.filter(|status| *status >= 400)
        {
            let said: Str = format!("the provider answered with status {status}").into();
            answer.error.get_or_insert((format!("HTTP {status}").into(), said));
        }
        Some(exchange)
    }
}

/// The text of a body, unpacked when it is compressed.
pub(super) fn text_of(bytes: &[u8]) -> Str {
    const GZIP: &[u8] = b"\x1f\x8b";
    /// No request of a model is larger; an archive that says so is none.
    const MAX_BYTES: u64 = 256 << 20;
    let mut unpacked = Vec::new();
    if bytes.starts_with(GZIP)
        && flate2::read::MultiGzDecoder::new(bytes).take(MAX_BYTES).read_to_end(&mut unpacked).is_ok()
    {
        return String::from_utf8_lossy(&unpacked).into();
    }
    String::from_utf8_lossy(bytes).into()
}
