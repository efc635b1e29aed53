//! The calls of a conversation, and for which of them somebody else asks.

use std::collections::HashMap;

use strata_model::{Fingerprint, Json, Str};
use strata_wire::message::Turn;

use super::fork::is_prompt;

/// Seconds after a call in which whoever works for it has begun.
const SOON: f64 = 60.0;

#[derive(Debug, Default)]
pub(super) struct Calls {
    /// Nobody answered them yet: id, tool, arguments as text.
    open: Vec<(Str, Str, String)>,
    /// By each text that they were given and that may be a prompt.
    made: HashMap<Fingerprint, Made>,
}

#[derive(Debug)]
struct Made {
    id: Str,
    tool: Str,
    time: Option<f64>,
}

impl Calls {
    pub(super) fn note(&mut self, turn: &Turn, time: Option<f64>) {
        for call in turn.parts.iter().filter_map(|part| part.function_call.as_deref()) {
            let Some(id) = &call.id else { continue };
            let tool = call.name.clone().unwrap_or_else(|| "tool".into());
            let args = call.args.iter().flat_map(|args| args.values()).filter_map(Json::as_str);
            let args: Vec<&str> = args.collect();
            for prompt in args.iter().map(|text| text.trim()).filter(|text| is_prompt(text)) {
                let made = Made { id: id.clone(), tool: tool.clone(), time };
                self.made.insert(Fingerprint::of(prompt.as_bytes()), made);
            }
            self.open.push((id.clone(), tool, args.join("\n")));
        }
    }

    /// Results that do not say what they answer, answer the calls in their order.
    pub(super) fn name_results(&self, turn: &mut Turn) {
        let mut open = self.open.iter();
        let results = turn.parts.iter_mut().filter_map(|part| part.function_response.as_mut());
        for result in results.filter(|result| result.id.is_none()) {
            let of_tool =
                |call: &&(Str, Str, String)| result.name.is_none() || result.name.as_ref() == Some(&call.1);
            if let Some((id, tool, _)) = open.by_ref().find(of_tool) {
                result.id = Some(id.clone());
                result.name.get_or_insert_with(|| tool.clone());
            }
        }
    }

    pub(super) fn answered(&mut self, turn: &Turn) {
        let ids: Vec<&Str> =
            turn.parts.iter().filter_map(|part| part.function_response.as_ref()?.id.as_ref()).collect();
        self.open.retain(|(id, _, _)| !ids.contains(&id));
    }

    /// The last call that nobody answered yet and whose arguments hold this prompt.
    pub(super) fn open_with(&self, prompt: &str) -> Option<(Str, Str)> {
        let call = self.open.iter().rev().find(|(_, _, args)| args.contains(prompt));
        call.map(|(id, tool, _)| (id.clone(), tool.clone()))
    }

    /// The call, answered or not, that was made with this prompt a short time ago.
    pub(super) fn made_for(&self, prompt: Fingerprint, now: Option<f64>) -> Option<(Str, Str)> {
        let made = self.made.get(&prompt)?;
        let is_soon = made.time.zip(now).is_some_and(|(made, now)| (now - made).abs() <= SOON);
        is_soon.then(|| (made.id.clone(), made.tool.clone()))
    }
}
