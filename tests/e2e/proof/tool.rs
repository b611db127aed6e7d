//! A tool behind HTTP that keeps a log of its own: which call came under which attempt.

use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

use entail_json::{Value, read};

/// Of how many calls the first attempt is answered "come back later".
const LATER_OF: usize = 5;

/// Of how many calls the first attempt is held until the next blow.
const HELD_OF: usize = 7;

/// A tool that answers `{"q": TEXT}` with the text.
#[derive(Debug)]
pub(crate) struct Tool {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    blow: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The attempts by call, in the order in which they came.
    attempts: BTreeMap<String, Vec<u32>>,
    blows: usize,
    is_over: bool,
}

impl Tool {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let shared = Arc::new(Shared::default());
        let told = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&told);
                thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/look-up", self.address)
    }

    /// Answers what is held.
    pub(crate) fn blow(&self) {
        self.shared.state().blows += 1;
        self.shared.blow.notify_all();
    }

    /// Answers what is held, and holds nothing any more.
    pub(crate) fn hold_no_more(&self) {
        self.shared.state().is_over = true;
        self.shared.blow.notify_all();
    }

    /// The attempts by call, in the order in which they came.
    pub(crate) fn attempts(&self) -> BTreeMap<String, Vec<u32>> {
        self.shared.state().attempts.clone()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A service that dies breaks its connections, which is no fault here.
    fn serve(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream);
        let (mut call, mut attempt, mut length) = (String::new(), 0, 0);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            match name.to_ascii_lowercase().as_str() {
                "idempotency-key" => call = value.to_owned(),
                "x-entail-attempt" => attempt = value.parse().ok()?,
                "content-length" => length = value.parse().ok()?,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let asked = read(&body).ok()?;
        let text = asked.get("q").and_then(Value::as_str)?;
        let answer = Value::from(text).to_string();
        let answer = match self.note(call, attempt) {
            true => format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n{answer}",
                answer.len()
            ),
            false => "HTTP/1.1 503 Later\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".into(),
        };
        reader.into_inner().write_all(answer.as_bytes()).ok()
    }

    /// Notes an attempt, and holds it if it is one of those; whether it gets its value.
    fn note(&self, call: String, attempt: u32) -> bool {
        let mut state = self.state();
        let place = state.attempts.len();
        let attempts = state.attempts.entry(call).or_default();
        attempts.push(attempt);
        let is_first = attempts.len() == 1;
        if is_first && place.is_multiple_of(HELD_OF) {
            let blows = state.blows;
            let held = |state: &mut State| state.blows == blows && !state.is_over;
            drop(self.blow.wait_while(state, held));
        }
        !(is_first && place % LATER_OF == 1)
    }
}
