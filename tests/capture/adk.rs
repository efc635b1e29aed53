//! A server of ADK that is asked for its sessions.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use strata_capture::{AdkError, AdkOptions, AdkUpdate, attach};
use tokio_util::sync::CancellationToken;

use crate::peers::{Provider, write};

fn json(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn session(n_events: usize) -> String {
    let events: Vec<String> = (0..n_events)
        .map(|at| {
            format!(
                r#"{{"id":"e{at}","author":"user","timestamp":{at}.5,"invocationId":"i","content":{{"role":"user","parts":[{{"text":"ghp_abcdefghijklmnopqrstuvwxyz0123456789"}}]}}}}"#
            )
        })
        .collect();
    format!(
        r#"{{"id":"s1","appName":"my app","userId":"user","state":{{}},"events":[{}],"lastUpdateTime":{n_events}.0}}"#,
        events.join(",")
    )
}

/// A server with one session, by how many events it has and where it keeps traces.
async fn server(n_events: Arc<Mutex<usize>>, traces: &'static str) -> Provider {
    Provider::start_with(move |request| {
        let path = request.split(' ').nth(1).unwrap_or_default();
        let n_events = *n_events.lock();
        let answer = match path {
            "/list-apps" => json(r#"["my app"]"#),
            "/apps/my%20app/users/user/sessions" => json(&format!("[{}]", session(0).replace("0.0", &format!("{n_events}.0")))),
            "/apps/my%20app/users/user/sessions/s1" => json(&session(n_events)),
            path if !traces.is_empty() && path == traces => json(&format!(
                r#"[{{"name":"call_llm","trace_id":1,"span_id":{n_events},"attributes":{{"gcp.vertex.agent.session_id":"s1"}}}}]"#
            )),
            _ => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
        };
        vec![write(&answer)]
    })
    .await
}

fn options(address: &str, folder: &std::path::Path) -> AdkOptions {
    AdkOptions {
        url: format!("http://{address}/"),
        hosts: Vec::new(),
        users: vec!["user".into()],
        folder: folder.to_owned(),
    }
}

/// Attaches until so many updates came.
async fn updates(options: &AdkOptions, n_updates: usize, mut seen: impl FnMut(&AdkUpdate)) -> Vec<AdkUpdate> {
    let (stop, mut updates) = (CancellationToken::new(), Vec::new());
    let attached = attach(options, &stop, |update| {
        seen(&update);
        updates.push(update);
        if updates.len() == n_updates {
            stop.cancel();
        }
    });
    tokio::time::timeout(Duration::from_secs(20), attached).await.expect("in time").expect("attached");
    updates
}

fn files(folder: &std::path::Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            let path = entry.expect("an entry").path();
            (
                path.file_name().expect("a name").to_string_lossy().into_owned(),
                fs::read_to_string(path).expect("text"),
            )
        })
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_session_and_its_trace_are_written_while_they_grow() {
    let n_events = Arc::new(Mutex::new(1));
    let server = server(Arc::clone(&n_events), "/dev/apps/my%20app/debug/trace/session/s1").await;
    let folder = tempfile::tempdir().expect("a folder");
    let told = updates(&options(&server.address, folder.path()), 2, |_| *n_events.lock() = 3).await;
    let grown = |n_events, n_spans| AdkUpdate::Grown {
        app: "my app".into(),
        user: "user".into(),
        session: "s1".into(),
        n_events,
        n_spans,
    };
    assert_eq!(told, [grown(1, 1), grown(3, 2)], "spans that the server forgot are kept");

    let files = files(folder.path());
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["session-1-s1.session.json", "session-1-s1.trace.json"]);
    assert!(!files[0].1.contains("ghp_"), "{}", files[0].1);
    let mut importer = strata_import::Importer::new(strata_import::Format::ADK_SESSION);
    importer.feed(files[0].1.as_bytes());
    assert_eq!(importer.finish().sessions[0].session.events.len(), 3);

    for request in server.requests() {
        let request = String::from_utf8_lossy(&request).to_lowercase();
        assert!(request.starts_with("get ") && !request.contains("origin:"), "{request}");
    }
}

#[tokio::test]
async fn the_older_place_of_traces_is_known_and_a_server_without_any_is_said() {
    for (place, n_spans) in [("/debug/trace/session/s1", 1), ("", 0)] {
        let server = server(Arc::new(Mutex::new(2)), place).await;
        let folder = tempfile::tempdir().expect("a folder");
        let told = updates(&options(&server.address, folder.path()), 2 - n_spans, |_| {}).await;
        assert_eq!(told.contains(&AdkUpdate::NoTraces), n_spans == 0, "{told:?}");
        assert_eq!(files(folder.path()).len(), 1 + n_spans);
    }
}

#[tokio::test]
async fn a_server_that_goes_away_is_asked_on() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    drop(listener);
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(&address, folder.path());
    let place = address.clone();
    let told = updates(&options, 2, move |update| {
        if matches!(update, AdkUpdate::Problem(_)) {
            let place = place.clone();
            tokio::spawn(async move {
                let listener = tokio::net::TcpListener::bind(place).await.expect("the same port");
                while let Ok((mut stream, _)) = listener.accept().await {
                    while crate::peers::read_message(&mut stream).await.is_some() {
                        let answer = json("[]");
                        let _ = tokio::io::AsyncWriteExt::write_all(&mut stream, answer.as_bytes()).await;
                    }
                }
            });
        }
    })
    .await;
    let [AdkUpdate::Problem(problem), AdkUpdate::Back] = &told[..] else { panic!("{told:?}") };
    assert!(problem.contains("does not answer"), "{problem}");
}

#[tokio::test]
async fn other_computers_are_asked_only_when_they_are_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let stop = CancellationToken::new();
    stop.cancel();
    for (url, hosts, expected) in [
        ("http://build.example:8000", vec![], "another computer"),
        ("http://127.0.0.1.evil.example:8000", vec![], "another computer"),
        ("https://127.0.0.1:8000", vec![], "no address"),
        ("http://name:word@127.0.0.1:8000", vec![], "no address"),
        ("http://build.example:8000", vec!["build.example".to_owned()], ""),
        ("http://[::1]:8000", vec![], ""),
    ] {
        let options = AdkOptions { url: url.into(), hosts, ..options("x", folder.path()) };
        let error = attach(&options, &stop, |_| {}).await.err().as_ref().map(AdkError::to_string);
        assert!(error.as_deref().unwrap_or_default().contains(expected), "{url}: {error:?}");
        assert_eq!(error.is_none(), expected.is_empty(), "{url}");
    }
}
