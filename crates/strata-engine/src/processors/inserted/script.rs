//! A processor written in JavaScript.

mod context;
mod read;

use std::hash::Hash;
use std::sync::Arc;

use strata_model::{Diagnostic, Json, LlmRequest, Object, Str};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Phase, Processor, StageOutput};
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};
use crate::script_host::{ScriptFailure, ScriptHost, ScriptRun};
use crate::sections::Sections;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "script",
    title: "Script",
    summary: "Runs `export function process(request, context)` in JavaScript and goes on with the request it returns. It has no files, network, clock or chance, and bounded time and memory.",
    params: &[ParamSpec {
        name: "source",
        kind: ParamKind::Code,
        default: "\"export function process(request, context) {\\n  return request\\n}\\n\"",
        unit: None,
        doc: "The script.",
    }],
    place: "model_call",
    build: |name, params, host| {
        Ok(Arc::new(Script { name, source: params.text("source"), host: host.cloned() }))
    },
};

struct Script {
    name: Str,
    source: Str,
    host: Option<Arc<dyn ScriptHost>>,
}

struct Inputs {
    name: Str,
    source: Str,
    host: Option<Arc<dyn ScriptHost>>,
    context: Object,
}

/// A host gives the same for the same source, request and context, so it is no part of what the result depends on.
impl Hash for Inputs {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.name, &self.source, self.host.is_some(), &self.context).hash(state);
    }
}

impl Processor for Script {
    type Inputs<'c> = Inputs;

    fn name(&self) -> &str {
        &self.name
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        Sections::SENT | Sections::TOOL_NAMES
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs {
        Inputs {
            name: self.name.clone(),
            source: self.source.clone(),
            host: self.host.clone(),
            context: context::for_script(context),
        }
    }

    fn process(
        inputs: Inputs,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let Some(host) = &inputs.host else {
            output.note("no interpreter; the request is as it was");
            let message = "Nothing here runs scripts, so the request goes on as it was.";
            output.diagnostics.push(Diagnostic::warning("script-not-run", &*inputs.name, message));
            return Ok(());
        };
        let before = request.to_json();
        let ScriptRun { result, console } = host.run(&inputs.source, &before, &Json::Object(inputs.context));
        output.console = console;
        let returned = result.and_then(|returned| {
            read::request(&returned, request, &inputs.name).map_err(|message| ScriptFailure {
                code: "result",
                message,
                ..ScriptFailure::default()
            })
        });
        match returned {
            Ok(changed) => {
                output.note(said(request, &changed));
                *request = changed;
            }
            Err(failure) => {
                output.note("failed; the request is as it was");
                let message = format!("The script failed, and the request goes on as it was: {failure}");
                output.diagnostics.push(Diagnostic::error("script-failed", &*inputs.name, message));
                output.script_failure = Some(failure);
            }
        }
        Ok(())
    }
}

fn said(before: &LlmRequest, after: &LlmRequest) -> String {
    let changed = crate::sections::changed(before, after);
    if changed.is_empty() {
        return "returned the request as it was".to_owned();
    }
    match (before.contents.len(), after.contents.len()) {
        (before, after) if before == after => "changed the request".to_owned(),
        (before, after) => format!("{before} contents → {after}"),
    }
}
