//! Sends a session call by call, and compares what the server says with what is predicted.

use std::sync::Arc;
use std::{env, time::Duration};

use serde_json::Value;
use strata_engine::{Experiment, FlowKind};
use strata_measure::analysis::{CacheAnalysis, Counting, SentTokens, SessionAnalysis};
use strata_measure::prices::Prices;
use strata_model::{Json, LlmRequest, Session, Usage, json};
use strata_provider::{Client, Endpoint, Key, Limits, PromptCount};
use strata_testkit::{app, request, session};
use strata_wire::{Api, BodyOptions, CacheRules, encode, usage};
use tokio_util::sync::CancellationToken;

use super::story::Story;

/// Tokens of a chat template that a server may put between what was sent before and what follows.
pub(crate) const TEMPLATE_TOKENS: u32 = 16;

pub(crate) struct Referee {
    /// Without a slash at its end, and without `/v1`.
    pub base_url: String,
    pub model: String,
    pub api_key: Option<String>,
    pub rules: CacheRules,
}

/// One call. All counts are in the server's own tokens.
pub(crate) struct Row {
    pub call: u32,
    /// Tokens of the prompt: as the server counted them before it was sent, where it does, and as it reported them.
    pub counted: Option<u32>,
    pub prompt: u32,
    pub predicted: u32,
    pub reported: u32,
    /// Why less was found than the prompt before held.
    pub cause: Option<&'static str>,
    pub block_tokens: u32,
}

/// Rules by which every model's prompts are kept in whole blocks.
pub(crate) fn blocks_of(tokens: u32) -> CacheRules {
    rules(&format!(r#"{{"kind": "units", "unit_tokens": {tokens}}}"#))
}

fn rules(machine: &str) -> CacheRules {
    let text = format!(
        r#"{{"about": "test", "rules": [], "fallback": {{"name": "live", "machine": {machine}, "order": "system_first",
            "source": "test", "seen_on": "2026-11-20"}}}}"#
    );
    CacheRules::parse(text.as_bytes()).expect("the rules of the test are rules")
}

impl Referee {
    /// The server that the environment names.
    pub(crate) fn from_environment() -> Option<Self> {
        let named = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let base_url = named("STRATA_LIVE_BASE_URL")?;
        let base_url = base_url.trim_end_matches('/').trim_end_matches("/v1").to_owned();
        let machine = match named("STRATA_LIVE_RULE").as_deref() {
            None | Some("llama.cpp") => r#"{"kind": "lcp_slot"}"#,
            Some("vLLM") => r#"{"kind": "units", "unit_tokens": 16}"#,
            Some("SGLang") => r#"{"kind": "auto_prefix", "minimum_tokens": 1, "step_tokens": 1}"#,
            Some(other) => panic!("STRATA_LIVE_RULE is llama.cpp, vLLM or SGLang, not {other}"),
        };
        let api_key = named("STRATA_LIVE_API_KEY");
        let mut referee = Self { base_url, model: String::new(), api_key, rules: rules(machine) };
        referee.model = named("STRATA_LIVE_MODEL").unwrap_or_else(|| referee.only_model());
        Some(referee)
    }

    fn only_model(&self) -> String {
        let url = format!("{}/v1/models", self.base_url);
        let mut get = ureq::get(&url);
        if let Some(key) = &self.api_key {
            get = get.header("authorization", format!("Bearer {key}"));
        }
        let models: Value = get
            .call()
            .and_then(|mut response| response.body_mut().read_json())
            .unwrap_or_else(|error| panic!("{url} gave no list of models: {error}"));
        models["data"][0]["id"].as_str().unwrap_or("default").to_owned()
    }

    /// Sends every call of the story in order. Before each, the server is asked for the tokens of its prompt.
    pub(crate) fn run(&self, story: &Story) -> Vec<Row> {
        let mut told: Session = session(&story.transcript);
        let experiment = Experiment::new(Arc::new(told.clone()), Arc::new(app(&story.app)), FlowKind::Adk);
        let client = Client::new(Limits::default()).expect("connections can be made");
        let rule = self.rules.of_model(&self.model);
        let mut sent = SentTokens::default();
        // Of each call, as long as the server told its tokens: how many there are, and how many should be found.
        let mut foreseen: Vec<(u32, u32)> = Vec::new();
        for call in experiment.calls() {
            let request = request(&experiment, call.number);
            if let Some(ids) = self.count(&client, &request).and_then(|count| count.ids) {
                foreseen.push((ids.len() as u32, sent.predict(&ids, (rule, 0.0)).expected));
                sent.push(ids.into(), (rule, 0.0));
            }
            let options = BodyOptions { is_streamed: false, max_output_tokens: Some(1) };
            // One token is enough: what the server finds of the prompt is all that counts.
            let report = self.send(&encode(Api::ChatCompletions, &self.model, &request, options));
            let answer = Arc::make_mut(&mut told.events[call.answer.as_usize()]);
            answer.usage_metadata = Some(Box::new(Usage {
                prompt_token_count: report.prompt_token_count,
                // A server that found nothing may say nothing.
                cached_content_token_count: Some(report.cached_content_token_count.unwrap_or(0)),
                ..Usage::default()
            }));
        }
        let reported = Experiment::new(Arc::new(told), Arc::new(app(&story.app)), FlowKind::Adk);
        let rows = self.compare(&reported);
        assert!(
            foreseen.is_empty() || foreseen.len() == rows.len(),
            "a server tells all of its tokens or none"
        );
        let mut foreseen = foreseen.into_iter();
        let in_its_tokens = |row: Row| match foreseen.next() {
            Some((counted, predicted)) => Row { counted: Some(counted), predicted, ..row },
            None => row,
        };
        rows.into_iter().map(in_its_tokens).collect()
    }

    fn count(&self, client: &Client, request: &LlmRequest) -> Option<PromptCount> {
        let endpoint = Endpoint {
            name: "the server".to_owned(),
            api: Api::ChatCompletions,
            base_url: format!("{}/v1", self.base_url),
            headers: Vec::new(),
            key: self.api_key.as_deref().and_then(Key::new),
            first_byte: None,
        };
        let stop = CancellationToken::new();
        let counted = client.count(&endpoint, &self.model, request, &stop);
        strata_testkit::runtime().block_on(counted).expect("a server that counts does so")
    }

    fn send(&self, body: &Json) -> Usage {
        let url = format!("{}/v1/chat/completions", self.base_url);
        let mut post = ureq::post(&url).config().timeout_global(Some(Duration::from_mins(10))).build();
        if let Some(key) = &self.api_key {
            post = post.header("authorization", format!("Bearer {key}"));
        }
        let answer = post
            .header("content-type", "application/json")
            .send(json::to_compact(body))
            .and_then(|mut response| response.body_mut().read_to_string())
            .unwrap_or_else(|error| panic!("{url} did not answer: {error}"));
        let parsed = json::parse(answer.as_bytes()).unwrap_or_else(|error| panic!("{error}: {answer}"));
        let Json::Object(mut parsed) = parsed else { panic!("no answer: {answer}") };
        let report = usage::take_from_answer(&mut parsed, &mut ());
        report.unwrap_or_else(|| panic!("the server reports no usage: {answer}")).usage
    }

    fn compare(&self, experiment: &Experiment) -> Vec<Row> {
        let counting = Counting::default();
        let mut analysis = SessionAnalysis::with_rules(self.rules.clone());
        while analysis.step(experiment, &counting) {}
        let caches = CacheAnalysis::new(experiment, &analysis, &self.rules, &Prices::embedded());
        let rows = caches.calls.iter().map(|call| {
            let compared = call.comparison.expect("every call was reported");
            Row {
                call: call.call,
                counted: None,
                prompt: call.reported.map_or(0, |report| report.prompt),
                predicted: compared.predicted,
                reported: compared.reported,
                cause: call.loss.as_ref().map(|loss| loss.cause.code()),
                block_tokens: self.rules.of_model(&call.model).block_tokens(),
            }
        });
        rows.collect()
    }
}
