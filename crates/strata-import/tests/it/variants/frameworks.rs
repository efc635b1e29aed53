//! What frameworks write, held against counts that were made from the same files by other means.

use strata_import::{Format, import, import_tables, marks};
use strata_model::{Json, json};

use super::{session, told, unmapped};
use crate::counted::{check, count, words};
use crate::formats::tables;
use crate::support::sample;

#[test]
fn samples_have_the_counts_of_their_files() {
    let cases: [(&str, &str, [u64; 5], [u64; 3]); 10] = [
        ("pydantic-ai-messages", "pydantic-ai.json", [1, 2, 4, 4, 4], [6720, 2048, 198]),
        ("openai-agents-trace", "openai-agents-trace.jsonl", [1, 2, 4, 3, 3], [5440, 2048, 166]),
        // A trace of the Responses API has neither prompts nor the call that hands over.
        ("openai-agents-trace", "openai-agents-responses.jsonl", [1, 0, 4, 2, 2], [4800, 2048, 150]),
        ("autogen-json", "autogen-team.json", [1, 1, 3, 2, 2], [6900, 0, 195]),
        ("smolagents-memory", "smolagents.json", [1, 2, 4, 2, 2], [8640, 1024, 246]),
        ("smolagents-memory", "smolagents-tools.json", [1, 1, 2, 2, 2], [3600, 1024, 105]),
        ("mlflow-trace", "mlflow-trace.json", [1, 1, 2, 2, 2], [4800, 1024, 135]),
        ("braintrust-spans", "braintrust.jsonl", [3, 3, 3, 2, 2], [3300, 1536, 105]),
        ("llama-index-memory", "llama-index.json", [1, 1, 2, 2, 2], [0, 0, 0]),
        ("crewai-output-json", "crewai.json", [1, 0, 3, 2, 2], [0, 0, 0]),
    ];
    for (format, name, numbers, tokens) in cases {
        check(format, sample(name), numbers, tokens);
    }
}

#[test]
fn databases_have_the_counts_of_their_rows() {
    let numbers = |name: &str| {
        let imported = import_tables(&mut tables(&sample(name)));
        let counted = count(&imported);
        (counted.turns, counted.responses, counted.calls, counted.results, counted.tokens)
    };
    // Sums of turns count, and are no calls.
    assert_eq!(numbers("openai-agents.tables.json"), (5, 10, 9, 9, [9840, 3072, 291]));
    assert_eq!(numbers("llama-index.tables.json"), (1, 2, 2, 2, [0, 0, 0]));
    assert_eq!(numbers("crewai.tables.json").1, 3);
}

#[test]
fn the_total_of_a_crew_is_said_and_not_counted() {
    let imported = import(&sample("crewai.json"));
    assert_eq!(count(&imported).tokens, [0, 0, 0]);
    let told: Vec<_> = imported.diagnostics.iter().map(|it| (it.code, &*it.message)).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].0 == "own-total-alone" && told[0].1.contains("19800 input tokens"), "{told:?}");
}

#[test]
fn a_trajectory_counts_sub_agents_and_sums_once() {
    let imported = import(&sample("atif.json"));
    assert_eq!(imported.diagnostics, []);
    // A deterministic step is no call, and a sum of two calls is one number.
    assert_eq!(count(&imported).tokens, [5710, 2148, 107]);
    let branches: Vec<_> =
        imported.sessions[0].session.events.iter().map(|event| event.branch.as_deref().unwrap()).collect();
    assert_eq!(branches.iter().filter(|branch| **branch == "agent.c2").count(), 2, "{branches:?}");
}

const STEPS: &str = r#"[{"step_id":1,"source":"user","message":"Hi","is_copied_context":true},{"step_id":2,"source":"agent","message":"Hello","is_copied_context":true,"metrics":{"prompt_tokens":10,"completion_tokens":2}},{"step_id":3,"source":"user","message":"And?"},{"step_id":4,"source":"agent","message":"More.","metrics":{"prompt_tokens":20,"completion_tokens":3}}]"#;

#[test]
fn what_a_trajectory_copies_of_an_earlier_one_is_not_paid_twice() {
    let text =
        format!(r#"{{"schema_version":"ATIF-v1.7","agent":{{"name":"a","version":"1"}},"steps":{STEPS}}}"#);
    let one = session(Format::ATIF, &text);
    assert_eq!(told(&one), ["user: Hi", "a: Hello", "user: And?", "a: More. 20+3"]);
    assert_eq!((one.facts.model_responses, one.facts.input_tokens), (1, 20));
    assert_eq!(one.unmapped.fields.get("step.metrics.copied"), Some(&1));
}

#[test]
fn sub_agents_of_one_name_are_all_told() {
    let inner = |text: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.7","trajectory_id":"t","agent":{{"name":"s","version":"1"}},"steps":[{{"step_id":1,"source":"agent","message":"{text}"}}]}}"#
        )
    };
    let text = format!(
        r#"{{"schema_version":"ATIF-v1.7","agent":{{"name":"a","version":"1"}},"steps":{STEPS},"subagent_trajectories":[{},{}]}}"#,
        inner("First."),
        inner("Second.")
    );
    let told = told(&session(Format::ATIF, &text));
    assert!(told.contains(&"s: First.".to_owned()) && told.contains(&"s: Second.".to_owned()), "{told:?}");
}

#[test]
fn a_trajectory_whose_total_differs_is_said() {
    let text = format!(
        r#"{{"schema_version":"ATIF-v1.2","agent":{{"name":"a","version":"1"}},"steps":{STEPS},"final_metrics":{{"total_prompt_tokens":50,"total_completion_tokens":3}}}}"#
    );
    let imported = import(text.as_bytes());
    let codes: Vec<_> = imported.diagnostics.iter().map(|it| it.code).collect();
    assert_eq!(codes, ["own-total-differs"]);
}

#[test]
fn parts_of_pydantic_ai_of_every_kind() {
    let text = r#"[
        {"kind":"request","parts":[
            {"part_kind":"user-prompt","content":["Look",{"kind":"image-url","url":"https://x.test/a.png"},{"kind":"binary","data":"aGk=","media_type":"image/png"},{"kind":"cache-point"}]}]},
        {"kind":"response","model_name":"m","vendor_id":"r1","usage":{"requests":1,"request_tokens":9,"response_tokens":4,"details":{"reasoning_tokens":3}},"parts":[
            {"part_kind":"thinking","content":"why","signature":"s"},
            {"part_kind":"builtin-tool-call","tool_name":"web_search","args":{"q":"x"},"tool_call_id":"b1"},
            {"part_kind":"builtin-tool-return","tool_name":"web_search","content":{"n":1},"tool_call_id":"b1"},
            {"part_kind":"tool-call","tool_name":"f","args":{"a":1},"tool_call_id":"t1"}]},
        {"kind":"request","parts":[
            {"part_kind":"retry-prompt","content":"no such thing","tool_name":"f","tool_call_id":"t1"},
            {"part_kind":"retry-prompt","content":[{"type":"missing","msg":"Field required"}]}]},
        {"kind":"response","usage":{"input_tokens":0,"output_tokens":0},"parts":[{"part_kind":"text","content":"Done"}]}]"#;
    let one = session(Format::PYDANTIC_AI, text);
    assert_eq!(
        told(&one),
        [
            "user: Look, …, …",
            "agent: (why), …, …, call f 9+4",
            "agent: result of f",
            r#"user [retry]: [{"type":"missing","msg":"Field required"}]"#,
            "agent: Done"
        ]
    );
    assert_eq!(one.facts.thoughts_tokens, 3);
    assert_eq!(one.facts.usage_events, 1);
    assert!(one.unmapped.fields.keys().all(|key| !key.starts_with("content")), "{:?}", one.unmapped.fields);
}

#[test]
fn an_image_that_a_tool_of_pydantic_ai_returned_is_an_image() {
    let file = r#"{"kind":"binary","data":"aGk=","media_type":"image/png","vendor_metadata":null,"identifier":"a1"}"#;
    let text = format!(
        r#"[{{"kind":"response","parts":[{{"part_kind":"tool-call","tool_name":"shot","args":{{}},"tool_call_id":"t1"}}]}},
        {{"kind":"request","parts":[{{"part_kind":"tool-return","tool_name":"shot","content":[{file},"a cat"],"tool_call_id":"t1"}}]}}]"#
    );
    let one = session(Format::PYDANTIC_AI, &text);
    let result = one.session.events[1].function_responses().next().unwrap();
    assert_eq!(result.response.as_ref().unwrap().get("result"), Some(&Json::from("a cat")));
    let files = result.other.get("parts").map(json::to_compact);
    assert_eq!(files.as_deref(), Some(r#"[{"inlineData":{"data":"aGk=","mimeType":"image/png"}}]"#));
    assert!(one.unmapped.fields.is_empty(), "{:?}", one.unmapped.fields);
}

#[test]
fn messages_without_an_id_belong_to_the_conversation_that_goes_on_from_them() {
    let text = r#"[
        {"kind":"request","parts":[{"part_kind":"user-prompt","content":"Hi"}]},
        {"kind":"response","parts":[{"part_kind":"text","content":"Hello"}]},
        {"kind":"request","conversation_id":"c","parts":[{"part_kind":"user-prompt","content":"And?"}]},
        {"kind":"response","conversation_id":"c","parts":[{"part_kind":"text","content":"More"}]},
        {"kind":"request","conversation_id":"d","parts":[{"part_kind":"user-prompt","content":"Other"}]}]"#;
    let imported = import(text.as_bytes());
    let ids: Vec<_> = imported.sessions.iter().map(|one| &*one.session.id).collect();
    assert_eq!(ids, ["c", "d"]);
    assert_eq!(told(&imported.sessions[0]), ["user: Hi", "agent: Hello", "user: And?", "agent: More"]);
}

#[test]
fn a_message_a_line_and_a_list_under_a_name() {
    let line = r#"{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Hi"}]}"#;
    let answer = r#"{"kind":"response","parts":[{"part_kind":"text","content":"Hello"}]}"#;
    for text in
        [format!("{line}\n{answer}\n"), format!(r#"{{"id":"s","message_history":[{line},{answer}]}}"#)]
    {
        assert_eq!(told(&session(Format::PYDANTIC_AI, &text)), ["user: Hi", "agent: Hello"]);
    }
}

#[test]
fn tokens_of_mlflow_include_the_cache_where_the_total_says_so() {
    let trace = |usage: &str| {
        let usage = serde_json::to_string(usage).unwrap();
        let input =
            serde_json::to_string(r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#).unwrap();
        format!(
            r#"{{"info":{{"trace_id":"tr-1","trace_metadata":{{}}}},"data":{{"spans":[{{"trace_id":"a","span_id":"b","name":"x","start_time_unix_nano":1767323045000000000,"end_time_unix_nano":1767323046000000000,"attributes":{{"mlflow.spanType":"\"CHAT_MODEL\"","mlflow.spanInputs":{input},"mlflow.chat.tokenUsage":{usage}}}}}]}}}}"#
        )
    };
    let whole = r#"{"input_tokens":100,"output_tokens":5,"total_tokens":105,"cache_read_input_tokens":60}"#;
    check("mlflow-trace", trace(whole), [1, 1, 1, 0, 0], [100, 60, 5]);
    let beside = r#"{"input_tokens":40,"output_tokens":5,"total_tokens":105,"cache_read_input_tokens":60}"#;
    check("mlflow-trace", trace(beside), [1, 1, 1, 0, 0], [100, 60, 5]);
}

#[test]
fn the_context_of_a_workflow_holds_a_memory() {
    let store = r#"{"store":{"chat_history":[{"role":"user","additional_kwargs":{},"blocks":[{"block_type":"text","text":"Hi"}]},{"role":"assistant","additional_kwargs":{},"blocks":[{"block_type":"thinking","content":"why","num_tokens":null},{"block_type":"text","text":"Hello"}]}]},"class_name":"SimpleChatStore"}"#;
    let memory = serde_json::to_string(&format!(
        r#"{{"__is_component":true,"value":{{"chat_store":{store},"chat_store_key":"chat_history"}}}}"#
    ))
    .unwrap();
    let text = format!(
        r#"{{"version":2,"state":{{"store_type":"in_memory","state_type":"DictState","state_data":{{"_data":{{"memory":{memory},"num_iterations":"2"}}}}}}}}"#
    );
    for text in [store.to_owned(), text] {
        assert_eq!(told(&session(Format::LLAMA_INDEX, &text)), ["user: Hi", "agent: (why), Hello"]);
    }
    let empty = import(br#"{"store":{},"class_name":"SimpleChatStore"}"#);
    assert!(empty.sessions.is_empty() && !empty.diagnostics.is_empty());
}

#[test]
fn a_hand_off_of_autogen_is_no_answer_of_a_model() {
    let text = r#"{"messages":[
        {"source":"user","models_usage":null,"content":"Hi","type":"TextMessage"},
        {"source":"guide","models_usage":{"prompt_tokens":7,"completion_tokens":2},"content":[{"id":"c","name":"transfer_to_mason","arguments":"{}"}],"type":"ToolCallRequestEvent"},
        {"source":"guide","models_usage":null,"content":[{"content":"ok","name":"transfer_to_mason","call_id":"c","is_error":false}],"type":"ToolCallExecutionEvent"},
        {"source":"guide","models_usage":null,"target":"mason","context":[],"content":"ok","type":"HandoffMessage"},
        {"source":"mason","models_usage":{"prompt_tokens":0,"completion_tokens":0},"content":"Stone.","type":"TextMessage"}],"stop_reason":"done"}"#;
    let one = session(Format::AUTOGEN, text);
    assert_eq!((one.facts.model_responses, one.facts.usage_events), (2, 1));
    let handed = &one.session.events[3];
    assert_eq!(handed.actions.transfer_to_agent.as_deref(), Some("mason"));
    assert_eq!(&*one.session.events[4].author, "mason");
    assert!(marks::injected(handed).is_none());
    let not_sent = strata_model::marks::of(handed, marks::NOT_SENT).and_then(Json::as_str);
    assert_eq!((not_sent, &handed.model_version), (Some("client"), &None));
}

#[test]
fn results_in_a_context_of_autogen_are_of_the_agent_that_called() {
    let text = r#"{"type":"AssistantAgentState","version":"1.0.0","llm_context":{"messages":[
        {"content":"Hi","source":"user","type":"UserMessage"},
        {"content":[{"id":"c","arguments":"{}","name":"look"}],"thought":null,"source":"solo","type":"AssistantMessage"},
        {"content":[{"content":"21","name":"look","call_id":"c","is_error":false}],"type":"FunctionExecutionResultMessage"},
        {"content":"It is 21.","thought":null,"source":"solo","type":"AssistantMessage"}]}}"#;
    let one = session(Format::AUTOGEN, text);
    assert_eq!(told(&one), ["user: Hi", "solo: call look", "solo: result of look", "solo: It is 21."]);
}

#[test]
fn calls_in_the_log_of_autogen_are_exchanges() {
    let imported = check("autogen-json", sample("autogen-calls.jsonl"), [1, 2, 3, 2, 2], [6900, 1536, 195]);
    assert_eq!(imported.sessions[0].requests.len(), 3);
    assert!(words(&imported).contains("guide: "), "{}", words(&imported));
}

#[test]
fn exports_without_bodies_are_refused_by_name() {
    let imported =
        import(br#"{"request_id":"a","request_created_at":"2026-01-01T00:00:00Z","response_status":200}"#);
    assert!(imported.sessions.is_empty());
    let found = imported.diagnostics.iter().find(|it| it.code == "no-body").unwrap();
    assert!(found.message.contains("--include-body"));
}

#[test]
fn spans_of_phoenix_in_a_data_frame_and_in_the_interface() {
    let span = r#""name":"ChatCompletion","span_kind":"LLM","parent_id":null,"start_time":"2026-11-25T19:40:08.773Z","end_time":"2026-11-25T19:40:09.773Z","status_code":"OK","status_message":"","events":[]"#;
    let flat = format!(
        r#"{{{span},"context.span_id":"b","context.trace_id":"a","attributes.llm.model_name":"m","attributes.llm.system":null,"attributes.llm.input_messages":[{{"message.role":"user","message.content":"Hi"}}],"attributes.llm.output_messages":[{{"message.role":"assistant","message.content":"Hello"}}],"attributes.llm.token_count.prompt":7.0,"attributes.llm.token_count.completion":2.0}}"#
    );
    let rest = format!(
        r#"{{"data":[{{"id":"x",{span},"context":{{"trace_id":"a","span_id":"b"}},"attributes":{{"llm.model_name":"m","llm.input_messages.0.message.role":"user","llm.input_messages.0.message.content":"Hi","llm.output_messages.0.message.role":"assistant","llm.output_messages.0.message.content":"Hello","llm.token_count.prompt":7,"llm.token_count.completion":2}}}}],"next_cursor":null}}"#
    );
    let pair = |key: &str, kind: &str, value: &str| {
        let nulls = ["string_value", "int_value", "array_value"].into_iter().filter(|other| *other != kind);
        let nulls: Vec<_> = nulls.map(|other| format!(r#""{other}":null"#)).collect();
        format!(r#"{{"key":"{key}","value":{{{},"{kind}":{value}}}}}"#, nulls.join(","))
    };
    let pairs = [
        pair("openinference.span.kind", "string_value", r#""LLM""#),
        pair("llm.model_name", "string_value", r#""m""#),
        pair("llm.input_messages.0.message.role", "string_value", r#""user""#),
        pair("llm.input_messages.0.message.content", "string_value", r#""Hi""#),
        pair("llm.output_messages.0.message.role", "string_value", r#""assistant""#),
        pair("llm.output_messages.0.message.content", "string_value", r#""Hello""#),
        pair("llm.token_count.prompt", "int_value", "7"),
        pair("llm.token_count.completion", "int_value", "2"),
    ];
    let bare = format!(
        r#"{{"attributes":[{}],"name":"ChatCompletion","trace_id":"a","span_id":"b","parent_span_id":null,"start_time_unix_nano":1767323045000000000,"end_time_unix_nano":1767323046000000000}}"#,
        pairs.join(",")
    );
    let listed = format!(r#"{{"data":[{bare}],"next_cursor":null}}"#);
    for text in [flat, rest, bare, listed] {
        let imported = check("otlp-json-traces", text, [1, 1, 1, 0, 0], [7, 0, 2]);
        assert_eq!(words(&imported), "user: Hi\nmodel: Hello");
    }
}

#[test]
fn a_step_whose_model_failed_has_the_error() {
    let text = r#"[{"task":"Hi","task_images":null},{"step_number":1,"timing":{"start_time":1,"end_time":2},"model_input_messages":[{"role":"user","content":[{"type":"text","text":"New task:\nHi"}]}],"tool_calls":null,"error":{"type":"AgentGenerationError","message":"no answer"},"model_output_message":null,"token_usage":null}]"#;
    let one = session(Format::SMOLAGENTS, text);
    assert_eq!(told(&one), ["user: Hi", "agent: error AgentGenerationError"]);
    assert_eq!(one.requests.len(), 1);
    assert!(unmapped(&one).is_empty());
}

/// A tool that raises leaves its call in the model's words alone; an answer that is asked for at the end, its words
/// in the output of the step alone.
#[test]
fn steps_of_smolagents_that_failed_keep_what_was_said() {
    let step = |error: &str| {
        format!(
            r#"{{"step_number":1,"timing":{{"start_time":1,"end_time":2}},"tool_calls":[],"error":{error},"model_output_message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"look","arguments":{{"city":"Nowhere"}},"description":null}}}}],"raw":null}},"token_usage":{{"input_tokens":9,"output_tokens":2}}}}"#
        )
    };
    let task = r#"{"task":"Hi","task_images":null}"#;
    let failed = step(r#"{"type":"AgentToolExecutionError","message":"no such city"}"#);
    let last = r#"{"step_number":2,"timing":{"start_time":3,"end_time":4},"tool_calls":[],"error":{"type":"AgentMaxStepsError","message":"Reached max steps."},"model_output_message":null,"action_output":"It is 21.","token_usage":{"input_tokens":12,"output_tokens":3}}"#;
    let one = session(Format::SMOLAGENTS, &format!("[{task},{failed},{last}]"));
    assert_eq!(
        told(&one),
        [
            "user: Hi",
            "agent: call look 9+2",
            "agent: result of look",
            "agent: It is 21., error AgentMaxStepsError 12+3"
        ]
    );
    let result = one.session.events[2].function_responses().next().unwrap();
    let answer = result.response.as_ref().unwrap();
    assert_eq!(answer.get("result"), Some(&Json::from("no such city")));
    assert_eq!(answer.get("isError"), Some(&Json::Bool(true)));
    // One that was stopped has no result.
    let one = session(Format::SMOLAGENTS, &format!("[{task},{}]", step("null")));
    assert_eq!(told(&one), ["user: Hi", "agent: call look 9+2"]);
}

#[test]
fn who_said_what_when() {
    let one = session(Format::WHO_AND_WHEN, &String::from_utf8(sample("who-and-when.json")).unwrap());
    let authors: Vec<_> = one.session.events.iter().map(|event| &*event.author).collect();
    let of_assistant = ["Assistant", "ComputerTerminal", "Assistant"];
    assert_eq!(authors[..4], ["user", "Orchestrator", "Orchestrator", "WebSurfer"]);
    assert_eq!(authors[4..], of_assistant);
    assert_eq!(one.session.state.get("mistake_step"), Some(&Json::from("4")));
    // A terminal asks no model.
    assert_eq!(one.facts.model_responses, 5);
}

#[test]
fn roles_of_a_generated_case_are_those_of_the_agent_that_was_asked() {
    let text = r#"{"is_correct":false,"question":"How many?","question_ID":"4d","level":"2","ground_truth":"8","history":[
        {"content":"You are given a task: count.","role":"assistant","name":"Excel_Expert"},
        {"content":"exitcode: 0\nCode output: 4","name":"Computer_terminal","role":"user"},
        {"content":"It is 4.","name":"DataVerification_Expert","role":"user"}],
        "mistake_agent":"Excel_Expert","mistake_step":0,"mistake_reason":"Edge cases.","system_prompt":{"Excel_Expert":"You know sheets."}}"#;
    let one = session(Format::WHO_AND_WHEN, text);
    assert_eq!(
        told(&one),
        [
            "user [system]: You know sheets.",
            "Excel_Expert: You are given a task: count.",
            "Computer_terminal: exitcode: 0\nCode output: 4",
            "DataVerification_Expert: It is 4."
        ]
    );
    assert_eq!(one.facts.model_responses, 2);
    assert_eq!(one.session.state.get("mistake_step"), Some(&Json::Int(0)));
    assert!(unmapped(&one).is_empty());
}

#[test]
fn a_long_list_may_stand_before_the_one_that_is_read_element_by_element() {
    let tool =
        format!(r#"{{"type":"function","function":{{"name":"f","description":"{}"}}}}"#, "x".repeat(4096));
    let message = r#"{"role":"user","content":"Hi"}"#;
    let response = r#"{"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let call = format!(
        r#"{{"tools":[{tool},{tool}],"type":"LLMCall","messages":[{message},{message}],"response":{response}}}"#
    );
    let imported = check("autogen-json", format!("{call}\n{call}"), [2, 4, 2, 0, 0], [6, 0, 2]);
    assert!(imported.sessions.iter().all(|one| one.requests.len() == 1));
    let request = format!(
        r#"{{"request_id":"a","request_created_at":"2026-01-01T00:00:00Z","response_status":200,"request_body":{{"model":"m","messages":[{message}]}},"response_body":{response}}}"#
    );
    check(
        "helicone-export",
        format!(r#"{{"tools":[{tool}],"data":[{request}]}}"#),
        [1, 1, 1, 0, 0],
        [3, 0, 1],
    );
}

/// As `JsonSerializer` of .NET writes a `ChatHistory`.
#[test]
fn semantic_kernel_of_dotnet_begins_names_with_capitals() {
    let text = r#"[
        {"Role":{"Label":"system"},"Items":[{"$type":"TextContent","Text":"Answer shortly."}]},
        {"Role":{"Label":"user"},"Items":[{"$type":"TextContent","Text":"How high?"}]},
        {"Role":{"Label":"Assistant"},"Items":[
            {"$type":"TextContent","Text":"","ModelId":"gpt-4o","Metadata":{"CompletionId":"chatcmpl-1"}},
            {"$type":"FunctionCallContent","Id":"call_1","PluginName":"Towers","FunctionName":"Height","Arguments":{"Of":"Ulm"}}],
         "ModelId":"gpt-4o","Metadata":{"CompletionId":"chatcmpl-1","CreatedAt":"2024-12-01T14:01:59+00:00","Usage":{
            "OutputTokenCount":21,"InputTokenCount":278,"TotalTokenCount":299,
            "OutputTokenDetails":{"ReasoningTokenCount":8},"InputTokenDetails":{"CachedTokenCount":128}}}},
        {"Role":{"Label":"tool"},"Items":[{"$type":"FunctionResultContent","CallId":"call_1","PluginName":"Towers","FunctionName":"Height","Result":"161.5 m"}]},
        {"Role":{"Label":"assistant"},"Items":[{"$type":"TextContent","Text":"161.5 m."}],"ModelId":"gpt-4o"}
    ]"#;
    let imported = import(text.as_bytes());
    let [one] = &imported.sessions[..] else { panic!("one session: {:?}", imported.diagnostics) };
    assert_eq!(one.format, Format::MESSAGES);
    super::check_counts(one, 1, 2, 278, 128, 21);
    let events = &one.session.events;
    let call = events[2].function_calls().next().unwrap();
    assert_eq!(call.name.as_deref(), Some("Towers-Height"));
    assert!(call.args.as_ref().unwrap().contains_key("Of"), "what was said keeps its names");
    let results: Vec<_> =
        events[3].parts().iter().filter_map(|part| part.function_response.as_deref()).collect();
    assert_eq!(results[0].name.as_deref(), Some("Towers-Height"));
    assert_eq!(events[2].model_version.as_deref(), Some("gpt-4o"));
}
