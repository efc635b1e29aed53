//! What may not be written, and what to write instead.

use crate::assert_none;
use crate::tree::{SourceFile, is_data, text_files};

/// Text that must not be in files with one of these extensions. The words are spelt in two halves, so that this table
/// does not break its own rules.
struct Ban {
    extensions: &'static [&'static str],
    text: &'static str,
    instead: &'static str,
}

const CODE: &[&str] = &["rs", "ts", "svelte", "js", "mjs", "css"];
const RUST: &[&str] = &["rs"];
const STYLED: &[&str] = &["svelte", "css"];

const BANS: &[Ban] = &[
    Ban {
        extensions: CODE,
        text: concat!("TO", "DO"),
        instead: "do it, or file an issue and say what holds now",
    },
    Ban {
        extensions: CODE,
        text: concat!("FIX", "ME"),
        instead: "fix it, or file an issue and say what holds now",
    },
    Ban { extensions: CODE, text: concat!("XX", "X"), instead: "say what is odd and why it is right" },
    Ban { extensions: RUST, text: concat!("dbg", "!("), instead: "remove it" },
    Ban {
        extensions: RUST, text: concat!("#[al", "low("), instead: "use `#[expect(…, reason = \"…\")]`"
    },
    Ban {
        extensions: RUST, text: concat!("#![al", "low("), instead: "use `#![expect(…, reason = \"…\")]`"
    },
    Ban { extensions: RUST, text: concat!("#[ig", "nore"), instead: "make the test run, or remove it" },
    Ban { extensions: RUST, text: concat!("#[should_", "panic"), instead: "return an error and test for it" },
    Ban {
        extensions: RUST,
        text: concat!("fn te", "st_"),
        instead: "name the behaviour, without the prefix",
    },
    Ban {
        extensions: STYLED,
        text: concat!("!impor", "tant"),
        instead: "make the selector say what it means",
    },
];

/// Names of types that say nothing. The domain's own words are better.
const EMPTY_NAMES: &[&str] = &["Manager", "Helper", "Helpers", "Util", "Utils"];

#[test]
fn banned_text_is_not_written() {
    let mut problems = Vec::new();
    for file in sources() {
        for ban in BANS.iter().filter(|ban| file.has_extension(ban.extensions)) {
            for (number, _) in file.lines().filter(|(_, line)| has_word(line, ban.text)) {
                problems.push(format!("{}:{number}: `{}`: {}.", file.path, ban.text, ban.instead));
            }
        }
    }
    assert_none(&problems);
}

/// Downloads go through the package managers, by name; a host in a file is a download somebody forgot.
#[test]
fn no_registry_is_named() {
    const HOSTS: &[&str] = &[
        concat!("crates", ".io"),
        concat!("npm", "js.org"),
        concat!("npm", "js.com"),
        concat!("yarn", "pkg.com"),
        concat!("py", "pi.org"),
        concat!("python", "hosted.org"),
        concat!("deb.", "debian.org"),
        concat!("archive.", "ubuntu.com"),
        concat!("/releases", "/download/"),
    ];
    let mut problems = Vec::new();
    // Cargo writes the registry into its lock file by itself.
    for file in text_files().iter().filter(|file| file.path != "Cargo.lock" && !is_recorded(file)) {
        for (number, line) in file.lines() {
            if let Some(host) = HOSTS.iter().find(|host| line.contains(**host)) {
                problems.push(format!(
                    "{}:{number}: names {host}. Name the package only, and let cargo, npm or apt find it.",
                    file.path
                ));
            }
        }
    }
    assert_none(&problems);
}

/// Lock files of npm are not recordings: they must be written without hosts.
fn is_recorded(file: &SourceFile) -> bool {
    is_data(&file.path) && file.name() != "package-lock.json"
}

#[test]
fn only_the_tauri_host_imports_tauri() {
    const HOST: &str = "ui/src/host/tauri.ts";
    let mut problems = Vec::new();
    for file in sources().filter(|file| file.path.starts_with("ui/") && file.path != HOST) {
        if !file.has_extension(&["ts", "svelte", "js"]) || file.path == "ui/eslint.config.js" {
            continue;
        }
        for (number, _) in file.lines().filter(|(_, line)| line.contains("@tauri-apps/")) {
            problems.push(format!(
                "{}:{number}: only {HOST} may import Tauri. Ask the `Host` for it.",
                file.path
            ));
        }
    }
    assert_none(&problems);
}

#[test]
fn types_are_named_by_the_domain() {
    let mut problems = Vec::new();
    for file in sources().filter(|file| file.has_extension(&["rs", "ts"])) {
        for (number, line) in file.lines() {
            let name = declared_type(line).unwrap_or_default();
            if let Some(ending) = EMPTY_NAMES.iter().find(|ending| name.ends_with(**ending)) {
                problems.push(format!(
                    "{}:{number}: `{name}`: find the domain's word for it. `{ending}` says nothing.",
                    file.path
                ));
            }
        }
    }
    assert_none(&problems);
}

fn sources() -> impl Iterator<Item = SourceFile> {
    text_files().into_iter().filter(|file| !is_data(&file.path))
}

/// Whether the text occurs and is not part of a longer word.
fn has_word(line: &str, text: &str) -> bool {
    let is_letter =
        |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(text).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + text.len()..].chars().next();
        let starts_word = !text.starts_with(is_word) || !is_letter(before);
        let is_open_ended = text.ends_with('_') || !text.ends_with(is_word);
        starts_word && (is_open_ended || !is_letter(after))
    })
}

/// The type a line declares.
fn declared_type(line: &str) -> Option<&str> {
    let mut words =
        line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty());
    words.find(|word| matches!(*word, "struct" | "enum" | "trait" | "class" | "interface"))?;
    words.next()
}

#[test]
fn words_are_found_as_words_only() {
    assert!(has_word(concat!("// TO", "DO: later"), concat!("TO", "DO")));
    assert!(!has_word("let todos = TODOS;", concat!("TO", "DO")));
    assert!(has_word(concat!("    fn te", "st_it() {"), concat!("fn te", "st_")));
    assert_eq!(declared_type("pub(crate) struct CallStack<T> {"), Some("CallStack"));
    assert_eq!(declared_type("let manager = 1;"), None);
}
