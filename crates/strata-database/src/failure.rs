//! Why a database cannot be read, in words.

use std::error::Error as _;
use std::fmt;
use std::io::ErrorKind;

use crate::address::DatabaseAddress;
use crate::dialect::Dialect;

/// Why there is no connection. Its text says what to do, and never holds a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConnectError {
    /// Whoever asked wanted to stop.
    Stopped,
    /// Everything else, in words.
    Refused(String),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped => f.write_str("stopped"),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ConnectError {}

/// What a driver or a server says, as a sentence without an end.
pub(crate) fn explain(error: &sqlx::Error, address: &DatabaseAddress) -> String {
    let words = match error {
        sqlx::Error::Database(said) => {
            refused(address.dialect(), said.code().as_deref().unwrap_or(""), said.message())
        }
        sqlx::Error::Tls(reason) => format!(
            "no connection with TLS could be made ({reason}). Whether the server speaks TLS is a setting of the server; \
             the address asks for it by {}",
            address.dialect().tls_parameter()
        ),
        sqlx::Error::Io(reason) => unreachable(reason),
        sqlx::Error::Configuration(reason) if reason.to_string().contains("mysql-rsa") => {
            "this server takes passwords over connections with TLS only, and this one has none; ask for it with \
             ssl-mode=REQUIRED, or come in by the server's socket"
                .to_owned()
        }
        error => format!("the server could not be asked ({error})"),
    };
    address.masked(&words)
}

fn unreachable(reason: &std::io::Error) -> String {
    let is_of_certificates = reason.kind() == ErrorKind::InvalidData
        || reason.source().is_some_and(|source| source.to_string().contains("certificate"))
        || reason.to_string().contains("certificate");
    match reason.kind() {
        _ if is_of_certificates => format!(
            "the certificate of the server is not trusted ({reason}). Name the file of whoever signed it, with \
             sslrootcert or ssl-ca"
        ),
        ErrorKind::ConnectionRefused | ErrorKind::NotFound => {
            format!("no server answers there ({reason}). Look whether it runs, and at host and port")
        }
        ErrorKind::PermissionDenied => format!("its socket may not be opened ({reason})"),
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted => {
            format!("the server ended the connection ({reason})")
        }
        _ => format!("no server can be reached there ({reason}). Look at host and port, and at the network"),
    }
}

/// What a server refuses: <https://www.postgresql.org/docs/current/errcodes-appendix.html>, and MySQL's errors by their
/// SQLSTATE or number.
fn refused(dialect: Dialect, code: &str, message: &str) -> String {
    let variable = if dialect == Dialect::Postgres { "PGPASSWORD" } else { "MYSQL_PWD" };
    match code {
        "28P01" | "28000" => format!(
            "the server lets nobody in with this user and password ({message}). The password can be in the address or in \
             {variable}"
        ),
        "3D000" | "42000" if message.starts_with("Unknown database") || code == "3D000" => {
            format!("there is no such database on this server ({message})")
        }
        "42501" | "42000" => format!(
            "this user may not read it ({message}). Reading google-adk's sessions takes SELECT on sessions, events, \
             app_states, user_states and adk_internal_metadata"
        ),
        "53300" | "08004" => format!("the server takes no more connections ({message}). Try again later"),
        _ => format!("the server refuses ({message})"),
    }
}
