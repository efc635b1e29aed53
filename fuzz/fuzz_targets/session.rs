//! A session in ADK's shape: what is written is read back as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strata_model::{Decoder, Session, json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = json::parse(bytes) else { return };
    let session = Session::from_json(value, &mut Decoder::new());
    let text = json::to_compact(&session.to_json());
    let value = json::parse(text.as_bytes()).expect("what we write is JSON");
    let again = Session::from_json(value, &mut Decoder::new());
    assert_eq!(json::to_compact(&again.to_json()), text);
});
