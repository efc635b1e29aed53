//! The pictures of the documentation: the real window on the sample that comes with Strata. `cargo xtask pictures` takes
//! them anew; `cargo xtask test window` passes this over.

use anyhow::{Context as _, Result};

use crate::display::Display;
use crate::driver::Driver;
use crate::page::{AT_REST, NEVER, Page, SIZE, Theme};

/// Where they go, in the repository.
const FOLDER: &str = "docs/window";

/// The sample that comes with Strata, as addresses name it: its id is made from its name.
const SAMPLE: &str = "a0b52932cdfc2e50";

/// Views by the last part of their address.
const VIEWS: [&str; 6] = ["session", "pipeline", "cache", "lab", "stores", "learn"];

/// Half a screen, and a large one: what the usual size does not show.
const OTHER_SIZES: [(u32, u32); 2] = [(900, 800), (2560, 1300)];

/// The view is there.
const IS_SHOWN: &str =
    "document.querySelector('[role=slider][aria-valuetext], main[aria-label=Learn] section') !== null";

#[tokio::test]
async fn the_pictures_of_the_documentation() -> Result<()> {
    // See the journey.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let home = tempfile::tempdir()?;
    let display = Display::start(OTHER_SIZES[1])?;
    let driver = Driver::start(&display, home.path())?;
    let page = driver.open(&crate::app()?, &[]).await?;
    let taken = taken(&page).await;
    page.close().await?;
    taken
}

async fn taken(page: &Page) -> Result<()> {
    page.resize(SIZE).await?;
    for view in VIEWS {
        page.go_to(&format!("#/{SAMPLE}/{view}")).await?;
        for theme in [Theme::Dark, Theme::Light] {
            take(page, theme, &format!("{view}-{theme}")).await?;
        }
    }
    page.go_to(&format!("#/{SAMPLE}/session")).await?;
    for size in OTHER_SIZES {
        page.resize(size).await?;
        for theme in [Theme::Dark, Theme::Light] {
            take(page, theme, &format!("session-{}-{theme}", size.0)).await?;
        }
    }
    Ok(())
}

async fn take(page: &Page, theme: Theme, name: &str) -> Result<()> {
    rest(page, name).await?;
    page.show_in(theme).await?;
    rest(page, name).await?;
    page.picture_in(&crate::repository().join(FOLDER), name).await
}

async fn rest(page: &Page, name: &str) -> Result<()> {
    page.wait_for(&format!("{IS_SHOWN} && {AT_REST}"), NEVER).await.with_context(|| name.to_owned())
}
