//! What the gateway hears, made lines of the log: behind a queue, in a thread of its own.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::SystemTime;

use crate::exchange::{End, ExchangeId, Finished, Headers, Numbers, Told};
use crate::log::{AnswerLine, Log, RequestLine};
use crate::redact;
use crate::socket::{self, Socket};

/// So many bytes wait to be written at most; what comes then is not recorded.
const QUEUE: usize = 128 << 20;

/// The status that begins a WebSocket.
const SWITCHING: u16 = 101;

/// So much of a body is kept.
const BODY: usize = 64 << 20;

/// Where an exchange tells what happened to it. Never waits.
#[derive(Debug, Clone)]
pub(crate) struct Desk {
    messages: Sender<Message>,
    waiting: Arc<AtomicUsize>,
    pub(crate) numbers: Numbers,
}

#[derive(Debug)]
enum Message {
    Told(ExchangeId, Told),
    Close,
}

impl Desk {
    /// `false` where there is no room, or nobody who writes.
    pub(crate) fn take(&self, id: ExchangeId, told: Told) -> bool {
        let len = told.len();
        if self.waiting.load(Ordering::Relaxed) + len > QUEUE {
            return false;
        }
        self.waiting.fetch_add(len, Ordering::Relaxed);
        self.messages.send(Message::Told(id, told)).is_ok()
    }

    /// The end of an exchange is heard however much waits.
    pub(crate) fn take_end(&self, id: ExchangeId, told: Told) {
        // Without a recorder there is nobody to tell.
        let _ = self.messages.send(Message::Told(id, told));
    }
}

/// The thread that writes.
#[derive(Debug)]
pub(crate) struct Recorder {
    desk: Desk,
    thread: JoinHandle<()>,
}

pub(crate) fn start(log: Log, finished: Box<dyn Fn(Finished) + Send>) -> io::Result<Recorder> {
    let (messages, received) = mpsc::channel();
    let desk = Desk { messages, waiting: Arc::default(), numbers: Numbers::default() };
    // A desk of its own would keep the queue open for ever.
    let (waiting, numbers) = (Arc::clone(&desk.waiting), desk.numbers.clone());
    let writer = Writer { log, finished, open: HashMap::new(), numbers };
    let thread =
        thread::Builder::new().name("capture".into()).spawn(move || writer.run(&received, &waiting))?;
    Ok(Recorder { desk, thread })
}

impl Recorder {
    pub(crate) fn desk(&self) -> Desk {
        self.desk.clone()
    }

    /// Writes what was heard until now.
    pub(crate) fn close(self) {
        let _ = self.desk.messages.send(Message::Close);
        // A thread that panicked has written what it could.
        let _ = self.thread.join();
    }
}

struct Writer {
    log: Log,
    finished: Box<dyn Fn(Finished) + Send>,
    open: HashMap<ExchangeId, Open>,
    numbers: Numbers,
}

/// An exchange that is not over.
#[derive(Debug)]
struct Open {
    method: String,
    url: String,
    upstream: String,
    headers: Headers,
    began: SystemTime,
    /// Later than it began where it was held.
    sent: SystemTime,
    request: Kept,
    is_request_written: bool,
    answer: Option<(u16, Headers)>,
    body: Kept,
    first_byte: Option<SystemTime>,
    /// When bytes of the answer came in, in milliseconds since the request, and how many.
    writes: Vec<(u64, usize)>,
    /// What could not be written.
    problem: Option<String>,
    /// From the moment a provider agreed to one.
    socket: Option<Socket>,
    /// Some of its messages could not be read.
    is_lost: bool,
}

/// The copy of a body.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    /// Of all of it.
    len: u64,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        self.len += bytes.len() as u64;
        let room = BODY.saturating_sub(self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn is_cut(&self) -> bool {
        self.len > BODY as u64
    }
}

impl Writer {
    fn run(mut self, messages: &Receiver<Message>, waiting: &AtomicUsize) {
        while let Ok(Message::Told(id, told)) = messages.recv() {
            waiting.fetch_sub(told.len(), Ordering::Relaxed);
            self.hear(id, told);
        }
    }

    fn hear(&mut self, id: ExchangeId, told: Told) {
        if let Told::Begin { method, url, upstream, headers, at } = told {
            self.open.insert(id, Open::new(method, url, upstream, headers, at));
            return;
        }
        if let Told::PassedThrough(elsewhere) = told {
            (self.finished)(elsewhere);
            return;
        }
        // Of an exchange whose beginning found no room nothing is kept.
        let Some(open) = self.open.get_mut(&id) else { return };
        match told {
            Told::Begin { .. } | Told::PassedThrough(_) => {}
            Told::RequestBytes(bytes) if open.socket.is_some() => self.client_said(id, &bytes),
            Told::AnswerBytes(bytes, at) if open.socket.is_some() => self.provider_said(id, &bytes, at),
            Told::RequestBytes(bytes) => open.request.add(&bytes),
            Told::Sent(at) => open.sent = at,
            Told::RequestIsThere => open.write_request(id, &mut self.log),
            Told::Answer { status, headers, at } => {
                open.socket = (status == SWITCHING).then(|| Socket::new(&headers));
                open.answer = Some((status, headers));
                open.first_byte = Some(at);
            }
            Told::AnswerBytes(bytes, at) => {
                open.writes.push((millis(open.began, at), bytes.len()));
                open.body.add(&bytes);
            }
            Told::End { end, is_whole, at } => {
                open.is_lost = open.socket.as_ref().is_some_and(Socket::is_lost);
                let unanswered = open.socket.take().map(Socket::unanswered).unwrap_or_default();
                for asked in unanswered {
                    // The end of a WebSocket is no end of an answer.
                    self.end(asked, if end == End::Complete { End::ProviderLeft } else { end }, is_whole, at);
                }
                self.end(id, end, is_whole, at);
            }
        }
    }

    fn end(&mut self, id: ExchangeId, end: End, is_whole: bool, at: SystemTime) {
        let Some(open) = self.open.remove(&id) else { return };
        (self.finished)(open.finish(id, end, is_whole, at, &mut self.log));
    }

    /// Each message that asks for a response is a request by itself.
    fn client_said(&mut self, id: ExchangeId, bytes: &[u8]) {
        let Some(Open { url, upstream, headers, socket: Some(socket), request, .. }) = self.open.get_mut(&id)
        else {
            return;
        };
        request.len += bytes.len() as u64;
        let mut new = Vec::new();
        for text in socket.client_said(bytes) {
            let asked = self.numbers.next();
            socket.asks(asked);
            let (method, now) = (socket::METHOD.into(), SystemTime::now());
            let mut open = Open::new(method, url.clone(), upstream.clone(), headers.clone(), now);
            open.request.add(text.as_bytes());
            open.write_request(asked, &mut self.log);
            new.push((asked, open));
        }
        self.open.extend(new);
    }

    /// Messages of a provider are events of the answer that is due.
    fn provider_said(&mut self, id: ExchangeId, bytes: &[u8], at: SystemTime) {
        let Some(Open { socket: Some(socket), body, .. }) = self.open.get_mut(&id) else { return };
        body.len += bytes.len() as u64;
        for event in socket.provider_said(bytes) {
            let Some(open) = self.open.get_mut(&event.of.unwrap_or(id)) else { continue };
            let text = format!("data: {}\n\n", event.text);
            open.writes.push((millis(open.began, at), text.len()));
            open.first_byte.get_or_insert(at);
            open.body.add(text.as_bytes());
            if let Some(asked) = event.of.filter(|_| event.is_last) {
                open.answer = Some((event.status, Headers::new()));
                self.end(asked, End::Complete, true, at);
            }
        }
    }
}

impl Open {
    fn new(method: String, url: String, upstream: String, headers: Headers, began: SystemTime) -> Self {
        Self {
            method,
            url,
            upstream,
            headers,
            began,
            sent: began,
            request: Kept::default(),
            is_request_written: false,
            answer: None,
            body: Kept::default(),
            first_byte: None,
            writes: Vec::new(),
            problem: None,
            socket: None,
            is_lost: false,
        }
    }

    fn write_request(&mut self, id: ExchangeId, log: &mut Log) {
        if std::mem::replace(&mut self.is_request_written, true) {
            return;
        }
        let line = RequestLine {
            id,
            at: epoch(self.began),
            method: &self.method,
            url: &self.url,
            upstream: &self.upstream,
            headers: &self.headers,
            bytes: self.request.len,
        };
        if let Err(error) = log.request(&line, &std::mem::take(&mut self.request.bytes)) {
            self.problem = Some(format!("its request could not be written: {error}"));
        }
    }

    fn finish(mut self, id: ExchangeId, end: End, is_whole: bool, at: SystemTime, log: &mut Log) -> Finished {
        self.write_request(id, log);
        let (status, headers) =
            self.answer.take().map_or((None, Vec::new()), |(status, headers)| (Some(status), headers));
        let cut = || self.request.is_cut() || self.body.is_cut();
        let missed = match () {
            () if self.is_lost => {
                Some("a message of this WebSocket could not be read: those behind it are missing")
            }
            () if !is_whole => Some("the recorder could not keep up: parts of it are missing"),
            () if cut() => Some("larger than 64 MiB: the rest of its body was not kept"),
            () => None,
        };
        let end = if end == End::ClientLeft && is_last_event(&self.body.bytes) { End::Complete } else { end };
        let line = AnswerLine {
            to: id,
            at: self.first_byte.map(epoch),
            ended: epoch(at),
            status,
            headers: &headers,
            bytes: self.body.len,
            writes: &self.writes,
            end: end.name(),
            incomplete: missed,
        };
        let written = log.answer(&line, &self.body.bytes);
        let ended = match end {
            End::Complete => None,
            End::ClientLeft => Some("the client left before the end of the answer"),
            End::ProviderLeft => Some("the provider left before the end of its answer"),
            End::Unreachable => Some("the provider could not be reached"),
            End::Refused => Some("it was held and not sent"),
        };
        let unwritten = written.err().map(|error| format!("its answer could not be written: {error}"));
        Finished {
            number: id,
            method: self.method,
            url: redact::text(&self.url),
            status,
            sent: self.request.len,
            received: self.body.len,
            held_ms: millis(self.began, self.sent),
            first_byte_ms: self.first_byte.map(|at| millis(self.sent, at)),
            ms: millis(self.sent, at),
            problem: self.problem.or(unwritten).or_else(|| missed.or(ended).map(Into::into)),
        }
    }
}

/// Whether an answer has the last event of its dialect: clients hang up on it.
fn is_last_event(body: &[u8]) -> bool {
    const EVENTS: [&str; 6] = [
        "data: [DONE]",
        "event: message_stop",
        "event: response.completed",
        "event: response.failed",
        "event: response.incomplete",
        "\"finishReason\"",
    ];
    let text = String::from_utf8_lossy(&body[body.len().saturating_sub(256 << 10)..]);
    EVENTS.iter().any(|event| text.contains(event)) || text.trim_end().ends_with("\"done\":true}")
}

fn epoch(at: SystemTime) -> f64 {
    at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

fn millis(from: SystemTime, to: SystemTime) -> u64 {
    to.duration_since(from).unwrap_or_default().as_millis() as u64
}
