//! Who speaks in Aider's histories: what looks like another voice inside an answer, and what a program puts out.

use strata_import::Format;

use super::{check_counts, session, told};

/// A history as Aider writes it: a break at the end of what was typed, and of everything the program says.
fn history(lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| line.replace('¶', "  "));
    let head = ["# aider chat started at 2026-01-01 10:00:00".to_owned(), String::new()];
    head.into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_answer_with_edit_blocks_is_one_answer() {
    let text = history(&[
        "#### rename both¶",
        "",
        "Two edits:",
        "",
        "a.py",
        "```python",
        "<<<<<<< SEARCH",
        "one",
        "=======",
        "two",
        ">>>>>>> REPLACE",
        "```",
        "",
        "#### The second",
        "",
        "> as you said",
        "",
        "```python",
        "<<<<<<< SEARCH",
        "#### old",
        "> quoted",
        "=======",
        ">>>>>>> REPLACE",
        "```",
        "",
        "> Tokens: 5.2k sent, 1,024 cache hit, 604 received.",
        "Cost: $0.02 message, $0.02 session.¶",
        "> Applied edit to a.py¶",
    ]);
    let aider = session(Format::AIDER, &text);
    check_counts(&aider, 1, 1, 5_200, 1_024, 604);
    assert_eq!(told(&aider).len(), 3, "a prompt, an answer, what the program says: {:?}", told(&aider));
    let answer = aider.session.events[1].parts()[0].text.as_deref().unwrap();
    assert!(
        answer.starts_with("Two edits:") && answer.ends_with("=======\n>>>>>>> REPLACE\n```"),
        "{answer}"
    );
    assert!(answer.contains("#### The second\n\n> as you said\n"), "{answer}");
}

#[test]
fn what_a_command_puts_out_is_no_answer() {
    let text = history(&[
        "#### /run pytest¶",
        "> ===== test session starts =====",
        "collected 2 items",
        "",
        "    def test_it():",
        "    ",
        ">       main()",
        "",
        "E       TypeError: main()",
        "===== 1 failed =====¶",
        "> Add the output to the chat?",
        "(Y/n) y¶",
        "",
        "#### fix it¶",
        "",
        "Done.",
        "",
        "> Tokens: 900 sent, 5 received.¶",
    ]);
    let aider = session(Format::AIDER, &text);
    check_counts(&aider, 2, 1, 900, 0, 5);
    let said = ["user: /run pytest", "aider: ", "user: fix it", "aider: Done. 900+5", "aider: "];
    assert_eq!(told(&aider), said);
}

#[test]
fn tokens_belong_to_an_answer_of_the_same_prompt() {
    let text = history(&[
        "#### first¶",
        "",
        "I beg",
        "",
        "> ^C KeyboardInterrupt¶",
        "",
        "#### second¶",
        "> Tokens: 9,909 sent, 0 received. Cost: $0.03 message, $0.03 session.¶",
    ]);
    let aider = session(Format::AIDER, &text);
    let said = ["user: first", "aider: I beg", "aider: ", "user: second", "aider:  9909+0", "aider: "];
    assert_eq!(told(&aider), said);
}

#[test]
fn a_history_whose_breaks_were_cut_is_told_apart_by_empty_lines() {
    let text = history(&[
        "#### /run ls",
        "> a.py",
        "b.py",
        "",
        "#### rename",
        "",
        "Yes:",
        ">>>>>>> REPLACE",
        "",
        "> Tokens: 900 sent, 5 received.",
    ]);
    let aider = session(Format::AIDER, &text);
    check_counts(&aider, 2, 1, 900, 0, 5);
}
