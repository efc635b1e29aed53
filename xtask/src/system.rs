//! Packages of the operating system that cargo and npm do not bring.

use anyhow::{Context as _, Result, bail};

use crate::process::Call;
use crate::repository::Repository;

/// A Debian package, and what it is needed for.
pub(crate) struct Package {
    name: &'static str,
    purpose: &'static str,
}

const fn package(name: &'static str, purpose: &'static str) -> Package {
    Package { name, purpose }
}

/// What compiling without the window needs.
pub(crate) const COMPILING: &[Package] = &[package("build-essential", "compiles SQLite and links programs")];

/// What compiling the window needs.
pub(crate) const WINDOW: &[Package] = &[
    package("build-essential", "compiles SQLite and links programs"),
    package("pkg-config", "finds the libraries of the window"),
    package("libwebkit2gtk-4.1-dev", "shows the interface in the window"),
];

/// What the tests need besides.
pub(crate) const TESTING: &[Package] = &[
    package("chromium", "walks through the interface in a browser"),
    package("mariadb-server", "keeps sessions that are read by their address"),
    package("postgresql", "keeps sessions that are read by their address"),
    package("webkit2gtk-driver", "walks through the real window"),
    package("xvfb", "gives the window a display where there is none"),
];

/// Installs what is missing, with apt. On other systems it only says what to look for.
pub(crate) fn ensure(repository: &Repository, packages: &[&Package]) -> Result<()> {
    if !cfg!(target_os = "linux") {
        return Ok(());
    }
    if Call::new("dpkg-query", &["--version"]).output(repository).is_none() {
        println!(
            "This is no Debian or Ubuntu. Should the build fail, install what these Debian packages hold:"
        );
        describe(packages);
        return Ok(());
    }
    let missing: Vec<_> =
        packages.iter().copied().filter(|package| !is_installed(repository, package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    println!("Packages of the system are missing and will be installed:");
    describe(&missing);
    install(repository, &missing)
}

fn describe(packages: &[&Package]) {
    for Package { name, purpose } in packages {
        println!("  {name:24} {purpose}");
    }
}

fn is_installed(repository: &Repository, package: &Package) -> bool {
    let status = Call::new("dpkg-query", &["--show", "--showformat=${db:Status-Status}", package.name]);
    status.output(repository).as_deref() == Some("installed")
}

fn install(repository: &Repository, packages: &[&Package]) -> Result<()> {
    let names: Vec<_> = packages.iter().map(|package| package.name).collect();
    let is_root = Call::new("id", &["--user"]).output(repository).as_deref() == Some("0");
    if !is_root && Call::new("sudo", &["--version"]).output(repository).is_none() {
        bail!("install them as root, then try again: apt-get install {}", names.join(" "));
    }
    let apt = |arguments: &[&str]| {
        let quiet = ["DEBIAN_FRONTEND=noninteractive", "apt-get"];
        let line = [&quiet[..], arguments].concat();
        if is_root { Call::new("env", &line) } else { Call::new("sudo", &[&["env"], &line[..]].concat()) }
    };
    // A fresh machine has no list of packages yet.
    apt(&["update", "--quiet"]).run(repository).context("read the list of packages")?;
    apt(&[&["install", "--yes", "--quiet", "--no-install-recommends"], &names[..]].concat())
        .run(repository)
        .context("install packages of the system")
}
