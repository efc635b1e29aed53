//! A session gone through with another configuration of compaction.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use strata_engine::turn::compaction::{
    CompactionConfig, Policy, Steps, TokenScope, Window, sliding_window, split_around, steps, token_threshold,
};
use strata_engine::{Call, EventView, Experiment, LaidLog, StageCache};
use strata_model::{Event, EventIndex, LlmRequest, Str};
use strata_wire::CacheRules;

use super::plan::{
    Cleared, Moment, Replayed, ReplayedCall, Stop, SummaryDue, WindowPlan, Writer, WrittenSummary,
};
use super::prepared::{Lab, Recording};
use super::source_tokens::SourceTokens;
use super::window_context::WindowContext;
use crate::analysis::{
    CacheAnalysis, Counting, PromptMatches, PromptTree, SentElsewhere, SessionAnalysis, Timeline,
};
use crate::prices::Prices;

impl<'a> Lab<'a> {
    /// For the calls that are analysed.
    pub fn new(
        experiment: &'a Experiment,
        analysis: &'a SessionAnalysis,
        caches: &'a CacheAnalysis,
        counting: &'a Counting,
        rules: &'a CacheRules,
        prices: &'a Prices,
    ) -> Self {
        let mut names: Vec<&Str> = Vec::new();
        let mut models = Vec::new();
        for call in analysis.calls() {
            let at = names.iter().position(|name| **name == call.sent_to).unwrap_or_else(|| {
                names.push(&call.sent_to);
                names.len() - 1
            });
            models.push(at);
        }
        let reported = |call: &Call| call.usage.as_ref().and_then(|usage| usage.prompt_token_count).is_some();
        let mut lab = Self {
            experiment,
            analysis,
            caches,
            counting,
            rules,
            prices,
            recording: Recording { experiment, analysis, caches },
            timeline: Timeline::of(experiment, analysis.calls(), rules),
            sources: SourceTokens::default(),
            stages: StageCache::new(),
            unlaid: Vec::new(),
            models,
            has_reports: experiment.calls().iter().any(reported),
            uses: OnceLock::new(),
        };
        // Sizes are kept with the events, so that every replay has them.
        experiment.log().events().iter().for_each(|logged| {
            logged.content_size();
        });
        let mut stages = StageCache::new();
        let mut nobody = NullWriter;
        let mut unlaid = Run::new(&lab, CompactionConfig::default(), &mut stages, &mut nobody);
        let is_done = unlaid.finish().is_ok();
        let requests: Vec<LlmRequest> = unlaid.calls.into_iter().map(|call| call.request).collect();
        if is_done {
            (lab.unlaid, lab.stages) = (requests, stages);
        }
        lab
    }

    /// Goes through the session. Whatever falls due is asked of `writer`.
    pub fn replay(&self, config: &CompactionConfig, writer: &mut dyn Writer) -> Result<Replayed, Stop> {
        let mut stages = self.stages.clone();
        let mut run = Run::new(self, config.clone(), &mut stages, writer);
        run.finish()?;
        Ok(Replayed { config: config.clone(), calls: run.calls, windows: run.windows, cleared: run.cleared })
    }
}

/// Writes nothing.
struct NullWriter;

impl Writer for NullWriter {
    fn write(&mut self, _: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        Ok(None)
    }
}

/// A replay under way.
struct Run<'r, 'a> {
    lab: &'r Lab<'a>,
    config: CompactionConfig,
    stages: &'r mut StageCache,
    writer: &'r mut dyn Writer,
    log: LaidLog<'r>,
    tree: PromptTree,
    requests: Vec<LlmRequest>,
    calls: Vec<ReplayedCall>,
    windows: Vec<WindowPlan>,
    cleared: Vec<Cleared>,
    /// Who writes summaries: whom the first one was asked of.
    summarizer: Option<Str>,
}

impl<'r, 'a> Run<'r, 'a> {
    fn new(
        lab: &'r Lab<'a>,
        config: CompactionConfig,
        stages: &'r mut StageCache,
        writer: &'r mut dyn Writer,
    ) -> Self {
        let summarizer = config.model.clone();
        Self {
            lab,
            config,
            stages,
            writer,
            log: LaidLog::new(lab.experiment.log()),
            tree: PromptTree::default(),
            requests: Vec::new(),
            calls: Vec::new(),
            windows: Vec::new(),
            cleared: Vec::new(),
            summarizer,
        }
    }

    fn finish(&mut self) -> Result<(), Stop> {
        let session = self.lab.experiment.session().clone();
        let mut last_spoken: Option<&Str> = None;
        for (at, event) in session.events.iter().enumerate().take(self.lab.experiment.n_recorded()) {
            if event.is_compaction() {
                self.log.leave_out();
                continue;
            }
            if !event.invocation_id.is_empty() {
                if last_spoken.is_some_and(|last| *last != event.invocation_id) {
                    self.after_turn()?;
                }
                last_spoken = Some(&event.invocation_id);
            }
            let call = self.next_call().filter(|call| call.answer.as_usize() == at);
            let measured = match call {
                Some(call) => {
                    self.before_call(call)?;
                    let tokens = self.call(call);
                    self.measured(call, event, tokens)
                }
                None => None,
            };
            self.log.push_recorded(measured);
        }
        self.after_turn()
    }

    fn next_call(&self) -> Option<&'r Call> {
        let at = self.calls.len();
        self.lab.experiment.calls().get(at).filter(|_| at < self.lab.n_calls())
    }

    /// Compiles and weighs a call. Returns the size of its prompt.
    fn call(&mut self, call: &'r Call) -> u32 {
        let at = self.calls.len();
        let request = self.request(call);
        let analysed = &self.lab.analysis.calls()[at];
        let scale = self.lab.analysis.scale(self.lab.experiment, self.lab.counting, &analysed.model);
        let (mut tokens, mut matches) = (analysed.total.tokens, PromptMatches::default());
        if let Some(scale) = scale {
            let prompt = scale.prompt(&request);
            let rule = self.lab.rules.of_model(&analysed.model);
            tokens = prompt.total().tokens;
            let earlier = |at: usize| &self.requests[at];
            let read_by = (!call.is_unpaid()).then_some(self.lab.models[at]);
            matches = self.tree.enter(read_by, (&request, &prompt), earlier, (&scale, rule));
            matches.elsewhere = SentElsewhere::of(self.lab.experiment, call.answer, &prompt);
            // A prompt that is sent as it was is found in the cache object that it was found in.
            if (PromptMatches { explicit: analysed.matches.explicit, ..matches.clone() }) == analysed.matches
            {
                matches.explicit = analysed.matches.explicit;
            }
        } else {
            self.tree.pass();
        }
        self.requests.push(request.clone());
        self.calls.push(ReplayedCall { number: call.number, request, tokens, matches });
        tokens
    }

    fn request(&mut self, call: &'r Call) -> LlmRequest {
        let is_laid = self.windows.iter().any(|window| window.event.is_some()) || !self.cleared.is_empty();
        if let Some(known) = self.lab.unlaid.get(self.calls.len()).filter(|_| !is_laid) {
            return known.clone();
        }
        let events = self.log.view();
        let events = match &call.input {
            Some((at, input)) => events.with_inserted(self.log.place(*at), std::slice::from_ref(input)),
            None => events,
        };
        let compiled = self.lab.experiment.compile_over(call, events, self.stages);
        let compiled = compiled.map(|compilation| compilation.working_context());
        // The call of an agent that is not configured is sent as it was analysed.
        compiled.unwrap_or_else(|| self.lab.analysis.calls()[self.calls.len()].request.clone())
    }

    /// The answer with the prompt size that a provider would have reported: the recorded one, moved by what the prompt
    /// has become shorter. Where nothing was ever reported, our own count stands in.
    fn measured(&self, call: &Call, event: &Event, tokens: u32) -> Option<Event> {
        let recorded = &self.lab.analysis.calls()[self.calls.len() - 1];
        let reported = call.usage.as_ref().and_then(|usage| usage.prompt_token_count);
        let size = match reported {
            Some(reported) => {
                let moved = i64::from(tokens) - i64::from(recorded.total.tokens);
                reported.saturating_add_signed(moved)
            }
            None if self.lab.has_reports => return None,
            None => tokens.into(),
        };
        (reported != Some(size)).then(|| {
            let mut event = event.clone();
            event.usage_metadata.get_or_insert_default().prompt_token_count = Some(size);
            event
        })
    }

    fn before_call(&mut self, call: &'r Call) -> Result<(), Stop> {
        let scope = TokenScope {
            agent_name: &call.invocation.agent,
            branch: call.invocation.branch.as_ref(),
            isolation_scope: call.invocation.isolation_scope.as_deref(),
        };
        match self.config.policy {
            Policy::Off | Policy::Adk { threshold: None, .. } => Ok(()),
            Policy::Adk { .. } => {
                let Some(config) = self.config.adk() else { return Ok(()) };
                self.summarise(Moment::BeforeCall(call.number), scope, |events| {
                    let decision = token_threshold(events, &config, scope);
                    (decision.window.into_iter().collect(), decision.prompt_tokens)
                })?;
                Ok(())
            }
            Policy::Steps(steps) => self.step(call, steps, scope),
        }
    }

    fn after_turn(&mut self) -> Result<(), Stop> {
        let Policy::Adk { window, threshold } = self.config.policy else { return Ok(()) };
        let Some(config) = self.config.adk() else { return Ok(()) };
        let moment = Moment::AfterTurn { next_call: self.next_call().map(|call| call.number) };
        if threshold.is_some() {
            let is_written = self.summarise(moment, TokenScope::ROOT, |events| {
                let decision = token_threshold(events, &config, TokenScope::ROOT);
                (decision.window.into_iter().collect(), decision.prompt_tokens)
            })?;
            if is_written {
                return Ok(());
            }
        }
        if window.is_some() {
            self.summarise(moment, TokenScope::ROOT, |events| {
                (sliding_window(events, &config).window.into_iter().collect(), None)
            })?;
        }
        Ok(())
    }

    /// Clears results and writes summaries if the prompt has reached the limit.
    fn step(&mut self, call: &'r Call, policy: Steps, scope: TokenScope<'_>) -> Result<(), Stop> {
        let moment = Moment::BeforeCall(call.number);
        if self.prompt_tokens(call) < policy.limit_tokens {
            return Ok(());
        }
        let pinned = self.config.pinned.clone();
        if policy.clears_results {
            let cleared = steps::cleared(self.log.events(), policy, scope.isolation_scope, &pinned);
            if !cleared.is_empty() {
                let events = cleared.iter().filter_map(|(at, _)| self.log.events()[*at].index).collect();
                self.log.rewrite(&cleared);
                self.cleared.push(Cleared { before_call: call.number, events });
                // Half of the room is free again: that lasts.
                if self.prompt_tokens(call) < policy.limit_tokens / 2 {
                    return Ok(());
                }
            }
        }
        let prompt_tokens = Some(u64::from(self.prompt_tokens(call)));
        self.summarise(moment, scope, |events| {
            (steps::windows(events, policy, scope.isolation_scope, &pinned), prompt_tokens)
        })?;
        Ok(())
    }

    /// What the prompt of a call weighs as things stand.
    fn prompt_tokens(&mut self, call: &'r Call) -> u32 {
        let request = self.request(call);
        let scale = self.lab.scale(Some(call.number));
        scale.map_or(0, |scale| scale.prompt(&request).total().tokens)
    }

    /// Has the windows that `decide` finds summarised, and enters the summaries. True if there is one.
    fn summarise(
        &mut self,
        moment: Moment,
        scope: TokenScope<'_>,
        decide: impl for<'e> FnOnce(EventView<'e>) -> (Vec<Window<'e>>, Option<u64>),
    ) -> Result<bool, Stop> {
        let (windows, prompt_tokens) = decide(self.log.view());
        if windows.is_empty() {
            return Ok(false);
        }
        let agent = (!scope.agent_name.is_empty()).then_some(scope.agent_name);
        let summarizer = self.summarizer.get_or_insert_with(|| self.lab.summarizer(agent)).clone();
        let context = WindowContext {
            lab: self.lab,
            config: &self.config,
            moment,
            isolation_scope: scope.isolation_scope,
            prompt_tokens,
            model: &summarizer,
            earlier: &self.windows,
            after: self.log.n_recorded(),
            events: self.log.events(),
        };
        let stays: BTreeSet<EventIndex> = self.config.pinned.iter().copied().collect();
        let windows = windows.into_iter().flat_map(|window| split_around(window, &stays));
        let mut written: Vec<WindowPlan> = Vec::new();
        for window in windows {
            written.push(context.write(&window, written.len(), self.writer)?);
        }
        let mut is_written = false;
        for mut plan in written {
            if let Some((index, event)) = &mut plan.event {
                *index = self.log.push_summary(event.clone());
                is_written = true;
            }
            self.windows.push(plan);
        }
        Ok(is_written)
    }
}
