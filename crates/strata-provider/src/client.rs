//! Asking a model.

use std::io::ErrorKind;
use std::time::Duration;

use strata_model::{LlmRequest, json};
use strata_wire::{Answer, AnswerReader, BodyOptions, Delta, Finish, StreamError, encode};
use tokio_util::sync::CancellationToken;

use crate::endpoint::Endpoint;
use crate::error::{CallError, CallErrorKind};
use crate::retry;

/// How long a connection rests before it is closed. Servers close theirs after five seconds or more, and a request must
/// not meet one that is about to be.
const RESTS: Duration = Duration::from_secs(4);

/// How long to wait and how much to take.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    pub connect: Duration,
    /// Until the answer begins. Long prompts are read for minutes on small computers.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub stall: Duration,
    /// Attempts after the first.
    pub retries: u32,
    /// The first wait between attempts, where the server asks for none.
    pub first_wait: Duration,
    /// A server that asks for a longer wait is not waited for.
    pub longest_wait: Duration,
    pub answer_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_byte: Duration::from_mins(5),
            stall: Duration::from_mins(1),
            retries: 4,
            first_wait: retry::first_wait(),
            longest_wait: Duration::from_mins(1),
            answer_bytes: 64 << 20,
        }
    }
}

/// What a request is sent with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AskOptions {
    /// The most tokens of the answer, where the request does not say.
    pub max_output_tokens: Option<u32>,
}

/// What happens while a model is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Progress {
    Delta(Delta),
    /// The request is sent again after this time, and why.
    Waiting {
        wait: Duration,
        why: String,
    },
}

/// Asks model servers. Cloning shares the connections.
#[derive(Debug, Clone)]
pub struct Client {
    proxied: reqwest::Client,
    /// For servers on this computer.
    direct: reqwest::Client,
    pub limits: Limits,
}

impl Client {
    /// Fails where the system gives no trusted certificates.
    pub fn new(limits: Limits) -> Result<Self, CallError> {
        // A program has one, and whoever came first has set the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let build = |builder: reqwest::ClientBuilder| {
            builder
                .connect_timeout(limits.connect)
                .pool_idle_timeout(RESTS)
                // A key is for the server it was given for.
                .redirect(reqwest::redirect::Policy::none())
                .user_agent("strata")
                .build()
                .map_err(|error| {
                    let message = format!("Connections cannot be made: {}.", causes(&error));
                    CallError::new(CallErrorKind::Misconfigured, message)
                })
        };
        Ok(Self {
            proxied: build(reqwest::Client::builder())?,
            direct: build(reqwest::Client::builder().no_proxy())?,
            limits,
        })
    }

    /// The same connections with other limits. How long making a connection may take stays as it is.
    #[must_use]
    pub fn with_limits(&self, limits: Limits) -> Self {
        Self { limits, ..self.clone() }
    }

    pub(crate) fn http(&self, endpoint: &Endpoint) -> &reqwest::Client {
        if endpoint.is_local() { &self.direct } else { &self.proxied }
    }

    /// Sends a request and gives the answer, piece by piece and whole, unless `stop` is cancelled first.
    pub async fn ask(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        options: AskOptions,
        stop: &CancellationToken,
        watch: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Answer, CallError> {
        let body_options = BodyOptions { is_streamed: true, max_output_tokens: options.max_output_tokens };
        let body = json::to_compact(&encode(endpoint.api, model, request, body_options));
        let path = endpoint.api.answer_path(model);
        let (response, attempts) = self.send(endpoint, &path, body, stop, watch).await?;
        if is_page(&response) {
            return Err(CallError { attempts, ..page(endpoint) });
        }
        let answer = self.read(endpoint, response, stop, watch).await;
        answer.map_err(|error| CallError { attempts, ..error })
    }

    async fn read(
        &self,
        endpoint: &Endpoint,
        mut response: reqwest::Response,
        stop: &CancellationToken,
        watch: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Answer, CallError> {
        let mut reader = AnswerReader::default();
        let mut received = 0;
        loop {
            let chunk = tokio::time::timeout(self.limits.stall, response.chunk());
            let chunk = stop.run_until_cancelled(chunk).await;
            let bytes = match chunk {
                None => {
                    let message = "Stopped in the middle of the answer.";
                    return Err(failed(CallErrorKind::Cancelled, message, reader));
                }
                Some(Err(_)) => {
                    let message = format!(
                        "{} stopped sending for {} s in the middle of its answer. Try again.",
                        endpoint.name,
                        self.limits.stall.as_secs()
                    );
                    return Err(failed(CallErrorKind::TimedOut, message, reader));
                }
                Some(Ok(Err(error))) => {
                    let message = format!(
                        "The connection to {} ended in the middle of its answer ({}). Try again.",
                        endpoint.name,
                        endpoint.redact(&plain_cause(&error))
                    );
                    return Err(failed(CallErrorKind::CutOff, message, reader));
                }
                Some(Ok(Ok(None))) => break,
                Some(Ok(Ok(Some(bytes)))) => bytes,
            };
            if received == 0 && bytes.trim_ascii_start().starts_with(b"<") {
                return Err(page(endpoint));
            }
            received += bytes.len();
            if received > self.limits.answer_bytes {
                let message = format!(
                    "{} sent more than {} MB and did not end. Set a limit for the answer.",
                    endpoint.name,
                    self.limits.answer_bytes >> 20
                );
                return Err(failed(CallErrorKind::TooLong, message, reader));
            }
            reader.push(&bytes, &mut |delta| watch(Progress::Delta(delta)));
            if let Some(problem) = reader.problem().cloned() {
                return Err(stream_error(endpoint, &problem, reader));
            }
        }
        reader.end(&mut |delta| watch(Progress::Delta(delta)));
        match reader.problem().cloned() {
            Some(problem) => Err(stream_error(endpoint, &problem, reader)),
            None => finished(endpoint, reader.into_answer()),
        }
    }
}

/// A page for people, as web servers, proxies and gateways send for addresses that they do not know.
fn is_page(response: &reqwest::Response) -> bool {
    let kind = response.headers().get(reqwest::header::CONTENT_TYPE);
    kind.and_then(|kind| kind.to_str().ok()).is_some_and(|kind| kind.trim_start().starts_with("text/html"))
}

fn page(endpoint: &Endpoint) -> CallError {
    let message = format!(
        "{} answered with a web page: {} is no address for requests in the form `{}`. Such addresses often end in /v1; \
         a proxy in between may ask to log in.",
        endpoint.name,
        endpoint.shown_url(""),
        endpoint.api.name()
    );
    CallError::new(CallErrorKind::Malformed, message)
}

/// The answer, if it came to its end and holds something.
fn finished(endpoint: &Endpoint, answer: Answer) -> Result<Answer, CallError> {
    let name = &endpoint.name;
    if answer.is_cut {
        let has_anything = !answer.parts().is_empty() || answer.usage.is_some();
        let (kind, message) = if has_anything {
            let message = format!("{name} ended its answer before it was whole. Try again.");
            (CallErrorKind::CutOff, message)
        } else {
            (
                CallErrorKind::Empty,
                format!("{name} answered with nothing at all. Try again, or another model."),
            )
        };
        return Err(CallError::new(kind, message).charged().with_partial(answer));
    }
    let ended = answer.ended();
    if answer.is_empty() && !matches!(ended, Some(Finish::Refused(_) | Finish::Filtered(_))) {
        let why = match ended {
            Some(Finish::Length) => "all of its tokens went into thoughts; allow a longer answer",
            _ => "try again, or another model",
        };
        let message = format!("{name} ended its answer without a word: {why}.");
        return Err(CallError::new(CallErrorKind::Empty, message).charged().with_partial(answer));
    }
    Ok(answer)
}

fn failed(kind: CallErrorKind, message: impl Into<String>, reader: AnswerReader) -> CallError {
    CallError::new(kind, message).charged().with_partial(reader.into_answer())
}

fn stream_error(endpoint: &Endpoint, error: &StreamError, reader: AnswerReader) -> CallError {
    let name = &endpoint.name;
    let (kind, message) = match error {
        StreamError::Malformed { excerpt } => (
            CallErrorKind::Malformed,
            format!(
                "{name} sent something that is no answer: {excerpt}. Check that it takes requests in the form `{}`.",
                endpoint.api.name()
            ),
        ),
        StreamError::Provider { message, .. } => (
            CallErrorKind::ServerFailed,
            format!("{name} gave up in the middle of its answer: {message}. Try again."),
        ),
    };
    failed(kind, endpoint.redact(&message), reader)
}

/// Why a server was not reached, in words for people, without the address it is about.
pub(crate) fn plain_cause(error: &reqwest::Error) -> String {
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        if let Some(io) = cause.downcast_ref::<std::io::Error>() {
            match io.kind() {
                ErrorKind::ConnectionRefused => return "nothing listens there".to_owned(),
                ErrorKind::ConnectionReset
                | ErrorKind::ConnectionAborted
                | ErrorKind::BrokenPipe
                | ErrorKind::UnexpectedEof => return "it was cut".to_owned(),
                ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                    return "there is no way to this computer".to_owned();
                }
                ErrorKind::TimedOut => return "it did not answer in time".to_owned(),
                _ => {}
            }
        }
        let said = cause.to_string();
        if said.contains("dns error") {
            return "no computer of this name is known".to_owned();
        }
        let is_cut = ["unexpected EOF", "before message", "chunk size", "IncompleteMessage", "incomplete"];
        if is_cut.iter().any(|words| said.contains(words)) {
            return "it was cut".to_owned();
        }
        if said.contains("certificate") || said.contains("HandshakeFailure") {
            return "its certificate is not trusted here".to_owned();
        }
        next = cause.source();
    }
    causes(error)
}

/// An error of the connection with its causes, without the address it is about.
pub(crate) fn causes(error: &reqwest::Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        let said = cause.to_string();
        if !causes.last().is_some_and(|last| last.contains(&said)) {
            causes.push(said);
        }
        next = cause.source();
    }
    if causes.is_empty() {
        // The message names the address, and addresses may hold keys.
        return if error.is_timeout() {
            "timed out".to_owned()
        } else {
            "the request could not be made".to_owned()
        };
    }
    causes.join(": ")
}
