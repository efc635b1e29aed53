//! Database servers that a test starts for itself: PostgreSQL, and MySQL or MariaDB.
//!
//! Each has a folder of its own, listens on a free port of the loopback address and on a socket, and ends with its value.
//! Where the programs are not installed, a test says so aloud and is skipped.

use std::fs;
use std::io::{self, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The user of every server here.
pub const USER: &str = "strata";
/// The password of that user. No text that Strata writes may hold it.
pub const PASSWORD: &str = "s3cret-word";
/// The database in it.
pub const DATABASE: &str = "adk";
/// A server that is not up by then never will be.
const PATIENCE: Duration = Duration::from_mins(1);

/// Tables of google-adk's `DatabaseSessionService`, with two sessions in which something was said (`s-ann` and `s-bob`,
/// four events each) and one in which nothing was (`s-empty`): schema 1 and schema 0.
pub const POSTGRES_V1: &str = include_str!("../assets/adk-database/postgres-v1.sql");
/// The same in the schema before 1.22.
pub const POSTGRES_V0: &str = include_str!("../assets/adk-database/postgres-v0.sql");
/// As [`POSTGRES_V1`].
pub const MYSQL_V1: &str = include_str!("../assets/adk-database/mysql-v1.sql");
/// As [`POSTGRES_V0`].
pub const MYSQL_V0: &str = include_str!("../assets/adk-database/mysql-v0.sql");

/// A running server.
pub struct DatabaseServer {
    family: Family,
    folder: TempDir,
    port: u16,
    process: Child,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Postgres,
    MySql,
}

impl DatabaseServer {
    /// A PostgreSQL with more settings, as `name=value`; `None`, said aloud, where it is not installed.
    #[track_caller]
    pub fn postgres(settings: &[&str]) -> Option<Self> {
        let program = |name| program(name, "/usr/lib/postgresql");
        let (Some(initdb), Some(postgres)) = (program("initdb"), program("postgres")) else {
            return skipped("PostgreSQL");
        };
        let folder = folder();
        let data = folder.path().join("data");
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD).expect("a file in a folder of our own");
        let user = Owner::of(&["postgres", "nobody"]);
        user.owns(folder.path());
        user.owns(&password);
        let mut initialise = Command::new(initdb);
        initialise.args(["--username", USER, "--auth", "scram-sha-256", "--encoding", "UTF8", "--no-sync"]);
        initialise.arg("--pwfile").arg(&password).arg("--pgdata").arg(&data);
        user.run(&mut initialise);
        let port = free_port();
        let mut start = Command::new(postgres);
        start.arg("-D").arg(&data).args(["-p", &port.to_string(), "-k"]).arg(folder.path());
        for setting in ["listen_addresses=127.0.0.1", "fsync=off"].iter().chain(settings) {
            start.args(["-c", setting]);
        }
        let server =
            Self { family: Family::Postgres, process: user.start(&mut start, folder.path()), folder, port };
        server.wait("SELECT 1", "postgres");
        server.ask(&format!("CREATE DATABASE {DATABASE}"), "postgres");
        Some(server)
    }

    /// A PostgreSQL that speaks TLS with this certificate and its key, both as PEM.
    #[track_caller]
    pub fn postgres_with_tls(certificate: &Path, key: &Path) -> Option<Self> {
        let owner = Owner::of(&["postgres", "nobody"]);
        for file in [certificate, key] {
            owner.owns(file);
            Owner::keeps(file);
        }
        if let Some(folder) = key.parent() {
            owner.owns(folder);
        }
        let file = |name: &str, path: &Path| format!("{name}={}", path.display());
        let settings = [file("ssl_cert_file", certificate), file("ssl_key_file", key)];
        Self::postgres(&["ssl=on", &settings[0], &settings[1]])
    }

    /// A MySQL or MariaDB; `None`, said aloud, where none is installed.
    #[track_caller]
    pub fn mysql() -> Option<Self> {
        let names = |names: [&str; 2]| names.into_iter().find_map(|name| program(name, "/usr/sbin"));
        let (Some(install), Some(server)) =
            (names(["mariadb-install-db", "mysql_install_db"]), names(["mariadbd", "mysqld"]))
        else {
            return skipped("MariaDB");
        };
        let folder = folder();
        let data = folder.path().join("data");
        let user = Owner::of(&["mysql", "nobody"]);
        user.owns(folder.path());
        let mut initialise = Command::new(install);
        initialise.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
        // Where several are initialised at once, each needs tables of its own for the while.
        initialise.env("TMPDIR", folder.path());
        user.run(initialise.arg(format!("--datadir={}", data.display())));
        let port = free_port();
        let mut start = Command::new(server);
        start.args(["--no-defaults", "--bind-address=127.0.0.1", &format!("--port={port}")]);
        start.env("TMPDIR", folder.path());
        start.arg(format!("--datadir={}", data.display()));
        start.arg(format!("--socket={}", folder.path().join("socket").display()));
        start.arg(format!("--pid-file={}", folder.path().join("pid").display()));
        let server =
            Self { family: Family::MySql, process: user.start(&mut start, folder.path()), folder, port };
        server.wait("SELECT 1", "mysql");
        server.ask(
            &format!(
                "CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4; CREATE USER {USER}@localhost IDENTIFIED BY '{PASSWORD}'; \
                 GRANT ALL ON *.* TO {USER}@localhost; CREATE USER {USER}@'127.0.0.1' IDENTIFIED BY '{PASSWORD}'; \
                 GRANT ALL ON *.* TO {USER}@'127.0.0.1'"
            ),
            "mysql",
        );
        Some(server)
    }

    /// The address of its database, with the password.
    pub fn address(&self) -> String {
        self.address_of(USER, PASSWORD, DATABASE)
    }

    /// An address on it.
    pub fn address_of(&self, user: &str, password: &str, database: &str) -> String {
        let (scheme, port) = (self.scheme(), self.port);
        format!("{scheme}://{user}:{password}@127.0.0.1:{port}/{database}")
    }

    /// An address by its socket.
    pub fn socket_address(&self) -> String {
        let (scheme, folder, port) = (self.scheme(), self.folder.path().display(), self.port);
        match self.family {
            Family::Postgres => {
                format!("{scheme}://{USER}:{PASSWORD}@/{DATABASE}?host={folder}&port={port}")
            }
            Family::MySql => format!("{scheme}://{USER}:{PASSWORD}@/{DATABASE}?unix_socket={folder}/socket"),
        }
    }

    /// What Strata calls its database.
    pub fn shown(&self) -> String {
        format!("{}://127.0.0.1:{}/{DATABASE}", self.scheme(), self.port)
    }

    /// The folder of its own, in which certificates can be.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// What it wrote about itself so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Runs statements in its database, as its owner, and returns what its own client prints.
    pub fn run(&self, sql: &str) -> String {
        self.ask(sql, DATABASE)
    }

    fn scheme(&self) -> &'static str {
        match self.family {
            Family::Postgres => "postgresql",
            Family::MySql => "mysql",
        }
    }

    fn ask(&self, sql: &str, database: &str) -> String {
        let (is_done, said) = self.try_to(sql, database).expect("its client can be started");
        assert!(is_done, "{said}\n{}", self.log());
        said
    }

    fn try_to(&self, sql: &str, database: &str) -> io::Result<(bool, String)> {
        let mut client = match self.family {
            Family::Postgres => {
                let name = program("psql", "/usr/lib/postgresql").unwrap_or_else(|| "psql".into());
                let mut client = Command::new(name);
                client.args([
                    "--no-psqlrc",
                    "--quiet",
                    "--tuples-only",
                    "--no-align",
                    "-v",
                    "ON_ERROR_STOP=1",
                ]);
                client.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", USER, database]);
                client.env("PGPASSWORD", PASSWORD);
                client
            }
            Family::MySql => {
                let names = ["mariadb", "mysql"].into_iter().find_map(|name| program(name, "/usr/bin"));
                let mut client = Command::new(names.unwrap_or_else(|| "mysql".into()));
                client.args(["--no-defaults", "--batch", "--skip-column-names", "--user=root"]);
                client.arg(format!("--socket={}", self.folder.path().join("socket").display())).arg(database);
                client
            }
        };
        client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut client = client.spawn()?;
        if let Some(mut input) = client.stdin.take() {
            // A client that is gone before it read all says why.
            let _ = input.write_all(sql.as_bytes());
        }
        let output = client.wait_with_output()?;
        let said = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&said).into_owned()))
    }

    fn wait(&self, sql: &str, database: &str) {
        let started = Instant::now();
        while !self.try_to(sql, database).is_ok_and(|(is_done, _)| is_done) {
            assert!(started.elapsed() < PATIENCE, "the server does not answer: {}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for DatabaseServer {
    fn drop(&mut self) {
        // Nothing of it is needed any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn skipped(what: &str) -> Option<DatabaseServer> {
    eprintln!("SKIPPED: {what} is not installed. `cargo xtask test` installs it.");
    None
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder of our own");
    fs::create_dir(folder.path().join("tmp")).expect("a folder of our own");
    folder
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it has an address").port()
}

/// A program on the path, or in the folder of a version below `folder`, or in it.
fn program(name: &str, folder: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join(name));
    let below =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path().join("bin").join(name));
    on_path.chain(below).chain([Path::new(folder).join(name)]).find(|program| program.is_file())
}

/// Who servers run as: they refuse to be root.
struct Owner(Option<(u32, u32)>);

#[cfg(unix)]
impl Owner {
    /// Nobody else, unless we are root.
    fn of(names: &[&str]) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let ids = |name: &&str| {
            let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
            let mut fields = line.split(':').skip(2).map(|id| id.parse().ok());
            Some((fields.next()??, fields.next()??))
        };
        Self(names.iter().find_map(ids).filter(|_| is_root))
    }

    fn owns(&self, path: &Path) {
        if let Some((user, group)) = self.0 {
            std::os::unix::fs::chown(path, Some(user), Some(group)).expect("root may do so");
        }
    }

    /// Nobody else may read a key.
    fn keeps(path: &Path) {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("it is ours");
    }

    fn becomes(&self, command: &mut Command) {
        use std::os::unix::process::CommandExt as _;
        if let Some((user, group)) = self.0 {
            command.uid(user).gid(group);
        }
    }
}

#[cfg(not(unix))]
impl Owner {
    fn of(_: &[&str]) -> Self {
        Self(None)
    }

    fn owns(&self, _: &Path) {}

    fn keeps(_: &Path) {}

    fn becomes(&self, _: &mut Command) {}
}

impl Owner {
    fn run(&self, command: &mut Command) {
        self.becomes(command);
        let output = command.current_dir("/").output().expect("it is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn start(&self, command: &mut Command, folder: &Path) -> Child {
        self.becomes(command);
        let log = fs::File::create(folder.join("log")).expect("a file in a folder of our own");
        let also = log.try_clone().expect("a file can be written twice");
        command.current_dir("/").stdin(Stdio::null()).stdout(log).stderr(also);
        command.spawn().expect("it is installed")
    }
}
