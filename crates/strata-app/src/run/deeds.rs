//! What running an app starts and reaches beside models, to be read and agreed to before it happens.

use sha2::{Digest as _, Sha256};
use strata_model::{App, FromJson as _, json};

/// What an app would do, as its file and all that it names are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deeds {
    /// A sentence each; none where it starts and reaches nothing.
    pub lines: Vec<String>,
    /// Names the app and what it would do: another one where either has changed. Nobody can make an app of the same mark.
    pub mark: String,
}

impl Deeds {
    /// The lines name the folder in which a program starts: in another one the same words start another program.
    pub(super) fn of(app: &App, lines: Vec<String>) -> Self {
        let mut hash = Sha256::new();
        let app = json::to_compact(&app.to_json());
        for said in std::iter::once(&app).chain(&lines) {
            hash.update((said.len() as u64).to_le_bytes());
            hash.update(said.as_bytes());
        }
        let digits = hash.finalize().into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let mark = digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect();
        Self { lines, mark }
    }
}
