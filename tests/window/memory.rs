//! How much memory programs take.

use std::collections::HashMap;
use std::fs;

use anyhow::{Context as _, Result, ensure};

/// Bytes of all processes below one, what they share counted once for each by its part.
pub(crate) fn of_descendants(ancestor: u32) -> Result<u64> {
    let parents: HashMap<u32, u32> = processes()?.into_iter().collect();
    let is_below = |mut process: u32| {
        while let Some(parent) = parents.get(&process) {
            if *parent == ancestor {
                return true;
            }
            process = *parent;
        }
        false
    };
    let bytes: Vec<u64> =
        parents.keys().filter(|process| is_below(**process)).filter_map(|of| share(*of)).collect();
    ensure!(!bytes.is_empty(), "the driver has no window");
    Ok(bytes.iter().sum())
}

/// Each with its parent.
fn processes() -> Result<Vec<(u32, u32)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").context("list the processes")? {
        let Some(process) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // It may have ended meanwhile.
        let Ok(status) = fs::read_to_string(format!("/proc/{process}/status")) else { continue };
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        found.extend(parent.map(|parent| (process, parent)));
    }
    Ok(found)
}

/// The proportional share of what is in memory.
fn share(process: u32) -> Option<u64> {
    let sums = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    let kilobytes = sums.lines().find_map(|line| line.strip_prefix("Pss:")?.trim().strip_suffix("kB"))?;
    Some(kilobytes.trim().parse::<u64>().ok()? << 10)
}
