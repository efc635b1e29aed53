//! JSON text: what is read is written so that it is read as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strata_model::json;

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = json::parse(bytes) else { return };
    for text in [json::to_compact(&value), json::to_pretty(&value), json::to_ascii(&value)] {
        let again = json::parse(text.as_bytes()).expect("what we write is JSON");
        assert_eq!(json::to_compact(&again), json::to_compact(&value));
    }
});
