//! WebKitWebDriver, which starts the app and hands over its window.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use thirtyfour::{Capabilities, WebDriver};

use crate::display::{Display, end, tied_to_this_thread};
use crate::page::{LONGEST_MEASUREMENT, NEVER, Page};

pub(crate) struct Driver {
    process: Child,
    port: u16,
    /// The name of the display.
    display: String,
}

impl Driver {
    pub(crate) fn start(display: &Display, home: &Path) -> Result<Self> {
        let port = free_port()?;
        let mut process = tied_to_this_thread("WebKitWebDriver")
            .args(["--host=127.0.0.1", &format!("--port={port}")])
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("DISPLAY", display.name())
            .env("GDK_BACKEND", "x11")
            .env_remove("WAYLAND_DISPLAY")
            .env("NO_AT_BRIDGE", "1")
            // Without an address GTK starts a bus of its own, which nobody ends.
            .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
            .env("GSETTINGS_BACKEND", "memory")
            .env("HOME", home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .stdout(Stdio::null())
            .spawn()
            .context("start WebKitWebDriver")?;
        if let Err(error) = wait_for_port(port) {
            end(&mut process);
            return Err(error);
        }
        Ok(Self { process, port, display: display.name().to_owned() })
    }

    /// Of its process, which all of the window's are below.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Starts the app with these files and waits for its page.
    pub(crate) async fn open(&self, app: &Path, files: &[PathBuf]) -> Result<Page> {
        let app = app.to_str().context("the app's path is text")?;
        let files = files.iter().map(|file| file.to_str().context("the file's path is text"));
        let tie = ["--pdeathsig", "KILL", "--", app];
        let arguments = tie.into_iter().map(Ok).chain(files).collect::<Result<Vec<_>>>()?;
        let mut capabilities = Capabilities::new();
        let browser = serde_json::json!({ "binary": "/usr/bin/setpriv", "args": arguments });
        capabilities.set("webkitgtk:browserOptions", browser)?;
        let driver = WebDriver::builder(format!("http://127.0.0.1:{}", self.port), capabilities)
            .request_timeout(LONGEST_MEASUREMENT)
            .connect()
            .await
            .context("open the app's window")?;
        Ok(Page::new(driver, self.display.clone()))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        end(&mut self.process);
    }
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("find a free port")?;
    Ok(listener.local_addr()?.port())
}

fn wait_for_port(port: u16) -> Result<()> {
    let start = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        if start.elapsed() > NEVER {
            bail!("WebKitWebDriver does not answer on port {port}");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
