//! A log record, which may belong to a span.

use strata_model::Str;

use crate::source::SourceRecord;
use crate::telemetry::span::Event;

pub(super) struct Log {
    pub(super) trace: Str,
    pub(super) span: Str,
    pub(super) time: Option<f64>,
    pub(super) event: Event,
    pub(super) source: SourceRecord,
}
