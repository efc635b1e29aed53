//! A connection to a database, which reads.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlRow};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _};
use strata_import::{KeyedTables, OwnedValue, SqlValue, Table, TableError, TableSource};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::address::DatabaseAddress;
use crate::dialect::{Dialect, Form};
use crate::failure::{ConnectError, explain};

/// How long a server may take to let us in.
const PATIENCE: Duration = Duration::from_secs(15);
/// Rows that are asked for at a time: a server that is slow is stopped between two pages, and no statement takes long.
const PAGE: usize = 500;

/// A database on a server, open for reading.
pub struct Server {
    address: DatabaseAddress,
    runtime: Runtime,
    connection: Connection,
    tables: Vec<KnownTable>,
    stop: CancellationToken,
    n_statements: u64,
}

enum Connection {
    Postgres(PgConnection),
    MySql(MySqlConnection),
}

struct KnownTable {
    table: Table,
    /// By column.
    types: Vec<String>,
}

/// Why a statement came to nothing.
enum Ended {
    Failed(sqlx::Error),
    Stopped,
}

impl From<sqlx::Error> for Ended {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error)
    }
}

impl Server {
    /// Comes in, begins a transaction that can only read, and looks which tables there are. `stop` ends it, and whatever
    /// is read later, in the middle.
    pub fn connect(address: &DatabaseAddress, stop: &CancellationToken) -> Result<Self, ConnectError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| ConnectError::Refused(error.to_string()))?;
        let connect = async {
            tokio::select! {
                () = stop.cancelled() => Err(ConnectError::Stopped),
                () = tokio::time::sleep(PATIENCE) => Err(ConnectError::Refused(format!(
                    "the server did not answer within {} seconds. Look at host and port, and at the network",
                    PATIENCE.as_secs()
                ))),
                connected = connected(address) => {
                    connected.map_err(|error| ConnectError::Refused(explain(&error, address)))
                }
            }
        };
        let (connection, tables) = runtime.block_on(connect)?;
        let (address, stop) = (address.clone(), stop.clone());
        Ok(Self { address, runtime, connection, tables, stop, n_statements: 0 })
    }

    /// Statements that were sent to read rows.
    pub fn n_statements(&self) -> u64 {
        self.n_statements
    }

    /// The names of its tables.
    pub fn table_names(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|known| &*known.table.name)
    }

    fn statement(&self, ask: &Ask<'_>) -> Result<(String, Vec<Form>), TableError> {
        let dialect = self.address.dialect();
        let known = self.tables.iter().find(|known| known.table.name == ask.table);
        let known = known.ok_or_else(|| TableError(format!("there is no table {}", ask.table)))?;
        let asked = |column: &&str| {
            let at = known.table.columns.iter().position(|name| name == column);
            let at = at.ok_or_else(|| TableError(format!("there is no column {}.{column}", ask.table)))?;
            Ok(dialect.asked(column, &known.types[at]))
        };
        let asked = ask.columns.iter().map(asked).collect::<Result<Vec<_>, TableError>>()?;
        let (selected, forms): (Vec<String>, Vec<Form>) = asked.into_iter().unzip();
        let mut sql = format!("SELECT {} FROM {} t", selected.join(", "), dialect.quoted(ask.table));
        for (at, (column, _)) in ask.only.iter().enumerate() {
            let joint = if at == 0 { "WHERE" } else { "AND" };
            sql += &format!(" {joint} t.{} = {}", dialect.quoted(column), dialect.bound(at + 1));
        }
        let order: Vec<String> = ask
            .order
            .iter()
            // Only SQLite numbers its rows. Here, ids tell apart what was written at one time.
            .map(|column| if *column == "rowid" { "id" } else { column })
            // All rows that are read have the same.
            .filter(|column| ask.only.iter().all(|(same, _)| same != column))
            .map(|column| format!("t.{}", dialect.quoted(column)))
            .collect();
        if !order.is_empty() {
            sql += &format!(" ORDER BY {}", order.join(", "));
        }
        Ok((sql, forms))
    }

    fn read(&mut self, ask: &Ask<'_>, sink: &mut dyn FnMut(&[SqlValue<'_>])) -> Result<(), TableError> {
        let (sql, forms) = self.statement(ask)?;
        let values: Vec<&str> = ask.only.iter().map(|(_, value)| *value).collect();
        // Pages need an order in which no two rows are alike.
        let is_paged = !ask.order.is_empty();
        let mut from = 0;
        loop {
            let page = if is_paged { format!("{sql} LIMIT {PAGE} OFFSET {from}") } else { sql.clone() };
            self.n_statements += 1;
            let Self { runtime, connection, stop, .. } = self;
            let read = runtime.block_on(async {
                tokio::select! {
                    () = stop.cancelled() => Err(Ended::Stopped),
                    read = connection.rows(page, &values, &forms, sink) => read.map_err(Ended::Failed),
                }
            });
            let n_rows = read.map_err(|ended| match ended {
                Ended::Stopped => TableError("stopped".to_owned()),
                Ended::Failed(error) => TableError(explain(&error, &self.address)),
            })?;
            from += n_rows;
            if !is_paged || n_rows < PAGE {
                return Ok(());
            }
        }
    }
}

/// What is asked of a table.
struct Ask<'a> {
    table: &'a str,
    columns: &'a [&'a str],
    only: &'a [(&'a str, &'a str)],
    order: &'a [&'a str],
}

async fn connected(address: &DatabaseAddress) -> Result<(Connection, Vec<KnownTable>), sqlx::Error> {
    let mut connection = match address.dialect() {
        Dialect::Postgres => {
            // A pooler between us and the server may know neither statements with names nor this setting.
            let options = PgConnectOptions::from_url(address.url())?
                .application_name("strata")
                .extra_float_digits(None)
                .statement_cache_capacity(0)
                .disable_statement_logging();
            Connection::Postgres(PgConnection::connect_with(&options).await?)
        }
        Dialect::MySql => {
            let options = MySqlConnectOptions::from_url(address.url())?.disable_statement_logging();
            Connection::MySql(MySqlConnection::connect_with(&options).await?)
        }
    };
    for statement in address.dialect().read_only() {
        connection.execute(statement).await?;
    }
    let mut tables: Vec<KnownTable> = Vec::new();
    let columns = address.dialect().columns().to_owned();
    connection
        .rows(columns, &[], &[Form::Text, Form::Text, Form::Text], &mut |row| {
            let [SqlValue::Text(table), SqlValue::Text(column), SqlValue::Text(type_name)] = row else {
                return;
            };
            if tables.last().is_none_or(|known| known.table.name != *table) {
                let table = Table { name: (*table).to_owned(), columns: Vec::new() };
                tables.push(KnownTable { table, types: Vec::new() });
            }
            if let Some(known) = tables.last_mut() {
                known.table.columns.push((*column).to_owned());
                known.types.push(type_name.to_ascii_lowercase());
            }
        })
        .await?;
    Ok((connection, tables))
}

impl Connection {
    async fn execute(&mut self, statement: &'static str) -> Result<(), sqlx::Error> {
        match self {
            Self::Postgres(connection) => sqlx::raw_sql(statement).execute(connection).await.map(|_| ()),
            Self::MySql(connection) => sqlx::raw_sql(statement).execute(connection).await.map(|_| ()),
        }
    }

    /// Hands rows over as they come in, and counts them.
    async fn rows(
        &mut self,
        sql: String,
        values: &[&str],
        forms: &[Form],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<usize, sqlx::Error> {
        let mut n_rows = 0;
        let mut hand_over = |row: Vec<OwnedValue>| {
            n_rows += 1;
            let row: Vec<SqlValue<'_>> = row.iter().map(OwnedValue::as_value).collect();
            sink(&row);
        };
        // Names in the text are quoted, values are bound.
        let sql = AssertSqlSafe(sql);
        match self {
            Self::Postgres(connection) => {
                let query = values.iter().fold(sqlx::query(sql), |query, value| query.bind(*value));
                let mut rows = query.persistent(false).fetch(connection);
                while let Some(row) = rows.try_next().await? {
                    hand_over(postgres_row(&row, forms)?);
                }
            }
            Self::MySql(connection) => {
                let query = values.iter().fold(sqlx::query(sql), |query, value| query.bind(*value));
                let mut rows = query.persistent(false).fetch(connection);
                while let Some(row) = rows.try_next().await? {
                    hand_over(mysql_row(&row, forms)?);
                }
            }
        }
        Ok(n_rows)
    }
}

fn postgres_row(row: &PgRow, forms: &[Form]) -> Result<Vec<OwnedValue>, sqlx::Error> {
    let value = |(at, form): (usize, &Form)| {
        Ok(match form {
            Form::Text => row.try_get_unchecked::<Option<String>, _>(at)?.map(OwnedValue::Text),
            Form::Bytes => row.try_get_unchecked::<Option<Vec<u8>>, _>(at)?.map(OwnedValue::Blob),
            Form::Integer => row.try_get_unchecked::<Option<i64>, _>(at)?.map(OwnedValue::Integer),
        }
        .unwrap_or(OwnedValue::Null))
    };
    forms.iter().enumerate().map(value).collect()
}

/// Text that is not UTF-8 is passed on as bytes.
fn mysql_row(row: &MySqlRow, forms: &[Form]) -> Result<Vec<OwnedValue>, sqlx::Error> {
    let value = |(at, form): (usize, &Form)| {
        Ok(match form {
            Form::Text => row.try_get_unchecked::<Option<Vec<u8>>, _>(at)?.map(|bytes| {
                String::from_utf8(bytes)
                    .map_or_else(|error| OwnedValue::Blob(error.into_bytes()), OwnedValue::Text)
            }),
            Form::Bytes => row.try_get_unchecked::<Option<Vec<u8>>, _>(at)?.map(OwnedValue::Blob),
            Form::Integer => row.try_get_unchecked::<Option<i64>, _>(at)?.map(OwnedValue::Integer),
        }
        .unwrap_or(OwnedValue::Null))
    };
    forms.iter().enumerate().map(value).collect()
}

impl TableSource for Server {
    fn tables(&mut self) -> Result<Vec<Table>, TableError> {
        Ok(self.tables.iter().map(|known| known.table.clone()).collect())
    }

    fn rows(
        &mut self,
        table: &str,
        columns: &[&str],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError> {
        self.read(&Ask { table, columns, only: &[], order }, sink)
    }
}

impl KeyedTables for Server {
    fn rows_of(
        &mut self,
        table: &str,
        columns: &[&str],
        only: &[(&str, &str)],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError> {
        self.read(&Ask { table, columns, only, order }, sink)
    }
}
