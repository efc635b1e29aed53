//! Packages of the interface and of the browser journeys.

use std::path::Path;
use std::time::SystemTime;

use anyhow::{Result, bail};

use crate::process::Call;
use crate::repository::Repository;

/// The oldest Node that runs the interface's tools.
const MIN_NODE: (u32, u32) = (20, 19);

/// Installs the packages that the folder's lock file names, unless that was done since it changed.
pub(crate) fn ensure_packages(repository: &Repository, folder: &'static str) -> Result<()> {
    check_node(repository)?;
    let folder_path = repository.path(folder);
    let locked = changed(&folder_path.join("package-lock.json"));
    // npm writes this file at the end of an installation.
    let installed = changed(&folder_path.join("node_modules/.package-lock.json"));
    if installed.is_some() && installed >= locked {
        return Ok(());
    }
    Call::npm("ci --no-audit --no-fund", folder).run(repository)
}

fn changed(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|metadata| metadata.modified()).ok()
}

fn check_node(repository: &Repository) -> Result<()> {
    let (major, minor) = MIN_NODE;
    let Some(version) = Call::new("node", &["--version"]).output(repository) else {
        bail!("the interface needs Node {major}.{minor} or newer, and there is no `node` here");
    };
    match parse_version(&version) {
        Some(found) if found < MIN_NODE => {
            bail!("the interface needs Node {major}.{minor} or newer, and here it is {version}")
        }
        _ => Ok(()),
    }
}

/// `v20.19.4` as (20, 19).
fn parse_version(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.strip_prefix('v')?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(parse_version("v20.9.0"), Some((20, 9)));
        assert!(parse_version("v20.9.0") < Some(MIN_NODE));
        assert!(parse_version("v22.1.0") > Some(MIN_NODE));
        assert_eq!(parse_version("unknown"), None);
    }
}
