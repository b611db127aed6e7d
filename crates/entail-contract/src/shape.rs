//! What a value looks like from outside: an envelope, an action, a list of actions.

use crate::{
    scan::{Container, Dialect, Scalar, Sink, Token},
    strings::{self, Quoted},
};

/// How well a value that stands in a text suits a response, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// An object with `actions`.
    Envelope,
    /// One action object (it has `type`), or a list holding one.
    Action,
    /// A list of objects.
    Objects,
    /// Nothing of the kind.
    Other,
}

/// Finds the shape of a value while it is scanned, in no memory.
pub(crate) struct ShapeOf<'t> {
    text: &'t str,
    dialect: Dialect,
    list: bool,
    actions: bool,
    kind: bool,
    objects: bool,
    others: bool,
}

impl<'t> ShapeOf<'t> {
    pub(crate) fn new(text: &'t str, dialect: Dialect) -> Self {
        Self {
            text,
            dialect,
            list: false,
            actions: false,
            kind: false,
            objects: false,
            others: false,
        }
    }

    /// The shape, once the value has been scanned to its end.
    pub(crate) fn shape(&self) -> Shape {
        match (self.actions, self.kind) {
            (true, _) => Shape::Envelope,
            (false, true) => Shape::Action,
            (false, false) if self.list && self.objects && !self.others => Shape::Objects,
            (false, false) => Shape::Other,
        }
    }
}

impl Sink for ShapeOf<'_> {
    fn open(&mut self, kind: Container, _at: usize, depth: usize) {
        match (depth, kind) {
            (1, Container::List) => self.list = true,
            (2, Container::Object) => self.objects = true,
            (2, Container::List) => self.others = true,
            _ => {}
        }
    }

    fn close(&mut self, _end: usize, _depth: usize, _grouping: bool) {}

    fn name(&mut self, token: Token, quoted: Quoted, depth: usize) {
        let is = |name: &str| strings::decode(self.text, token, quoted, self.dialect) == name;
        match (depth, self.list) {
            (1, false) if !self.actions && is("actions") => self.actions = true,
            (1, false) | (2, true) if !self.kind && is("type") => self.kind = true,
            _ => {}
        }
    }

    fn scalar(&mut self, _scalar: Scalar, _token: Token, depth: usize) {
        if depth <= 1 {
            self.others = true;
        }
    }
}
