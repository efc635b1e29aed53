//! `strata models`: who can be asked, and setting them up.

use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use strata_app::report::{self, Api, EndpointChange, Header, KeptKey};
use tokio::runtime::Handle;

use crate::{output, text};

/// Lists the models that can be asked: of the environment, of providers with a key, set up by hand, and of servers on
/// this computer; sets servers up
#[derive(Debug, Args)]
pub(crate) struct Models {
    #[command(subcommand)]
    act: Option<Act>,
    /// The store whose endpoints are meant; without it, the one of the data folder
    #[arg(long = "db", value_name = "FILE", global = true)]
    database: Option<PathBuf>,
    /// Models that are shown of each; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 12)]
    limit: usize,
    /// Print a JSON document
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Sets an endpoint up, or changes the one of this name
    Add(Box<Add>),
    /// Asks an endpoint for one word
    Test {
        name: String,
        /// The model to ask in place of its own
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// Takes an endpoint that was set up off the list, with its key
    Remove { name: String },
    /// Keeps an endpoint's key, read from standard input, in the key store of the operating system
    SetKey {
        name: String,
        /// Forgets the key instead
        #[arg(long)]
        forget: bool,
    },
}

#[derive(Debug, Args)]
struct Add {
    name: String,
    /// Its address, as in http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The form in which it takes requests
    #[arg(long, value_enum)]
    kind: Option<ApiKind>,
    /// The model to ask where nobody says another; empty: the first it lists
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// The environment variable that holds its key
    #[arg(long, value_name = "NAME")]
    key_variable: Option<String>,
    /// The longest prompt with its answer, in tokens; a longer one is not sent
    #[arg(long, value_name = "TOKENS")]
    context: Option<u32>,
    /// How long an answer may take to begin
    #[arg(long, value_name = "SECONDS")]
    first_byte: Option<u32>,
    /// The cache rule by which what it finds again is predicted; empty: as it tells
    #[arg(long, value_name = "RULE")]
    cache_rule: Option<String>,
    /// Prompts that it holds side by side, where its rule goes by slots
    #[arg(long, value_name = "SLOTS")]
    slots: Option<u32>,
    /// Whether it is asked how many tokens a prompt has before that is sent
    #[arg(long, value_name = "true|false")]
    counts: Option<bool>,
    /// Sent with every request, as in "X-Team: tools"; keys have no place here
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ApiKind {
    /// OpenAI's chat completions, and all who do as they do
    Chat,
    Responses,
    Gemini,
    Anthropic,
}

impl From<ApiKind> for Api {
    fn from(kind: ApiKind) -> Self {
        match kind {
            ApiKind::Chat => Self::ChatCompletions,
            ApiKind::Responses => Self::Responses,
            ApiKind::Gemini => Self::Gemini,
            ApiKind::Anthropic => Self::Anthropic,
        }
    }
}

impl Models {
    pub(crate) fn run(self, runtime: &Handle) -> Result<ExitCode> {
        let database = self.database.as_deref();
        match self.act {
            None => {
                let report = report::models(database, runtime)?;
                output::print(self.json, &report, &[], |style| text::models(&report, self.limit, style))?;
            }
            Some(Act::Add(add)) => {
                let name = add.name.clone();
                let saved = report::save_model(database, &name, add.change()?)?;
                let line = format!("{name} is set up at {}.\n", saved.endpoint.base_url);
                output::print(self.json, &saved, &[], |_| line)?;
            }
            Some(Act::Test { name, model }) => {
                let tested = report::try_model(database, &name, model.as_deref(), runtime)?;
                output::print(self.json, &tested, &[], |_| format!("{}\n", tested.message))?;
                return Ok(if tested.is_ok { ExitCode::SUCCESS } else { ExitCode::FAILURE });
            }
            Some(Act::Remove { name }) => {
                report::forget_model(database, &name)?;
                output::note(&format!("{name} is forgotten, with its key."));
            }
            Some(Act::SetKey { name, forget }) => {
                let key = if forget { String::new() } else { read_key(&name)? };
                match report::set_model_key(database, &name, &key)? {
                    KeptKey::Kept => output::note(&format!("The key of {name} is in the key store.")),
                    KeptKey::Forgotten => output::note(&format!("The key of {name} is forgotten.")),
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Add {
    fn change(self) -> Result<EndpointChange> {
        let headers = self.headers.iter().map(|header| {
            let (name, value) = header
                .split_once(':')
                .with_context(|| format!("`{header}` is no header. Write it as NAME: VALUE."))?;
            Ok(Header { name: name.trim().to_owned(), value: value.trim().to_owned() })
        });
        Ok(EndpointChange {
            headers: headers.collect::<Result<_>>()?,
            address: self.url,
            api: self.kind.map(Api::from),
            model: self.model,
            key_variable: self.key_variable,
            context_tokens: self.context,
            first_byte_s: self.first_byte,
            cache_rule: self.cache_rule,
            slots: self.slots,
            counts_tokens: self.counts,
        })
    }
}

/// Arguments are seen by everybody on this computer, so a key is no argument.
fn read_key(name: &str) -> Result<String> {
    if std::io::stdin().is_terminal() {
        output::note(&format!(
            "Type the key of {name}, then Enter and Ctrl-D. It is shown while it is typed."
        ));
    }
    let mut key = String::new();
    std::io::stdin().read_to_string(&mut key).context("The key could not be read.")?;
    if key.trim().is_empty() {
        bail!("No key came on standard input. Nothing was changed; --forget forgets the kept one.");
    }
    Ok(key)
}
