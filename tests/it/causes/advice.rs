//! What is said to do about a cause mends it, and is said where it pays.

use serde_json::json;
use strata_engine::{Catalog, Edit, Experiment, FlowEdit};
use strata_measure::analysis::{BilledCalls, CacheAnalysis, CacheFix, Cause, Counting, SessionAnalysis};
use strata_measure::edited;
use strata_measure::fixes::{Fix, candidates, helping, replayed, try_fix};
use strata_measure::prices::Prices;
use strata_model::{LlmRequest, RequestTool};
use strata_wire::CacheRules;

use super::conversation::{OTHER_MODEL, Request, Said, conversation, filler, instruction, tool};
use super::writers::{Opened, Writer};
use super::{Found, read};

/// What was tried on a session.
struct Tried {
    found: Found,
    fixes: Vec<Fix>,
    replayed: Vec<CacheFix>,
}

fn tried(opened: Opened, counting: &Counting) -> Tried {
    let found = read(opened, counting);
    let (prices, rules) = (Prices::embedded(), CacheRules::embedded());
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&found.experiment, counting) {}
    let caches = CacheAnalysis::new(&found.experiment, &analysis, &rules, &prices);
    let billed = BilledCalls { analysis: &analysis, caches: &caches };
    let try_one =
        |candidate| try_fix(candidate, &found.experiment, billed, (counting, &prices, &Catalog::new()));
    let fixes = candidates(&found.experiment, &analysis).into_iter().filter_map(try_one).collect();
    let replayed = caches.fixes(&found.experiment, &analysis, counting, &rules, &prices);
    Tried { found, fixes, replayed }
}

impl Tried {
    /// The titles of the fixes that stand beside a finding, and of the change that is replayed for it.
    fn beside(&self, code: &str) -> (Vec<&str>, Option<&CacheFix>) {
        let finding = self.found.findings.iter().find(|finding| finding.code == code);
        let finding = finding.unwrap_or_else(|| panic!("no {code} in {:?}", self.found.findings));
        let fixes = helping(&self.fixes, finding);
        let titles = fixes.iter().map(|fix| &*fix.candidate.title).collect();
        (titles, replayed(&self.replayed, finding, &self.found.experiment))
    }

    fn lost_tokens(&self) -> i64 {
        self.found.losses().iter().map(|(_, loss)| i64::from(loss.tokens)).sum()
    }
}

/// Results become tables, of which a summary would save a good deal.
fn with_tables(requests: &mut [Request]) {
    let rows: Vec<_> = (0..60).map(|at| json!({"order": format!("A-{at:04}"), "late": at % 7})).collect();
    let table = json!({"rows": rows}).to_string();
    for said in requests.iter_mut().flat_map(|request| &mut request.history) {
        if let Said::Result { text, .. } = said {
            text.clone_from(&table);
        }
    }
}

fn numbered(requests: &mut [Request], system: impl Fn(usize) -> String) {
    for (at, request) in requests.iter_mut().enumerate() {
        request.system = vec![system(at)];
    }
}

#[test]
fn a_fix_that_only_makes_prompts_shorter_is_not_beside_a_prefix_that_breaks() {
    let counting = Counting::default();
    let mut requests = conversation();
    with_tables(&mut requests);
    numbered(&mut requests, |at| instruction(&format!("Calls so far: {}", at + 4)));
    let tried = tried(Writer::GeminiLog.read(&requests), &counting);
    let saves = |fix: &&Fix| fix.candidate.title.starts_with("Summarise tables");
    assert!(tried.fixes.iter().any(|fix| saves(&fix)), "{:?}", tried.fixes);
    let (fixes, replayed) = tried.beside("changing-system-text");
    assert_eq!(fixes, Vec::<&str>::new());
    let title = replayed.map(|fix| &*fix.title);
    assert_eq!(title, Some("Leave the text “Calls so far: …” out of model's system text"));
}

#[test]
fn of_a_long_line_only_the_sentence_that_changes_is_left_out() {
    let counting = Counting::default();
    let mut requests = conversation();
    let rules = filler("Be careful with refunds.", 200).replace('\n', " ");
    numbered(&mut requests, |at| format!("You serve a shop. {rules}. Now it is 10:{at:02}:31. Be brief."));
    let tried = tried(Writer::GeminiLog.read(&requests), &counting);
    let (_, replayed) = tried.beside("changing-system-text");
    let fix = replayed.expect("a change of the requests");
    assert_eq!(fix.title, "Leave the text “Now it is …” out of model's system text");
    // Ten tokens of the sentence in each call, and what was lost for it.
    let most = tried.lost_tokens() + 20 * requests.len() as i64;
    assert!(fix.saves_tokens <= most, "{} of {most}", fix.saves_tokens);
}

fn declared(request: &LlmRequest) -> Vec<String> {
    let functions = request.tools.iter().flat_map(|tool| match tool {
        RequestTool::Functions(declarations) => &declarations[..],
        RequestTool::BuiltIn { .. } => &[],
    });
    functions.map(|declaration| declaration.name().to_owned()).collect()
}

fn requests_of(experiment: &Experiment, counting: &Counting) -> Vec<LlmRequest> {
    let mut analysis = SessionAnalysis::default();
    while analysis.step(experiment, counting) {}
    analysis.calls().iter().map(|call| call.request.clone()).collect()
}

#[test]
fn tools_that_few_requests_declare_are_dropped_where_they_are() {
    let counting = Counting::default();
    let mut requests = conversation();
    for at in [2, 5] {
        requests[at].tools.push(tool("ship", "Sends a parcel.", &["air", "sea"]));
    }
    let tried = tried(Writer::AnthropicLog.read(&requests), &counting);
    let finding = tried.found.findings.iter().find(|finding| finding.code == "tools-change");
    let message = &finding.expect("a finding").message;
    assert!(message.starts_with("Tools: tool.ship came in twice and tool.ship went twice."), "{message}");
    let (fixes, _) = tried.beside("tools-change");
    assert_eq!(fixes, ["Drop 2 tools that this session never calls"]);
    let drop = json!({"edit": "insert_processor", "use": "drop_tools", "params": {"tools": ["ship"]}});
    let drop: Edit = serde_json::from_value(drop).expect("an edit");
    let edited = edited(&tried.found.experiment, &[drop], &Catalog::new(), &counting);
    assert!(edited.notes.is_empty(), "{:?}", edited.notes);
    let (before, after) =
        (requests_of(&tried.found.experiment, &counting), requests_of(&edited.experiment, &counting));
    for (at, (before, after)) in before.iter().zip(&after).enumerate() {
        assert_eq!(declared(before).len(), if matches!(at, 2 | 5) { 3 } else { 2 }, "C{}", at + 1);
        assert_eq!(declared(after), ["search", "refund"], "C{}", at + 1);
    }
}

#[test]
fn the_thought_of_a_call_that_is_being_answered_stays() {
    let counting = Counting::default();
    let opened = Writer::AnthropicLog.read(&conversation());
    let mut analysis = SessionAnalysis::default();
    while analysis.step(&opened.experiment, &counting) {}
    let all = candidates(&opened.experiment, &analysis);
    let own = all.into_iter().find(|candidate| candidate.title.contains("thoughts")).expect("a candidate");
    let by_hand = json!({"edit": "insert_processor", "use": "drop_thoughts", "params": {"keep_turns": 0}});
    let by_hand: Edit = serde_json::from_value(by_hand).expect("an edit");
    assert!(matches!(&by_hand, Edit::Flow(FlowEdit::Insert { .. })));
    for edits in [own.edits, vec![by_hand]] {
        let edited = edited(&opened.experiment, &edits, &Catalog::new(), &counting);
        for (at, request) in requests_of(&edited.experiment, &counting).iter().enumerate() {
            let parts = request.contents.iter().flat_map(|content| &content.parts);
            let thoughts = parts.filter(|part| part.part.is_thought()).count();
            // Every other call answers a call of a tool.
            assert_eq!(thoughts, at % 2, "C{}", at + 1);
        }
    }
}

/// What is said of the prefix that expired, where a pause stands before this call.
fn expired(pause_before: usize) -> (bool, Option<u32>) {
    let mut requests = conversation();
    for request in requests.iter_mut().skip(pause_before - 1) {
        request.time += 1_800.0;
    }
    let found = read(Writer::AnthropicLog.read(&requests), &Counting::default());
    let losses = found.losses();
    let [(_, loss)] = losses[..] else { panic!("{:?}", found.said()) };
    let Cause::Expired { longest_s, .. } = loss.cause else { panic!("{:?}", found.said()) };
    (loss.cause.is_avoidable(), longest_s)
}

#[test]
fn a_longer_lifetime_is_advised_where_it_pays() {
    // An hour costs 0.75 of the input's price more for all that is written, and spares 1.15 of it for what had expired.
    assert_eq!(expired(7), (true, Some(3_600)));
    assert_eq!(expired(2), (false, None));
}

#[test]
fn staying_with_one_model_is_advised_where_it_costs_less() {
    let counting = Counting::default();
    for (writer, is_cheaper) in [(Writer::ChatLog, true), (Writer::GeminiLog, false)] {
        let mut requests = conversation();
        requests.iter_mut().skip(5).for_each(|request| request.model = OTHER_MODEL.to_owned());
        let found = read(writer.read(&requests), &counting);
        let losses = found.losses();
        let [(_, loss)] = losses[..] else { panic!("{:?}", found.said()) };
        let sentence = loss.cause.sentence(&found.experiment);
        assert_eq!(loss.cause.is_avoidable(), !is_cheaper, "{sentence}");
        assert_eq!(sentence.contains("staying with"), is_cheaper, "{sentence}");
        let finding = found.findings.iter().find(|finding| finding.code == "settings-change").expect("one");
        assert_eq!(finding.remedy_in(found.writer).is_none(), is_cheaper, "{finding:?}");
        assert_eq!(finding.advice_for(found.writer).starts_with("Nothing for"), is_cheaper, "{finding:?}");
    }
}
