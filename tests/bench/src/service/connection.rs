//! A connection that is kept.

use std::{fmt::Write as _, io::Write as _, net::TcpStream};

use entail_tests::{Answer, Client};

use crate::Measured;

/// A connection to the service, one request after the other.
pub(super) struct Connection {
    stream: TcpStream,
    host: String,
    request: String,
}

impl Connection {
    pub(super) fn open(client: &Client) -> Measured<Self> {
        let stream = TcpStream::connect(client.address())?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            host: client.address().to_string(),
            request: String::new(),
        })
    }

    /// GET, of a success.
    pub(super) fn get(&mut self, path: &str) -> Measured<Answer> {
        self.call("GET", path, "")
    }

    /// POST of JSON, of a success.
    pub(super) fn post(&mut self, path: &str, body: &str) -> Measured<Answer> {
        self.call("POST", path, body)
    }

    fn call(&mut self, method: &str, path: &str, body: &str) -> Measured<Answer> {
        self.request.clear();
        write!(
            self.request,
            "{method} {path} HTTP/1.1\r\nhost: {}\r\n",
            self.host
        )?;
        if method == "POST" {
            let length = body.len();
            write!(
                self.request,
                "content-type: application/json\r\ncontent-length: {length}\r\n"
            )?;
        }
        self.request.push_str("\r\n");
        self.request.push_str(body);
        self.stream.write_all(self.request.as_bytes())?;
        let answer = Answer::read(&mut self.stream)?;
        if !(200..300).contains(&answer.status) {
            let (status, said) = (answer.status, answer.text());
            return Err(format!("{method} {path}: {status} {said}").into());
        }
        Ok(answer)
    }
}
