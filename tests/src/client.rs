//! A blocking HTTP/1.1 client, one connection a request.

use std::{
    fmt::Write as _,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use entail_json::{Value, read_str};

/// How long an answer is waited for before the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls one service.
#[derive(Clone, Debug)]
pub struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

/// What was answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers, their names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Client {
    /// A client of the service at that address.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            headers: Vec::new(),
        }
    }

    /// The same with one more header on every request.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Where the service is.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A new connection.
    #[must_use]
    pub fn connect(&self) -> TcpStream {
        self.try_connect().expect("the service accepts")
    }

    /// A new connection to a service that may not be there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn try_connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(stream)
    }

    /// GET.
    #[must_use]
    pub fn get(&self, path: &str) -> Answer {
        self.call("GET", path, None)
    }

    /// POST of a JSON value.
    #[must_use]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.call(
            "POST",
            path,
            Some(("application/json", body.to_string().as_bytes())),
        )
    }

    /// PUT of a JSON value.
    #[must_use]
    pub fn put(&self, path: &str, body: &Value) -> Answer {
        self.call(
            "PUT",
            path,
            Some(("application/json", body.to_string().as_bytes())),
        )
    }

    /// Any method, with a body of any type.
    #[must_use]
    pub fn call(&self, method: &str, path: &str, body: Option<(&str, &[u8])>) -> Answer {
        self.try_call(method, path, body)
            .unwrap_or_else(|error| panic!("{method} {path}: {error}"))
    }

    /// Like [`call`](Self::call), for a service that may not be there.
    ///
    /// # Errors
    /// When the connection cannot be made or breaks before the answer is whole.
    pub fn try_call(
        &self,
        method: &str,
        path: &str,
        body: Option<(&str, &[u8])>,
    ) -> std::io::Result<Answer> {
        let mut stream = self.try_connect()?;
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n",
            self.address
        );
        for (name, value) in &self.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if let Some((kind, body)) = body {
            let _ = write!(
                head,
                "content-type: {kind}\r\ncontent-length: {}\r\n",
                body.len()
            );
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        if let Some((_, body)) = body {
            // A service that refuses a body may answer before it is sent.
            let _ = stream.write_all(body);
        }
        Answer::read(&mut stream)
    }
}

impl Answer {
    /// Reads an answer up to the end of its connection or of its stated length.
    ///
    /// # Errors
    /// When the connection breaks before the answer is whole, or it is no HTTP/1.1.
    pub fn read(stream: &mut TcpStream) -> std::io::Result<Self> {
        let mut bytes = Vec::new();
        let mut chunk = [0; 16 << 10];
        let head_end = loop {
            if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break at;
            }
            match stream.read(&mut chunk)? {
                0 => return Err(std::io::Error::other("closed before an answer")),
                read => bytes.extend_from_slice(&chunk[..read]),
            }
        };
        let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
        let mut lines = head.split("\r\n");
        let status = lines
            .next()
            .and_then(|line| line.split(' ').nth(1))
            .and_then(|status| status.parse().ok())
            .ok_or_else(|| std::io::Error::other("no status line"))?;
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut answer = Self {
            status,
            headers,
            body: bytes.split_off(head_end + 4),
        };
        if let Some(length) = answer.header("content-length").map(str::to_owned) {
            let length: usize = length.parse().map_err(std::io::Error::other)?;
            while answer.body.len() < length {
                match stream.read(&mut chunk)? {
                    0 => return Err(std::io::Error::other("closed within the body")),
                    read => answer.body.extend_from_slice(&chunk[..read]),
                }
            }
        } else {
            stream.read_to_end(&mut answer.body)?;
            if answer.header("transfer-encoding") == Some("chunked") {
                answer.body = unchunk(&answer.body)?;
            }
        }
        Ok(answer)
    }

    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(given, _)| given == name)
            .map(|(_, value)| value.as_str())
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("answers are UTF-8")
    }

    /// The body as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        read_str(self.text()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body of a success.
    #[must_use]
    pub fn ok(&self) -> Value {
        assert!(
            (200..300).contains(&self.status),
            "{}: {}",
            self.status,
            self.text()
        );
        self.json()
    }

    /// The code of a problem, its form checked.
    #[must_use]
    pub fn code(&self) -> String {
        assert!(self.status >= 400, "{}: {}", self.status, self.text());
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json")
        );
        let problem = self.json();
        let status = problem.get("status").and_then(Value::as_u64);
        assert_eq!(status, Some(u64::from(self.status)), "{}", self.text());
        let id = problem.get("request_id").and_then(Value::as_str);
        assert_eq!(id, self.header("x-request-id"), "{}", self.text());
        for member in ["type", "title", "detail", "instance"] {
            assert!(
                problem.get(member).and_then(Value::as_str).is_some(),
                "{member} is missing"
            );
        }
        problem
            .get("code")
            .and_then(Value::as_str)
            .expect("a code")
            .to_owned()
    }
}

fn unchunk(mut bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let broken = || std::io::Error::other("broken chunks");
    let mut body = Vec::new();
    loop {
        let end = bytes
            .windows(2)
            .position(|window| window == b"\r\n")
            .ok_or_else(broken)?;
        let size = std::str::from_utf8(&bytes[..end]).map_err(|_| broken())?;
        let size = usize::from_str_radix(size.trim(), 16).map_err(|_| broken())?;
        if size == 0 {
            return Ok(body);
        }
        let chunk = bytes.get(end + 2..end + 2 + size).ok_or_else(broken)?;
        body.extend_from_slice(chunk);
        bytes = bytes.get(end + 4 + size..).ok_or_else(broken)?;
    }
}
