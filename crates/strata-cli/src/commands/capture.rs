//! `strata capture`: what clients send to their models.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use clap::{Args, ValueEnum};
use strata_app::api::app::SessionBudget;
use strata_app::report::{
    self, AttachChoice, CaptureChoice, CaptureUpdate, Catch, GateKeeper, HoldCondition,
};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::conversation::Keyboard;
use crate::interrupt::interrupted;
use crate::{output, text};

/// Catches what a client sends to its model, while it works
///
/// Listens on this computer only, passes everything on as it came, and keeps a copy without keys. The sessions in it grow in the
/// store while the client works: a window that is open shows them.
///
/// With `--otlp`, clients send telemetry here, too: what was sent and answered as they tell it themselves, also with subscriptions
/// and clients that no address reaches. With `--otlp=alone` their requests go where they always go.
///
/// With `--adk`, asks a server of ADK (`adk web`, `adk api_server`) for its sessions and traces, each second, until Ctrl-C.
///
/// With a client behind `--`, starts it pointed here, by its environment and arguments alone: nothing on disk is changed. Ends
/// when the client does, with its exit code. Without one, prints how clients are pointed here, and a line for each request,
/// until Ctrl-C.
#[derive(Debug, Args)]
pub(crate) struct Capture {
    /// The client to start, with its arguments
    #[arg(last = true, value_name = "CLIENT")]
    client: Vec<OsString>,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// A provider besides the known ones, or one at another address, such as `openai=http://127.0.0.1:8080`. Paths that begin with
    /// its name go there
    #[arg(long = "upstream", value_name = "NAME=URL")]
    upstreams: Vec<String>,
    /// Take telemetry (OTLP), beside requests or alone
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "beside"
    )]
    otlp: Option<Otlp>,
    /// Ask the server of ADK at this address, such as http://127.0.0.1:8000
    #[arg(long, value_name = "URL", conflicts_with_all = ["client", "port", "upstreams", "log", "otlp"])]
    adk: Option<String>,
    /// Whose sessions to ask it for: it does not list its users
    #[arg(long = "adk-user", value_name = "NAME", requires = "adk", default_value = "user")]
    adk_users: Vec<String>,
    /// A server on another computer may be asked, by this name
    #[arg(long = "adk-host", value_name = "HOST", requires = "adk")]
    adk_hosts: Vec<String>,
    /// For a client that no address reaches: be a forward proxy, too, with certificates of an authority that only the client
    /// is told to trust. Hosts of providers are read; all others are passed through unread, and named
    #[arg(long, conflicts_with_all = ["adk", "otlp"])]
    proxy: bool,
    /// Take away the authority of the forward proxy, and do nothing else
    #[arg(long, conflicts_with_all = ["client", "adk", "otlp", "proxy", "hold", "log", "json", "port", "upstreams"])]
    forget_authority: bool,
    /// Hold a request before it is sent, print what it would be, and ask: always, agent=NAME, tokens=N, cost=DOLLARS,
    /// break (its prefix no longer continues the call before), result=N (tokens of a tool's result). It can be edited then,
    /// in $VISUAL or $EDITOR. Start the client in another terminal, by a line that is printed
    #[arg(long, value_name = "CONDITION", conflicts_with_all = ["client", "adk"])]
    hold: Vec<HoldCondition>,
    /// Say so when a session has cost more than this
    #[arg(long, value_name = "DOLLARS", value_parser = amount, conflicts_with = "adk")]
    budget: Option<f64>,
    /// Say so when prompts and answers of a session come to more tokens than this
    #[arg(long, value_name = "TOKENS", value_parser = amount, conflicts_with = "adk")]
    budget_tokens: Option<f64>,
    /// Write what is caught to this file, which must not be there yet, instead of one beside the store
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document at the end; without a client, one more for each request, on a line of its own
    #[arg(long)]
    json: bool,
}

/// How telemetry is taken.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Otlp {
    /// Beside requests
    Beside,
    /// In the place of requests
    Alone,
}

/// 0 or more.
fn amount(text: &str) -> Result<f64, String> {
    let amount =
        text.trim_start_matches('$').parse().ok().filter(|amount: &f64| amount.is_finite() && *amount >= 0.0);
    amount.ok_or_else(|| format!("`{text}` is no amount: a number of 0 or more is"))
}

impl Capture {
    pub(crate) fn run(self, runtime: &Handle) -> Result<ExitCode> {
        if let Some(url) = self.adk {
            let choice =
                AttachChoice { url, hosts: self.adk_hosts, users: self.adk_users, database: self.database };
            return attach(&choice, self.json, runtime);
        }
        if self.forget_authority {
            let was_there = report::forget_authority(self.database.as_deref())?;
            output::note(if was_there {
                "The authority of the forward proxy is gone. The next `strata capture --proxy` makes a new one."
            } else {
                "There was no authority of a forward proxy."
            });
            return Ok(ExitCode::SUCCESS);
        }
        let has_client = !self.client.is_empty();
        // A client has the terminal: Ctrl-C is for it.
        let stop = if has_client { left_to_the_client(runtime) } else { interrupted(runtime) };
        let is_json = self.json;
        let choice = CaptureChoice {
            port: self.port,
            upstreams: self.upstreams,
            log: self.log,
            database: self.database,
            client: self.client,
            budget: SessionBudget { usd: self.budget, tokens: self.budget_tokens },
            proxy: self.proxy,
            holds: (!self.hold.is_empty())
                .then(|| (self.hold, Arc::new(Keyboard::new(stop.clone())) as Arc<dyn GateKeeper>)),
            catch: match self.otlp {
                None => Catch::Requests,
                Some(Otlp::Beside) => Catch::Both,
                Some(Otlp::Alone) => Catch::Telemetry,
            },
        };
        let report = report::capture(&choice, &stop, runtime, |update| match update {
            CaptureUpdate::Listening { client: Some((name, about)), .. } => {
                output::note(&format!("{name} is started pointed at Strata. {about}"));
            }
            CaptureUpdate::Listening { base, recipes, upstreams, .. } => {
                output::note(&text::listening(base, &recipes, &upstreams));
            }
            CaptureUpdate::Finished(exchange) => {
                // With nobody to read, the log still grows.
                let _ = output::line(is_json, &exchange, |style| text::exchange(&exchange, style));
            }
            CaptureUpdate::Received(batch) if !has_client => {
                let _ = output::line(is_json, &batch, |_| text::telemetry(&batch));
            }
            CaptureUpdate::Received(_) => {}
            CaptureUpdate::Budget(word) => output::note(&word.text),
        })?;
        if is_json {
            output::print(true, &report, &[], |_| String::new())?;
        } else if has_client {
            // The client's own output stays alone on standard output.
            output::diagnostics(&report.diagnostics);
            output::note(&text::captured(&report, text::Style::of(false)));
        } else {
            output::print(false, &report, &report.diagnostics, |style| text::captured(&report, style))?;
        }
        Ok(report.client.map_or(ExitCode::SUCCESS, |client| ExitCode::from(client.exit_code)))
    }
}

fn attach(choice: &AttachChoice, is_json: bool, runtime: &Handle) -> Result<ExitCode> {
    let stop = interrupted(runtime);
    output::note(&format!("Asking {} for its sessions, each second. Ctrl-C ends it.", choice.url));
    let report = report::attach(choice, &stop, runtime, |update| output::note(&text::attached(&update)))?;
    output::print(is_json, &report, &report.diagnostics, |style| text::attached_in_all(&report, style))?;
    Ok(ExitCode::SUCCESS)
}

/// Takes Ctrl-C and does nothing about it: the client decides, and when it ends, so does this.
fn left_to_the_client(runtime: &Handle) -> CancellationToken {
    runtime.spawn(async { while tokio::signal::ctrl_c().await.is_ok() {} });
    CancellationToken::new()
}
