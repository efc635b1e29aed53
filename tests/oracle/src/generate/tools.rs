//! Tools, schemas and plugins.

use strata_model::Json;

use super::agents::{Cast, agent};
use super::parts::{call, text_part};
use super::texts::{data, template, text};
use crate::dice::{Dice, json};

/// Names that tools have and calls use.
pub(crate) const TOOL_NAMES: &[&str] = &["search", "look_up", "pay", "ship", "find"];

/// The tools of one agent.
pub(crate) fn tools(dice: &mut Dice, cast: &Cast) -> Json {
    dice.several(1, 3, |dice| tool(dice, cast)).into()
}

fn tool(dice: &mut Dice, cast: &Cast) -> Json {
    let kind = *dice.weighted(&[
        (30, "function"),
        (8, "long_running_function"),
        (4, "no_declaration"),
        (8, "toolset"),
        (8, "agent_tool"),
        (6, "load_memory"),
        (10, "preload_memory"),
        (10, "load_artifacts"),
        (4, "exit_loop"),
        (5, "google_search"),
        (5, "examples"),
    ]);
    match kind {
        "function" => json([
            ("type", kind.into()),
            ("declaration", declaration(dice)),
            ("is_long_running", dice.maybe(20, |_| true)),
        ]),
        "long_running_function" => json([("type", kind.into()), ("declaration", declaration(dice))]),
        "no_declaration" => json([("type", kind.into()), ("name", "ghost".into())]),
        "toolset" => json([
            ("type", kind.into()),
            ("prefix", dice.maybe(60, |_| "crm")),
            (
                "tools",
                dice.several(0, 2, |dice| {
                    json([("type", "function".into()), ("declaration", declaration(dice))])
                })
                .into(),
            ),
        ]),
        "agent_tool" => {
            let name = dice.word(&["expert", "counsel"]);
            json([
                ("type", kind.into()),
                ("agent", Json::Object(agent(dice, cast, name))),
                ("skip_summarization", dice.maybe(20, |_| true)),
            ])
        }
        "google_search" => {
            json([("type", kind.into()), ("bypass_multi_tools_limit", dice.maybe(50, |_| true))])
        }
        "examples" => json([("type", kind.into()), ("examples", dice.several(0, 2, example).into())]),
        _ => json([("type", kind.into())]),
    }
}

fn declaration(dice: &mut Dice) -> Json {
    json([
        ("name", dice.word(TOOL_NAMES).into()),
        ("description", dice.maybe(80, text)),
        ("parametersJsonSchema", dice.maybe(50, |_| parameters())),
        (
            "parameters",
            dice.maybe(10, |_| {
                json([
                    ("type", "OBJECT".into()),
                    ("properties", json([("q", json([("type", "STRING".into())]))])),
                ])
            }),
        ),
    ])
}

fn parameters() -> Json {
    json([
        ("type", "object".into()),
        (
            "properties",
            json([("q", json([("type", "string".into())])), ("a", json([("type", "integer".into())]))]),
        ),
        ("required", vec!["q".into()].into()),
    ])
}

fn example(dice: &mut Dice) -> Json {
    let content = |role: &str, parts: Vec<Json>| json([("role", role.into()), ("parts", parts.into())]);
    let output = dice.several(1, 2, |dice| {
        let part = if dice.chance(40) {
            let args = Json::Object(data(dice, 1));
            call(&Json::Null, "search", args)
        } else {
            text_part(&text(dice))
        };
        content(dice.word(&["model", "user"]), vec![part])
    });
    let input = content("user", vec![text_part(&text(dice))]);
    json([("input", input), ("output", output.into())])
}

/// A schema of answers, with the JSON Schema pydantic prints for it.
pub(crate) fn schema(dice: &mut Dice) -> Json {
    match dice.between(0, 3) {
        0 => class_schema(),
        1 => json([
            ("kind", "list_of_pydantic_model".into()),
            ("class", "Weather".into()),
            (
                "json_schema",
                json([
                    ("$defs", json([("Weather", weather())])),
                    ("items", json([("$ref", "#/$defs/Weather".into())])),
                    ("type", "array".into()),
                ]),
            ),
        ]),
        2 => json([("kind", "json_schema".into()), ("json_schema", parameters())]),
        _ => json([
            ("kind", "primitive".into()),
            ("annotation", "dict[str, int]".into()),
            (
                "json_schema",
                json([
                    ("additionalProperties", json([("type", "integer".into())])),
                    ("type", "object".into()),
                ]),
            ),
        ]),
    }
}

/// The schema of a class.
pub(crate) fn class_schema() -> Json {
    json([("kind", "pydantic_model".into()), ("class", "Weather".into()), ("json_schema", weather())])
}

fn weather() -> Json {
    let field = |title: &str, kind: &str| json([("title", title.into()), ("type", kind.into())]);
    json([
        ("properties", json([("city", field("City", "string")), ("degrees", field("Degrees", "number"))])),
        ("required", vec!["city".into(), "degrees".into()].into()),
        ("title", "Weather".into()),
        ("type", "object".into()),
    ])
}

/// A callback before the model is called.
pub(crate) fn callback(dice: &mut Dice) -> Json {
    let kind = *dice.weighted(&[
        (3, "strip_for_context"),
        (2, "compact_state"),
        (2, "append_instruction"),
        (1, "short_circuit"),
        (2, "set_state"),
        (3, "keep_last_contents"),
    ]);
    match kind {
        "strip_for_context" => {
            json([("type", kind.into()), ("match", dice.word(&["seed004", "adk2"]).into())])
        }
        "compact_state" => {
            json([("type", kind.into()), ("source", "queries".into()), ("dest", "short".into())])
        }
        "set_state" => json([("type", kind.into()), ("values", data(dice, 1).into())]),
        "keep_last_contents" => {
            json([("type", kind.into()), ("count", Json::Int(dice.between(1, 3) as i64))])
        }
        _ => json([("type", kind.into()), ("text", text(dice).into())]),
    }
}

pub(crate) fn plugin(dice: &mut Dice) -> Json {
    if dice.chance(30) {
        return json([("type", "global_instruction".into()), ("global_instruction", instruction(dice))]);
    }
    let filter = dice.maybe(40, |dice| match dice.between(0, 3) {
        0 => json([("type", "drop_role".into()), ("role", dice.word(&["user", "model"]).into())]),
        1 => json([("type", "keep_last".into()), ("count", Json::Int(dice.between(1, 3) as i64))]),
        2 => json([("type", "drop_function_parts".into())]),
        _ => json([("type", "raise".into()), ("message", "no".into())]),
    });
    json([
        ("type", "context_filter".into()),
        ("num_invocations_to_keep", dice.maybe(80, |dice| Json::Int(dice.between(0, 3) as i64))),
        ("remove_amount", dice.maybe(30, |dice| Json::Int(dice.between(1, 3) as i64))),
        ("custom_filter", filter),
    ])
}

/// A template, or a provider of a text.
pub(crate) fn instruction(dice: &mut Dice) -> Json {
    if dice.chance(15) { json([("provider", template(dice).into())]) } else { template(dice).into() }
}
