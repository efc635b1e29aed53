//! Finding sample files.

use std::path::{Path, PathBuf};

pub(crate) fn samples_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

/// A sample of our own.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    std::fs::read(samples_folder().join(name)).unwrap()
}
