//! The page as a person uses it: by role and name, keys and clicks.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use http::Method;
use serde_json::Value;
use thirtyfour::common::command::{Command, ExtensionCommand};
use thirtyfour::{By, Key, WebDriver, WebElement};

use crate::display::take_picture;

/// The usual size: width and height.
pub(crate) const SIZE: (u32, u32) = (1440, 900);

/// The journey waits for what happens, however long a busy machine takes. This only ends a wait for what never does.
pub(crate) const NEVER: Duration = Duration::from_mins(2);
/// A measurement gives up by itself; this is for one that does not.
pub(crate) const LONGEST_MEASUREMENT: Duration = Duration::from_mins(20);
pub(crate) const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Nothing is awaited and nothing drawn as a placeholder, in JavaScript.
pub(crate) const AT_REST: &str =
    "document.querySelector('[aria-busy=true], .stale, .placeholder, .compiling') === null";

/// More presses than there are looks.
const THEMES: usize = 4;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Theme {
    Dark,
    Light,
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dark => "dark",
            Self::Light => "light",
        })
    }
}

pub(crate) struct Page {
    driver: WebDriver,
    /// The name of the display that shows it.
    display: String,
}

impl Page {
    pub(crate) fn new(driver: WebDriver, display: String) -> Self {
        Self { driver, display }
    }

    pub(crate) async fn close(self) -> Result<()> {
        self.driver.quit().await.context("close the window")
    }

    pub(crate) async fn resize(&self, (width, height): (u32, u32)) -> Result<()> {
        self.driver.set_window_rect(0, 0, width, height).await.context("set the window's size")?;
        Ok(())
    }

    /// The first element with this role whose name, as assistive technology reads it, contains `name`.
    pub(crate) async fn find(&self, role: &str, name: &str) -> Result<WebElement> {
        let body = self.driver.find(By::Tag("body")).await?;
        self.find_within(&body, role, name).await
    }

    pub(crate) async fn find_within(&self, outer: &WebElement, role: &str, name: &str) -> Result<WebElement> {
        let start = Instant::now();
        loop {
            if let Some(found) = self.look_for(outer, role, name).await? {
                return Ok(found);
            }
            if start.elapsed() > NEVER {
                bail!("there is no {role} called `{name}`; the page says:\n{}", shown_text(outer).await?);
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    async fn look_for(&self, outer: &WebElement, role: &str, name: &str) -> Result<Option<WebElement>> {
        for element in outer.find_all(By::Css(selector(role)?)).await? {
            // The page may draw anew between two looks, and take an element away.
            let Ok(label) = self.computed(&element, "computedlabel").await else { continue };
            if label.contains(name) || (label.is_empty() && shown_text(&element).await?.contains(name)) {
                return Ok(Some(element));
            }
        }
        Ok(None)
    }

    /// What the browser works out for assistive technology.
    async fn computed(&self, element: &WebElement, property: &'static str) -> Result<String> {
        let command = Computed { element: element.element_id().to_string(), property };
        let answer = self.driver.cmd(Command::ExtensionCommand(Box::new(command))).await?;
        Ok(answer.value()?)
    }

    pub(crate) async fn wait_until_selected(&self, role: &str, name: &str) -> Result<()> {
        let start = Instant::now();
        loop {
            let element = self.find(role, name).await?;
            if element.attr("aria-selected").await?.as_deref() == Some("true") {
                return Ok(());
            }
            if start.elapsed() > NEVER {
                bail!("the {role} `{name}` is not selected");
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    pub(crate) async fn wait_for_text(&self, element: &WebElement, text: &str) -> Result<()> {
        let start = Instant::now();
        loop {
            let shown = shown_text(element).await?;
            if shown.contains(text) {
                return Ok(());
            }
            if start.elapsed() > NEVER {
                bail!("`{text}` is not shown, but:\n{shown}");
            }
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
    }

    /// Gives the element the focus and presses a key.
    pub(crate) async fn press_on(&self, element: &WebElement, key: Key) -> Result<()> {
        element.focus().await?;
        self.driver.action_chain().send_keys(key).perform().await.context("press a key")
    }

    /// Presses the key of the look until it is this one.
    pub(crate) async fn show_in(&self, theme: Theme) -> Result<()> {
        for _ in 0..THEMES {
            let shown =
                self.driver.execute("return document.documentElement.dataset.theme", Vec::new()).await?;
            if shown.convert::<String>()? == theme.to_string() {
                return Ok(());
            }
            let keys = self.driver.action_chain().key_down(Key::Control).key_down(Key::Shift).send_keys("L");
            keys.key_up(Key::Shift).key_up(Key::Control).perform().await.context("switch the theme")?;
            self.drawn().await?;
        }
        bail!("the window never turned {theme}");
    }

    /// Waits until the page has done what its keys and clicks asked for: the screen may be a frame behind.
    async fn drawn(&self) -> Result<()> {
        let two_frames =
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));";
        self.driver.execute_async(two_frames, Vec::new()).await.context("wait for a frame")?;
        Ok(())
    }

    /// Whether a condition, written in JavaScript, holds.
    pub(crate) async fn holds(&self, condition: &str) -> Result<bool> {
        let answer = self.driver.execute(format!("return ({condition})"), Vec::new()).await?;
        Ok(answer.convert()?)
    }

    /// Waits until a condition holds, at most so long.
    pub(crate) async fn wait_for(&self, condition: &str, most: Duration) -> Result<()> {
        let start = Instant::now();
        while !self.holds(condition).await? {
            ensure!(start.elapsed() < most, "it never came: {condition}");
            tokio::time::sleep(BETWEEN_LOOKS).await;
        }
        Ok(())
    }

    /// What `measure.js` measures with these arguments.
    pub(crate) async fn measure(&self, arguments: Vec<Value>) -> Result<Value> {
        self.driver.set_script_timeout(LONGEST_MEASUREMENT).await.context("allow a measurement its time")?;
        Ok(self.driver.execute_async(include_str!("measure.js"), arguments).await?.json().clone())
    }

    /// Goes to an address of the window, such as `#/SESSION/lab`.
    pub(crate) async fn go_to(&self, address: &str) -> Result<()> {
        self.driver.execute("location.hash = arguments[0]", vec![address.into()]).await?;
        Ok(())
    }

    pub(crate) async fn show_pipeline(&self) -> Result<()> {
        self.find("link", "Pipeline").await?.click().await.context("show the Pipeline view")
    }

    /// Leaves a picture of the window in `target/journeys/`.
    pub(crate) async fn picture(&self, name: &str) -> Result<()> {
        self.picture_in(&pictures(), name).await
    }

    /// Leaves a picture of the window in a folder, which is made where it is missing.
    pub(crate) async fn picture_in(&self, folder: &Path, name: &str) -> Result<()> {
        self.drawn().await?;
        fs::create_dir_all(folder).context("make the folder of pictures")?;
        let window = self.driver.get_window_rect().await.context("ask how large the window is")?;
        let size = (u16::try_from(window.width)?, u16::try_from(window.height)?);
        take_picture(&self.display, size, &folder.join(format!("{name}.png")))
    }
}

/// What it says. WebDriver's own text leaves out what is cut short with an ellipsis.
pub(crate) async fn shown_text(element: &WebElement) -> Result<String> {
    Ok(element.prop("innerText").await?.unwrap_or_default())
}

fn pictures() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| crate::repository().join("target"), PathBuf::from);
    target.join("journeys")
}

/// Elements that may have the role.
fn selector(role: &str) -> Result<&'static str> {
    Ok(match role {
        "button" => "button, [role=button]",
        "complementary" => "aside, [role=complementary]",
        "heading" => "h1, h2, h3, [role=heading]",
        "link" => "a[href], [role=link]",
        "listbox" => "[role=listbox]",
        "main" => "main, [role=main]",
        "option" => "[role=option]",
        "region" => "section[aria-label], [role=region]",
        "slider" => "[role=slider], input[type=range]",
        _ => bail!("no journey has asked for the role `{role}` yet: say which elements may have it"),
    })
}

/// `GET /session/…/element/…/computedlabel`, which the client does not know.
#[derive(Debug)]
struct Computed {
    element: String,
    property: &'static str,
}

impl ExtensionCommand for Computed {
    fn parameters_json(&self) -> Option<Value> {
        None
    }

    fn method(&self) -> Method {
        Method::GET
    }

    fn endpoint(&self) -> Arc<str> {
        format!("/element/{}/{}", self.element, self.property).into()
    }
}
