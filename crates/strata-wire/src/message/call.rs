//! Calls of tools, in every dialect.

use std::sync::Arc;

use strata_model::take::{take_any, take_first_text, take_object, take_text};
use strata_model::{FunctionCall, Json, Part, Str};

use super::reading::{Messages, arguments};
use super::turn::Turn;

impl Messages<'_> {
    /// A call in the shape of Chat Completions, of LangChain, or of OpenTelemetry.
    pub fn call(&mut self, call: Json, turn: &mut Turn) {
        let Json::Object(mut call) = call else {
            return self.unread.field(self.owner, "tool_calls", &call);
        };
        let mut function = take_object(&mut call, "function")
            .or_else(|| take_object(&mut call, "custom"))
            .or_else(|| take_object(&mut call, "tool_call"))
            .unwrap_or_else(|| std::mem::take(&mut call));
        let ids = ["call_id", "id", "tool_call_id", "toolCallId", "toolUseId"];
        let id = take_first_text(&mut call, &ids[..2]).or_else(|| take_first_text(&mut function, &ids));
        // An item has an id of its own beside that of its call.
        for of in [&mut call, &mut function] {
            take_text(of, "id");
        }
        let name = take_first_text(&mut function, &["name", "toolName", "tool_name", "function"]);
        let args = take_any(&mut function, &["arguments", "args", "input", "params"]);
        function.remove("type");
        for (key, value) in
            call.iter().filter(|(key, _)| !matches!(&***key, "type" | "index")).chain(function.iter())
        {
            self.unread.field("tool_calls", key, value);
        }
        self.push_call(id, name, args, turn);
    }

    /// A call beside the content, of which the first `n_content` parts came. LangChain writes the calls of some
    /// providers in both places; they are one call.
    pub(super) fn call_beside(&mut self, call: Json, n_content: usize, turn: &mut Turn) {
        self.call(call, turn);
        let (content, beside) = turn.parts.split_at_mut(n_content);
        let Some(call) = beside.last().and_then(|part| part.function_call.as_deref()) else { return };
        let is_same =
            |known: &FunctionCall| call.id.is_some() && known.id == call.id && known.name == call.name;
        let mut known = content.iter_mut().filter_map(|part| part.function_call.as_deref_mut());
        let Some(known) = known.find(|known| is_same(known)) else { return };
        // The arguments beside the content are those the tool was given, and those of a stream stand nowhere else.
        if let Some(args) = call.args.as_ref().filter(|args| known.args.as_ref() != Some(*args)) {
            if known.args.as_ref().is_some_and(|args| !args.is_empty()) {
                self.unread.field("content.tool_use", "input", &Json::Bool(true));
            }
            known.args = Some(args.clone());
        }
        turn.parts.pop();
    }

    /// Adds a call to a message, and remembers its name.
    pub fn push_call(&mut self, id: Option<Str>, name: Option<Str>, args: Option<Json>, turn: &mut Turn) {
        if let (Some(id), Some(name)) = (&id, &name) {
            self.tools.insert(id.clone(), name.clone());
        }
        let args = arguments(args).map(Arc::new);
        turn.push(Part::from_call(FunctionCall { id, name, args, ..Default::default() }));
    }
}
