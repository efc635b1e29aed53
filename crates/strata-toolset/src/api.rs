//! Operations of an HTTP interface, as google-adk's `OpenAPIToolset` reads and calls them.

mod document;
mod events;
mod hosts;
mod names;
mod operation;
mod request;
mod schema;

use std::collections::BTreeMap;

use reqwest::Response;
use strata_model::{Json, Object, json};

use crate::limits::{MAX_MESSAGE, MAX_TOOLS};
use crate::source::Api;
use crate::web::{Web, causes};
use hosts::Host;
use operation::Operation;
use request::{Body, Prepared};

/// An interface that is open: nothing was sent yet.
#[derive(Debug)]
pub(crate) struct Interface {
    source: Api,
    hosts: Vec<Host>,
    operations: BTreeMap<String, Operation>,
    web: Web,
}

impl Interface {
    /// Reads the document, and gives its operations, described for a model.
    pub(crate) fn open(source: Api) -> Result<(Self, Vec<Object>), String> {
        let hosts = source.hosts.iter().map(|host| Host::read(host)).collect::<Result<Vec<_>, _>>()?;
        request::headers(&source.headers)?;
        let resolved = document::prepared(&source.document)?;
        let operations = operation::operations(&resolved, source.keeps_names)?;
        let is_chosen = |operation: &Operation| {
            let names = source.filter.as_ref().filter(|names| !names.is_empty());
            names.is_none_or(|names| names.contains(&operation.name))
        };
        let chosen: Vec<Operation> = operations.into_iter().filter(is_chosen).take(MAX_TOOLS).collect();
        for operation in &chosen {
            let url = operation.base()?;
            if !hosts.iter().any(|host| host.is_of(&url)) {
                let asked = url.host_str().unwrap_or_default().to_owned();
                let asked = url.port().map_or(asked.clone(), |port| format!("{asked}:{port}"));
                return Err(format!(
                    "its document says that it is at {asked}, which `hosts` does not list; add it if that is who you \
                     mean to call"
                ));
            }
        }
        let declarations = chosen.iter().map(Operation::declaration).collect();
        let operations = chosen.into_iter().map(|operation| (operation.name.clone(), operation)).collect();
        Ok((Self { source, hosts, operations, web: Web::new()? }, declarations))
    }

    /// What an operation answers, or what went wrong in google-adk's own words.
    pub(crate) async fn call(&self, tool: &str, args: &Object) -> Result<Json, String> {
        let operation = self.operations.get(tool).ok_or_else(|| format!("The interface has no {tool}."))?;
        self.asked(operation, args).await.map_err(|problem| failed(tool, &problem))
    }

    async fn asked(&self, operation: &Operation, args: &Object) -> Result<Json, String> {
        let prepared = request::prepare(operation, args)?;
        // A value of a model's cannot lead elsewhere, since it is one segment of a path. This is the last look.
        if !self.hosts.iter().any(|host| host.is_of(&prepared.url)) {
            return Err(format!(
                "{} is no host that the app lists.",
                prepared.url.host_str().unwrap_or_default()
            ));
        }
        let sent = tokio::time::timeout(self.source.limits.call, self.exchange(operation, prepared)).await;
        sent.unwrap_or_else(|_| {
            Err(format!("Request timed out (after {} s).", self.source.limits.call.as_secs_f64()))
        })
    }

    async fn exchange(&self, operation: &Operation, prepared: Prepared) -> Result<Json, String> {
        let Prepared { method, url, headers, cookies, body } = prepared;
        let mut builder = self.web.client(&url).request(method, url).headers(headers);
        builder = builder.header(reqwest::header::USER_AGENT, format!("strata (tool: {})", operation.name));
        if !cookies.is_empty() {
            builder = builder.header(reqwest::header::COOKIE, cookies);
        }
        builder = match body {
            Body::None => builder,
            Body::Text(text) => builder.body(text),
        };
        // Last, so that neither a model nor the document says who the person is.
        builder = builder.headers(request::headers(&self.source.headers)?);
        let response = builder.send().await.map_err(|error| format!("{}.", causes(&error.without_url())))?;
        let status = response.status();
        let is_stream = events::is_stream(response.headers());
        let text = text(response).await?;
        if !status.is_success() {
            return Err(format!("Status Code: {}, {text}", status.as_u16()));
        }
        if is_stream {
            return Ok(events::read(&text));
        }
        Ok(json::parse(text.as_bytes()).unwrap_or_else(|_| Object::from_iter([("text", text)]).into()))
    }
}

/// The text of an answer, unless it is longer than a tool's answer may be.
async fn text(mut response: Response) -> Result<String, String> {
    let mut bytes = Vec::new();
    while let Some(piece) = response.chunk().await.map_err(|error| {
        format!("The answer broke off after {} bytes: {}.", bytes.len(), causes(&error.without_url()))
    })? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > MAX_MESSAGE {
            return Err(format!(
                "The answer is longer than {} MB. Ask for less, or page by page.",
                MAX_MESSAGE >> 20
            ));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn failed(tool: &str, problem: &str) -> String {
    format!(
        "Tool {tool} execution failed. Analyze this execution error and your inputs. Retry with adjustments if \
         applicable. But make sure don't retry more than 3 times. Execution Error: {problem}"
    )
}
