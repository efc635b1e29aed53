//! App configurations: what a compile needs besides the session.
//!
//! Two shapes are read, as JSON or YAML: an app as [`App`] writes it, `{name, root_agent, …}`, and ADK's own agent
//! configuration with an `agent_class` and agents in files of their own.

mod adk_functions;
mod agent_config;
mod document;
mod generate_config;
mod graph;
mod tools;

use strata_model::{App, Decoder, Diagnostic, FromJson as _, Json, Severity};

use agent_config::AgentConfig;
use document::read_document;

pub use agent_config::AgentFile;
pub use document::ReadFile;

/// An app configuration with what was odd about it.
#[derive(Debug)]
pub struct AppConfig {
    pub app: App,
    /// The file, where it is written in the names that google-adk's own constructors take.
    pub document: Option<Json>,
    /// The files of an agent configuration.
    pub agent_files: Vec<AgentFile>,
    pub diagnostics: Vec<Diagnostic>,
}

impl AppConfig {
    /// What keeps google-adk from starting with it, as far as reading it shows.
    pub fn refusal(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|found| found.severity == Severity::Error)
    }

    /// What of it was not understood: a run would go on without it.
    pub fn unread(&self) -> Option<&Diagnostic> {
        self.diagnostics.iter().find(|found| matches!(found.code, "unexpected-type" | "unknown-tool"))
    }
}

/// Reads an app configuration. The error says what the file is instead and what is expected.
pub fn read_app_config(bytes: &[u8], read_file: ReadFile<'_>) -> Result<AppConfig, String> {
    let document = read_document(bytes)?;
    let document = document.get("app").filter(|app| is_app(app)).cloned().unwrap_or(document);
    let mut decoder = Decoder::new();
    let is_python = document.get("root_agent").is_some();
    let python = is_python.then(|| document.clone());
    let (mut app, agent_files) = if is_app(&document) {
        let app = App::from_json(document, &mut decoder)
            .map_err(|_| "this is not an app configuration".to_owned())?;
        report_unknown_fields(&app, &mut decoder);
        (app, Vec::new())
    } else if AgentConfig::is_one(&document) {
        agent_config::read_app(document, read_file, &mut decoder)
    } else {
        return Err(format!(
            "this is not an app configuration: expected `root_agent` with the agents inside, or ADK's agent \
             configuration with `agent_class` or `name` and `instruction`; found {}",
            describe(&document)
        ));
    };
    generate_config::spell(&mut app);
    Ok(AppConfig { app, document: python, agent_files, diagnostics: decoder.into_diagnostics() })
}

fn is_app(document: &Json) -> bool {
    document
        .get("root_agent")
        .or_else(|| document.get("rootAgent"))
        .is_some_and(|root| root.as_object().is_some())
}

fn describe(document: &Json) -> String {
    match document.as_object() {
        None => document.kind().to_owned(),
        Some(object) if object.is_empty() => "an empty object".to_owned(),
        Some(object) => {
            let keys: Vec<&str> = object.keys().take(5).map(|key| &**key).collect();
            format!("an object with {}", keys.join(", "))
        }
    }
}

fn report_unknown_fields(app: &App, decoder: &mut Decoder) {
    let mut unknown: Vec<String> = app.unknown_fields().map(|field| field.to_string()).collect();
    let mut agents: Vec<&strata_model::Agent> = app.root_agent.as_deref().into_iter().collect();
    while let Some(agent) = agents.pop() {
        unknown.extend(agent.unknown_fields().map(|field| format!("{}: {field}", agent.name)));
        agents.extend(agent.sub_agents().iter().map(|agent| &**agent));
    }
    for field in unknown {
        let message = format!("`{field}` is not known here and has no effect");
        decoder.report(Diagnostic::warning("unknown-field", field, message));
    }
}

#[cfg(test)]
mod tests {
    use strata_model::Tool;
    use strata_model::app::{Node, Planner};

    use super::*;

    fn read(text: &str) -> Result<AppConfig, String> {
        read_app_config(text.as_bytes(), &|path| {
            (path == "helper.yaml")
                .then(|| b"name: helper\nmodel: gemini-3.5-flash\ninstruction: Help.\n".to_vec())
        })
    }

    #[test]
    fn a_tool_that_is_not_known_costs_itself_and_no_other() {
        let json = br#"{"name":"a","root_agent":{"name":"r","tools":[{"type":"load_memory"},
            {"type":"mcp","name":"files","server":"x"},"google_search",{"type":"exit_loop"}]}}"#;
        let read = read_app_config(json, &|_| None).unwrap();
        let root = read.app.root_agent.unwrap();
        let names: Vec<String> = root.tools().iter().map(|tool| tool.name().to_string()).collect();
        assert_eq!(names, ["load_memory", "files", "unknown tool", "exit_loop"]);
        let found: Vec<_> = read.diagnostics.iter().map(|found| (found.code, found.at.as_str())).collect();
        let at = |n: usize| format!("root_agent.tools[{n}]");
        assert_eq!(found, [("unknown-tool", &*at(1)), ("unknown-tool", &*at(2))]);
    }

    #[test]
    fn an_app_is_read_from_json_and_yaml() {
        let json = r#"{"name":"a","root_agent":{"name":"r","instruction":"Be {mood}.","tools":[{"type":"load_memory"}]}}"#;
        let yaml =
            "name: a\nroot_agent:\n  name: r\n  instruction: Be {mood}.\n  tools:\n    - type: load_memory\n";
        let of_json = read(json).unwrap();
        assert!(of_json.diagnostics.is_empty());
        assert_eq!(of_json.app, read(yaml).unwrap().app);
        assert_eq!(read(&format!(r#"{{"kind":"compile","app":{json}}}"#)).unwrap().app, of_json.app);
    }

    #[test]
    fn what_an_agent_configuration_leaves_to_code_is_reported() {
        let config = read(
            "# yaml-language-server: $schema=AgentConfig.json\nagent_class: LlmAgent\nname: root\ndescription: d\n\
             instruction: |\n  One.\n  Two.\nsub_agents:\n  - config_path: helper.yaml\n  - config_path: gone.yaml\n  \
             - code: lib.agents.coder\ntools:\n  - name: google_search\n  - name: lib.tools.lookup\n\
             generate_content_config:\n  temperature: 0.1\nbefore_model_callbacks:\n  - name: lib.check\n",
        )
        .unwrap();
        let root = config.app.root_agent.as_ref().unwrap();
        assert_eq!(&**root.instruction.as_ref().unwrap().text(), "One.\nTwo.\n");
        let names: Vec<&str> = root.sub_agents().iter().map(|agent| &*agent.name).collect();
        assert_eq!(names, ["helper", "coder"]);
        assert_eq!(root.tools().len(), 2);
        let codes: Vec<&str> = config.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, ["missing-agent-file", "agent-in-code", "tool-in-code", "callback-in-code"]);
    }

    #[test]
    fn settings_are_spelled_as_requests_have_them_and_what_is_data_stays() {
        const WRITTEN: &str = r#"{"temperature": 0.2, "max_output_tokens": 100, "stop_sequences": ["a_b"],
            "thinking_config": {"thinking_budget": 7, "include_thoughts": true},
            "safety_settings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
            "tool_config": {"function_calling_config": {"allowed_function_names": ["look_up"]}},
            "http_options": {"headers": {"x_a": "1"}, "extra_body": {"b_c": {"d_e": 1}},
                "retry_options": {"initial_delay": 1}},
            "labels": {"cost_center": "x"}, "topP": 0.5,
            "response_json_schema": {"properties": {"first_name": {"any_of": []}}}}"#;
        const SENT: &str = r#"{"temperature": 0.2, "maxOutputTokens": 100, "stopSequences": ["a_b"],
            "thinkingConfig": {"thinkingBudget": 7, "includeThoughts": true},
            "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
            "toolConfig": {"functionCallingConfig": {"allowedFunctionNames": ["look_up"]}},
            "httpOptions": {"headers": {"x_a": "1"}, "extraBody": {"b_c": {"d_e": 1}},
                "retryOptions": {"initialDelay": 1}},
            "labels": {"cost_center": "x"}, "topP": 0.5,
            "responseJsonSchema": {"properties": {"first_name": {"any_of": []}}}}"#;
        let sent = strata_model::json::parse(SENT.as_bytes()).unwrap();
        let own = format!(r#"{{"name": "a", "instruction": "x", "generate_content_config": {WRITTEN}}}"#);
        let root = read(&own).unwrap().app.root_agent.unwrap();
        assert_eq!(root.generate_content_config.as_ref(), sent.as_object());

        let agent = |name: &str| format!(r#"{{"name": "{name}", "generate_content_config": {WRITTEN}}}"#);
        let (below, called, node) = (agent("b"), agent("c"), agent("d"));
        let app = format!(
            r#"{{"name": "a", "root_agent": {{"name": "a", "sub_agents": [{below}],
                "planner": {{"type": "built_in", "thinking_config": {{"thinking_budget": 7}}}},
                "tools": [{{"type": "agent_tool", "agent": {called}}}], "nodes": [{node}]}}}}"#
        );
        let root = read(&app).unwrap().app.root_agent.unwrap();
        let Some([Tool::AgentTool { agent: called, .. }]) = root.tools.as_deref() else { panic!("{app}") };
        let Some([Node::Agent(node)]) = root.nodes.as_deref() else { panic!("{app}") };
        for agent in [&root.sub_agents()[0], called, node] {
            assert_eq!(agent.generate_content_config.as_ref(), sent.as_object(), "{}", agent.name);
        }
        let Some(Planner::BuiltIn { thinking_config }) = &root.planner else { panic!("{app}") };
        assert_eq!(thinking_config.get("thinkingBudget"), Some(&Json::Int(7)));
    }

    /// The tools of an agent whose file names them so, as JSON, and what is said of them.
    fn tools(yaml: &str) -> (Vec<String>, Vec<&'static str>) {
        let read = read(&format!("name: a\ninstruction: x\ntools:\n{yaml}")).unwrap();
        let root = read.app.root_agent.unwrap();
        let tools = root.tools().iter().map(|tool| strata_model::json::to_compact(&tool.to_json()));
        (tools.collect(), read.diagnostics.iter().map(|diagnostic| diagnostic.code).collect())
    }

    #[test]
    fn what_google_adk_makes_of_a_function_answers_later_or_at_once() {
        let (tools, said) = tools(
            "  - name: LongRunningFunctionTool\n    args: {func: shop.later}\n\
             \x20 - name: FunctionTool\n    args: {func: shop.plain}\n  - name: shop.exit_loop\n",
        );
        assert_eq!(
            tools,
            [
                r#"{"type":"long_running_function","declaration":{"name":"later"}}"#,
                r#"{"type":"function","declaration":{"name":"plain"}}"#,
                r#"{"type":"function","declaration":{"name":"exit_loop"}}"#,
            ]
        );
        assert_eq!(said, ["tool-in-code"; 3]);
    }

    #[test]
    fn google_adks_own_tools_are_known_by_their_names() {
        let (known, said) = tools(
            "  - name: exit_loop\n  - name: request_input\n  - name: google.adk.tools.load_memory\n\
             \x20 - name: google.adk.tools.google_search_tool.GoogleSearchTool\n    \
             args: {bypass_multi_tools_limit: true}\n\
             \x20 - name: ExampleTool\n    args: {examples: [{input: {parts: [{text: q}]}, output: []}]}\n",
        );
        assert_eq!(
            known,
            [
                r#"{"type":"exit_loop"}"#,
                r#"{"type":"request_input"}"#,
                r#"{"type":"load_memory"}"#,
                r#"{"type":"google_search","bypass_multi_tools_limit":true}"#,
                r#"{"type":"examples","examples":[{"input":{"parts":[{"text":"q"}]},"output":[]}]}"#,
            ]
        );
        assert_eq!(said, [""; 0]);
        let (declared, said) = tools("  - name: get_user_choice\n  - name: transfer_to_agent\n");
        assert!(declared[0].starts_with(r#"{"type":"long_running_function","#), "{declared:?}");
        for (tool, parts) in declared.iter().zip([
            ["Provides the options to the user", r#""required":["options"]"#],
            ["transfer_reason: the reason for transferring", r#""required":["agent_name"]"#],
        ]) {
            assert!(parts.iter().all(|part| tool.contains(part)), "{tool}");
        }
        assert_eq!(said, [""; 0]);
    }

    #[test]
    fn tools_of_gemini_are_named_as_requests_name_them() {
        let (known, said) = tools(
            "  - name: url_context\n  - name: google_maps_grounding\n  - name: enterprise_web_search\n\
             \x20 - name: VertexAiSearchTool\n    args: {data_store_id: d, max_results: 3}\n",
        );
        let built_in = |name: &str, request: &str| {
            format!(r#"{{"type":"built_in","name":"{name}","request":{request}}}"#)
        };
        assert_eq!(
            known,
            [
                built_in("url_context", r#"{"urlContext":{}}"#),
                built_in("google_maps", r#"{"googleMaps":{}}"#),
                built_in("enterprise_web_search", r#"{"enterpriseWebSearch":{}}"#),
                built_in(
                    "vertex_ai_search",
                    r#"{"retrieval":{"vertexAiSearch":{"datastore":"d","maxResults":3}}}"#
                ),
            ]
        );
        assert_eq!(said, [""; 0]);
    }

    #[test]
    fn tools_that_are_not_known_or_cannot_be_made_are_said() {
        let (unknown, said) =
            tools("  - name: RemoteMcpServer\n  - name: ExampleTool\n    args: {examples: a.b}\n");
        assert_eq!(
            unknown,
            [
                r#"{"type":"code","name":"RemoteMcpServer","class":"RemoteMcpServer"}"#,
                r#"{"type":"code","name":"example_tool","class":"a.b"}"#,
            ]
        );
        assert_eq!(said, ["unknown-tool"; 2]);
        for (name, args) in [
            ("APIHubToolset", "{}"),
            ("VertexAiSearchTool", "{}"),
            ("LongRunningFunctionTool", "{}"),
            ("FunctionTool", "{func: plain}"),
            ("ExampleTool", "{examples: [q]}"),
        ] {
            let (tools, said) = tools(&format!("  - name: {name}\n    args: {args}\n"));
            assert_eq!((tools.len(), said), (0, vec!["unusable-tool"]), "{name}");
        }
        assert_eq!(tools("  - name: google_searches\n"), (Vec::new(), vec!["unknown-tool"]));
    }

    #[test]
    fn toolsets_say_where_their_tools_are() {
        let yaml = "name: root\nmodel: m\ntools:\n  - name: McpToolset\n    args:\n      stdio_connection_params:\n        \
                    server_params:\n          command: npx\n          args: [-y, files]\n      tool_name_prefix: fs\n      \
                    tool_filter: [read]\n  - name: OpenAPIToolset\n    args: {spec_file: pets.yaml, hosts: [pets.example.com]}\n";
        let of_yaml = read(yaml).unwrap();
        let codes: Vec<&str> = of_yaml.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert_eq!(codes, ["toolset-of-strata"]);
        let json = r#"{"name":"root","root_agent":{"name":"root","model":"m","tools":[
            {"type":"toolset","prefix":"fs","source":{"type":"mcp","stdio_connection_params":{"server_params":
                {"command":"npx","args":["-y","files"]}},"tool_filter":["read"]}},
            {"type":"toolset","source":{"type":"openapi","spec_file":"pets.yaml","hosts":["pets.example.com"]}}]}}"#;
        let of_json = read(json).unwrap();
        assert!(of_json.diagnostics.is_empty());
        assert_eq!(of_yaml.app.root_agent.unwrap().tools(), of_json.app.root_agent.unwrap().tools());
    }

    #[test]
    fn agents_that_refer_to_each_other_end() {
        let config = read_app_config(b"name: a\nsub_agents:\n  - config_path: a.yaml\n", &|_| {
            Some(b"name: a\nsub_agents:\n  - config_path: a.yaml\n".to_vec())
        })
        .unwrap();
        assert!(config.diagnostics.iter().any(|diagnostic| diagnostic.code == "agents-in-a-circle"));
    }

    #[test]
    fn other_files_are_refused_with_what_they_are() {
        assert!(read("").unwrap_err().contains("empty"));
        assert!(read("{").unwrap_err().contains("not valid JSON"));
        assert!(read("a: [").unwrap_err().contains("not valid YAML"));
        assert!(read("title: x\n").unwrap_err().contains("an object with title"));
    }
}
