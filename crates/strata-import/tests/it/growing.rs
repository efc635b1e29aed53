//! A file that grows tells what it holds, wherever it ends.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use strata_import::{Detection, Format, GrowingImporter, Import, Importer, Kept, detect};
use strata_testkit::samples;

use crate::formats::SAMPLES;
use crate::support::sample;

/// Larger files are cut at a few places only.
const SMALL: usize = 64 * 1024;
/// Of larger files only the beginning is read.
const MUCH: usize = 4 << 20;

fn whole(format: Format, bytes: &[u8]) -> Import {
    let mut importer = Importer::new(format);
    importer.feed(bytes);
    importer.finish()
}

/// A reader that goes on, or begins anew where it cannot.
struct Followed {
    format: Format,
    reader: GrowingImporter,
    n_read: usize,
    n_begun_anew: usize,
}

impl Followed {
    fn new(format: Format) -> Self {
        Self { format, reader: GrowingImporter::new(format).unwrap(), n_read: 0, n_begun_anew: 0 }
    }

    /// What the file holds when these are all its bytes.
    fn so_far(&mut self, bytes: &[u8]) -> Import {
        self.reader.feed(&bytes[self.n_read..]);
        self.n_read = bytes.len();
        self.reader.so_far().unwrap_or_else(|| {
            self.n_begun_anew += 1;
            self.reader = GrowingImporter::new(self.format).unwrap();
            self.reader.feed(bytes);
            self.reader.so_far().expect("a new reader has an answer")
        })
    }
}

/// Reads a file that ends at each of these places, one after the other. Returns how often it was begun anew.
#[track_caller]
fn check(what: &str, format: Format, bytes: &[u8], ends: impl IntoIterator<Item = usize>) -> usize {
    let mut followed = Followed::new(format);
    let mut before = Import::default();
    for end in ends {
        let now = followed.so_far(&bytes[..end]);
        let expected = whole(format, &bytes[..end]);
        assert!(now == expected, "{what}, which ends at byte {end}: {}", first_difference(&now, &expected));
        for (now, before) in now.sessions.iter().zip(&before.sessions) {
            let Kept { events, requests } = now.kept_of(before);
            assert_eq!(now.session.events[..events], before.session.events[..events], "{what} at {end}");
            assert_eq!(now.requests[..requests], before.requests[..requests], "{what} at {end}");
        }
        before = now;
    }
    followed.n_begun_anew
}

fn first_difference(now: &Import, expected: &Import) -> String {
    if now.diagnostics != expected.diagnostics {
        return format!("found {:#?}, expected {:#?}", now.diagnostics, expected.diagnostics);
    }
    for (now, expected) in now.sessions.iter().zip(&expected.sessions) {
        let events = now.session.events.iter().zip(&expected.session.events);
        if let Some((at, (now, expected))) = events.enumerate().find(|(_, (now, expected))| now != expected) {
            return format!("event {at} is {now:#?}, expected {expected:#?}");
        }
    }
    let numbers = |import: &Import| {
        let numbers = import.sessions.iter().map(|one| {
            let unmapped: Vec<_> =
                one.unmapped.counts().map(|(name, count)| (name.to_owned(), count)).collect();
            (one.session.events.len(), one.requests.len(), one.title.clone(), unmapped, one.facts.clone())
        });
        format!("{:#?}", numbers.collect::<Vec<_>>())
    };
    format!("{} instead of {}", numbers(now), numbers(expected))
}

/// Samples of formats that grow: our own, and those of the folders of recorded sessions.
fn grown_samples() -> Vec<(String, Format, Vec<u8>)> {
    let own = SAMPLES.into_iter().map(|(name, format)| (name.to_owned(), format, sample(name)));
    let recorded = samples::files("").into_iter().filter_map(|path| {
        let is_log = path.extension().is_some_and(|extension| extension == "jsonl");
        let mut bytes = std::fs::read(&path).ok().filter(|_| is_log)?;
        let Detection::Readable(format) = detect(&bytes[..bytes.len().min(strata_import::HEAD_BYTES)]) else {
            return None;
        };
        bytes.truncate(MUCH);
        Some((path.display().to_string(), format, bytes))
    });
    let all = own.filter(|(_, format, _)| !format.is_database()).chain(recorded);
    let all: Vec<_> = all.filter(|(_, format, _)| GrowingImporter::new(*format).is_some()).collect();
    let of_lines = [
        Format::ADK_EVENTS,
        Format::ADK_RECORDING,
        Format::CLAUDE_CODE,
        Format::CODEX,
        Format::COPILOT_CLI,
        Format::GEMINI_CLI,
        Format::LITELLM,
        Format::OPENHANDS,
        Format::PROVIDER_LOG,
    ];
    for format in of_lines {
        assert!(all.iter().any(|(_, other, _)| *other == format), "a sample of {}", format.name());
    }
    all
}

/// The ends of all lines, without their last byte and with it.
fn line_ends(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    ends.flat_map(|(at, _)| [at, at + 1]).chain([bytes.len()]).collect()
}

#[test]
fn a_small_file_tells_what_it_holds_at_the_end_of_every_line() {
    for (name, format, bytes) in grown_samples().iter().filter(|(.., bytes)| bytes.len() <= SMALL) {
        check(name, *format, bytes, line_ends(bytes));
    }
}

#[test]
fn our_own_files_tell_what_they_hold_in_the_middle_of_lines() {
    /// At most so many ends of each: every byte of the smallest.
    const ENDS: usize = 1_500;
    for (name, format) in SAMPLES {
        if !format.is_database() && GrowingImporter::new(format).is_some() {
            let bytes = sample(name);
            check(name, format, &bytes, (0..=bytes.len()).step_by(1 + bytes.len() / ENDS));
        }
    }
}

#[test]
fn any_file_tells_what_it_holds_wherever_it_ends() {
    for (name, format, bytes) in grown_samples() {
        let line_ends = line_ends(&bytes);
        let place = prop_oneof![0..=bytes.len(), prop::sample::select(line_ends)];
        let places = prop::collection::vec(place, 1..8);
        let mut runner = TestRunner::new(Config { cases: 4, failure_persistence: None, ..Config::default() });
        let checked = runner.run(&places, |mut places| {
            places.sort_unstable();
            check(&name, format, &bytes, places);
            Ok(())
        });
        checked.unwrap();
    }
}

#[test]
fn a_conversation_goes_on_without_being_read_again() {
    let talk = |n: usize| -> Vec<u8> {
        let lines = (0..n).map(|at| {
            let (own, before) = (at + 1, at);
            let parent = if at == 0 { "null".to_owned() } else { format!("\"u{before}\"") };
            let message = if at % 2 == 0 {
                format!(r#""type":"user","message":{{"role":"user","content":"Question {at}"}}"#)
            } else {
                format!(
                    r#""type":"assistant","message":{{"id":"m{at}","role":"assistant","model":"claude","content":[{{"type":"text","text":"Answer {at}"}}],"usage":{{"input_tokens":{at},"output_tokens":1}}}}"#
                )
            };
            format!(r#"{{"parentUuid":{parent},"isSidechain":false,"sessionId":"s","uuid":"u{own}","timestamp":"2026-01-27T23:13:36Z",{message}}}"#) + "\n"
        });
        lines.collect::<String>().into_bytes()
    };
    goes_on(Format::CLAUDE_CODE, &talk(200), 2);
}

#[test]
fn a_rollout_goes_on_without_being_read_again() {
    let line = |at: usize| match at {
        0 => {
            r#"{"timestamp":"2026-01-27T23:13:36Z","type":"session_meta","payload":{"id":"s","cwd":"/"}}"#
                .to_owned()
                + "\n"
        }
        at if at % 3 == 1 => format!(
            "{{\"timestamp\":\"2026-01-27T23:13:37Z\",\"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":\"Question {at}\"}}]}}}}\n"
        ),
        at if at % 3 == 2 => format!(
            "{{\"timestamp\":\"2026-01-27T23:13:37Z\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"user_message\",\"message\":\"Question {}\",\"kind\":\"plain\"}}}}\n",
            at - 1
        ),
        at => format!(
            "{{\"timestamp\":\"2026-01-27T23:13:38Z\",\"type\":\"response_item\",\"payload\":{{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"output_text\",\"text\":\"Answer {at}\"}}]}}}}\n"
        ),
    };
    let rollout: String = (0..300).map(line).collect();
    // What a record is may be told by one behind it: the last ones are read once more.
    goes_on(Format::CODEX, rollout.as_bytes(), 64);
}

/// A line at a time, every event but the last few is the very one that was told before.
#[track_caller]
fn goes_on(format: Format, bytes: &[u8], n_last: usize) {
    let ends: Vec<usize> = line_ends(bytes);
    assert_eq!(check("a conversation", format, bytes, ends.iter().copied()), 0, "begun anew");
    let mut followed = Followed::new(format);
    let mut before: Option<Import> = None;
    for end in ends.into_iter().skip(4) {
        let now = followed.so_far(&bytes[..end]);
        if let Some(before) = before {
            let (now, before) = (&now.sessions[0].session.events, &before.sessions[0].session.events);
            let n_shared = now.iter().zip(before).take_while(|(now, then)| Arc::ptr_eq(now, then)).count();
            let n_far = before.len().saturating_sub(n_last);
            assert!(
                n_shared >= n_far,
                "{n_shared} events of {} are those before, at byte {end}",
                before.len()
            );
        }
        before = Some(now);
    }
}

#[test]
fn a_captured_session_keeps_its_id_when_its_first_answer_comes() {
    let request = r#"{"strata_capture":1,"request":4,"at":1.5,"method":"POST","url":"http://127.0.0.1/v1/chat/completions","upstream":"openai","headers":[],"body":"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"How many are there?\"}]}"}"#;
    let answer = r#"{"strata_capture":1,"answer":4,"at":1.6,"ended":1.7,"status":200,"headers":[],"end":"complete","body":"{\"id\":\"chatcmpl-9\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Three.\"},\"finish_reason\":\"stop\"}]}"}"#;
    let ids = [request.to_owned(), format!("{request}\n{answer}\n")].map(|log| {
        let import = whole(Format::CAPTURE, log.as_bytes());
        let [session] = &import.sessions[..] else { panic!("{:?}", import.diagnostics) };
        (session.session.id.to_string(), session.facts.model_responses)
    });
    assert_eq!(ids, [("request-4".to_owned(), 0), ("request-4".to_owned(), 1)]);
}

#[test]
fn a_captured_session_keeps_its_id_when_its_first_request_is_sent_again() {
    let request = |n: u32| {
        format!(
            r#"{{"strata_capture":1,"request":{n},"at":{n}.5,"method":"POST","url":"http://127.0.0.1/v1/chat/completions","upstream":"openai","headers":[],"body":"{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"How many are there?\"}}]}}"}}"#
        )
    };
    let refused = r#"{"strata_capture":1,"answer":4,"at":4.6,"ended":4.7,"status":429,"headers":[],"end":"complete","body":"{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"Slow down.\"}}"}"#;
    let answer = r#"{"strata_capture":1,"answer":5,"at":5.6,"ended":5.7,"status":200,"headers":[],"end":"complete","body":"{\"id\":\"chatcmpl-9\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Three.\"},\"finish_reason\":\"stop\"}]}"}"#;
    let first = format!("{}\n{refused}\n", request(4));
    let again = format!("{first}{}\n{answer}\n", request(5));
    let told = [first, again].map(|log| {
        let import = whole(Format::CAPTURE, log.as_bytes());
        let [session] = &import.sessions[..] else { panic!("{:?}", import.diagnostics) };
        (session.session.id.to_string(), session.requests.len())
    });
    assert_eq!(told, [("request-4".to_owned(), 1), ("request-4".to_owned(), 1)]);
}
