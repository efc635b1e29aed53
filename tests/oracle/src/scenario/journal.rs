//! What happens while a scenario runs, in order.

use parking_lot::Mutex;
use strata_model::{Json, Object, Str};
use strata_runtime::{Context, ModelCall};

use super::content;

#[derive(Default)]
pub(super) struct Journal(Mutex<Entries>);

#[derive(Default, Clone)]
pub(super) struct Entries {
    pub(super) turn: i64,
    pub(super) requests: Vec<Json>,
    pub(super) tool_calls: Vec<Json>,
    pub(super) node_runs: Vec<Json>,
    pub(super) hooks: Vec<Json>,
}

impl Journal {
    pub(super) fn begin_turn(&self, turn: usize) {
        self.0.lock().turn = turn as i64;
    }

    pub(super) fn entries(&self) -> Entries {
        self.0.lock().clone()
    }

    fn entry(&self) -> Object {
        Object::from_iter([("turn", self.0.lock().turn)])
    }

    pub(super) fn request(&self, call: &ModelCall) {
        let mut entry = self.entry();
        entry.push("agent", call.agent.clone());
        entry.push("stream", call.is_streaming);
        entry.push("request", call.request.to_json());
        self.0.lock().requests.push(entry.into());
    }

    pub(super) fn tool_call(&self, tool: &str, args: &Object, context: &Context) {
        let mut entry = self.entry();
        entry.push("tool", tool);
        entry.push("agent", context.agent_name());
        entry.push("args", args.clone());
        entry.push("function_call_id", context.function_call_id().map_or(Json::Null, Json::from));
        entry.push_some("branch", context.branch());
        if let Some(confirmation) = context.confirmation() {
            let mut said = Object::from_iter([("hint", Json::from(confirmation.hint.clone()))]);
            said.push("confirmed", confirmation.is_confirmed);
            said.push_some(
                "payload",
                Some(confirmation.payload.clone()).filter(|payload| !payload.is_null()),
            );
            entry.push("confirmation", said);
        }
        self.0.lock().tool_calls.push(entry.into());
    }

    pub(super) fn node_run(&self, context: &Context, input: Option<&strata_runtime::Value>) {
        let mut entry = self.entry();
        entry.push("node_path", context.node_path().clone());
        entry.push("attempt", i64::from(context.attempt()));
        entry.push_some("branch", context.branch());
        let answered = context.resume_inputs();
        if !answered.is_empty() {
            let ids: Vec<Json> = answered.keys().cloned().map(Json::String).collect();
            entry.push("resume", ids);
        }
        entry.push_some("input", input.map(content::plain));
        self.0.lock().node_runs.push(entry.into());
    }

    pub(super) fn hook(&self, hook: &str, by: &str, on: Option<Str>) {
        let mut entry = self.entry();
        entry.push("hook", hook);
        entry.push("by", by);
        entry.push_some("on", on);
        self.0.lock().hooks.push(entry.into());
    }
}
