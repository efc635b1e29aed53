//! `code_execution`: prepares for a model that writes code to be run.

use std::sync::Arc;

use strata_model::app::CodeExecutor;
use strata_model::{Json, LlmRequest, Object, Origin, RequestContent, RequestPart, RequestTool, RichText};

use crate::adk_text::CODE_EXEC_INSTRUCTION;
use crate::context::CompileContext;
use crate::error::{CompileError, ErrorKind};
use crate::models;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct CodeExecution;

#[derive(Hash)]
pub struct Inputs<'c> {
    executor: Option<Executor<'c>>,
    /// Errors so far in this run; at the executor's limit files are left alone.
    error_count: i64,
}

#[derive(Hash)]
enum Executor<'c> {
    Configured(&'c CodeExecutor),
    /// What the run asks for instead.
    BuiltIn,
}

impl Processor for CodeExecution {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "code_execution"
    }

    fn after(&self) -> &'static [&'static str] {
        &["contents"]
    }

    fn reads(&self) -> Sections {
        Sections::MODEL | Sections::SYSTEM | Sections::TOOLS | Sections::CONTENTS
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let configured = context.agent().code_executor.as_ref();
        let is_root = context.index.parent(context.agent_id).is_none();
        let run_asks = context.invocation.run_config.support_cfc && is_root;
        let executor = match configured {
            Some(CodeExecutor::Host { .. }) | None if run_asks => Some(Executor::BuiltIn),
            configured => configured.map(Executor::Configured),
        };
        let counts = context.state.get("_code_executor_error_counts").known();
        let error_count = counts.and_then(|counts| counts.get(&context.invocation.invocation_id));
        Inputs { executor, error_count: error_count.and_then(Json::as_i64).unwrap_or(0) }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        match inputs.executor {
            None => output.note("no executor"),
            Some(Executor::BuiltIn | Executor::Configured(CodeExecutor::BuiltIn)) => {
                add_built_in(request)?;
                show_code_as_text(request, "```tool_code\n", "\n```", ("```tool_output\n", "\n```"));
                output.note("the provider's own executor");
            }
            Some(Executor::Configured(CodeExecutor::Host {
                optimize_data_file,
                error_retry_attempts,
                code_block_delimiters,
                execution_result_delimiters,
            })) => {
                let (open, close) =
                    code_block_delimiters.first().map_or(("", ""), |(open, close)| (&**open, &**close));
                let mut n_files = 0;
                if *optimize_data_file {
                    request.append_system(instruction(open, close));
                    if inputs.error_count < *error_retry_attempts {
                        n_files = name_data_files(request);
                    }
                }
                let (result_open, result_close) = execution_result_delimiters;
                show_code_as_text(request, open, close, (result_open, result_close));
                output.note(match n_files {
                    0 => "code shown as text".to_owned(),
                    n => format!("{n} data files replaced by their names"),
                });
            }
        }
        Ok(())
    }
}

fn add_built_in(request: &mut LlmRequest) -> Result<(), CompileError> {
    let model = request.model.as_deref().unwrap_or_default();
    if !models::is_gemini(model) {
        return Err(CompileError::new(
            ErrorKind::ValueError,
            format!("Gemini code execution tool is not supported for model {model}"),
            "Use a Gemini model, or an executor of your own",
        ));
    }
    let json = Json::Object(Object::from_iter([("codeExecution", Object::new())]));
    let tool = RequestTool::BuiltIn { json, origin: Origin::Tool { name: "code_execution".into() } };
    Arc::make_mut(&mut request.tools).push(tool);
    Ok(())
}

fn instruction(open: &str, close: &str) -> RichText {
    let text = CODE_EXEC_INSTRUCTION.replace("{code_fence_start}", open).replace("{code_fence_end}", close);
    RichText::from_span(text, Origin::processor("code_execution"))
}

/// Replaces inline CSV files by names that follow from their place in the compiled contents. Returns how many.
fn name_data_files(request: &mut LlmRequest) -> usize {
    let mut n_files = 0;
    request.contents.rewrite(|at, content| {
        let is_csv = |part: &RequestPart| {
            part.part.inline_data.as_ref().is_some_and(|blob| blob.mime_type.as_deref() == Some("text/csv"))
        };
        if !content.is_user() || !content.parts.iter().any(is_csv) {
            return None;
        }
        let parts = content.parts.iter().enumerate().map(|(position, part)| {
            if !is_csv(part) {
                return part.clone();
            }
            n_files += 1;
            let text = format!("\nAvailable file: `data_{}_{}.csv`\n", at + 1, position + 1);
            let origin = Origin::processor("code_execution");
            RequestPart::from_rich_text(&RichText::from_span(text, origin.clone()), origin)
        });
        Some(Arc::new(RequestContent::new(content.role.clone(), parts.collect())))
    });
    n_files
}

/// Shows code at the end of a content, and results that stand alone, as fenced text.
fn show_code_as_text(request: &mut LlmRequest, open: &str, close: &str, result_fence: (&str, &str)) {
    request.contents.rewrite(|_, content| {
        let last = content.parts.last()?;
        let origin = last.main_origin().clone();
        let fenced = |open: &str, text: &str, close: &str| {
            let framing = Origin::processor("code_execution");
            let mut rich = RichText::from_span(open, framing.clone());
            rich.push(text, origin.clone());
            rich.push(close, framing.clone());
            RequestPart::from_rich_text(&rich, framing)
        };
        if let Some(code) = &last.part.executable_code {
            let text = fenced(open, code.code.as_deref().unwrap_or_default(), close);
            let mut parts = content.parts.clone();
            parts.pop();
            parts.push(text);
            return Some(Arc::new(RequestContent::new(content.role.clone(), parts)));
        }
        let result = last.part.code_execution_result.as_ref().filter(|_| content.parts.len() == 1)?;
        let text = match &result.output {
            Some(output) => fenced(result_fence.0, output, result_fence.1),
            None => fenced("", "", ""),
        };
        Some(Arc::new(RequestContent::new(Some("user".into()), vec![text])))
    });
}
