//! What earlier runs of nodes came to, read from the events of an invocation: nothing else is kept of them.

mod scan;

use std::sync::Arc;

use strata_model::{Content, Json, Object, Str};

pub(crate) use scan::{ScanScope, completion_order, states};

use crate::event_rules::text_of;
use crate::halt::Failure;
use crate::host::Value;
use crate::program::Node;
use crate::schema;

/// What is known of a node's earlier run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct PastRun {
    pub(crate) output: Option<PastOutput>,
    pub(crate) error_code: Option<Str>,
    pub(crate) route: Option<Json>,
    pub(crate) branch: Option<Str>,
    pub(crate) isolation_scope: Option<Str>,
    pub(crate) transfer_to: Option<Str>,
    /// All questions it asked, in order.
    pub(crate) interrupts: Vec<Str>,
    /// Answers by the id of the question.
    pub(crate) answers: Object,
    /// It ended cleanly after its last answer, or since its beginning.
    pub(crate) has_finished: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PastOutput {
    Json(Json),
    /// The message was the output.
    Message(Arc<Content>),
}

impl PastRun {
    fn open_interrupts(&self) -> Vec<Str> {
        self.interrupts.iter().filter(|id| !self.answers.contains_key(id)).cloned().collect()
    }
}

/// Whether a node runs, or what it did is taken again.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Decision {
    pub(crate) runs: bool,
    pub(crate) output: Option<Value>,
    pub(crate) route: Option<Json>,
    /// It still waits for these.
    pub(crate) interrupts: Vec<Str>,
    pub(crate) resume_inputs: Option<Object>,
    pub(crate) transfer_to: Option<Str>,
}

/// Decides by an earlier run alone. `is_static`: the node stands in a graph.
pub(crate) fn decide(node: &Node, past: &PastRun, is_static: Option<bool>) -> Result<Decision, Failure> {
    let again = || Decision {
        runs: true,
        resume_inputs: Some(past.answers.clone()),
        transfer_to: past.transfer_to.clone(),
        ..Decision::default()
    };
    let taken = Decision { transfer_to: past.transfer_to.clone(), ..Decision::default() };
    if node.is_workflow() {
        return Ok(Decision { transfer_to: None, ..again() });
    }
    let open = past.open_interrupts();
    if !open.is_empty() {
        let is_answered = !past.answers.is_empty();
        return Ok(if node.rerun_on_resume && is_answered {
            again()
        } else {
            Decision { interrupts: open, ..taken }
        });
    }
    if past.error_code.is_some() {
        return Ok(again());
    }
    if past.route.is_some() || past.output.is_some() || past.transfer_to.is_some() {
        let output = past.output.as_ref().map(|output| replayed(node, output)).transpose()?.flatten();
        return Ok(Decision { output, route: past.route.clone(), ..taken });
    }
    if !past.interrupts.is_empty() {
        return Ok(if !node.rerun_on_resume {
            let mut answers = past.answers.values();
            let output = match (answers.next(), answers.next()) {
                (Some(only), None) => only.clone(),
                _ => past.answers.clone().into(),
            };
            Decision { output: Some(output.into()).filter(|output: &Value| !output.is_none()), ..taken }
        } else if past.has_finished && !node.wait_for_output {
            taken
        } else {
            again()
        });
    }
    Ok(if node.wait_for_output || (node.rerun_on_resume && !past.has_finished) {
        again()
    } else if node.rerun_on_resume {
        taken
    } else {
        // A node that code started crashed; one of a graph came to nothing.
        Decision { runs: is_static == Some(false), ..taken }
    })
}

/// The output of an earlier run as it was then: a message becomes its text, or what its schema makes of it.
fn replayed(node: &Node, output: &PastOutput) -> Result<Option<Value>, Failure> {
    let content = match output {
        PastOutput::Json(json) => return Ok(Some(json.clone().into())),
        PastOutput::Message(content) => content,
    };
    let text = text_of(content);
    let text = strata_model::python::strip(&text);
    if text.is_empty() {
        return Ok(None);
    }
    let Some(schema) = node.output_schema.as_deref() else { return Ok(Some(Json::from(text).into())) };
    let checked = schema::validate_text(schema, text).or_else(|failure| {
        // What does not fit any more is still better than nothing, as long as it is JSON.
        strata_model::json::parse(text.as_bytes()).map_err(|_| {
            let error = failure.text();
            Failure::data(crate::adk_text::filled(crate::adk_text::BAD_REPLAYED_OUTPUT, &[("ERROR", &error)]))
        })
    })?;
    Ok(Some(checked.into()))
}
