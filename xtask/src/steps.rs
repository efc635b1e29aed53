//! The steps of `cargo xtask test`, in the order they are run.
//!
//! On a fresh clone nearly all of the time goes into compiling. So everything is asked for with `--workspace`, which gives
//! one set of features, and with the programs among the tests, so that nothing is compiled a second time.

use anyhow::Result;

use crate::process::Call;
use crate::repository::Repository;
use crate::{node, system};

/// Compares generated files with the code they are made from; writes them where `STRATA_GEN=write` is set.
pub(crate) const GENERATED: &str = "test --workspace --test generated";

/// The same for the page of injected causes, which is made by the test that injects them.
pub(crate) const INJECTED: &str = "test --workspace --test it every_injected_cause";

/// The same for what `docs/ci.md` shows of `strata check`.
pub(crate) const SHOWN: &str = "test --workspace --test it the_page_shows_what_is_printed";

/// One thing that can fail.
pub(crate) struct Step {
    pub name: &'static str,
    pub about: &'static str,
    /// Part of `cargo xtask check`.
    pub is_quick: bool,
    /// Works on the interface.
    pub needs_ui: bool,
    /// The step that does this one too. It is left out where all are run.
    pub within: Option<&'static str>,
    /// The step that has to be run before, whoever asks for this one.
    pub needs: Option<&'static str>,
    pub run: fn(&Repository) -> Result<()>,
}

/// Steps that are run one after the other.
pub(crate) type Lane = &'static [Step];

/// Lanes that are run side by side, the next row after all of them. Cargo runs once at a time, so it is in one of them.
pub(crate) const ROWS: &[&[Lane]] = &[&[PREPARATION], &[RUST, INTERFACE], &[LINTS, BROWSER], &[WINDOW]];

/// What the others need, and what is wrong in a second.
const PREPARATION: &[Step] = &[
    Step {
        name: "system",
        about: "packages of the operating system",
        is_quick: true,
        needs_ui: false,
        within: None,
        needs: None,
        run: |repository| {
            system::ensure(repository, &system::WINDOW.iter().chain(system::TESTING).collect::<Vec<_>>())
        },
    },
    Step {
        name: "fmt",
        about: "Rust: formatting",
        is_quick: true,
        needs_ui: false,
        within: None,
        needs: None,
        run: |repository| Call::cargo("fmt --all --check").run(repository),
    },
    Step {
        name: "ui-packages",
        about: "UI: packages",
        is_quick: true,
        needs_ui: true,
        within: None,
        needs: None,
        run: |repository| node::ensure_packages(repository, "ui"),
    },
    Step {
        name: "ui-build",
        about: "UI: build, which the window and `strata serve` embed",
        is_quick: false,
        needs_ui: true,
        within: None,
        needs: None,
        run: |repository| Call::npm("run build", "ui").run(repository),
    },
];

/// Compiling takes most of the time, and not all of every processor.
const RUST: &[Step] = &[
    Step {
        name: "tidy",
        about: "layers, sizes, words, links",
        is_quick: true,
        needs_ui: false,
        within: Some("rust-tests"),
        needs: None,
        run: |repository| Call::cargo("test --workspace --test tidy").run(repository),
    },
    Step {
        name: "generated",
        about: "files made from code are up to date",
        is_quick: true,
        needs_ui: false,
        within: Some("rust-tests"),
        needs: None,
        run: |repository| Call::cargo(GENERATED).run(repository),
    },
    Step {
        name: "conformance",
        about: "the compiler and the runtime do what google-adk does",
        is_quick: false,
        needs_ui: false,
        within: Some("rust-tests"),
        needs: None,
        run: |repository| Call::cargo("test --workspace --test conformance --test runtime").run(repository),
    },
    Step {
        name: "rust-tests",
        about: "Rust: all tests",
        is_quick: false,
        needs_ui: false,
        within: None,
        needs: None,
        run: |repository| Call::cargo("test --workspace").run(repository),
    },
    Step {
        name: "programs",
        about: "Rust: the programs that journeys start",
        is_quick: false,
        needs_ui: false,
        within: None,
        needs: None,
        run: build_programs,
    },
];

/// Node alone.
const INTERFACE: &[Step] = &[
    Step {
        name: "ui-lint",
        about: "UI: lints, formatting, unused code",
        is_quick: true,
        needs_ui: true,
        within: None,
        needs: None,
        run: |repository| Call::npm("run lint", "ui").run(repository),
    },
    Step {
        name: "ui-types",
        about: "UI: types",
        is_quick: true,
        needs_ui: true,
        within: None,
        needs: None,
        run: |repository| Call::npm("run check", "ui").run(repository),
    },
    Step {
        name: "ui-tests",
        about: "UI: unit tests",
        is_quick: true,
        needs_ui: true,
        within: None,
        needs: None,
        run: |repository| Call::npm("test", "ui").run(repository),
    },
];

/// Another compilation, as far as lints need one.
const LINTS: &[Step] = &[Step {
    name: "clippy",
    about: "Rust: lints",
    is_quick: true,
    needs_ui: false,
    within: None,
    needs: None,
    run: |repository| Call::cargo("clippy --workspace --all-targets -- --deny warnings").run(repository),
}];

/// Much waiting, for the browser and for Strata.
const BROWSER: &[Step] = &[Step {
    name: "journeys",
    about: "the interface in a browser, on `strata serve`",
    is_quick: false,
    needs_ui: true,
    within: None,
    needs: Some("programs"),
    run: |repository| {
        node::ensure_packages(repository, "tests/journeys")?;
        Call::npm("test", "tests/journeys").env("STRATA", program(repository, "strata")).run(repository)
    },
}];

/// The real window.
const WINDOW: &[Step] = &[Step {
    name: "window",
    about: "the interface in the real window",
    is_quick: false,
    needs_ui: true,
    within: None,
    needs: Some("programs"),
    run: |repository| {
        Call::cargo("test --workspace --test window -- --nocapture --skip the_window_on_long_sessions --skip the_pictures_of_the_documentation")
            .env("STRATA_DESKTOP", program(repository, "strata-desktop"))
            .run(repository)
    },
}];

/// All steps in the order in which they are begun.
pub(crate) fn all() -> impl Iterator<Item = &'static Step> {
    ROWS.iter().flat_map(|row| row.iter()).flat_map(|lane| lane.iter())
}

/// Both shells and the recorder, as they are run from the target folder. Asked for alone they would have other features
/// than among the tests, and most of this workspace and of Tauri would be compiled a second time.
pub(crate) fn build_programs(repository: &Repository) -> Result<()> {
    Call::cargo("build --workspace --bins --tests").run(repository)
}

pub(crate) fn program(repository: &Repository, name: &str) -> String {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    repository.target().join("debug").join(file).display().to_string()
}
