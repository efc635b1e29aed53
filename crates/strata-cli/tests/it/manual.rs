//! `strata manual`: man pages and completions for every command.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::strata::{Computer, strata};

/// The commands that `help` lists below others.
fn commands_of(command: &str) -> Vec<String> {
    let help = strata(&format!("{command} --help"));
    assert_eq!(help.code, 0, "{}", help.seen());
    let lines = help.stdout.lines().skip_while(|line| *line != "Commands:").skip(1);
    let named = lines.take_while(|line| line.starts_with("  "));
    // A command is indented by two; what goes on from the line before, by more.
    let named = named.filter(|line| !line.starts_with("   "));
    let names = named.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_command_has_a_man_page_and_is_completed() {
    let computer = Computer::new();
    let folder = computer.path("share");
    let run = computer.run(&format!("manual {}", folder.display()));
    assert_eq!(run.code, 0, "{}", run.seen());
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap_or_else(|_| panic!("no {file}"));
    let completions = [
        "bash-completion/completions/strata",
        "zsh/vendor-completions/_strata",
        "fish/vendor_completions.d/strata.fish",
    ]
    .map(read);

    let commands = commands_of("");
    assert!(commands.len() > 20 && commands.contains(&"compile".to_owned()), "{commands:?}");
    let page = read("man/man1/strata.1");
    for command in &commands {
        assert!(
            page.contains(&format!("strata\\-{command}(1)").replace("adk-", "adk\\-")),
            "{command}: {page}"
        );
        let page = read(&format!("man/man1/strata-{command}.1"));
        let about = strata(&format!("{command} -h")).stdout.lines().next().unwrap().to_owned();
        let first = about.split_whitespace().next().unwrap().to_owned();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(&first), "{command}: {page}");
        for text in &completions {
            assert!(text.contains(command), "{command}");
        }
    }
    for command in commands_of("lessons") {
        let page = read(&format!("man/man1/strata-lessons-{command}.1"));
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
    // What is for whoever makes packages is in no manual.
    assert!(!folder.join("man/man1/strata-manual.1").exists());
    assert_is_bash(&folder.join("bash-completion/completions/strata"));
}

#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn assert_is_bash(file: &Path) {
    match Command::new("bash").arg("-n").arg(file).status() {
        Ok(status) => assert!(status.success(), "{}", file.display()),
        Err(_) => println!("NOT RUN: there is no bash here"),
    }
}
