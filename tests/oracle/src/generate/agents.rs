//! Trees of agents.

use strata_model::{Json, Object};

use super::parts::{reference, spoken};
use super::texts::{data, text};
use super::tools::{callback, class_schema, instruction, plugin, schema, tools};
use crate::dice::{Dice, json, object};

/// Who takes part. The first is the root; each other has a parent before it.
pub(crate) struct Cast {
    pub(crate) names: Vec<&'static str>,
    parents: Vec<usize>,
    is_llm: Vec<bool>,
}

impl Cast {
    /// Those that call a model.
    pub(crate) fn llms(&self) -> Vec<&'static str> {
        self.names.iter().zip(&self.is_llm).filter(|(_, is_llm)| **is_llm).map(|(name, _)| *name).collect()
    }
}

const NAMES: [&str; 5] = ["root", "writer", "planner", "café", "critic_2"];

pub(crate) fn cast(dice: &mut Dice) -> Cast {
    let n_agents = *dice.weighted(&[(4, 1), (3, 2), (3, 3), (1, 4), (1, 5)]);
    let is_llm = (0..n_agents).map(|at| at + 1 == n_agents || dice.chance(88)).collect();
    let parents = (0..n_agents).map(|at: usize| dice.between(0, at.saturating_sub(1))).collect();
    Cast { names: NAMES[..n_agents].to_vec(), parents, is_llm }
}

pub(crate) fn app(dice: &mut Dice, cast: &Cast) -> Json {
    json([
        ("name", "demo".into()),
        ("root_agent", tree(dice, cast, 0)),
        ("plugins", dice.maybe(25, plugins)),
        ("context_cache_config", dice.maybe(25, cache_config)),
    ])
}

/// One plugin or two, under names of their own.
fn plugins(dice: &mut Dice) -> Json {
    let mut plugins = vec![plugin(dice)];
    if dice.chance(30) {
        let mut second = plugin(dice);
        if let Json::Object(second) = &mut second {
            second.push("name", "second");
        }
        plugins.insert(dice.between(0, 1), second);
    }
    plugins.into()
}

pub(crate) fn cache_config(dice: &mut Dice) -> Json {
    json([
        ("cache_intervals", dice.maybe(50, |_| Json::Int(5))),
        ("ttl_seconds", dice.maybe(50, |_| Json::Int(600))),
        ("min_tokens", dice.maybe(50, |_| Json::Int(100))),
    ])
}

fn tree(dice: &mut Dice, cast: &Cast, at: usize) -> Json {
    let children: Vec<Json> = (1..cast.names.len())
        .filter(|child| cast.parents[*child] == at)
        .map(|child| tree(dice, cast, child))
        .collect();
    let mut own = if cast.is_llm[at] {
        let mut own = agent(dice, cast, cast.names[at]);
        if at > 0 && dice.chance(12) {
            own.push("mode", dice.word(&["task", "single_turn"]));
        }
        own
    } else {
        let kind = dice.word(&["sequential", "parallel", "loop", "loop"]);
        object([
            ("type", kind.into()),
            ("name", cast.names[at].into()),
            ("description", dice.maybe(30, text)),
            ("max_iterations", if kind == "loop" { dice.maybe(30, |_| Json::Int(3)) } else { Json::Null }),
        ])
    };
    if !children.is_empty() {
        own.push("sub_agents", children);
    }
    Json::Object(own)
}

/// An agent without sub-agents.
pub(crate) fn agent(dice: &mut Dice, cast: &Cast, name: &'static str) -> Object {
    object([
        ("type", "llm".into()),
        ("name", name.into()),
        ("description", dice.maybe(50, text)),
        ("model", dice.maybe(60, model)),
        ("instruction", dice.maybe(75, instruction)),
        ("global_instruction", dice.maybe(12, instruction)),
        ("static_instruction", dice.maybe(25, static_instruction)),
        ("include_contents", dice.maybe(18, |_| "none")),
        ("output_schema", dice.maybe(12, schema)),
        ("disallow_transfer_to_parent", dice.maybe(15, |_| true)),
        ("disallow_transfer_to_peers", dice.maybe(15, |_| true)),
        ("planner", dice.maybe(12, planner)),
        ("generate_content_config", dice.maybe(20, generate_config)),
        ("input_schema", dice.maybe(8, |_| class_schema())),
        ("code_executor", dice.maybe(8, code_executor)),
        ("tools", if name == "expert" { Json::Null } else { dice.maybe(50, |dice| tools(dice, cast)) }),
        ("before_model_callbacks", dice.maybe(15, |dice| dice.several(1, 2, callback))),
    ])
}

fn model(dice: &mut Dice) -> Json {
    let named = |name: &str, kind: &str| [("name", name.into()), ("kind", kind.into())];
    match dice.between(0, 9) {
        0..5 => dice.word(&["gemini-2.5-flash", "gemini-3-pro-preview", "gemini-1.5-pro"]).into(),
        5 | 6 => json([("name", "gemini-2.5-flash".into()), ("use_interactions_api", true.into())]),
        7 => json(named("openai/gpt-5", "lite_llm")),
        _ => {
            let [name, kind] = named("acme-9", "other");
            json([name, kind, ("output_schema_and_tools", dice.maybe(50, |_| true))])
        }
    }
}

fn static_instruction(dice: &mut Dice) -> Json {
    match dice.between(0, 9) {
        0..6 => text(dice).into(),
        6 => dice
            .several(0, 3, |dice| if dice.chance(50) { text(dice).into() } else { reference(dice) })
            .into(),
        7 => reference(dice),
        8 => json([("role", "user".into()), ("parts", dice.several(0, 3, spoken).into())]),
        _ => json([("role", "user".into()), ("parts", dice.several(1, 4, reference).into())]),
    }
}

fn planner(dice: &mut Dice) -> Json {
    if dice.chance(60) {
        return json([("type", "plan_re_act".into())]);
    }
    let thinking = object([
        ("includeThoughts", dice.maybe(50, |_| true)),
        ("thinkingBudget", dice.maybe(50, |_| Json::Int(512))),
    ]);
    json([("type", "built_in".into()), ("thinking_config", thinking.into())])
}

fn code_executor(dice: &mut Dice) -> Json {
    if dice.chance(40) {
        return json([("type", "built_in".into())]);
    }
    // With attempts left, google-adk would run code on data files before it compiles.
    let optimizes = dice.chance(50);
    json([
        ("type", "host".into()),
        ("optimize_data_file", optimizes.into()),
        ("error_retry_attempts", if optimizes { Json::Int(0) } else { Json::Null }),
    ])
}

fn generate_config(dice: &mut Dice) -> Json {
    json([
        ("temperature", dice.maybe(40, |_| Json::Float(0.5))),
        ("topK", dice.maybe(30, |_| Json::Int(5))),
        ("stopSequences", dice.maybe(20, |_| vec![Json::from("END")])),
        ("labels", dice.maybe(30, |dice| json([(dice.word(&["team", "adk_agent_name"]), "x".into())]))),
        ("seed", dice.maybe(10, |_| Json::Int(7))),
        ("responseModalities", dice.maybe(10, |_| vec![Json::from("TEXT")])),
        ("responseMimeType", dice.maybe(15, |_| "text/plain")),
        ("thinkingConfig", dice.maybe(20, |_| json([("thinkingBudget", Json::Int(0))]))),
        (
            "httpOptions",
            dice.maybe(30, |_| {
                json([("headers", json([("x-a", "1".into())])), ("timeout", Json::Int(1000))])
            }),
        ),
        ("responseJsonSchema", dice.maybe(5, |dice| data(dice, 1))),
    ])
}
