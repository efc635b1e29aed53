//! What `docs/ci.md` shows is what the program prints.

use std::env;
use std::path::Path;

use super::{Project, Side};

/// Blocks that show a command stand under a comment that says when: `<!-- after the change, exit 1 -->`.
const COMMENT: &str = "the change, exit ";

/// The page with what each of its commands prints now. `n_shown` counts them.
fn made_again(page: &str, n_shown: &mut usize) -> String {
    let mut again = String::new();
    let mut lines = page.lines();
    let mut when = None;
    while let Some(line) = lines.next() {
        again += &format!("{line}\n");
        if line.starts_with("<!-- ") && line.contains(COMMENT) {
            when = Some(line);
        }
        let Some(when) = when.take_if(|_| line == "```console") else { continue };
        let command = lines.next().and_then(|line| line.strip_prefix("$ strata check ")).unwrap();
        lines.by_ref().find(|line| *line == "```").unwrap();
        let side = if when.contains("before") { Side::Before } else { Side::After };
        let exit = when.split(COMMENT).nth(1).unwrap().trim_end_matches(" -->");
        let run = Project::new(side).check(command);
        assert_eq!((run.code, &*run.stderr), (exit.parse().unwrap(), ""), "{command}: {}", run.seen());
        again += &format!("$ strata check {command}\n{}```\n", run.stdout);
        *n_shown += 1;
    }
    again
}

/// Holds the page against what is printed, or writes it where that is asked for.
#[test]
fn the_page_shows_what_is_printed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci.md");
    let page = std::fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
    let mut n_shown = 0;
    let again = made_again(&page, &mut n_shown);
    assert_eq!(n_shown, 4, "commands that the page shows");
    if env::var_os("STRATA_GEN").is_some_and(|wish| wish == "write") {
        return std::fs::write(&path, again).unwrap();
    }
    for (number, (is, printed)) in (1..).zip(page.lines().zip(again.lines())) {
        assert_eq!(is, printed, "docs/ci.md:{number} is not what is printed: cargo xtask gen");
    }
    assert_eq!(page.lines().count(), again.lines().count(), "docs/ci.md: cargo xtask gen");
}
