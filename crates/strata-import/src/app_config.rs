//! App configurations: what a compile needs besides the session.
//!
//! Two shapes are read, as JSON or YAML: an app as [`App`] writes it, `{name, root_agent, …}`, and ADK's own agent
//! configuration with an `agent_class` and agents in files of their own.

mod agent_config;
mod document;
mod graph;

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
    let (app, agent_files) = if is_app(&document) {
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
