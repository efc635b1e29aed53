//! Files of google-adk's agent configuration: what is checked of each before its agent is made. Files that it refers to are
//! checked by themselves.

use strata_model::app::AgentKind;
use strata_model::{Json, Object};

use super::agent::{generate_problems, name_problems, owned_by_the_agent};
use super::error::{ConfigError, found};
use super::number::ANY;
use super::problem::{Problem, whole};
use super::record::Shape::{self, Any, Bool, Checked, Int, List, Literal, Text};
use super::record::{Extra, Field, Record, check_record, defaulted, nullable, required};
use super::records::model;

/// A variable, a function or a class of Python's, by its name.
static CODE: Record = model(&[required("name", Text)]);

static TOOL: Record = model(&[required("name", Text), nullable("args", Any)]);

static REFERENCE: Record = model(&[nullable("config_path", Text), nullable("code", Text)]);

static OF_CODE: Shape = Shape::Record(&CODE);
static OF_NAMED: Shape = Shape::Record(&TOOL);
static OF_TOOLS: Shape = Checked(&OF_NAMED, agent_tool);
static OF_FIELDS: Shape = Shape::Record(&REFERENCE);
static OF_AGENTS: Shape = Checked(&OF_FIELDS, one_place);

static AGENT_TOOL: Record = model(&[
    required("agent", Shape::Record(&REFERENCE)),
    defaulted("skip_summarization", Bool),
    defaulted("include_plugins", Bool),
]);

const CODES: Shape = List(&OF_CODE);

const CLASS: Field = defaulted("agent_class", Text);
const NAME: Field = required("name", Text);
const DESCRIPTION: Field = defaulted("description", Text);
const SUB_AGENTS: Field = nullable("sub_agents", List(&OF_AGENTS));
const BEFORE: Field = nullable("before_agent_callbacks", CODES);
const AFTER: Field = nullable("after_agent_callbacks", CODES);

static LLM_AGENT: Record = model(&[
    CLASS,
    NAME,
    DESCRIPTION,
    SUB_AGENTS,
    BEFORE,
    AFTER,
    nullable("model", Text),
    nullable("model_code", Shape::Record(&CODE)),
    required("instruction", Text),
    nullable("static_instruction", Any),
    nullable("disallow_transfer_to_parent", Bool),
    nullable("disallow_transfer_to_peers", Bool),
    nullable("input_schema", Shape::Record(&CODE)),
    nullable("output_schema", Shape::Record(&CODE)),
    nullable("output_key", Text),
    defaulted("include_contents", Literal(&["default", "none"])),
    nullable("tools", List(&OF_TOOLS)),
    nullable("before_model_callbacks", CODES),
    nullable("after_model_callbacks", CODES),
    nullable("before_tool_callbacks", CODES),
    nullable("after_tool_callbacks", CODES),
    nullable("generate_content_config", Checked(&Any, generate_problems)),
]);

static LOOP_AGENT: Record =
    model(&[CLASS, NAME, DESCRIPTION, SUB_AGENTS, BEFORE, AFTER, nullable("max_iterations", Int(ANY))]);

static OTHER_AGENT: Record = model(&[CLASS, NAME, DESCRIPTION, SUB_AGENTS, BEFORE, AFTER]);

/// Agents of other classes have fields of their own.
static CUSTOM_AGENT: Record =
    Record { extra: Extra::Ignored, ..model(&[CLASS, NAME, DESCRIPTION, SUB_AGENTS, BEFORE, AFTER]) };

/// What google-adk does not know of a workflow, it leaves out with a warning.
static WORKFLOW: Record = Record { extra: Extra::Ignored, ..model(&[CLASS, NAME, DESCRIPTION]) };

pub(super) fn check(value: &Json) -> Result<(), ConfigError> {
    let class = value.get("agent_class").and_then(Json::as_str).unwrap_or_default();
    let kind = AgentKind::from_class(class).unwrap_or(AgentKind::Custom);
    let problems = check_record(
        match kind {
            AgentKind::Llm => &LLM_AGENT,
            AgentKind::Loop => &LOOP_AGENT,
            AgentKind::Sequential | AgentKind::Parallel => &OTHER_AGENT,
            AgentKind::Workflow => &WORKFLOW,
            AgentKind::Custom => &CUSTOM_AGENT,
        },
        value,
    );
    if !problems.is_empty() {
        return found(problems);
    }
    if kind == AgentKind::Llm && ["model", "model_code"].iter().all(|key| is_given(value, key)) {
        return found(whole("only one of model and model_code can be set"));
    }
    let below = |key: &str, check: fn(&Json) -> Vec<Problem>| {
        let problems = value.get(key).map(check).unwrap_or_default();
        found(problems.into_iter().map(|problem| problem.below(key)).collect())
    };
    below("name", name_problems)?;
    below("generate_content_config", owned_by_the_agent)
}

fn is_given(value: &Json, key: &str) -> bool {
    value.get(key).is_some_and(Json::is_truthy)
}

/// An agent as a tool is checked as it is made; what other tools are given is their own.
fn agent_tool(tool: &Json) -> Vec<Problem> {
    if tool.get("name").and_then(Json::as_str) != Some("AgentTool") {
        return Vec::new();
    }
    let none = Json::Object(Object::new());
    let args = tool.get("args").filter(|args| !args.is_null()).unwrap_or(&none);
    check_record(&AGENT_TOOL, args).into_iter().map(|problem| problem.below("args")).collect()
}

/// An agent is in a file or in code.
fn one_place(reference: &Json) -> Vec<Problem> {
    match ["config_path", "code"]
        .iter()
        .filter(|key| reference.get(key).is_some_and(|at| !at.is_null()))
        .count()
    {
        1 => Vec::new(),
        0 => whole("either config_path or code has to be given"),
        _ => whole("only one of config_path and code can be given"),
    }
}
