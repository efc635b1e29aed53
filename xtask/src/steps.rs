//! The steps of `cargo xtask test`, cheapest first among those that do not need each other.

use anyhow::Result;

use crate::process::Call;
use crate::repository::Repository;
use crate::{node, system};

/// Compares generated files with the code they are made from; writes them where `STRATA_GEN=write` is set.
///
/// Tests are always run with `--workspace`: another selection has other features and compiles the dependencies anew.
pub(crate) const GENERATED: &str = "test --workspace --test generated";

/// One thing that can fail.
pub(crate) struct Step {
    pub name: &'static str,
    pub about: &'static str,
    /// Part of `cargo xtask check`.
    pub is_quick: bool,
    /// Works on the interface.
    pub needs_ui: bool,
    pub run: fn(&Repository) -> Result<()>,
}

pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "system",
        about: "packages of the operating system",
        is_quick: true,
        needs_ui: false,
        run: |repository| {
            system::ensure(repository, &system::WINDOW.iter().chain(system::TESTING).collect::<Vec<_>>())
        },
    },
    Step {
        name: "fmt",
        about: "Rust: formatting",
        is_quick: true,
        needs_ui: false,
        run: |repository| Call::cargo("fmt --all --check").run(repository),
    },
    Step {
        name: "ui-packages",
        about: "UI: packages",
        is_quick: true,
        needs_ui: true,
        run: |repository| node::ensure_packages(repository, "ui"),
    },
    Step {
        name: "ui-lint",
        about: "UI: lints, formatting, unused code",
        is_quick: true,
        needs_ui: true,
        run: |repository| Call::npm("run lint", "ui").run(repository),
    },
    Step {
        name: "ui-types",
        about: "UI: types",
        is_quick: true,
        needs_ui: true,
        run: |repository| Call::npm("run check", "ui").run(repository),
    },
    Step {
        name: "ui-tests",
        about: "UI: unit tests",
        is_quick: true,
        needs_ui: true,
        run: |repository| Call::npm("test", "ui").run(repository),
    },
    Step {
        name: "ui-build",
        about: "UI: build, which the window and `strata serve` embed",
        is_quick: false,
        needs_ui: true,
        run: |repository| Call::npm("run build", "ui").run(repository),
    },
    Step {
        name: "tidy",
        about: "layers, sizes, words, links",
        is_quick: true,
        needs_ui: false,
        run: |repository| Call::cargo("test --workspace --test tidy").run(repository),
    },
    Step {
        name: "generated",
        about: "files made from code are up to date",
        is_quick: true,
        needs_ui: false,
        run: |repository| Call::cargo(GENERATED).run(repository),
    },
    Step {
        name: "conformance",
        about: "the compiler and the runtime do what google-adk does",
        is_quick: false,
        needs_ui: false,
        run: |repository| Call::cargo("test --workspace --test conformance --test runtime").run(repository),
    },
    Step {
        name: "rust-tests",
        about: "Rust: all tests",
        is_quick: false,
        needs_ui: false,
        run: |repository| Call::cargo("test --workspace").run(repository),
    },
    Step {
        name: "clippy",
        about: "Rust: lints",
        is_quick: true,
        needs_ui: false,
        run: |repository| Call::cargo("clippy --workspace --all-targets -- --deny warnings").run(repository),
    },
    Step {
        name: "journeys",
        about: "the interface in a browser, on `strata serve`",
        is_quick: false,
        needs_ui: true,
        run: |repository| {
            node::ensure_packages(repository, "tests/journeys")?;
            build_programs(repository)?;
            Call::npm("test", "tests/journeys").env("STRATA", program(repository, "strata")).run(repository)
        },
    },
    Step {
        name: "window",
        about: "the interface in the real window",
        is_quick: false,
        needs_ui: true,
        run: |repository| {
            build_programs(repository)?;
            Call::cargo("test --workspace --test window -- --nocapture")
                .env("STRATA_DESKTOP", program(repository, "strata-desktop"))
                .run(repository)
        },
    },
];

/// Both shells and the recorder, as they are run from the target folder.
pub(crate) fn build_programs(repository: &Repository) -> Result<()> {
    Call::cargo("build --workspace --bins").run(repository)
}

pub(crate) fn program(repository: &Repository, name: &str) -> String {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    repository.target().join("debug").join(file).display().to_string()
}
