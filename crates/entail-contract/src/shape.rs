//! What a value looks like from outside: an envelope, an action, a list of actions.

use crate::{
    scan::{Container, Dialect, Scalar, Sink, Token},
    strings::{self, Quoted},
    tape::{At, Part, Tape},
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

impl Shape {
    /// The shape of the value on a tape.
    pub(crate) fn of(tape: &Tape<'_>) -> Self {
        let has = |object: At, wanted: &str| {
            let mut names = tape.members(object).map(|(name, _)| tape.said(name));
            names.any(|name| name.is_some_and(|name| name == wanted))
        };
        let is_object = |item: At| tape.part(item) == Part::Object;
        match tape.part(0) {
            Part::Object if has(0, "actions") => Self::Envelope,
            Part::Object if has(0, "type") => Self::Action,
            Part::List if tape.elements(0).any(|item| has(item, "type")) => Self::Action,
            Part::List if tape.elements(0).next().is_some() && tape.elements(0).all(is_object) => {
                Self::Objects
            }
            _ => Self::Other,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::Scanner;

    #[test]
    fn the_shape_is_the_same_while_scanning_and_from_a_tape() {
        for (text, shape) in [
            (r#"{"a": 1, "actions": 0}"#, Shape::Envelope),
            (r#"{"type": 1, "\u0061ctions": 0}"#, Shape::Envelope),
            (r#"{"a": {"actions": 1}, "type": 0}"#, Shape::Action),
            (r#"[1, {"a": 1, "type": 0}]"#, Shape::Action),
            (r#"[{"a": 1}, {}]"#, Shape::Objects),
            (r#"[{"actions": 1}]"#, Shape::Objects),
            (r#"[{"a": {"type": 1}}]"#, Shape::Objects),
            (r#"[[{"type": 1}]]"#, Shape::Other),
            (r#"[{}, 1]"#, Shape::Other),
            (r#"[{}, []]"#, Shape::Other),
            (r#"{"a": {"type": 1}}"#, Shape::Other),
            ("[]", Shape::Other),
            ("{}", Shape::Other),
            ("\"type\"", Shape::Other),
            ("1", Shape::Other),
        ] {
            let mut scanned = ShapeOf::new(text, Dialect::Json);
            let mut tape = Tape::new(text, Dialect::Json, 128);
            let mut scanner = Scanner::new(text.as_bytes());
            assert!(
                scanner
                    .value(0, text.len(), Dialect::Json, &mut scanned)
                    .is_ok()
            );
            assert!(
                scanner
                    .value(0, text.len(), Dialect::Json, &mut tape)
                    .is_ok()
            );
            assert_eq!(
                (scanned.shape(), Shape::of(&tape)),
                (shape, shape),
                "{text}"
            );
        }
    }
}
