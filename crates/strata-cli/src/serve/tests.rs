//! The server as a browser, a script and an attacker see it.

use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Builder;
use axum::http::{Request, StatusCode};
use axum::response::Response;
use futures_util::StreamExt as _;
use strata_app::api::job::Notification;
use strata_app::{AppError, Host, Notifications, Options, Reply, Strata, Subscription};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::access::TOKEN_HEADER;
use super::backend::Backend;
use super::{Access, Token, router};

/// An app whose answers are known.
#[derive(Default)]
struct Known {
    notifications: Notifications,
}

impl Backend for Known {
    fn dispatch(&self, name: &str, params: &str) -> Result<Reply, AppError> {
        match name {
            "known/json" => Ok(Reply::Json(format!("{{\"params\":{params}}}"))),
            "known/bytes" => Ok(Reply::Bytes(vec![0, 159, 255])),
            "known/gone" => Err(AppError::not_found("There is no session `7`.")),
            _ => panic!("a defect"),
        }
    }

    fn subscribe(&self) -> Subscription {
        self.notifications.subscribe()
    }

    fn receive_upload(&self, name: &str, content: &mut dyn Read) -> Result<String, AppError> {
        let mut text = String::new();
        content.read_to_string(&mut text).map_err(|error| AppError::bad_input(error.to_string()))?;
        Ok(format!("{name}: {text}"))
    }
}

struct Server {
    router: Router,
    token: Token,
    stop: CancellationToken,
}

fn server(backend: Arc<dyn Backend>) -> Server {
    let token = Token::random().unwrap();
    let stop = CancellationToken::new();
    let access = Access::new(SocketAddr::from(([127, 0, 0, 1], 4000)), token.clone());
    Server { router: router(backend, access, stop.clone()), token, stop }
}

fn known() -> Server {
    server(Arc::new(Known::default()))
}

impl Server {
    /// A request as the server's own page sends it.
    fn request(&self, method: &str, path: &str) -> Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, "127.0.0.1:4000")
            .header(TOKEN_HEADER, self.token.as_str())
    }

    async fn send(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn post(&self, path: &str, body: impl Into<Body>) -> (StatusCode, String) {
        let response = self.send(self.request("POST", path).body(body.into()).unwrap()).await;
        (response.status(), text(response).await)
    }

    /// The status a request with this header, and nothing else to show for itself, is answered with.
    async fn status_with(&self, name: impl AsRef<str>, value: &str) -> StatusCode {
        let mut request = self.request("POST", "/api/known/json").body(Body::from("{}")).unwrap();
        let name: axum::http::HeaderName = name.as_ref().parse().unwrap();
        request.headers_mut().insert(name, value.parse().unwrap());
        self.send(request).await.status()
    }
}

async fn text(response: Response) -> String {
    String::from_utf8(to_bytes(response.into_body(), usize::MAX).await.unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn a_command_answers_in_json() {
    let answer = known().post("/api/known/json", "{\"offset\":3}").await;
    assert_eq!(answer, (StatusCode::OK, "{\"params\":{\"offset\":3}}".into()));
}

#[tokio::test]
async fn a_command_answers_in_bytes() {
    let server = known();
    let response = server.send(server.request("POST", "/api/known/bytes").body(Body::empty()).unwrap()).await;
    assert_eq!(response.headers()[CONTENT_TYPE], "application/octet-stream");
    assert_eq!(to_bytes(response.into_body(), 9).await.unwrap().to_vec(), [0, 159, 255]);
}

#[tokio::test]
async fn an_error_of_the_app_has_its_status_and_shape() {
    let (status, error) = known().post("/api/known/gone", "{}").await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(error, r#"{"code":"notFound","message":"There is no session `7`.","detail":null}"#);
}

#[tokio::test]
async fn a_panic_in_a_command_is_an_error_and_the_server_goes_on() {
    let server = known();
    let (status, error) = server.post("/api/known/defect", "{}").await;
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    assert!(error.contains(r#""code":"internal""#), "{error}");
    assert_eq!(server.post("/api/known/json", "{}").await.0, StatusCode::OK);
}

#[tokio::test]
async fn without_the_token_nothing_is_told() {
    let server = known();
    for (method, path) in
        [("POST", "/api/known/json"), ("GET", "/api/notifications"), ("POST", "/upload?name=a")]
    {
        let mut request = server.request(method, path).body(Body::empty()).unwrap();
        request.headers_mut().remove(TOKEN_HEADER);
        let response = server.send(request).await;
        assert_eq!(response.status(), StatusCode::UNAUTHORIZED, "{path}");
        assert!(text(response).await.contains("Open the address that `strata serve` printed."), "{path}");
    }
}

#[tokio::test]
async fn a_wrong_token_is_refused() {
    let server = known();
    let shorter = &server.token.as_str()[1..];
    assert_eq!(server.status_with(TOKEN_HEADER, shorter).await, StatusCode::UNAUTHORIZED);
    assert_eq!(server.status_with(TOKEN_HEADER, "").await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_request_under_another_name_is_refused() {
    let server = known();
    for host in ["strata.example:4000", "127.0.0.1", "127.0.0.1:4001", "localhost.example:4000", ""] {
        assert_eq!(server.status_with(HOST, host).await, StatusCode::FORBIDDEN, "{host}");
    }
    for host in ["localhost:4000", "[::1]:4000"] {
        assert_eq!(server.status_with(HOST, host).await, StatusCode::OK, "{host}");
    }
}

#[tokio::test]
async fn the_page_too_is_shown_under_its_own_name_only() {
    let server = known();
    let request = Request::get("/").header(HOST, "strata.example:4000").body(Body::empty()).unwrap();
    assert_eq!(server.send(request).await.status(), StatusCode::FORBIDDEN);
    let request = Request::get("/").body(Body::empty()).unwrap();
    assert_eq!(server.send(request).await.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let server = known();
    for origin in ["http://example.org", "null", "http://127.0.0.1:4001", "https://127.0.0.1:4000", "http://"]
    {
        assert_eq!(server.status_with(ORIGIN, origin).await, StatusCode::FORBIDDEN, "{origin}");
    }
    assert_eq!(server.status_with(ORIGIN, "http://127.0.0.1:4000").await, StatusCode::OK);
}

#[tokio::test]
async fn parameters_that_are_too_long_are_refused() {
    let (status, error) = known().post("/api/known/json", vec![b' '; 9 << 20]).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(error.contains("The parameters of `known/json` were not taken"), "{error}");
}

#[tokio::test]
async fn parameters_that_are_no_text_are_refused() {
    let (status, _) = known().post("/api/known/json", vec![0xff, 0xfe]).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn an_upload_reaches_the_app_with_its_name() {
    let answer = known().post("/upload?name=my%20trip.json", "content").await;
    assert_eq!(answer, (StatusCode::OK, r#"{"upload":"my trip.json: content"}"#.into()));
}

#[tokio::test]
async fn an_upload_without_a_name_is_refused() {
    let (status, error) = known().post("/upload", "content").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(error.contains(r#""code":"badInput""#), "{error}");
}

#[tokio::test]
async fn an_upload_that_breaks_off_is_an_error() {
    let chunks = [Ok("half"), Err(std::io::Error::other("connection lost"))];
    let (status, error) =
        known().post("/upload?name=a", Body::from_stream(futures_util::stream::iter(chunks))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(error.contains("connection lost"), "{error}");
}

#[tokio::test]
async fn notifications_arrive_a_line_each_until_the_server_stops() {
    let known = Arc::new(Known::default());
    let server = server(known.clone());
    let response =
        server.send(server.request("GET", "/api/notifications").body(Body::empty()).unwrap()).await;
    assert_eq!(response.headers()[CONTENT_TYPE], "application/x-ndjson");
    let mut lines = response.into_body().into_data_stream();

    known.notifications.tell(&Notification::Sessions);
    known.notifications.tell(&Notification::Open { session: "7".into() });
    assert_eq!(lines.next().await.unwrap().unwrap(), "{\"type\":\"sessions\"}\n");
    assert_eq!(lines.next().await.unwrap().unwrap(), "{\"type\":\"open\",\"session\":\"7\"}\n");

    server.stop.cancel();
    assert!(lines.next().await.is_none());
}

#[tokio::test]
async fn a_reader_that_left_is_let_go() {
    let known = Arc::new(Known::default());
    let server = server(known.clone());
    let response =
        server.send(server.request("GET", "/api/notifications").body(Body::empty()).unwrap()).await;
    assert!(known.notifications.tell(&Notification::Sessions));
    drop(response);
    assert!(!known.notifications.tell(&Notification::Sessions), "the subscription ends with its reader");
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let server = known();
    let no_name = Request::get("/").body(Body::empty()).unwrap();
    let own = server.request("POST", "/api/known/json").body(Body::empty()).unwrap();
    for request in [no_name, own] {
        let response = server.send(request).await;
        let headers = response.headers();
        assert!(headers[CONTENT_SECURITY_POLICY].to_str().unwrap().starts_with("default-src 'none';"));
        assert_eq!(headers["cache-control"], "no-store");
        assert_eq!(headers["x-content-type-options"], "nosniff");
    }
}

#[tokio::test]
async fn a_file_that_is_not_there_is_not_found() {
    let server = known();
    for path in ["/no.js", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd"] {
        let response = server.send(server.request("GET", path).body(Body::empty()).unwrap()).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn the_app_itself_answers_unknown_commands() {
    let options = Options {
        host: Host::Browser,
        database: None,
        open: Vec::new(),
        runtime: tokio::runtime::Handle::current(),
    };
    let server = server(Arc::new(Strata::start(options).unwrap()));
    let (status, error) = server.post("/api/session/fold", "{}").await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(error.contains("There is no command `session/fold`."), "{error}");
}
