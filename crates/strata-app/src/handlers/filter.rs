//! The language of the event filter: `kind:result tool:search_logs size:>2000 call:4..17 "Decimal"`.

use strata_model::FromJson as _;

use crate::api::common::Kind;
use crate::api::event::FilterError;
use crate::open::{OpenSession, UsedEvents};
use crate::show::nearest;

const KEYS: [&str; 8] = ["kind", "tool", "agent", "size", "call", "state", "error", "text"];

/// A filter that was understood. All terms have to fit.
pub(super) struct Filter {
    terms: Vec<Term>,
}

enum Term {
    Kind(Kind),
    Tool(String),
    Agent(String),
    /// Tokens as stored.
    Size {
        above: bool,
        or_equal: bool,
        limit: u32,
    },
    /// Made or carried by one of these calls.
    Calls {
        from: u32,
        to: u32,
    },
    State(String),
    Error(bool),
    /// In the row.
    Words(String),
    /// In the row or in the content, in lower case.
    Text(String),
}

impl Filter {
    pub(super) fn parse(filter: &str, open: &OpenSession) -> Result<Self, FilterError> {
        let terms = terms(filter).into_iter().map(|term| {
            parse_term(term, open).map_err(|Problem { message, instead }| FilterError {
                message,
                suggestion: instead.map(|instead| filter.replacen(term, &instead, 1)),
            })
        });
        Ok(Self { terms: terms.collect::<Result<_, _>>()? })
    }

    pub(super) fn matches(&self, open: &OpenSession, used: &UsedEvents, at: usize) -> bool {
        self.terms.iter().all(|term| term.matches(open, used, at))
    }
}

/// Splits at white space outside of quotation marks.
fn terms(filter: &str) -> Vec<&str> {
    let mut is_quoted = false;
    filter
        .split(|character: char| {
            is_quoted ^= character == '"';
            character.is_whitespace() && !is_quoted
        })
        .filter(|term| !term.is_empty())
        .collect()
}

struct Problem {
    message: String,
    /// A term that could have been meant.
    instead: Option<String>,
}

fn parse_term(term: &str, open: &OpenSession) -> Result<Term, Problem> {
    let is_key = |key: &str| !key.is_empty() && key.chars().all(|character| character.is_ascii_alphabetic());
    let Some((key, value)) = term.split_once(':').filter(|(key, _)| is_key(key)) else {
        return Ok(Term::Words(term.replace('"', "").to_lowercase()));
    };
    let (key, value) = (key.to_lowercase(), value.replace('"', ""));
    let not_a_filter =
        |instead: Option<String>| Problem { message: format!("{term} is not a filter"), instead };
    match &*key {
        "kind" => {
            let names: Vec<String> = Kind::ALL.iter().map(|kind| name(*kind)).collect();
            let known = Kind::ALL.into_iter().find(|kind| name(*kind) == value.to_lowercase());
            known.map(Term::Kind).ok_or_else(|| unknown(term, "kind", &value, &names))
        }
        "tool" => named(term, "tool", value, &tool_names(open)).map(Term::Tool),
        "agent" => named(term, "agent", value, &agent_names(open)).map(Term::Agent),
        "state" => named(term, "state", value, &state_keys(open)).map(Term::State),
        "size" => size(&value).ok_or_else(|| not_a_filter(Some("size:>2000".into()))),
        "call" => calls(&value).ok_or_else(|| not_a_filter(Some("call:4..17".into()))),
        "error" => Ok(Term::Error(value != "no")),
        "text" => Ok(Term::Text(value.to_lowercase())),
        _ => {
            let near = nearest(&key, KEYS.into_iter());
            Err(not_a_filter(near.map(|key| format!("{key}:{value}"))))
        }
    }
}

fn name(kind: Kind) -> String {
    serde_json::to_value(kind).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}

fn named(term: &str, key: &str, value: String, known: &[String]) -> Result<String, Problem> {
    if known.contains(&value) { Ok(value) } else { Err(unknown(term, key, &value, known)) }
}

fn unknown(term: &str, key: &str, value: &str, known: &[String]) -> Problem {
    let near = nearest(value, known.iter().map(String::as_str));
    Problem { message: format!("No events match {term}"), instead: near.map(|near| format!("{key}:{near}")) }
}

fn size(value: &str) -> Option<Term> {
    let number = value.trim_start_matches(['<', '>', '=']);
    let limit = number.parse().ok()?;
    let sign = &value[..value.len() - number.len()];
    match sign {
        "" | ">" => Some(Term::Size { above: true, or_equal: false, limit }),
        ">=" => Some(Term::Size { above: true, or_equal: true, limit }),
        "<" => Some(Term::Size { above: false, or_equal: false, limit }),
        "<=" => Some(Term::Size { above: false, or_equal: true, limit }),
        _ => None,
    }
}

fn calls(value: &str) -> Option<Term> {
    let (from, to) = value.split_once("..").unwrap_or((value, value));
    let number = |text: &str| text.trim_start_matches(['C', 'c']).parse().ok();
    Some(Term::Calls { from: number(from)?, to: number(to)? })
}

pub(super) fn tool_names(open: &OpenSession) -> Vec<String> {
    unique(open.events().facts().iter().flat_map(|facts| facts.tools.iter().map(ToString::to_string)))
}

fn agent_names(open: &OpenSession) -> Vec<String> {
    unique(open.events().facts().iter().map(|facts| facts.agent.to_string()))
}

pub(super) fn state_keys(open: &OpenSession) -> Vec<String> {
    open.experiment.states().keys().into_iter().map(ToString::to_string).collect()
}

fn unique(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    names.filter(|name| seen.insert(name.clone())).collect()
}

impl Term {
    fn matches(&self, open: &OpenSession, used: &UsedEvents, at: usize) -> bool {
        let facts = &open.events().facts()[at];
        match self {
            Self::Kind(kind) => Kind::from(facts.kind) == *kind,
            Self::Tool(name) => facts.tools.iter().any(|tool| **tool == **name),
            Self::Agent(name) => *facts.agent == **name,
            Self::Size { above, or_equal, limit } => {
                let tokens = used.tokens[at];
                (*or_equal && tokens == *limit) || if *above { tokens > *limit } else { tokens < *limit }
            }
            Self::Calls { from, to } => {
                let usage = used.uses[at];
                let is_made = facts.call.is_some_and(|call| (*from..=*to).contains(&call));
                is_made || (usage.calls > 0 && usage.first_call <= *to && usage.last_call >= *from)
            }
            Self::State(key) => open.experiment.session().events[at].actions.state_delta.contains_key(key),
            Self::Error(wanted) => facts.error.is_some() == *wanted,
            Self::Words(words) => in_row(open, at, words),
            Self::Text(text) => in_row(open, at, text) || in_content(open, at, text),
        }
    }
}

/// `E12` and `C3` are names of their own.
fn in_row(open: &OpenSession, at: usize, words: &str) -> bool {
    let facts = &open.events().facts()[at];
    let tools = facts.tools.iter().any(|tool| tool.to_lowercase().contains(words));
    tools
        || facts.what.to_lowercase().contains(words)
        || facts.agent.to_lowercase().contains(words)
        || words.strip_prefix('e').is_some_and(|number| number.parse() == Ok(at + 1))
}

fn in_content(open: &OpenSession, at: usize, wanted: &str) -> bool {
    let content = open.events().content(strata_model::EventIndex(at as u32));
    content.is_some_and(|content| {
        content.parts.iter().any(|part| match &part.part.text {
            Some(text) => text.to_lowercase().contains(wanted),
            None => strata_model::json::to_compact(&part.part.to_json()).to_lowercase().contains(wanted),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_keep_what_is_quoted_together() {
        assert_eq!(terms(r#"kind:result text:"a b"  c"#), ["kind:result", r#"text:"a b""#, "c"]);
    }
}
