//! Reports as pages: the numbers of the documents, in a file that loads nothing, runs nothing and holds no key.

use std::path::Path;

use strata_app::report::{self, Bill, ReportForm, Source};
use strata_app::whole;

use crate::samples::{self, Unwatched};

fn page(source: &Source, session: Option<&str>) -> report::ExportReport {
    report::page(source, session, ReportForm::Html, true, &Unwatched::default()).expect("a page")
}

/// What stands behind a name in the summary.
#[track_caller]
fn summary<'p>(page: &'p str, name: &str) -> &'p str {
    let (_, behind) = page.split_once("<h2>Summary</h2>").expect("a summary");
    let start = format!("<dt>{name}</dt><dd dir=\"auto\">");
    let (_, behind) = behind.split_once(&start).unwrap_or_else(|| panic!("no {name}"));
    behind.split_once("</dd>").expect("an end").0
}

/// Every tag that is opened is closed in its turn.
#[track_caller]
fn check_nesting(page: &str, what: &str) {
    const VOID: [&str; 1] = ["meta"];
    let mut open: Vec<&str> = Vec::new();
    for tag in page.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap_or_else(|| panic!("{what}: an open tag {tag}"));
        let name = tag.split_whitespace().next().expect("a name");
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{what}");
        } else if name != "!DOCTYPE" && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert_eq!(open, [""; 0], "{what}");
}

#[track_caller]
fn check_page(page: &str, bill: &Bill, what: &str) {
    assert_eq!(summary(page, "Calls"), whole(i64::from(bill.calls)), "{what}");
    let prompts = format!("{}{} tokens", bill.basis.mark(), whole(bill.prompt_tokens as i64));
    assert!(summary(page, "Prompts").starts_with(&prompts), "{what}: {}", summary(page, "Prompts"));
    let cached = format!("{} tokens", whole(bill.cached_tokens as i64));
    assert!(summary(page, "Of these, from a cache").starts_with(&cached), "{what}");
    let answers = match bill.output_tokens {
        0 => "not reported, and in no cost".to_owned(),
        n => format!("{} tokens", whole(n as i64)),
    };
    assert_eq!(summary(page, "Answers"), answers, "{what}");
    let has_no_price = bill.cost.is_none() && bill.partial_cost.is_none();
    assert_eq!(summary(page, "Cost") == "no price known", has_no_price, "{what}");
    let is_partial = summary(page, "Cost").ends_with("without a known price");
    assert_eq!(is_partial, bill.partial_cost.is_some(), "{what}");
    check_nesting(page, what);
    let lower = page.to_ascii_lowercase();
    for never in
        ["<script", "<link", "<img", "<iframe", "<object", "<image", "<use", " src=", " href=", " onload="]
    {
        assert!(!lower.contains(never), "{what}: {never}");
    }
    let has_control = |c: char| c.is_control() && c != '\n';
    assert!(!page.contains(has_control), "{what}: a control character");
}

#[test]
fn pages_of_all_samples_say_what_the_documents_say() {
    let scratch = tempfile::tempdir().expect("a folder");
    let mut n_pages = 0;
    for path in samples::committed(scratch.path()) {
        let source = samples::source(&path);
        let Ok(shown) = report::show(&source, &Unwatched::default()) else { continue };
        for session in shown.sessions {
            let Some(known) = session.tokens else { continue };
            let (id, what) = (&session.session.id, format!("{} {}", path.display(), session.session.id));
            let made = page(&source, Some(id));
            check_page(&made.text, &known.bill, &what);
            let mark = known.largest_basis.mark();
            let largest = format!("{mark}{} tokens", whole(i64::from(known.largest)));
            assert!(summary(&made.text, "Largest prompt").starts_with(&largest), "{what}");
            let found = report::findings(&source, Some(id), &Unwatched::default()).expect("findings");
            assert_eq!(summary(&made.text, "Findings"), whole(found.findings.len() as i64), "{what}");
            n_pages += 1;
        }
    }
    assert!(n_pages > 100, "{n_pages}");
}

/// A conversation with a user text that tries everything.
fn conversation(folder: &Path, text: &str) -> Source {
    let lines = [
        serde_json::json!({"role": "user", "content": text}),
        serde_json::json!({"role": "assistant", "content": "Done."}),
    ];
    let body = serde_json::json!({"model": "gpt-4o", "messages": lines});
    let path = folder.join("chat.json");
    std::fs::write(&path, body.to_string()).expect("a file");
    samples::source(&path)
}

#[test]
fn what_was_recorded_cannot_become_markup() {
    let folder = tempfile::tempdir().expect("a folder");
    let hostile = "</style></script><script>alert(1)</script><img src=x onerror=alert(1)>\u{202E}\u{0}\"'&";
    let text = format!("{hostile} {}", "long ".repeat(40_000));
    let made = page(&conversation(folder.path(), &text), None);
    check_nesting(&made.text, "hostile");
    assert!(made.text.contains("&lt;script&gt;alert(1)"), "it is shown as text");
    assert!(!made.text.contains("<script") && !made.text.contains("<img"));
    assert!(made.text.len() < 100_000, "{}", made.text.len());
}

#[test]
fn no_planted_key_is_in_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let keys = [
        format!("sk-ant-api03-{}", "a1B2c3D4e5F6g7H8".repeat(5)),
        format!("ghp_{}", "a1B2c3D4e5F6".repeat(3)),
        format!("AKIA{}", "IOSFODNN7ABCDEFG"),
        format!("AIza{}", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
        format!("xoxb-{}-{}", "123456789012-123456789012", "a1B2c3D4e5F6g7H8i9J0k1L2"),
    ];
    for key in &keys {
        let made = page(&conversation(folder.path(), &format!("The key is {key} and no other")), None);
        assert!(!made.text.contains(&**key), "{key}");
        assert!(made.text.contains("‹redacted: "), "{key}");
        assert!(made.diagnostics.iter().any(|row| row.code == "masked-secrets"), "{key}");
    }
}
