//! `compaction`: checks the token trigger before every call.
//!
//! Writing a summary takes a model, so it is a job and not part of compiling: the answer comes in with the other
//! inputs, and where there is none the job is reported. In a recorded session what came of it is an event already.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use strata_model::app::EventsCompactionConfig;
use strata_model::{Diagnostic, Event, FromJson as _, LlmRequest, Str};

use crate::answers::ModelAnswer;
use crate::context::{CallSource, CompileContext};
use crate::error::CompileError;
use crate::log::EventView;
use crate::processor::{Fingerprinted, Processor, StageOutput};
use crate::sections::Sections;
use crate::turn::compaction::{CompactionCheck, SummaryJob, TokenScope, summarizer_model, token_threshold};

pub struct Compaction;

pub enum Inputs<'c> {
    NotConfigured,
    Inactive,
    /// The history holds what came of the check.
    Recorded {
        threshold: i64,
        summaries: usize,
    },
    Live(Box<LiveInputs<'c>>),
}

pub struct LiveInputs<'c> {
    events: Fingerprinted<EventView<'c>>,
    config: &'c EventsCompactionConfig,
    agent_name: &'c str,
    branch: Option<&'c Str>,
    isolation_scope: Option<&'c str>,
    model: Result<Str, CompileError>,
    answer: Option<&'c ModelAnswer>,
    now: f64,
}

impl Hash for Inputs<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::NotConfigured => 0.hash(state),
            Self::Inactive => 1.hash(state),
            Self::Recorded { threshold, summaries } => (2, threshold, summaries).hash(state),
            Self::Live(live) => {
                let answer = live.answer.map(|answer| {
                    let usage = answer.usage.as_ref().map(|usage| usage.to_json());
                    (answer.content.as_ref().map(|content| content.to_json()), usage)
                });
                (3, &live.events, live.config.to_json(), live.agent_name, live.branch).hash(state);
                (live.isolation_scope, &live.model, answer, live.now.to_bits()).hash(state);
            }
        }
    }
}

impl Processor for Compaction {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "compaction"
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let config = context.index.app().events_compaction_config.as_ref();
        let with_threshold = config.and_then(|config| {
            Some((config, config.token_threshold.filter(|_| config.event_retention_size.is_some())?))
        });
        let Some((config, threshold)) = with_threshold else { return Inputs::NotConfigured };
        if !context.invocation.is_compaction_active {
            return Inputs::Inactive;
        }
        if context.source != CallSource::Live {
            let summaries = context.events.iter().filter(|logged| logged.event.is_compaction()).count();
            return Inputs::Recorded { threshold, summaries };
        }
        Inputs::Live(Box::new(LiveInputs {
            events: Fingerprinted { value: context.events, fingerprint: context.events.fingerprint() },
            config,
            agent_name: &context.agent().name,
            branch: context.invocation.branch.as_ref(),
            isolation_scope: context.invocation.isolation_scope.as_deref(),
            model: summarizer_model(context.index, Some(context.agent_id)),
            answer: context.answers.summary.as_ref(),
            now: context.answers.now,
        }))
    }

    fn process(inputs: Inputs<'_>, _: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        match inputs {
            Inputs::NotConfigured => output.note("token threshold not set"),
            Inputs::Inactive => output.note("not checked in this run"),
            Inputs::Recorded { threshold, summaries } => {
                output.note(format!("threshold {threshold} tokens; {summaries} summaries in the history"));
            }
            Inputs::Live(live) => check(*live, output)?,
        }
        Ok(())
    }
}

fn check(live: LiveInputs<'_>, output: &mut StageOutput) -> Result<(), CompileError> {
    let scope = TokenScope {
        agent_name: live.agent_name,
        branch: live.branch,
        isolation_scope: live.isolation_scope,
    };
    let decision = token_threshold(live.events.value, live.config, scope);
    let mut check = CompactionCheck { prompt_tokens: decision.prompt_tokens, job: None, summary: None };
    match decision.window {
        None => output.note(match decision.prompt_tokens {
            Some(tokens) => format!("{tokens} prompt tokens; nothing to summarise"),
            None => "prompt size not known; nothing to summarise".to_owned(),
        }),
        Some(window) => {
            let job = SummaryJob::new(&window, live.config, live.model?, live.isolation_scope);
            check.summary = written(&job, live.answer, live.now, output).map(Arc::new);
            output.emitted.extend(check.summary.clone());
            check.job = Some(job);
        }
    }
    output.compaction = Some(check);
    Ok(())
}

/// The summary, if there is one; as in ADK, a failure leaves the history as it is.
fn written(
    job: &SummaryJob,
    answer: Option<&ModelAnswer>,
    now: f64,
    output: &mut StageOutput,
) -> Option<Event> {
    let n_events = job.events.len();
    let mut failed = |code: &'static str, message: String| {
        output.note(format!("a summary of {n_events} events is due, and there is none"));
        output.diagnostics.push(Diagnostic::warning(code, "compaction", message));
    };
    if let Err(error) = &job.prompt {
        let message = format!(
            "the summariser's prompt template cannot be filled ({}), so the history stays as it is; \
             write {{{{ and }}}} for braces, and no field but conversation_history",
            error.message
        );
        failed("summary-prompt", message);
        return None;
    }
    let Some(answer) = answer else {
        let message = format!("{} has to be asked for a summary before this call", job.model);
        failed("summary-awaited", message);
        return None;
    };
    let summary = job.summary(answer, now);
    match &summary {
        Some(_) => output.note(format!("a summary takes the place of {n_events} events")),
        None => failed("summary-empty", format!("{} answered without any content", job.model)),
    }
    summary
}
