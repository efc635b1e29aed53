//! Summaries in place of old events: before a call that would grow too long, and after a run.

use std::sync::Arc;

use futures_util::StreamExt as _;
use strata_engine::turn::compaction::{
    SummaryJob, TokenScope, Window, sliding_window, summarizer_model, token_threshold,
};
use strata_engine::{AgentId, ModelAnswer};
use strata_model::app::EventsCompactionConfig;
use strata_model::{Content, LlmRequest, Origin, Part, RequestContent, Str};

use crate::context::{InvocationContext, Run};
use crate::halt::{Failure, Halt};
use crate::host::ModelCall;

/// Summarises what lies behind an agent's next call, if that has grown too long.
pub(crate) async fn before_call(invocation: &InvocationContext) -> Result<(), Halt> {
    let run = &invocation.run;
    let Some(config) = config_of(run) else { return Ok(()) };
    let agent = invocation.agent_id()?;
    let name = invocation.agent_name();
    let scope = TokenScope {
        agent_name: &name,
        branch: invocation.branch.as_ref(),
        isolation_scope: invocation.isolation_scope.as_deref(),
    };
    let job = {
        let live = run.session.lock();
        let decision = token_threshold(live.view(invocation.input), config, scope);
        job_of(run, config, decision.window.as_ref(), Some(agent), scope.isolation_scope)?
    };
    if let Some(job) = job {
        summarise(invocation, &job).await?;
    }
    Ok(())
}

/// Summarises what a run has left behind, if that has grown too long or there are enough runs.
pub(crate) async fn after_run(invocation: &InvocationContext, root: Option<AgentId>) -> Result<(), Halt> {
    let run = &invocation.run;
    let Some(config) = config_of(run) else { return Ok(()) };
    let by_tokens = {
        let live = run.session.lock();
        let decision = token_threshold(live.view(None), config, TokenScope::ROOT);
        job_of(run, config, decision.window.as_ref(), root, None)?
    };
    if let Some(job) = by_tokens
        && summarise(invocation, &job).await?
    {
        return Ok(());
    }
    let by_window = {
        let live = run.session.lock();
        let decision = sliding_window(live.view(None), config);
        job_of(run, config, decision.window.as_ref(), root, None)?
    };
    if let Some(job) = by_window {
        summarise(invocation, &job).await?;
    }
    Ok(())
}

fn config_of(run: &Run) -> Option<&EventsCompactionConfig> {
    run.program.app().events_compaction_config.as_ref().filter(|_| run.is_compaction_active)
}

fn job_of(
    run: &Run,
    config: &EventsCompactionConfig,
    window: Option<&Window<'_>>,
    agent: Option<AgentId>,
    isolation_scope: Option<&str>,
) -> Result<Option<SummaryJob>, Failure> {
    let Some(window) = window else { return Ok(None) };
    // The first agent that needs a summary lends its model to all that come after.
    let model = match run.program.summarizer.get() {
        Some(model) => model.clone(),
        None => {
            let model = summarizer_model(run.program.index(), agent)?;
            run.program.summarizer.get_or_init(|| model).clone()
        }
    };
    Ok(Some(SummaryJob::new(window, config, model, isolation_scope)))
}

/// Asks for a summary and stores it. False: there is none, and the history stays as it is.
async fn summarise(invocation: &InvocationContext, job: &SummaryJob) -> Result<bool, Halt> {
    let run = &invocation.run;
    let Ok(prompt) = &job.prompt else { return Ok(false) };
    let content = Content::new("user", [Part::from_text(prompt.clone())]);
    let origin = |_| Origin::processor("compaction");
    let request = LlmRequest {
        model: Some(job.model.clone()),
        contents: std::iter::once(Arc::new(RequestContent::from_content(&content, origin))).collect(),
        ..LlmRequest::default()
    };
    let mut responses = run.host.models.generate(ModelCall {
        agent: Str::default(),
        model: job.model.clone(),
        request: Arc::new(request),
        is_streaming: false,
    });
    let answer = loop {
        match invocation.wait(responses.next()).await? {
            Some(Ok(response)) if response.content.is_some() => break response,
            Some(Ok(_)) => {}
            // A summary that fails is none; the run has its answer all the same.
            Some(Err(_)) | None => return Ok(false),
        }
    };
    let answer = ModelAnswer {
        content: answer.content.as_deref().cloned(),
        usage: answer.usage_metadata.as_deref().cloned(),
    };
    let Some(mut event) = job.summary(&answer, run.now()) else { return Ok(false) };
    event.id = run.new_id();
    event.invocation_id = run.new_id();
    run.append(event).await?;
    Ok(true)
}
