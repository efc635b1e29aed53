//! Detection and import of any bytes: sessions or a reason, requests that can be read, and the export of a session comes
//! back as the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strata_model::{Severity, json};

fuzz_target!(|bytes: &[u8]| {
    let imported = strata_import::import(bytes);
    let has_error = imported.diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert!(!imported.sessions.is_empty() || has_error, "nothing, and no reason");
    for one in &imported.sessions {
        assert_eq!(one.sources.len(), one.session.events.len());
        let requests = one.requests.iter().filter_map(|request| request.answer);
        assert!(requests.into_iter().all(|at| at < one.session.events.len()));
        for request in &one.requests {
            let _ = strata_wire::request_of(&request.body);
        }
        let _ = one.summary();
        let text = json::to_compact(&one.session.to_json());
        let again = strata_import::import(text.as_bytes());
        if let [again] = &again.sessions[..] {
            assert_eq!(again.session.events.len(), one.session.events.len());
        }
    }
});
