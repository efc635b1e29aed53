//! `strata run`: agents that run in a session of the store.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use clap::Args;
use strata_app::report::{
    self, FromCall, HoldCondition, Holder, ModelChoice, Person, RunChoice, RunCompany, RunLimits,
    messages_in, named_state, named_values,
};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::compile::call_number;
use crate::conversation::{Conversation, Keyboard};
use crate::interrupt::{STOPPED, interrupted};
use crate::output;
use crate::progress::Progress;
use crate::text::{self, Style};

/// Runs the agents of an app, in a session that is stored as it grows
///
/// Each MESSAGE is a turn of the conversation; without any, they are read from standard input: all of it as one message,
/// or line by line where somebody types. Every event is stored at once, with the request it answers: a run that is
/// stopped or killed goes on with `--session`.
///
/// Tools are answered by functions of `--tools` (JavaScript in a sandbox, without files or network), else by the MCP
/// servers and HTTP interfaces that the app's file names, else by the session of `--recorded`, else by whoever is at the
/// terminal; a tool that nobody answers is an error that the agent reads. What is started or reached for tools is said
/// first, and ends with the run. Files that agents save, and what they remember, are in the store (`strata artifacts`,
/// `strata memory`); state of `user:` and `app:` stays in its session.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The app: google-adk's agent configuration (YAML) or Strata's (JSON or YAML). It may be left out with `--from`, for
    /// the session's own
    #[arg(required_unless_present = "from")]
    app: Option<PathBuf>,
    /// What the user says, a turn each
    #[arg(conflicts_with = "turns")]
    message: Vec<String>,
    /// Runs a session of google-adk or of Strata again from one of its calls, in a new session: what was before is as it
    /// was, without a model, and tools answer as recorded while they are called the same. A file, or a session or an
    /// experiment of the store
    #[arg(long, value_name = "SESSION", requires = "call", conflicts_with_all = ["session", "recorded", "resume", "answer"])]
    from: Option<String>,
    /// The call of `--from` that is the first a model answers, such as C12
    #[arg(long, value_name = "CALL", requires = "from", value_parser = call_number)]
    call: Option<u32>,
    /// A file of edits that are laid over the session of `--from`: its app, its processors and its events as they leave
    /// them
    #[arg(long, value_name = "FILE", requires = "from")]
    edit: Vec<PathBuf>,
    /// Says what the user said in later turns of `--from`, too
    #[arg(long, requires = "from")]
    follow: bool,
    /// A file with what the user says: a JSON or YAML list of texts, or a turn a line
    #[arg(long, value_name = "FILE")]
    turns: Option<PathBuf>,
    /// Who answers: `scripted:FILE` (answers of a file, in order), `echo` (the last words of each request), `live`, or the
    /// name of an endpoint of `strata models`, with /MODEL behind it for another model than the agents name
    #[arg(long, value_name = "MODEL", default_value = "live")]
    model: String,
    /// A JavaScript file with the app's tools and nodes: `export function NAME(args, context) { … }`, with
    /// `context.state` and `context.artifacts` to read and write
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// A session whose tools answer again, by name and arguments: a file, or one of the store
    #[arg(long, value_name = "SESSION")]
    recorded: Option<String>,
    /// A session of the store to go on with
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Goes on with what was interrupted last in the session, before messages; only for apps that are resumable
    #[arg(long, requires = "session")]
    resume: bool,
    /// The answer to a call that waits for one, as ID=JSON or ID=TEXT; it goes before messages
    #[arg(long, value_name = "ID=JSON", requires = "session")]
    answer: Vec<String>,
    /// State that comes with the first message, as KEY=JSON
    #[arg(long, value_name = "KEY=JSON")]
    state: Vec<String>,
    /// Whose session a new one is
    #[arg(long, value_name = "ID", default_value = "user")]
    user: String,
    /// The most calls of models in one turn; 0 for any number
    #[arg(long, value_name = "CALLS", default_value_t = RunLimits::CALLS)]
    max_calls: u32,
    /// The most tokens of prompts and answers; 0 for any number
    #[arg(long, value_name = "TOKENS", default_value_t = RunLimits::TOKENS)]
    max_tokens: u64,
    /// The most US dollars, as far as the models have a known price; 0 for any amount
    #[arg(long, value_name = "DOLLARS", default_value_t = RunLimits::DOLLARS, value_parser = dollars)]
    max_cost: f64,
    /// Holds a call before it is sent, prints what it would be, and asks: always, agent=NAME, tokens=N, cost=DOLLARS,
    /// break (its prefix no longer continues the agent's call before), result=N (tokens of a tool's result). It can be
    /// edited then, in $VISUAL or $EDITOR
    #[arg(long, value_name = "CONDITION")]
    hold: Vec<HoldCondition>,
    /// Adds the session to what agents of the app remember when it ends
    #[arg(long)]
    remember: bool,
    /// The store, in place of the one in the data folder
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(crate) fn run(self, runtime: &Handle) -> Result<ExitCode> {
        let stop = interrupted(runtime);
        let is_typed = io::stdin().is_terminal();
        let keyboard = Arc::new(Keyboard::new(stop.clone()));
        let mut messages = self.messages(is_typed)?;
        let is_asked = messages.is_none();
        let choice = self.choice()?;
        let goes_on = !choice.answers.is_empty() || choice.resumes;
        let conversation = Arc::new(Conversation::new(!self.json));
        let mut next_message = || match &mut messages {
            Some(messages) => messages.pop_front(),
            None if goes_on => None,
            None => keyboard.line("> "),
        };
        let progress = Progress::until(stop.clone());
        let mut company = RunCompany {
            listener: conversation.clone(),
            person: is_typed.then(|| keyboard.clone() as Arc<dyn Person>),
            holder: (!choice.holds.is_empty()).then(|| keyboard.clone() as Arc<dyn Holder>),
            next_message: &mut next_message,
        };
        let report = report::run(&choice, &mut company, &progress, runtime)?;
        drop(progress);
        conversation.end();
        if self.json {
            output::print(true, &report, &[], |_| String::new())?;
        } else {
            output::diagnostics(&report.diagnostics);
            output::note(&text::run(&report, Style::of(io::stderr().is_terminal())));
        }
        Ok(exit_code(&report, &stop, is_asked))
    }

    /// What the user says. `None`: somebody types it.
    fn messages(&self, is_typed: bool) -> Result<Option<VecDeque<String>>> {
        if let Some(path) = &self.turns {
            let text = std::fs::read_to_string(path);
            let text = text.with_context(|| format!("The turns in {} could not be read.", path.display()))?;
            return Ok(Some(messages_in(&text).into()));
        }
        if !self.message.is_empty() {
            return Ok(Some(self.message.clone().into()));
        }
        // Whoever goes on has to say nothing, and what is typed then decides about the calls that are held.
        let is_held_again = self.resume && !self.hold.is_empty();
        if self.from.is_some() || is_held_again {
            return Ok(Some(VecDeque::new()));
        }
        if is_typed {
            return Ok(None);
        }
        let mut text = String::new();
        io::stdin().read_to_string(&mut text).context("Standard input could not be read.")?;
        let text = text.trim();
        Ok(Some(if text.is_empty() { VecDeque::new() } else { [text.to_owned()].into() }))
    }

    fn choice(&self) -> Result<RunChoice> {
        Ok(RunChoice {
            app: self.app.clone(),
            from: self.from.clone().zip(self.call).map(|(session, call)| FromCall {
                session,
                call,
                edits: self.edit.clone(),
                follows: self.follow,
            }),
            database: self.db.clone(),
            session: self.session.clone(),
            resumes: self.resume,
            user: self.user.clone(),
            model: ModelChoice::named(&self.model),
            tools: self.tools.clone(),
            recorded: self.recorded.clone(),
            state: named_state(&self.state)?,
            answers: named_values(&self.answer)?,
            limits: RunLimits::up_to(self.max_calls, self.max_tokens, self.max_cost),
            holds: self.hold.clone(),
            remembers: self.remember,
            is_streaming: !self.json,
            tells_requests: self.json,
        })
    }
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    amount.ok_or_else(|| format!("`{text}` is no amount of US dollars: a number of 0 or more is"))
}

fn exit_code(report: &report::RunReport, stop: &CancellationToken, is_asked: bool) -> ExitCode {
    // Ctrl-C is how somebody who types leaves; it stops nothing that had ended.
    if report.stopped || (stop.is_cancelled() && !is_asked) {
        return ExitCode::from(STOPPED);
    }
    if report.error.is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
