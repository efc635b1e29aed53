//! A model server that plays a script: what it answers, and how the answer goes wrong.
//!
//! It listens on the loopback address, plays one entry of its script for each request, notes what it was sent, and
//! checks what must hold of every request: it is JSON, names a model, asks for a stream, carries the key it should,
//! and brings no tool result without its call.

mod prompts;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use strata_model::{Json, Object, json};

use prompts::{Prompts, Read};

/// What is done with one request.
#[derive(Debug, Clone)]
pub enum Play {
    /// A stream, in pieces of so many bytes.
    Stream { body: String, piece: usize },
    /// A stream that says this, with the usage of a server that reads prompts.
    Says(String),
    /// A stream that ends with the connection after so many bytes.
    Cut { body: String, after: usize },
    /// A stream that goes silent after so many bytes, and stays open.
    Stall { body: String, after: usize },
    /// A stream whose connection ends in the line that says how long its next piece is.
    CutInLength { body: String, after: usize },
    /// One document.
    Document(String),
    /// A page for people.
    Page(String),
    /// Another status than 200.
    Status { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// The request is read, and nothing comes.
    Silence,
}

/// A request that was sent.
#[derive(Debug, Clone)]
pub struct Received {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Json,
}

/// A running server. Dropped, it stops.
pub struct ModelServer {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    script: Mutex<std::vec::IntoIter<Play>>,
    received: Mutex<Vec<Received>>,
    problems: Mutex<Vec<String>>,
    /// What it tells of itself, by path.
    told: Mutex<Vec<(String, Play)>>,
    /// How often each path was asked.
    asked: Mutex<HashMap<String, usize>>,
    /// Where it reads prompts as llama.cpp does.
    prompts: Mutex<Option<Prompts>>,
    key: Option<String>,
    is_over: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ModelServer {
    /// Starts a server. With `key`, requests have to carry it in a header.
    ///
    /// # Panics
    ///
    /// When there is no free port: a test cannot go on without its server.
    pub fn start(script: Vec<Play>, key: Option<&str>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let state = Arc::new(State {
            script: Mutex::new(script.into_iter()),
            received: Mutex::default(),
            problems: Mutex::default(),
            told: Mutex::new(vec![(
                "/v1/models".to_owned(),
                Play::Document(r#"{"data":[{"id":"scripted-1"},{"id":"scripted-2"}]}"#.to_owned()),
            )]),
            asked: Mutex::default(),
            prompts: Mutex::default(),
            key: key.map(str::to_owned),
            is_over: AtomicBool::new(false),
        });
        let shared = state.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let state = shared.clone();
                thread::spawn(move || state.serve(stream));
            }
        });
        Self { address, state }
    }

    /// `http://127.0.0.1:PORT`, without a path.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers whatever is asked of this path with a document, and takes nothing of the script for it: what servers tell
    /// of themselves (`/props`, `/v1/models`), and what they count (`/tokenize`).
    pub fn tell(&self, path: &str, document: &str) {
        self.play_at(path, Play::Document(document.to_owned()));
    }

    /// Does this with whatever is asked of this path, and takes nothing of the script for it: how counting goes wrong.
    pub fn play_at(&self, path: &str, play: Play) {
        let mut told = lock(&self.state.told);
        told.retain(|(known, _)| known != path);
        told.push((path.to_owned(), play));
    }

    /// Does with this path what it did before anything was told of it.
    pub fn forget_at(&self, path: &str) {
        lock(&self.state.told).retain(|(known, _)| known != path);
    }

    /// Reads prompts from now on, with a template and a vocabulary of its own: it answers `/apply-template` and
    /// `/tokenize`, of texts and of messages, and [`Play::Says`] reports what it counted and what it found in its slot.
    pub fn read_prompts(&self) {
        *lock(&self.state.prompts) = Some(Prompts::default());
    }

    /// How often a path was asked, whatever came of it.
    pub fn asked(&self, path: &str) -> usize {
        lock(&self.state.asked).get(path).copied().unwrap_or(0)
    }

    /// Requests so far, what it was asked to tell not counted.
    pub fn received(&self) -> Vec<Received> {
        lock(&self.state.received).clone()
    }

    /// What was wrong with requests.
    pub fn problems(&self) -> Vec<String> {
        lock(&self.state.problems).clone()
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
        // Wakes whoever waits for a connection.
        let _ = TcpStream::connect(self.address);
    }
}

impl State {
    fn serve(&self, stream: TcpStream) {
        let Ok(mut out) = stream.try_clone() else { return };
        let Some((method, path, headers, body)) = read_request(stream) else { return };
        // Whoever asked may be gone by now: that is part of the play.
        *lock(&self.asked).entry(path.clone()).or_default() += 1;
        let told = lock(&self.told).iter().find(|(known, _)| *known == path).map(|(_, told)| told.clone());
        let counted = || self.counted(&path, &json::parse(&body).unwrap_or_default());
        let _ = if let Some(told) = told {
            self.play(&mut out, Some(told), &Json::Null)
        } else if let Some(counted) = counted() {
            answer(&mut out, 200, "application/json", &[], &json::to_compact(&counted))
        } else if method == "GET" || ["/tokenize", "/apply-template"].contains(&&*path) {
            answer(&mut out, 404, "application/json", &[], r#"{"error":{"message":"no such address"}}"#)
        } else {
            self.check(&path, &headers, &body);
            let value = json::parse(&body).unwrap_or_default();
            lock(&self.received).push(Received { path, headers, body: value.clone() });
            let play = lock(&self.script).next();
            self.play(&mut out, play, &value)
        };
    }

    /// What it answers to somebody who wants a prompt counted, where it reads prompts.
    fn counted(&self, path: &str, body: &Json) -> Option<Json> {
        let mut prompts = lock(&self.prompts);
        let prompts = prompts.as_mut()?;
        match path {
            "/apply-template" => {
                Some(Json::Object(Object::from_iter([("prompt", Json::from(Prompts::render(body)))])))
            }
            "/tokenize" => {
                let text = body.get("content").and_then(Json::as_str).map(str::to_owned);
                let ids = prompts.cut(&text.unwrap_or_else(|| Prompts::render(body)));
                let count = Json::from(ids.len() as i64);
                let ids = ids.into_iter().map(|id| Json::from(i64::from(id))).collect();
                Some(Json::Object(Object::from_iter([("tokens", Json::Array(ids)), ("count", count)])))
            }
            _ => None,
        }
    }

    fn play(&self, out: &mut TcpStream, play: Option<Play>, request: &Json) -> std::io::Result<()> {
        match play {
            Some(Play::Says(text)) => {
                let read = lock(&self.prompts).as_mut().map(|prompts| prompts.read(request));
                let Read { tokens, found } = read.unwrap_or(Read { tokens: 0, found: 0 });
                let body = chat_stream_of(&text, [tokens as u32, found as u32, 30]);
                self.play(out, Some(Play::Stream { body, piece: 64 }), request)
            }
            None => {
                lock(&self.problems).push("there were more requests than the script has entries".to_owned());
                answer(out, 410, "text/plain", &[], "the script is over")
            }
            Some(Play::Page(body)) => answer(out, 200, "text/html; charset=utf-8", &[], &body),
            Some(Play::Document(body)) => answer(out, 200, "application/json", &[], &body),
            Some(Play::Status { status, headers, body }) => {
                answer(out, status, "application/json", &headers, &body)
            }
            Some(Play::Silence) => {
                self.wait();
                Ok(())
            }
            Some(Play::Stream { body, piece }) => {
                begin_stream(out)?;
                for piece in body.as_bytes().chunks(piece.max(1)) {
                    send_piece(out, piece)?;
                }
                out.write_all(b"0\r\n\r\n")
            }
            Some(Play::Cut { body, after }) => {
                begin_stream(out)?;
                send_piece(out, &body.as_bytes()[..after])?;
                out.shutdown(std::net::Shutdown::Both)
            }
            Some(Play::CutInLength { body, after }) => {
                begin_stream(out)?;
                send_piece(out, &body.as_bytes()[..after])?;
                out.write_all(b"1f")?;
                out.flush()?;
                out.shutdown(std::net::Shutdown::Both)
            }
            Some(Play::Stall { body, after }) => {
                begin_stream(out)?;
                send_piece(out, &body.as_bytes()[..after])?;
                self.wait();
                Ok(())
            }
        }
    }

    /// Until the test is over.
    fn wait(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn check(&self, path: &str, headers: &[(String, String)], body: &[u8]) {
        let problem = |what: String| lock(&self.problems).push(format!("{path}: {what}"));
        let header =
            |name: &str| headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        if header("content-type") != Some("application/json") {
            problem("the body is not said to be JSON".to_owned());
        }
        if let Some(key) = &self.key {
            let carried =
                ["authorization", "x-api-key", "x-goog-api-key"].iter().filter_map(|name| header(name));
            if carried.filter(|value| value.trim_start_matches("Bearer ") == key).count() != 1 {
                problem("the key is not in exactly one header".to_owned());
            }
            if path.contains(key.as_str()) || String::from_utf8_lossy(body).contains(key.as_str()) {
                problem("the key stands in the address or the body".to_owned());
            }
        }
        let Ok(body) = json::parse(body) else {
            problem("the body is no JSON".to_owned());
            return;
        };
        if body.get("model").is_none() && !path.contains("/models/") {
            problem("no model is named".to_owned());
        }
        let is_streamed =
            body.get("stream").and_then(Json::as_bool) == Some(true) || path.contains("alt=sse");
        if !is_streamed && !path.contains("count") && !path.contains("input_tokens") {
            problem("no stream is asked for".to_owned());
        }
        let mut called: Vec<&str> = Vec::new();
        for message in body.get("messages").and_then(Json::as_array).unwrap_or_default() {
            for call in message.get("tool_calls").and_then(Json::as_array).unwrap_or_default() {
                called.extend(call.get("id").and_then(Json::as_str));
            }
            let answered = message.get("tool_call_id").and_then(Json::as_str);
            if answered.is_some_and(|id| !called.contains(&id)) {
                problem("a tool result has no call before it".to_owned());
            }
        }
    }
}

type Request = (String, String, Vec<(String, String)>, Vec<u8>);

fn read_request(stream: TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers: Vec<(String, String)> = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap_or(0))];
    reader.read_exact(&mut body).ok()?;
    Some((method, path, headers, body))
}

fn answer(
    out: &mut TcpStream,
    status: u16,
    kind: &str,
    headers: &[(&'static str, String)],
    body: &str,
) -> std::io::Result<()> {
    let mut more = String::new();
    for (name, value) in headers {
        more += &format!("{name}: {value}\r\n");
    }
    let head = format!(
        "HTTP/1.1 {status} Scripted\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n{more}\r\n",
        body.len()
    );
    out.write_all(head.as_bytes())?;
    out.write_all(body.as_bytes())?;
    out.flush()
}

fn begin_stream(out: &mut TcpStream) -> std::io::Result<()> {
    out.write_all(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
    )
}

fn send_piece(out: &mut TcpStream, piece: &[u8]) -> std::io::Result<()> {
    out.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
    out.write_all(piece)?;
    out.write_all(b"\r\n")?;
    out.flush()
}

/// A chat completion that says `text`, a few words at a time. Half of its prompt was found in a cache.
pub fn chat_stream(text: &str, prompt_tokens: u32, output_tokens: u32) -> String {
    chat_stream_of(text, [prompt_tokens, prompt_tokens / 2, output_tokens])
}

fn chat_stream_of(text: &str, [prompt_tokens, cached_tokens, output_tokens]: [u32; 3]) -> String {
    let mut body = String::new();
    for piece in text.split_inclusive(' ') {
        let mut said = String::new();
        json::write_compact_string(&mut said, piece);
        body += &format!(
            "data: {{\"model\":\"scripted-1\",\"choices\":[{{\"delta\":{{\"content\":{said}}}}}]}}\n\n"
        );
    }
    body += "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    body += &format!(
        "data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":{prompt_tokens},\"completion_tokens\":{output_tokens},\
         \"total_tokens\":{},\"prompt_tokens_details\":{{\"cached_tokens\":{}}}}}}}\n\ndata: [DONE]\n\n",
        prompt_tokens + output_tokens,
        cached_tokens
    );
    body
}
