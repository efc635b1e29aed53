//! Files that are made from code. The test compares them; `cargo xtask gen` runs it with `STRATA_GEN=write`, and then it
//! writes them.

mod findings;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use similar::TextDiff;
use strata_app::report::table_columns;

/// A file in the repository, and what it should say.
struct Generated {
    path: PathBuf,
    text: String,
}

#[test]
fn generated_files_are_up_to_date() {
    let is_writing = env::var_os("STRATA_GEN").is_some_and(|wish| wish == "write");
    let mut differences = String::new();
    for Generated { path, text } in generated() {
        let current = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if current == text {
            continue;
        }
        if is_writing {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, &text).unwrap();
        } else {
            let name = path.display().to_string();
            let diff = TextDiff::from_lines(&current, &text);
            write!(differences, "{}", diff.unified_diff().header(&name, "as the code has it")).unwrap();
        }
    }
    assert!(differences.is_empty(), "{differences}\nThese files are not what the code says: cargo xtask gen");
}

fn generated() -> Vec<Generated> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ is a folder of the repository");
    let architecture = root.join("ARCHITECTURE.md");
    let page = fs::read_to_string(&architecture).expect("ARCHITECTURE.md is there");
    let tables = fs::read_to_string(root.join("docs/tables.md")).expect("docs/tables.md is there");
    vec![
        Generated { path: root.join("ui/src/api/gen/api.ts"), text: strata_app::typescript() },
        Generated { path: architecture, text: with_commands(&page) },
        Generated { path: root.join("docs/findings.md"), text: findings::document(root) },
        Generated { text: with_columns(&tables), path: root.join("docs/tables.md") },
        recordings(&root.join("ui/tests/recorded.jsonl")),
    ]
}

/// What tests of the interface ask, with what Strata answers today.
fn recordings(path: &Path) -> Generated {
    let recorder = Command::new(env!("CARGO_BIN_EXE_strata-recorder")).arg("answer").arg(path).output();
    let recorder = recorder.expect("the recorder starts");
    let said = String::from_utf8_lossy(&recorder.stderr);
    assert!(recorder.status.success(), "{said}");
    Generated { path: path.to_owned(), text: String::from_utf8(recorder.stdout).expect("JSON is text") }
}

/// The page with its table of commands made anew.
fn with_commands(page: &str) -> String {
    const START: &str = "<!-- commands: made by `cargo xtask gen` -->\n";
    const END: &str = "<!-- end of commands -->\n";
    let (before, rest) = page.split_once(START).expect("ARCHITECTURE.md marks where the commands start");
    let (_, after) = rest.split_once(END).expect("ARCHITECTURE.md marks where the commands end");
    let rows = strata_app::COMMANDS.iter().map(|(name, summary)| format!("| `{name}` | {summary} |\n"));
    let table = format!("| command | does |\n|---|---|\n{}", rows.collect::<String>());
    format!("{before}{START}\n{table}\n{END}{after}")
}

/// The page with the columns of all tables made anew.
fn with_columns(page: &str) -> String {
    const START: &str = "<!-- columns: made by `cargo xtask gen` -->\n";
    const END: &str = "<!-- end of columns -->\n";
    let (before, rest) = page.split_once(START).expect("docs/tables.md marks where the columns start");
    let (_, after) = rest.split_once(END).expect("docs/tables.md marks where the columns end");
    let mut made = String::new();
    for table in table_columns() {
        write!(
            made,
            "\n### {}\n\n{}\n\n| column | type | what it is |\n|---|---|---|\n",
            table.name, table.row
        )
        .expect("a text takes what is written");
        for column in table.columns {
            let form = match (format!("{:?}", column.form).to_lowercase(), column.is_optional) {
                (form, true) => format!("{form}, may be null"),
                (form, false) => form,
            };
            writeln!(made, "| `{}` | {form} | {} |", column.name, column.meaning)
                .expect("a text takes what is written");
        }
    }
    format!("{before}{START}{made}\n{END}{after}")
}
