//! Runs the conformance vectors: what really running google-adk 2.13 gave, against what Strata compiles.
//!
//! `cargo test -p strata-tests --test conformance [-- TEXT…]` runs all vectors, or those whose name contains one of
//! the texts. The folder is that of `STRATA_CONFORMANCE`, else the copy in the project; it holds `golden` and `vectors`,
//! or the families of vectors themselves. A difference that is kept on purpose stands in `known.txt` with its reason;
//! every other one fails.

mod golden;
mod vector;

use std::path::PathBuf;
use std::process::ExitCode;

use strata_oracle::diff;
use strata_oracle::report::{Report, read_known};

/// How many the project's own copy holds.
const VECTORS: usize = 826;

fn main() -> ExitCode {
    let folder = std::env::var_os("STRATA_CONFORMANCE")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("conformance"), PathBuf::from);
    let filters: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    let is_unfiltered = filters.is_empty();
    let mut report = Report::new(filters, read_known(include_str!("known.txt")));
    golden::run(&folder.join("golden"), &mut report);
    let vectors = folder.join("vectors");
    vector::run(if vectors.is_dir() { &vectors } else { &folder }, &mut report);
    let is_whole = std::env::var_os("STRATA_CONFORMANCE").is_none() && is_unfiltered;
    report.print(&folder, if is_whole { VECTORS } else { 1 })
}
