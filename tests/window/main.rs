//! The interface in the real window: the built app under a display of its own, driven through WebKitWebDriver.
//!
//! One journey, because the same pages in a browser are cheaper to walk through (`tests/journeys/`). What only shows here
//! is the shell: a file given as an argument, commands and bytes over the bridge, WebKit's drawing.
//! `cargo xtask test window` builds the app, says where it is in `STRATA_DESKTOP`, and runs this. Pictures are left in
//! `target/journeys/`. [`bench`] measures the same window,
//! and [`pictures`] takes those of the documentation.

mod bench;
mod display;
mod driver;
mod memory;
mod page;
mod pictures;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, bail, ensure};
use thirtyfour::{Key, WebElement};

use crate::display::Display;
use crate::driver::Driver;
use crate::page::{BETWEEN_LOOKS, NEVER, Page, SIZE, Theme, shown_text};

/// Recorded from google-adk's web server; two agents, tools, several turns.
const SAMPLE: &str = "crates/strata-import/samples/adk-rest-session.json";

#[tokio::test]
async fn a_session_given_as_argument_is_walked_from_a_call_to_an_origin() -> Result<()> {
    // The app's HTTP client leaves the choice of cryptography to the program, and the driver's is the same crate. An
    // error says that the choice was made before.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let home = tempfile::tempdir()?;
    let display = Display::start(SIZE)?;
    let sample = repository().join(SAMPLE);
    ensure!(sample.exists(), "the sample {SAMPLE} is not there");
    let driver = Driver::start(&display, home.path())?;
    let page = driver.open(&app()?, &[sample]).await?;
    let outcome = walk(&page).await;
    // Whatever happened, show how far it came.
    page.picture("window-last").await?;
    page.close().await?;
    outcome
}

async fn walk(page: &Page) -> Result<()> {
    page.resize(SIZE).await?;

    // The cursor starts on the call with the largest prompt; Home and the arrows move it.
    let strip = strip_of_several_calls(page).await?;
    page.press_on(&strip, Key::Left).await?;
    let call = number(page.find("slider", "Prompt tokens of").await?.attr("aria-valuenow").await?.as_ref())?;
    page.picture_in_both_themes("window-session").await?;

    page.find("link", "Pipeline").await?.click().await?;
    page.find("main", "Pipeline").await?;
    let processors = page.find("region", "Processors").await?;
    page.wait_for_text(&processors, &format!("C{call}")).await?;

    let contents = page.find("option", "contents").await?;
    contents.click().await?;
    page.wait_until_selected("option", "contents").await?;
    let stage = page.find("region", "Stage").await?;
    page.wait_for_text(&stage, "contents").await?;

    let part = page.find_within(&stage, "option", "added").await?;
    let path = shown_text(&part).await?;
    part.click().await?;
    let inspector = page.find("complementary", "Inspector").await?;
    page.wait_for_text(&inspector, "Where it came from").await?;
    let origin = shown_text(&inspector).await?;
    ensure!(origin.contains('E'), "the part {path} names the event it came from: {origin}");
    page.picture_in_both_themes("window-pipeline").await
}

/// The strip, once the session is there.
async fn strip_of_several_calls(page: &Page) -> Result<WebElement> {
    let start = Instant::now();
    while start.elapsed() < NEVER {
        let strip = page.find("slider", "Prompt tokens of").await?;
        if number(strip.attr("aria-valuemax").await?.as_ref())? > 1 {
            // The rows of the events come last.
            page.find("option", "E1").await?;
            return Ok(strip);
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    bail!("the strip never showed the several calls of the sample");
}

impl Page {
    /// The same place twice, for people to look at.
    async fn picture_in_both_themes(&self, name: &str) -> Result<()> {
        for theme in [Theme::Dark, Theme::Light] {
            self.show_in(theme).await?;
            self.picture(&format!("{name}-{theme}")).await?;
        }
        Ok(())
    }
}

fn number(text: Option<&String>) -> Result<u32> {
    text.context("the attribute is set")?.parse().context("read a number")
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("tests/window/ is in the repository")
}

fn app() -> Result<PathBuf> {
    let app = std::env::var_os("STRATA_DESKTOP").context("run this as `cargo xtask test window`")?;
    Ok(app.into())
}
