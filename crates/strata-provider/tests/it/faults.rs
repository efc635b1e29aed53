//! Everything that can go wrong, and the clear state each ends in.

use std::time::{Duration, Instant};

use strata_provider::{AskOptions, CallErrorKind, Client, Progress};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};
use strata_wire::{Api, Finish};
use tokio_util::sync::CancellationToken;

use super::{KEY, client, endpoint, never, request, run};

/// What is expected of a play.
struct Expected {
    /// `None`: an answer.
    error: Option<CallErrorKind>,
    /// What came of the answer, at least its beginning.
    text: &'static str,
    /// Requests that the server saw.
    requests: usize,
    may_be_charged: bool,
}

const GOOD: Expected = Expected { error: None, text: "It is ready.", requests: 1, may_be_charged: true };

fn status(status: u16, body: &str) -> Play {
    Play::Status { status, headers: Vec::new(), body: body.to_owned() }
}

fn table() -> Vec<(&'static str, Vec<Play>, Expected)> {
    let whole = || chat_stream("It is ready.", 100, 4);
    let good = || Play::Stream { body: whole(), piece: 64 };
    let cut_at = whole().find("ready").expect("it says so");
    let later = Play::Status {
        status: 429,
        headers: vec![("Retry-After", "0.05".to_owned())],
        body: r#"{"error":{"message":"Slow down"}}"#.to_owned(),
    };
    let much_later = Play::Status {
        status: 429,
        headers: vec![("Retry-After", "7200".to_owned())],
        body: r#"{"error":{"message":"Daily limit"}}"#.to_owned(),
    };
    let quoting = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    let failed =
        |kind, text, requests, may_be_charged| Expected { error: Some(kind), text, requests, may_be_charged };
    vec![
        ("odd chunks, one byte each", vec![Play::Stream { body: whole(), piece: 1 }], GOOD),
        ("odd chunks, seven bytes each", vec![Play::Stream { body: whole(), piece: 7 }], GOOD),
        ("one document in place of a stream", vec![Play::Document(
            r#"{"model":"m","choices":[{"message":{"content":"It is ready."},"finish_reason":"stop"}]}"#.to_owned(),
        )], GOOD),
        ("429 with Retry-After, then success", vec![later, good()], Expected { requests: 2, ..GOOD }),
        ("429 that asks for hours", vec![much_later], failed(CallErrorKind::RateLimited, "", 1, false)),
        ("500 twice, then success", vec![status(500, "oops"), status(500, "oops"), good()], Expected { requests: 3, ..GOOD }),
        ("500 for good", vec![status(503, "down"); 4], failed(CallErrorKind::ServerFailed, "", 4, false)),
        ("401 that quotes the key", vec![status(401, &quoting)], failed(CallErrorKind::Unauthorised, "", 1, false)),
        ("null content, and no usage", vec![Play::Stream { body: [
            r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}"#,
            r#"data: {"choices":[{"index":0,"delta":{"content":"It is ready."},"finish_reason":null}],"usage":null}"#,
            r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            "data: [DONE]",
            "",
        ].join("\n\n"), piece: 31 }], GOOD),
        ("a prompt that is too long", vec![status(400, r#"{"error":{"message":"litellm.ContextWindowExceededError: too many tokens\n\nSet fallbacks","type":"invalid_request_error","code":"400"}}"#)],
            failed(CallErrorKind::BadRequest, "", 1, false)),
        ("a model it does not have", vec![status(400, r#"{"error":{"message":"Invalid model name passed in model=m"}}"#)],
            failed(CallErrorKind::NotFound, "", 1, false)),
        ("404", vec![status(404, r#"{"error":{"message":"no model"}}"#)], failed(CallErrorKind::NotFound, "", 1, false)),
        ("redirect elsewhere", vec![Play::Status {
            status: 307,
            headers: vec![("Location", "http://192.0.2.1/".to_owned())],
            body: String::new(),
        }], failed(CallErrorKind::Misconfigured, "", 1, false)),
        ("connection cut half-way", vec![Play::Cut { body: whole(), after: cut_at }],
            failed(CallErrorKind::CutOff, "It is ", 1, true)),
        ("stream ends without an end", vec![Play::Stream { body: whole()[..cut_at - 60].to_owned(), piece: 64 }],
            failed(CallErrorKind::CutOff, "It is ", 1, true)),
        ("stalled stream", vec![Play::Stall { body: whole(), after: cut_at }],
            failed(CallErrorKind::TimedOut, "It is ", 1, true)),
        ("no answer begins", vec![Play::Silence], failed(CallErrorKind::TimedOut, "", 1, true)),
        ("malformed JSON", vec![Play::Stream {
            body: format!("{}data: {{\"choices\": [oops\n\n", &whole()[..whole().find("data: {\"choices\"").expect("a last piece")]),
            piece: 50,
        }], failed(CallErrorKind::Malformed, "It is ready.", 1, true)),
        ("a page of HTML", vec![Play::Page("<!doctype html>\n<html>\n<body>Welcome</body>\n</html>\n".to_owned())],
            failed(CallErrorKind::Malformed, "", 1, false)),
        ("a page of HTML that is said to be JSON", vec![Play::Document("\n<html>\nWelcome\n</html>".to_owned())],
            failed(CallErrorKind::Malformed, "", 1, false)),
        ("connection cut in the length of a piece", vec![Play::CutInLength { body: whole(), after: cut_at }],
            failed(CallErrorKind::CutOff, "It is ", 1, true)),
        ("500 that is about the request", vec![status(500, r#"{"error":{"code":500,"message":"Jinja Exception: Conversation roles must alternate","type":"server_error"}}"#)],
            failed(CallErrorKind::ServerFailed, "", 1, false)),
        ("500 that says so by its type", vec![status(500, r#"{"error":{"message":"bad field","type":"invalid_request_error"}}"#)],
            failed(CallErrorKind::ServerFailed, "", 1, false)),
        ("a picture that is refused", vec![status(500, r#"{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}"#)],
            failed(CallErrorKind::PictureRefused, "", 1, false)),
        ("error in the middle", vec![Play::Stream {
            body: "data: {\"choices\":[{\"delta\":{\"content\":\"It \"}}]}\n\ndata: {\"error\":{\"message\":\"Overloaded\"}}\n\n".to_owned(),
            piece: 9,
        }], failed(CallErrorKind::ServerFailed, "It ", 1, true)),
        ("empty answer", vec![Play::Stream { body: chat_stream("", 100, 0), piece: 64 }],
            failed(CallErrorKind::Empty, "", 1, true)),
        ("nothing at all", vec![Play::Stream { body: String::new(), piece: 1 }], failed(CallErrorKind::Empty, "", 1, true)),
    ]
}

#[test]
fn every_fault_ends_in_a_clear_state() {
    println!("{:<36} {:<14} {:>8}  {:<9} kept", "fault", "ends in", "requests", "charged");
    for (name, script, expected) in table() {
        let server = ModelServer::start(script, Some(KEY));
        let endpoint = endpoint(&server, Api::ChatCompletions);
        let mut streamed = String::new();
        let asked = run(client().ask(
            &endpoint,
            "m",
            &request("Ready?"),
            AskOptions::default(),
            &never(),
            &mut |progress| {
                if let Progress::Delta(strata_wire::Delta::Text(text)) = progress {
                    streamed += &text;
                }
            },
        ));
        let (state, text, is_charged, message) = match &asked {
            Ok(answer) => ("answer", answer.text(), true, String::new()),
            Err(error) => (
                error.kind.name(),
                error.partial.as_ref().map(|partial| partial.text()).unwrap_or_default(),
                error.may_be_charged,
                error.message.clone(),
            ),
        };
        println!(
            "{name:<36} {state:<14} {:>8}  {is_charged:<9} {text:?}  {message}",
            server.received().len()
        );
        assert_eq!(state, expected.error.map_or("answer", CallErrorKind::name), "{name}: {message}");
        // Whoever is not asked again is not told to, unless an answer had begun.
        let is_for_good = state == "server_failed" && expected.requests == 1 && text.is_empty();
        assert!(!is_for_good || !message.contains("Try again"), "{name}: {message}");
        assert_eq!(text, expected.text, "{name}");
        assert_eq!(streamed, text, "{name}: what was shown is what is kept");
        assert_eq!(server.received().len(), expected.requests, "{name}");
        assert_eq!(is_charged, expected.may_be_charged, "{name}");
        assert_eq!(server.problems(), [""; 0], "{name}");
        assert!(!format!("{asked:?}").contains(KEY), "{name}: the key is in {asked:?}");
    }
}

/// What people are told of each fault: nothing of how programs talk about it, and nothing of what others keep.
#[test]
fn faults_are_told_in_plain_words() {
    for (name, script, expected) in table() {
        if expected.error.is_none() {
            continue;
        }
        let server = ModelServer::start(script, Some(KEY));
        let endpoint = endpoint(&server, Api::ChatCompletions);
        let asked =
            run(client().ask(&endpoint, "m", &request("?"), AskOptions::default(), &never(), &mut |_| ()));
        let message = asked.expect_err("it is a fault").message;
        for jargon in ["os error", "EOF", "chunk", "hyper", "is kept", "What had come"] {
            assert!(!message.contains(jargon), "{name}: {message}");
        }
        assert!(message.ends_with(['.', '?', '!', '…']), "{name}: {message}");
    }
}

#[test]
fn an_answer_may_be_given_longer_to_begin() {
    let server = ModelServer::start(vec![Play::Silence, Play::Silence], Some(KEY));
    let mut endpoint = endpoint(&server, Api::ChatCompletions);
    for (first_byte, least) in [(Duration::from_millis(60), 60), (Duration::from_millis(900), 900)] {
        endpoint.first_byte = Some(first_byte);
        let begun = Instant::now();
        let asked =
            run(client().ask(&endpoint, "m", &request("?"), AskOptions::default(), &never(), &mut |_| ()));
        assert_eq!(asked.expect_err("nothing comes").kind, CallErrorKind::TimedOut);
        assert!(begun.elapsed().as_millis() >= least, "{:?}", begun.elapsed());
    }
}

#[test]
fn a_refusal_is_an_answer_that_says_so() {
    let body = "data: {\"choices\":[{\"delta\":{\"refusal\":\"I will not.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let server = ModelServer::start(vec![Play::Stream { body: body.to_owned(), piece: 5 }], Some(KEY));
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let answer =
        run(client().ask(&endpoint, "m", &request("?"), AskOptions::default(), &never(), &mut |_| ()));
    assert_eq!(answer.expect("an answer").ended(), Some(Finish::Refused("I will not.".to_owned())));
}

#[test]
fn ten_megabytes_are_taken_and_no_end_is_not() {
    let text = "words and words ".repeat(10 << 16);
    let mut said = String::new();
    strata_model::json::write_compact_string(&mut said, &text);
    let body = format!(
        "data: {{\"choices\":[{{\"delta\":{{\"content\":{said}}}}}]}}\n\ndata: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}\n\n"
    );
    let plays = || vec![Play::Stream { body: body.clone(), piece: 60_000 }];
    let server = ModelServer::start(plays(), Some(KEY));
    let endpoint_ = endpoint(&server, Api::ChatCompletions);
    let answer =
        run(client().ask(&endpoint_, "m", &request("?"), AskOptions::default(), &never(), &mut |_| ()));
    assert_eq!(answer.expect("an answer").text().len(), text.len());
    assert!(text.len() >= 10 << 20);

    let server = ModelServer::start(plays(), Some(KEY));
    let mut small = client();
    small.limits.answer_bytes = 1 << 20;
    let endpoint_ = endpoint(&server, Api::ChatCompletions);
    let ended = run(small.ask(&endpoint_, "m", &request("?"), AskOptions::default(), &never(), &mut |_| ()));
    assert_eq!(ended.expect_err("it is too long").kind, CallErrorKind::TooLong);
}

/// Cancels after a moment, and says how long it took to be heard.
fn cancelled(script: Vec<Play>, client: &Client) -> (CallErrorKind, Duration) {
    let server = ModelServer::start(script, Some(KEY));
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let stop = CancellationToken::new();
    let presses = stop.clone();
    let pressed = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(150));
        presses.cancel();
        Instant::now()
    });
    let ended = run(client.ask(&endpoint, "m", &request("?"), AskOptions::default(), &stop, &mut |_| ()));
    let heard = Instant::now();
    let kind = ended.expect_err("it was cancelled").kind;
    (kind, heard.duration_since(pressed.join().expect("the thread ends")))
}

#[test]
fn cancelling_is_heard_at_once_wherever_it_happens() {
    let mut patient = client();
    patient.limits.first_byte = Duration::from_mins(1);
    patient.limits.stall = Duration::from_mins(1);
    patient.limits.first_wait = Duration::from_secs(30);
    let body = chat_stream("It is ready.", 1, 1);
    for (name, script) in [
        ("before the answer", vec![Play::Silence]),
        ("in the middle of it", vec![Play::Stall { body, after: 80 }]),
        ("between attempts", vec![status(503, "later")]),
    ] {
        let (kind, took) = cancelled(script, &patient);
        println!("cancelled {name}: {} ms", took.as_millis());
        assert_eq!(kind, CallErrorKind::Cancelled, "{name}");
        assert!(took < Duration::from_millis(200), "{name}: {took:?}");
    }
}

#[test]
fn a_prompt_that_is_too_long_is_told_in_plain_words() {
    let body = r#"{"error":{"message":"This model's maximum context length is 8192 tokens.\n\nSee the manual","code":"context_length_exceeded"}}"#;
    let server = ModelServer::start(vec![status(400, body)], Some(KEY));
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let options = AskOptions::default();
    let asked = run(client().ask(&endpoint, "m", &request("Ready?"), options, &never(), &mut |_| {}));
    let message = asked.expect_err("it is refused").message;
    assert!(
        message.contains("is longer than the model at") && message.contains("smaller windows"),
        "{message}"
    );
    assert!(message.ends_with("It says: This model's maximum context length is 8192 tokens."), "{message}");
}
