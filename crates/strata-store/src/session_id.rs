//! How a session is called in the store.

use std::fmt;

use strata_model::{FingerprintBuilder, Str};

/// The store's own id of a session: 16 hexadecimal digits made from where the session came from and what it calls
/// itself, so that importing the same file again, today or after deleting it, gives the same id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Str);

impl SessionId {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `nth` tells apart sessions of one source that call themselves the same.
    pub(crate) fn derive(location: &str, [app_name, user_id, adk_id]: [&str; 3], nth: u32) -> Self {
        let mut builder = FingerprintBuilder::new();
        builder.text(location).text(app_name).text(user_id).text(adk_id).number(u64::from(nth));
        Self(format!("{:016x}", (builder.finish().0 >> 64) as u64).into())
    }
}

impl From<&str> for SessionId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
