//! Modules form no circle: what a module uses does not use it, by whatever way.
//!
//! In each folder, its files and folders are compared with one another and with the folder's own file (`folder.rs`
//! beside `folder/`, `lib.rs` at the top). A folder stands for everything in it, so that it can be read, moved and
//! tested as one thing. What a folder's own file re-exports from below it does not count: that is a face.

use std::collections::{BTreeMap, BTreeSet};

use crate::assert_none;
use crate::modules::{ModulePath, Modules, Reference};
use crate::tree::{SourceFile, text_files};

/// The most references that a message lists.
const MAX_LISTED: usize = 12;

/// A folder's own file.
const OWN: &str = "(own file)";

#[test]
fn modules_form_no_circles() {
    let files = text_files();
    let mut problems = Vec::new();
    for (name, folder) in crates(&files) {
        let modules = Modules::of(&files, &folder);
        let circles = circles(&modules);
        if !circles.is_empty() {
            problems.extend(circles.iter().map(|circle| circle.message(&name)));
            problems.push(format!(
                "{name}: move what both sides need to a file that looks at neither, or hand it in as an argument."
            ));
        }
    }
    assert_none(&problems);
}

#[test]
fn a_circle_is_seen_through_re_exports_and_folders() {
    let file = |path: &str, text: &str| SourceFile { path: path.to_owned(), text: text.to_owned() };
    let found = |files: &[SourceFile]| -> Vec<String> {
        circles(&Modules::of(files, "src/")).iter().map(|circle| circle.members.join(" ")).collect()
    };
    let lib = file("src/lib.rs", "mod a; mod b; pub use a::A; pub use b::{B, Deep};");
    let b = file("src/b.rs", "mod deep; pub use deep::Deep; pub struct B;");
    let apart = file("src/a.rs", "use crate::b::Deep; pub struct A(Deep);");
    let below = file("src/b/deep.rs", "pub struct Deep; #[cfg(test)] mod tests { use crate::A; }");
    assert_eq!(
        found(&[lib, b, apart, below]),
        [""; 0],
        "a re-export is no use, and tests may see everything"
    );

    let lib = file("src/lib.rs", "mod a; mod b; pub use a::A; pub use b::Deep;");
    let b = file("src/b.rs", "mod deep; pub use deep::Deep;");
    let above = file("src/a.rs", "pub struct A(crate::Deep);");
    let circled = file("src/b/deep.rs", "pub struct Deep; fn look(_: &crate::A) {}");
    assert_eq!(found(&[lib, b, above, circled]), ["a b"]);

    let lib = file("src/lib.rs", "mod a;");
    let own = file("src/a.rs", "mod child; use child::Child; pub struct Own(Child);");
    let child = file("src/a/child.rs", "pub struct Child; fn look() { assert!(super::Own::is(1)); }");
    assert_eq!(found(&[lib, own, child]), ["(own file) child"], "a type that is looked up for lies too high");
}

/// Crates of the workspace, each with the folder of its sources.
fn crates(files: &[SourceFile]) -> Vec<(String, String)> {
    let roots = files.iter().filter_map(|file| {
        let folder = file.path.strip_suffix("Cargo.toml")?;
        let name = file.lines().find_map(|(_, line)| line.strip_prefix("name = "))?;
        Some((name.trim_matches('"').to_owned(), format!("{folder}src/")))
    });
    roots.collect()
}

/// Files and folders of one folder that use each other.
struct Circle {
    folder: ModulePath,
    members: Vec<String>,
    references: Vec<Reference>,
}

impl Circle {
    fn message(&self, name: &str) -> String {
        let written = |path: &ModulePath| if path.is_empty() { "lib".to_owned() } else { path.join("::") };
        let ties = self.references.iter().take(MAX_LISTED).map(|reference| {
            format!("\n    {} -> {}: {}", written(&reference.from), written(&reference.to), reference.name)
        });
        let more = self.references.len().saturating_sub(MAX_LISTED);
        let more = if more > 0 { format!("\n    and {more} more") } else { String::new() };
        let folder = [&[name.to_owned()], &self.folder[..]].concat().join("::");
        format!("{folder}: {} use each other:{}{more}", self.members.join(", "), ties.collect::<String>())
    }
}

fn circles(modules: &Modules) -> Vec<Circle> {
    let references = modules.references();
    let mut circles = Vec::new();
    for folder in modules.folders() {
        // A reference counts in the folder in which its two ends part.
        let inside: Vec<(String, String, &Reference)> = references
            .iter()
            .filter_map(|reference| {
                let (from, to) = (member(folder, &reference.from)?, member(folder, &reference.to)?);
                (from != to).then_some((from, to, reference))
            })
            .collect();
        let mut uses: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (from, to, _) in &inside {
            uses.entry(from).or_default().insert(to);
        }
        for members in knots(&uses) {
            let ties = inside
                .iter()
                .filter(|(from, to, _)| members.contains(&from.as_str()) && members.contains(&to.as_str()));
            circles.push(Circle {
                folder: folder.clone(),
                references: ties.map(|(.., reference)| (*reference).clone()).collect(),
                members: members.into_iter().map(str::to_owned).collect(),
            });
        }
    }
    circles
}

/// The file or folder of `folder` in which a module lies.
fn member(folder: &ModulePath, module: &ModulePath) -> Option<String> {
    let below = module.strip_prefix(&folder[..])?;
    Some(below.first().map_or(OWN, String::as_str).to_owned())
}

/// Groups of two or more that reach each other.
fn knots<'n>(uses: &BTreeMap<&'n str, BTreeSet<&'n str>>) -> Vec<Vec<&'n str>> {
    let reach = |start: &'n str| -> BTreeSet<&'n str> {
        let mut reached = BTreeSet::new();
        let mut open = vec![start];
        while let Some(name) = open.pop() {
            open.extend(uses.get(name).into_iter().flatten().filter(|used| reached.insert(**used)));
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = uses.keys().map(|name| (*name, reach(name))).collect();
    let mut knots: Vec<Vec<&str>> = Vec::new();
    for (name, below) in &reached {
        let knot: Vec<&str> = below
            .iter()
            .filter(|other| reached.get(*other).is_some_and(|back| back.contains(name)))
            .copied()
            .collect();
        if knot.len() > 1 && !knots.contains(&knot) {
            knots.push(knot);
        }
    }
    knots
}
