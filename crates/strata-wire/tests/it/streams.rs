//! Streams of every dialect, cut as a network may cut them.

use proptest::prelude::*;
use strata_model::{Json, Object, json};
use strata_wire::message::{Reader, ToolNames};
use strata_wire::stream::{JoinedAnswer, answers, joined};
use strata_wire::{Answer, AnswerReader, Delta, Finish, SseReader, StreamError};

use super::dialects::{ALL, Dialect, Said};

fn said() -> impl Strategy<Value = Said> {
    let words = || "[a-zé😀\"\\\\{}\\[\\] \n]{0,8}[a-z]";
    let args = proptest::collection::vec(("[a-z]{1,4}", words()), 0..3);
    let args = args.prop_map(|members| {
        members.into_iter().map(|(key, value)| (key, Json::from(value))).collect::<Object>()
    });
    (
        words(),
        proptest::collection::vec(words(), 1..4),
        proptest::collection::vec(("[a-z_]{1,6}", args), 0..3),
        1..5000_i64,
        1..500_i64,
    )
        .prop_map(|(thought, words, calls, input, output)| Said { thought, words, calls, input, output })
}

/// What a reader makes of bytes that come in these pieces.
#[derive(Debug, PartialEq)]
struct Made {
    answer: Answer,
    /// Words, thoughts and calls as they were told, one text.
    told: String,
    problem: Option<StreamError>,
    unread: Vec<std::ops::Range<u64>>,
}

fn read<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Made {
    let mut reader = AnswerReader::default();
    let mut told = String::new();
    let mut tell = |delta: Delta| match delta {
        Delta::Text(text) => told += &text,
        Delta::Thought(text) => told += &format!("<{text}>"),
        Delta::Call { name } => told += &format!("[{name}]"),
        Delta::Arguments(text) => told += &text,
    };
    for piece in pieces {
        reader.push(piece, &mut tell);
    }
    reader.end(&mut tell);
    let (problem, unread) = (reader.problem().cloned(), reader.unread().to_vec());
    Made { answer: reader.into_answer(), told: told.replace("><", ""), problem, unread }
}

/// An answer in one document, read as importers read it.
fn whole(body: Json) -> Answer {
    let (mut tools, mut unread) = (ToolNames::new(), ());
    Reader { tools: &mut tools, unread: &mut unread }.answer(body)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_stream_says_what_one_document_says(said in said()) {
        for dialect in ALL {
            let bytes = said.streamed(dialect).concat();
            let streamed = read([&bytes[..]]);
            let mut in_one = whole(said.whole(dialect));
            // Some dialects name the answer in one of the two forms only.
            in_one.id.clone_from(&streamed.answer.id);
            in_one.model.clone_from(&streamed.answer.model);
            in_one.finish = in_one.finish.or(streamed.answer.finish.clone());
            prop_assert_eq!(&streamed.answer, &in_one, "{:?}", dialect);
            prop_assert_eq!((&streamed.problem, &streamed.unread), (&None, &Vec::new()), "{:?}", dialect);
            let document = json::to_compact(&said.whole(dialect));
            let document = read([document.as_bytes()]);
            prop_assert_eq!(&document.answer.turn, &in_one.turn, "{:?}", dialect);
            prop_assert!(!document.answer.is_cut);
        }
    }

    #[test]
    fn bytes_may_be_cut_anywhere(said in said(), size in 1..40_usize, at in any::<proptest::sample::Index>()) {
        for dialect in ALL {
            let bytes = said.streamed(dialect).concat();
            let at_once = read([&bytes[..]]);
            prop_assert_eq!(&read(bytes.chunks(size)), &at_once, "{:?} in pieces of {}", dialect, size);
            let (first, second) = bytes.split_at(at.index(bytes.len()));
            prop_assert_eq!(&read([first, second]), &at_once, "{:?} cut at {}", dialect, first.len());
        }
    }

    #[test]
    fn a_stream_that_ends_early_says_so(said in said(), at in any::<proptest::sample::Index>()) {
        for dialect in ALL {
            let pieces = said.streamed(dialect);
            let bytes = pieces.concat();
            let text = said.words.concat();
            let is_whole = |made: &Made| !made.answer.is_cut;
            prop_assert!(is_whole(&read([&bytes[..]])), "{:?}", dialect);
            // Once the end was told, what is missing are counts and good-byes.
            let n_last = match dialect {
                Dialect::Anthropic | Dialect::Converse => 2,
                Dialect::Chat => 3,
                _ => 1,
            };
            let told = pieces[..pieces.len() - n_last].concat().len();
            let (mut reader, mut words) = (AnswerReader::default(), String::new());
            for (at, byte) in bytes[..told].iter().enumerate() {
                prop_assert!(!reader.is_complete(), "{:?} after {} of {}", dialect, at, bytes.len());
                reader.push(&[*byte], &mut |delta| if let Delta::Text(text) = delta { words += &text });
                prop_assert!(text.starts_with(&words), "{:?} after {}", dialect, at);
            }
            let end = at.index(told);
            let made = read([&bytes[..end]]);
            prop_assert!(made.answer.is_cut, "{:?} cut at {} of {}", dialect, end, bytes.len());
            prop_assert!(text.starts_with(&made.answer.text()), "{:?} cut at {}", dialect, end);
        }
    }

    #[test]
    fn what_is_not_understood_is_known_to_the_byte(
        said in said(),
        at in any::<proptest::sample::Index>(),
        strange in prop_oneof![
            Just("data: {\"type\":\"response.later_kind\",\"x\":1}\n\n"),
            Just("event: strange\ndata: {\"a\": oops\ndata: [1]}\n\n"),
            Just("data: plain words\r\n\r\n"),
        ],
    ) {
        for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Anthropic, Dialect::Gemini] {
            let mut pieces = said.streamed(dialect);
            let clean = read([&pieces.concat()[..]]);
            // Behind the first piece, by which the dialect is known.
            let at = 1 + at.index(pieces.len() - 1);
            pieces.insert(at, strange.as_bytes().to_vec());
            let start = pieces[..at].concat().len();
            let bytes = pieces.concat();
            let made = read([&bytes[..]]);
            prop_assert_eq!(&made.answer, &clean.answer, "{:?}", dialect);
            prop_assert_eq!(made.unread.len(), 1, "{:?}", dialect);
            let place = made.unread[0].start as usize..made.unread[0].end as usize;
            // A return ends a line; the line feed behind it stands before the next event.
            let told = bytes[place].strip_prefix(b"\n").unwrap_or(&bytes[start..start + strange.len()]);
            prop_assert_eq!(told.trim_ascii_end(), strange.as_bytes().trim_ascii_end(), "{:?}", dialect);
        }
    }

    #[test]
    fn events_do_not_depend_on_how_bytes_arrive(
        data in proptest::collection::vec("[a-zé:\\{\\} ]{0,20}", 0..6),
        ends in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
        size in 1..9_usize,
    ) {
        let mut text = String::new();
        for data in &data {
            text += &format!(": note{ends}event: e{ends}data: {data}{ends}{ends}");
        }
        let events = |size: usize| {
            let (mut reader, mut events) = (SseReader::default(), Vec::new());
            text.as_bytes().chunks(size).for_each(|piece| reader.push(piece, &mut |event| events.push(event)));
            events
        };
        let at_once = events(text.len().max(1));
        prop_assert_eq!(&at_once, &events(size));
        let told: Vec<_> = at_once.iter().map(|event| event.text().into_owned()).collect();
        prop_assert_eq!(told, data);
        // Events follow each other without a gap.
        prop_assert!(at_once.windows(2).all(|pair| pair[0].bytes.end == pair[1].bytes.start));
        prop_assert_eq!(at_once.first().map_or(0, |event| event.bytes.start), 0);
    }
}

#[test]
fn several_answers_in_one_text_are_told_apart() {
    let said = |word: &str| Said {
        thought: "hm".into(),
        words: vec![word.into()],
        calls: Vec::new(),
        input: 5,
        output: 3,
    };
    for dialect in [Dialect::Chat, Dialect::Responses, Dialect::Anthropic, Dialect::Gemini] {
        let mut text = said("one").streamed(dialect).concat();
        text.extend(said("two").streamed(dialect).concat());
        // Chat and Gemini go by the id of the answer.
        let text = String::from_utf8(text).unwrap();
        let (first, second) = text.split_at(text.len() / 2);
        let text = first.to_owned() + &second.replace("\"a1\"", "\"a2\"");
        let all: Vec<String> = answers(&text).into_iter().map(|joined| read_joined(joined).text()).collect();
        assert_eq!(all, ["one", "two"], "{dialect:?}");
    }
}

fn read_joined(joined: JoinedAnswer) -> Answer {
    let (mut tools, mut unread) = (ToolNames::new(), ());
    Reader { tools: &mut tools, unread: &mut unread }.joined(joined)
}

#[test]
fn a_list_without_pieces_is_handed_back() {
    let list = || vec![Json::from("a"), Json::Int(5)];
    assert_eq!(joined(list()), Err(list()));
    assert!(answers("data: 5\n").is_empty());
}

#[test]
fn refusals_and_filters_are_told() {
    let refusal =
        "data: {\"choices\":[{\"delta\":{\"refusal\":\"I can't.\"},\"finish_reason\":\"stop\"}]}\n\n";
    let made = read([refusal.as_bytes()]);
    assert_eq!(made.answer.ended(), Some(Finish::Refused("I can't.".to_owned())));
    assert_eq!((made.told.as_str(), made.answer.text().as_str()), ("I can't.", "I can't."));
    let blocked = "data: {\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}\n\n";
    let answer = read([blocked.as_bytes()]).answer;
    assert!(!answer.is_cut && answer.is_empty());
    assert_eq!(answer.ended(), Some(Finish::Filtered("SAFETY".to_owned())));
    let filtered = r#"{"object":"response","status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}"#;
    let answer = read([filtered.as_bytes()]).answer;
    assert_eq!(answer.ended(), Some(Finish::Filtered("content_filter".to_owned())));
}

#[test]
fn what_is_no_answer_is_a_problem() {
    let problem = |text: &str| read([text.as_bytes()]).problem;
    let malformed = |excerpt: &str| Some(StreamError::Malformed { excerpt: excerpt.to_owned() });
    assert_eq!(problem("data: {\"choices\": oops\n\n"), malformed("{\"choices\": oops"));
    assert_eq!(problem("{\"choices\": oops}"), malformed("{\"choices\": oops}"));
    assert_eq!(problem("<html>Welcome</html>"), malformed("<html>Welcome</html>"));
    assert_eq!(problem(": keep-alive\n\n"), None);
    let overloaded = "data: {\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}\n\n";
    let told =
        StreamError::Provider { code: "overloaded_error".to_owned(), message: "Overloaded".to_owned() };
    assert_eq!(problem(overloaded), Some(told.clone()));
    assert_eq!(problem(&overloaded["data: ".len()..]), Some(told));
    let made = read([b"data: {\"choices\":[{\"delta\":{\"content\":\"It \"}}]}\n\n", overloaded.as_bytes()]);
    assert_eq!((made.answer.text().as_str(), made.answer.is_cut), ("It ", true));
    assert_eq!(made.answer.error, Some(("overloaded_error".into(), "Overloaded".into())));
}

#[test]
fn events_a_line_are_read() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\ndata: [DONE]\n";
    let made = read([text.as_bytes()]);
    assert_eq!((made.answer.text().as_str(), made.answer.is_cut, made.unread.len()), ("ab", false, 0));
}
