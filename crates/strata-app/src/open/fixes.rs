//! Fixes that are tried in the background, once somebody asks for them.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use strata_measure::fixes::Fix;

/// What was tried so far, the most saving first.
#[derive(Default)]
pub(super) struct TriedFixes {
    pub is_begun: AtomicBool,
    pub is_complete: AtomicBool,
    pub tried: Mutex<Vec<Arc<Fix>>>,
}
