//! What the libraries under the window read from the environment, once, before the first line of ours runs.

use std::env;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// The C library keeps a pool of memory for each thread that ever asked for some, and of what it was given back, more the
/// larger it was. Two pools, and large pieces back at once: 150 MB less beside a session of 10,000 events.
const MEMORY: [(&str, &str); 3] =
    [("MALLOC_ARENA_MAX", "2"), ("MALLOC_MMAP_THRESHOLD_", "131072"), ("MALLOC_TRIM_THRESHOLD_", "131072")];

/// Without a graphics card WebKit otherwise draws as if there were one, and a frame of a list that scrolls takes three times
/// as long (`docs/performance.md`): it is to draw in memory.
const DRAWING: (&str, &str) = ("WEBKIT_DISABLE_COMPOSITING_MODE", "1");
/// Where Linux has its graphics cards, and how the names of those that can draw begin.
const CARDS: &str = "/dev/dri";
const CARD: &str = "renderD";

/// Begins anew with what is missing of these. Whatever a person set stays. Returns where nothing is missing, or where it
/// cannot begin anew: then the program is larger, and works.
pub(crate) fn settle() {
    let wanted = MEMORY.into_iter().chain((!has_graphics_card()).then_some(DRAWING));
    let missing: Vec<(&str, &str)> = wanted.filter(|(name, _)| env::var_os(name).is_none()).collect();
    if missing.is_empty() {
        return;
    }
    if let Ok(program) = env::current_exe() {
        let _ = Command::new(program).args(env::args_os().skip(1)).envs(missing).exec();
    }
}

fn has_graphics_card() -> bool {
    let mut cards = fs::read_dir(CARDS).into_iter().flatten().flatten();
    cards.any(|card| card.file_name().to_string_lossy().starts_with(CARD))
}
