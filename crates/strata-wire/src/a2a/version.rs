//! The versions that are spoken.

/// A version of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum A2aVersion {
    V0_3,
    V1_0,
}

impl A2aVersion {
    /// As a header `A2A-Version` names it; patches of a version are the version.
    pub fn named(name: &str) -> Option<Self> {
        let mut numbers = name.trim().split('.');
        match (numbers.next(), numbers.next()) {
            (Some("0"), Some("3")) => Some(Self::V0_3),
            (Some("1"), Some("0")) => Some(Self::V1_0),
            _ => None,
        }
    }
}
