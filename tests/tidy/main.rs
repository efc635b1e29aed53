//! Rules of the repository that no compiler checks. Each problem says where it is and how to fix it.
//!
//! [`layers`] holds the picture of which crate may use which, [`sources`] what a source file looks like, [`words`] what
//! may not be written, and [`documents`] what the documents owe the code.

mod circles;
mod documents;
mod layers;
mod manifests;
mod modules;
mod sources;
mod tree;
mod words;

/// Fails with all problems at once.
#[track_caller]
fn assert_none(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n{} problems", problems.join("\n"), problems.len());
}
