//! Contexts that a recording names: in arguments and results of tools, in what agents said to one another by A2A, where HTTP
//! carries ids, and by the id of the session itself.

use std::collections::HashMap;

use strata_context::ContextId;
use strata_import::Format;
use strata_model::{Event, Json, Object, Str, marks, secret};
use strata_wire::{context_of, context_of_mcp_result, context_of_result};

use super::CompiledSession;
use crate::api::stores_kept::{ContextSighting, SeenContext};
use crate::show::words;

/// Places of one context that are listed.
const MOST: usize = 200;

/// Characters of an id that are shown.
const ID: usize = 160;

/// Members of an event's metadata in which google-adk keeps what another agent was told and answered.
const A2A_ID: &str = "a2a:context_id";

/// Formats in which google-adk itself keeps sessions, or shows them to clients.
const OF_ADK: [Format; 7] = [
    Format::ADK_SESSION,
    Format::ADK_DATABASE,
    Format::ADK_SQLITE,
    Format::ADK_PICKLE_DATABASE,
    Format::ADK_EVENTS,
    Format::ADK_EVENT_STREAM,
    Format::ADK_RECORDING,
];

/// Texts of which one is in the JSON of every event that names a context.
pub(crate) const SIGNS: [&str; 3] = ["context_id", "contextId", "\"contexts\""];

/// Contexts in the order in which they were first named.
#[derive(Default)]
pub(crate) struct Sightings {
    contexts: Vec<SeenContext>,
    places: HashMap<Str, usize>,
}

/// What the events of a session of a format name, and the session itself where google-adk kept it.
pub(crate) fn seen_contexts(of: CompiledSession<'_>, format: &str) -> Vec<SeenContext> {
    let calls: HashMap<usize, u32> =
        of.experiment.calls().iter().map(|call| (call.answer.as_usize(), call.number)).collect();
    let session = of.experiment.session();
    let mut seen = Sightings::default();
    for (at, event) in session.events.iter().enumerate() {
        seen.add(at as u32, event, calls.get(&at).copied());
    }
    if of.has_state()
        && OF_ADK.iter().any(|known| known.id() == format)
        && let Some(first) = session.events.first()
    {
        let last_ms = session.events.last().map_or(0.0, |event| event.timestamp * 1000.0);
        let whole =
            Sighted { at: 0, event: first, call: None, door: "adk", place: "id of the session", is_in: true };
        seen.note(&session.id, &whole);
        seen.until(&session.id, last_ms);
    }
    seen.into_contexts()
}

/// Where a recording of a format may have named contexts that are not in it.
pub(crate) fn seen_gap(format: &str) -> Option<String> {
    (format == Format::CAPTURE.id()).then(|| {
        "Cookies are masked before captured traffic is written: a context that only a cookie named is not in it.".to_owned()
    })
}

/// An id where it stands.
struct Sighted<'e> {
    at: u32,
    event: &'e Event,
    call: Option<u32>,
    door: &'e str,
    place: &'e str,
    is_in: bool,
}

impl Sightings {
    /// Notes what an event names. `at`: its place in the session, from 0.
    pub(crate) fn add(&mut self, at: u32, event: &Event, call: Option<u32>) {
        let mut note = |id: &str, door: &str, place: &str, is_in: bool| {
            // What no server could have given out names no context.
            if ContextId::parse(id).is_ok() {
                self.note(id, &Sighted { at, event, call, door, place, is_in });
            }
        };
        for called in event.function_calls() {
            let name = called.name.as_deref().unwrap_or_default();
            if let Some(id) = called.args.as_deref().and_then(context_of) {
                note(id, door_of_tool(name, None), &format!("argument of {name}"), true);
            }
        }
        for answered in event.function_responses() {
            let name = answered.name.as_deref().unwrap_or_default();
            let result = answered.response.as_deref();
            let door = door_of_tool(name, result);
            let id_of = if door == "mcp" { context_of_mcp_result } else { context_of_result };
            if let Some(id) = result.and_then(id_of) {
                note(&id, door, &format!("result of {name}"), false);
            }
        }
        if let Some(id) = marks::of(event, A2A_ID).and_then(Json::as_str) {
            note(id, "a2a", "contextId of another agent’s answer", false);
        }
        for named in marks::of(event, marks::CONTEXTS).and_then(Json::as_array).unwrap_or_default() {
            if let Some((id, (door, place))) =
                text(named, "id").and_then(|id| Some((id, in_http(text(named, "place")?)?)))
            {
                note(id, door, place, true);
            }
        }
        // What Strata serves says so on every event.
        let own = ["context_id", "door"].map(|name| marks::of(event, name).and_then(Json::as_str));
        if let [Some(id), Some(door)] = own {
            let is_in = event.is_from_user();
            note(id, door, if is_in { "request of a client" } else { "answer to a client" }, is_in);
        }
    }

    fn note(&mut self, id: &str, sighted: &Sighted<'_>) {
        let at_ms = sighted.event.timestamp * 1000.0;
        let place = *self.places.entry(id.into()).or_insert_with(|| {
            self.contexts.push(SeenContext {
                id: words::cut(&secret::without(id), ID),
                doors: Vec::new(),
                times: 0,
                first_ms: at_ms,
                last_ms: at_ms,
                sightings: Vec::new(),
            });
            self.contexts.len() - 1
        });
        let seen = &mut self.contexts[place];
        seen.times += 1;
        seen.first_ms = seen.first_ms.min(at_ms);
        seen.last_ms = seen.last_ms.max(at_ms);
        if !seen.doors.iter().any(|door| door == sighted.door) {
            seen.doors.push(sighted.door.to_owned());
        }
        if seen.sightings.len() < MOST {
            seen.sightings.push(ContextSighting {
                event: sighted.at + 1,
                call: sighted.call,
                at_ms,
                door: sighted.door.to_owned(),
                place: words::row(sighted.place, ID),
                is_in: sighted.is_in,
            });
        }
    }

    fn until(&mut self, id: &str, last_ms: f64) {
        if let Some(place) = self.places.get(id) {
            let seen = &mut self.contexts[*place];
            seen.last_ms = seen.last_ms.max(last_ms);
        }
    }

    pub(crate) fn into_contexts(self) -> Vec<SeenContext> {
        self.contexts
    }
}

fn text<'j>(value: &'j Json, name: &str) -> Option<&'j str> {
    value.get(name)?.as_str()
}

/// Tools of MCP servers are known by their names (`mcp__SERVER__TOOL`, Gemini CLI's `mcp_SERVER_TOOL`), or by the shape of
/// their results, and calls of A2A by theirs; of others it is not known what carries them.
fn door_of_tool(name: &str, result: Option<&Object>) -> &'static str {
    let has = |result: &Object| result.contains_key("structuredContent") || result.contains_key("isError");
    if name.starts_with("a2a_") {
        "a2a"
    } else if name.starts_with("mcp_") || result.is_some_and(has) {
        "mcp"
    } else {
        "tool"
    }
}

/// The door and the words of a place in HTTP.
fn in_http(place: &str) -> Option<(&'static str, &'static str)> {
    Some(match place {
        "header" => ("http", "header X-Context-ID"),
        "query" => ("http", "context_id in the address"),
        "cookie" => ("http", "cookie adcp_context"),
        "conversation" => ("responses", "conversation of the request"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use strata_model::{Content, FunctionCall, FunctionResponse, Part, json};

    use super::*;

    fn object(text: &str) -> Object {
        json::parse(text.as_bytes()).ok().and_then(|value| value.as_object().cloned()).unwrap_or_default()
    }

    fn called(name: &str, args: &str) -> Event {
        let call = FunctionCall {
            name: Some(name.into()),
            args: Some(Arc::new(object(args))),
            ..FunctionCall::default()
        };
        Event {
            content: Some(Arc::new(Content::new("model", [Part::from_call(call)]))),
            timestamp: 1.0,
            ..Event::default()
        }
    }

    fn answered(name: &str, result: &str) -> Event {
        let answer = FunctionResponse {
            name: Some(name.into()),
            response: Some(Arc::new(object(result))),
            ..FunctionResponse::default()
        };
        Event {
            content: Some(Arc::new(Content::new("user", [Part::from_response(answer)]))),
            timestamp: 2.0,
            ..Event::default()
        }
    }

    fn noted(metadata: &str) -> Event {
        Event { custom_metadata: Some(object(metadata)), timestamp: 3.0, ..Event::default() }
    }

    #[track_caller]
    fn check(events: &[Event], expected: &[(&str, &[&str])]) {
        let mut seen = Sightings::default();
        for (at, event) in events.iter().enumerate() {
            seen.add(at as u32, event, None);
        }
        let found: Vec<(String, Vec<String>)> = seen
            .into_contexts()
            .into_iter()
            .map(|context| {
                let places = context.sightings.iter();
                let places = places.map(|it| format!("E{} {}: {}", it.event, it.door, it.place));
                (context.id, places.collect())
            })
            .collect();
        let expected: Vec<(String, Vec<String>)> = expected
            .iter()
            .map(|(id, places)| ((*id).to_owned(), places.iter().map(ToString::to_string).collect()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_context_is_one_through_all_doors() {
        check(
            &[
                called("mcp__seller__get_products", r#"{"brief": "video"}"#),
                answered("mcp__seller__get_products", r#"{"structuredContent": {"context_id": "ctx-1"}}"#),
                called("mcp__seller__get_products", r#"{"context_id": "ctx-1"}"#),
                noted(r#"{"a2a:context_id": "ctx-1", "a2a:task_id": "task-9"}"#),
                noted(
                    r#"{"contexts": [{"id": "ctx-1", "place": "header"}, {"id": "conv_2", "place": "conversation"}]}"#,
                ),
            ],
            &[
                (
                    "ctx-1",
                    &[
                        "E2 mcp: result of mcp__seller__get_products",
                        "E3 mcp: argument of mcp__seller__get_products",
                        "E4 a2a: contextId of another agent’s answer",
                        "E5 http: header X-Context-ID",
                    ],
                ),
                ("conv_2", &["E5 responses: conversation of the request"]),
            ],
        );
    }

    #[test]
    fn what_carried_a_tool_is_only_said_where_it_is_known() {
        check(
            &[
                called("get_products", r#"{"contextId": "ctx-1"}"#),
                answered("find", r#"{"context_id": "ctx-2"}"#),
            ],
            &[("ctx-1", &["E1 tool: argument of get_products"]), ("ctx-2", &["E2 tool: result of find"])],
        );
    }

    #[test]
    fn clients_that_make_a_text_of_results_name_contexts_too() {
        let result = r#"{"result": "Wall time: 0.2 seconds\nOutput:\n{\"context_id\": \"ctx-1\"}"}"#;
        let joined = r#"{"output": "<untrusted_context>\nHi\n</untrusted_context>\n<untrusted_context>\n{\"context_id\":\"ctx-2\"}\n</untrusted_context>"}"#;
        check(
            &[
                answered("mcp__shop__front", result),
                answered("mcp_shop_front", joined),
                // A file that was read.
                answered("exec_command", result),
                called("mcp__shop__front", r#"{"context_id": "not an id !"}"#),
            ],
            &[
                ("ctx-1", &["E1 mcp: result of mcp__shop__front"]),
                ("ctx-2", &["E2 mcp: result of mcp_shop_front"]),
            ],
        );
    }

    #[test]
    fn an_id_that_looks_like_a_key_is_masked() {
        let key = format!("sk-ant-api03-{}", "a1B2".repeat(20));
        let mut seen = Sightings::default();
        seen.add(0, &called("ask", &format!(r#"{{"context_id": "{key}"}}"#)), Some(3));
        let contexts = seen.into_contexts();
        assert_eq!(contexts.len(), 1);
        assert!(!contexts[0].id.contains("a1B2") && contexts[0].id.starts_with('‹'), "{}", contexts[0].id);
        assert_eq!(contexts[0].sightings[0].call, Some(3));
    }

    #[test]
    fn what_is_served_here_says_so_on_its_events() {
        check(
            &[
                noted(r#"{"context_id": "ctx-1", "task_id": "t-1", "door": "a2a"}"#),
                noted(r#"{"context_id": "x"}"#),
            ],
            &[("ctx-1", &["E1 a2a: answer to a client"])],
        );
    }
}
