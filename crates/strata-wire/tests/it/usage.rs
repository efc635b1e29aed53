//! What a call has cost, in every shape it is told in.

use strata_model::{Json, Object, json};
use strata_wire::usage::spelling::{self, Spelling};
use strata_wire::usage::{Counts, UsageReport, read, take_from_answer};

fn object(text: &str) -> Object {
    let Ok(Json::Object(object)) = json::parse(text.as_bytes()) else { panic!("no object: {text}") };
    object
}

/// Prompt, of it cached, visible output and thoughts.
type Expected = (u64, Option<u64>, u64, Option<u64>);

#[track_caller]
fn check(usage: &str, expected: Expected) {
    let report = read(object(usage), "usage", &mut ()).unwrap();
    let usage = &report.usage;
    let got = (
        usage.prompt_token_count.unwrap_or(0),
        usage.cached_content_token_count,
        usage.candidates_token_count.unwrap_or(0),
        usage.thoughts_token_count,
    );
    assert_eq!(got, expected);
    // What is paid in full is what is neither read nor written, and never below nothing.
    let counts = report.counts();
    assert!(counts.cached.unwrap_or(0) + counts.written.unwrap_or(0) <= got.0);
}

#[test]
fn chat_counts_the_cache_within_the_prompt() {
    check(
        r#"{"prompt_tokens":2006,"completion_tokens":300,"total_tokens":2306,"prompt_tokens_details":{"cached_tokens":1920,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":250}}"#,
        (2006, Some(1920), 50, Some(250)),
    );
    check(r#"{"prompt_tokens":50,"completion_tokens":5,"prompt_tokens_details":null}"#, (50, None, 5, None));
    check(
        r#"{"prompt_tokens":100,"completion_tokens":9,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}"#,
        (100, Some(64), 9, None),
    );
}

#[test]
fn a_zero_that_is_said_is_told_from_silence() {
    check(
        r#"{"prompt_tokens":50,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":0}}"#,
        (50, Some(0), 5, None),
    );
    check(
        r#"{"input_tokens":21,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":3}"#,
        (21, Some(0), 3, None),
    );
}

#[test]
fn a_zero_that_a_tool_fills_in_is_silence() {
    let zeros = r#"{"input":90,"output":5,"reasoning":0,"cache":{"read":0,"write":0}}"#;
    let counts = spelling::OPENCODE.read(&object(zeros));
    assert_eq!((counts.input, counts.cached, counts.written, counts.thoughts), (Some(90), None, None, None));
    // Gemini's own client fills in what Gemini leaves out because it is zero.
    let counts = spelling::GEMINI_CLI.read(&object(r#"{"input":90,"output":5,"cached":0,"thoughts":0}"#));
    assert_eq!((counts.cached, counts.thoughts), (Some(0), Some(0)));
}

#[test]
fn responses_count_the_cache_within_the_input() {
    check(
        r#"{"input_tokens":1500,"input_tokens_details":{"cached_tokens":1408},"output_tokens":40,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":1540}"#,
        (1500, Some(1408), 40, Some(0)),
    );
}

#[test]
fn messages_count_the_cache_beside_the_input() {
    check(
        r#"{"input_tokens":21,"cache_creation_input_tokens":188,"cache_read_input_tokens":5000,"cache_creation":{"ephemeral_5m_input_tokens":188},"output_tokens":393}"#,
        (5209, Some(5000), 393, None),
    );
    // The steps of a call are its truth; the counts above them are those of the last.
    let steps = r#"{"input_tokens":9,"cache_read_input_tokens":0,"output_tokens":1,"iterations":[{"input_tokens":50,"output_tokens":2},{"input_tokens":9,"cache_read_input_tokens":7,"output_tokens":1}]}"#;
    check(steps, (66, Some(7), 3, None));
    assert_eq!(read(object(steps), "usage", &mut ()).unwrap().top_level_input, Some(9));
    let written = r#"{"input_tokens":1,"cache_creation_input_tokens":8,"cache_creation":{"ephemeral_1h_input_tokens":8},"output_tokens":2}"#;
    let write = read(object(written), "usage", &mut ()).unwrap().cache_write.unwrap();
    assert_eq!(json::object_to_compact(&write), r#"{"tokens":8,"ephemeral1h":8}"#);
}

#[test]
fn converse_counts_the_cache_beside_the_input_and_others_within() {
    check(
        r#"{"inputTokens":10,"outputTokens":5,"cacheReadInputTokens":4,"cacheWriteInputTokens":1}"#,
        (15, Some(4), 5, None),
    );
    check(
        r#"{"input_tokens":10,"output_tokens":5,"input_token_details":{"cache_read":4}}"#,
        (10, Some(4), 5, None),
    );
}

#[test]
fn gemini_and_adk_count_the_cache_within_the_prompt() {
    let camel = r#"{"promptTokenCount":6000,"cachedContentTokenCount":4096,"candidatesTokenCount":20,"thoughtsTokenCount":80,"totalTokenCount":6100}"#;
    check(camel, (6000, Some(4096), 20, Some(80)));
    check(
        r#"{"prompt_token_count":6000,"cached_content_token_count":4096,"candidates_token_count":20}"#,
        (6000, Some(4096), 20, None),
    );
}

#[test]
fn an_answer_holds_its_usage_in_many_places() {
    let taken = |text: &str| {
        let mut body = object(text);
        let usage = take_from_answer(&mut body, &mut ()).map(|report| report.usage);
        usage.map(|usage| (usage.prompt_token_count.unwrap_or(0), usage.cached_content_token_count))
    };
    assert_eq!(taken(r#"{"usage":{"prompt_tokens":3,"completion_tokens":1}}"#), Some((3, None)));
    assert_eq!(taken(r#"{"usageMetadata":{"promptTokenCount":4}}"#), Some((4, None)));
    assert_eq!(taken(r#"{"prompt_eval_count":5,"eval_count":1}"#), Some((5, None)));
    // llama.cpp counts what it computed, and tells its cache beside.
    assert_eq!(
        taken(r#"{"timings":{"cache_n":236,"prompt_n":14,"predicted_n":35}}"#),
        Some((250, Some(236)))
    );
    let beside =
        r#"{"usage":{"prompt_tokens":250,"completion_tokens":35},"timings":{"cache_n":236,"prompt_n":14}}"#;
    assert_eq!(taken(beside), Some((250, Some(236))));
    for nothing in ["{}", r#"{"usage":null}"#, r#"{"usage":{"prompt_tokens":"many"}}"#] {
        assert_eq!(taken(nothing), None, "{nothing}");
    }
}

#[test]
fn parts_are_counted_once_in_every_spelling() {
    let take = |spelling: &Spelling, text: &str| {
        let mut object = object(text);
        let counts = spelling.take(&mut object);
        assert!(
            object.is_empty() || object.values().all(|left| left.as_object().is_some_and(Object::is_empty))
        );
        (counts.input, counts.output)
    };
    let opencode = r#"{"input":10,"output":5,"reasoning":2,"cache":{"read":100,"write":3}}"#;
    assert_eq!(take(&spelling::OPENCODE, opencode), (Some(113), Some(5)));
    assert_eq!(take(&spelling::OPENCODE_OF_GEMINI, opencode), (Some(113), Some(7)));
    let roo = r#"{"tokensIn":10,"tokensOut":5,"cacheReads":4,"cacheWrites":1}"#;
    assert_eq!(take(&spelling::CLINE_REQUEST, roo), (Some(15), Some(5)));
    assert_eq!(take(&spelling::CLINE_REQUEST_OF_OPENAI, roo), (Some(10), Some(5)));
    let gemini = r#"{"input":10,"cached":4,"output":5,"thoughts":2,"total":17}"#;
    assert_eq!(take(&spelling::GEMINI_CLI, gemini), (Some(10), Some(7)));
    let langfuse = r#"{"input":10,"output":5,"input_cached_tokens":4,"total":19}"#;
    let counts = spelling::LANGFUSE.take(&mut object(langfuse));
    assert_eq!((counts.input, counts.with_parts_beside().input), (Some(10), Some(14)));
    assert_eq!(Counts { total: Some(15), ..counts }.with_parts_beside().input, Some(10));
}

/// Versions of one writer, and providers behind it, do not agree on what holds what.
#[test]
fn a_total_tells_what_its_counts_hold() {
    let take = |spelling: &Spelling, text: &str| {
        let counts = spelling.read(&object(text));
        (counts.input, counts.output)
    };
    // opencode 1.18 leaves the reasoning out of the output, versions before it do not.
    let opencode = r#"{"total":7810,"input":3937,"output":28,"reasoning":5,"cache":{"write":0,"read":3840}}"#;
    assert_eq!(take(&spelling::OPENCODE, opencode), (Some(7777), Some(33)));
    let older = opencode.replace("7810", "7805");
    assert_eq!(take(&spelling::OPENCODE, &older), (Some(7777), Some(28)));
    let qwen = r#"{"input":10,"cached":4,"output":5,"thoughts":2,"total":15}"#;
    assert_eq!(take(&spelling::GEMINI_CLI, qwen), (Some(10), Some(5)));
    // Inspect passes on what OpenAI counts within the input, and Anthropic beside it.
    let inspect =
        r#"{"input_tokens":900,"input_tokens_cache_read":800,"output_tokens":50,"total_tokens":950}"#;
    assert_eq!(take(&spelling::INSPECT, inspect), (Some(900), Some(50)));
    assert_eq!(take(&spelling::INSPECT, &inspect.replace(":950", ":1750")), (Some(1700), Some(50)));
    assert_eq!(take(&spelling::INSPECT, &inspect.replace(":800", ":5000")), (Some(5900), Some(50)));
    // LiteLLM in google-adk, and Qwen Code, give counts of OpenAI's shape the names of Gemini's.
    let of_litellm =
        r#"{"promptTokenCount":100,"candidatesTokenCount":40,"thoughtsTokenCount":30,"totalTokenCount":140}"#;
    check(of_litellm, (100, None, 10, Some(30)));
    check(&of_litellm.replace(":140", ":170"), (100, None, 40, Some(30)));
}

/// google-adk's debug log and Langfuse keep Gemini's total and not its count of thoughts.
#[test]
fn what_a_total_has_beside_input_and_answer_was_thought() {
    let gemini = r#"{"prompt_token_count":700,"candidates_token_count":20,"total_token_count":727}"#;
    let usage = read(object(gemini), "usage", &mut ()).unwrap().usage;
    assert_eq!(
        (usage.visible_tokens(), usage.thought_tokens(), usage.output_tokens()),
        (Some(20), Some(7), Some(27))
    );
    let langfuse = spelling::LANGFUSE.read(&object(r#"{"input":5,"output":845,"total":2023}"#));
    assert_eq!(UsageReport::from(langfuse).usage.output_tokens(), Some(2018));
    let output = |text: &str| read(object(text), "usage", &mut ()).unwrap().usage.output_tokens();
    // What else a total may have more of is no thought.
    assert_eq!(output(&gemini.replace('}', r#","tool_use_prompt_token_count":7}"#)), Some(20));
    assert_eq!(output(&gemini.replace('}', r#","cached_content_token_count":7}"#)), Some(20));
    assert_eq!(output(&gemini.replace("727", "720")), Some(20));
    assert_eq!(
        output(r#"{"prompt_token_count":0,"candidates_token_count":0,"total_token_count":5979}"#),
        Some(0)
    );
}
