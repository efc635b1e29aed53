//! A display of one's own, of a known size, whatever machine this is.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat};

/// What is drawn may follow what a page says by a frame or two.
const UNTIL_DRAWN: Duration = Duration::from_millis(100);
/// A caret blinks for ever: more looks than a page needs to come to rest.
const MOST_LOOKS: usize = 20;
/// Bytes of a pixel: blue, green, red and nothing.
const BYTES_OF_PIXEL: usize = 4;

pub(crate) struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// With a screen of this width and height.
    pub(crate) fn start((width, height): (u32, u32)) -> Result<Self> {
        let mut server = tied_to_this_thread("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", &format!("{width}x{height}x24"), "-nolisten", "tcp"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("start Xvfb")?;
        // It writes the number of the display it found free, once it can be used.
        let stdout = server.stdout.take().context("read what Xvfb says")?;
        let mut number = String::new();
        BufReader::new(stdout).read_line(&mut number).context("read the number of the display")?;
        Ok(Self { server, name: format!(":{}", number.trim()) })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// A picture of what a display shows, from its left upper corner, once it shows the same twice. WebDriver's own pictures
/// need WebKit to draw by way of a graphics card, or as if there were one.
pub(crate) fn take_picture(display: &str, (width, height): (u16, u16), file: &Path) -> Result<()> {
    let (connection, screen) = x11rb::connect(Some(display)).context("look at the display")?;
    let root = connection.setup().roots[screen].root;
    let look = || -> Result<Vec<u8>> {
        let image = connection.get_image(ImageFormat::Z_PIXMAP, root, 0, 0, width, height, u32::MAX)?;
        Ok(image.reply().context("read the display")?.data)
    };
    let mut shown = look()?;
    for _ in 0..MOST_LOOKS {
        sleep(UNTIL_DRAWN);
        let before = std::mem::replace(&mut shown, look()?);
        if before == shown {
            break;
        }
    }
    let mut encoder = png::Encoder::new(File::create(file)?, width.into(), height.into());
    encoder.set_color(png::ColorType::Rgb);
    let colours: Vec<u8> =
        shown.chunks_exact(BYTES_OF_PIXEL).flat_map(|pixel| [pixel[2], pixel[1], pixel[0]]).collect();
    encoder.write_header()?.write_image_data(&colours).context("write the picture")
}

impl Drop for Display {
    fn drop(&mut self) {
        end(&mut self.server);
    }
}

/// A program that the system ends with the thread that started it, so that nothing is left behind when a test is
/// killed.
pub(crate) fn tied_to_this_thread(program: &str) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", program]);
    command
}

pub(crate) fn end(child: &mut Child) {
    // It may have ended by itself.
    let _ = child.kill();
    let _ = child.wait();
}
