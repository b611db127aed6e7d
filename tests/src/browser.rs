//! A browser without a window, driven over its DevTools pipe: JSON messages that end in a NUL.

use std::{
    env,
    io::{BufRead as _, BufReader, Write as _},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use entail_json::{Value, read_str};

use crate::Scratch;

/// How long the browser is waited for before the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long a page is waited for, in milliseconds.
const PAGE_MS: u32 = 60_000;

/// Names the browser to use.
const BROWSER: &str = "ENTAIL_BROWSER";

const NAMES: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// One page of a browser that runs until it is dropped.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    sent: u32,
    events: Vec<Value>,
    _profile: Scratch,
}

impl Browser {
    /// Where a browser is: the one that `ENTAIL_BROWSER` names, else one on `PATH`.
    ///
    /// # Errors
    /// Says what to install when there is none.
    pub fn find() -> Result<PathBuf, String> {
        if let Some(given) = env::var_os(BROWSER) {
            return Ok(given.into());
        }
        let path = env::var_os("PATH").unwrap_or_default();
        let mut places =
            env::split_paths(&path).flat_map(|folder| NAMES.map(|name| folder.join(name)));
        places.find(|place| place.is_file()).ok_or_else(|| {
            format!("there is no browser; install `chromium`, or name one in {BROWSER}")
        })
    }

    /// Starts one with an empty profile, and opens a page.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start() -> Self {
        let program = Self::find().unwrap_or_else(|reason| panic!("{reason}"));
        let profile = Scratch::new();
        // The browser reads from its third descriptor and writes to its fourth.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 1>&2"])
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--no-first-run",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell is installed");
        let to = child.stdin.take().expect("standard input is piped");
        let stdout = child.stdout.take().expect("standard output is piped");
        let (heard, from) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(stdout).split(0).map_while(Result::ok) {
                let message = String::from_utf8_lossy(&message).into_owned();
                let message = read_str(&message).expect("the browser speaks JSON");
                if heard.send(message).is_err() {
                    return;
                }
            }
        });
        let mut browser = Self {
            child,
            to,
            from,
            session: None,
            sent: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let page = browser.call("Target.createTarget", [("url", "about:blank".into())]);
        let target = page.get("targetId").cloned().expect("a page has an id");
        let attached = browser.call(
            "Target.attachToTarget",
            [("targetId", target), ("flatten", true.into())],
        );
        browser.session = attached
            .get("sessionId")
            .and_then(Value::as_str)
            .map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), []);
        }
        browser
    }

    /// Makes the page as wide as that, in CSS pixels, and light or dark.
    pub fn look(&mut self, width: u32, dark: bool) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            [
                ("width", width.into()),
                ("height", 900_u32.into()),
                ("deviceScaleFactor", 1_u32.into()),
                ("mobile", (width < 500).into()),
            ],
        );
        let scheme = Value::from([
            ("name", "prefers-color-scheme".into()),
            ("value", if dark { "dark" } else { "light" }.into()),
        ]);
        self.call(
            "Emulation.setEmulatedMedia",
            [("features", [scheme].into_iter().collect())],
        );
    }

    /// Opens an address, from the beginning, and waits until it is loaded.
    pub fn open(&mut self, url: &str) {
        for url in ["about:blank", url] {
            self.call("Page.navigate", [("url", url.into())]);
            self.wait("document.readyState === 'complete'");
        }
    }

    /// Waits until an expression is true of the page.
    ///
    /// # Panics
    /// When it does not get there; with what the page shows.
    pub fn wait(&mut self, condition: &str) {
        let waited = self.try_read(&format!(
            "new Promise((done) => {{
                const look = () => {{ if ({condition}) done(true); }};
                new MutationObserver(look).observe(document, {{ subtree: true, childList: true, attributes: true, characterData: true }});
                addEventListener('load', look);
                document.addEventListener('readystatechange', look);
                setTimeout(() => done(false), {PAGE_MS});
                look();
            }})"
        ));
        if waited == Ok(Value::Bool(true)) {
            return;
        }
        let shown = self.try_read("location.href + '\\n' + document.body?.innerText");
        panic!(
            "waited in vain for `{condition}`: {waited:?} on {shown:?}\n{:?}",
            self.complaints()
        );
    }

    /// What an expression gives.
    ///
    /// # Panics
    /// When it throws.
    pub fn read(&mut self, expression: &str) -> Value {
        self.try_read(expression)
            .unwrap_or_else(|thrown| panic!("`{expression}` throws {thrown}"))
    }

    /// The text that an expression gives.
    ///
    /// # Panics
    /// When it throws or gives something else.
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.read(expression);
        value
            .as_str()
            .unwrap_or_else(|| panic!("`{expression}` gives {value}"))
            .to_owned()
    }

    fn try_read(&mut self, expression: &str) -> Result<Value, String> {
        let answer = self.call(
            "Runtime.evaluate",
            [
                ("expression", expression.into()),
                ("awaitPromise", true.into()),
                ("returnByValue", true.into()),
            ],
        );
        match answer.get("exceptionDetails") {
            Some(thrown) => Err(thrown.to_string()),
            None => Ok(answer
                .get("result")
                .and_then(|result| result.get("value"))
                .cloned()
                .unwrap_or_default()),
        }
    }

    /// Every request the page made since it was asked last, as method and address.
    pub fn requests(&mut self) -> Vec<(String, String)> {
        self.read("0");
        let request = |event: &Value| {
            let sent = named(event, "Network.requestWillBeSent")?.get("request")?;
            let text = |name| sent.get(name)?.as_str().map(str::to_owned);
            Some((text("method")?, text("url")?))
        };
        let requests = self.events.iter().filter_map(request).collect();
        self.events
            .retain(|event| named(event, "Network.requestWillBeSent").is_none());
        requests
    }

    /// What went wrong on the page so far: errors, uncaught exceptions, refusals by its policy,
    /// and dialogs, which no page here opens.
    pub fn complaints(&mut self) -> Vec<String> {
        let _ = self.try_read("0");
        let complaint = |event: &Value| {
            let found = ["Runtime.exceptionThrown", "Page.javascriptDialogOpening"]
                .iter()
                .find_map(|name| named(event, name));
            let logged = named(event, "Log.entryAdded").filter(|logged| {
                let level = logged.get("entry").and_then(|entry| entry.get("level"));
                level.and_then(Value::as_str) == Some("error")
            });
            found.or(logged).map(ToString::to_string)
        };
        self.events.iter().filter_map(complaint).collect()
    }

    /// Calls a method, and keeps the events that come meanwhile.
    fn call<const N: usize>(&mut self, method: &str, parameters: [(&str, Value); N]) -> Value {
        self.sent += 1;
        let id = Value::from(self.sent);
        let mut message = entail_json::Object::from([
            ("id", id.clone()),
            ("method", method.into()),
            ("params", Value::from(parameters)),
        ]);
        if let Some(session) = &self.session {
            message.insert("sessionId", session.as_str().into());
        }
        let message = format!("{}\0", Value::from(message));
        self.to
            .write_all(message.as_bytes())
            .and_then(|()| self.to.flush())
            .expect("the browser listens");
        loop {
            let heard = self
                .from
                .recv_timeout(PATIENCE)
                .unwrap_or_else(|error| panic!("the browser does not answer {method}: {error}"));
            if heard.get("id") != Some(&id) {
                self.events.push(heard);
                continue;
            }
            match heard.get("result") {
                Some(result) => return result.clone(),
                None => panic!("{method}: {heard}"),
            }
        }
    }
}

/// What an event of that name says.
fn named<'a>(event: &'a Value, name: &str) -> Option<&'a Value> {
    let method = event.get("method").and_then(Value::as_str);
    event.get("params").filter(|_| method == Some(name))
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its helpers end with it; it is asked first, so that it lets go of its profile.
        let _ = self
            .to
            .write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        while self.from.recv_timeout(PATIENCE).is_ok() {}
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
