//! Common prefixes of small requests.

use strata_model::{Origin, RequestPart, RichText};

use strata_wire::CacheRule;

use super::*;

fn request(system: &str, texts: &[&str]) -> LlmRequest {
    let origin = Origin::processor("test");
    let mut request = LlmRequest::default();
    request.append_system(RichText::from_span(system, origin.clone()));
    for text in texts {
        let part = |text: &str| {
            RequestPart::from_rich_text(&RichText::from_span(text, origin.clone()), origin.clone())
        };
        let content = RequestContent::new(Some("user".into()), text.split('|').map(part).collect());
        request.contents.push(Arc::new(content));
    }
    request
}

fn check(earlier: &LlmRequest, later: &LlmRequest, ends_in: PrefixEnd, expected: [usize; 4]) {
    let common = common_prefix(&CacheRule::assumed(), earlier, later);
    assert_eq!(common.ends_in, ends_in);
    assert_eq!([common.system_bytes, common.contents, common.parts, common.bytes], expected);
}

#[test]
fn a_prompt_that_goes_on_has_the_whole_earlier_one_as_prefix() {
    let earlier = request("Be good.", &["a", "b"]);
    check(&earlier, &request("Be good.", &["a", "b", "c"]), PrefixEnd::Whole, [8, 2, 0, 0]);
    check(&earlier, &earlier.clone(), PrefixEnd::Whole, [8, 2, 0, 0]);
}

#[test]
fn the_first_difference_ends_it() {
    let earlier = request("Hits: 41.", &["a", "b|one two", "c"]);
    check(&earlier, &request("Hits: 42.", &["a", "b|one two"]), PrefixEnd::System, [7, 0, 0, 0]);
    check(&earlier, &request("Hits: 41.", &["a", "b|one too", "c"]), PrefixEnd::Contents, [9, 1, 1, 5]);
    check(&earlier, &request("Hits: 41.", &["a"]), PrefixEnd::Contents, [9, 1, 0, 0]);
}

#[test]
fn texts_are_compared_across_their_spans() {
    let text = |spans: &[&str]| {
        let mut text = RichText::new();
        for span in spans {
            text.push(*span, Origin::processor("test"));
        }
        text
    };
    for (a, b, common) in [
        (&["ab", "cd"][..], &["a", "bcx"][..], 3),
        (&["é"], &["è"], 0),
        (&["abc"], &["ab"], 2),
        (&[], &["ab"], 0),
        (&["x", "y"], &["xy", "z"], 2),
    ] {
        assert_eq!(common_text((&text(a), 0), (&text(b), 0)), common, "{a:?} {b:?}");
    }
}

#[test]
fn what_a_provider_does_not_read_is_no_difference() {
    let origin = Origin::processor("test");
    let of = |client: &str, system: &str| {
        let mut request = request(client, &["a"]);
        let block = RichText::from_span(system, origin.clone());
        let mut text = (**request.system_instruction.as_ref().unwrap()).clone();
        text.append_block("\n", block);
        request.system_instruction = Some(Arc::new(text));
        request
    };
    let (earlier, later) = (of("x-client: 1;", "Be good."), of("x-client: 2; more;", "Be good."));
    let rule = CacheRule { unread: vec!["x-client:".into()], ..CacheRule::assumed() };
    assert_eq!(common_prefix(&rule, &earlier, &later).ends_in, PrefixEnd::Whole);
    let common = common_prefix(&rule, &earlier, &of("x-client: 2; more;", "Be kind."));
    assert_eq!(
        (common.ends_in, common.earlier_system_bytes, common.system_bytes),
        (PrefixEnd::System, 16, 22)
    );
    // Others read all there is.
    let common = common_prefix(&CacheRule::assumed(), &earlier, &later);
    assert_eq!((common.ends_in, common.system_bytes), (PrefixEnd::System, 10));
}

#[test]
fn what_claude_code_says_of_itself_breaks_no_prefix_at_its_vendor() {
    let rules = strata_wire::CacheRules::embedded();
    let of = |hash: &str| {
        let origin = Origin::processor("test");
        let mut text =
            RichText::from_span(format!("x-anthropic-billing-header: cch={hash};"), origin.clone());
        text.append_block("\n", RichText::from_span("Be good.", origin));
        LlmRequest { system_instruction: Some(Arc::new(text)), ..request("", &["a"]) }
    };
    let ends_in = |model: &str| common_prefix(rules.of_model(model), &of("0b7c7"), &of("09f47")).ends_in;
    for model in ["claude-opus-5", "claude-opus-4-7", "claude-opus-4-6", "anthropic/claude-sonnet-4-5"] {
        assert_eq!(ends_in(model), PrefixEnd::Whole, "{model}");
    }
    for model in ["ollama/qwen3", "gpt-5.2", "qwen3-8b"] {
        assert_eq!(ends_in(model), PrefixEnd::System, "{model}");
    }
}

#[test]
fn with_the_instruction_first_other_tools_are_met_after_it() {
    let mut earlier = request("Be good.", &["a"]);
    let tool = |name: &str| {
        let json = strata_model::Object::from_iter([("name", name)]);
        Arc::new(strata_model::Declaration::new(json, Origin::processor("test")))
    };
    let mut later = earlier.clone();
    earlier.add_declaration(tool("read"));
    later.add_declaration(tool("write"));
    let common = common_prefix(
        &CacheRule { order: PrefixOrder::SystemFirst, ..CacheRule::assumed() },
        &earlier,
        &later,
    );
    assert_eq!((common.ends_in, common.system_bytes), (PrefixEnd::Definitions, 8));
    let common = common_prefix(&CacheRule::assumed(), &earlier, &later);
    assert_eq!((common.ends_in, common.system_bytes), (PrefixEnd::Definitions, 0));
}

#[test]
fn long_histories_that_share_chunks_are_compared_by_chunk() {
    let texts: Vec<String> = (0..300).map(|n| n.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let earlier = request("s", &texts);
    let mut later = earlier.clone();
    later.contents.push(earlier.contents.get(0).unwrap().clone());
    check(&earlier, &later, PrefixEnd::Whole, [1, 300, 0, 0]);
    check(&later, &earlier, PrefixEnd::Contents, [1, 300, 0, 0]);
}

#[test]
fn segments_in_the_prefix_are_the_first_ones() {
    let earlier = request("Hits: 41.", &["a", "b|one two", "c"]);
    let whole_segments = |later: &LlmRequest| {
        let whole = common_prefix(&CacheRule::assumed(), &earlier, later).whole_segments(later);
        assert!(whole <= strata_wire::prompt_segments(later).count());
        whole
    };
    assert_eq!(whole_segments(&request("Hits: 42.", &["a"])), 0);
    assert_eq!(whole_segments(&request("Hits: 41.", &["a", "b|one too", "c"])), 3);
    assert_eq!(whole_segments(&request("Hits: 41.", &["a", "b|one two", "c", "d"])), 5);
}
