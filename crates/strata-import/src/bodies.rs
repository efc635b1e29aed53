//! Bodies that stand in texts.

use strata_model::Json;
use strata_model::json::{self, Interner, JsonError, Repeats};
use strata_model::take::unpacked_by;

/// Bodies of requests that stand in texts, one after the other: each repeats most of one before it.
#[derive(Debug, Default)]
pub(crate) struct Bodies {
    interner: Interner,
    repeats: Repeats,
}

impl Clone for Bodies {
    /// A copy begins without what was remembered: that only saves work.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Bodies {
    pub(crate) fn parse(&mut self, text: &str) -> Result<Json, JsonError> {
        json::parse_repeated(text.as_bytes(), &mut self.interner, &mut self.repeats)
    }

    /// The value that stands in a text as JSON, through up to three levels of text in text.
    pub(crate) fn unpacked(&mut self, value: Json) -> Json {
        unpacked_by(value, |text| json::parse_repeated(text, &mut self.interner, &mut self.repeats))
    }
}
