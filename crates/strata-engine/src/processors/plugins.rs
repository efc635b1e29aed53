//! Plugins that edit requests before the call, each a stage of its own.

use std::collections::HashSet;
use std::sync::Arc;

use strata_model::app::{CustomFilter, Instruction, Plugin};
use strata_model::{Diagnostic, InstructionKind, LlmRequest, RequestContent, RichText, Str, python};

use super::instructions::{FilledInstruction, fill};
use super::recorded_code::CodeStage;
use crate::app_index::AppIndex;
use crate::context::CompileContext;
use crate::error::{CompileError, ErrorKind};
use crate::processor::{AnyProcessor, Phase, Processor, StageOutput};
use crate::sections::Sections;

/// The stage of the app's plugin at `position`; `None` for one that never looks at requests.
pub fn plugin(index: &AppIndex, position: usize) -> Option<Arc<dyn AnyProcessor>> {
    Some(match &index.app().plugins()[position] {
        filter @ Plugin::ContextFilter { num_invocations_to_keep, remove_amount, .. } => {
            Arc::new(ContextFilter {
                name: stage_name(filter),
                plugin: filter.name().into(),
                keep: num_invocations_to_keep.filter(|keep| *keep > 0).map(|keep| keep as usize),
                remove_amount: remove_amount.unwrap_or(1).max(1) as usize,
                position,
            })
        }
        global @ Plugin::GlobalInstruction { global_instruction, .. } => Arc::new(GlobalInstruction {
            name: stage_name(global),
            plugin: global.name().into(),
            instruction: global_instruction.clone(),
        }),
        Plugin::Code { name, .. } => Arc::new(CodeStage::plugin(name)),
        Plugin::ReflectRetryTool { .. } | Plugin::SaveFilesAsArtifacts { .. } => return None,
    })
}

fn stage_name(plugin: &Plugin) -> String {
    format!("plugin:{}", plugin.name())
}

/// Whether a plugin takes part in this run.
fn is_active(plugin: &str, context: &CompileContext<'_>) -> bool {
    let active = context.invocation.plugins.as_ref();
    active.is_none_or(|names| names.iter().any(|name| **name == *plugin))
}

/// ADK's context filter as an experiment inserts it, without a filter of its own.
pub(super) fn context_filter(name: &str, keep: Option<usize>, remove_amount: usize) -> Arc<dyn AnyProcessor> {
    let remove_amount = remove_amount.max(1);
    Arc::new(ContextFilter {
        name: name.to_owned(),
        plugin: name.into(),
        keep: keep.filter(|keep| *keep > 0),
        remove_amount,
        position: usize::MAX,
    })
}

/// Cuts the history to the last few turns of the user.
struct ContextFilter {
    name: String,
    plugin: Str,
    keep: Option<usize>,
    remove_amount: usize,
    position: usize,
}

#[derive(Hash)]
pub(super) struct FilterInputs<'c> {
    is_active: bool,
    keep: Option<usize>,
    remove_amount: usize,
    custom_filter: Option<&'c CustomFilter>,
}

impl Processor for ContextFilter {
    type Inputs<'c> = FilterInputs<'c>;

    fn name(&self) -> &str {
        &self.name
    }

    fn after(&self) -> &'static [&'static str] {
        &["contents"]
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        Sections::CONTENTS
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> FilterInputs<'c> {
        let custom_filter = match context.index.app().plugins().get(self.position) {
            Some(Plugin::ContextFilter { custom_filter, .. }) => custom_filter.as_ref(),
            _ => None,
        };
        FilterInputs {
            is_active: is_active(&self.plugin, context),
            keep: self.keep,
            remove_amount: self.remove_amount,
            custom_filter,
        }
    }

    fn process(
        inputs: FilterInputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        if !inputs.is_active {
            output.note("not active in this run");
            return Ok(());
        }
        let contents: Vec<Arc<RequestContent>> = request.contents.iter().cloned().collect();
        let n_before = contents.len();
        let start = inputs.keep.map_or(0, |keep| window_start(&contents, keep, inputs.remove_amount));
        match apply_filter(contents[start..].to_vec(), inputs.custom_filter) {
            Ok(kept) => {
                output.note(match n_before - kept.len().min(n_before) {
                    0 => "within the limit".to_owned(),
                    n_dropped => format!("{n_dropped} contents dropped"),
                });
                if kept.len() != n_before || inputs.custom_filter.is_some() {
                    request.contents = kept.into_iter().collect();
                }
            }
            // ADK logs the failure and sends the request as it was.
            Err(message) => {
                output.note("failed; the request is sent as it was");
                output.diagnostics.push(Diagnostic::warning(
                    "filter-failed",
                    "contents",
                    format!("The filter of the plugin failed ({message}); ADK sends the request unfiltered"),
                ));
            }
        }
        Ok(())
    }
}

/// Where the last `keep` turns of the user start, moved back so that no response loses its call; 0 while there are
/// fewer than `keep + remove_amount` turns.
fn window_start(contents: &[Arc<RequestContent>], keep: usize, remove_amount: usize) -> usize {
    let mut starts = Vec::new();
    let mut was_human = false;
    for (at, content) in contents.iter().enumerate() {
        let is_human = content.is_user() && !content.has_function_response();
        if is_human && !was_human {
            starts.push(at);
        }
        was_human = is_human;
    }
    if starts.len() < keep + remove_amount {
        return 0;
    }
    before_orphans(contents, starts[starts.len() - keep])
}

/// The place at or before `start` from which on every response has its call.
pub(super) fn before_orphans(contents: &[Arc<RequestContent>], start: usize) -> usize {
    let mut needed: HashSet<&str> = HashSet::new();
    for (at, content) in contents.iter().enumerate().rev() {
        for part in content.parts.iter().rev() {
            let response = part.part.function_response.as_ref().and_then(|response| response.id.as_deref());
            needed.extend(response.filter(|id| !id.is_empty()));
            if let Some(id) = part.part.function_call.as_ref().and_then(|call| call.id.as_deref()) {
                needed.remove(id);
            }
        }
        if at <= start && needed.is_empty() {
            return at;
        }
    }
    0
}

fn apply_filter(
    contents: Vec<Arc<RequestContent>>,
    filter: Option<&CustomFilter>,
) -> Result<Vec<Arc<RequestContent>>, String> {
    Ok(match filter {
        None => contents,
        Some(CustomFilter::DropRole { role }) => {
            contents.into_iter().filter(|content| content.role.as_deref() != Some(&**role)).collect()
        }
        Some(CustomFilter::KeepLast { count }) => keep_last(&contents, *count),
        Some(CustomFilter::DropFunctionParts) => {
            contents.into_iter().filter_map(|content| without_function_parts(&content)).collect()
        }
        Some(CustomFilter::Raise { message }) => return Err(message.to_string()),
    })
}

/// `contents[-count:]` of Python: everything for 0.
pub(super) fn keep_last(contents: &[Arc<RequestContent>], count: i64) -> Vec<Arc<RequestContent>> {
    let n_contents = contents.len() as i64;
    let start = if count > 0 { (n_contents - count).max(0) } else { (-count).min(n_contents) };
    contents[start as usize..].to_vec()
}

fn without_function_parts(content: &Arc<RequestContent>) -> Option<Arc<RequestContent>> {
    let is_spoken = |part: &&strata_model::RequestPart| {
        part.part.function_call.is_none() && part.part.function_response.is_none()
    };
    let kept: Vec<_> = content.parts.iter().filter(is_spoken).cloned().collect();
    match kept.len() {
        0 => None,
        n if n == content.parts.len() => Some(content.clone()),
        _ => Some(Arc::new(RequestContent::new(content.role.clone(), kept))),
    }
}

/// Puts one text before the system instruction of every agent.
struct GlobalInstruction {
    name: String,
    plugin: Str,
    instruction: Instruction,
}

#[derive(Hash)]
pub(super) struct GlobalInputs {
    plugin: Str,
    instruction: Option<FilledInstruction>,
}

impl Processor for GlobalInstruction {
    type Inputs<'c> = GlobalInputs;

    fn name(&self) -> &str {
        &self.name
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> GlobalInputs {
        let is_set = self.instruction.is_set() && is_active(&self.plugin, context);
        GlobalInputs {
            plugin: self.plugin.clone(),
            instruction: is_set
                .then(|| fill(&self.instruction, &self.plugin, InstructionKind::Global, context)),
        }
    }

    fn process(
        inputs: GlobalInputs,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let Some(instruction) = &inputs.instruction else {
            output.note("not active in this run");
            return Ok(());
        };
        instruction.report_unknowns(output);
        let text = instruction.text().map_err(|error| inputs.as_plugin_error(&error))?;
        if text.is_empty() {
            output.note("empty");
            return Ok(());
        }
        let mut joined = text;
        if let Some(before) = request.system_instruction.as_ref().filter(|text| !text.is_empty()) {
            joined.append_block("\n\n", RichText::clone(before));
        }
        request.system_instruction = Some(Arc::new(joined));
        output.note("put before the system instruction");
        Ok(())
    }
}

impl GlobalInputs {
    /// ADK wraps what goes wrong inside a plugin. A `KeyError` prints its message with quotes.
    fn as_plugin_error(&self, error: &CompileError) -> CompileError {
        let cause = match error.kind {
            ErrorKind::KeyError => python::repr_str(&error.message),
            ErrorKind::ValueError
            | ErrorKind::TypeError
            | ErrorKind::RuntimeError
            | ErrorKind::ValidationError
            | ErrorKind::JsonDecodeError => error.message.clone(),
        };
        let message =
            format!("Error in plugin '{}' during 'before_model_callback' callback: {cause}", self.plugin);
        CompileError::new(ErrorKind::RuntimeError, message, error.advice.clone())
    }
}
