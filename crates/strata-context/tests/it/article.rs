//! The table of `docs/contexts.md`: what holds a rule is there.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the table, without its head.
fn rows(document: &str) -> impl Iterator<Item = (&str, &str)> {
    let table = document.split_once("| the article says | held by |").unwrap().1;
    let lines = table.lines().skip(2).take_while(|line| line.starts_with("| "));
    lines.map(|line| line.trim_matches(['|', ' ']).split_once(" | ").unwrap())
}

#[test]
fn every_rule_has_a_test_that_is_there() {
    let document = std::fs::read_to_string(root().join("docs/contexts.md")).unwrap();
    let mut n_tests = 0;
    for (rule, held_by) in rows(&document) {
        let before = n_tests;
        for test in held_by.split('`').filter_map(|word| word.split_once("::")) {
            let text = std::fs::read_to_string(root().join(test.0)).unwrap();
            assert!(text.contains(&format!("fn {}(", test.1)), "{rule}: {}::{}", test.0, test.1);
            n_tests += 1;
        }
        for link in held_by.split('[').skip(1) {
            let (title, rest) = link.split_once("](../").unwrap();
            let path = rest.split('#').next().unwrap();
            let page = std::fs::read_to_string(root().join(path)).unwrap();
            let story =
                page.split_once(&format!("## {title}\n")).unwrap_or_else(|| panic!("{title} in {path}"));
            let own = story.1.split("\n## ").next().unwrap();
            assert!(own.contains("```story") && own.contains("-> "), "{title}: no story");
            n_tests += 1;
        }
        assert!(n_tests > before, "{rule} is held by nothing");
    }
    assert!(n_tests > 30, "{n_tests}");
}
