//! Operations of HTTP interfaces: what google-adk 2.13 makes of the same document, and what servers may do.
//!
//! `shop.adk.json` has what google-adk's `OpenAPIToolset` gives for `shop.yaml`: its declarations, and the requests that
//! its tools prepare.

use std::io::Write as _;

use strata_model::{Json, Object, json};
use strata_testkit::runtime;
use strata_toolset::Toolset;

use crate::web::{WebServer, respond};
use crate::{names, read};

const SHOP: &str = include_str!("shop.yaml");

fn expected() -> Json {
    json::parse(include_bytes!("shop.adk.json")).unwrap()
}

/// The shop at a port, with more fields of the source.
fn shop(port: u16, more: &str) -> Result<Toolset, String> {
    let document = Json::from(SHOP.replace("127.0.0.1:1/", &format!("127.0.0.1:{port}/")));
    let document = json::to_compact(&document);
    let text = format!(
        r#"{{"type":"openapi","spec_str":{document},"spec_str_type":"yaml","hosts":["127.0.0.1:{port}"]{more}}}"#
    );
    runtime().block_on(Toolset::open(read(std::path::Path::new("."), &text)?))
}

fn call(toolset: &Toolset, tool: &str, args: &Object) -> Result<Json, String> {
    runtime().block_on(toolset.call(tool, args))
}

#[test]
fn operations_are_declared_byte_for_byte_as_in_google_adk() {
    let toolset = shop(1, "").unwrap();
    let expected = expected();
    let declared: Vec<String> = toolset.tools().iter().map(json::object_to_compact).collect();
    let declarations = expected.get("declarations").and_then(Json::as_array).unwrap();
    assert_eq!(declared, declarations.iter().map(json::to_compact).collect::<Vec<_>>());
    let kept = shop(1, r#","preserve_property_names":true"#).unwrap();
    let arguments = kept.tools().iter().map(|tool| {
        let schema = tool.get("parametersJsonSchema").unwrap();
        let names = schema.get("properties").and_then(Json::as_object).unwrap().keys();
        names.map(|name| Json::from(&**name)).collect::<Vec<_>>().into()
    });
    assert_eq!(Json::from(arguments.collect::<Vec<_>>()), *expected.get("kept_names").unwrap());
    let filtered = shop(1, r#","tool_filter":["bulk","list_orders","gone"]"#).unwrap();
    assert_eq!(names(filtered.tools()), ["list_orders", "bulk"]);
}

#[test]
fn requests_are_those_that_google_adk_makes() {
    let server = WebServer::new(|_, stream| respond(stream, "200 OK", "", r#"{"ok":[1,2]}"#));
    let toolset = shop(server.port, r#","headers":{"X-Key":"${TOKEN}"}"#).unwrap();
    let mut n_sent = 0;
    for case in expected().get("requests").and_then(Json::as_array).unwrap() {
        let text = |key: &str| case.get(key).and_then(Json::as_str);
        let (tool, args) = (text("tool").unwrap(), case.get("args").and_then(Json::as_object).unwrap());
        let answered = call(&toolset, tool, args);
        if let Some(error) = text("error") {
            assert!(answered.unwrap_err().ends_with(&format!("Execution Error: {error}")));
            continue;
        }
        n_sent += 1;
        assert_eq!(json::to_compact(&answered.unwrap()), r#"{"ok":[1,2]}"#);
        let asked = server.asked().pop().unwrap();
        let url = text("url").unwrap().replace("http://127.0.0.1:1", "");
        assert_eq!(
            (asked.method.as_str(), asked.target.as_str()),
            (text("method").unwrap(), url.as_str()),
            "{tool} {args:?}"
        );
        assert_eq!(asked.body, text("body").unwrap(), "{tool}");
        for (name, value) in case.get("headers").and_then(Json::as_object).unwrap().iter() {
            assert_eq!(asked.header(name), value.as_str(), "{tool}: {name}");
        }
        assert_eq!(asked.header("x-key"), Some("s3cret"));
    }
    assert_eq!((n_sent, server.asked().len()), (10, 10));
}

#[test]
fn a_server_that_misbehaves_is_a_sentence_for_the_agent() {
    let server = WebServer::new(|asked, stream| match asked.target.as_str() {
        "/api/raw" => respond(stream, "200 OK", "", "plain words"),
        "/api/orders?limit=4" => {
            let media = "content-type: text/event-stream; charset=utf-8\r\n";
            respond(stream, "200 OK", media, "event: row\ndata: {\"id\": 1}\n\ndata: end\n\n");
        }
        "/api/bulk" => respond(stream, "418 I'm a teapot", "", "short and stout"),
        "/api/either" => respond(stream, "302 Found", "location: http://127.0.0.1:9/\r\n", ""),
        "/api/orders?limit=1" => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
            let piece = vec![b'x'; 64 << 10];
            for _ in 0..1_000 {
                if stream.write_all(&piece).is_err() {
                    break;
                }
            }
        }
        // Until the other side goes.
        "/api/orders?limit=2" => {
            let _ = std::io::Read::read(stream, &mut [0]);
        }
        _ => {
            let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort");
        }
    });
    let toolset = shop(server.port, r#","call_timeout":20"#).unwrap();
    let none = Object::new();
    let limit = |n: i64| Object::from_iter([("limit", n)]);
    assert_eq!(json::to_compact(&call(&toolset, "raw", &none).unwrap()), r#"{"text":"plain words"}"#);
    assert_eq!(
        call(&toolset, "bulk", &none).unwrap_err(),
        "Tool bulk execution failed. Analyze this execution error and your inputs. Retry with adjustments if applicable. \
         But make sure don't retry more than 3 times. Execution Error: Status Code: 418, short and stout",
        "in google-adk's words"
    );
    assert!(
        call(&toolset, "either", &none).unwrap_err().ends_with("Status Code: 302, "),
        "a redirect is not followed"
    );
    let streamed = call(&toolset, "list_orders", &limit(4)).unwrap();
    assert_eq!(json::to_compact(&streamed), r#"{"events":[{"id":1},"end"]}"#);
    let flood = call(&toolset, "list_orders", &limit(1)).unwrap_err();
    assert!(flood.ends_with("The answer is longer than 8 MB. Ask for less, or page by page."), "{flood}");
    let short = call(&toolset, "list_orders", &limit(3)).unwrap_err();
    assert!(short.contains("The answer broke off after"), "{short}");
    let hurried = shop(server.port, r#","call_timeout":0.3"#).unwrap();
    let late = call(&hurried, "list_orders", &limit(2)).unwrap_err();
    assert!(late.ends_with("Request timed out (after 0.3 s)."), "{late}");
    let nobody = shop(1, "").unwrap();
    let refused = call(&nobody, "raw", &none).unwrap_err();
    assert!(refused.contains("Execution Error: ") && refused.contains("refused"), "{refused}");
}

#[test]
fn only_hosts_that_are_listed_are_called() {
    let open = |server: &str, hosts: &str| {
        let text = format!(
            r#"{{"type":"openapi","hosts":{hosts},"spec_dict":{{"servers":[{{"url":"{server}"}}],"paths":{{"/{{p}}":{{"get":{{"operationId":"go","parameters":[{{"name":"p","in":"path","schema":{{}}}}]}}}}}}}}}}"#
        );
        runtime().block_on(Toolset::open(read(std::path::Path::new("."), &text).unwrap()))
    };
    assert!(open("https://api.example.com/v1", r#"["api.example.com"]"#).is_ok());
    let other = open("https://api.example.org:81/v1", r#"["api.example.com"]"#).unwrap_err();
    assert!(
        other.starts_with("its document says that it is at api.example.org:81, which `hosts` does not list"),
        "{other}"
    );
    let plain = open("http://api.example.com/v1", r#"["api.example.com"]"#);
    assert!(plain.is_err(), "what is not encrypted has to be asked for");
    let relative = open("/v1", r#"["api.example.com"]"#).unwrap_err();
    assert!(relative.contains("gives no whole address"), "{relative}");
    let wild = open("https://api.example.com", r#"["*"]"#).unwrap_err();
    assert!(wild.contains("is no host"), "{wild}");
}

#[test]
fn documents_that_refer_to_themselves_end() {
    let open = |schemas: &str| {
        let text = format!(
            r##"{{"type":"openapi","hosts":["x.example"],"spec_dict":{{"servers":[{{"url":"https://x.example"}}],"paths":{{"/a":{{"post":{{"operationId":"a","requestBody":{{"content":{{"application/json":{{"schema":{{"$ref":"#/components/schemas/A0"}}}}}}}}}}}}}},"components":{{"schemas":{schemas}}}}}}}"##
        );
        runtime().block_on(Toolset::open(read(std::path::Path::new("."), &text).unwrap()))
    };
    assert!(
        open(r##"{"A0":{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A0"}}}}"##).is_ok()
    );
    // Each schema has the next one ten times: ten to the eleventh values, if anybody wrote them out.
    let many: Vec<String> = (0..12)
        .map(|n| {
            let properties: Vec<String> = (0..10)
                .map(|p| format!(r##""p{p}":{{"$ref":"#/components/schemas/A{}"}}"##, n + 1))
                .collect();
            format!(r#""A{n}":{{"type":"object","properties":{{{}}}}}"#, properties.join(","))
        })
        .collect();
    let bomb = open(&format!("{{{}}}", many.join(","))).unwrap_err();
    assert_eq!(bomb, "its references unfold to more than can be read");
    let outside = open(r##"{"A0":{"$ref":"other.yaml#/A"}}"##).unwrap_err();
    assert!(outside.contains("refers to another document (other.yaml#/A)"), "{outside}");
}
