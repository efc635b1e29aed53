//! An operation of an interface: what a model is told of it, and what its arguments are in a request.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Url;
use strata_model::{Json, Object};

use super::names::{argument, snake_case};
use super::schema::ordered;

/// The order in which the operations of a path are taken.
const METHODS: [&str; 8] = ["get", "post", "put", "delete", "patch", "head", "options", "trace"];

/// Letters of a tool's name.
const MAX_NAME: usize = 60;

/// Something that can be asked of an interface.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Operation {
    pub name: String,
    description: String,
    id: String,
    pub method: &'static str,
    base: String,
    pub path: String,
    pub params: Vec<Param>,
    /// The kind of body that is sent, with the type of its schema.
    pub body: Option<(String, Option<String>)>,
}

/// An argument, and what it is in the request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Param {
    /// As the model names it.
    pub argument: String,
    /// As the interface names it.
    pub name: String,
    pub place: Place,
    schema: Json,
    pub is_required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Path,
    Query,
    Header,
    Cookie,
    Body,
}

impl Param {
    fn new(name: &str, place: Place, schema: Json, is_required: bool, keeps_names: bool) -> Self {
        let spelled = if keeps_names { argument(name) } else { argument(&snake_case(name)) };
        let argument = if spelled.is_empty() { place.default_name().to_owned() } else { spelled };
        Self { argument, name: name.to_owned(), place, schema, is_required }
    }

    /// What is sent where a model leaves a required argument out.
    pub(super) fn default(&self) -> Option<&Json> {
        self.schema.get("default").filter(|value| self.is_required && !value.is_null())
    }
}

impl Place {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "path" => Self::Path,
            "query" => Self::Query,
            "header" => Self::Header,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }

    fn default_name(self) -> &'static str {
        match self {
            Self::Path => "path_param",
            Self::Query => "query_param",
            Self::Header => "header_param",
            Self::Cookie => "cookie_param",
            Self::Body => "body",
        }
    }
}

impl Operation {
    /// As google-adk describes it to a model.
    pub(super) fn declaration(&self) -> Object {
        let properties: Object =
            self.params.iter().map(|param| (param.argument.as_str(), param.schema.clone())).collect();
        let required = self.params.iter().filter(|param| param.is_required);
        let mut schema = Object::new();
        schema.push("properties", properties);
        schema
            .push("required", required.map(|param| Json::from(param.argument.as_str())).collect::<Vec<_>>());
        schema.push("title", format!("{}_Arguments", self.id));
        schema.push("type", "object");
        let mut declaration = Object::new();
        declaration.push("description", self.description.as_str());
        declaration.push("name", self.name.as_str());
        declaration.push("parametersJsonSchema", schema);
        declaration
    }

    /// The address that all paths of the interface are below.
    pub(super) fn base(&self) -> Result<Url, String> {
        let url = Url::parse(&self.base);
        url.map_err(|_| {
            format!("its document gives no whole address of a server (`servers: [{{url: {}}}]`)", self.base)
        })
    }

    pub(super) fn base_text(&self) -> &str {
        self.base.strip_suffix('/').unwrap_or(&self.base)
    }
}

/// The operations of a document, by path and method. The document has no references left.
pub(super) fn operations(document: &Json, keeps_names: bool) -> Result<Vec<Operation>, String> {
    let server = document.get("servers").and_then(Json::as_array).and_then(<[Json]>::first);
    let base = server.and_then(|server| server.get("url")).and_then(Json::as_str).unwrap_or_default();
    let paths = document.get("paths").and_then(Json::as_object).ok_or("its document has no `paths`")?;
    let mut all = Vec::new();
    for (path, item) in paths.iter() {
        for method in METHODS {
            if let Some(operation) = item.get(method).filter(|operation| operation.as_object().is_some()) {
                let shared = item.get("parameters").and_then(Json::as_array).unwrap_or_default();
                let place = format!("{} {path}", method.to_uppercase());
                let read = read((path, method, base), operation, shared, keeps_names);
                all.push(
                    read.map_err(|problem| format!("{place} of its document cannot be read: {problem}"))?,
                );
            }
        }
    }
    distinct(&mut all);
    Ok(all)
}

fn read(
    (path, method, base): (&str, &'static str, &str),
    operation: &Json,
    shared: &[Json],
    keeps_names: bool,
) -> Result<Operation, String> {
    let text = |key: &str| operation.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let id = operation
        .get("operationId")
        .and_then(Json::as_str)
        .map_or_else(|| snake_case(&format!("{path}_{method}")), str::to_owned);
    if id.is_empty() {
        return Err("it has no `operationId`".to_owned());
    }
    let cut: String = snake_case(&id).chars().take(MAX_NAME).collect();
    let own = operation.get("parameters").and_then(Json::as_array).unwrap_or_default();
    let key = |param: &Json| {
        let of = |key: &str| param.get(key).and_then(Json::as_str).map(str::to_owned);
        of("name").map(|name| (name, of("in")))
    };
    let overridden: BTreeSet<_> = own.iter().filter_map(key).collect();
    let inherited = shared.iter().filter(|param| key(param).is_none_or(|key| !overridden.contains(&key)));
    let mut params = Vec::new();
    for param in own.iter().chain(inherited) {
        params.extend(parameter(param, keeps_names)?);
    }
    let body = body(operation, &mut params, keeps_names)?;
    numbered(&mut params);
    Ok(Operation {
        name: snake_case(&cut),
        description: text("description").or_else(|| text("summary")).unwrap_or_default().to_owned(),
        id,
        method,
        base: base.to_owned(),
        path: path.to_owned(),
        params,
        body,
    })
}

/// A reference that leads nowhere is no parameter, and takes no operation with it.
fn parameter(param: &Json, keeps_names: bool) -> Result<Option<Param>, String> {
    let (Some(name), Some(place)) = (
        param.get("name").and_then(Json::as_str),
        param.get("in").and_then(Json::as_str).and_then(Place::named),
    ) else {
        return Ok(None);
    };
    let mut schema = match concrete(param.get("schema"), &format!("parameter {name}"))? {
        Json::Object(schema) => schema,
        _ => Object::new(),
    };
    if !schema.get("description").is_some_and(Json::is_truthy) {
        let description = param.get("description").and_then(Json::as_str).unwrap_or_default();
        schema.insert("description", description);
    }
    let is_required = place == Place::Path || param.get("required").and_then(Json::as_bool) == Some(true);
    Ok(Some(Param::new(name, place, ordered(&schema.into()), is_required, keeps_names)))
}

fn body(
    operation: &Json,
    params: &mut Vec<Param>,
    keeps_names: bool,
) -> Result<Option<(String, Option<String>)>, String> {
    let content = operation.get("requestBody").and_then(|body| body.get("content")).and_then(Json::as_object);
    let Some((media, described)) = content.and_then(|content| content.iter().next()) else { return Ok(None) };
    let schema = concrete(described.get("schema"), &format!("body {media}"))?;
    let kind = schema.get("type").and_then(Json::as_str).map(str::to_owned);
    match kind.as_deref() {
        Some("object") => {
            let required = schema.get("required").and_then(Json::as_array).unwrap_or_default();
            let properties = schema.get("properties").and_then(Json::as_object);
            for (name, property) in properties.into_iter().flat_map(Object::iter) {
                let property = ordered(&concrete(Some(property), &format!("property {name}"))?);
                let is_required = required.iter().any(|known| known.as_str() == Some(name));
                params.push(Param::new(name, Place::Body, property, is_required, keeps_names));
            }
        }
        Some("array") => params.push(Param::new("array", Place::Body, ordered(&schema), false, keeps_names)),
        _ => params.push(Param::new("", Place::Body, ordered(&schema), false, keeps_names)),
    }
    Ok(Some((media.to_string(), kind)))
}

/// A schema that says something: `true` and none at all are the empty one.
fn concrete(schema: Option<&Json>, place: &str) -> Result<Json, String> {
    match schema {
        None | Some(Json::Null) => Ok(Object::new().into()),
        Some(value) => match value.as_bool() {
            Some(true) => Ok(Object::new().into()),
            Some(false) => Err(format!("the schema of {place} is `false`, which nothing fits")),
            None if value.get("$ref").is_some() => {
                Err(format!("the schema of {place} refers to something that is not there"))
            }
            None => Ok(value.clone()),
        },
    }
}

/// Arguments of the same name are told apart by numbers.
fn numbered(params: &mut [Param]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for param in params {
        match counts.get_mut(&param.argument) {
            None => {
                counts.insert(param.argument.clone(), 0);
            }
            Some(count) => {
                param.argument = format!("{}_{count}", param.argument);
                *count += 1;
            }
        }
    }
}

/// Operations whose names are cut to the same are told apart by numbers.
fn distinct(operations: &mut [Operation]) {
    let reserved: BTreeSet<String> = operations.iter().map(|operation| operation.name.clone()).collect();
    let mut assigned: BTreeSet<String> = BTreeSet::new();
    for operation in operations {
        if assigned.contains(&operation.name) {
            let base = operation.name.clone();
            let numbered = (2..).map(|n: usize| {
                let suffix = format!("_{n}");
                let kept: String = base.chars().take(MAX_NAME - suffix.len()).collect();
                kept + &suffix
            });
            let mut free = numbered.filter(|name| !assigned.contains(name) && !reserved.contains(name));
            operation.name = free.next().unwrap_or(base);
        }
        assigned.insert(operation.name.clone());
    }
}
