//! Takes out what other agents called and got, as it is relayed to this one. What they said stays.

use std::sync::Arc;

use strata_model::app::RelayStyle;
use strata_model::{RequestContent, Str};

use super::rule::{ByContent, Change, ContentRule, PartChange, RuleContext, change_parts};
use crate::processors::callbacks;
use crate::processors::kind::ProcessorKind;
use crate::processors::params::{ParamKind, ParamSpec};

use crate::processors::callbacks::is_relayed_traffic;

pub(super) const KIND: ProcessorKind = ProcessorKind {
    name: "strip_agent_traffic",
    title: "Strip other agents’ tool traffic",
    summary: "Takes out the tool calls and results of other agents that are relayed to this one. What they said stays.",
    params: &[
        ParamSpec {
            name: "form",
            kind: ParamKind::Choice(&["both", "fenced", "for_context"]),
            default: "\"both\"",
            unit: None,
            doc: "Which form of relayed traffic: the fenced one of ADK 2, `For context:` of ADK 1, or both.",
        },
        ParamSpec {
            name: "agents",
            kind: ParamKind::Words,
            default: "[]",
            unit: None,
            doc: "Only the traffic of these agents; of all others where the list is empty.",
        },
    ],
    place: "model_call",
    build: |name, params, _| {
        let styles = match &*params.text("form") {
            "fenced" => vec![RelayStyle::Fenced],
            "for_context" => vec![RelayStyle::ForContext],
            _ => vec![RelayStyle::Fenced, RelayStyle::ForContext],
        };
        Ok(ByContent::boxed(name, Strip { styles, agents: params.words("agents") }))
    },
};

#[derive(Hash)]
struct Strip {
    styles: Vec<RelayStyle>,
    agents: Vec<Str>,
}

impl ContentRule for Strip {
    fn change(&self, content: &Arc<RequestContent>, pen: &RuleContext<'_>) -> Change {
        if !self.styles.iter().any(|style| callbacks::is_relay(content, *style)) {
            return Change::Keep;
        }
        let change = change_parts(content, pen, |part| {
            let goes = is_relayed_traffic(part) && self.is_of_agents(part.part.text.as_deref());
            if goes { PartChange::Drop } else { PartChange::Keep }
        });
        match change {
            // The introduction alone introduces nothing.
            Change::Replace(left) if left.parts.len() == 1 => Change::Drop,
            change => change,
        }
    }

    fn note(&self, n: usize) -> String {
        format!("tool traffic of other agents taken out of {n} contents")
    }
}

impl Strip {
    fn is_of_agents(&self, text: Option<&str>) -> bool {
        let author = text.and_then(|text| text.strip_prefix('[')?.split(']').next());
        self.agents.is_empty()
            || author.is_some_and(|author| self.agents.iter().any(|agent| **agent == *author))
    }
}
