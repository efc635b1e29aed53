//! Writes the files that this crate makes for others: `cargo run -p strata-testkit --example generate`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for file in strata_testkit::invoice_triage::files() {
        let path = root.join(file.path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, file.text)?;
    }
    Ok(())
}
