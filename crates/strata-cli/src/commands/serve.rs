//! `strata serve`: the interface in a browser, or the agents of an app for their clients.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use strata_app::{Host, Options, Strata, default_database};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::serve_app::{AppArgs, serve_app};
use crate::serve::{Access, Token, listen, router, serve_until_asked};

/// Serves the interface to a browser on this computer, or the agents of an app to their clients
///
/// Prints the address to open. It holds a token made for this start: whoever knows the address can use this Strata, so
/// keep it to yourself. Stop with Ctrl-C.
///
/// Where FILE is the configuration of an app, its agents are served: over MCP (each a tool), A2A (1.0 and 0.3) and plain
/// HTTP, with one context behind the three. What they say and do is stored in sessions, as `strata run` stores it.
#[derive(Debug, Args)]
pub(crate) struct Serve {
    /// Sessions to open, in any known format; or the configuration of an app, to serve its agents
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Keep everything in this database instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// The port to listen on; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Open the address in the browser
    ///
    /// The browser gets it as an argument, which other people on this computer may see. Alone on it, that is fine.
    #[arg(long)]
    open: bool,
    #[command(flatten)]
    app: AppArgs,
}

impl Serve {
    pub(crate) fn run(self, runtime: &Handle) -> Result<ExitCode> {
        if let [file] = &self.files[..]
            && strata_app::served::is_app(file)
        {
            if self.open {
                bail!("--open shows the interface in a browser, and an app that is served has none.");
            }
            let file = file.clone();
            runtime.block_on(serve_app(file, self.database, self.port, self.app, runtime))?;
            return Ok(ExitCode::SUCCESS);
        }
        self.app.refuse_without_app()?;
        let database = self.database.map_or_else(default_database, Ok)?;
        let options = Options {
            host: Host::Browser,
            database: Some(database),
            open: self.files,
            runtime: runtime.clone(),
        };
        let strata = Strata::start(options)?;
        runtime.block_on(serve(strata, self.port, self.open))?;
        Ok(ExitCode::SUCCESS)
    }
}

async fn serve(strata: Arc<Strata>, port: u16, is_opened: bool) -> Result<()> {
    let listener = listen(port).await?;
    let address = listener.local_addr().context("The address of the web server is not known.")?;
    let token =
        Token::random().context("This computer gives no random numbers, so no safe token can be made.")?;
    let url = url(address, &token);
    announce(&url, is_opened)?;

    let stop = CancellationToken::new();
    let router = router(Arc::new(strata), Access::new(address, token), stop.clone());
    serve_until_asked(listener, router, stop).await.context("The web server ended. Start it again.")
}

fn url(address: SocketAddr, token: &Token) -> String {
    format!("http://{address}/#token={}", token.as_str())
}

/// The address alone on standard output, so that scripts can take it.
fn announce(url: &str, is_opened: bool) -> Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{url}").and_then(|()| out.flush()).context("The address could not be printed.")?;
    let mut progress = io::stderr().lock();
    if is_opened && let Err(error) = open::that_detached(url) {
        // Serving goes on: the address can be opened by hand.
        let _ = writeln!(progress, "No browser could be opened ({error}). Open the address above.");
    }
    let _ = writeln!(progress, "Serving on this computer only. Stop with Ctrl-C.");
    Ok(())
}
