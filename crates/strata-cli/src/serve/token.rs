//! The secret that proves a request comes from the person who started the server.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;

const BYTES: usize = 32;

/// A secret made at each start, in letters that need no escaping in an address.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Takes the same time wherever the difference lies, so that it cannot be guessed letter by letter.
    pub(crate) fn is(&self, presented: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(presented).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_fit_an_address() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_ne!(one.as_str(), other.as_str());
        assert_eq!(one.as_str().len(), 43);
        assert!(one.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    }

    #[test]
    fn only_the_whole_token_is_taken() {
        let token = Token::random().unwrap();
        assert!(token.is(token.as_str().as_bytes()));
        assert!(!token.is(&token.as_str().as_bytes()[1..]));
        assert!(!token.is(b""));
    }

    #[test]
    fn the_token_is_not_in_debug_output() {
        let token = Token::random().unwrap();
        assert_eq!(format!("{token:?}"), "Token(…)");
    }
}
