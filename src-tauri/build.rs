//! Declares the shell's commands, so that the window may call these and no others, and has Tauri read its settings.

use std::path::Path;
use std::{fs, io};

use tauri_build::{AppManifest, Attributes};

const COMMANDS: &[&str] = &["dispatch", "dispatch_bytes", "pick_files", "save_text", "save_image"];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    ensure_page(Path::new("../ui/dist"))?;
    let commands = AppManifest::new().commands(COMMANDS);
    tauri_build::try_build(Attributes::new().app_manifest(commands))?;
    Ok(())
}

/// Tauri does not compile without a page to embed. Where the interface was not built, this one says how to.
fn ensure_page(dist: &Path) -> io::Result<()> {
    let page = dist.join("index.html");
    println!("cargo:rerun-if-changed={}", page.display());
    if page.exists() {
        return Ok(());
    }
    fs::create_dir_all(dist)?;
    fs::write(page, include_str!("without-ui.html"))
}
