//! A batch as it is written: the JSON of an export request, on one line, without credentials and without what cannot be read.

use hyper::StatusCode;
use strata_model::{Json, Object, json};
use strata_wire::otlp;

use super::answer::{Encoding, Refusal};
use super::signal::Signal;
use crate::redact;

/// How deep a batch may be nested.
const MAX_DEPTH: usize = 64;

pub(super) struct Batch {
    pub(super) line: String,
    pub(super) n_kept: u64,
    pub(super) n_rejected: u64,
    pub(super) problem: Option<String>,
}

/// The names of the lists within one another, in both spellings.
type Lists = [[&'static str; 2]; 3];

const SPANS: Lists = [["resourceSpans", "resource_spans"], ["scopeSpans", "scope_spans"], ["spans", "spans"]];
const RECORDS: Lists =
    [["resourceLogs", "resource_logs"], ["scopeLogs", "scope_logs"], ["logRecords", "log_records"]];

impl Batch {
    pub(super) fn read(signal: Signal, encoding: Encoding, bytes: &[u8]) -> Result<Self, Refusal> {
        let bad = |why: String| Refusal::new(StatusCode::BAD_REQUEST, why);
        let mut request = match encoding {
            Encoding::Protobuf => {
                let read = if signal == Signal::Traces { otlp::traces(bytes) } else { otlp::logs(bytes) };
                read.ok_or_else(|| bad("The batch is no protobuf of an export request.".into()))?
            }
            Encoding::Json => match json::parse(bytes) {
                Ok(Json::Object(request)) => request,
                Ok(_) => return Err(bad("The batch is no export request: it is no object.".into())),
                Err(error) => return Err(bad(format!("The batch is no JSON: {error}"))),
            },
        };
        if request.values().any(|value| is_deeper(value, MAX_DEPTH - 1)) {
            return Err(bad(format!("The batch is nested deeper than {MAX_DEPTH} levels.")));
        }
        let (lists, is_whole): (_, fn(&Object) -> bool) = match signal {
            Signal::Traces => {
                (SPANS, |span| has_id(span, &["traceId", "trace_id"]) && has_id(span, &["spanId", "span_id"]))
            }
            Signal::Logs | Signal::Metrics => (RECORDS, |_| true),
        };
        let mut sifted = Sifted { n_kept: 0, n_rejected: 0 };
        sifted.sift(&mut request, &lists, is_whole);
        let what =
            if signal == Signal::Traces { "spans without ids" } else { "log records that are no objects" };
        let problem = (sifted.n_rejected > 0).then(|| format!("{} {what} were left out.", sifted.n_rejected));
        let mut request = Json::Object(request);
        redact::json(&mut request);
        let line = json::to_compact(&request) + "\n";
        Ok(Self { line, n_kept: sifted.n_kept, n_rejected: sifted.n_rejected, problem })
    }
}

struct Sifted {
    n_kept: u64,
    n_rejected: u64,
}

impl Sifted {
    /// Takes out what is not whole, at the bottom of lists in lists.
    fn sift(&mut self, holder: &mut Object, lists: &[[&str; 2]], is_whole: fn(&Object) -> bool) {
        let Some(([name, other], inner)) = lists.split_first() else { return };
        let name = if holder.contains_key(name) { name } else { other };
        let Some(list) = holder.get_mut(name) else { return };
        let Json::Array(items) = std::mem::take(list) else {
            self.n_rejected += 1;
            return;
        };
        let mut kept = Vec::with_capacity(items.len());
        for item in items {
            match item {
                Json::Object(mut item) if !inner.is_empty() => {
                    self.sift(&mut item, inner, is_whole);
                    kept.push(Json::Object(item));
                }
                Json::Object(item) if is_whole(&item) => {
                    self.n_kept += 1;
                    kept.push(Json::Object(item));
                }
                _ => self.n_rejected += 1,
            }
        }
        *list = Json::Array(kept);
    }
}

fn has_id(span: &Object, names: &[&str]) -> bool {
    names.iter().any(|name| span.get(name).and_then(Json::as_str).is_some_and(|id| !id.is_empty()))
}

fn is_deeper(value: &Json, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else { return true };
    match value {
        Json::Array(items) => items.iter().any(|item| is_deeper(item, left)),
        Json::Object(object) => object.values().any(|item| is_deeper(item, left)),
        _ => false,
    }
}
