//! What every Cargo.toml of a member says.

use toml::{Table, Value};

use crate::assert_none;
use crate::tree::{self, SourceFile};

fn members() -> impl Iterator<Item = (SourceFile, Table)> {
    tree::text_files()
        .into_iter()
        .filter(|file| file.name() == "Cargo.toml" && file.path != "Cargo.toml")
        // A workspace of its own, which shares nothing.
        .filter(|file| file.path != "fuzz/Cargo.toml")
        .map(|file| {
            let table = file.text.parse().expect("cargo reads the same file");
            (file, table)
        })
}

#[test]
fn members_share_the_lints_and_the_package_fields() {
    let mut problems = Vec::new();
    for (file, manifest) in members() {
        if manifest.get("lints").and_then(|lints| lints.get("workspace")) != Some(&Value::Boolean(true)) {
            problems.push(format!("{}: add `[lints]` with `workspace = true`.", file.path));
        }
        for field in ["version", "edition", "rust-version", "license", "publish"] {
            let value = manifest.get("package").and_then(|package| package.get(field));
            if value.and_then(|value| value.get("workspace")) != Some(&Value::Boolean(true)) {
                problems.push(format!("{}: write `{field}.workspace = true`.", file.path));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn versions_of_dependencies_are_in_one_place() {
    let mut problems = Vec::new();
    for (file, manifest) in members() {
        let targets =
            manifest.get("target").and_then(Value::as_table).into_iter().flat_map(|targets| targets.values());
        for table in targets.filter_map(Value::as_table).chain([&manifest]) {
            for section in ["dependencies", "dev-dependencies", "build-dependencies"] {
                let dependencies = table.get(section).and_then(Value::as_table).into_iter().flatten();
                for (name, dependency) in dependencies {
                    if dependency.get("workspace") != Some(&Value::Boolean(true)) {
                        problems.push(format!(
                            "{}: {name} has a version of its own. Put it in `[workspace.dependencies]` of the root's \
                             Cargo.toml and write `{name}.workspace = true` here.",
                            file.path
                        ));
                    }
                }
            }
        }
    }
    assert_none(&problems);
}
