//! Namespaces of tools, as the Responses API has them: functions that are declared under a name of their own, with words
//! that are about all of them.
//!
//! In a request each function is a declaration of its own, under the one name that calls and results have too
//! ([`name_in`]); what the namespace says for all of them stands beside as a [`RequestTool::BuiltIn`] without tools.

use super::RequestTool;
use crate::json::Json;
use crate::{LlmRequest, Str};

/// What stands between the name of a namespace and that of a tool.
const BETWEEN: &str = "__";
/// The namespace of what stands in none.
const NONE: &str = "functions";

/// The one name of a tool in a namespace, as Codex joins them: `mcp__docs` and `find` are `mcp__docs__find`.
pub fn name_in(namespace: Option<&str>, name: &str) -> Str {
    match namespace.filter(|namespace| !namespace.is_empty() && *namespace != NONE) {
        None => name.into(),
        Some(namespace) if namespace.ends_with('_') || name.starts_with('_') => {
            format!("{namespace}{name}").into()
        }
        Some(namespace) => format!("{namespace}{BETWEEN}{name}").into(),
    }
}

/// The name of a tool within a namespace. `None` where it is not of this namespace.
fn name_within<'n>(namespace: &str, name: &'n str) -> Option<&'n str> {
    let rest = name.strip_prefix(namespace).filter(|rest| !rest.is_empty())?;
    match rest.strip_prefix(BETWEEN) {
        _ if namespace.ends_with('_') => Some(rest),
        Some(own) => Some(own).filter(|own| !own.is_empty()),
        None => rest.starts_with('_').then_some(rest),
    }
}

impl RequestTool {
    /// The name of the namespace of which this is what it says for all of its tools.
    pub fn namespace(&self) -> Option<&str> {
        match self {
            Self::BuiltIn { json, .. } if is_namespace(json) => json.get("name")?.as_str(),
            _ => None,
        }
    }

    /// Takes namespaces away that have no functions in `tools` any more and had some in `before`.
    pub fn drop_empty_namespaces(tools: &mut Vec<Self>, before: &[Self]) {
        let has_any = |tools: &[Self], namespace: &str| {
            functions(tools).any(|name| split_name(before, name).is_some_and(|(of, _)| of == namespace))
        };
        let kept = tools.iter().map(|tool| {
            let namespace = tool.namespace();
            namespace.is_none_or(|of| has_any(tools, of) || !has_any(before, of))
        });
        let mut kept = kept.collect::<Vec<_>>().into_iter();
        tools.retain(|_| kept.next().unwrap_or(true));
    }
}

impl LlmRequest {
    /// The namespace of a function and its name within, for a function of a namespace that the request declares.
    pub fn split_tool_name<'n>(&'n self, name: &'n str) -> Option<(&'n str, &'n str)> {
        split_name(&self.tools, name)
    }
}

/// The longest namespace is the nearest: namespaces may begin with the names of others.
fn split_name<'n>(tools: &'n [RequestTool], name: &'n str) -> Option<(&'n str, &'n str)> {
    let namespaces = tools.iter().filter_map(RequestTool::namespace);
    let of = namespaces.filter_map(|namespace| Some((namespace, name_within(namespace, name)?)));
    of.max_by_key(|(namespace, _)| namespace.len())
}

fn functions(tools: &[RequestTool]) -> impl Iterator<Item = &str> {
    tools
        .iter()
        .flat_map(|tool| match tool {
            RequestTool::Functions(declarations) => &declarations[..],
            RequestTool::BuiltIn { .. } => &[],
        })
        .map(|declaration| declaration.name())
}

/// Whether this is a namespace, with its tools or without.
pub fn is_namespace(tool: &Json) -> bool {
    tool.get("type").and_then(Json::as_str) == Some("namespace")
}

/// The name and the tools of a namespace as it is sent. `None` for any other tool.
pub fn namespace_of(tool: &Json) -> Option<(&str, &[Json])> {
    let (name, tools) = (tool.get("name")?.as_str()?, tool.get("tools")?.as_array()?);
    is_namespace(tool).then_some((name, tools))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_joined_and_split_again() {
        for (namespace, name, joined) in [
            ("mcp__docs", "find", "mcp__docs__find"),
            ("mcp__docs__", "find", "mcp__docs__find"),
            ("agents", "_spawn", "agents_spawn"),
        ] {
            assert_eq!(&*name_in(Some(namespace), name), joined);
            assert_eq!(name_within(namespace, joined), Some(name), "{joined}");
        }
        assert_eq!(&*name_in(Some("functions"), "shell"), "shell");
        assert_eq!(&*name_in(None, "shell"), "shell");
    }

    #[test]
    fn what_only_begins_alike_is_of_another_namespace() {
        for name in ["mcp__doc", "mcp__docs", "mcp__docs__", "mcp__docset", "mcp__other__find"] {
            assert_eq!(name_within("mcp__docs", name), None, "{name}");
        }
    }
}
