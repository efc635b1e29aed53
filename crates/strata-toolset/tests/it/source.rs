//! What an app may say, and what it is told when it says something else.

use std::path::Path;

use strata_model::Json;
use strata_toolset::{ServerAt, ToolSource};

use crate::{object, read};

#[test]
fn deeds_are_said_as_a_person_reads_them() {
    let folder = Path::new("/apps");
    let deeds = |text: &str| read(folder, text).unwrap().deeds();
    let child = r#"{"type":"mcp","stdio_server_params":{"command":"npx","args":["-y","the files"],"env":{"K":"${TOKEN}"}}}"#;
    assert_eq!(deeds(child), "starts the program `npx -y 'the files'` in /apps with its own K");
    let address =
        r#"{"type":"mcp","streamable_http_connection_params":{"url":"https://x.example/mcp?key=1"}}"#;
    assert_eq!(deeds(address), "connects to https://x.example/mcp", "keys of addresses are not said");
    let api = r#"{"type":"openapi","spec_dict":{"paths":{}},"hosts":["a.example","b.example:81"]}"#;
    assert_eq!(deeds(api), "may call a.example, b.example:81");
}

#[test]
fn variables_are_filled_in_and_never_kept() {
    let text = r#"{"type":"mcp","streamable_http_connection_params":{"url":"http://x/mcp?key=s3cret","headers":{"Authorization":"Bearer ${TOKEN}"}}}"#;
    let ToolSource::Mcp(server) = read(Path::new("."), text).unwrap() else { panic!("it is a server") };
    let ServerAt::Address { headers, .. } = server.at else { panic!("it has an address") };
    assert_eq!(headers, [("Authorization".to_owned(), "Bearer s3cret".to_owned())]);
    let kept = Json::from(ToolSource::kept(&object(text)));
    let expected = r#"{"type":"mcp","streamable_http_connection_params":{"url":"http://x/mcp"}}"#;
    assert_eq!(kept, object(expected).into());
}

#[test]
fn what_cannot_be_meant_is_refused_with_the_reason() {
    let folder = tempfile::TempDir::new().unwrap();
    std::fs::write(folder.path().join("no.yaml"), "a: [").unwrap();
    std::fs::write(folder.path().join("other.yaml"), "a: 1").unwrap();
    let refusal = |text: &str| read(folder.path(), text).unwrap_err();
    for (text, reason) in [
        ("{}", "the source has no `type`"),
        (r#"{"type":"grpc"}"#, "`type: grpc` is no source of tools"),
        (r#"{"type":"mcp"}"#, "exactly one of stdio_server_params, stdio_connection_params"),
        (
            r#"{"type":"mcp","stdio_server_params":{"command":""}}"#,
            "`stdio_server_params.command` is missing",
        ),
        (
            r#"{"type":"mcp","stdio_server_params":{"command":"x","argv":[]}}"#,
            "`stdio_server_params.argv` is not known",
        ),
        (
            r#"{"type":"mcp","stdio_server_params":{"command":"x","args":"y"}}"#,
            "`stdio_server_params.args` should be a list of texts",
        ),
        (
            r#"{"type":"mcp","stdio_server_params":{"command":"x","env":{"A":"${NONE}"}}}"#,
            "the environment has no NONE",
        ),
        (
            r#"{"type":"mcp","stdio_server_params":{"command":"x"},"call_timeout":-1}"#,
            "`call_timeout` should be a number of seconds",
        ),
        (r#"{"type":"mcp","sse_connection_params":{"url":"http://x"}}"#, "which MCP has given up"),
        (
            r#"{"type":"mcp","streamable_http_connection_params":{"url":"file:///etc/passwd"}}"#,
            "is no address of a server",
        ),
        (r#"{"type":"openapi","spec_str":"{}"}"#, "`hosts` lists nobody"),
        (r#"{"type":"openapi","hosts":["a"]}"#, "one of spec_file, spec_str, spec_dict"),
        (r#"{"type":"openapi","hosts":["a"],"spec_file":"gone.yaml"}"#, "gone.yaml cannot be read"),
        (r#"{"type":"openapi","hosts":["a"],"spec_file":"no.yaml"}"#, "no.yaml is neither JSON nor YAML"),
        (r#"{"type":"openapi","hosts":["a"],"spec_file":"other.yaml"}"#, "other.yaml is no OpenAPI document"),
    ] {
        assert!(refusal(text).contains(reason), "{text}: {}", refusal(text));
    }
}
