//! Answers that were written down, in the place of a model's.
//!
//! A script is a list of answers, as JSON or YAML. A call takes the first answer that is left and not for another agent:
//!
//! ```yaml
//! - Hello!                                  # a text
//! - agent: writer                           # only for calls of this agent; `summary` writes summaries
//!   thought: First the totals.
//!   text: Done.
//!   calls: [{name: lookup, args: {id: 7}}]
//!   usage: {prompt: 1200, cached: 1024, output: 20, thoughts: 5}
//!   model: some-model-1                     # as the provider would call it
//!   finish: MAX_TOKENS
//! - error: The server is on fire.           # the call fails
//! ```

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::stream::{self, BoxStream, StreamExt as _};
use strata_model::{Content, FunctionCall, Json, LlmResponse, Object, Part, Str, Usage, json};
use strata_runtime::{Failure, ModelCall};

use crate::error::AppError;

/// Who asks for a summary, in scripts.
const SUMMARY: &str = "summary";

/// Answers in the order in which they are given.
pub(crate) struct Script {
    left: Mutex<VecDeque<Scripted>>,
    n_answers: usize,
}

struct Scripted {
    agent: Option<Str>,
    answer: Result<LlmResponse, String>,
}

impl Script {
    pub(crate) fn read(path: &Path) -> Result<Self, AppError> {
        let bytes = std::fs::read(path).map_err(|error| {
            AppError::unreadable(format!("The script {} cannot be read: {error}.", path.display()))
        })?;
        let text = String::from_utf8_lossy(&bytes);
        Self::parse(&text).map_err(|reason| {
            AppError::unreadable(format!("{} is no script of answers: {reason}.", path.display()))
        })
    }

    /// The error says what is wrong, without a full stop.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let document: Json = match json::parse(text.as_bytes()) {
            Ok(document) => document,
            Err(_) => serde_saphyr::from_str(text)
                .map_err(|error| format!("it is neither JSON nor YAML ({error})"))?,
        };
        let list = document.as_array().ok_or("it should be a list of answers")?;
        let answers = list.iter().enumerate();
        let answers: VecDeque<Scripted> = answers
            .map(|(at, answer)| scripted(answer).map_err(|reason| format!("answer {} {reason}", at + 1)))
            .collect::<Result<_, _>>()?;
        Ok(Self { n_answers: answers.len(), left: Mutex::new(answers) })
    }

    /// The next answer for whoever asks.
    pub(crate) fn answers(&self, call: &ModelCall) -> BoxStream<'static, Result<LlmResponse, Failure>> {
        let asks = if call.agent.is_empty() { SUMMARY } else { &*call.agent };
        let next = {
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            let is_for = |scripted: &Scripted| {
                scripted.agent.as_deref().map_or(asks != SUMMARY, |agent| agent == asks)
            };
            let at = left.iter().position(is_for);
            at.and_then(|at| left.remove(at))
        };
        let answer = match next {
            Some(Scripted { answer, .. }) => answer.map_err(|message| Failure::new("ScriptedError", message)),
            None => {
                let n = self.n_answers;
                let message = format!(
                    "The script holds no more answers for {asks}: it has {n}, and those for it were given."
                );
                Err(Failure::new("ScriptedError", message))
            }
        };
        stream::iter([answer]).boxed()
    }
}

fn scripted(answer: &Json) -> Result<Scripted, String> {
    if let Some(text) = answer.as_str() {
        return Ok(Scripted { agent: None, answer: Ok(LlmResponse::from_text(text)) });
    }
    let fields = answer.as_object().ok_or("should be a text or an object")?;
    let mut read = Fields { agent: None, parts: Vec::new(), response: LlmResponse::default(), error: None };
    for (name, value) in fields.iter() {
        read.set(name, value)?;
    }
    let Fields { agent, parts, mut response, error } = read;
    if let Some(error) = error {
        return Ok(Scripted { agent, answer: Err(error) });
    }
    if parts.is_empty() {
        return Err("says nothing: it needs `text`, `calls` or `error`".to_owned());
    }
    response.content = Some(Arc::new(Content::new("model", parts)));
    Ok(Scripted { agent, answer: Ok(response) })
}

struct Fields {
    agent: Option<Str>,
    parts: Vec<Part>,
    response: LlmResponse,
    error: Option<String>,
}

impl Fields {
    fn set(&mut self, name: &str, value: &Json) -> Result<(), String> {
        let text = || value.as_str().map(Str::from).ok_or_else(|| format!("has `{name}` that is no text"));
        match name {
            "agent" => self.agent = Some(text()?),
            "thought" => {
                self.parts.push(Part { thought: Some(true), ..Part::from_text(text()?) });
            }
            "text" => self.parts.push(Part::from_text(text()?)),
            "calls" => {
                let calls = value.as_array().ok_or("has `calls` that are no list")?;
                for call in calls {
                    self.parts.push(Part::from_call(function_call(call)?));
                }
            }
            "usage" => self.response.usage_metadata = Some(Box::new(usage(value)?)),
            "model" => self.response.model_version = Some(text()?),
            "finish" => self.response.finish_reason = Some(text()?),
            "error" => self.error = Some(text()?.to_string()),
            _ => {
                return Err(format!(
                    "has `{name}`, which no answer has: there are text, thought, calls, agent, usage, model, finish \
                     and error"
                ));
            }
        }
        Ok(())
    }
}

fn function_call(call: &Json) -> Result<FunctionCall, String> {
    let name = call.get("name").and_then(Json::as_str).ok_or("has a call without a `name`")?;
    let args = match call.get("args") {
        None => Object::new(),
        Some(args) => args.as_object().cloned().ok_or("has `args` that are no object")?,
    };
    let id = call.get("id").and_then(Json::as_str).map(Str::from);
    Ok(FunctionCall { id, name: Some(name.into()), args: Some(Arc::new(args)), ..FunctionCall::default() })
}

fn usage(value: &Json) -> Result<Usage, String> {
    let fields = value.as_object().ok_or("has a `usage` that is no object")?;
    let mut usage = Usage::default();
    for (name, count) in fields.iter() {
        let count = count.as_i64().and_then(|count| u64::try_from(count).ok());
        let count = count.ok_or_else(|| format!("has a `usage` whose `{name}` is no count"))?;
        match &**name {
            "prompt" => usage.prompt_token_count = Some(count),
            "cached" => usage.cached_content_token_count = Some(count),
            "output" => usage.candidates_token_count = Some(count),
            "thoughts" => usage.thoughts_token_count = Some(count),
            _ => {
                return Err(format!(
                    "has `{name}` in its `usage`, which has prompt, cached, output and thoughts"
                ));
            }
        }
    }
    let counts = [usage.prompt_token_count, usage.candidates_token_count, usage.thoughts_token_count];
    usage.total_token_count = Some(counts.iter().flatten().sum());
    Ok(usage)
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use strata_model::LlmRequest;

    use super::*;

    fn next(script: &Script, agent: &str) -> Result<String, String> {
        let call = ModelCall {
            agent: agent.into(),
            model: "m".into(),
            request: Arc::new(LlmRequest::default()),
            is_streaming: false,
        };
        let answer = script.answers(&call).next().now_or_never().flatten().unwrap();
        let text = |response: LlmResponse| {
            let content = response.content.unwrap();
            content.parts().iter().filter_map(|part| part.text.as_deref()).collect()
        };
        answer.map(text).map_err(|failure| failure.message.to_string())
    }

    #[test]
    fn agents_take_their_own_answers_and_those_for_everybody() {
        let script =
            Script::parse("- agent: b\n  text: for b\n- first\n- agent: summary\n  text: short\n- second\n")
                .unwrap();
        assert_eq!(next(&script, "a").unwrap(), "first");
        assert_eq!(next(&script, "b").unwrap(), "for b");
        assert_eq!(next(&script, "").unwrap(), "short");
        assert_eq!(next(&script, "b").unwrap(), "second");
        assert!(next(&script, "b").unwrap_err().contains("no more answers for b"));
    }

    #[test]
    fn a_script_that_cannot_be_meant_is_refused_with_its_place() {
        for (script, because) in [
            ("{}", "should be a list"),
            ("[1]", "answer 1 should be a text or an object"),
            ("[{\"txt\": \"x\"}]", "answer 1 has `txt`"),
            ("[\"a\", {\"agent\": \"x\"}]", "answer 2 says nothing"),
            ("[{\"calls\": [{}]}]", "without a `name`"),
            ("[{\"text\": \"x\", \"usage\": {\"prompt\": -1}}]", "`prompt` is no count"),
            ("[", "neither JSON nor YAML"),
        ] {
            let Err(reason) = Script::parse(script) else { panic!("{script}") };
            assert!(reason.contains(because), "{script}: {reason}");
        }
    }
}
