//! What a client's paths begin with.

use subtle::ConstantTimeEq as _;

/// Ties requests to the programs that were told the gateway's address.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(format!("{:032x}", u128::from_be_bytes(bytes))))
    }

    /// What stands before a path.
    pub(crate) fn prefix(&self) -> String {
        format!("/t/{}", self.0)
    }

    /// Whether it is this one.
    pub(crate) fn is(&self, token: &str) -> bool {
        token.as_bytes().ct_eq(self.0.as_bytes()).into()
    }

    /// What a client names a proxy with.
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }

    /// The path behind the token; `None` where it is another or none.
    pub(crate) fn strip<'p>(&self, path_and_query: &'p str) -> Option<&'p str> {
        let inner = path_and_query.strip_prefix("/t/")?;
        let end = inner.find(['/', '?']).unwrap_or(inner.len());
        let is_it = self.is(&inner[..end]);
        let rest = &inner[end..];
        is_it.then_some(if rest.is_empty() { "/" } else { rest })
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}
