//! What holds for replays and loss reports.

mod plans;
mod planted;
mod sweeps;
