//! A run on the terminal: what agents say on standard output, what they do on standard error, and who sits there.

use std::io::{self, BufRead as _};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use strata_app::report::{HeldReport, HoldDecision, Holder, Person, RunListener, RunNews};
use strata_app::{cut, whole};
use tokio_util::sync::CancellationToken;

/// Characters of arguments and results.
const SHOWN: usize = 160;
/// Ctrl-C is looked for this often while somebody types.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Writes down what a run tells.
pub(crate) struct Conversation {
    is_shown: bool,
    /// Whose words are being written.
    speaker: Mutex<Option<String>>,
}

impl Conversation {
    /// `is_shown`: words go to standard output; otherwise nobody writes there yet.
    pub(crate) fn new(is_shown: bool) -> Self {
        Self { is_shown, speaker: Mutex::default() }
    }

    fn speaker(&self) -> MutexGuard<'_, Option<String>> {
        self.speaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a line that is being written.
    pub(crate) fn end(&self) {
        if self.speaker().take().is_some() {
            write(&mut io::stdout(), "\n");
        }
    }

    fn aside(&self, line: &str) {
        self.end();
        write(&mut io::stderr(), &format!("{line}\n"));
    }
}

/// With the terminal gone there is nobody left to tell.
fn write(out: &mut impl io::Write, text: &str) {
    let _ = out.write_all(text.as_bytes());
    let _ = out.flush();
}

impl RunListener for Conversation {
    fn hear(&self, news: RunNews<'_>) {
        match news {
            RunNews::Piece { agent, text } if self.is_shown && !text.is_empty() => {
                let mut speaker = self.speaker();
                match speaker.as_deref() {
                    Some(speaking) if speaking == agent => write(&mut io::stdout(), text),
                    // Who speaks at the same time is heard when they have ended.
                    Some(_) => {}
                    None => {
                        write(&mut io::stdout(), &format!("{agent}: {text}"));
                        *speaker = Some(agent.to_owned());
                    }
                }
            }
            RunNews::Said { agent, text } if self.is_shown => {
                let was_told = self.speaker().as_deref() == Some(agent);
                self.end();
                if !was_told {
                    write(&mut io::stdout(), &format!("{agent}: {text}\n"));
                }
            }
            RunNews::Called { agent, tool, args } => {
                self.aside(&format!("  {agent} calls {tool} {}", cut(args, SHOWN)));
            }
            RunNews::Answered { agent: _, tool, result } => {
                self.aside(&format!("  {tool} gives {}", cut(result, SHOWN)));
            }
            RunNews::Failed { agent, message } => self.aside(&format!("  {agent}: {message}")),
            RunNews::Piece { .. } | RunNews::Said { .. } => {}
        }
    }

    fn note(&self, text: &str) {
        self.aside(text);
    }
}

/// Somebody at the terminal.
pub(crate) struct Keyboard {
    stop: CancellationToken,
}

impl Keyboard {
    pub(crate) fn new(stop: CancellationToken) -> Self {
        Self { stop }
    }

    /// A line that is typed. `None` at the end of the input, or when it is stopped first.
    pub(crate) fn line(&self, prompt: &str) -> Option<String> {
        write(&mut io::stderr(), prompt);
        let (sender, receiver) = channel();
        // Reading cannot be stopped; the thread ends with the next line, or with the process.
        std::thread::spawn(move || {
            let mut line = String::new();
            let n_read = io::stdin().lock().read_line(&mut line).unwrap_or(0);
            let _ = sender.send(Some(line).filter(|_| n_read > 0));
        });
        loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(line) => return line.map(|line| line.trim().to_owned()),
                Err(RecvTimeoutError::Timeout) if !self.stop.is_cancelled() => {}
                Err(_) => return None,
            }
        }
    }
}

impl Person for Keyboard {
    fn answer_tool(&self, tool: &str, args: &str) -> Option<String> {
        let prompt =
            format!("The agent calls {tool} with\n{args}\nType its result (JSON or text; empty for none): ");
        self.line(&prompt).filter(|line| !line.is_empty())
    }
}

impl Holder for Keyboard {
    fn decide(&self, held: &HeldReport) -> HoldDecision {
        write(&mut io::stderr(), &described(held));
        loop {
            let typed = self.line("Send it? [y]es, [a]ll from now on, [s]how it, [n]o and stop: ");
            match typed.as_deref() {
                Some("y" | "yes") => return HoldDecision::Go,
                Some("a" | "all") => return HoldDecision::GoFreely,
                Some("s" | "show") => write(&mut io::stderr(), &format!("{}\n", held.request)),
                Some("n" | "no") | None => return HoldDecision::Stop,
                Some(_) => {}
            }
        }
    }
}

/// What is held, and why, in a few lines.
fn described(held: &HeldReport) -> String {
    let mut lines = vec![format!("Held: a call of {}. {}", held.agent, held.reasons.join(" "))];
    let cost = held.prompt_cost.map(|cost| format!(", ${cost:.4} if nothing is cached")).unwrap_or_default();
    lines.push(format!("  prompt  {} tokens{cost}", whole(held.prompt_tokens)));
    lines.push(match held.before {
        None => "  before  nothing: it is the first call of this agent here".to_owned(),
        Some(before) => {
            let shared = whole(before.shared_tokens);
            let all = whole(before.tokens);
            match before.differs_in {
                None => format!("  before  all {all} tokens of the call before stand at its beginning"),
                Some(place) => {
                    format!("  before  {shared} of {all} tokens of the call before, then its {place} differs")
                }
            }
        }
    });
    lines.join("\n") + "\n"
}
