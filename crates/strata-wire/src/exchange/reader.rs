//! An answer out of what a server sends.

use strata_model::{Json, json};

use super::answer::{Answer, Collected, Delta};
use super::sse::{SseEvent, SseReader};
use super::{Api, anthropic, chat, gemini, responses};

/// Bytes of a bad answer that are shown.
const EXCERPT: usize = 160;

/// Makes an answer of bytes.
#[derive(Debug)]
pub struct AnswerReader {
    api: Api,
    sse: SseReader,
    collected: Collected,
    is_done: bool,
}

/// What is wrong with what a server sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// It is not what this provider sends; with its beginning.
    #[error("what it sent is no answer: {excerpt}")]
    Malformed { excerpt: String },
    /// The provider says that something went wrong, in its words.
    #[error("{message}")]
    Provider { code: String, message: String },
}

impl AnswerReader {
    pub fn new(api: Api) -> Self {
        Self { api, sse: SseReader::default(), collected: Collected::default(), is_done: false }
    }

    /// Takes in more of a streamed answer. What came before an error is given all the same.
    pub fn push(&mut self, bytes: &[u8], take: &mut dyn FnMut(Delta)) -> Result<(), StreamError> {
        for event in self.sse.push(bytes) {
            self.event(&event)?.into_iter().for_each(&mut *take);
        }
        Ok(())
    }

    /// Takes in what lies between the last complete event and the end.
    pub fn end(&mut self) -> Result<Vec<Delta>, StreamError> {
        match self.sse.finish() {
            // Half an event is no event; that the answer is not whole is told by `is_complete`.
            Some(event) if json::parse(event.data.as_bytes()).is_ok() || event.data.trim() == "[DONE]" => {
                self.event(&event)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// Takes in an answer that came as one document.
    pub fn whole(&mut self, bytes: &[u8]) -> Result<Vec<Delta>, StreamError> {
        let text = String::from_utf8_lossy(bytes);
        let deltas = self.piece("", &text)?;
        self.is_done = true;
        Ok(deltas)
    }

    /// The answer came to its end.
    pub fn is_complete(&self) -> bool {
        self.is_done || self.collected.is_finished()
    }

    /// The answer as far as it came.
    pub fn into_answer(self) -> Answer {
        self.collected.into_answer()
    }

    fn event(&mut self, event: &SseEvent) -> Result<Vec<Delta>, StreamError> {
        if event.data.trim() == "[DONE]" {
            self.is_done = true;
            return Ok(Vec::new());
        }
        self.piece(&event.name, &event.data)
    }

    fn piece(&mut self, name: &str, data: &str) -> Result<Vec<Delta>, StreamError> {
        let value = json::parse(data.as_bytes()).ok().filter(|value| matches!(value, Json::Object(_)));
        let Some(value) = value else {
            let excerpt: String = data.chars().take(EXCERPT).collect();
            return Err(StreamError::Malformed { excerpt });
        };
        if let Some(error) = provider_error(name, &value) {
            return Err(error);
        }
        Ok(match self.api {
            Api::ChatCompletions => chat::read(&mut self.collected, &value),
            Api::Responses => responses::read(&mut self.collected, &value),
            Api::Gemini => gemini::read(&mut self.collected, &value),
            Api::Anthropic => anthropic::read(&mut self.collected, &value),
        })
    }
}

/// An error that came in place of an answer, or in the middle of one.
fn provider_error(name: &str, value: &Json) -> Option<StreamError> {
    let response = value.get("response");
    let error = value.get("error").or_else(|| response?.get("error")).filter(|error| !error.is_null());
    let error = match error {
        Some(error) => error,
        None if name == "error" => value,
        None => return None,
    };
    let member = |key: &str| error.get(key).and_then(Json::as_str).map(str::to_owned);
    let message = member("message").or_else(|| error.as_str().map(str::to_owned));
    Some(StreamError::Provider {
        code: member("code").or_else(|| member("type")).or_else(|| member("status")).unwrap_or_default(),
        message: message.unwrap_or_else(|| json::to_compact(error)),
    })
}

/// What a provider says in a body that came with an error status. `None` where it says nothing readable.
pub fn error_message(body: &[u8]) -> Option<String> {
    let value = json::parse(body).ok()?;
    // Gemini sends errors in a list when it streams.
    let value = match &value {
        Json::Array(items) => items.first()?,
        other => other,
    };
    match provider_error("error", value)? {
        StreamError::Provider { message, .. } => Some(message),
        StreamError::Malformed { .. } => None,
    }
}
