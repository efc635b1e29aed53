//! Calls that are held before they are sent.

use super::*;

/// Decides as it was told beforehand, and remembers what was held.
struct Decided {
    decisions: Mutex<Vec<HoldDecision>>,
    held: Mutex<Vec<HeldReport>>,
}

impl Holder for Decided {
    fn decide<'h>(&'h self, held: &'h HeldReport) -> BoxFuture<'h, HoldDecision> {
        self.held.lock().unwrap().push(held.clone());
        let decision = self.decisions.lock().unwrap().remove(0);
        Box::pin(async move { decision })
    }
}

/// Runs with calls held, and gives what was held.
fn holding(
    choice: &RunChoice,
    messages: &[&str],
    holds: &[&str],
    decisions: &[HoldDecision],
) -> (RunReport, Vec<HeldReport>) {
    let holds = holds.iter().map(|hold| hold.parse().unwrap()).collect();
    let choice = RunChoice { holds, ..choice.clone() };
    let holder = Arc::new(Decided { decisions: Mutex::new(decisions.to_vec()), held: Mutex::default() });
    let mut messages = messages.iter().map(|message| (*message).to_owned());
    let mut company = RunCompany {
        listener: Arc::new(Heard::default()),
        person: None,
        holder: Some(holder.clone()),
        next_message: &mut || messages.next(),
    };
    let watch = Quiet(CancellationToken::new());
    let report = report::run(&choice, &mut company, &watch, &strata_testkit::runtime()).unwrap();
    let held = holder.held.lock().unwrap().clone();
    (report, held)
}

#[test]
fn a_call_is_held_when_its_prefix_is_about_to_break() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let call = json!({"calls": [{"name": "look", "args": {"n": 1}}]});
    let script = json!([call, "One.", "Two."]);
    let tools = desk
        .file("tools.js", "export function look({n}, context) { context.state.topic = 'dogs'; return n }");
    let choice = RunChoice { tools: Some(tools), ..desk.scripted(&script) };
    let (report, held) = holding(&choice, &["Go.", "And?"], &["break"], &[HoldDecision::Go]);
    assert_eq!((report.calls.len(), held.len()), (3, 1), "the third call only adds to the second");
    assert_eq!(held[0].before.unwrap().differs_in, Some("instruction"));
    assert!(held[0].before.unwrap().shared_tokens > 0, "the tools are the same: {:?}", held[0].before);
    assert!(held[0].reasons[0].contains("breaks in the instruction"), "{:?}", held[0].reasons);
    assert_eq!(held[0].request_json(), model_json::to_pretty(&report.calls[1].request));
}

#[test]
fn what_is_held_is_sent_or_not_as_it_is_decided() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let call = json!({"calls": [{"name": "look", "args": {"n": 1}}]});
    let script = json!([call, "One.", "Two."]);
    let tools = desk.file("tools.js", "export function look({n}) { return 'word '.repeat(n * 500) }");
    let choice = RunChoice { tools: Some(tools), ..desk.scripted(&script) };
    let (report, held) = holding(&choice, &["Go.", "And?"], &["result=400"], &[HoldDecision::Go]);
    assert_eq!((report.calls.len(), held.len()), (3, 1), "a result is looked at once");
    assert!(held[0].reasons[0].contains("A result of look has"), "{:?}", held[0].reasons);
    let (report, held) = holding(&choice, &["Go."], &["tokens=400", "agent=nobody"], &[HoldDecision::Stop]);
    assert_eq!((report.calls.len(), held.len(), report.stopped), (1, 1, true));
    assert!(report.error.is_none() && held[0].prompt_cost.is_some());
    let session = Some(report.session.clone());
    let on = RunChoice { session, ..desk.scripted(&json!(["Here I am."])) };
    let (report, held) = holding(&on, &["Still there?"], &["always"], &[HoldDecision::GoFreely]);
    assert_eq!((report.calls.len(), held.len(), report.error.is_none()), (1, 1, true));
}

#[test]
fn a_held_call_can_be_edited_and_what_is_sent_is_what_is_then_shown() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let plays = documents(Api::ChatCompletions).map(|document| Play::Document(document.to_string()));
    let server = ModelServer::start(plays.to_vec(), None);
    save_endpoint(&desk, &server, "chatCompletions");
    let tools = desk.file("tools.js", "export function look({n}) { return {found: n} }");
    let strata = window(&desk);
    let params = json!({"app": desk.path("app.json"), "model": "scripted server", "tools": tools, "holds": ["result=1"]});
    let run = crate::ask(&strata, "run/start", &params);
    let (id, session) = (run["run"].as_str().unwrap(), run["session"].as_str().unwrap());
    crate::ask(&strata, "run/send", &json!({"run": id, "message": "Look, please.", "answers": []}));
    let status = until(&strata, id, |status| status["phase"] == "held");
    assert!(status["held"]["reasons"][0].as_str().unwrap().contains("A result of look has"), "{status}");
    assert_eq!((&status["calls"], &status["agents"][0]["state"]), (&json!(1), &json!("held")));
    assert_eq!(server.received().len(), 1);

    // It is the last call of the session, and every view has it; sums leave it out.
    let header = crate::compiled(&strata, session);
    assert_eq!((&header["calls"], &header["bill"]["calls"]), (&json!(2), &json!(1)), "{header}");
    let stages = || crate::ask(&strata, "call/stages", &json!({"session": session, "call": 2}));
    let last = |stages: Value| stages["rows"].as_array().unwrap().last().unwrap()["processor"].clone();
    assert_eq!(last(stages()), json!("recorded"));

    let edits = json!([{"kind": "system", "text": "Be brief."}, {"kind": "text", "content": 2, "part": 0, "text": "{\"found\": 9}"},
                       {"kind": "model", "name": "m-2"}]);
    let nonsense = json!({"run": id, "edits": [{"kind": "leaveOut", "parts": [{"content": 9, "part": 0}]}]});
    assert!(crate::refuse(&strata, "run/edit", &nonsense).1.contains("is not in this request"));
    crate::ask(&strata, "run/edit", &json!({"run": id, "edits": edits}));
    until(&strata, id, |status| status["held"]["isEdited"] == json!(true));
    crate::compiled(&strata, session);
    assert_eq!(last(stages()), json!("edited_by_hand"));
    crate::ask(&strata, "run/release", &json!({"run": id, "decision": "go"}));
    until(&strata, id, |status| status["phase"] == "idle");

    let store = desk.store();
    let requests = store.requests(&SessionId::from(session)).unwrap();
    let answers: Vec<_> = requests.iter().map(|request| request.answer).collect();
    assert_eq!(answers, [Some(1), Some(3)]);
    let request = request_of(&requests[1].body).unwrap();
    let options = BodyOptions { is_streamed: true, max_output_tokens: None };
    let body = model_json::to_compact(&encode(Api::ChatCompletions, "m-2", &request, options));
    let received = server.received();
    assert_eq!(body, model_json::to_compact(&received[1].body));
    assert!(body.contains("Be brief.") && body.contains("\\\"found\\\":9"), "{body}");
    assert_eq!(crate::compiled(&strata, session)["calls"], json!(2));
    assert_eq!(last(stages()), json!("edited_by_hand"));
}

#[test]
fn steps_hold_the_next_call_the_next_result_or_the_next_agent_once() {
    let desk = Desk::new(&one_agent(&[tool("look")]));
    let call = json!({"calls": [{"name": "look", "args": {"n": 1}}]});
    let script = json!(["One.", call, "Two.", "Three."]);
    let tools = desk.file("tools.js", "export function look({n}) { return n }");
    let choice = RunChoice { tools: Some(tools), ..desk.scripted(&script) };
    let turns = ["Go.", "And?", "So?"];
    let reasons = |first: HoldDecision| {
        let decisions = [first, HoldDecision::Go, HoldDecision::Go, HoldDecision::Go];
        let (report, held) = holding(&choice, &turns, &["tokens=1"], &decisions);
        assert!(report.error.is_none() && report.calls.len() == 4);
        held.iter().map(|held| held.reasons[0].clone()).collect::<Vec<_>>()
    };
    let next = reasons(HoldDecision::Step(HoldStep::Call));
    assert_eq!(next[1], "It is the next call.");
    assert!(next[2].contains("more than 1"), "{next:?}");
    let result = reasons(HoldDecision::Step(HoldStep::Result));
    assert!(
        result[1].contains("more than 1"),
        "a call that is held for another reason ends the step: {result:?}"
    );
    let (_, held) = holding(&choice, &turns, &["agent=helper"], &[HoldDecision::GoFreely]);
    assert_eq!(held.len(), 1);
}

#[test]
fn a_run_that_is_killed_while_a_call_is_held_goes_on_in_another() {
    let desk = Desk::new(&one_agent(&[]));
    let script = desk.file("script.json", &json!(["One.", "Two."]).to_string());
    let model = format!("scripted:{}", script.display());
    let params = json!({"app": desk.path("app.json"), "model": model, "holds": ["always"]});
    let session = {
        let strata = window(&desk);
        let run = crate::ask(&strata, "run/start", &params);
        let id = run["run"].as_str().unwrap();
        crate::ask(&strata, "run/send", &json!({"run": id, "message": "Hello?", "answers": []}));
        until(&strata, id, |status| status["phase"] == "held");
        run["session"].as_str().unwrap().to_owned()
    };
    let strata = window(&desk);
    assert_eq!(crate::compiled(&strata, &session)["calls"], json!(1), "the held call is still shown");
    let on = json!({"app": desk.path("app.json"), "model": model, "session": session});
    let run = crate::ask(&strata, "run/start", &on);
    assert_eq!(run["session"], json!(session));
    assert_eq!(crate::compiled(&strata, &session)["calls"], json!(0), "it was never sent");
    let id = run["run"].as_str().unwrap();
    crate::ask(&strata, "run/send", &json!({"run": id, "message": "Still there?", "answers": []}));
    until(&strata, id, |status| status["phase"] == "idle");
    assert_eq!(crate::compiled(&strata, &session)["calls"], json!(1));
    let stored = desk.store().read_session(&SessionId::from(&*session)).unwrap().unwrap();
    let said: Vec<_> = stored.events.iter().filter_map(|event| event.parts()[0].text.as_deref()).collect();
    assert_eq!(said, ["Hello?", "Still there?", "One."]);
}
