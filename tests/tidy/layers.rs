//! Which crate may use which.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

use crate::{assert_none, tree};

/// Each member of the workspace, and the members it may use. `shells -> app -> effects -> measure -> engine -> wire -> model`.
const LAYERS: &[(&str, &[&str])] = &[
    ("strata-model", &[]),
    ("strata-context", &["strata-model"]),
    ("strata-wire", &["strata-model"]),
    ("strata-engine", &["strata-model", "strata-wire"]),
    ("strata-measure", &["strata-engine", "strata-model", "strata-wire"]),
    ("strata-import", &["strata-model", "strata-wire"]),
    ("strata-script", &["strata-engine", "strata-model"]),
    ("strata-store", &["strata-context", "strata-model"]),
    ("strata-provider", &["strata-model", "strata-wire"]),
    ("strata-toolset", &["strata-model"]),
    ("strata-capture", &["strata-model", "strata-wire"]),
    ("strata-database", &["strata-import", "strata-model"]),
    ("strata-parquet", &[]),
    ("strata-runtime", &["strata-engine", "strata-model", "strata-wire"]),
    (
        "strata-app",
        &[
            "strata-capture",
            "strata-context",
            "strata-database",
            "strata-engine",
            "strata-import",
            "strata-measure",
            "strata-model",
            "strata-parquet",
            "strata-provider",
            "strata-runtime",
            "strata-script",
            "strata-store",
            "strata-toolset",
            "strata-wire",
        ],
    ),
    ("strata-mcp", &["strata-app"]),
    ("strata-cli", &["strata-app", "strata-mcp"]),
    ("strata-desktop", &["strata-app"]),
    ("strata-testkit", &["strata-engine", "strata-model", "strata-wire"]),
    ("strata-oracle", &["strata-engine", "strata-model", "strata-runtime", "strata-testkit", "strata-wire"]),
    (
        "strata-recorder-check",
        &["strata-engine", "strata-import", "strata-model", "strata-oracle", "strata-wire"],
    ),
    ("xtask", &[]),
];

/// See the whole, and are seen by nobody.
const WHOLE: [&str; 2] = ["strata-tests", "strata-window-tests"];

/// May be used by tests of every crate, and by nothing that ships.
const TESTKIT: &str = "strata-testkit";

/// Computes and nothing else, so that a result depends on the arguments alone.
const PURE: [&str; 6] =
    ["strata-model", "strata-context", "strata-wire", "strata-engine", "strata-measure", "strata-import"];

/// What reaches files, network, clock, chance or a window. Not allowed anywhere below a pure crate.
const EFFECTS: &[&str] = &[
    "async-std",
    "axum",
    "dirs",
    "getrandom",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "rand",
    "reqwest",
    "rusqlite",
    "smol",
    "socket2",
    "sqlx",
    "tauri",
    "tempfile",
    "tokio",
    "ureq",
    "wry",
];

/// Packages that bring an effect along and never use it the way we call them: package, effect, why it stays unused.
const UNUSED: &[(&str, &str, &str)] = &[
    ("opentelemetry_sdk", "rand", "makes the ids of new spans; we only read the messages of recorded ones"),
    (
        "rand_core",
        "getrandom",
        "seeds generators of tests, which switch it on; imbl seeds its own with a constant",
    ),
    ("zip", "getrandom", "writes encrypted archives; we read plain ones"),
];

const DESKTOP: &str = "strata-desktop";

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(tree::root().join("Cargo.toml"))
        .exec()
        .expect("cargo knows the workspace")
}

#[test]
fn crates_use_only_what_lies_below() {
    let metadata = metadata();
    let members: BTreeSet<&str> =
        metadata.workspace_packages().iter().map(|package| package.name.as_str()).collect();
    let mut problems = Vec::new();
    for package in metadata.workspace_packages() {
        let name = package.name.as_str();
        if WHOLE.contains(&name) {
            continue;
        }
        let Some((_, below)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            problems.push(format!(
                "{name}: a new crate. Give it a row in LAYERS (tests/tidy/layers.rs), and a sentence in ARCHITECTURE.md \
                 that says why a module would not do."
            ));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|dependency| members.contains(&*dependency.name))
        {
            let is_for_tests = dependency.kind == DependencyKind::Development && dependency.name == TESTKIT;
            if !is_for_tests && !below.contains(&&*dependency.name) {
                problems.push(format!(
                    "{name} uses {}, which is not below it. Move the code to where both may see it, or pass what is \
                     needed as an argument. The picture is LAYERS in tests/tidy/layers.rs.",
                    dependency.name
                ));
            }
        }
    }
    assert_none(&problems);
}

#[test]
fn pure_crates_reach_no_effects() {
    let graph = Graph::of(&metadata()).without(UNUSED);
    let mut problems = Vec::new();
    for name in PURE {
        for (effect, path) in
            graph.reach(name).into_iter().filter(|(found, _)| EFFECTS.contains(&found.as_str()))
        {
            problems.push(format!(
                "{name} is pure and must not reach {effect} ({path}). Do the effect in a crate above and pass in its \
                 result, or switch off the feature that brings it."
            ));
        }
    }
    assert_none(&problems);
}

#[test]
fn only_the_desktop_shell_reaches_tauri() {
    let metadata = metadata();
    let graph = Graph::of(&metadata);
    let mut problems = Vec::new();
    for package in metadata.workspace_packages().iter().filter(|package| package.name != DESKTOP) {
        if let Some(path) = graph.reach(&package.name).get("tauri") {
            problems.push(format!(
                "{} reaches tauri ({path}). Only {DESKTOP} may: put what needs a window there.",
                package.name
            ));
        }
    }
    assert_none(&problems);
}

#[test]
fn what_ships_does_not_use_the_testkit() {
    let graph = Graph::of(&metadata());
    let shipped = ["strata-app", "strata-mcp", "strata-cli", DESKTOP];
    let problems: Vec<_> = shipped
        .iter()
        .filter_map(|name| graph.reach(name).get(TESTKIT).cloned())
        .map(|path| format!("{path}: {TESTKIT} is for tests. Make it a dev-dependency."))
        .collect();
    assert_none(&problems);
}

/// What each package uses outside its tests.
struct Graph {
    names: BTreeMap<PackageId, String>,
    uses: BTreeMap<PackageId, Vec<PackageId>>,
}

impl Graph {
    fn of(metadata: &Metadata) -> Self {
        let names =
            metadata.packages.iter().map(|package| (package.id.clone(), package.name.to_string())).collect();
        let nodes = &metadata.resolve.as_ref().expect("cargo resolved the dependencies").nodes;
        let uses = nodes
            .iter()
            .map(|node| {
                let ships = |kinds: &[cargo_metadata::DepKindInfo]| {
                    kinds.iter().any(|info| info.kind == DependencyKind::Normal)
                };
                let used =
                    node.deps.iter().filter(|used| ships(&used.dep_kinds)).map(|used| used.pkg.clone());
                (node.id.clone(), used.collect())
            })
            .collect();
        Self { names, uses }
    }

    /// The same without these edges.
    fn without(mut self, edges: &[(&str, &str, &str)]) -> Self {
        for (package, used) in &mut self.uses {
            used.retain(|used| {
                let edge = (self.names[package].as_str(), self.names[used].as_str());
                edges.iter().all(|(from, to, _)| (*from, *to) != edge)
            });
        }
        self
    }

    /// Every package below the one called `name`, with a path that leads there. Empty when there is no such package.
    fn reach(&self, name: &str) -> BTreeMap<String, String> {
        let start = self.names.iter().find(|(_, found)| found.as_str() == name).map(|(id, _)| id);
        let mut reached = BTreeMap::new();
        let mut open: Vec<(&PackageId, String)> = start.map(|id| (id, name.to_owned())).into_iter().collect();
        let mut seen = BTreeSet::new();
        while let Some((package, path)) = open.pop() {
            for used in self.uses.get(package).into_iter().flatten().filter(|used| seen.insert(*used)) {
                let path = format!("{path} > {}", self.names[used]);
                reached.insert(self.names[used].clone(), path.clone());
                open.push((used, path));
            }
        }
        reached
    }
}

#[test]
fn every_crate_says_what_it_is() {
    let metadata = metadata();
    let problems: Vec<_> = metadata
        .workspace_packages()
        .iter()
        .filter(|package| package.description.as_deref().is_none_or(str::is_empty))
        .map(|package| format!("{}: add a `description` of one line to its Cargo.toml.", package.name))
        .collect();
    assert_none(&problems);
}

#[test]
fn every_crate_is_in_the_architecture_document() {
    let metadata = metadata();
    let members: BTreeSet<&str> =
        metadata.workspace_packages().iter().map(|package| package.name.as_str()).collect();
    let document = std::fs::read_to_string(tree::root().join("ARCHITECTURE.md")).unwrap();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let named: BTreeSet<&str> = document.split(|letter| !is_name(letter)).collect();
    let missing = members
        .difference(&named)
        .map(|name| format!("ARCHITECTURE.md does not name {name}: add a paragraph with its invariants."));
    let gone =
        named.iter().filter(|name| name.starts_with("strata-") && !members.contains(*name)).map(|name| {
            format!("ARCHITECTURE.md names {name}, and there is no such crate: remove or correct it.")
        });
    assert_none(&missing.chain(gone).collect::<Vec<_>>());
}
