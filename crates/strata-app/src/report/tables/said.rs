//! Recorded texts as the tables say them.

use strata_model::secret;

/// Masks secrets in texts, unless they are wanted, and counts the texts that held some.
pub(super) struct Said {
    masks_secrets: bool,
    n_masked: std::cell::Cell<usize>,
}

impl Said {
    pub(super) fn new(masks_secrets: bool) -> Self {
        Self { masks_secrets, n_masked: std::cell::Cell::new(0) }
    }

    pub(super) fn text(&self, text: &str) -> String {
        match secret::mask(text).filter(|_| self.masks_secrets) {
            Some(masked) => {
                self.n_masked.set(self.n_masked.get() + 1);
                masked.text
            }
            None => text.to_owned(),
        }
    }

    pub(super) fn optional(&self, text: Option<&str>) -> Option<String> {
        text.map(|text| self.text(text))
    }

    pub(super) fn n_masked(&self) -> usize {
        self.n_masked.get()
    }
}

/// What every row begins with.
pub(super) struct Of {
    pub source: String,
    pub session_id: String,
}
