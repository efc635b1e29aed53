//! A followed file that grows: the store goes on, and has what importing the whole file gives.

use std::fs::{File, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;
use strata_app::report::{self, FollowUpdate, Watch};
use strata_store::{SearchQuery, SessionEntry, Source, Store};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Ends what never comes.
struct Patience {
    since: Instant,
    stop: CancellationToken,
}

impl Watch for Patience {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    fn is_cancelled(&self) -> bool {
        self.since.elapsed() > Duration::from_mins(2)
    }
}

fn patience() -> Patience {
    Patience { since: Instant::now(), stop: CancellationToken::new() }
}

/// A file, and the store of those who follow it.
struct Place {
    folder: TempDir,
    file: PathBuf,
    store: PathBuf,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, store) = (folder.path().join("agent.jsonl"), folder.path().join("followed.db"));
        Self { folder, file, store }
    }

    fn append(&self, bytes: &[u8]) {
        let file = OpenOptions::new().create(true).append(true).open(&self.file);
        file.expect("the file").write_all(bytes).expect("room");
    }

    /// Appends pieces to the file, each when the one before it was stored. Returns the recording after each.
    fn follow(&self, pieces: &[Vec<u8>]) -> Vec<i64> {
        let mut recordings = Vec::new();
        let mut pieces = pieces.iter();
        self.append(pieces.next().expect("a beginning"));
        let told = |followed: FollowUpdate<'_>| {
            assert!(matches!(followed, FollowUpdate::Changed(_)), "{followed:?}");
            let whole = self.whole(recordings.len());
            assert_eq!(everything(&self.store), everything(&whole), "after piece {}", recordings.len());
            recordings.push(recording(&self.store));
            match pieces.next() {
                Some(piece) => {
                    self.append(piece);
                    ControlFlow::Continue(())
                }
                None => ControlFlow::Break(()),
            }
        };
        report::follow(std::slice::from_ref(&self.file), Some(&self.store), &patience(), told)
            .expect("a file that can be followed");
        assert!(pieces.next().is_none(), "every piece is stored");
        recordings
    }

    /// A store into which the file was imported as it is now.
    fn whole(&self, nth: usize) -> PathBuf {
        let store = self.folder.path().join(format!("whole-{nth}.db"));
        report::import(std::slice::from_ref(&self.file), Some(&store), false, &patience())
            .expect("a file that can be imported");
        store
    }
}

fn recording(store: &Path) -> i64 {
    let connection = rusqlite::Connection::open(store).expect("a database");
    connection.query_row("SELECT recording FROM sessions", [], |row| row.get(0)).expect("one session")
}

/// Everything that is stored, but when it was.
fn everything(store: &Path) -> Vec<String> {
    let store = Store::open_read_only(store).expect("a store");
    let mut all = Vec::new();
    for entry in store.sessions("", 0..u32::MAX).expect("sessions").entries {
        let id = &entry.id;
        let events = store.read_session(id).expect("a session").expect("events");
        all.push(strata_model::json::to_pretty(&events.to_json()));
        all.push(format!("{:#?}", store.event_rows(id, 0..u32::MAX).expect("rows")));
        all.push(format!("{:#?}", store.requests(id).expect("requests")));
        for seq in 0..entry.n_events {
            all.push(format!("{:?}", store.source_records(id, seq).expect("records")));
        }
        let query = SearchQuery { text: "the", session: Some(id), limit: 1_000, ..SearchQuery::default() };
        let found = store.search(&query).expect("an index").hits;
        let mut places: Vec<_> = found.iter().map(|hit| hit.event.as_ref().map(|event| event.seq)).collect();
        places.sort_unstable();
        all.push(format!("{places:?}"));
        let source = store.source(&entry.location).expect("sources").expect("the source");
        all.push(format!("{:#?}", Source { imported_at_ms: 0, ..source }));
        all.push(format!("{:#?}", store.diagnostics(&entry.location).expect("diagnostics")));
        all.push(format!("{:#?}", SessionEntry { imported_at_ms: 0, ..entry }));
    }
    all
}

/// A sample line by line, where every third line comes in two pieces: with the half of it comes the line before.
fn pieces(sample: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples").join(sample);
    let bytes = std::fs::read(path).expect("a sample");
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let mut rest: Vec<u8> = Vec::new();
    for (at, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let (now, later) = line.split_at(if at % 3 == 2 { line.len() / 2 } else { 0 });
        let mut piece = std::mem::take(&mut rest);
        piece.extend_from_slice(now);
        if now.is_empty() {
            piece.extend_from_slice(later);
        } else {
            rest = later.to_vec();
        }
        match pieces.last_mut() {
            // A half alone changes nothing.
            Some(last) if !now.is_empty() => last.extend(piece),
            _ => pieces.push(piece),
        }
    }
    pieces.push(rest);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Of records that tell nothing new of the session, or none of one, nobody is told: they come with those that do.
fn that_tell(pieces: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let n_told = |bytes: &[u8]| {
        let import = strata_import::import(bytes);
        import
            .sessions
            .first()
            .map(|one| (one.session.events.clone(), one.title.clone(), one.unmapped.clone()))
    };
    let (mut all, mut told, mut kept) = (Vec::new(), None, Vec::<Vec<u8>>::new());
    for piece in pieces {
        all.extend_from_slice(&piece);
        let now = n_told(&all);
        match kept.last_mut() {
            Some(last) if now == told || told.is_none() => last.extend(piece),
            _ => kept.push(piece),
        }
        told = now;
    }
    kept
}

#[track_caller]
fn goes_on(sample: &str) {
    let pieces = that_tell(pieces(sample));
    assert!(pieces.len() > 2, "{sample}: {}", pieces.len());
    let recordings = Place::new().follow(&pieces);
    assert!(recordings.iter().all(|recording| *recording == recordings[0]), "{sample}: {recordings:?}");
}

#[test]
fn a_transcript_that_grows_goes_on_in_the_store() {
    goes_on("claude-code.jsonl");
    goes_on("claude-code-subagents.jsonl");
    goes_on("claude-code-rewinds.jsonl");
}

#[test]
fn a_transcript_with_a_journal_of_requests_goes_on_in_the_store() {
    goes_on("claude-code-journal.jsonl");
}

#[test]
fn a_rollout_that_grows_goes_on_in_the_store() {
    goes_on("codex.jsonl");
    goes_on("codex-agent.jsonl");
}

#[test]
fn what_frameworks_and_other_agents_write_line_by_line_goes_on_in_the_store() {
    goes_on("adk-recording.jsonl");
    goes_on("adk-run-events.jsonl");
    goes_on("copilot-cli.jsonl");
    goes_on("gemini-cli.jsonl");
    goes_on("openhands.jsonl");
}

#[test]
fn a_log_of_requests_goes_on_in_the_store() {
    let question = |at: usize| json!({"role": "user", "content": format!("the question {at}")});
    let answer = |at: usize| json!({"role": "assistant", "content": format!("Answer {at}.")});
    let line = |at: usize| {
        let talk = (0..at).flat_map(|at| [question(at), answer(at)]).chain([question(at)]);
        let record = json!({
            "request": {"model": "gpt-5-mini", "messages": talk.collect::<Vec<_>>()},
            "response": {
                "id": format!("chatcmpl-{at}"), "object": "chat.completion", "model": "gpt-5-mini",
                "choices": [{"index": 0, "message": answer(at), "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 20 + at, "completion_tokens": 4, "total_tokens": 24 + at},
            },
        });
        format!("{record}\n").into_bytes()
    };
    let first: Vec<u8> = (0..12).flat_map(line).collect();
    let recordings = Place::new().follow(&[&first[..], &line(12), &line(13)].map(<[u8]>::to_vec));
    assert_eq!(recordings, [1, 1, 1]);
}

/// A transcript of so many exchanges, each of some kilobytes.
fn exchanges(range: std::ops::Range<usize>) -> Vec<u8> {
    let line = |at: usize, kind: &str, message: serde_json::Value| {
        let parent = (at > 0).then(|| format!("u{}", at - 1));
        let record = json!({
            "parentUuid": parent, "isSidechain": false, "sessionId": "s", "uuid": format!("u{at}"), "type": kind,
            "timestamp": "2026-01-27T23:13:36Z", "message": message,
        });
        format!("{record}\n")
    };
    let exchange = |at: usize| {
        let words = format!("the words of exchange {at} ").repeat(200);
        let question = line(2 * at, "user", json!({"role": "user", "content": words}));
        let content = json!([{"type": "text", "text": words}]);
        let answer = json!({"id": format!("m{at}"), "role": "assistant", "model": "claude-opus-4-5", "content": content});
        question + &line(2 * at + 1, "assistant", answer)
    };
    range.map(exchange).collect::<String>().into_bytes()
}

#[test]
fn a_file_of_several_pieces_goes_on_in_the_store() {
    let pieces = [0..90, 90..91, 91..300, 300..301].map(exchanges);
    assert!(pieces[0].len() < 1 << 20 && pieces[2].len() > 2 << 20, "it grows over the ends of pieces");
    let recordings = Place::new().follow(&pieces);
    // What is mostly new is written bit by bit, as a whole.
    assert_eq!(recordings[0], recordings[1]);
    assert_eq!(recordings[2], recordings[3]);
}

#[test]
fn what_is_written_over_in_the_middle_of_a_file_is_seen() {
    let place = Place::new();
    let mut bytes = exchanges(0..300);
    let at = place_of(&bytes, b"exchange 7 ");
    bytes[at..at + 11].copy_from_slice(b"exchange X ");
    let mut n_told = 0;
    place.append(&exchanges(0..300));
    let told = |followed: FollowUpdate<'_>| {
        let FollowUpdate::Changed(change) = followed else { panic!("{followed:?}") };
        n_told += 1;
        match n_told {
            1 => {
                let mut file = File::options().write(true).open(&place.file).expect("the file");
                file.seek(SeekFrom::Start(at as u64)).expect("a place");
                file.write_all(b"exchange X ").expect("room");
                drop(file);
                place.append(&exchanges(300..301));
                ControlFlow::Continue(())
            }
            // What stands there now is another session, beside the one that is gone.
            _ => {
                assert_eq!(change.after.len(), 1, "{change:?}");
                ControlFlow::Break(())
            }
        }
    };
    report::follow(std::slice::from_ref(&place.file), Some(&place.store), &patience(), told)
        .expect("a file that can be followed");
    let (followed, whole) = (everything(&place.store), everything(&place.whole(0)));
    let events = whole.iter().find(|text| text.contains("exchange X ")).expect("what was written over it");
    assert!(followed.contains(events), "what stands in the file is stored");
    let is_gone = |text: &&String| text.contains("exchange 7 ") && !text.contains("exchange X ");
    let gone = followed.iter().find(is_gone).expect("what stood there is kept");
    assert!(!gone.contains("exchange 300 "), "nothing was written behind what is gone");
}

#[test]
fn a_result_that_is_read_while_it_is_written_is_read_again() {
    let place = Place::new();
    let outputs = place.folder.path().join("s/tool-results");
    std::fs::create_dir_all(&outputs).expect("a folder");
    std::fs::write(outputs.join("toolu_1.txt"), "line 1\n").expect("room");
    let record = |uuid: &str, parent: Option<&str>, kind: &str, content: serde_json::Value| {
        let message = match kind {
            "user" => json!({"role": "user", "content": content}),
            _ => json!({"id": uuid, "role": "assistant", "model": "claude-opus-4-5", "content": content}),
        };
        let record = json!({
            "parentUuid": parent, "isSidechain": false, "sessionId": "s", "uuid": uuid, "type": kind,
            "timestamp": "2026-01-27T23:13:36Z", "message": message,
        });
        format!("{record}\n")
    };
    let saved = "<persisted-output>\nOutput too large (35.8KB). Full output saved to: \
        /home/ada/.claude/projects/p/s/tool-results/toolu_1.txt\n\nPreview (first 2KB):\nline 1";
    let call = json!([{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "make"}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": saved}]);
    place.append(record("u0", None, "user", json!("Build it.")).as_bytes());
    place.append(record("u1", Some("u0"), "assistant", call).as_bytes());
    place.append(record("u2", Some("u1"), "user", result).as_bytes());
    let mut n_told = 0;
    let told = |_: FollowUpdate<'_>| {
        n_told += 1;
        assert_eq!(everything(&place.store), everything(&place.whole(n_told)));
        if n_told == 2 {
            return ControlFlow::Break(());
        }
        std::fs::write(outputs.join("toolu_1.txt"), "line 1\nline 2\n").expect("room");
        let answer = json!([{"type": "text", "text": "Done."}]);
        place.append(record("u3", Some("u2"), "assistant", answer).as_bytes());
        ControlFlow::Continue(())
    };
    report::follow(std::slice::from_ref(&place.file), Some(&place.store), &patience(), told)
        .expect("a file that can be followed");
    assert!(everything(&place.store).iter().any(|text| text.contains("line 2")), "all of it is stored");
}

fn place_of(bytes: &[u8], words: &[u8]) -> usize {
    bytes.windows(words.len()).position(|window| window == words).expect("it is there")
}
