//! A Postgres server of one's own.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::error::Error;
use crate::programs::{Programs, install, run};

/// Whether the server's commits survive a crash of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// As in production.
    Full,
    /// No `fsync`: faster where only the server or its clients crash.
    ProcessOnly,
}

/// How long the server may take to start or stop: this many looks, one every 20 ms.
const LOOKS: u32 = 3_000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// A free port may be taken by another before the server has it.
const STARTS: u32 = 5;

/// Stops the server and removes its files when the owner's end of the pipe closes, which also
/// happens when the owner is killed. It heeds no signal, so an interrupt from the keyboard, which
/// the whole process group gets, does not end it early.
const KEEPER: &str = r#"
trap '' INT TERM HUP
read -r _
if read -r pid < "$0/data/postmaster.pid"; then
    kill -INT "$pid"
    while kill -0 "$pid"; do sleep 0.02; done
fi
rm -rf "$0"
"#;

/// A private Postgres: its own files, its own socket, a free port on the loopback, no password.
///
/// Dropping it stops it and removes its files; so does the end of the process that started it.
#[derive(Debug)]
pub struct Server {
    programs: Programs,
    directory: PathBuf,
    owner: Option<(u32, u32)>,
    durability: Durability,
    port: u16,
    url: String,
    process: Child,
    keeper: Child,
    lifeline: Option<ChildStdin>,
}

impl Server {
    /// Makes a cluster and starts it; returns when it answers. As root it runs as the user
    /// `postgres`.
    ///
    /// # Errors
    /// [`Error`]; nothing is left running.
    pub fn start(durability: Durability) -> Result<Self, Error> {
        let programs = Programs::find()?;
        let owner = unprivileged()?;
        let directory = make_directory(owner)?;
        let made = make_cluster(&programs, &directory, owner);
        let started =
            made.and_then(|()| start_on_a_free_port(&programs, &directory, owner, durability));
        let (process, port) = started.inspect_err(|_| {
            let _ = fs::remove_dir_all(&directory);
        })?;
        let mut keeper = Command::new("sh")
            .arg("-c")
            .arg(KEEPER)
            .arg(&directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Error::io("starting `sh`"))?;
        let lifeline = keeper.stdin.take();
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        Ok(Self {
            programs,
            directory,
            owner,
            durability,
            port,
            url,
            process,
            keeper,
            lifeline,
        })
    }

    /// [`start`](Self::start), after installing Postgres with `apt-get` where there is none;
    /// `say` is told before that happens.
    ///
    /// # Errors
    /// [`Error`]; nothing is left running.
    pub fn start_or_install(durability: Durability, say: impl FnOnce(&str)) -> Result<Self, Error> {
        if matches!(Programs::find(), Err(Error::NotInstalled)) {
            say("no postgres is installed: installing the package `postgresql` with apt-get");
            install()?;
        }
        Self::start(durability)
    }

    /// The url of its maintenance database.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The server's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Stops it at once, as a crash would (immediate mode), and starts it again on its port.
    ///
    /// # Errors
    /// [`Error`] when it does not come back.
    pub fn crash_and_restart(&mut self) -> Result<(), Error> {
        self.crash()?;
        self.restart()
    }

    /// Stops it at once, as a crash would (immediate mode).
    ///
    /// # Errors
    /// [`Error`] when it cannot be told.
    pub fn crash(&mut self) -> Result<(), Error> {
        signal(self.process.id(), "QUIT")?;
        self.process
            .wait()
            .map_err(Error::io("waiting for `postgres`"))?;
        Ok(())
    }

    /// Starts it again on its port after [`crash`](Self::crash); returns when it answers.
    ///
    /// # Errors
    /// [`Error`] when it does not come back.
    pub fn restart(&mut self) -> Result<(), Error> {
        let (programs, directory) = (&self.programs, &self.directory);
        self.process = launch(programs, directory, self.owner, self.durability, self.port)?;
        wait_until_ready(programs, directory, self.port, &mut self.process)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.lifeline.take());
        // The keeper waits for the server, which ends for it only once its parent has seen it.
        let _ = self.process.wait();
        let _ = self.keeper.wait();
    }
}

/// User and group to run as: Postgres refuses root.
fn unprivileged() -> Result<Option<(u32, u32)>, Error> {
    let id = |arguments: &[&str]| -> Result<u32, Error> {
        let printed = run(Command::new("id").args(arguments))?;
        printed.trim().parse().map_err(|_| Error::Failed {
            program: "id".into(),
            output: printed,
        })
    };
    if id(&["-u"])? != 0 {
        return Ok(None);
    }
    Ok(Some((id(&["-u", "postgres"])?, id(&["-g", "postgres"])?)))
}

fn make_directory(owner: Option<(u32, u32)>) -> Result<PathBuf, Error> {
    let printed = run(Command::new("mktemp").args(["-d", "-t", "entail-postgres-XXXXXXXX"]))?;
    let directory = PathBuf::from(printed.trim());
    let own = |(user, group)| chown(&directory, Some(user), Some(group));
    fs::set_permissions(&directory, Permissions::from_mode(0o700))
        .and_then(|()| owner.map_or(Ok(()), own))
        .map_err(Error::io("preparing a temporary directory"))?;
    Ok(directory)
}

/// A program of Postgres', to be run as its user and in its directory.
fn program(
    programs: &Programs,
    name: &str,
    directory: &Path,
    owner: Option<(u32, u32)>,
) -> Command {
    let mut command = Command::new(programs.path(name));
    command.current_dir(directory);
    if let Some((user, group)) = owner {
        command.uid(user).gid(group);
    }
    command
}

fn make_cluster(
    programs: &Programs,
    directory: &Path,
    owner: Option<(u32, u32)>,
) -> Result<(), Error> {
    let mut initdb = program(programs, "initdb", directory, owner);
    initdb.arg("--pgdata").arg(directory.join("data"));
    initdb.args([
        "--username=postgres",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C.UTF-8",
    ]);
    run(initdb.args(["--no-sync", "--no-instructions"])).map(|_| ())
}

fn start_on_a_free_port(
    programs: &Programs,
    directory: &Path,
    owner: Option<(u32, u32)>,
    durability: Durability,
) -> Result<(Child, u16), Error> {
    let mut last = Error::NotReady { log: String::new() };
    for _ in 0..STARTS {
        let port = TcpListener::bind(("127.0.0.1", 0))
            .and_then(|listener| listener.local_addr())
            .map_err(Error::io("finding a free port"))?
            .port();
        let mut process = launch(programs, directory, owner, durability, port)?;
        match wait_until_ready(programs, directory, port, &mut process) {
            Ok(()) => return Ok((process, port)),
            Err(error) => {
                let _ = process.kill();
                let _ = process.wait();
                last = error;
            }
        }
    }
    Err(last)
}

fn launch(
    programs: &Programs,
    directory: &Path,
    owner: Option<(u32, u32)>,
    durability: Durability,
    port: u16,
) -> Result<Child, Error> {
    let log = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(directory.join("log"))
        .map_err(Error::io("opening the server's log"))?;
    let fsync = match durability {
        Durability::Full => "fsync=on",
        Durability::ProcessOnly => "fsync=off",
    };
    program(programs, "postgres", directory, owner)
        .arg("-D")
        .arg(directory.join("data"))
        .arg("-k")
        .arg(directory)
        .args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", fsync])
        .args(["-c", "max_connections=300", "-c", "shared_buffers=64MB"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(Error::io("starting `postgres`"))
}

fn wait_until_ready(
    programs: &Programs,
    directory: &Path,
    port: u16,
    process: &mut Child,
) -> Result<(), Error> {
    for _ in 0..LOOKS {
        if process
            .try_wait()
            .map_err(Error::io("waiting for `postgres`"))?
            .is_some()
        {
            break;
        }
        let mut ask = Command::new(programs.path("psql"));
        ask.args([
            "-X",
            "-q",
            "-h",
            "127.0.0.1",
            "-U",
            "postgres",
            "-d",
            "postgres",
        ]);
        ask.args(["-p", &port.to_string(), "-c", "SELECT 1"]);
        if run(&mut ask).is_ok() {
            return Ok(());
        }
        sleep(BETWEEN_LOOKS);
    }
    let log = fs::read_to_string(directory.join("log")).unwrap_or_default();
    Err(Error::NotReady { log })
}

fn signal(pid: u32, name: &str) -> Result<(), Error> {
    run(Command::new("kill").args(["-s", name, &pid.to_string()])).map(|_| ())
}
