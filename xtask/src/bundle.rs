//! `cargo xtask bundle`: a Debian package of the window and the command.
//!
//! The menu, the icons and the types of files are kept up to date by triggers of the packages that own them, so that this
//! one needs no scripts of its own, and nothing of it is left when it is removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::node;
use crate::process::Call;
use crate::repository::Repository;

/// Name of the package and of the folders it owns.
const PACKAGE: &str = "strata-debugger";
/// The identifier of `tauri.conf.json`, by which desktops know the window.
const IDENTIFIER: &str = "dev.strata.debugger";
const PROGRAMS: [&str; 2] = ["strata", "strata-desktop"];
/// Packages whose triggers tell desktops of menus, icons and types of files.
const DESKTOP: &str = "desktop-file-utils, hicolor-icon-theme, shared-mime-info";
const ICONS: [(&str, &str); 4] = [
    ("32x32.png", "32x32/apps/dev.strata.debugger.png"),
    ("128x128.png", "128x128/apps/dev.strata.debugger.png"),
    ("128x128@2x.png", "256x256/apps/dev.strata.debugger.png"),
    ("icon.svg", "scalable/apps/dev.strata.debugger.svg"),
];

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Pack a debug build: quick to make, and large
    #[arg(long)]
    debug: bool,
    /// Pack the programs that are in the target folder already, as they are
    #[arg(long)]
    no_build: bool,
}

pub(crate) fn run(repository: &Repository, arguments: &Arguments) -> Result<ExitCode> {
    let profile = if arguments.debug { "debug" } else { "release" };
    if !arguments.no_build {
        node::ensure_packages(repository, "ui")?;
        Call::npm("run build", "ui").run(repository)?;
        let flag = if arguments.debug { "" } else { " --release" };
        Call::cargo(&format!("build --workspace --bins{flag}")).run(repository)?;
    }
    let folder = repository.target().join("bundle").join(profile);
    let programs = repository.target().join(profile);
    let tree = folder.join("tree");
    lay_out(repository, &programs, &tree)?;
    let manual = folder.join("manual");
    empty(&manual)?;
    Call::new(&programs.join("strata").display().to_string(), &["manual"])
        .arguments([&manual])
        .run(repository)?;
    lay_out_manual(repository, &manual, &tree.join("usr/share"))?;
    let package = pack(repository, &folder, arguments.debug)?;
    println!("\n{}\nInstall it with: sudo apt install {}", package.display(), package.display());
    Ok(ExitCode::SUCCESS)
}

/// Puts every file where it is once it is installed, below `tree`.
fn lay_out(repository: &Repository, programs: &Path, tree: &Path) -> Result<()> {
    empty(tree)?;
    for program in PROGRAMS {
        put(repository, &programs.join(program), &tree.join("usr/bin").join(program), "755")?;
    }
    let share = tree.join("usr/share");
    let files = repository.path("packaging/debian");
    let (menu, types) = (format!("{IDENTIFIER}.desktop"), format!("{IDENTIFIER}.xml"));
    put(repository, &files.join(&menu), &share.join("applications").join(&menu), "644")?;
    put(repository, &files.join(&types), &share.join("mime/packages").join(&types), "644")?;
    for (icon, place) in ICONS {
        let from = repository.path("src-tauri/icons").join(icon);
        put(repository, &from, &share.join("icons/hicolor").join(place), "644")?;
    }
    let documents = share.join("doc").join(PACKAGE);
    put(repository, &repository.path("LICENSE"), &documents.join("copyright"), "644")?;
    put(repository, &repository.path("NOTICE"), &documents.join("NOTICE"), "644")
}

/// Puts man pages and completions, which lie below `manual` as they will below `share`, to their places. Man pages are
/// packed, as Debian has them.
fn lay_out_manual(repository: &Repository, manual: &Path, share: &Path) -> Result<()> {
    let mut files = Vec::new();
    files_below(manual, &mut files)?;
    for file in files {
        let to = share.join(file.strip_prefix(manual).context("a file of the manual is elsewhere")?);
        put(repository, &file, &to, "644")?;
        if to.extension().is_some_and(|extension| extension == "1") {
            // Without name and time, so that the same pages are the same package.
            Call::new("gzip", &["-9", "-n", "-f"]).arguments([&to]).run(repository)?;
        }
    }
    Ok(())
}

fn empty(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("empty {}", folder.display()))?;
    }
    Ok(())
}

/// In order of their names.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in paths {
        if path.is_dir() { files_below(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

/// Copies a file to its place, which others may read, or also run.
fn put(repository: &Repository, from: &Path, to: &Path, mode: &str) -> Result<()> {
    Call::new("install", &["-D", "-m", mode]).arguments([from, to]).run(repository)
}

/// Writes what apt reads of the package, and packs it.
fn pack(repository: &Repository, folder: &Path, is_debug: bool) -> Result<PathBuf> {
    let tree = folder.join("tree");
    let architecture = said(&Call::new("dpkg", &["--print-architecture"]), repository)?;
    let (name, version) = (PACKAGE, env!("CARGO_PKG_VERSION"));
    let kilobytes = size(&tree)?.div_ceil(1024);
    let depends = libraries(repository, folder)?;
    let control = tree.join("DEBIAN/control");
    put(repository, &repository.path("packaging/debian/control"), &control, "644")?;
    let fields = fs::read_to_string(&control).context("read the fields of the package")?;
    let fields = format!(
        "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\nInstalled-Size: {kilobytes}\n\
         Depends: {depends}, {DESKTOP}\n{fields}"
    );
    fs::write(&control, fields).context("write the fields of the package")?;
    let package = folder.join(format!("{name}_{version}_{architecture}.deb"));
    let how = if is_debug { "-Znone" } else { "-Zxz" };
    Call::new("dpkg-deb", &["--root-owner-group", how, "--build"])
        .arguments([&tree, &package])
        .run(repository)?;
    Ok(package)
}

/// The packages that hold what the programs are linked with.
fn libraries(repository: &Repository, folder: &Path) -> Result<String> {
    // The tool asks for a source package around it.
    let source = folder.join("source");
    fs::create_dir_all(source.join("debian")).context("make a folder for dpkg-shlibdeps")?;
    fs::write(
        source.join("debian/control"),
        format!("Source: {PACKAGE}\n\nPackage: {PACKAGE}\nArchitecture: any\n"),
    )
    .context("write for dpkg-shlibdeps")?;
    let programs = PROGRAMS.map(|program| folder.join("tree/usr/bin").join(program));
    let tool = "cd \"$0\" && exec dpkg-shlibdeps -O \"$@\" 2>&1";
    let call = Call::new("sh", &["-c", tool]).arguments([source]).arguments(programs);
    let printed = said(&call, repository)?;
    let depends = printed.lines().find_map(|line| line.strip_prefix("shlibs:Depends="));
    depends.map(str::to_owned).with_context(|| {
        format!(
            "dpkg-shlibdeps does not say which libraries the programs need; nothing was packed:\n{printed}"
        )
    })
}

fn said(call: &Call, repository: &Repository) -> Result<String> {
    match call.output(repository) {
        Some(text) if !text.is_empty() => Ok(text),
        _ => bail!(
            "`{call}` says nothing; nothing was packed. Install dpkg and dpkg-dev, or run this on Debian."
        ),
    }
}

/// Bytes of all files below a folder.
fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("list {}", folder.display()))? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::env::temp_dir;

    use super::*;

    #[test]
    fn the_package_holds_what_a_desktop_looks_for_and_nothing_else() {
        let repository = Repository::find().unwrap();
        if Call::new("dpkg-shlibdeps", &["--version"]).output(&repository).is_none() {
            println!("NOT RUN: packages are made on Debian alone");
            return;
        }
        let folder = temp_dir().join(format!("strata-bundle-{}", std::process::id()));
        let programs = folder.join("programs");
        fs::create_dir_all(&programs).unwrap();
        for program in PROGRAMS {
            fs::copy(std::env::current_exe().unwrap(), programs.join(program)).unwrap();
        }
        lay_out(&repository, &programs, &folder.join("tree")).unwrap();
        let manual = folder.join("manual");
        for file in ["man/man1/strata.1", "zsh/vendor-completions/_strata"] {
            fs::create_dir_all(manual.join(file).parent().unwrap()).unwrap();
            fs::write(manual.join(file), "text").unwrap();
        }
        lay_out_manual(&repository, &manual, &folder.join("tree/usr/share")).unwrap();
        let package = pack(&repository, &folder, true).unwrap();
        let file = package.to_str().unwrap();
        let listed = said(&Call::new("dpkg-deb", &["-c", file]), &repository).unwrap();
        let fields = said(&Call::new("dpkg-deb", &["-f", file]), &repository).unwrap();
        fs::remove_dir_all(&folder).unwrap();

        let files = listed.lines().filter(|line| !line.ends_with('/'));
        let mut files: Vec<_> = files
            .map(|line| {
                let words: Vec<_> = line.split_whitespace().collect();
                format!("{} {} {}", words[0], words[1], words[5])
            })
            .collect();
        files.sort();
        assert_eq!(
            files,
            [
                "-rw-r--r-- root/root ./usr/share/applications/dev.strata.debugger.desktop",
                "-rw-r--r-- root/root ./usr/share/doc/strata-debugger/NOTICE",
                "-rw-r--r-- root/root ./usr/share/doc/strata-debugger/copyright",
                "-rw-r--r-- root/root ./usr/share/icons/hicolor/128x128/apps/dev.strata.debugger.png",
                "-rw-r--r-- root/root ./usr/share/icons/hicolor/256x256/apps/dev.strata.debugger.png",
                "-rw-r--r-- root/root ./usr/share/icons/hicolor/32x32/apps/dev.strata.debugger.png",
                "-rw-r--r-- root/root ./usr/share/icons/hicolor/scalable/apps/dev.strata.debugger.svg",
                "-rw-r--r-- root/root ./usr/share/man/man1/strata.1.gz",
                "-rw-r--r-- root/root ./usr/share/mime/packages/dev.strata.debugger.xml",
                "-rw-r--r-- root/root ./usr/share/zsh/vendor-completions/_strata",
                "-rwxr-xr-x root/root ./usr/bin/strata",
                "-rwxr-xr-x root/root ./usr/bin/strata-desktop",
            ]
        );
        assert!(fields.starts_with("Package: strata-debugger\n"), "{fields}");
        assert!(fields.contains("\nDepends: libc6") && fields.contains(DESKTOP), "{fields}");
    }

    #[test]
    fn the_window_is_known_by_one_identifier() {
        let repository = Repository::find().unwrap();
        let read = |path: &str| fs::read_to_string(repository.path(path)).unwrap();
        assert!(read("src-tauri/tauri.conf.json").contains(&format!("\"identifier\": \"{IDENTIFIER}\"")));
        let menu = read(&format!("packaging/debian/{IDENTIFIER}.desktop"));
        assert!(
            menu.contains(&format!("\nIcon={IDENTIFIER}\n")) && menu.contains("\nExec=strata-desktop %F\n")
        );
        let types = read(&format!("packaging/debian/{IDENTIFIER}.xml"));
        assert!(types.contains("type=\"application/x-strata\"") && menu.contains("application/x-strata;"));
    }
}
