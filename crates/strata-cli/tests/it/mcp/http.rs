//! The server over HTTP: who may come in.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::client::{garden, left_by_claude};
use crate::strata::Computer;

/// A server that listens, with what it says of itself.
struct Listening {
    child: Child,
    address: String,
    token: String,
}

impl Listening {
    fn on(computer: &Computer) -> Self {
        let mut command = computer.command("mcp --http");
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
        let first = said.next().unwrap().unwrap();
        let second = said.next().unwrap().unwrap();
        let address =
            first.strip_prefix("Listens on http://").unwrap().strip_suffix("/mcp").unwrap().to_owned();
        let file = second
            .strip_prefix("It asks for the token in ")
            .unwrap()
            .split(", as ")
            .next()
            .unwrap()
            .to_owned();
        Self { child, address, token: fs::read_to_string(file).unwrap().trim().to_owned() }
    }

    /// Status and body of a request with these headers besides the usual ones.
    fn post(&self, headers: &[(&str, &str)], message: &Value) -> (u16, String) {
        let body = message.to_string();
        let mut request = "POST /mcp HTTP/1.1\r\n".to_owned();
        let has = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        if !has("Host") {
            request += &format!("Host: {}\r\n", self.address);
        }
        if !has("Authorization") {
            request += &format!("Authorization: Bearer {}\r\n", self.token);
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            request += &format!("{name}: {value}\r\n");
        }
        request += "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nConnection: close\r\n";
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        (status, answer)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hello() -> Value {
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a client", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
}

#[test]
fn strangers_are_refused() {
    let computer = Computer::new();
    let server = Listening::on(&computer);
    let status = |headers: &[(&str, &str)]| server.post(headers, &hello()).0;
    let other = format!("Bearer {}x", server.token);
    let nearly = format!("Bearer {}", &server.token[1..]);
    assert_eq!(status(&[]), 200);
    assert_eq!(status(&[("Authorization", "")]), 401);
    assert_eq!(status(&[("Authorization", &other)]), 401);
    assert_eq!(status(&[("Authorization", &nearly)]), 401);
    assert_eq!(status(&[("Authorization", &server.token)]), 401);
    assert_eq!(status(&[("Host", "strata.example")]), 403);
    assert_eq!(status(&[("Host", "127.0.0.1")]), 403);
    assert_eq!(
        status(&[("Host", &format!("strata.example:{}", server.address.split(':').nth(1).unwrap()))]),
        403
    );
    assert_eq!(status(&[("Origin", "https://strata.example")]), 403);
    assert_eq!(status(&[("Origin", "null")]), 403);
    assert_eq!(status(&[("Origin", &format!("http://{}", server.address))]), 403);
}

#[test]
fn the_token_is_its_owners_alone_and_stays_the_same() {
    let computer = Computer::new();
    let first = Listening::on(&computer).token.clone();
    assert!(first.len() >= 40, "{first}");
    assert_eq!(Listening::on(&computer).token, first);
    let file = computer.path("strata/mcp-token");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let refused = computer.run("mcp --http");
        assert_eq!(refused.code, 2);
        assert!(refused.stderr.contains("Others on this computer may read"), "{}", refused.stderr);
    }
}

#[test]
fn a_session_answers_over_http() {
    let computer = Computer::new();
    left_by_claude(&computer, "garden", &garden());
    let server = Listening::on(&computer);
    let (_, begun) = server.post(&[], &hello());
    // Some clients read an event without data as a broken message.
    assert!(!begun.contains("data: \n") && !begun.contains("data:\n"), "{begun}");
    let session = begun.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().to_owned();
    let headers = [("mcp-session-id", &*session), ("mcp-protocol-version", "2025-06-18")];
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(server.post(&headers, &initialized).0, 202);
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "budget", "arguments": {"session": "garden"}}});
    let (status, answer) = server.post(&headers, &call);
    assert_eq!(status, 200);
    assert!(answer.contains("structuredContent") && answer.contains("\"isError\":false"), "{answer}");
}
