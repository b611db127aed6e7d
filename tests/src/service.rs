//! A running `entail serve`.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread::JoinHandle,
    time::Duration,
};

use entail_json::{Value, read_str};

use crate::{Client, Scratch, binary};

/// How long a start may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a service is to be started.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The database; an SQLite file in the service's own directory unless given.
    pub database_url: Option<String>,
    /// More arguments.
    pub arguments: Vec<String>,
    /// More variables.
    pub variables: Vec<(String, String)>,
}

impl Start {
    /// On that database.
    #[must_use]
    pub fn on(database_url: &str) -> Self {
        Self {
            database_url: Some(database_url.to_owned()),
            ..Self::default()
        }
    }

    /// With one more argument.
    #[must_use]
    pub fn arg(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// Starts it, and waits until it is ready.
    ///
    /// # Panics
    /// When it ends, or is not ready in a minute.
    #[must_use]
    pub fn start(&self) -> Service {
        Service::start(self)
    }
}

/// A service that runs until it is dropped.
#[derive(Debug)]
pub struct Service {
    child: Child,
    address: SocketAddr,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
    _directory: Scratch,
}

impl Service {
    fn start(start: &Start) -> Self {
        let directory = Scratch::new();
        let mut command = Command::new(binary());
        command
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(&start.arguments)
            .current_dir(directory.path())
            .env_remove("DATABASE_URL")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        if let Some(url) = &start.database_url {
            command.args(["--database-url", url]);
        }
        for (name, value) in &start.variables {
            command.env(name, value);
        }
        let mut child = command.spawn().expect("the binary starts");
        let stderr = child.stderr.take().expect("standard error is piped");
        let log = Arc::new(Mutex::new(String::new()));
        let (ready, address) = mpsc::channel();
        let reader = std::thread::spawn({
            let log = Arc::clone(&log);
            move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    if let Some(address) = listening(&line) {
                        let _ = ready.send(address);
                    }
                    let mut log = log.lock().expect("no reader panicked");
                    log.push_str(&line);
                    log.push('\n');
                }
            }
        });
        match address.recv_timeout(PATIENCE) {
            Ok(address) => Self {
                child,
                address,
                log,
                reader: Some(reader),
                _directory: directory,
            },
            Err(_) => {
                let _ = child.kill();
                let _ = child.wait();
                let _ = reader.join();
                panic!("the service is not ready: {}", log.lock().expect("the log"));
            }
        }
    }

    /// A client of it.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Its process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it logged so far.
    #[must_use]
    pub fn log(&self) -> String {
        self.log.lock().expect("no reader panicked").clone()
    }

    /// Memory in use, in bytes, as `/proc/PID/status` has it: now and at its highest.
    #[must_use]
    pub fn memory(&self) -> (u64, u64) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid()))
            .expect("the process runs");
        let field = |name: &str| {
            status
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .and_then(|rest| rest.split_whitespace().next())
                .and_then(|kib| kib.parse::<u64>().ok())
                .expect("a field in KiB")
                << 10
        };
        (field("VmRSS:"), field("VmHWM:"))
    }

    /// Ends it at once (SIGKILL).
    pub fn kill(mut self) {
        self.end();
    }

    /// Asks it to end (SIGTERM): how it ended, and its whole log.
    #[must_use]
    pub fn terminate(mut self) -> (ExitStatus, String) {
        let status = Command::new("kill")
            .args(["-TERM", &self.pid().to_string()])
            .status()
            .expect("`kill` is installed");
        assert!(status.success());
        let status = self.child.wait().expect("the process can be waited for");
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
        (status, self.log())
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.end();
        if std::thread::panicking() {
            eprintln!("log of the service:\n{}", self.log());
        }
    }
}

fn listening(line: &str) -> Option<SocketAddr> {
    let entry = read_str(line).ok()?;
    let ready = entry.get("message").and_then(Value::as_str) == Some("ready");
    let address = entry.get("listen").and_then(Value::as_str)?;
    ready.then(|| address.parse().ok()).flatten()
}
