//! A connection's socket, under the HTTP library: where that answers by itself, to what it cannot
//! read as a request, with a bare status, the problem is put in its place.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::http::StatusCode;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::{io::AsyncWriteExt as _, net::TcpStream, time::timeout};

use crate::{
    clock,
    limits::LAST_WORD_MS,
    metrics,
    problem::{Code, PROBLEM_JSON, Problem},
};

/// Whether a part of a request's head has arrived that was not answered yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Begun(Arc<AtomicBool>);

impl Begun {
    /// A request was read, or answered.
    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// The socket.
#[derive(Debug)]
pub(super) struct Socket {
    stream: TokioIo<TcpStream>,
    begun: Begun,
    /// What is left to write of our own.
    own: Vec<u8>,
}

impl Socket {
    /// The socket of a stream.
    pub(super) fn new(stream: TcpStream, begun: Begun) -> Self {
        Self {
            stream: TokioIo::new(stream),
            begun,
            own: Vec::new(),
        }
    }

    /// Tells a client whose head did not arrive in time, if a part of it did.
    pub(super) async fn tell_timeout(self) {
        if !self.begun.0.load(Ordering::Relaxed) {
            return;
        }
        let mut stream = self.stream.into_inner();
        let answer = answer(Code::HeadTimeout);
        let telling = async {
            stream.write_all(&answer).await?;
            stream.shutdown().await
        };
        let _ = timeout(Duration::from_millis(LAST_WORD_MS), telling).await;
    }

    fn poll_own(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.own.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(cx, &self.own))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.own.drain(..written.min(self.own.len()));
        }
        Poll::Ready(Ok(()))
    }
}

impl Read for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        self.begun.0.store(true, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl Write for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_own(cx))?;
        if let Some(code) = bare(bytes) {
            self.own = answer(code);
            return Poll::Ready(Ok(bytes.len()));
        }
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut filled = slices.iter().filter(|slice| !slice.is_empty());
        if let (Some(only), None) = (filled.next(), filled.next()) {
            return self.poll_write(cx, only);
        }
        ready!(self.poll_own(cx))?;
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_own(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_own(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The code of an answer that the HTTP library gave by itself: a head alone, of an error, that
/// does not name the request as each of ours does.
fn bare(bytes: &[u8]) -> Option<Code> {
    let head = std::str::from_utf8(bytes).ok()?;
    let rest = head.strip_prefix("HTTP/1.1 ")?.strip_suffix("\r\n\r\n")?;
    let status: u16 = rest.get(..3)?.parse().ok()?;
    let is_alone = !rest.contains("\r\n\r\n") && !rest.contains("x-request-id");
    let code = match status {
        400 => Code::MalformedRequest,
        414 => Code::UriTooLong,
        431 => Code::HeadTooLarge,
        _ => return None,
    };
    is_alone.then_some(code)
}

/// A problem as bytes, after which the connection is closed.
fn answer(code: Code) -> Vec<u8> {
    let id = clock::new_id().to_string();
    let status = code.status();
    metrics::request("other", "none", status.as_u16(), 0);
    tracing::info!(
        request_id = id,
        route = "none",
        status = status.as_u16(),
        "request"
    );
    let body = Problem::new(code, detail(code)).body("*", &id);
    let reason = StatusCode::canonical_reason(&status).unwrap_or_default();
    format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {PROBLEM_JSON}\r\ncontent-length: {}\r\n\
         x-request-id: {id}\r\nconnection: close\r\n\r\n{body}",
        status.as_u16(),
        body.len()
    )
    .into_bytes()
}

fn detail(code: Code) -> &'static str {
    match code {
        Code::UriTooLong => "the request's address is longer than the service reads",
        Code::HeadTooLarge => "the request's line and headers are longer than the service reads",
        Code::HeadTimeout => "the request's head has to arrive within `header_timeout_ms`",
        _ => "what was sent cannot be read as a request of HTTP/1.1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_library_answers_by_itself_is_replaced() {
        let own = "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\
                   date: Mon, 30 Nov 2026 23:00:00 GMT\r\n\r\n";
        assert_eq!(bare(own.as_bytes()), Some(Code::MalformedRequest));
        assert_eq!(
            bare(own.replace("400", "431").as_bytes()),
            Some(Code::HeadTooLarge)
        );
        for other in [
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned(),
            "HTTP/1.1 100 Continue\r\n\r\n".to_owned(),
            own.replace("date", "x-request-id"),
            format!("{own}body"),
            format!("{own}{own}"),
            "1a\r\n".to_owned(),
        ] {
            assert_eq!(bare(other.as_bytes()), None, "{other}");
        }
    }
}
