//! Files of google-adk's agent configuration: those that google-adk 2.13 refuses are refused, as it was seen to do.

use super::*;

/// What every agent needs, before what is wrong with it.
const ROOT: &str = "agent_class: LlmAgent\nname: root\ninstruction: x\n";

/// A name, the file, and what has to be said of it; nothing: google-adk takes it.
const FILES: &[(&str, &str, &str)] = &[
    ("ok", "{ROOT}", ""),
    ("unknown_key", "{ROOT}foo: bar\n", "foo: is no field"),
    ("missing_file", "{ROOT}sub_agents:\n  - config_path: missing.yaml\n", "missing.yaml"),
    ("circle", "{ROOT}sub_agents:\n  - config_path: circle.yaml\n", "circle.yaml refers back"),
    ("no_instruction", "name: root\nmodel: m\n", "instruction: is required"),
    ("no_name", "agent_class: LlmAgent\ninstruction: x\n", "name: is required"),
    (
        "iterations",
        "agent_class: LoopAgent\nname: root\nmax_iterations: many\nsub_agents: []\n",
        "max_iterations: should be a whole number",
    ),
    ("iterations_text", "agent_class: LoopAgent\nname: root\nmax_iterations: '3'\nsub_agents: []\n", ""),
    ("iterations_round", "agent_class: LoopAgent\nname: root\nmax_iterations: '3.0'\nsub_agents: []\n", ""),
    (
        "node_field",
        "agent_class: Workflow\nname: w\nedges:\n  - [START, {name: a, instruction: x, mode: chat}]\n",
        "mode: is no field",
    ),
    ("iterations_float", "agent_class: LoopAgent\nname: root\nmax_iterations: 3.5\n", "max_iterations"),
    ("class_nope", "agent_class: Nope\nname: root\n", "no agent class Nope"),
    ("class_long", "agent_class: google.adk.agents.LlmAgent\nname: root\ninstruction: x\n", ""),
    ("class_long2", "agent_class: google.adk.agents.llm_agent.LlmAgent\nname: root\ninstruction: x\n", ""),
    ("class_agent", "agent_class: Agent\nname: root\ninstruction: x\n", ""),
    ("class_empty", "agent_class: ''\nname: root\ninstruction: x\n", ""),
    ("loop_instruction", "agent_class: LoopAgent\nname: root\ninstruction: x\n", "instruction: is no field"),
    ("seq_model", "agent_class: SequentialAgent\nname: root\nmodel: x\n", "model: is no field"),
    ("seq_ok", "agent_class: SequentialAgent\nname: root\ndescription: d\n", ""),
    ("name_bad", "name: my agent\ninstruction: x\n", "Python identifier"),
    ("name_user", "name: user\ninstruction: x\n", "cannot be called user"),
    ("name_number", "name: 5\ninstruction: x\n", "name: should be a string"),
    ("instruction_number", "name: root\ninstruction: 5\n", "instruction: should be a string"),
    ("instruction_null", "name: root\ninstruction:\n", "instruction: should be a string"),
    ("include", "{ROOT}include_contents: some\n", "default or none"),
    ("include_none", "{ROOT}include_contents: none\n", ""),
    ("model_both", "{ROOT}model: a\nmodel_code:\n  name: a.b\n", "only one of model and model_code"),
    ("model_number", "{ROOT}model: 5\n", "model: should be a string"),
    ("model_dict", "{ROOT}model:\n  name: a.b\n", "model: should be a string"),
    (
        "ref_both",
        "{ROOT}sub_agents:\n  - config_path: ok.yaml\n    code: a.b\n",
        "only one of config_path and code",
    ),
    ("ref_none", "{ROOT}sub_agents:\n  - {}\n", "either config_path or code"),
    ("ref_text", "{ROOT}sub_agents:\n  - ok.yaml\n", "sub_agents.0"),
    ("ref_other", "{ROOT}sub_agents:\n  - path: ok.yaml\n", "path: is no field"),
    ("ref_abs", "{ROOT}sub_agents:\n  - config_path: /tmp/y/ok.yaml\n", "not below the folder"),
    ("ref_up", "{ROOT}sub_agents:\n  - config_path: ../y2/ok.yaml\n", "not below the folder"),
    ("sub_inline", "{ROOT}sub_agents:\n  - name: a\n    instruction: x\n", "sub_agents.0"),
    ("sub_not_list", "{ROOT}sub_agents: ok.yaml\n", "sub_agents: should be an array"),
    ("tool_unknown_field", "{ROOT}tools:\n  - name: google_search\n    foo: 1\n", "tools.0.foo"),
    ("tool_builtin_unknown", "{ROOT}tools:\n  - name: nosuchtool\n", "no tool nosuchtool"),
    ("tool_choice", "{ROOT}tools:\n  - name: get_user_choice\n", ""),
    ("tool_unknown", "{ROOT}tools:\n  - name: RemoteMcpServer\n", "RemoteMcpServer"),
    ("tool_unmade", "{ROOT}tools:\n  - name: APIHubToolset\n", "makes no APIHubToolset"),
    ("tool_of_nothing", "{ROOT}tools:\n  - name: LongRunningFunctionTool\n", "`func` does not say"),
    ("tool_text", "{ROOT}tools:\n  - google_search\n", "tools.0"),
    ("tool_noname", "{ROOT}tools:\n  - type: google_search\n", "tools.0.name"),
    ("tool_not_list", "{ROOT}tools: google_search\n", "tools: should be an array"),
    ("callback_text", "{ROOT}before_model_callbacks:\n  - a.b\n", "before_model_callbacks.0"),
    (
        "callback_field",
        "{ROOT}before_model_callbacks:\n  - name: a.b\n    x: 1\n",
        "before_model_callbacks.0.x",
    ),
    ("gcc_snake", "{ROOT}generate_content_config:\n  max_output_tokens: 5\n", ""),
    ("gcc_unknown", "{ROOT}generate_content_config:\n  foo: 1\n", "generate_content_config.foo"),
    (
        "gcc_temp",
        "{ROOT}generate_content_config:\n  temperature: hot\n",
        "generate_content_config.temperature",
    ),
    ("gcc_system", "{ROOT}generate_content_config:\n  system_instruction: x\n", "system instruction"),
    ("disallow", "{ROOT}disallow_transfer_to_parent: maybe\n", "disallow_transfer_to_parent"),
    ("disallow_yes", "{ROOT}disallow_transfer_to_parent: 'yes'\n", ""),
    ("output_key_number", "{ROOT}output_key: 5\n", "output_key"),
    ("description_number", "{ROOT}description: 5\n", "description"),
    ("schema_text", "{ROOT}output_schema: a.b\n", "output_schema"),
    ("planner", "{ROOT}planner:\n  name: a.b\n", "planner: is no field"),
    ("static", "{ROOT}static_instruction: hi\n", ""),
    (
        "args_key2",
        "{ROOT}tools:\n  - name: AgentTool\n    args:\n      agent:\n        config_path: nofile.yaml\n",
        "nofile.yaml",
    ),
    ("args_key3", "{ROOT}tools:\n  - name: AgentTool\n    args:\n      agents: 1\n", "agent"),
    ("wf_fwd", "agent_class: Workflow\nname: w\nedges:\n  - [START, b]\n", "names the node b"),
    (
        "wf_nostart",
        "agent_class: Workflow\nname: w\nedges:\n  - [{name: a, instruction: x}, {name: b, instruction: y}]\n",
        "START",
    ),
];

/// The report of a file in a folder of its own.
fn ran(desk: &Desk, file: &str, text: &str, model: ModelChoice) -> Result<RunReport, AppError> {
    let app = desk.file(file, &text.replace("{ROOT}", ROOT));
    run(&RunChoice { app: Some(app), ..desk.choice(model) }, &["Hello"])
}

#[test]
fn what_google_adk_refuses_is_refused_and_what_it_takes_runs() {
    let desk = Desk::new(&json!({}));
    desk.file("ok.yaml", ROOT);
    for (name, text, because) in FILES {
        let report = ran(&desk, &format!("{name}.yaml"), text, ModelChoice::Echo);
        match report {
            Ok(report) if because.is_empty() => assert!(report.error.is_none(), "{name}: {:?}", report.error),
            Ok(_) => panic!("{name} ran: {text}"),
            Err(refused) => {
                let is_said = !because.is_empty() && refused.message.contains(because);
                assert!(is_said, "{name}: {}", refused.message);
            }
        }
    }
    assert_eq!(desk.store().sessions("", 0..99).unwrap().total, 13);
}

#[test]
fn a_class_of_somebody_else_needs_a_script_whatever_its_name_ends_with() {
    let desk = Desk::new(&json!({}));
    let refused = ran(&desk, "a.yaml", "agent_class: my.module.Agent\nname: root\n", ModelChoice::Echo);
    assert!(refused.unwrap_err().message.contains("`root`"));
}

#[test]
fn files_are_found_from_the_folder_of_the_one_that_names_them() {
    let desk = Desk::new(&json!({}));
    std::fs::create_dir_all(desk.path("team/more")).unwrap();
    desk.file("team/a.yaml", "name: a\ninstruction: x\nsub_agents:\n  - config_path: more/b.yaml\n");
    desk.file("team/more/b.yaml", "name: b\ninstruction: x\n");
    let text = "{ROOT}sub_agents:\n  - config_path: team/a.yaml\n";
    assert!(ran(&desk, "root.yaml", text, ModelChoice::Echo).unwrap().error.is_none());
    desk.file("team/more/b.yaml", "name: b\ninstruction: x\nfoo: 1\n");
    let refused = ran(&desk, "root.yaml", text, ModelChoice::Echo).unwrap_err();
    assert!(refused.message.contains("team/more/b.yaml: foo"), "{}", refused.message);
}

#[test]
fn workflows_of_files_run() {
    let desk = Desk::new(&json!({}));
    desk.file("last.yaml", "name: last\ninstruction: x\n");
    let tools = desk.file(
        "tools.js",
        "export function pick({input}) { return 'n' }\n\
         export function choose({input}, context) { context.route = 'left'; return 'chosen' }",
    );
    let text = "agent_class: Workflow\nname: flow\nedges:\n\
        \x20 - [START, my.code.choose, {left: {name: a, instruction: x}, right: {name: b, instruction: y}}]\n\
        \x20 - [a, [my.code.pick, last.yaml], {agent_class: JoinNode, name: both}]\n\
        \x20 - {from_node: both, to_node: {name: end, instruction: z}}\n";
    let app = desk.file("flow.yaml", text);
    let script =
        json!([{"agent": "a", "text": "A"}, {"agent": "last", "text": "L"}, {"agent": "end", "text": "E"}]);
    let choice = RunChoice { app: Some(app), tools: Some(tools), ..desk.scripted(&script) };
    let report = run(&choice, &["Hello"]).unwrap();
    assert!(report.error.is_none(), "{:?}", report.error);
    let agents: Vec<&str> = report.calls.iter().map(|call| &*call.agent).collect();
    assert_eq!(agents, ["a", "last", "end"]);
}

#[test]
fn parts_of_an_app_that_nobody_understands_are_not_left_out_of_a_run() {
    for (app, because) in [
        (json!({"name": "x", "root_agent": {"type": "zzz", "name": "a"}}), "zzz"),
        (json!({"name": "x", "root_agent": {"name": "a", "tools": [{"type": "nope"}]}}), "nope"),
        (json!({"name": "x", "plugins": [{"type": "zz"}], "root_agent": {"name": "a"}}), "plugins"),
    ] {
        let desk = Desk::new(&app);
        let refused = run(&desk.choice(ModelChoice::Echo), &["Hello"]).unwrap_err();
        assert!(refused.message.contains(because), "{}", refused.message);
    }
}
