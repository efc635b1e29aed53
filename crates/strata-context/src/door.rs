//! The ways by which a request comes in, and the places of one where an id may stand.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A protocol that carries requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Door {
    Mcp,
    A2a,
    Http,
}

impl Door {
    pub const ALL: [Self; 3] = [Self::Mcp, Self::A2a, Self::Http];

    pub fn name(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::A2a => "a2a",
            Self::Http => "http",
        }
    }
}

/// Where in a request an id stands. The first of these that has one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IdPlace {
    /// `X-Context-ID`.
    Header,
    /// `context_id` in the address.
    Query,
    /// `context_id` or `contextId` in what is sent.
    Body,
    /// `adcp_context`.
    Cookie,
}

impl fmt::Display for IdPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Header => "the header X-Context-ID",
            Self::Query => "the query's context_id",
            Self::Body => "the body",
            Self::Cookie => "the cookie adcp_context",
        })
    }
}
