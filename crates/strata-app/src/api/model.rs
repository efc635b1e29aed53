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
    /// The model that is asked where nobody says another; null: whom google-adk would ask.
    pub own_model: Option<String>,
    /// What it runs, where it tells: "llama.cpp", "vLLM".
    pub software: Option<String>,
    /// The longest prompt of its own model with the answer, in tokens: as set, else as it tells.
    pub context_tokens: Option<u32>,
    /// The rule by which what it finds again is predicted.
    pub cache_rule: String,
    /// Prompts that it holds side by side, where that is set or told.
    pub slots: Option<u32>,
    /// Nobody is paid for what it does: it runs on this computer.
    pub is_free: bool,
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
    /// The longest prompt with its answer, in tokens; null: as the server tells. A longer one is not sent.
    #[serde(default)]
    pub context_tokens: Option<u32>,
    /// Seconds that an answer may take to begin; null: five minutes.
    #[serde(default)]
    pub first_byte_s: Option<u32>,
    /// The name of the rule by which what it finds again is predicted; null: as the server tells, else by the model.
    #[serde(default)]
    pub cache_rule: Option<String>,
    /// Prompts that it holds side by side, where its rule goes by slots; null: as many as there are.
    #[serde(default)]
    pub slots: Option<u32>,
    /// It is asked how many tokens a prompt has before that is sent, if it can tell: the whole prompt goes to it.
    /// llama.cpp and vLLM on this computer are asked without it.
    #[serde(default)]
    pub counts_tokens: bool,
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
    /// Pictures and files give way to a word, for models that take none.
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub without_pictures: bool,
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
    /// What the provider is likely to report: as the server counts it, else calibrated by what it reported before, else
    /// our count.
    pub predicted: TokenCount,
    /// The server itself counted the prompt.
    pub is_counted_by_server: bool,
    /// By what was sent to this server from here, and its rule: exact in its own tokens, else by our count.
    pub predicted_cached: TokenCount,
    /// The rule, and on what it rests, in a sentence.
    pub cache_said: String,
    /// Seconds until the first token, by how fast this server was; null as long as it was not asked.
    pub first_token_s: Option<f64>,
    /// The longest prompt with its answer that the model takes, in tokens, where that is known.
    pub context_tokens: Option<u32>,
    /// Why it is not sent as it is, and what to do; null: it can be sent.
    pub problem: Option<String>,
    /// Pictures and files in the prompt.
    pub pictures: u32,
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
    #[serde(default)]
    #[ts(as = "Option<bool>", optional)]
    pub without_pictures: bool,
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
    pub is_counted_by_server: bool,
    /// Answers of this model whose reports are known, with this one.
    pub measured_calls: u32,
    pub reported_tokens: Option<f64>,
    pub predicted_cached: TokenCount,
    pub reported_cached_tokens: Option<f64>,
    /// Seconds until the first token: predicted where the server was asked before, and as it was.
    pub predicted_first_token_s: Option<f64>,
    pub first_token_s: Option<f64>,
    pub output_tokens: Option<f64>,
    pub cost_usd: Option<f64>,
    /// What happened, what was kept, what to do.
    pub failure: Option<String>,
    /// The model takes no pictures: the call can be sent without them.
    pub is_picture_refused: bool,
}
