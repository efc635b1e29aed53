//! What is recorded are sessions.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::peers::{Provider, Stage, import, write};

fn message(role: &str, text: &str) -> String {
    format!(r#"{{"role":"{role}","content":"{text}"}}"#)
}

fn body(system: &str, messages: &[String]) -> String {
    format!(
        r#"{{"model":"claude-sonnet-5","max_tokens":100,"system":"{system}","tools":[{{"name":"Read","description":"reads","input_schema":{{"type":"object"}}}}],"messages":[{}]}}"#,
        messages.join(",")
    )
}

fn answer(number: usize, text: &str) -> String {
    let body = format!(
        r#"{{"id":"msg_{number:024}","type":"message","role":"assistant","model":"claude-sonnet-5","content":[{{"type":"text","text":"{text}"}}],"stop_reason":"end_turn","usage":{{"input_tokens":90,"cache_read_input_tokens":10,"output_tokens":5}}}}"#,
    );
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Answers what the last message asks, with its own words.
async fn echo() -> Provider {
    let n_answers = AtomicUsize::new(0);
    Provider::start_with(move |request| {
        let last = request
            .rsplit("\"content\":\"")
            .next()
            .and_then(|rest| rest.split('"').next())
            .unwrap_or_default();
        if last == "fail" && !request.contains("x-stainless-retry-count: 1") {
            let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
            return vec![write(&format!(
                "HTTP/1.1 529 Overloaded\r\ncontent-length: {}\r\n\r\n{error}",
                error.len()
            ))];
        }
        vec![write(&answer(n_answers.fetch_add(1, Ordering::Relaxed), &format!("answer to {last}")))]
    })
    .await
}

fn told(log: &str) -> String {
    let import = import(log);
    let mut told = String::new();
    for one in &import.sessions {
        let _ =
            writeln!(told, "{} ({}): {} requests", one.session.id, one.session.app_name, one.requests.len());
        for event in &one.session.events {
            let text = event.content.as_ref().map(|content| {
                content.parts().iter().filter_map(|part| part.text.as_deref()).collect::<Vec<_>>().join(" ")
            });
            let _ = writeln!(told, "  {}: {}", event.author, text.unwrap_or_default());
        }
    }
    for diagnostic in &import.diagnostics {
        let _ = writeln!(told, "{}: {}", diagnostic.code, diagnostic.message);
    }
    told
}

#[tokio::test]
async fn clients_at_once_are_sessions_of_their_own_with_their_agents() {
    let provider = echo().await;
    let stage = Stage::before(&provider.address).await;
    let claude = |session: &str, agent: &str| {
        let agent =
            if agent.is_empty() { String::new() } else { format!("x-claude-code-agent-id: {agent}\r\n") };
        format!("User-Agent: claude-cli/2.1.330\r\nX-Claude-Code-Session-Id: {session}\r\n{agent}")
    };
    let (one, two, sub) = (claude("one", ""), claude("two", ""), claude("one", "a1b2c3d4e5f6"));
    let mut own = vec![message("user", "hello")];
    stage.post("/v1/messages", &one, &body("main", &own)).await;
    stage.post("/v1/messages", &two, &body("main", &[message("user", "hello")])).await;
    stage.post("/v1/messages", &sub, &body("sub", &[message("user", "look it up")])).await;
    own.extend([message("assistant", "answer to hello"), message("user", "more")]);
    stage.post("/v1/messages", &one, &body("main", &own)).await;
    let (log, _) = stage.close().await;
    assert_eq!(
        told(&log),
        "one (claude-code): 3 requests\n  user: main\n  user: hello\n  claude: answer to hello\n  user: sub\n  user: look it up\n  \
         claude-c3d4e5f6: answer to look it up\n  user: more\n  claude: answer to more\n\
         two (claude-code): 1 requests\n  user: main\n  user: hello\n  claude: answer to hello\n"
    );
}

#[tokio::test]
async fn a_request_that_failed_and_was_sent_again_is_one_call() {
    let provider = echo().await;
    let stage = Stage::before(&provider.address).await;
    let asked = body("main", &[message("user", "fail")]);
    assert!(stage.post("/v1/messages", "", &asked).await.starts_with("HTTP/1.1 529"));
    assert!(
        stage.post("/v1/messages", "x-stainless-retry-count: 1\r\n", &asked).await.contains("answer to fail")
    );
    let (log, _) = stage.close().await;
    let import = import(&log);
    assert_eq!(import.sessions.len(), 1);
    assert_eq!(import.sessions[0].requests.len(), 1);
    assert_eq!(log.matches(r#""request":"#).count(), 2, "both are in the log");
}

#[tokio::test]
async fn what_requests_repeat_is_written_once() {
    let provider = echo().await;
    let stage = Stage::before(&provider.address).await;
    let system = "You are a careful agent. ".repeat(2_000);
    let mut messages = Vec::new();
    for turn in 0..20 {
        messages.push(message("user", &format!("{turn} {}", "words ".repeat(300))));
        stage.post("/v1/messages", "", &body(&system, &messages)).await;
        messages.push(message("assistant", "fine"));
    }
    let (log, finished) = stage.close().await;
    let sent: u64 = finished.iter().map(|one| one.sent).sum();
    assert!(log.len() as u64 * 8 < sent, "{} of {sent} bytes", log.len());
    let import = import(&log);
    assert_eq!(import.sessions.len(), 1);
    assert_eq!(import.sessions[0].requests.len(), 20);
}

#[tokio::test]
async fn a_log_can_be_cut_anywhere() {
    let provider = echo().await;
    let stage = Stage::before(&provider.address).await;
    let mut messages = vec![message("user", "hello")];
    stage.post("/v1/messages", "", &body("main", &messages)).await;
    messages.extend([message("assistant", "answer to hello"), message("user", "more")]);
    stage.post("/v1/messages", "", &body("main", &messages)).await;
    let (log, _) = stage.close().await;
    let whole = told(&log);
    for end in (0..log.len()).filter(|end| log.is_char_boundary(*end)) {
        let import = import(&log[..end]);
        let n_requests: usize = import.sessions.iter().map(|one| one.requests.len()).sum();
        assert!(n_requests <= 2, "cut at {end}: {whole}");
    }
}
