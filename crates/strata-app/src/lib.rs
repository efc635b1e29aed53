//! The use cases of Strata: what the window, the browser and the command line can do.
//!
//! There is one list of commands ([`command::COMMANDS`]). The Tauri dispatcher, the HTTP route of `strata serve`, the
//! TypeScript types and the table in ARCHITECTURE.md are all made from it.

pub mod api;
mod beside;
mod capture_folder;
mod capture_upstreams;
mod captured_sessions;
mod captures;
mod class_file;
mod command;
mod data_folder;
mod edit_file;
mod error;
mod export;
mod follows;
mod handlers;
mod home;
mod import;
mod ingest;
mod jobs;
mod kept_files;
mod kept_lessons;
mod kept_memory;
mod kept_secrets;
mod lab;
mod learned_counts;
mod lesson_desk;
mod lesson_progress;
mod lesson_shelf;
pub mod lessons;
mod models;
mod notifications;
mod open;
mod open_report;
mod own_prices;
mod place_choices;
mod places;
mod recorder;
pub mod report;
mod run;
mod runs;
mod sample;
mod script_folder;
pub mod served;
mod session_budget;
mod sessions;
mod show;
mod stores;
mod strata;
mod tables;
mod text_diff;
mod typescript;
mod usage;
mod watch;
mod workspace;

pub use command::{Answer, Bytes, COMMANDS, Command, Reply};
pub use data_folder::default_database;
pub use error::{AppError, ErrorCode};
pub use kept_secrets::kinds_in_words;
pub use notifications::{Notifications, Subscription};
pub use show::commands::{is_command, without_commands};
pub use show::numbers::{count, dollars, share, tokens};
pub use show::words::{asked, counted, cut, listed, size, whole};
pub use strata::{Host, Options, Strata};
pub use typescript::typescript;
