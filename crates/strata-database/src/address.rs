//! Addresses of databases, as SQLAlchemy and the databases' own tools spell them.

use std::fmt;

use url::Url;

use crate::dialect::Dialect;

/// What an address looks like, for messages.
const LOOKS_LIKE: &str = "It looks like postgresql://user:password@host:5432/database or mysql://user:password@host:3306/database.";

/// Where a database is, and how to come in.
///
/// It neither prints nor serialises a password: its text, also for debugging, is [`DatabaseAddress::shown`].
#[derive(Clone)]
pub struct DatabaseAddress {
    dialect: Dialect,
    /// As the driver understands it.
    url: Url,
    shown: String,
    secrets: Vec<String>,
}

/// Why a text is no address of a database. Nothing of the text is in it: it may hold a password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressError(String);

impl fmt::Display for AddressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddressError {}

impl fmt::Display for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for DatabaseAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// The scheme of an address, without SQLAlchemy's name of a driver: `postgresql+asyncpg` is `postgresql`.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.trim_start().split_once("://")?;
    let (scheme, _) = scheme.split_once('+').unwrap_or((scheme, ""));
    Some(scheme)
}

impl DatabaseAddress {
    /// Whether a text is meant as the address of a database on a server, well formed or not. Such a text may hold a
    /// password, and is never to be shown.
    pub fn is_meant(text: &str) -> bool {
        scheme(text).is_some_and(|scheme| Dialect::of_scheme(scheme).is_some())
    }

    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.trim();
        let refused =
            |why: &str| AddressError(format!("this is no address of a database: {why}. {LOOKS_LIKE}"));
        let Some(dialect) = scheme(text).and_then(Dialect::of_scheme) else {
            return Err(refused("it begins with none of postgresql://, mysql:// and mariadb://"));
        };
        let (_, rest) = text.split_once("://").unwrap_or_default();
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        // With a socket, people write no host.
        let is_hostless = authority.ends_with('@') || (authority.is_empty() && dialect == Dialect::MySql);
        let host = if is_hostless { "localhost" } else { "" };
        let given = Url::parse(&format!("{}://{authority}{host}{path}", dialect.scheme()))
            .map_err(|error| refused(&error.to_string()))?;
        if given.fragment().is_some() {
            return Err(refused("a # stands in it; write it as %23"));
        }
        let mut asked = Asked::of(&given, dialect)?;
        let database = decoded(given.path().trim_start_matches('/'));
        if database.is_empty() && asked.database.is_none() {
            return Err(refused("it names no database"));
        }
        let database = asked.database.take().unwrap_or(database);
        if database.contains('/') {
            return Err(refused("a / stands in the name of the database"));
        }
        let mut url = given.clone();
        url.set_path(&encoded(&database));
        url.set_query(None);
        let has_host = url.host_str().is_some_and(|host| !host.is_empty());
        if let Some(user) = asked.user.take()
            && (!has_host || url.set_username(&user).is_err())
        {
            asked.parameters.push(("user".to_owned(), user));
        }
        let mut secrets: Vec<String> =
            given.password().into_iter().flat_map(|it| [it.to_owned(), decoded(it)]).collect();
        if let Some(password) = &asked.password {
            secrets.push(password.clone());
        }
        // MySQL's own tools read it from there, the driver does not.
        let password = asked.password.take().or_else(|| {
            let is_missing = dialect == Dialect::MySql && given.password().is_none();
            is_missing.then(|| std::env::var("MYSQL_PWD").ok()).flatten()
        });
        if let Some(password) = &password {
            secrets.push(password.clone());
            if !has_host || url.set_password(Some(password)).is_err() {
                asked.parameters.push(("password".to_owned(), password.clone()));
            }
        }
        let place = asked.place(&given, dialect);
        let shown = format!("{}://{place}/{}", dialect.scheme(), encoded(&database));
        for (name, value) in &asked.parameters {
            url.query_pairs_mut().append_pair(name, value);
        }
        secrets.retain(|secret| !secret.is_empty());
        Ok(Self { dialect, url, shown, secrets })
    }

    /// The server and the database: without a user, a password or parameters. Who asks, and with which password, changes
    /// nothing about what is there.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// What the driver is given.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// A text that a driver or a server said, without the password, should it be in it.
    pub(crate) fn masked(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret, "‹redacted›"))
    }
}

/// What the parameters of an address ask for.
#[derive(Default)]
struct Asked {
    database: Option<String>,
    user: Option<String>,
    password: Option<String>,
    /// A folder (PostgreSQL) or a file (MySQL).
    socket: Option<String>,
    host: Option<String>,
    /// As the driver names them.
    parameters: Vec<(String, String)>,
}

impl Asked {
    fn of(url: &Url, dialect: Dialect) -> Result<Self, AddressError> {
        let mut asked = Self::default();
        for (name, value) in url.query_pairs() {
            let value = value.into_owned();
            match &*name {
                "dbname" | "database" | "db" => asked.database = Some(value),
                "user" => asked.user = Some(value),
                "password" | "passwd" => asked.password = Some(value),
                "host" if !value.starts_with('/') => asked.host = Some(value),
                "host" | "unix_socket" | "socket" => asked.socket = Some(value),
                "sslmode" | "ssl" | "ssl-mode" | "ssl_mode" => {
                    let mode = dialect.tls_mode(&value).ok_or_else(|| {
                        AddressError(format!(
                            "{name} asks for a kind of TLS that is not known. Known are disable, prefer, require, \
                             verify-ca and verify-full."
                        ))
                    })?;
                    asked.parameters.push((dialect.tls_parameter().to_owned(), mode.to_owned()));
                }
                "sslrootcert" | "ssl_ca" | "ssl-ca" => {
                    asked.parameters.push((dialect.tls_authority().to_owned(), value));
                }
                "sslcert" | "ssl_cert" | "ssl-cert" => asked.parameters.push(("sslcert".to_owned(), value)),
                "sslkey" | "ssl_key" | "ssl-key" => asked.parameters.push(("sslkey".to_owned(), value)),
                // Which schema the tables are in.
                "options" if dialect == Dialect::Postgres => {
                    asked.parameters.push(("options".to_owned(), value));
                }
                "port" if dialect == Dialect::Postgres => asked.parameters.push(("port".to_owned(), value)),
                // All others are for the driver of whoever wrote the address.
                _ => {}
            }
        }
        // Where only a file of trusted certificates is named, it is to be used.
        let has = |name: &str| asked.parameters.iter().any(|(known, _)| known == name);
        if has(dialect.tls_authority()) && !has(dialect.tls_parameter()) {
            let mode = dialect.tls_mode("verify-ca").unwrap_or_default();
            asked.parameters.push((dialect.tls_parameter().to_owned(), mode.to_owned()));
        }
        if let Some(socket) = &asked.socket {
            let name = if dialect == Dialect::Postgres { "host" } else { "socket" };
            asked.parameters.push((name.to_owned(), socket.clone()));
        } else if let Some(host) = &asked.host
            && dialect == Dialect::Postgres
        {
            asked.parameters.push(("host".to_owned(), host.clone()));
        }
        Ok(asked)
    }

    /// The server, in short.
    fn place(&self, url: &Url, dialect: Dialect) -> String {
        if let Some(socket) = &self.socket {
            return encoded(socket);
        }
        let host = self.host.as_deref().or(url.host_str()).filter(|host| !host.is_empty());
        let usual = || std::env::var("PGHOST").ok().filter(|_| dialect == Dialect::Postgres);
        let host = host.map(str::to_owned).or_else(usual).unwrap_or_else(|| "localhost".to_owned());
        let given = self.parameters.iter().find(|(name, _)| name == "port").map(|(_, port)| port.clone());
        let port = url.port().map(|port| port.to_string()).or(given);
        match (host, port) {
            (host, Some(port)) if port != dialect.port() => format!("{host}:{port}"),
            (host, _) => host,
        }
    }
}

/// A part of an address as it was before it was written there.
fn decoded(text: &str) -> String {
    // The part of a form that the crate decodes as it stands.
    let plus = text.replace('+', "%2B");
    let pairs = url::form_urlencoded::parse(plus.as_bytes());
    let mut whole = String::new();
    for (at, (name, value)) in pairs.enumerate() {
        if at > 0 {
            whole.push('&');
        }
        whole += &name;
        if !value.is_empty() {
            whole.push('=');
            whole += &value;
        }
    }
    whole
}

fn encoded(text: &str) -> String {
    text.replace('%', "%25").replace('/', "%2F")
}
