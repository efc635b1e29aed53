//! The secret that clients over HTTP show: it lies in a file that only its owner may read.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq as _;

const BYTES: usize = 32;

/// Neither prints nor serialises.
pub(crate) struct Token(String);

impl Token {
    /// The token of a file, which is made where there is none.
    pub(crate) fn kept_in(path: &Path) -> Result<Self> {
        match fs::read_to_string(path) {
            Ok(text) => {
                refuse_shared(path)?;
                let token = text.trim();
                if token.len() < BYTES {
                    bail!("{} holds no token. Remove it, and a new one is made.", path.display());
                }
                Ok(Self(token.to_owned()))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::made(path),
            Err(error) => Err(error).with_context(|| format!("{} cannot be read.", path.display())),
        }
    }

    fn made(path: &Path) -> Result<Self> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)
            .ok()
            .context("This computer gives no random numbers, so no safe token can be made.")?;
        let token = URL_SAFE_NO_PAD.encode(bytes);
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let written = options.open(path).and_then(|mut file| writeln!(file, "{token}"));
        written.with_context(|| format!("The token cannot be written to {}.", path.display()))?;
        Ok(Self(token))
    }

    /// Whether a client shows it. How long this takes says nothing about it.
    pub(crate) fn is_shown_by(&self, authorization: &[u8]) -> bool {
        let shown = authorization.strip_prefix(b"Bearer ").or_else(|| authorization.strip_prefix(b"bearer "));
        shown.is_some_and(|shown| bool::from(shown.ct_eq(self.0.as_bytes())))
    }
}

/// Where it lies: beside the store.
pub(crate) fn token_file(database: &Path) -> PathBuf {
    database.with_file_name("mcp-token")
}

#[cfg(unix)]
fn refuse_shared(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!(
            "Others on this computer may read {}. Remove it, and a new token is made that they do not know.",
            path.display()
        );
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_shared(_: &Path) -> Result<()> {
    Ok(())
}
