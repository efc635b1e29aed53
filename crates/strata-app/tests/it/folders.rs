//! Importing a folder: stopped, gone on with, and as a job.

use std::path::Path;

use strata_app::report::{self, Watch};
use tokio_util::sync::CancellationToken;

use crate::{ask, import, start};

/// Stops after so many files.
struct Impatient {
    files: u64,
    stop: CancellationToken,
}

impl Watch for Impatient {
    fn progress(&self, done: u64, total: u64) {
        assert!(done <= total, "{done} of {total}");
        if done >= self.files {
            self.stop.cancel();
        }
    }

    fn stop(&self) -> &CancellationToken {
        &self.stop
    }
}

fn fill(folder: &Path, n: usize) {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples/adk-rest-session.json");
    let text = std::fs::read_to_string(sample).expect("a sample");
    for at in 0..n {
        std::fs::write(folder.join(format!("{at:03}.json")), &text).expect("a file");
    }
}

#[test]
fn an_import_that_was_stopped_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    fill(folder.path(), 12);
    let database = tempfile::tempdir().expect("a folder");
    let database = database.path().join("strata.db");
    let import = |files| {
        let watch = Impatient { files, stop: CancellationToken::new() };
        report::import(&[folder.path().to_owned()], Some(&database), false, &watch).expect("an import")
    };
    let stopped = import(5);
    assert!(stopped.stopped);
    assert_eq!((stopped.sessions.len(), stopped.files.imported, stopped.files.unchanged), (5, 5, 0));
    let whole = import(u64::MAX);
    assert!(!whole.stopped);
    assert_eq!((whole.sessions.len(), whole.files.imported, whole.files.unchanged), (12, 7, 5));
    let again = import(u64::MAX);
    assert_eq!((again.files.imported, again.files.unchanged, again.unchanged), (0, 12, 12));
}

#[test]
fn a_conversation_in_many_files_is_skipped_when_none_of_them_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let task = folder.path().join("tasks/1");
    std::fs::create_dir_all(&task).expect("a folder");
    let messages = r#"[{"role":"user","content":[{"type":"text","text":"Fix it"}],"ts":1},{"role":"assistant","content":[{"type":"text","text":"Done"}],"ts":2}]"#;
    std::fs::write(task.join("api_conversation_history.json"), messages).expect("a file");
    std::fs::write(task.join("ui_messages.json"), "[]").expect("a file");
    let strata = start();
    let first = import(&strata, folder.path());
    assert_eq!((&first["files"]["imported"], &first["unit"]), (&1.into(), &"files".into()), "{first}");
    assert_eq!(first["paths"][0], folder.path().display().to_string());
    let second = import(&strata, folder.path());
    assert_eq!(second["files"]["unchanged"], 1, "{second}");
    assert_eq!(ask(&strata, "place/list", &serde_json::json!({}))["places"].as_array().map(|_| ()), Some(()));
}
