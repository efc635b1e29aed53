//! Sending a request until it is taken.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use strata_model::json;
use strata_wire::{Api, error_message};
use tokio_util::sync::CancellationToken;

use crate::client::{Client, Progress, plain_cause};
use crate::endpoint::Endpoint;
use crate::error::{CallError, CallErrorKind};
use crate::retry;

/// Bytes of an error that are read.
const MAX_ERROR: usize = 16 << 10;
/// Characters of it that are shown.
const SHOWN_ERROR: usize = 400;
/// How long the rest of an error is waited for.
const ERROR_PATIENCE: Duration = Duration::from_secs(5);

/// Why an attempt came to nothing.
struct FailedAttempt {
    error: CallError,
    /// It may be taken later.
    is_passing: bool,
    asked: Option<Duration>,
}

impl Client {
    /// Posts a body until the server takes it. Returns the beginning of the answer, and how often it was sent.
    pub(crate) async fn send(
        &self,
        endpoint: &Endpoint,
        path: &str,
        body: String,
        stop: &CancellationToken,
        watch: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(reqwest::Response, u32), CallError> {
        let headers = headers(endpoint)?;
        let first_byte = endpoint.first_byte.unwrap_or(self.limits.first_byte);
        let mut attempts = 0;
        loop {
            attempts += 1;
            let request = self
                .http(endpoint)
                .post(endpoint.url(path))
                .headers(headers.clone())
                .header(reqwest::header::CONTENT_TYPE, "application/json")
                .body(body.clone());
            let sent = tokio::time::timeout(first_byte, request.send());
            let turned = match stop.run_until_cancelled(sent).await {
                None => return Err(CallError { attempts, ..stopped().charged() }),
                Some(Err(_)) => {
                    let message = format!(
                        "{} did not begin to answer within {} s. It may still be reading the prompt, and charge for it. \
                         Let it take longer in the settings of models, or send less.",
                        endpoint.name,
                        first_byte.as_secs()
                    );
                    let error = CallError::new(CallErrorKind::TimedOut, message).charged();
                    return Err(CallError { attempts, ..error });
                }
                Some(Ok(Err(error))) => unreached(endpoint, &error),
                Some(Ok(Ok(response))) if response.status().is_success() => return Ok((response, attempts)),
                Some(Ok(Ok(response))) => {
                    match stop.run_until_cancelled(turned_away(endpoint, response)).await {
                        Some(turned) => turned,
                        None => return Err(CallError { attempts, ..stopped() }),
                    }
                }
            };
            let wait = retry::wait(attempts, turned.asked, self.limits.first_wait);
            if !turned.is_passing || attempts > self.limits.retries || wait > self.limits.longest_wait {
                return Err(CallError { attempts, ..turned.error });
            }
            watch(Progress::Waiting { wait, why: turned.error.message });
            if stop.run_until_cancelled(tokio::time::sleep(wait)).await.is_none() {
                return Err(CallError { attempts, ..stopped() });
            }
        }
    }
}

fn stopped() -> CallError {
    CallError::new(CallErrorKind::Cancelled, "Stopped before an answer began.")
}

/// Headers of every request to an endpoint, with its key.
pub(crate) fn headers(endpoint: &Endpoint) -> Result<HeaderMap, CallError> {
    let mut headers = HeaderMap::new();
    let misconfigured = |what: &str| {
        let message =
            format!("{what} of {} cannot be sent: it holds letters that no header may have.", endpoint.name);
        CallError::new(CallErrorKind::Misconfigured, message)
    };
    if let Some(key) = &endpoint.key {
        let (name, value) = match endpoint.api {
            Api::ChatCompletions | Api::Responses => ("authorization", format!("Bearer {}", key.expose())),
            Api::Gemini => ("x-goog-api-key", key.expose().to_owned()),
            Api::Anthropic => ("x-api-key", key.expose().to_owned()),
        };
        let mut value = HeaderValue::from_str(&value).map_err(|_| misconfigured("The key"))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    if endpoint.api == Api::Anthropic {
        headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    for (name, value) in &endpoint.headers {
        let wrong = || misconfigured(&format!("The header {name}"));
        let name = HeaderName::from_bytes(name.trim().as_bytes()).map_err(|_| wrong())?;
        let mut value = HeaderValue::from_str(value.trim()).map_err(|_| wrong())?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

fn unreached(endpoint: &Endpoint, error: &reqwest::Error) -> FailedAttempt {
    let name = &endpoint.name;
    let cause = endpoint.redact(&plain_cause(error));
    let url = endpoint.shown_url("");
    if error.is_builder() {
        let message = format!("{url} is no address that can be asked. Write it as https://host/v1.");
        return FailedAttempt {
            error: CallError::new(CallErrorKind::Misconfigured, message),
            is_passing: false,
            asked: None,
        };
    }
    if error.is_connect() {
        let hint = if endpoint.is_local() {
            "Is the server running, and is this its port?"
        } else {
            "Check the address, the network and the proxy."
        };
        let message = format!("{name} cannot be reached at {url} ({cause}). {hint}");
        // A wrong name or a closed port does not mend itself; a lost connection may.
        let is_passing = error.is_timeout();
        return FailedAttempt {
            error: CallError::new(CallErrorKind::Unreachable, message),
            is_passing,
            asked: None,
        };
    }
    let message = format!("The connection to {name} ended before an answer began ({cause}). Try again.");
    let error = CallError::new(CallErrorKind::CutOff, message).charged();
    FailedAttempt { error, is_passing: false, asked: None }
}

/// Why no answer began, in plain words.
pub(crate) fn connection_error(endpoint: &Endpoint, error: &reqwest::Error) -> CallError {
    unreached(endpoint, error).error
}

/// An answer with an error status, in plain words.
pub(crate) async fn status_error(endpoint: &Endpoint, response: reqwest::Response) -> CallError {
    turned_away(endpoint, response).await.error
}

async fn turned_away(endpoint: &Endpoint, mut response: reqwest::Response) -> FailedAttempt {
    let status = response.status().as_u16();
    let asked = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|header| retry::retry_after(header.to_str().ok()?, SystemTime::now()));
    let target = response.headers().get(reqwest::header::LOCATION).is_some();
    let mut body = Vec::new();
    let rest = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes);
            if body.len() > MAX_ERROR {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(ERROR_PATIENCE, rest).await;
    let said = error_message(&body).unwrap_or_else(|| String::from_utf8_lossy(&body).trim().to_owned());
    let said: String = endpoint.redact(&said).chars().take(SHOWN_ERROR).collect();
    let (kind, message) = explain(endpoint, status, &said, target, asked);
    let is_refused = is_about_request(kind, status, &body);
    let is_passing = retry::is_passing(status) && !is_refused;
    let message = if is_refused && kind == CallErrorKind::ServerFailed {
        let name = &endpoint.name;
        format!(
            "{name} cannot do what this request asks for (status {status}). It will not do it later either.{}",
            quoted(&said)
        )
    } else {
        message
    };
    FailedAttempt { error: CallError::new(kind, message), is_passing, asked }
}

/// A server that failed says what of the request it cannot do, as llama.cpp does for templates. It will not do it later
/// either.
fn is_about_request(kind: CallErrorKind, status: u16, body: &[u8]) -> bool {
    const NAMES: [&str; 6] =
        ["template", "jinja", "unsupported", "not supported", "not implemented", "does not support"];
    const TYPES: [&str; 3] = ["invalid_request_error", "not_supported_error", "exceed_context_size_error"];
    if status != 500 {
        return false;
    }
    let error = json::parse(body).ok();
    let kind_of = error.as_ref().and_then(|body| body.get("error")?.get("type")?.as_str());
    let said = String::from_utf8_lossy(body).to_lowercase();
    kind != CallErrorKind::ServerFailed
        || kind_of.is_some_and(|kind| TYPES.contains(&kind))
        || NAMES.iter().any(|name| said.contains(name))
}

fn explain(
    endpoint: &Endpoint,
    status: u16,
    said: &str,
    is_redirect: bool,
    asked: Option<Duration>,
) -> (CallErrorKind, String) {
    let name = &endpoint.name;
    let quoted = quoted(said);
    match status {
        400..=501 if is_about_pictures(said) => (
            CallErrorKind::PictureRefused,
            format!(
                "The model at {name} takes no pictures, and there are some in the prompt. Leave them out, or take a model \
                 that sees.{quoted}"
            ),
        ),
        400 | 413 | 422 | 500 if is_about_length(said) => (
            CallErrorKind::BadRequest,
            format!(
                "The prompt is longer than the model at {name} takes. Send less (smaller windows, an earlier summary), or \
                 take a model with a longer context.{quoted}"
            ),
        ),
        400 if is_about_model(said) => {
            (CallErrorKind::NotFound, format!("{name} knows no such model. See its list of models.{quoted}"))
        }
        401 if endpoint.key.is_none() => {
            (CallErrorKind::Unauthorised, format!("{name} wants a key and has none. Set one.{quoted}"))
        }
        401 => (
            CallErrorKind::Unauthorised,
            format!("{name} does not take this key. Check it, or make a new one.{quoted}"),
        ),
        402 => {
            (CallErrorKind::RateLimited, format!("The credit at {name} is used up. Top it up there.{quoted}"))
        }
        403 => (
            CallErrorKind::Unauthorised,
            format!("This key may not do this at {name}. Check its rights and the region.{quoted}"),
        ),
        404 => (
            CallErrorKind::NotFound,
            format!(
                "{name} knows no such model, or {} is not its address. See its list of models.{quoted}",
                endpoint.shown_url("")
            ),
        ),
        429 => {
            let wait = asked
                .map_or(String::new(), |asked| format!(" It asks to wait {} s.", asked.as_secs_f64().ceil()));
            (CallErrorKind::RateLimited, format!("{name} takes no more requests for now.{wait}{quoted}"))
        }
        300..=399 if is_redirect => (
            CallErrorKind::Misconfigured,
            format!(
                "{name} points to another address, and a key is not sent on. Set the address it now has.{quoted}"
            ),
        ),
        500..=599 => (
            CallErrorKind::ServerFailed,
            format!("{name} failed (status {status}). Try again later.{quoted}"),
        ),
        _ => (
            CallErrorKind::BadRequest,
            format!("{name} does not take this request (status {status}).{quoted}"),
        ),
    }
}

/// What a server says, up to its first empty line and as one sentence or more.
fn quoted(said: &str) -> String {
    let first = said.trim().split("\n\n").next().unwrap_or_default();
    let words = first.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.chars().last() {
        None => String::new(),
        Some('.' | '!' | '?' | '…') => format!(" It says: {words}"),
        Some(_) => format!(" It says: {words}."),
    }
}

/// Servers have no common code for a prompt that does not fit.
fn is_about_length(said: &str) -> bool {
    const PHRASES: [&str; 12] = [
        "context window",
        "contextwindow",
        "context length",
        "context_length",
        "context size",
        "maximum context",
        "prompt is too long",
        "input is too long",
        "input token count",
        "exceeds the available context",
        "exceed_context_size",
        "max_model_len",
    ];
    let said = said.to_lowercase();
    PHRASES.iter().any(|phrase| said.contains(phrase))
}

/// Servers without eyes have no common code either.
fn is_about_pictures(said: &str) -> bool {
    let said = said.to_lowercase();
    let is_media =
        ["image", "picture", "multimodal", "mmproj", "vision"].iter().any(|word| said.contains(word));
    let refuses = [
        "not support",
        "unsupported",
        "no support",
        "invalid content",
        "cannot",
        "not a multimodal",
        "mmproj",
    ];
    is_media && refuses.iter().any(|words| said.contains(words))
}

fn is_about_model(said: &str) -> bool {
    let said = said.to_lowercase();
    let names = ["invalid model", "unknown model", "model not found", "model_not_found", "no such model"];
    names.iter().any(|phrase| said.contains(phrase))
}
