//! A bubble of Cursor's interface: a prompt, a thought, words of an answer, or a call of a tool with what came of it.

use std::collections::BTreeMap;

use strata_model::take::{take_any, take_first_text, take_object, take_text};
use strata_model::{Json, Object, Str, json};
use strata_wire::usage::Counts;
use strata_wire::usage::spelling::CURSOR_BUBBLE;

use crate::source::SourceRecord;
use crate::time::{take_time, time_of};

#[derive(Debug, Clone)]
pub(super) struct Bubble {
    pub(super) id: Str,
    pub(super) is_user: bool,
    pub(super) text: Str,
    pub(super) thought: Option<Str>,
    pub(super) tool: Option<Tool>,
    pub(super) time: Option<f64>,
    pub(super) model: Option<Str>,
    pub(super) counts: Option<Counts>,
    pub(super) error: Option<(Str, Str)>,
    /// Fields that have no place here, with how often they say something.
    pub(super) rest: BTreeMap<String, u64>,
    pub(super) source: SourceRecord,
}

#[derive(Debug, Clone)]
pub(super) struct Tool {
    pub(super) id: Option<Str>,
    /// The call of the model that asked for it.
    pub(super) model_call: Option<Str>,
    pub(super) name: Option<Str>,
    pub(super) args: Option<Json>,
    pub(super) result: Option<Json>,
    pub(super) is_error: bool,
}

/// What a bubble of a person is.
const USER: i64 = 1;

impl Bubble {
    pub(super) fn read(mut fields: Object, id: Str, source: SourceRecord) -> Self {
        let mut timing = take_object(&mut fields, "timingInfo").unwrap_or_default();
        let own_time = take_time(&mut fields, "createdAt");
        let model = take_object(&mut fields, "modelInfo");
        let error = take_object(&mut fields, "errorDetails").map(|mut error| {
            let text = take_first_text(&mut error, &["message", "title"])
                .unwrap_or_else(|| "the answer failed".into());
            let code =
                error.get("error").and_then(Json::as_str).map_or_else(|| Str::from("error"), Str::from);
            (code, text)
        });
        let counts = take_object(&mut fields, "tokenCount").map(|mut counts| CURSOR_BUBBLE.take(&mut counts));
        let thought = match take_any(&mut fields, &["thinking"]) {
            Some(Json::Object(mut thinking)) => take_first_text(&mut thinking, &["text"]),
            Some(Json::String(text)) => Some(text).filter(|text| !text.is_empty()),
            _ => None,
        };
        let tool = take_object(&mut fields, "toolFormerData").and_then(Tool::read);
        let kind = fields.remove("type").and_then(|kind| kind.as_i64());
        let text = take_text(&mut fields, "text").unwrap_or_default();
        fields.remove("bubbleId");
        let mut rest = BTreeMap::new();
        for (key, value) in fields.iter() {
            let says_nothing = !value.is_truthy()
                || value.as_array().is_some_and(<[Json]>::is_empty)
                || value.as_object().is_some_and(Object::is_empty);
            if !says_nothing && !SAID_ELSEWHERE.contains(&&**key) {
                *rest.entry(key.to_string()).or_default() += 1;
            }
        }
        let sent =
            || ["clientRpcSendTime", "clientStartTime"].iter().find_map(|key| time_of(timing.get(key)?));
        let time = own_time.or_else(sent).filter(|time| *time > 0.0);
        timing.remove("clientRpcSendTime");
        Self {
            id,
            is_user: kind == Some(USER),
            text,
            thought,
            tool,
            time,
            model: model.and_then(|mut model| take_first_text(&mut model, &["modelName"])),
            counts: counts.filter(Counts::has_tokens),
            error,
            rest,
            source,
        }
    }
}

/// The same in other words, or for the interface alone.
const SAID_ELSEWHERE: [&str; 9] = [
    "_v",
    "richText",
    "conversationState",
    "capabilityType",
    "unifiedMode",
    "isAgentic",
    "requestId",
    "checkpointId",
    "usageUuid",
];

impl Tool {
    pub(super) fn read(mut fields: Object) -> Option<Self> {
        let name = take_first_text(&mut fields, &["name"]);
        let args = take_first_text(&mut fields, &["rawArgs", "params"]).map(Json::from);
        let args = args.or_else(|| take_any(&mut fields, &["params"]));
        let result = take_any(&mut fields, &["result"]).filter(|it| it.as_str() != Some(""));
        let told = take_any(&mut fields, &["error"]).filter(Json::is_truthy);
        let status = take_text(&mut fields, "status").unwrap_or_default();
        let is_error = matches!(&*status, "error" | "cancelled") || told.is_some();
        let result = result.or(told).or_else(|| is_error.then(|| Json::from(&*status)));
        let is_nothing = name.is_none() && args.is_none() && result.is_none();
        (!is_nothing).then(|| Self {
            id: take_first_text(&mut fields, &["toolCallId"]),
            model_call: take_first_text(&mut fields, &["modelCallId"]),
            name,
            args,
            result,
            is_error,
        })
    }

    /// Those of old versions, by the bubbles they belong to: a map, or a text of one.
    pub(super) fn of_capabilities(capabilities: Vec<Json>) -> Vec<(Str, Self)> {
        let mut tools = Vec::new();
        for capability in capabilities {
            let Some(map) = capability.get("data").and_then(|data| data.get("bubbleDataMap")) else {
                continue;
            };
            let map = match map {
                Json::String(text) => json::parse(text.as_bytes()).unwrap_or_default(),
                other => other.clone(),
            };
            let Json::Object(map) = map else { continue };
            for (bubble, tool) in map {
                if let Json::Object(tool) = tool {
                    tools.extend(Self::read(tool).map(|tool| (bubble, tool)));
                }
            }
        }
        tools
    }
}
