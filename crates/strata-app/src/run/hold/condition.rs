//! On what calls are held.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// When a call is held.
#[derive(Debug, Clone, PartialEq)]
pub enum HoldCondition {
    Always,
    /// At calls of this agent.
    Agent(String),
    /// The prompt has more tokens than this, by our count.
    Tokens(u32),
    /// The prompt costs more US dollars than this, if nothing of it is found in a cache.
    Cost(f64),
    /// The prompt no longer begins with what its agent's call before had sent.
    Break,
    /// A tool's result that was not sent to the agent before has more tokens than this.
    Result(u32),
}

impl FromStr for HoldCondition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let number =
            || value.replace([',', '_'], "").parse().map_err(|_| format!("`{value}` is no number of tokens"));
        match (name, value) {
            ("always", "") => Ok(Self::Always),
            ("break", "") => Ok(Self::Break),
            ("agent", agent) if !agent.is_empty() => Ok(Self::Agent(agent.to_owned())),
            ("tokens", _) => Ok(Self::Tokens(number()?)),
            ("result", _) => Ok(Self::Result(number()?)),
            ("cost", _) => {
                let dollars = value.trim_start_matches('$').parse().ok();
                let dollars = dollars.filter(|dollars: &f64| dollars.is_finite() && *dollars >= 0.0);
                Ok(Self::Cost(dollars.ok_or_else(|| format!("`{value}` is no amount of dollars"))?))
            }
            _ => Err(format!(
                "`{text}` is no condition: there are always, agent=NAME, tokens=N, cost=DOLLARS, break and result=N"
            )),
        }
    }
}

/// As it is read.
impl Display for HoldCondition {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Always => f.write_str("always"),
            Self::Agent(name) => write!(f, "agent={name}"),
            Self::Tokens(limit) => write!(f, "tokens={limit}"),
            Self::Cost(limit) => write!(f, "cost={limit}"),
            Self::Break => f.write_str("break"),
            Self::Result(limit) => write!(f, "result={limit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_as_they_are_written_and_what_is_none_is_refused() {
        for (text, condition) in [
            ("always", HoldCondition::Always),
            ("break", HoldCondition::Break),
            ("agent=writer", HoldCondition::Agent("writer".into())),
            ("tokens=20000", HoldCondition::Tokens(20_000)),
            ("cost=0.05", HoldCondition::Cost(0.05)),
            ("result=5000", HoldCondition::Result(5_000)),
        ] {
            assert_eq!(text.parse().as_ref(), Ok(&condition));
            assert_eq!(condition.to_string(), text);
        }
        assert_eq!("tokens=20,000".parse(), Ok(HoldCondition::Tokens(20_000)));
        assert_eq!("cost=$0.05".parse(), Ok(HoldCondition::Cost(0.05)));
        assert_eq!("result=5_000".parse(), Ok(HoldCondition::Result(5_000)));
        for wrong in ["", "agent=", "tokens=many", "cost=", "cost=nan", "cost=-1", "break=1", "never"] {
            assert!(wrong.parse::<HoldCondition>().is_err(), "{wrong}");
        }
    }
}
