//! What `strata compact` is asked.

/// Who writes the summaries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SummaryModel {
    /// Sentences taken from the events.
    Extractive,
    /// Nobody; summaries have a usual or stated size.
    Sized,
    /// The endpoint of this name.
    Endpoint(String),
}

impl SummaryModel {
    /// `extractive`, `sized`, or the name of an endpoint.
    pub fn named(name: &str) -> Self {
        match name {
            "extractive" => Self::Extractive,
            "sized" => Self::Sized,
            endpoint => Self::Endpoint(endpoint.to_owned()),
        }
    }
}

/// What a run is asked.
#[derive(Debug, Clone)]
pub struct CompactChoice {
    pub config: String,
    /// In place of google-adk's summary prompt.
    pub prompt: Option<String>,
    pub model: SummaryModel,
    /// The name of the experiment that is made of the result.
    pub apply: Option<String>,
}
