//! Twenty turns of an agent with a tool, in which bytes of the prompt change at several depths.

use std::fmt::Write as _;

/// An app, and what happens in it.
pub(crate) struct Story {
    pub app: String,
    pub transcript: String,
}

/// Words of a small vocabulary, each time others.
fn words(seed: usize, n: usize) -> String {
    const WORDS: [&str; 16] = [
        "order", "report", "green", "seven", "window", "paper", "north", "signal", "carry", "simple",
        "market", "river", "cable", "often", "motion", "stone",
    ];
    let word = |at: usize| WORDS[(at * at * 7 + at * 3 + seed * 11) % WORDS.len()];
    (0..n).map(word).collect::<Vec<_>>().join(" ")
}

/// The first, the middle and the last line of the instruction read state; it changes in turns 6, 10 and 14. Turn 16 is
/// taken back, with three before it. `shop` is how the instruction goes on behind its first words.
pub(crate) fn twenty_turns(shop: &str) -> Story {
    let instruction = format!(
        "You answer questions about a shop{shop}.\\nEarly note: {{early}}.\\n{}.\\nMiddle note: {{middle}}.\\n{}.\\nLate note: {{late}}.",
        words(1, 160),
        words(2, 160)
    );
    let app = format!(
        r#"{{"name": "shop", "root_agent": {{"type": "llm", "name": "clerk", "model": "live/model",
            "instruction": "{instruction}",
            "tools": [{{"type": "function", "declaration": {{"name": "look_up", "description": "Looks up an article. {}",
                "parametersJsonSchema": {{"type": "object", "properties": {{"name": {{"type": "string"}}}}}}}}}}]}}}}"#,
        words(3, 40)
    );
    let mut transcript = String::from("session s1 [app shop, user u1, state early=1 middle=1 late=1]\n");
    for turn in 1..=20 {
        let change = match turn {
            6 => " [state late=2]",
            10 => " [state middle=2]",
            14 => " [state early=2]",
            _ => "",
        };
        if turn == 17 {
            transcript.push_str("rewind 13\n");
        }
        // Long results, so that a rewind cuts deep.
        let _ = write!(
            transcript,
            "user: Question {turn}: {}?\nclerk: -> look_up(name=\"{}\") #c{turn}\ntool #c{turn}{change}: {{\"found\": \"{}\"}}\nclerk: Answer {turn}: {}.\n",
            words(turn + 10, 12),
            words(turn + 40, 2),
            words(turn + 70, 60 + turn * 3),
            words(turn + 100, 25)
        );
    }
    Story { app, transcript }
}
