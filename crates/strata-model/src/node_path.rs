//! The two paths an event may carry: where it stands in the tree of nodes, and on which parallel branch.

use crate::Str;
use crate::decode::{Decoder, FromJson, always_written};
use crate::json::Json;

/// A place in a workflow: segments `name@run` joined by `/`. Empty outside of workflows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NodePath(Str);

impl NodePath {
    pub fn new(path: impl Into<Str>) -> Self {
        Self(path.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `self` lies strictly below `other`.
    pub fn is_below(&self, other: &Self) -> bool {
        is_path_below(&self.0, &other.0, '/')
    }
}

impl Default for NodePath {
    fn default() -> Self {
        Self("".into())
    }
}

impl FromJson for NodePath {
    const EXPECTED: &'static str = "a node path";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        Str::from_json(value, decoder).map(Self)
    }

    fn to_json(&self) -> Json {
        Json::String(self.0.clone())
    }
}

always_written!(NodePath);

/// A parallel branch: segments joined by `.`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Branch<'b>(&'b str);

impl<'b> Branch<'b> {
    /// The branch of an event or a call; `None` and `""` both mean no branch.
    pub fn of(branch: Option<&'b Str>) -> Self {
        Self(branch.map_or("", |branch| &**branch))
    }

    pub fn is_none(self) -> bool {
        self.0.is_empty()
    }

    /// Whether `self` lies strictly below `other`. Every branch lies below no branch.
    pub fn is_below(self, other: Self) -> bool {
        is_path_below(self.0, other.0, '.')
    }

    /// Whether an agent on this branch sees events of branch `other`: its own, its ancestors', and unbranched ones.
    /// An agent without a branch sees everything.
    pub fn sees(self, other: Self) -> bool {
        other.is_none() || self.is_none() || self == other || self.is_below(other)
    }

    /// The prefixes of this branch that are longer than `other`, shortest first.
    pub fn prefixes_below(self, other: Self) -> impl Iterator<Item = &'b str> {
        let path = self.0;
        let skip = if other.is_none() { 0 } else { other.0.len() + 1 };
        path.char_indices()
            .filter(move |(at, c)| *c == '.' && *at > skip)
            .map(move |(at, _)| &path[..at])
            .chain((path.len() > skip).then_some(path))
    }
}

fn is_path_below(path: &str, other: &str, separator: char) -> bool {
    if other.is_empty() {
        return !path.is_empty();
    }
    path.strip_prefix(other).is_some_and(|rest| rest.starts_with(separator))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_sees_its_own_branch_and_those_above() {
        let sees = |own: &'static str, other: &'static str| Branch(own).sees(Branch(other));
        assert!(sees("par.a", "par") && sees("par.a", "par.a") && sees("par.a", ""));
        assert!(!sees("par.a", "par.b") && !sees("par.a", "par.a.c") && !sees("par.a", "par.ab"));
        assert!(sees("", "par.b"));
    }

    #[test]
    fn prefixes_below_another_branch() {
        let prefixes = |path: &'static str, other: &'static str| -> Vec<&str> {
            Branch(path).prefixes_below(Branch(other)).collect()
        };
        assert_eq!(prefixes("a.b.c", ""), ["a", "a.b", "a.b.c"]);
        assert_eq!(prefixes("a.b.c", "a"), ["a.b", "a.b.c"]);
        assert_eq!(prefixes("a", "a"), [] as [&str; 0]);
    }
}
