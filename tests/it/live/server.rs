//! A small inference server without a model: it tokenises prompts and keeps blocks of them.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tiktoken_rs::{CoreBPE, o200k_base};

/// Answers on the loopback address until it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    is_stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// One that says something of its own before every prompt tells the tokens of prompts, as vLLM does.
    pub(crate) fn start(block_tokens: u32, preamble: Option<&'static str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = listener.local_addr().expect("a listener has an address");
        let is_stopping = Arc::new(AtomicBool::new(false));
        let stops = is_stopping.clone();
        let thread = std::thread::spawn(move || {
            let mut cache = BlockCache::new(block_tokens as usize);
            for stream in listener.incoming() {
                if stops.load(Ordering::Relaxed) {
                    return;
                }
                if let Ok(stream) = stream {
                    // A client that went away is no matter of the server's.
                    let _ = answer(&stream, &mut cache, preamble);
                }
            }
        });
        Self { address, is_stopping, thread: Some(thread) }
    }

    pub(crate) fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::Relaxed);
        // Wakes the thread, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(stream: &TcpStream, cache: &mut BlockCache, preamble: Option<&str>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body)?;
    let text = preamble.unwrap_or_default().to_owned() + &render(&request);
    let (status, reply) = match first.split(' ').nth(1) {
        Some("/v1/chat/completions") => {
            let (prompt, cached) = cache.meet(&text);
            let reply = json!({
                "object": "chat.completion",
                "choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": "x"}}],
                "usage": {"prompt_tokens": prompt, "completion_tokens": 1, "total_tokens": prompt + 1,
                    "prompt_tokens_details": {"cached_tokens": cached}},
            });
            (200, reply)
        }
        Some("/tokenize") if preamble.is_some() => {
            let tokens = cache.cut(&text);
            (200, json!({"count": tokens.len(), "tokens": tokens}))
        }
        _ => (404, json!({"detail": "Not Found"})),
    };
    let reply = reply.to_string();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status} OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{reply}",
        reply.len()
    )
}

/// A chat template: the instruction, the tools, the messages, and the beginning of the answer.
fn render(request: &Value) -> String {
    let mut text = String::new();
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let (system, rest) = match messages {
        [system, rest @ ..] if system["role"] == "system" => (system["content"].as_str(), rest),
        rest => (None, rest),
    };
    text += &format!("<s>{}\n# Tools\n{}</s>", system.unwrap_or_default(), request["tools"]);
    for message in rest {
        let content = message["content"].as_str().unwrap_or_default();
        let calls = message.get("tool_calls").map(ToString::to_string).unwrap_or_default();
        text += &format!("<m>{}\n{content}{calls}</m>", message["role"].as_str().unwrap_or_default());
    }
    text + "<m>assistant\n"
}

/// Whole blocks of tokens, each known with all that stands before it.
struct BlockCache {
    vocabulary: CoreBPE,
    block_tokens: usize,
    known: HashSet<Vec<u32>>,
}

impl BlockCache {
    fn new(block_tokens: usize) -> Self {
        let vocabulary = o200k_base().expect("the vocabulary is built in");
        Self { vocabulary, block_tokens, known: HashSet::new() }
    }

    fn cut(&self, prompt: &str) -> Vec<u32> {
        self.vocabulary.encode_ordinary(prompt)
    }

    /// Tokens of a prompt, and how many of them were found. Its blocks are kept.
    fn meet(&mut self, prompt: &str) -> (usize, usize) {
        let tokens = self.cut(prompt);
        // The last token is always computed.
        let ends: Vec<usize> = (self.block_tokens..tokens.len()).step_by(self.block_tokens).collect();
        let found = ends.iter().take_while(|end| self.known.contains(&tokens[..**end])).last();
        let cached = found.copied().unwrap_or(0);
        self.known.extend(ends.iter().map(|end| tokens[..*end].to_vec()));
        (tokens.len(), cached)
    }
}
