//! Where an app says its tools are. The names are those of google-adk's own constructors where it has them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use strata_model::{Json, Object, json};

use crate::limits::Limits;

/// Where tools are.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolSource {
    Mcp(McpServer),
    Api(Api),
}

/// A server that speaks the Model Context Protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct McpServer {
    pub at: ServerAt,
    /// Names of the tools that are taken; all of them where it is absent.
    pub filter: Option<Vec<String>>,
    pub limits: Limits,
}

/// How a server is spoken with.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerAt {
    /// Through its standard input and output.
    Child(ChildServer),
    /// By streamable HTTP.
    Address { url: String, headers: Vec<(String, String)> },
}

/// A program that is started, and ends with the run.
#[derive(Debug, Clone, PartialEq)]
pub struct ChildServer {
    pub command: String,
    pub args: Vec<String>,
    /// What it finds in its environment, beside the few names that every program needs.
    pub env: Vec<(String, String)>,
    pub folder: PathBuf,
}

/// Operations of an HTTP interface.
#[derive(Debug, Clone, PartialEq)]
pub struct Api {
    /// The OpenAPI document.
    pub document: Json,
    /// Who may be asked: `host`, `host:port` or `http://host:port`.
    pub hosts: Vec<String>,
    /// Sent with every request.
    pub headers: Vec<(String, String)>,
    pub filter: Option<Vec<String>>,
    /// Arguments have the names of the document and not Python's.
    pub keeps_names: bool,
    pub limits: Limits,
}

/// Looks a name up in the environment.
type Variables<'v> = &'v dyn Fn(&str) -> Option<String>;

const MCP_FIELDS: [&str; 9] = [
    "type",
    "stdio_server_params",
    "stdio_connection_params",
    "sse_connection_params",
    "streamable_http_connection_params",
    "tool_filter",
    "tool_list_cache_ttl_seconds",
    "use_mcp_resources",
    "call_timeout",
];
const API_FIELDS: [&str; 10] = [
    "type",
    "spec_file",
    "spec_str",
    "spec_str_type",
    "spec_dict",
    "hosts",
    "headers",
    "tool_filter",
    "preserve_property_names",
    "call_timeout",
];

impl ToolSource {
    /// Reads what an app says. Files are looked for in `folder`, the app's own, and `${NAME}` in headers and the
    /// environment of a program stands for a variable of `variables`. The error is a sentence without its end.
    pub fn read(source: &Object, folder: &Path, variables: Variables<'_>) -> Result<Self, String> {
        let fields = Fields { object: source, place: "" };
        match fields.text("type")?.as_deref() {
            Some("mcp") => Ok(Self::Mcp(mcp(&fields, folder, variables)?)),
            Some("openapi") => Ok(Self::Api(api(&fields, folder, variables)?)),
            Some(other) => Err(format!("`type: {other}` is no source of tools; `mcp` and `openapi` are")),
            None => Err("the source has no `type`; `mcp` and `openapi` are sources of tools".to_owned()),
        }
    }

    /// What opening and calling it will do, for a person to read before it happens.
    pub fn deeds(&self) -> String {
        match self {
            Self::Mcp(McpServer { at: ServerAt::Child(child), .. }) => {
                let folder = child.folder.display();
                format!("starts the program `{}` in {folder}{}", child.line(), child.given())
            }
            Self::Mcp(McpServer { at: ServerAt::Address { url, .. }, .. }) => {
                format!("connects to {}", without_query(url))
            }
            Self::Api(api) => format!("may call {}", api.hosts.join(", ")),
        }
    }

    /// Who it is, in a few words.
    pub fn name(&self) -> String {
        match self {
            Self::Mcp(McpServer { at: ServerAt::Child(child), .. }) => {
                format!("The MCP server `{}`", child.line())
            }
            Self::Mcp(McpServer { at: ServerAt::Address { url, .. }, .. }) => {
                format!("The MCP server {}", without_query(url))
            }
            Self::Api(api) => format!("The interface of {}", api.hosts.join(", ")),
        }
    }

    /// What an app says of a source, as it may be kept: without what only the person's own file should hold.
    pub fn kept(source: &Object) -> Object {
        const SECRET: [&str; 2] = ["env", "headers"];
        let kept = source.iter().filter(|(key, _)| !SECRET.contains(&&***key));
        kept.map(|(key, value)| {
            let value = match (&**key, value) {
                // A description of an interface is what everybody reads.
                ("spec_dict", described) => described.clone(),
                ("url", Json::String(url)) => Json::from(without_query(url)),
                (_, Json::Object(inner)) => Self::kept(inner).into(),
                (_, other) => other.clone(),
            };
            (key.clone(), value)
        })
        .collect()
    }
}

impl ChildServer {
    /// What it is given, without the values: some of them are secret, and some names change what a program does.
    fn given(&self) -> String {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        if names.is_empty() { String::new() } else { format!(" with its own {}", names.join(", ")) }
    }

    /// The command as one would type it.
    pub fn line(&self) -> String {
        let words = std::iter::once(&self.command).chain(&self.args);
        let quoted = words.map(|word| {
            let is_plain = !word.is_empty() && !word.contains([' ', '"', '\'', '\n']);
            if is_plain { word.clone() } else { format!("'{}'", word.replace('\n', " ")) }
        });
        quoted.collect::<Vec<_>>().join(" ")
    }
}

fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

fn mcp(fields: &Fields<'_>, folder: &Path, variables: Variables<'_>) -> Result<McpServer, String> {
    fields.known(&MCP_FIELDS)?;
    if fields.object.get("sse_connection_params").is_some() {
        return Err(
            "`sse_connection_params` is HTTP with server-sent events, which MCP has given up; name the server's \
             address under `streamable_http_connection_params`"
                .to_owned(),
        );
    }
    if fields.flag("use_mcp_resources")? {
        return Err(
            "`use_mcp_resources` cannot be had: Strata takes tools of a server, and no resources".to_owned()
        );
    }
    let ways = ["stdio_server_params", "stdio_connection_params", "streamable_http_connection_params"];
    let given: Vec<_> = ways.into_iter().filter(|way| fields.object.get(way).is_some()).collect();
    let [way] = given[..] else {
        return Err(format!("exactly one of {} has to be set", ways.join(", ")));
    };
    let params = fields.below(way)?;
    let mut limits = Limits::default();
    let at = match way {
        "stdio_server_params" => ServerAt::Child(child(&params, folder, variables)?),
        "stdio_connection_params" => {
            params.known(&["server_params", "timeout"])?;
            limits.open = params.seconds("timeout")?.unwrap_or(limits.open);
            ServerAt::Child(child(&params.below("server_params")?, folder, variables)?)
        }
        _ => {
            params.known(&["url", "headers", "timeout", "sse_read_timeout", "terminate_on_close"])?;
            limits.open = params.seconds("timeout")?.unwrap_or(limits.open);
            limits.call = params.seconds("sse_read_timeout")?.unwrap_or(limits.call);
            let url = params.text("url")?.ok_or_else(|| params.missing("url"))?;
            if !url.starts_with("http://") && !url.starts_with("https://") {
                return Err(format!(
                    "`url: {url}` is no address of a server: it begins with neither http:// nor https://"
                ));
            }
            ServerAt::Address { url, headers: params.pairs("headers", variables)? }
        }
    };
    limits.call = fields.seconds("call_timeout")?.unwrap_or(limits.call);
    Ok(McpServer { at, filter: fields.texts("tool_filter")?, limits })
}

fn child(params: &Fields<'_>, folder: &Path, variables: Variables<'_>) -> Result<ChildServer, String> {
    params.known(&["command", "args", "env", "cwd", "encoding", "encoding_error_handler"])?;
    let command = params.text("command")?.filter(|command| !command.trim().is_empty());
    Ok(ChildServer {
        command: command.ok_or_else(|| params.missing("command"))?,
        args: params.texts("args")?.unwrap_or_default(),
        env: params.pairs("env", variables)?,
        folder: params.text("cwd")?.map_or_else(|| folder.to_owned(), |cwd| folder.join(cwd)),
    })
}

fn api(fields: &Fields<'_>, folder: &Path, variables: Variables<'_>) -> Result<Api, String> {
    fields.known(&API_FIELDS)?;
    let hosts = fields.texts("hosts")?.unwrap_or_default();
    if hosts.is_empty() {
        return Err("`hosts` lists nobody; name who may be called, as `hosts: [api.example.com]`".to_owned());
    }
    let mut limits = Limits::default();
    limits.call = fields.seconds("call_timeout")?.unwrap_or(limits.call);
    Ok(Api {
        document: document(fields, folder)?,
        hosts,
        headers: fields.pairs("headers", variables)?,
        filter: fields.texts("tool_filter")?,
        keeps_names: fields.flag("preserve_property_names")?,
        limits,
    })
}

fn document(fields: &Fields<'_>, folder: &Path) -> Result<Json, String> {
    if let Some(document) = fields.object.get("spec_dict").filter(|document| document.is_truthy()) {
        return Ok(document.clone());
    }
    let (text, place) = match (fields.text("spec_str")?, fields.text("spec_file")?) {
        (Some(text), _) => (text, "spec_str".to_owned()),
        (None, Some(file)) => {
            let path = folder.join(&file);
            let text = std::fs::read_to_string(&path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
            (text, file)
        }
        (None, None) => return Err("one of spec_file, spec_str, spec_dict has to be set".to_owned()),
    };
    let read = if text.trim_start().starts_with('{') {
        json::parse(text.as_bytes()).map_err(|error| error.to_string())
    } else {
        serde_saphyr::from_str(&text).map_err(|error| error.to_string())
    };
    let read: Json = read.map_err(|error| format!("{place} is neither JSON nor YAML: {error}"))?;
    if read.get("paths").and_then(Json::as_object).is_none() {
        return Err(format!("{place} is no OpenAPI document: it has no `paths`"));
    }
    Ok(read)
}

/// What a mapping says, with its place for errors.
struct Fields<'f> {
    object: &'f Object,
    place: &'f str,
}

impl<'f> Fields<'f> {
    fn known(&self, names: &[&str]) -> Result<(), String> {
        match self.object.keys().find(|key| !names.contains(&&***key)) {
            None => Ok(()),
            Some(key) => Err(format!("`{}` is not known here; {} are", self.at(key), names.join(", "))),
        }
    }

    fn at(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    fn missing(&self, key: &str) -> String {
        format!("`{}` is missing", self.at(key))
    }

    fn should(&self, key: &str, be: &str) -> String {
        format!("`{}` should be {be}", self.at(key))
    }

    fn below(&self, key: &'f str) -> Result<Fields<'f>, String> {
        match self.object.get(key) {
            Some(Json::Object(object)) => Ok(Fields { object, place: key }),
            Some(_) => Err(self.should(key, "a mapping")),
            None => Err(self.missing(key)),
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        match self.object.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.to_string())),
            Some(_) => Err(self.should(key, "a text")),
        }
    }

    fn flag(&self, key: &str) -> Result<bool, String> {
        match self.object.get(key) {
            None | Some(Json::Null) => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| self.should(key, "true or false")),
        }
    }

    fn texts(&self, key: &str) -> Result<Option<Vec<String>>, String> {
        let Some(value) = self.object.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let texts = value.as_array().and_then(|list| {
            list.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
        });
        texts.map(Some).ok_or_else(|| self.should(key, "a list of texts"))
    }

    fn seconds(&self, key: &str) -> Result<Option<Duration>, String> {
        let Some(value) = self.object.get(key).filter(|value| !value.is_null()) else { return Ok(None) };
        let seconds = value.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0);
        let seconds = seconds.ok_or_else(|| self.should(key, "a number of seconds, a day at most"))?;
        Ok(Some(Duration::from_secs_f64(seconds)))
    }

    fn pairs(&self, key: &str, variables: Variables<'_>) -> Result<Vec<(String, String)>, String> {
        let Some(value) = self.object.get(key).filter(|value| !value.is_null()) else {
            return Ok(Vec::new());
        };
        let object = value.as_object().ok_or_else(|| self.should(key, "a mapping of texts"))?;
        let pairs = object.iter().map(|(name, value)| {
            let text = value.as_str().ok_or_else(|| self.should(key, "a mapping of texts"))?;
            Ok((name.to_string(), filled(text, variables)?))
        });
        pairs.collect()
    }
}

/// A text with the variables that it names.
fn filled(text: &str, variables: Variables<'_>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, behind) =
            after.split_once('}').ok_or_else(|| format!("`${{` in `{before}${{…` is not closed"))?;
        let value = variables(name)
            .ok_or_else(|| format!("the environment has no {name}, which `${{{name}}}` stands for"))?;
        filled.push_str(before);
        filled.push_str(&value);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}
