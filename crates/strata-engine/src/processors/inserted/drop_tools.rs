//! Takes declarations of tools out of requests.

use std::sync::Arc;

use strata_model::{LlmRequest, RequestTool, Str};

use super::by_request::{ByRequest, RequestRule};
use super::rule::RuleContext;
use crate::processor::StageOutput;
use crate::processors::{
    kind::ProcessorKind,
    params::{ParamKind, ParamSpec},
};
use crate::sections::Sections;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "drop_tools",
    title: "Drop tools",
    summary: "Takes the declarations of tools out of requests, so that the model does not know of them.",
    params: &[ParamSpec {
        name: "tools",
        kind: ParamKind::Words,
        default: "[]",
        unit: None,
        doc: "Names of the tools.",
    }],
    place: "model_call",
    build: |name, params, _| Ok(ByRequest::boxed(name, DropTools { tools: params.words("tools") })),
};

#[derive(Hash)]
struct DropTools {
    tools: Vec<Str>,
}

impl RequestRule for DropTools {
    const READS: Sections = Sections::TOOLS.union(Sections::TOOL_NAMES);
    const AFTER: &'static [&'static str] = &["agent_tools"];

    fn apply(&self, request: &mut LlmRequest, _: &RuleContext<'_>, output: &mut StageOutput) {
        let goes = |name: &str| self.tools.iter().any(|tool| **tool == *name);
        let mut n_dropped = 0;
        let mut kept: Vec<RequestTool> = Vec::with_capacity(request.tools.len());
        for tool in request.tools.iter() {
            match tool {
                RequestTool::Functions(declarations) => {
                    let left: Vec<_> = declarations
                        .iter()
                        .filter(|declaration| !goes(declaration.name()))
                        .cloned()
                        .collect();
                    n_dropped += declarations.len() - left.len();
                    if !left.is_empty() {
                        kept.push(RequestTool::Functions(left));
                    }
                }
                other @ RequestTool::BuiltIn { .. } => kept.push(other.clone()),
            }
        }
        if n_dropped > 0 {
            RequestTool::drop_empty_namespaces(&mut kept, &request.tools);
            request.tools = Arc::new(kept);
            let names = request.tool_names.iter().filter(|name| !goes(name)).cloned().collect();
            request.tool_names = Arc::new(names);
        }
        output.note(match n_dropped {
            0 => "none of them is declared".to_owned(),
            n => format!("{n} tools dropped"),
        });
    }
}
