//! Bodies that are written while they are sent.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc::Receiver;

/// A body of the pieces that come out of a channel.
#[derive(Debug)]
pub(crate) struct Pieces(Receiver<Result<Bytes, std::io::Error>>);

/// The body.
pub(crate) fn stream(pieces: Receiver<Result<Bytes, std::io::Error>>) -> Pieces {
    Pieces(pieces)
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let next = self.0.poll_recv(context);
        next.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
