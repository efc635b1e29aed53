//! Bytes read as a format they may not be: the first byte chooses it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strata_import::{Format, Importer};
use strata_model::Severity;

fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let format = Format::ALL[usize::from(*choice) % Format::ALL.len()];
    let mut importer = Importer::new(format);
    let (head, tail) = bytes.split_at(bytes.len() / 2);
    importer.feed(head);
    importer.feed(tail);
    let imported = importer.finish();
    let has_error = imported.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert!(!imported.sessions.is_empty() || has_error, "nothing, and no reason");
});
