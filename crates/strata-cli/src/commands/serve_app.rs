//! `strata serve APP`: the agents of an app for their clients.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::json;
use strata_app::report::{ModelChoice, RunLimits};
use strata_app::served::{ServeChoice, ServedApp, SystemClock};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use crate::serve::{Access, Token, listen, serve_until_asked};
use crate::served::{Callers, router};

/// How often contexts are looked through for those that are idle or whose time is up.
const CLEANING: Duration = Duration::from_mins(1);

/// What holds for apps alone.
#[derive(Debug, Args)]
pub(super) struct AppArgs {
    /// Of an app: who answers, as for `strata run`: `scripted:FILE`, `echo`, `live`, or an endpoint of `strata models`
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Of an app: a JavaScript file with its tools and nodes, as for `strata run`
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Of an app: somebody who has contexts of their own, with a token of their own; may be given several times
    #[arg(long = "principal", value_name = "NAME")]
    principals: Vec<String>,
    /// Of an app: print the addresses and tokens as a JSON document
    #[arg(long)]
    json: bool,
}

impl AppArgs {
    pub(super) fn refuse_without_app(&self) -> Result<()> {
        let given = [
            (self.model.is_some(), "--model"),
            (self.tools.is_some(), "--tools"),
            (!self.principals.is_empty(), "--principal"),
            (self.json, "--json"),
        ];
        match given.iter().find(|(is_given, _)| *is_given) {
            Some((_, name)) => {
                bail!("{name} is for serving an app. Name the file of its configuration, alone.")
            }
            None => Ok(()),
        }
    }
}

pub(super) async fn serve_app(
    file: PathBuf,
    database: Option<PathBuf>,
    port: u16,
    args: AppArgs,
    runtime: &Handle,
) -> Result<()> {
    let choice = ServeChoice {
        app: file,
        database,
        model: ModelChoice::named(args.model.as_deref().unwrap_or("live")),
        tools: args.tools,
        limits: RunLimits::default(),
    };
    let app = Arc::new(ServedApp::open(choice, Arc::new(SystemClock), runtime.clone())?);
    let listener = listen(port).await?;
    let address = listener.local_addr().context("The address of the server is not known.")?;
    let callers = Arc::new(Callers::named(&args.principals)?);
    announce(&app, address, &callers, args.json)?;

    let stop = CancellationToken::new();
    let unused =
        Token::random().context("This computer gives no random numbers, so no safe token can be made.")?;
    let router = router(app.clone(), address, Access::new(address, unused), callers, &stop);
    tokio::select! {
        ended = serve_until_asked(listener, router, stop) => ended.context("The server ended. Start it again."),
        () = clean(app) => Ok(()),
    }
}

/// Looks through the contexts, for as long as the server runs.
async fn clean(app: Arc<ServedApp>) {
    let mut ticks = tokio::time::interval(CLEANING);
    loop {
        ticks.tick().await;
        let app = app.clone();
        // What fails now is tried again, and whoever asks is told the truth either way: states are worked out, not read.
        let _ = spawn_blocking(move || app.clean()).await;
    }
}

/// Addresses and tokens on standard output, so that scripts can take them.
fn announce(app: &ServedApp, address: SocketAddr, callers: &Callers, is_json: bool) -> Result<()> {
    let url = format!("http://{address}");
    let mut out = io::stdout().lock();
    let written = if is_json {
        let principals: Vec<_> = callers
            .told()
            .map(|(principal, token)| json!({"principal": principal, "token": token}))
            .collect();
        let agents: Vec<&str> = app.agents().iter().map(|agent| agent.name.as_str()).collect();
        let document = json!({
            "version": 1,
            "app": app.name(),
            "agents": agents,
            "http": format!("{url}/run"),
            "mcp": format!("{url}/mcp"),
            "a2a": format!("{url}/a2a"),
            "card": format!("{url}/.well-known/agent-card.json"),
            "principals": principals,
        });
        writeln!(out, "{document}")
    } else {
        let tokens = callers.told().map(|(principal, token)| format!("{principal}  {token}\n"));
        write!(out, "http  {url}/run\nmcp   {url}/mcp\na2a   {url}/a2a\n{}", tokens.collect::<String>())
    };
    written.and_then(|()| out.flush()).context("The address could not be printed.")?;
    let _ = writeln!(
        io::stderr().lock(),
        "Serving {} on this computer only, to whoever shows a token of this start as `Authorization: Bearer TOKEN`. \
         Stop with Ctrl-C.",
        app.name()
    );
    for deed in app.deeds() {
        let _ = writeln!(io::stderr().lock(), "{deed} Each conversation has its own.");
    }
    Ok(())
}
