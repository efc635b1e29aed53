//! Dialects, through the public seams: what is written is read again, and bytes may arrive as they like.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod a2a;
mod dialects;
mod requests;
mod streams;
mod usage;
mod verdicts;
