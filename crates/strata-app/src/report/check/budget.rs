//! Budgets as people write them down.

use std::collections::BTreeMap;
use std::path::Path;

use strata_measure::findings::rules;
use toml::{Table, Value};

use super::lines::{self, Lines};
use crate::error::AppError;
use crate::show::nearest;

const AGENTS: &str = "agents";
/// The table of agents that have none of their own.
const OTHERS: &str = "*";
const KEYS: [&str; 8] = [
    "max_prompt_tokens",
    "max_session_tokens",
    "max_cost",
    "min_cache_ratio",
    "max_breaks",
    "max_tool_result_tokens",
    "max_findings",
    "forbid",
];
/// What findings are of, beside their codes.
const KINDS: [&str; 4] = ["bloat", "prefix", "loss", "trap"];

/// What a session may cost.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Budget {
    pub limits: Limits,
    /// For the calls of one agent, by its name.
    pub agents: BTreeMap<String, Limits>,
    /// For the calls of each agent that has no table of its own.
    others: Option<Limits>,
    lines: Lines,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Limits {
    /// Of one call.
    pub max_prompt_tokens: Option<u64>,
    /// Of all calls.
    pub max_session_tokens: Option<u64>,
    /// US dollars of all calls.
    pub max_cost: Option<f64>,
    /// Cached of all prompt tokens, from 0 to 1.
    pub min_cache_ratio: Option<f64>,
    /// Calls of which less was found in a cache than could be.
    pub max_breaks: Option<u64>,
    pub max_tool_result_tokens: Option<u64>,
    /// By the code or the kind of findings.
    pub max_findings: BTreeMap<String, u64>,
    /// Codes and kinds of findings.
    pub forbid: Vec<String>,
}

impl Budget {
    pub(super) fn read(path: &Path) -> Result<Self, AppError> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| AppError::unreadable(format!("{name} could not be read: {error}.")))?;
        Self::parse(&text).map_err(|refused| {
            let line = refused.line.map_or(String::new(), |line| format!("{line}: "));
            AppError::bad_input(format!(
                "{name}:{line}{}{}",
                if line.is_empty() { " " } else { "" },
                refused.why
            ))
        })
    }

    fn parse(text: &str) -> Result<Self, Refused> {
        let table: Table = text.parse().map_err(|error: toml::de::Error| Refused {
            line: error.span().map(|span| lines::line_at(text, span.start)),
            why: format!("this is not TOML. {}", error.message()),
        })?;
        let mut budget = Self { lines: Lines::of(text), ..Self::default() };
        for (key, value) in &table {
            if key != AGENTS {
                budget.limits.set(key, value, true).map_err(|why| budget.refused(None, key, why))?;
                continue;
            }
            let Value::Table(agents) = value else {
                let why = "`agents` holds a table for each agent, as in [agents.planner].".to_owned();
                return Err(budget.refused(None, key, why));
            };
            for (agent, limits) in agents {
                budget.set_agent(agent, limits)?;
            }
        }
        if budget.is_empty() {
            let why = format!("there is no budget in it. Set one of {}.", KEYS.join(", "));
            return Err(Refused { line: None, why });
        }
        Ok(budget)
    }

    fn set_agent(&mut self, agent: &str, limits: &Value) -> Result<(), Refused> {
        let Value::Table(limits) = limits else {
            return Err(self.refused(None, AGENTS, format!("`agents.{agent}` is a table of budgets.")));
        };
        let mut of_agent = Limits::default();
        for (key, value) in limits {
            of_agent.set(key, value, false).map_err(|why| {
                self.refused(Some(agent), key, format!("{}: {why}", lines::dotted(&[AGENTS, agent])))
            })?;
        }
        if agent == OTHERS {
            self.others = Some(of_agent);
        } else {
            self.agents.insert(agent.to_owned(), of_agent);
        }
        Ok(())
    }

    fn is_empty(&self) -> bool {
        self.limits == Limits::default() && self.agents.is_empty() && self.others.is_none()
    }

    fn refused(&self, agent: Option<&str>, key: &str, why: String) -> Refused {
        Refused { line: self.lines.of_key(&agent.map_or(vec![key], |agent| vec![AGENTS, agent, key])), why }
    }

    /// What is said of an agent by itself: its own table, else that of all others.
    pub(super) fn of_agent(&self, agent: &str) -> Option<&Limits> {
        self.agents.get(agent).or(self.others.as_ref())
    }

    /// The line in which a budget stands; `budget` is as reports name it.
    pub(super) fn line_of(&self, agent: Option<&str>, budget: &str) -> Option<u32> {
        let path: Vec<&str> = budget.splitn(2, '.').collect();
        let own = |table: &[&str]| self.lines.of_key(&[table, &path[..]].concat());
        match agent {
            None => own(&[]),
            Some(agent) => own(&[AGENTS, agent]).or_else(|| own(&[AGENTS, OTHERS])),
        }
    }

    /// The line in which the table of an agent begins.
    pub(super) fn line_of_agent(&self, agent: &str) -> Option<u32> {
        self.lines.of_key(&[AGENTS, agent])
    }
}

/// Why a budget is not understood, and where that stands.
#[derive(Debug)]
struct Refused {
    line: Option<u32>,
    why: String,
}

impl Limits {
    fn set(&mut self, key: &str, value: &Value, is_top: bool) -> Result<(), String> {
        match key {
            "max_prompt_tokens" => self.max_prompt_tokens = Some(whole(key, "tokens", value)?),
            "max_session_tokens" => self.max_session_tokens = Some(whole(key, "tokens", value)?),
            "max_tool_result_tokens" => self.max_tool_result_tokens = Some(whole(key, "tokens", value)?),
            "max_breaks" => self.max_breaks = Some(whole(key, "breaks", value)?),
            "max_cost" => self.max_cost = Some(number(key, value)?),
            "min_cache_ratio" => {
                let ratio = number(key, value)?;
                if ratio > 1.0 {
                    return Err(format!("`{key}` is a share from 0 to 1, not {ratio}."));
                }
                self.min_cache_ratio = Some(ratio);
            }
            "max_findings" => self.max_findings = findings(value)?,
            "forbid" => self.forbid = codes(value)?,
            _ => {
                let known = KEYS.into_iter().chain(is_top.then_some(AGENTS));
                return Err(match nearest(key, known) {
                    Some(near) => format!("there is no budget `{key}`. Did you mean `{near}`?"),
                    None => format!("there is no budget `{key}`. There are {}.", KEYS.join(", ")),
                });
            }
        }
        Ok(())
    }
}

fn whole(key: &str, what: &str, value: &Value) -> Result<u64, String> {
    let number = value.as_integer().and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| format!("`{key}` is a whole number of {what}, not {value}."))
}

fn number(key: &str, value: &Value) -> Result<f64, String> {
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{key}` is a number that is not below 0, not {value}."))
}

fn findings(value: &Value) -> Result<BTreeMap<String, u64>, String> {
    let shape =
        "`max_findings` is a table of codes and kinds of findings, as in max_findings = { prefix = 0 }.";
    let table = value.as_table().ok_or(shape)?;
    table
        .iter()
        .map(|(code, most)| {
            Ok((known(code)?.to_owned(), whole(&format!("max_findings.{code}"), "findings", most)?))
        })
        .collect()
}

fn codes(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("`forbid` is a list of codes, as in forbid = [\"memories-stay\"].")?;
    list.iter()
        .map(|code| {
            let code = code.as_str().ok_or("`forbid` is a list of texts: the codes of findings.")?;
            Ok(known(code)?.to_owned())
        })
        .collect()
}

/// The code or the kind of findings.
fn known(code: &str) -> Result<&str, String> {
    let names = || rules().map(|rule| rule.code).chain(KINDS);
    if names().any(|name| name == code) {
        return Ok(code);
    }
    Err(match nearest(code, names()) {
        Some(near) => format!("there is no finding `{code}`. Did you mean `{near}`?"),
        None => format!(
            "there is no finding `{code}`. docs/findings.md lists them all; their kinds are {}.",
            KINDS.join(", ")
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_agents_stand_beside_the_budget_of_all() {
        let budget = Budget::parse(
            "max_prompt_tokens = 40_000\nmin_cache_ratio = 0.7\nforbid = [\"memories-stay\", \"trap\"]\n\
             [agents.planner]\nmax_cost = 1\nmax_findings.prefix = 2\n[agents.\"*\"]\nmax_breaks = 0\n",
        )
        .unwrap();
        assert_eq!(budget.limits.max_prompt_tokens, Some(40_000));
        assert_eq!(budget.limits.forbid, ["memories-stay", "trap"]);
        let planner = Limits {
            max_cost: Some(1.0),
            max_findings: BTreeMap::from([("prefix".to_owned(), 2)]),
            ..Limits::default()
        };
        assert_eq!(budget.agents["planner"], planner);
        assert_eq!(budget.of_agent("planner"), Some(&planner));
        assert_eq!(budget.of_agent("writer").unwrap().max_breaks, Some(0));
    }

    #[test]
    fn each_budget_has_its_line() {
        let text = "# limits\nmax_cost = 1\n\n[agents.desk]\nmax_breaks = 0\nmax_findings = { prefix = 1 }\n\
                    [agents.\"*\"]\nmax_cost = 2\n";
        let budget = Budget::parse(text).unwrap();
        assert_eq!(budget.line_of(None, "max_cost"), Some(2));
        assert_eq!(budget.line_of(Some("desk"), "max_breaks"), Some(5));
        assert_eq!(budget.line_of(Some("desk"), "max_findings.prefix"), Some(6));
        assert_eq!(budget.line_of(Some("writer"), "max_cost"), Some(8), "that of all others");
        assert_eq!(budget.line_of_agent("desk"), Some(4));
    }

    #[track_caller]
    fn check(text: &str, line: Option<u32>, expected: &str) {
        let refused = Budget::parse(text).unwrap_err();
        assert!(refused.why.contains(expected), "{}", refused.why);
        assert_eq!(refused.line, line, "{}", refused.why);
    }

    #[test]
    fn what_is_not_understood_is_an_error_that_helps() {
        check("max_promt_tokens = 1", Some(1), "Did you mean `max_prompt_tokens`?");
        check(
            "max_cost = 1\n[agents.a]\n\nmax_costs = 1",
            Some(4),
            "agents.a: there is no budget `max_costs`",
        );
        check("[agents.a]\nmax_costs = 1", Some(2), "Did you mean `max_cost`?");
        check("[agent.a]\nmax_cost = 1", Some(1), "Did you mean `agents`?");
        check("agents = 1", Some(1), "holds a table for each agent");
        check("agents.a = 1", Some(1), "`agents.a` is a table of budgets");
        check("zzzz = 1", Some(1), "There are max_prompt_tokens");
        check("max_cost = \"1\"", Some(1), "a number that is not below 0");
        check("max_prompt_tokens = -1", Some(1), "a whole number of tokens");
        check("max_breaks = 0.5", Some(1), "a whole number of breaks");
        check("min_cache_ratio = 70", Some(1), "a share from 0 to 1");
        check("forbid = [\"memory-stays\"]", Some(1), "Did you mean `memories-stay`?");
        check("forbid = \"memories-stay\"", Some(1), "a list of codes");
        check("max_findings = 3", Some(1), "a table of codes and kinds");
        check("[max_findings]\nprefixes = 3", Some(1), "Did you mean `prefix`?");
        check("max_findings = { prefix = -3 }", Some(1), "a whole number of findings");
        check("", None, "there is no budget in it");
        check("max_cost = 1\nmax_cost =", Some(2), "this is not TOML");
    }
}
