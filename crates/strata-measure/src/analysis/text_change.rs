//! How two texts that stand in one place differ first, and what kind of value does it: found in the texts alone, whoever
//! wrote them.

mod change;
mod json_texts;
mod kind;
mod lists;
mod moments;
mod numbers;
mod random;
mod texts;
mod words;

pub use change::TextChange;
pub(super) use change::shown;
pub use kind::ChangeKind;

#[cfg(test)]
mod tests;
