//! Models that can be asked: who serves them, whether they answer, and calls sent to them again.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::TokenCount;
use super::part::DiffLine;

/// `model/list`: endpoints that are set up, and servers found on this computer, with their models.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {
    /// Asks every endpoint again; otherwise what was known a minute ago will do.
    pub refresh: bool,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ModelList {
    pub endpoints: Vec<EndpointRow>,
    /// Where keys are kept, in a sentence; said aloud where that is only memory.
    pub keys: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EndpointRow {
    pub endpoint: Endpoint,
    pub origin: EndpointOrigin,
    pub has_key: bool,
    /// Where its key is from: "environment variable OPENAI_API_KEY", "key store", "memory".
    pub key_from: Option<String>,
    pub is_reachable: bool,
    /// What is wrong, in plain words.
    pub problem: Option<String>,
    pub models: Vec<String>,
}

/// Where models are asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    pub name: String,
    pub api: Api,
    /// `https://api.openai.com/v1`.
    pub base_url: String,
    /// The model to ask where nobody says another.
    pub model: Option<String>,
    /// Sent with every request. Keys have no place here: `model/setKey` keeps them.
    pub headers: Vec<Header>,
    /// The environment variable that holds its key.
    pub key_variable: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    pub name: String,
    pub value: String,
}

/// The form in which a provider takes requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Api {
    /// OpenAI and those who do as it does: Ollama, LM Studio, vLLM, llama.cpp, OpenRouter.
    ChatCompletions,
    Responses,
    Gemini,
    Anthropic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum EndpointOrigin {
    /// `STRATA_LIVE_BASE_URL`.
    Live,
    /// A provider whose key is in the environment or in the key store.
    Provider,
    /// Found on this computer.
    Local,
    /// Set up by hand.
    Custom,
}

/// `model/save`: sets an endpoint up, or changes the one of this name.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Save {
    pub endpoint: Endpoint,
}

/// `model/forget`: takes an endpoint that was set up by hand off the list, with its key.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Forget {
    pub name: String,
}

/// `model/setKey`: keeps an endpoint's key in the key store of the operating system; where there is none, in memory
/// until the app is closed.
#[derive(Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SetKey {
    pub name: String,
    /// Empty: forgets it.
    pub key: String,
}

/// `model/test`: asks an endpoint for one word, and says in plain words what is wrong if it does not come.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Test {
    /// As set up, or on trial.
    pub endpoint: Endpoint,
    pub model: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TestAnswer {
    pub is_ok: bool,
    /// In a sentence or two: what answered, or what is wrong and what to do.
    pub message: String,
    pub model: Option<String>,
    pub milliseconds: f64,
    pub input_tokens: Option<f64>,
    pub output_tokens: Option<f64>,
}

/// `call/replayPreview`: the request of a call in a provider's form, and what sending it would cost.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReplayPreview {
    pub session: String,
    pub call: u32,
    /// The name of an endpoint.
    pub endpoint: String,
    pub model: Option<String>,
    /// A run of the Lab whose summaries stand in the prompt; without one the prompt is as recorded.
    pub run: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReplayRequest {
    pub endpoint: String,
    pub model: String,
    /// Method and address.
    pub target: String,
    /// Readable JSON, cut at the limit; `bytes` is the size of the whole.
    pub body: String,
    pub bytes: f64,
    /// What the provider is likely to report: calibrated by what it reported before, else our count.
    pub predicted: TokenCount,
    pub predicted_cached_tokens: u32,
    /// US dollars for the prompt and an answer as long as the recorded one.
    pub estimated_cost_usd: Option<f64>,
    pub recorded: String,
}

/// `call/replay`: sends a call again, as a job. `call/replayResult` has the answer as it comes.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    pub session: String,
    pub call: u32,
    pub endpoint: String,
    pub model: Option<String>,
    pub run: Option<String>,
}

/// `call/replayResult`: the answer so far.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReplayResult {
    pub job: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReplayAnswer {
    pub job: String,
    pub is_ended: bool,
    /// Text and tool calls as they came.
    pub answer: String,
    /// The same of the recorded answer.
    pub recorded: String,
    /// From the recorded answer to this one, line by line, once it ended.
    pub difference: Vec<DiffLine>,
    pub finish: Option<String>,
    pub predicted: TokenCount,
    /// Answers of this model whose reports are known, with this one.
    pub measured_calls: u32,
    pub reported_tokens: Option<f64>,
    pub predicted_cached_tokens: u32,
    pub reported_cached_tokens: Option<f64>,
    pub output_tokens: Option<f64>,
    pub cost_usd: Option<f64>,
    /// What happened, what was kept, what to do.
    pub failure: Option<String>,
}
