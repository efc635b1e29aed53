//! Servers of the Model Context Protocol: a program that misbehaves, and an address.

#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};

use strata_model::{Json, Object, json};
use strata_testkit::mcp_child::McpChild;
use strata_testkit::runtime;
use strata_toolset::Toolset;
use tempfile::TempDir;

use crate::web::{WebServer, respond};
use crate::{names, object, read};

struct Desk {
    folder: TempDir,
    child: McpChild,
}

impl Desk {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let child = McpChild::in_folder(folder.path());
        Self { folder, child }
    }

    fn open(&self, more: &str) -> Result<Toolset, String> {
        let args = self.child.args().map(|arg| format!("\"{arg}\"")).join(",");
        let text = format!(
            r#"{{"type":"mcp","stdio_server_params":{{"command":"sh","args":[{args}],"env":{{"GIVEN":"${{TOKEN}}"}}}}{more}}}"#
        );
        runtime().block_on(Toolset::open(read(self.folder.path(), &text)?))
    }

    /// Waits until nothing is left of the program, and of what it started.
    fn has_ended(&self) -> bool {
        let begun = Instant::now();
        while self.child.is_running() == Some(true) || self.child.is_started_running() == Some(true) {
            if begun.elapsed() > Duration::from_secs(20) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }
}

fn call(toolset: &Toolset, tool: &str) -> Result<String, String> {
    let args = Object::from_iter([("text", "hello")]);
    runtime().block_on(toolset.call(tool, &args)).map(|value| json::to_compact(&value))
}

#[test]
fn tools_are_described_and_answer_as_in_google_adk() {
    let desk = Desk::new();
    let toolset = desk.open("").unwrap();
    assert_eq!(
        names(toolset.tools()),
        ["broken", "crash", "environment", "flood", "hang", "nonsense", "refuse", "say"],
        "by name, and without the one that would pass for google-adk's own"
    );
    let say = json::to_compact(&toolset.tools()[7].clone().into());
    assert_eq!(
        say,
        r#"{"description":"Says it.","name":"say","parametersJsonSchema":{"type":"object","properties":{"text":{"type":"string","description":"What to say."}}}}"#
    );
    let said = r#"{"content":[{"type":"text","text":"You said hello"}],"isError":false}"#;
    assert_eq!(call(&toolset, "say").unwrap(), said);
    let broken = r#"{"content":[{"type":"text","text":"it broke","meta":{"a":1}}],"structuredContent":{"_meta":2},"isError":true}"#;
    assert_eq!(call(&toolset, "broken").unwrap(), broken, "a fault of the tool's own is its answer");
    let filtered = desk.open(r#","tool_filter":["say","gone"]"#).unwrap();
    assert_eq!(names(filtered.tools()), ["say"]);
}

#[test]
fn a_program_gets_what_it_was_given_and_nothing_of_ours() {
    let desk = Desk::new();
    let toolset = desk.open("").unwrap();
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "every test has it");
    assert!(call(&toolset, "environment").unwrap().contains("key none, given s3cret"));
}

#[test]
fn a_tool_that_misbehaves_is_a_sentence() {
    let desk = Desk::new();
    let toolset = desk.open(r#","call_timeout":0.3"#).unwrap();
    let hang = call(&toolset, "hang").unwrap_err();
    assert_eq!(hang, "MCP tool execution failed: It did not answer within 300 ms.");
    // Whoever answers at all has time to: this computer may be busy.
    let toolset = desk.open(r#","call_timeout":20"#).unwrap();
    let problem = |tool: &str| call(&toolset, tool).unwrap_err();
    assert_eq!(problem("refuse"), "MCP tool execution failed: It answered with an error: not today");
    assert!(problem("nonsense").starts_with("MCP tool execution failed: "), "{}", problem("nonsense"));
    assert!(call(&toolset, "say").is_ok(), "the server goes on");
    let crash = problem("crash");
    assert!(crash.contains("It has ended (exit status: 3). Its last words: out of luck"), "{crash}");
    assert!(call(&toolset, "say").is_ok(), "it is started again");
    let desk = Desk::new();
    let toolset = desk.open("").unwrap();
    let flood = call(&toolset, "flood").unwrap_err();
    assert!(flood.contains("It sent more than 8 MB in one message, and was stopped."), "{flood}");
    assert!(call(&toolset, "say").is_ok(), "it is started again");
}

#[test]
fn a_program_ends_with_its_toolset_and_so_does_all_it_started() {
    let desk = Desk::new();
    let toolset = desk.open(r#","call_timeout":0.2"#).unwrap();
    call(&toolset, "hang").unwrap_err();
    assert_eq!((desk.child.is_running(), desk.child.is_started_running()), (Some(true), Some(true)));
    drop(toolset);
    assert!(desk.has_ended(), "let go of");
    let desk = Desk::new();
    let toolset = desk.open(r#","call_timeout":0.2"#).unwrap();
    call(&toolset, "hang").unwrap_err();
    runtime().block_on(toolset.close());
    assert!(desk.has_ended(), "closed");
    drop(toolset);
}

#[test]
fn what_is_no_server_says_why() {
    let folder = TempDir::new().unwrap();
    let problem = |params: &str| {
        let text =
            format!(r#"{{"type":"mcp","stdio_connection_params":{{"timeout":2,"server_params":{params}}}}}"#);
        runtime().block_on(Toolset::open(read(folder.path(), &text).unwrap())).unwrap_err()
    };
    let gone = problem(r#"{"command":"no-such-program-of-strata"}"#);
    assert!(gone.starts_with("the program `no-such-program-of-strata` is not there"), "{gone}");
    let ends = problem(r#"{"command":"sh","args":["-c","echo no luck >&2; exit 7"]}"#);
    assert!(ends.contains("exit status: 7") && ends.contains("Its last words: no luck"), "{ends}");
    let silent = problem(r#"{"command":"sleep","args":["60"]}"#);
    assert_eq!(silent, "it did not say hello within 2 s");
}

/// A server by its address: the same protocol, in bodies of JSON.
fn address(redirects: bool) -> WebServer {
    WebServer::new(move |asked, stream| {
        if redirects {
            return respond(stream, "307 Moved", "location: http://127.0.0.1:9/mcp\r\n", "");
        }
        let body = json::parse(asked.body.as_bytes()).unwrap_or_default();
        let id = body.get("id").map(json::to_compact).unwrap_or_default();
        let result = match body.get("method").and_then(Json::as_str) {
            Some("initialize") => {
                r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"far","version":"1"}}"#
            }
            Some("tools/list") => r#"{"tools":[{"name":"look","inputSchema":{"type":"object"}}]}"#,
            Some("tools/call") => r#"{"content":[{"type":"text","text":"far away"}]}"#,
            _ => return respond(stream, "202 Accepted", "", ""),
        };
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        respond(stream, "200 OK", "content-type: application/json\r\n", &answer);
    })
}

fn at(server: &WebServer) -> Result<Toolset, String> {
    let text = format!(
        r#"{{"type":"mcp","streamable_http_connection_params":{{"url":"http://127.0.0.1:{}/mcp","timeout":5,"headers":{{"X-Key":"${{TOKEN}}"}}}}}}"#,
        server.port
    );
    runtime().block_on(Toolset::open(read(std::path::Path::new("."), &text).unwrap()))
}

#[test]
fn a_server_by_its_address_has_the_headers_of_the_app() {
    let server = address(false);
    let toolset = at(&server).unwrap();
    let declared = object(r#"{"description":"","name":"look","parametersJsonSchema":{"type":"object"}}"#);
    assert_eq!(toolset.tools(), [declared]);
    assert_eq!(
        call(&toolset, "look").unwrap(),
        r#"{"content":[{"type":"text","text":"far away"}],"isError":false}"#
    );
    let posts: Vec<_> = server.asked().into_iter().filter(|asked| asked.method == "POST").collect();
    assert!(posts.len() >= 4, "{posts:?}");
    assert!(posts.iter().all(|asked| asked.header("x-key") == Some("s3cret")));
}

#[test]
fn nobody_is_sent_elsewhere() {
    let server = address(true);
    let problem = at(&server).unwrap_err();
    assert!(problem.starts_with("it cannot be connected"), "{problem}");
    assert!(!server.asked().is_empty());
}
