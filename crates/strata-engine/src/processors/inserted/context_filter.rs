//! ADK's context filter plugin, as an experiment adds it.

use crate::processors::kind::ProcessorKind;
use crate::processors::params::{ParamKind, ParamSpec};
use crate::processors::plugins;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "context_filter",
    title: "Context filter (ADK’s plugin)",
    summary: "ADK’s ContextFilterPlugin: cuts the history to the last turns of the user. It cuts what is pinned, too.",
    params: &[
        ParamSpec {
            name: "num_invocations_to_keep",
            kind: ParamKind::Integer { min: 1, max: 100_000 },
            default: "5",
            unit: Some("turns"),
            doc: "Turns of the user that are kept.",
        },
        ParamSpec {
            name: "remove_amount",
            kind: ParamKind::Integer { min: 1, max: 100_000 },
            default: "1",
            unit: Some("turns"),
            doc: "Turns by which the history has to exceed the limit before it is cut.",
        },
    ],
    place: "model_call",
    build: |name, params, _| {
        let keep = params.optional_size("num_invocations_to_keep");
        Ok(plugins::context_filter(&name, keep, params.size("remove_amount")))
    },
};
