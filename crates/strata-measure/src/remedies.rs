//! What to change in the tool that wrote a session, in that tool's own terms: settings, commands, sentences for its
//! instructions. One table ([`remedy`]) for fixes, causes and findings, with the source of each row.

mod aim;
mod table;
mod writer;

pub use aim::{Aim, KeptBy};
pub use table::{Remedy, remedy};
pub use writer::{Provider, Writer};
