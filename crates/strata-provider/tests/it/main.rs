//! Model servers, played by a script, and what comes of each.
#![expect(clippy::print_stdout, reason = "the table of faults is what its test is run for")]

mod faults;
mod requests;

use std::sync::Arc;
use std::time::Duration;

use strata_model::{Content, LlmRequest, Origin, Part, RequestContent};
use strata_provider::{Client, Endpoint, Key, Limits};
use strata_testkit::model_server::ModelServer;
use strata_wire::Api;
use tokio_util::sync::CancellationToken;

pub const KEY: &str = "sk-planted-0123456789abcdefghij";

fn endpoint(server: &ModelServer, api: Api) -> Endpoint {
    Endpoint {
        name: "Scripted".into(),
        api,
        base_url: format!("{}/v1", server.url()),
        headers: Vec::new(),
        key: Key::new(KEY),
        first_byte: None,
    }
}

fn client() -> Client {
    let limits = Limits {
        first_byte: Duration::from_millis(600),
        stall: Duration::from_millis(400),
        first_wait: Duration::from_millis(10),
        retries: 3,
        ..Limits::default()
    };
    Client::new(limits).expect("connections can be made")
}

fn request(text: &str) -> LlmRequest {
    let mut request = LlmRequest::default();
    let content = Content::new("user", [Part::from_text(text)]);
    let origin = |_| Origin::Run { field: "test".into() };
    request.contents.push(Arc::new(RequestContent::from_content(&content, origin)));
    request
}

fn never() -> CancellationToken {
    CancellationToken::new()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(work)
}
