//! A call that is sent again, beside what was recorded.

use std::borrow::Borrow;
use std::sync::{Arc, Mutex};

use strata_engine::Experiment;
use strata_measure::analysis::Counting;
use strata_measure::prices::{ChargedTokens, Prices};
use strata_measure::tokens::{Basis, TokenCount};
use strata_model::{Contents, Fingerprint, Json, LlmRequest, Part, json};
use strata_provider::{Endpoint, Progress};
use strata_store::{PromptShape, Store};
use strata_wire::{Answer, BodyOptions, Delta, encode};
use tokio_util::sync::CancellationToken;

use crate::api::model::ReplayAnswer;
use crate::error::AppError;
use crate::import::now_ms;
use crate::models::{
    Expected, Foreseen, Knowledge, Models, ServerCount, SizedPrompt, UsableEndpoint, counted,
    is_by_breakpoints, measure, predicted,
};
use crate::text_diff::diff_lines;
use crate::{counted as counted_words, whole};

/// Tokens an answer is taken to have where none is known.
const USUAL_ANSWER: u64 = 500;

/// What stands where a picture or a file was.
const LEFT_OUT: &str = "[A picture was left out here.]";

/// A call as it is sent, and what is expected of it.
pub(crate) struct SentAgain {
    pub request: LlmRequest,
    pub model: String,
    /// As the provider is likely to report it.
    pub predicted: TokenCount,
    pub expected: Expected,
    /// What is known of the server and the model.
    pub known: Knowledge,
    /// What the server says of its tokens.
    pub count: ServerCount,
    pub foreseen: Foreseen,
    /// Pictures and files in it.
    pub pictures: u32,
    /// The recorded answer.
    pub recorded: String,
    pub recorded_output_tokens: Option<u64>,
}

/// What a call is sent again with.
pub(crate) struct SendingAgain<'a> {
    pub found: &'a UsableEndpoint,
    pub models: &'a Models,
    pub counting: &'a Counting,
    pub prices: &'a Prices,
    pub store: Option<&'a Mutex<Store>>,
    pub without_pictures: bool,
    pub stop: &'a CancellationToken,
}

impl SentAgain {
    /// `request` of the call with a number, to `model`. What is expected of it is what this server should report, by
    /// what was sent to it; the recorded call went to another one. `None` where the session has no such call.
    pub(crate) fn of(
        experiment: &Experiment,
        number: u32,
        (model, request): (String, &LlmRequest),
        with: &SendingAgain<'_>,
    ) -> Result<Option<Self>, AppError> {
        let Some(call) = experiment.call(number) else { return Ok(None) };
        let known = with.models.knowledge(with.found, &model, with.prices)?;
        let pictures = request.contents.iter().flat_map(|content| &content.parts);
        let pictures = pictures.filter(|part| is_picture(&part.part)).count() as u32;
        let request = if with.without_pictures { without_pictures(request) } else { request.clone() };
        let answer = experiment.session().events.get(call.answer.as_usize());
        let ours = counted(with.counting, &model, &request);
        let server = &with.found.server;
        let count = with.models.count(server, (&model, &request), &known, with.stop);
        let predicted = predicted(&count, with.store, (&model, PromptShape::Conversation), ours);
        let at = (&known.rule, now_ms() as f64 / 1000.0);
        let sent = with.models.sent.of((&server.base_url, &model), with.counting);
        let prompt = SizedPrompt { request: &request, ids: count.ids.as_ref(), ours, predicted };
        let foreseen = sent.foresee(prompt, at, with.counting);
        let text = json::to_compact(&request.to_json());
        Ok(Some(Self {
            predicted,
            expected: Expected {
                shape: PromptShape::Conversation,
                request: Fingerprint::of(text.as_bytes()),
                tokens: ours.tokens,
                cached: Some(foreseen.cached.tokens),
            },
            recorded: answer
                .and_then(|event| event.content.as_deref())
                .map(|content| spoken(content.parts()))
                .unwrap_or_default(),
            recorded_output_tokens: call.usage.as_ref().and_then(|usage| usage.output_tokens()),
            request,
            model,
            known,
            count,
            foreseen,
            pictures,
        }))
    }

    /// The request, with what its size is foreseen by.
    pub(crate) fn shaped(&self) -> (PromptShape, &LlmRequest) {
        (self.expected.shape, &self.request)
    }

    /// Why it is not sent, and what to do.
    pub(crate) fn problem(&self) -> Option<String> {
        self.known.overflow(self.predicted, &self.model)
    }

    /// By which rule what is found again is predicted, from what, and in whose tokens, in sentences.
    pub(crate) fn cache_said(&self) -> String {
        let Knowledge { rule, rule_from, .. } = &self.known;
        let of = match self.foreseen.n_sent {
            _ if is_by_breakpoints(rule) => "what is sent from here marks nothing to be kept".to_owned(),
            0 => "nothing was sent to this server from here since Strata was started".to_owned(),
            n if self.foreseen.in_its_tokens => {
                let TokenCount { basis, low, high, .. } = self.foreseen.cached;
                let kept = match basis {
                    Basis::Exact => String::new(),
                    _ => format!(
                        "; its slot has {} tokens of this one, its main memory {} if it has kept the longest",
                        whole(low),
                        whole(high)
                    ),
                };
                format!(
                    "{} sent to it from here, compared in its own tokens{kept}",
                    counted_words(n, "prompt")
                )
            }
            n => format!("{} sent to it from here, compared by our count", counted_words(n, "prompt")),
        };
        let failure = self.count.failure.as_ref();
        let failure = failure.map(|why| format!(" It did not count this prompt: {why}")).unwrap_or_default();
        format!("Rule “{}”, {rule_from}; {of}.{failure}", rule.name)
    }

    /// The server itself counted the prompt.
    pub(crate) fn is_counted_by_server(&self) -> bool {
        self.count.tokens.is_some()
    }

    /// Seconds until the first token, by how fast the server read the prompt before.
    pub(crate) fn first_token_s(&self) -> Option<f64> {
        self.foreseen.first_token_s(self.predicted)
    }

    /// As it is sent to an endpoint: where, and the body in the provider's form.
    pub(crate) fn as_sent(&self, endpoint: &Endpoint) -> (String, String) {
        let options = BodyOptions { is_streamed: true, max_output_tokens: None };
        let target = format!("POST {}", endpoint.shown_url(&endpoint.api.answer_path(&self.model)));
        (target, json::to_pretty(&encode(endpoint.api, &self.model, &self.request, options)))
    }

    /// Keeps what was reported. Returns how many answers of this model are known.
    pub(crate) fn measured(&self, answer: &Answer, store: &mut Store) -> u32 {
        // What is not kept is missing from calibration only.
        measure(store, &self.model, self.expected, answer.usage.as_ref().map(|report| &report.usage)).ok();
        store.measured_calls(&self.model, PromptShape::Conversation).map_or(0, |known| known.len() as u32)
    }

    /// US dollars, with an answer as long as the recorded one.
    pub(crate) fn estimated_cost(&self, prices: &Prices) -> Option<f64> {
        let output = self.recorded_output_tokens.unwrap_or(USUAL_ANSWER);
        let cached = self.foreseen.cached.tokens.into();
        let charged =
            ChargedTokens { cached, ..ChargedTokens::uncached(self.predicted.tokens.into(), output) };
        self.cost(prices, None, &charged)
    }

    /// US dollars; of the model that answered, where that has a price.
    fn cost(&self, prices: &Prices, answered: Option<&str>, charged: &ChargedTokens) -> Option<f64> {
        if self.known.is_free {
            return Some(0.0);
        }
        let price = answered.and_then(|name| prices.of_model(name)).or_else(|| prices.of_model(&self.model));
        price.map(|price| price.cost(charged))
    }

    /// Before anything came.
    pub(crate) fn begun(&self) -> ReplayAnswer {
        ReplayAnswer {
            job: String::new(),
            is_ended: false,
            answer: String::new(),
            recorded: self.recorded.clone(),
            difference: Vec::new(),
            finish: None,
            predicted: self.predicted.into(),
            is_counted_by_server: self.is_counted_by_server(),
            measured_calls: 0,
            reported_tokens: None,
            predicted_cached: self.foreseen.cached.into(),
            reported_cached_tokens: None,
            predicted_first_token_s: self.first_token_s(),
            first_token_s: None,
            output_tokens: None,
            cost_usd: None,
            failure: None,
            is_picture_refused: false,
        }
    }
}

impl ReplayAnswer {
    pub(crate) fn take(&mut self, progress: Progress) {
        match progress {
            Progress::Delta(Delta::Text(text) | Delta::Arguments(text)) => self.answer += &text,
            Progress::Delta(Delta::Call { name }) => {
                let gap = if self.answer.is_empty() { "" } else { "\n" };
                self.answer += &format!("{gap}-> {name} ");
            }
            Progress::Delta(Delta::Thought(_)) => {}
            Progress::Waiting { why, .. } => self.failure = Some(why),
        }
    }

    pub(crate) fn end(&mut self, answer: &Answer, sent: &SentAgain, prices: &Prices) {
        self.answer = spoken(answer.parts());
        self.difference = diff_lines(&self.recorded, &self.answer).lines;
        self.finish = answer.ended().map(|finish| finish.name().to_owned());
        self.failure = None;
        let Some(usage) = answer.usage.as_ref().map(|report| &report.usage) else { return };
        let output = usage.output_tokens();
        self.reported_tokens = usage.prompt_token_count.map(|count| count as f64);
        self.reported_cached_tokens = usage.cached_content_token_count.map(|count| count as f64);
        self.output_tokens = output.map(|count| count as f64);
        self.cost_usd = usage.prompt_token_count.and_then(|input| {
            let cached = usage.cached_content_token_count.unwrap_or(0);
            let charged = ChargedTokens { cached, ..ChargedTokens::uncached(input, output.unwrap_or(0)) };
            sent.cost(prices, answer.model.as_deref(), &charged)
        });
    }
}

fn is_picture(part: &Part) -> bool {
    part.inline_data.is_some() || part.file_data.is_some()
}

/// The same with a word in place of each picture or file, for models that take none.
fn without_pictures(request: &LlmRequest) -> LlmRequest {
    let mut bare = LlmRequest { contents: Contents::new(), ..request.clone() };
    bare.contents.extend(request.contents.iter().map(|content| {
        if !content.parts.iter().any(|part| is_picture(&part.part)) {
            return content.clone();
        }
        let parts = content.parts.iter().map(|part| {
            if is_picture(&part.part) { part.with_part(Part::from_text(LEFT_OUT)) } else { part.clone() }
        });
        Arc::new(content.with_parts(parts.collect()))
    }));
    bare
}

/// Text and calls of a content as people compare them.
fn spoken<P: Borrow<Part>>(parts: &[P]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().map(Borrow::borrow).filter(|part| !part.is_thought()) {
        if let Some(text) = part.text.as_deref().filter(|text| !text.is_empty()) {
            lines.push(text.to_owned());
        }
        if let Some(call) = &part.function_call {
            let args = call
                .args
                .as_ref()
                .map_or_else(|| "{}".to_owned(), |args| json::to_compact(&Json::Object((**args).clone())));
            lines.push(format!("-> {} {args}", call.name.as_deref().unwrap_or_default()));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use strata_model::{Blob, Content, Origin, RequestContent};

    use super::*;

    #[test]
    fn a_word_stands_where_a_picture_was() {
        let picture = Part { inline_data: Some(Box::new(Blob::default())), ..Part::default() };
        let content = Content::new("user", [Part::from_text("Look at this."), picture]);
        let mut request = LlmRequest::default();
        let origin = |_| Origin::Run { field: "test".into() };
        request.contents.push(Arc::new(RequestContent::from_content(&content, origin)));
        let bare = without_pictures(&request);
        let texts: Vec<_> = bare.contents.iter().flat_map(|content| content.parts.clone()).collect();
        let texts: Vec<_> = texts.iter().map(|part| part.part.text.as_deref()).collect();
        assert_eq!(texts, [Some("Look at this."), Some(LEFT_OUT)]);
    }
}
