//! Requests that are held.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use strata_capture::{Gate, Verdict, WholeRequest};
use tokio::io::AsyncWriteExt as _;

use crate::peers::{Provider, Stage, write};

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

/// Decides by what a request says, after a while.
#[derive(Default)]
struct Decided {
    n_waiting: Arc<AtomicUsize>,
}

struct Waiting(Arc<AtomicUsize>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate for Decided {
    fn is_watched(&self) -> bool {
        true
    }

    fn before_request(&self, request: WholeRequest) -> BoxFuture<'_, Verdict> {
        self.n_waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = Waiting(self.n_waiting.clone());
        Box::pin(async move {
            let _waiting = waiting;
            let body = String::from_utf8_lossy(&request.body).into_owned();
            if body.contains("for ever") {
                std::future::pending::<()>().await;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
            match () {
                () if body.contains("never") => Verdict::Refuse("Not this one.".into()),
                () if body.contains("other") => {
                    Verdict::Replace(body.replace("other", "mended").into_bytes())
                }
                () => Verdict::Pass,
            }
        })
    }
}

#[tokio::test]
async fn a_held_request_goes_out_as_it_was_as_it_was_changed_or_not_at_all() {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let stage = Stage::with_gate(&provider.address, Arc::new(Decided::default())).await;
    assert!(stage.post("/v1/messages", "", "{\"a\": 1}").await.contains(" 200 "));
    assert!(stage.post("/v1/messages", "", "{\"a\": \"other words\"}").await.contains(" 200 "));
    let refused = stage.post("/v1/messages", "", "{\"a\": \"never\"}").await;
    assert!(refused.starts_with("HTTP/1.1 400 ") && refused.contains("Not this one."), "{refused}");
    assert!(refused.contains("invalid_request_error"), "no client asks again: {refused}");
    let requests = provider.requests();
    let bodies: Vec<_> = requests.iter().map(|it| String::from_utf8_lossy(it)).collect();
    assert_eq!(bodies.len(), 2);
    assert!(bodies[0].ends_with("Content-Length: 8\r\n\r\n{\"a\": 1}"), "{}", bodies[0]);
    assert!(bodies[1].to_lowercase().contains("content-length: 21"), "{}", bodies[1]);
    assert!(bodies[1].ends_with("mended words\"}"), "{}", bodies[1]);
    let (log, finished) = stage.close().await;
    assert!(log.contains("mended words") && !log.contains("other words"), "what was sent is recorded: {log}");
    assert_eq!(finished[2].problem.as_deref(), Some("it was held and not sent"));
    assert!(finished.iter().all(|it| it.held_ms >= 20), "how long it was held is told apart: {finished:?}");
}

#[tokio::test]
async fn a_client_that_leaves_is_waited_for_no_more() {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let gate = Decided::default();
    let n_waiting = gate.n_waiting.clone();
    let stage = Stage::with_gate(&provider.address, Arc::new(gate)).await;
    let mut stream = stage.connect().await;
    let request = stage.request("POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\nContent-Length: 8\r\n\r\nfor ever");
    stream.write_all(request.as_bytes()).await.expect("sent");
    for (count, wanted) in [(1, "it waits"), (0, "it waits no more")] {
        let mut rounds = 0;
        while n_waiting.load(Ordering::Relaxed) != count {
            tokio::time::sleep(Duration::from_millis(10)).await;
            rounds += 1;
            assert!(rounds < 500, "{wanted}");
        }
        let _ = stream.shutdown().await;
    }
    assert_eq!(provider.requests().len(), 0);
}
