//! Budgets as people write them down.

use std::collections::BTreeMap;
use std::path::Path;

use strata_measure::findings::rules;
use toml::{Table, Value};

use crate::error::AppError;
use crate::show::nearest;

const AGENTS: &str = "agents";
const KEYS: [&str; 6] = [
    "max_prompt_tokens",
    "max_session_tokens",
    "max_cost",
    "min_cache_ratio",
    "max_tool_result_tokens",
    "forbid",
];

/// What a session may cost.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Budget {
    pub limits: Limits,
    /// For the calls of one agent, by its name.
    pub agents: BTreeMap<String, Limits>,
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
    pub max_tool_result_tokens: Option<u64>,
    /// Codes of findings.
    pub forbid: Vec<String>,
}

impl Budget {
    pub(super) fn read(path: &Path) -> Result<Self, AppError> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|error| AppError::unreadable(format!("{name} could not be read: {error}.")))?;
        Self::parse(&text).map_err(|message| AppError::bad_input(format!("{name}: {message}")))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let table: Table =
            text.parse().map_err(|error: toml::de::Error| format!("this is not TOML. {error}"))?;
        let mut budget = Self::default();
        for (key, value) in table {
            if key != AGENTS {
                budget.limits.set(&key, &value, true)?;
                continue;
            }
            let Value::Table(agents) = value else {
                return Err("`agents` holds a table for each agent, as in [agents.planner].".into());
            };
            for (agent, limits) in agents {
                let Value::Table(limits) = limits else {
                    return Err(format!("`agents.{agent}` is a table of budgets."));
                };
                let of_agent = budget.agents.entry(agent).or_default();
                for (key, value) in limits {
                    of_agent.set(&key, &value, false)?;
                }
            }
        }
        if budget == Self::default() {
            return Err(format!("there is no budget in it. Set one of {}.", KEYS.join(", ")));
        }
        Ok(budget)
    }
}

impl Limits {
    fn set(&mut self, key: &str, value: &Value, is_top: bool) -> Result<(), String> {
        match key {
            "max_prompt_tokens" => self.max_prompt_tokens = Some(tokens(key, value)?),
            "max_session_tokens" => self.max_session_tokens = Some(tokens(key, value)?),
            "max_tool_result_tokens" => self.max_tool_result_tokens = Some(tokens(key, value)?),
            "max_cost" => self.max_cost = Some(number(key, value)?),
            "min_cache_ratio" => {
                let ratio = number(key, value)?;
                if ratio > 1.0 {
                    return Err(format!("`{key}` is a share from 0 to 1, not {ratio}."));
                }
                self.min_cache_ratio = Some(ratio);
            }
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

fn tokens(key: &str, value: &Value) -> Result<u64, String> {
    let tokens = value.as_integer().and_then(|tokens| u64::try_from(tokens).ok());
    tokens.ok_or_else(|| format!("`{key}` is a whole number of tokens, not {value}."))
}

fn number(key: &str, value: &Value) -> Result<f64, String> {
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{key}` is a number that is not below 0, not {value}."))
}

fn codes(value: &Value) -> Result<Vec<String>, String> {
    let list = value.as_array().ok_or("`forbid` is a list of codes, as in forbid = [\"memories-stay\"].")?;
    list.iter()
        .map(|code| {
            let code = code.as_str().ok_or("`forbid` is a list of texts: the codes of findings.")?;
            if rules().any(|rule| rule.code == code) {
                return Ok(code.to_owned());
            }
            Err(match nearest(code, rules().map(|rule| rule.code)) {
                Some(near) => format!("there is no finding `{code}`. Did you mean `{near}`?"),
                None => format!("there is no finding `{code}`. docs/findings.md lists them all."),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_agents_stand_beside_the_budget_of_all() {
        let budget = Budget::parse(
            "max_prompt_tokens = 40_000\nmin_cache_ratio = 0.7\nforbid = [\"memories-stay\"]\n\
             [agents.planner]\nmax_cost = 1\n",
        )
        .unwrap();
        assert_eq!(budget.limits.max_prompt_tokens, Some(40_000));
        assert_eq!(budget.limits.forbid, ["memories-stay"]);
        assert_eq!(budget.agents["planner"], Limits { max_cost: Some(1.0), ..Limits::default() });
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let error = Budget::parse(text).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn what_is_not_understood_is_an_error_that_helps() {
        check("max_promt_tokens = 1", "Did you mean `max_prompt_tokens`?");
        check("[agents.a]\nmax_costs = 1", "Did you mean `max_cost`?");
        check("[agent.a]\nmax_cost = 1", "Did you mean `agents`?");
        check("zzzz = 1", "There are max_prompt_tokens");
        check("max_cost = \"1\"", "a number that is not below 0");
        check("max_prompt_tokens = -1", "a whole number of tokens");
        check("min_cache_ratio = 70", "a share from 0 to 1");
        check("forbid = [\"memory-stays\"]", "Did you mean `memories-stay`?");
        check("forbid = \"memories-stay\"", "a list of codes");
        check("", "there is no budget in it");
        check("max_cost =", "this is not TOML");
    }
}
