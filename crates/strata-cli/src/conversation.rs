//! A run on the terminal: what agents say on standard output, what they do on standard error, and who sits there.

use std::io::{self, Write as _};
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result};
use futures_util::future::BoxFuture;
use strata_app::report::{
    CaptureDecision, GateKeeper, HeldAtGate, HeldEdit, HeldReport, HoldDecision, HoldStep, Holder, Person,
    RunListener, RunNews,
};
use strata_app::{cut, whole};
use tokio_util::sync::CancellationToken;

use crate::terminal;

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
    let _ = terminal::write(out, text);
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
#[derive(Clone)]
pub(crate) struct Keyboard {
    /// Each ends the waiting for a line.
    stops: Vec<CancellationToken>,
    /// Lines as they are typed, once one was asked for.
    lines: Arc<OnceLock<Mutex<Receiver<String>>>>,
}

impl Keyboard {
    pub(crate) fn new(stop: CancellationToken) -> Self {
        Self { stops: vec![stop], lines: Arc::default() }
    }

    fn lines(&self) -> &Mutex<Receiver<String>> {
        self.lines.get_or_init(|| {
            let (sender, receiver) = channel();
            // Reading cannot be stopped; the thread ends with the input, or with the process.
            std::thread::spawn(move || {
                io::stdin().lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
            });
            Mutex::new(receiver)
        })
    }

    /// A line that is typed. `None` at the end of the input, or when it is stopped first.
    pub(crate) fn line(&self, prompt: &str) -> Option<String> {
        write(&mut io::stderr(), prompt);
        let lines = self.lines().lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match lines.recv_timeout(LOOK_EVERY) {
                Ok(line) => return Some(line.trim().to_owned()),
                Err(RecvTimeoutError::Timeout) if !self.stops.iter().any(CancellationToken::is_cancelled) => {
                }
                Err(_) => return None,
            }
        }
    }

    /// The same keyboard, asked no longer than until `gone` or its own end.
    fn until(&self, gone: &CancellationToken) -> Self {
        let stops = self.stops.iter().chain([gone]).cloned().collect();
        Self { stops, lines: self.lines.clone() }
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
    fn decide<'h>(&'h self, held: &'h HeldReport) -> BoxFuture<'h, HoldDecision> {
        let (keyboard, held) = (self.clone(), held.clone());
        Box::pin(async move {
            let asked = tokio::task::spawn_blocking(move || keyboard.ask(&held));
            asked.await.unwrap_or(HoldDecision::Stop)
        })
    }
}

impl Keyboard {
    fn ask(&self, held: &HeldReport) -> HoldDecision {
        write(&mut io::stderr(), &described(held));
        loop {
            let typed = self.line(
                "Send it? [y]es; yes and hold the next [c]all, [t]ool result, a[g]ent; [a]ll from now on; [s]how it; \
                 [e]dit it; [n]o and stop: ",
            );
            return match typed.as_deref() {
                Some("y" | "yes") => HoldDecision::Go,
                Some("c" | "call") => HoldDecision::Step(HoldStep::Call),
                Some("t" | "tool") => HoldDecision::Step(HoldStep::Result),
                Some("g" | "agent") => HoldDecision::Step(HoldStep::Agent),
                Some("a" | "all") => HoldDecision::GoFreely,
                Some("s" | "show") => {
                    write(&mut io::stderr(), &format!("{}\n", held.request_json()));
                    continue;
                }
                Some("e" | "edit") => match in_editor(&held.request_json()) {
                    Ok(Some(json)) => HoldDecision::Edit(vec![HeldEdit::Request { json }]),
                    Ok(None) => continue,
                    Err(error) => {
                        write(&mut io::stderr(), &format!("{error:#}\n"));
                        continue;
                    }
                },
                Some("n" | "no") | None => HoldDecision::Stop,
                Some(_) => continue,
            };
        }
    }
}

impl GateKeeper for Keyboard {
    fn decide(&self, held: &HeldAtGate, gone: &CancellationToken) -> (CaptureDecision, Option<String>) {
        let HeldAtGate { report, client, session, body, patience } = held;
        let of = session.as_ref().map_or_else(|| client.clone(), |session| format!("{client} {session}"));
        let wait = patience.as_secs();
        let told = format!("{}  client  {of}; sent by itself in {wait} s\n", described(report));
        write(&mut io::stderr(), &told);
        let keyboard = self.until(gone);
        let mut edited: Option<String> = None;
        loop {
            let typed = keyboard.line(
                "Send it? [y]es; yes and hold the next [c]all; [a]ll from now on; [s]how it; [e]dit it; [n]o: ",
            );
            let decision = match typed.as_deref() {
                Some("y" | "yes") => CaptureDecision::Go,
                Some("c" | "call") => CaptureDecision::Step,
                Some("a" | "all") => CaptureDecision::GoFreely,
                Some("n" | "no") => CaptureDecision::Refuse,
                Some("s" | "show") => {
                    write(&mut io::stderr(), &format!("{}\n", edited.as_ref().unwrap_or(body)));
                    continue;
                }
                Some("e" | "edit") => {
                    match in_editor(edited.as_ref().unwrap_or(body)) {
                        Ok(Some(json)) => edited = Some(json),
                        Ok(None) => {}
                        Err(error) => write(&mut io::stderr(), &format!("{error:#}\n")),
                    }
                    continue;
                }
                None if gone.is_cancelled() => {
                    write(&mut io::stderr(), "\nIt went out by itself, or its client left.\n");
                    CaptureDecision::Go
                }
                // Nobody is there to be asked.
                None => CaptureDecision::GoFreely,
                Some(_) => continue,
            };
            return (decision, edited);
        }
    }

    fn refused(&self, why: &str) {
        write(&mut io::stderr(), &format!("{why}\n"));
    }
}

/// A text as somebody leaves it in their editor. `None`: as it was.
fn in_editor(text: &str) -> Result<Option<String>> {
    let editor = ["VISUAL", "EDITOR"].iter().find_map(std::env::var_os);
    let editor = editor.context("Set $VISUAL or $EDITOR to the editor that should open.")?;
    let mut file = tempfile::Builder::new().prefix("request-").suffix(".json").tempfile()?;
    file.write_all(text.as_bytes()).context("The request could not be written for the editor.")?;
    // It may be named with options.
    let words = editor.to_string_lossy().into_owned();
    let mut words = words.split_whitespace();
    let program = words.next().context("$VISUAL or $EDITOR is empty.")?;
    let ended = Command::new(program).args(words).arg(file.path()).status();
    let ended = ended.with_context(|| format!("The editor {program} could not be started."))?;
    if !ended.success() {
        return Ok(None);
    }
    let edited = std::fs::read_to_string(file.path()).context("The edited request could not be read.")?;
    Ok(Some(edited).filter(|edited| edited != text))
}

/// What is held, and why, in a few lines.
fn described(held: &HeldReport) -> String {
    let mut lines = vec![format!("Held: a call of {}. {}", held.agent, held.reasons.join(" "))];
    let cost = held.prompt_cost.map(|cost| format!(", ${cost:.4} if nothing is cached")).unwrap_or_default();
    lines.push(format!("  prompt  {}{} tokens{cost}", held.basis.mark(), whole(held.prompt_tokens)));
    if let Some(refusal) = &held.refusal {
        lines.push(format!("  edit    not made: {refusal}"));
    } else if held.is_edited {
        lines.push("  edit    made; this is the edited request".to_owned());
    }
    lines.push(match held.before {
        None => "  before  nothing: it is the first call of this agent here".to_owned(),
        Some(before) => {
            let mark = held.basis.mark();
            let shared = format!("{mark}{}", whole(before.shared_tokens));
            let all = format!("{mark}{}", whole(before.tokens));
            match before.differs_in {
                None => format!("  before  all {all} tokens of the call before stand at its beginning"),
                Some("tools") => {
                    format!(
                        "  before  {shared} of {all} tokens of the call before, then its tools are others"
                    )
                }
                Some(place) => {
                    format!(
                        "  before  {shared} of {all} tokens of the call before, then its {place} is another"
                    )
                }
            }
        }
    });
    lines.join("\n") + "\n"
}
