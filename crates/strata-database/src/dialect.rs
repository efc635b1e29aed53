//! What the two families of servers have in common and what they do not.

/// A family of servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Postgres,
    /// And MariaDB.
    MySql,
}

/// What is asked of a column, so that a value of it is one of those that importers know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Text,
    Bytes,
    Integer,
}

impl Dialect {
    pub(crate) fn of_scheme(scheme: &str) -> Option<Self> {
        match scheme.to_ascii_lowercase().as_str() {
            "postgres" | "postgresql" => Some(Self::Postgres),
            "mysql" | "mariadb" => Some(Self::MySql),
            _ => None,
        }
    }

    pub(crate) fn scheme(self) -> &'static str {
        match self {
            Self::Postgres => "postgresql",
            Self::MySql => "mysql",
        }
    }

    /// Where servers of this family listen, unless they are told otherwise.
    pub(crate) fn port(self) -> &'static str {
        match self {
            Self::Postgres => "5432",
            Self::MySql => "3306",
        }
    }

    pub(crate) fn tls_parameter(self) -> &'static str {
        match self {
            Self::Postgres => "sslmode",
            Self::MySql => "ssl-mode",
        }
    }

    /// The parameter that names a file of trusted certificates.
    pub(crate) fn tls_authority(self) -> &'static str {
        match self {
            Self::Postgres => "sslrootcert",
            Self::MySql => "ssl-ca",
        }
    }

    /// How the driver calls a kind of TLS that an address asks for.
    pub(crate) fn tls_mode(self, asked: &str) -> Option<&'static str> {
        let (postgres, mysql) = match asked.to_ascii_lowercase().replace('_', "-").as_str() {
            "disable" | "disabled" | "false" | "0" => ("disable", "DISABLED"),
            "allow" | "prefer" | "preferred" => ("prefer", "PREFERRED"),
            "require" | "required" | "true" | "1" => ("require", "REQUIRED"),
            "verify-ca" => ("verify-ca", "VERIFY_CA"),
            "verify-full" | "verify-identity" => ("verify-full", "VERIFY_IDENTITY"),
            _ => return None,
        };
        Some(if self == Self::Postgres { postgres } else { mysql })
    }

    /// What begins a transaction that can read and nothing else, of one moment.
    pub(crate) fn read_only(self) -> &'static [&'static str] {
        match self {
            Self::Postgres => &[
                "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
                "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
            ],
            Self::MySql => &[
                "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
                "SET SESSION TRANSACTION READ ONLY",
                "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY",
            ],
        }
    }

    /// Tables, columns and their types, in order. Of PostgreSQL also those that may not be read: then it says so.
    pub(crate) fn columns(self) -> &'static str {
        match self {
            Self::Postgres => {
                "SELECT c.relname::text, a.attname::text, format_type(a.atttypid, NULL) \
                 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid \
                 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped \
                 AND pg_catalog.pg_table_is_visible(c.oid) \
                 AND c.relnamespace <> 'pg_catalog'::regnamespace ORDER BY c.relname, a.attnum"
            }
            Self::MySql => {
                "SELECT CAST(table_name AS CHAR), CAST(column_name AS CHAR), CAST(data_type AS CHAR) \
                 FROM information_schema.columns WHERE table_schema = DATABASE() \
                 ORDER BY table_name, ordinal_position"
            }
        }
    }

    /// A name, whatever is in it.
    pub(crate) fn quoted(self, name: &str) -> String {
        match self {
            Self::Postgres => format!("\"{}\"", name.replace('"', "\"\"")),
            Self::MySql => format!("`{}`", name.replace('`', "``")),
        }
    }

    /// What is asked for in place of a column of a type, and what comes of it.
    pub(crate) fn asked(self, column: &str, type_name: &str) -> (String, Form) {
        let column = format!("t.{}", self.quoted(column));
        match (self, type_name) {
            (Self::Postgres, "bytea") => (column, Form::Bytes),
            (Self::Postgres, "boolean") => (format!("{column}::int::bigint"), Form::Integer),
            (Self::Postgres, "smallint" | "integer" | "bigint") => {
                (format!("{column}::bigint"), Form::Integer)
            }
            // Whatever the style is that this server writes dates in.
            (Self::Postgres, "timestamp without time zone") => {
                (format!("to_char({column}, 'YYYY-MM-DD HH24:MI:SS.US')"), Form::Text)
            }
            (Self::Postgres, "timestamp with time zone") => {
                (format!("to_char({column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"), Form::Text)
            }
            (Self::Postgres, _) => (format!("{column}::text"), Form::Text),
            (Self::MySql, "tinyint" | "smallint" | "mediumint" | "int" | "bigint") => {
                (format!("CAST({column} AS SIGNED)"), Form::Integer)
            }
            (Self::MySql, "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob") => {
                (column, Form::Bytes)
            }
            // As it is: a server casts no text that is larger than a packet of its own.
            (Self::MySql, "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext") => {
                (column, Form::Text)
            }
            (Self::MySql, _) => (format!("CAST({column} AS CHAR)"), Form::Text),
        }
    }

    /// The place of the value that is bound as the `nth`, from 1.
    pub(crate) fn bound(self, nth: usize) -> String {
        match self {
            Self::Postgres => format!("${nth}"),
            Self::MySql => "?".to_owned(),
        }
    }
}
