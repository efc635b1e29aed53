//! An app configuration, as JSON or YAML: an app or a sentence.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(reason) = strata_import::read_app_config(bytes, &|_| None) {
        assert!(!reason.is_empty());
    }
});
