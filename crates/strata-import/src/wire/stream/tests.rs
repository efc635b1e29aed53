//! Streams of every provider.

use super::*;
use strata_model::json::object_to_compact;

fn assembled(text: &str) -> Option<Object> {
    joined(pieces(text)?).ok()
}

#[test]
fn every_stream_gives_the_answer_it_would_have_been_in_one_piece() {
    let chat = "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"He\"}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"llo\",\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3}}\n\ndata: [DONE]\n";
    let whole = object_to_compact(&assembled(chat).unwrap());
    assert!(whole.contains(r#""content":"Hello""#) && whole.contains(r#""arguments":"{}""#), "{whole}");
    assert!(whole.contains(r#""prompt_tokens":3"#) && whole.contains(r#""finish_reason":"stop""#), "{whole}");
    let anthropic = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":3}}}\n\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi\"}}\n\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":2}}\n";
    let whole = object_to_compact(&assembled(anthropic).unwrap());
    assert_eq!(
        whole,
        r#"{"id":"m","stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2},"content":[{"type":"text","text":"Hi"}]}"#
    );
    let gemini = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]}}]}\n\ndata: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"b\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":1}}\n";
    let whole = object_to_compact(&assembled(gemini).unwrap());
    assert!(whole.contains(r#""parts":[{"text":"ab"}]"#), "{whole}");
    assert!(assembled("data: 5\n").is_none());
}
