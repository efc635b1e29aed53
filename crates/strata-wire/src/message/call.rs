//! Calls of tools, in every dialect.

use std::sync::Arc;

use strata_model::take::{take_any, take_first_text, take_object};
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
        let id = take_first_text(&mut call, &["id", "call_id"]).or_else(|| {
            take_first_text(&mut function, &["id", "call_id", "tool_call_id", "toolCallId", "toolUseId"])
        });
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

    /// Adds a call to a message, and remembers its name.
    pub fn push_call(&mut self, id: Option<Str>, name: Option<Str>, args: Option<Json>, turn: &mut Turn) {
        if let (Some(id), Some(name)) = (&id, &name) {
            self.tools.insert(id.clone(), name.clone());
        }
        let args = arguments(args).map(Arc::new);
        turn.push(Part::from_call(FunctionCall { id, name, args, ..Default::default() }));
    }
}
