//! What is sent, and what is read of lists and counts.

use strata_provider::{AskOptions, CallErrorKind, Client, Limits, LocalServer, PromptCount, find_local};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};
use strata_wire::Api;

use super::{KEY, client, endpoint, never, request, run};

#[test]
fn each_provider_is_asked_in_its_own_form() {
    let answers = [
        (Api::ChatCompletions, "/v1/chat/completions", chat_stream("Hello", 5, 1)),
        (
            Api::Responses,
            "/v1/responses",
            "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hello\"}\n\n\
             data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\"}}\n\n"
                .to_owned(),
        ),
        (
            Api::Anthropic,
            "/v1/v1/messages",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}\n\n\
             data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n"
                .to_owned(),
        ),
        (
            Api::Gemini,
            "/v1/models/m:streamGenerateContent?alt=sse",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hello\"}]},\"finishReason\":\"STOP\"}]}\n\n".to_owned(),
        ),
    ];
    for (api, path, body) in answers {
        let server = ModelServer::start(vec![Play::Stream { body, piece: 11 }], Some(KEY));
        let answer = run(client().ask(
            &endpoint(&server, api),
            "m",
            &request("Hi"),
            AskOptions::default(),
            &never(),
            &mut |_| (),
        ));
        assert_eq!(answer.expect("an answer").text(), "Hello", "{}", api.name());
        assert_eq!(server.received()[0].path, path);
        assert_eq!(server.problems(), [""; 0], "{}", api.name());
    }
}

#[test]
fn models_are_listed_and_local_servers_found() {
    let server = ModelServer::start(Vec::new(), None);
    let models = run(client().models(&endpoint(&server, Api::ChatCompletions), &never()));
    let names: Vec<String> = models.expect("a list").into_iter().map(|model| model.name).collect();
    assert_eq!(names, ["scripted-1", "scripted-2"]);
    let port = server.url().rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port");
    let servers = [LocalServer { name: "Ours", port }, LocalServer { name: "Nobody", port: 9 }];
    let found = run(find_local(&client(), &servers));
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0.name.as_str(), found[0].1.len()), ("Ours", 2));
}

#[test]
fn tokens_are_counted_where_the_provider_does() {
    let count = |api, answer: &str| {
        let server = ModelServer::start(vec![Play::Document(answer.to_owned())], Some(KEY));
        let counted = run(client().count(&endpoint(&server, api), "m", &request("Hi"), &never()));
        assert_eq!(server.problems(), [""; 0], "{}", api.name());
        counted.expect("a count").map(|count| count.tokens)
    };
    assert_eq!(count(Api::Anthropic, r#"{"input_tokens": 12}"#), Some(12));
    assert_eq!(count(Api::Responses, r#"{"input_tokens": 13}"#), Some(13));
    assert_eq!(count(Api::Gemini, r#"{"totalTokens": 14}"#), Some(14));
}

#[test]
fn servers_of_ones_own_count_where_they_can() {
    let server = ModelServer::start(Vec::new(), Some(KEY));
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let count = || run(client().count(&endpoint, "m", &request("Hi"), &never())).expect("no fault");
    let counted = |tokens, ids| Some(PromptCount { tokens, ids });
    assert_eq!(count(), None, "it has neither address");
    server.tell("/tokenize", r#"{"count": 3, "max_model_len": 4096, "tokens": [7, 1, 9]}"#);
    assert_eq!(count(), counted(3, Some(vec![7, 1, 9])), "as vLLM counts");
    server.tell("/tokenize", r#"{"count": 15, "max_model_len": 4096, "tokens": [1]}"#);
    assert_eq!(count(), counted(15, None), "numbers that are not all of them are none");
    server.tell("/apply-template", r#"{"prompt": "<|user|>Hi"}"#);
    server.tell("/tokenize", r#"{"tokens": [1, 2, 3]}"#);
    assert_eq!(count(), counted(3, Some(vec![1, 2, 3])), "as llama.cpp counts");
    server.tell("/apply-template", r#"{"error": "Unexpected endpoint"}"#);
    server.tell("/tokenize", r#"{"error": "Unexpected endpoint"}"#);
    assert_eq!(count(), None, "as LM Studio answers to what it does not have");
}

#[test]
fn a_server_cuts_the_very_prompt_with_its_template_and_tools() {
    let server = ModelServer::start(Vec::new(), Some(KEY));
    server.read_prompts();
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let ids = |text: &str| {
        let count = run(client().count(&endpoint, "m", &request(text), &never())).expect("no fault");
        count.expect("a count").ids.expect("numbers")
    };
    let (one, other) = (ids("Find a flight to Oslo."), ids("Find a train to Oslo."));
    let common = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    assert!(common > 20 && common < one.len(), "the template's words stand before what parts: {common}");
    assert_eq!(ids("Find a flight to Oslo."), one);
    // The same by the one address that vLLM has.
    server.play_at("/apply-template", Play::Status { status: 404, headers: Vec::new(), body: String::new() });
    assert_eq!(ids("Find a flight to Oslo."), one);
}

#[test]
fn a_server_that_fails_to_count_is_no_server_that_does_not() {
    let server = ModelServer::start(Vec::new(), Some(KEY));
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let fault = |path, play| {
        server.read_prompts();
        server.play_at(path, play);
        let failed = run(client().count(&endpoint, "m", &request("Hi"), &never())).expect_err("a fault");
        server.forget_at(path);
        assert!(!failed.message.contains(KEY), "{}", failed.message);
        failed.kind
    };
    let status = |status| Play::Status {
        status,
        headers: Vec::new(),
        body: r#"{"error": {"message": "slots are busy"}}"#.to_owned(),
    };
    for path in ["/apply-template", "/tokenize"] {
        assert_eq!(fault(path, status(500)), CallErrorKind::ServerFailed, "{path}");
        assert_eq!(fault(path, status(401)), CallErrorKind::Unauthorised, "{path}");
        assert_eq!(fault(path, Play::Page("<html>Sign in</html>".to_owned())), CallErrorKind::Malformed);
        assert_eq!(fault(path, Play::Silence), CallErrorKind::TimedOut, "{path}");
        let cut = Play::Cut { body: r#"{"tokens": [1, 2, 3]}"#.to_owned(), after: 12 };
        assert_eq!(fault(path, cut), CallErrorKind::CutOff, "{path}");
    }
    for said in [r#"{"tokens": "many"}"#, r#"{"tokens": []}"#, r#"{"tokens": [1, -2]}"#, "{}"] {
        let kind = fault("/tokenize", Play::Document(said.to_owned()));
        assert_eq!(kind, CallErrorKind::Malformed, "{said}");
    }
}

#[test]
fn counting_stops_when_it_is_told_to() {
    let server = ModelServer::start(Vec::new(), Some(KEY));
    server.play_at("/apply-template", Play::Silence);
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let stop = never();
    let patient = Client::new(Limits::default()).expect("connections can be made");
    let failed = run(async {
        let request = request("Hi");
        let counted = patient.count(&endpoint, "m", &request, &stop);
        let stops = async {
            while server.asked("/apply-template") == 0 {
                tokio::task::yield_now().await;
            }
            stop.cancel();
        };
        tokio::join!(counted, stops).0.expect_err("stopped")
    });
    assert_eq!(failed.kind, CallErrorKind::Cancelled);
}

#[test]
fn servers_of_ones_own_tell_of_themselves() {
    let server = ModelServer::start(Vec::new(), Some(KEY));
    let endpoint = endpoint(&server, Api::ChatCompletions);
    let facts = || run(client().facts(&endpoint, "m"));
    assert_eq!(facts(), None);
    server.tell("/metrics", "vllm:cache_config_info{block_size=\"16\",enable_prefix_caching=\"True\"} 1.0\n");
    assert_eq!(facts().expect("vLLM").block_tokens, Some(16));
    server.tell(
        "/api/v0/models",
        r#"{"data": [{"id": "m", "max_context_length": 9, "loaded_context_length": 8}]}"#,
    );
    assert_eq!(facts().expect("LM Studio").context_tokens, Some(8));
    server.tell("/props", r#"{"default_generation_settings": {"n_ctx": 2048}, "total_slots": 1}"#);
    let told = facts().expect("llama.cpp");
    assert_eq!((told.software, told.context_tokens, told.slots), ("llama.cpp", Some(2048), Some(1)));
    server.tell("/slots", r#"[{"id": 0}, {"id": 1}, {"id": 2}]"#);
    assert_eq!(facts().expect("llama.cpp").slots, Some(3));
}

#[test]
fn a_trial_says_in_plain_words_what_is_wrong() {
    let server =
        ModelServer::start(vec![Play::Stream { body: chat_stream("ready", 9, 1), piece: 9 }], Some(KEY));
    let trial = run(client().try_out(&endpoint(&server, Api::ChatCompletions), "m", &never()));
    assert!(
        trial.answer.is_some() && trial.message.contains("answered with scripted-1"),
        "{}",
        trial.message
    );

    let mut nowhere = endpoint(&server, Api::ChatCompletions);
    nowhere.base_url = "http://127.0.0.1:9/v1".into();
    let trial = run(client().try_out(&nowhere, "m", &never()));
    assert_eq!(trial.error, Some(CallErrorKind::Unreachable));
    assert!(trial.message.contains("nothing listens there"), "{}", trial.message);
    assert!(trial.message.contains("Is the server running"), "{}", trial.message);

    nowhere.base_url = "no address".into();
    let trial = run(client().try_out(&nowhere, "m", &never()));
    assert_eq!(trial.error, Some(CallErrorKind::Misconfigured), "{}", trial.message);

    let mut keyless = endpoint(&server, Api::ChatCompletions);
    keyless.key = None;
    let refused = ModelServer::start(
        vec![Play::Status {
            status: 401,
            headers: Vec::new(),
            body: r#"{"error":{"message":"no key"}}"#.to_owned(),
        }],
        None,
    );
    keyless.base_url = format!("{}/v1", refused.url());
    let trial = run(client().try_out(&keyless, "m", &never()));
    assert!(trial.message.contains("wants a key and has none"), "{}", trial.message);
}
