//! Calls of tools, in every dialect.

use strata_model::{Json, Part, Str};

use super::{Messages, Turn};
use crate::take::{arguments, take_any, take_first_text, take_object};

impl Messages<'_> {
    /// A call in the shape of Chat Completions, of LangChain, or of OpenTelemetry.
    pub(crate) fn call(&mut self, call: Json, turn: &mut Turn) {
        let Json::Object(mut call) = call else {
            return self.unmapped.field(self.owner, "tool_calls", &call);
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
            self.unmapped.field("tool_calls", key, value);
        }
        self.push_call(id, name, args, turn);
    }

    pub(crate) fn push_call(
        &mut self,
        id: Option<Str>,
        name: Option<Str>,
        args: Option<Json>,
        turn: &mut Turn,
    ) {
        if let (Some(id), Some(name)) = (&id, &name) {
            self.tools.insert(id.clone(), name.clone());
        }
        let args = arguments(args).map(std::sync::Arc::new);
        turn.push(Part::from_call(strata_model::FunctionCall { id, name, args, ..Default::default() }));
    }
}
