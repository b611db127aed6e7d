//! A value as a flat list of its parts in the order of the text. Nothing is decoded or copied
//! until it is asked for.

use std::borrow::Cow;

use entail_json::{Number, Object, Value};

use crate::{
    numbers,
    scan::{Container, Dialect, Scalar, Sink, Token},
    strings::{self, Quoted, StringFault},
};

/// A part: a value, or a member name before its value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    part: Part,
    /// It holds nesting past the limit, which is not on the tape.
    too_deep: bool,
    start: u32,
    end: u32,
    /// Where on the tape the next part after this one and all it holds stands.
    next: u32,
}

impl Node {
    fn token(&self) -> Token {
        Token {
            start: self.start as usize,
            end: self.end as usize,
        }
    }
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Scalar(Scalar),
    Object,
    List,
    /// Parentheses around a single value: what they hold stands for them.
    Grouping,
}

/// Why a value cannot be kept as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Duplicate(String),
    Nul,
    Surrogate,
    NotFinite,
    TooDeep,
}

/// The place of a part on the tape.
pub(crate) type At = usize;

/// A text and the parts of a value in it.
pub(crate) struct Tape<'t> {
    text: &'t str,
    dialect: Dialect,
    depth: usize,
    nodes: Vec<Node>,
    open: Vec<u32>,
    /// Something was nested past the limit.
    deep: bool,
}

impl<'t> Tape<'t> {
    /// An empty tape for a value nested at most `depth` deep.
    pub(crate) fn new(text: &'t str, dialect: Dialect, depth: usize) -> Self {
        /// A response rarely has more parts than one for so many bytes.
        const BYTES_A_PART: usize = 6;
        /// Less than a kibibyte, which allocators hand out and take back fastest.
        const FIRST_PARTS: usize = 60;
        let mut tape = Self::blank(text, dialect, depth);
        tape.nodes
            .reserve_exact((text.len() / BYTES_A_PART).min(FIRST_PARTS));
        tape
    }

    /// An empty tape that takes no memory until it is written on.
    pub(crate) fn blank(text: &'t str, dialect: Dialect, depth: usize) -> Self {
        Self {
            text,
            dialect,
            depth,
            nodes: Vec::new(),
            open: Vec::new(),
            deep: false,
        }
    }

    /// Takes everything off.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.open.clear();
        self.deep = false;
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The place of the value at `at` once parentheses around it are taken off.
    fn resolve(&self, mut at: At) -> At {
        while let Some(node) = self.nodes.get(at)
            && node.part == Part::Grouping
        {
            at += 1;
        }
        at
    }

    /// The value at `at`, parentheses taken off.
    fn node(&self, at: At) -> Option<&Node> {
        let node = self.nodes.get(at)?;
        if node.part == Part::Grouping {
            return self.nodes.get(self.resolve(at));
        }
        Some(node)
    }

    /// What stands at `at`, parentheses taken off.
    pub(crate) fn part(&self, at: At) -> Part {
        self.node(at)
            .map_or(Part::Scalar(Scalar::Null), |node| node.part)
    }

    fn after(&self, at: At) -> At {
        self.nodes
            .get(at)
            .map_or(usize::MAX, |node| node.next as usize)
    }

    /// The elements of a list, or of anything else none.
    pub(crate) fn elements(&self, list: At) -> impl Iterator<Item = At> + '_ {
        let list = self.resolve(list);
        let end = match self.nodes.get(list) {
            Some(node) if node.part == Part::List => node.next as usize,
            _ => 0,
        };
        std::iter::successors(Some(list + 1), |at| Some(self.after(*at)))
            .take_while(move |at| *at < end)
    }

    /// The names and values of an object, or of anything else none.
    pub(crate) fn members(&self, object: At) -> impl Iterator<Item = (At, At)> + '_ {
        let object = self.resolve(object);
        let end = match self.nodes.get(object) {
            Some(node) if node.part == Part::Object => node.next as usize,
            _ => 0,
        };
        std::iter::successors(Some(object + 1), |name| Some(self.after(name + 1)))
            .take_while(move |name| *name < end)
            .map(|name| (name, name + 1))
    }

    /// The part as it is written; of a string, what is between the quotes.
    pub(crate) fn written(&self, at: At) -> &'t str {
        self.node(at).map_or("", |node| {
            let token = node.token();
            self.text.get(token.start..token.end).unwrap_or_default()
        })
    }

    /// What the string says, if it is one. What cannot be kept of it reads U+FFFD.
    pub(crate) fn said(&self, at: At) -> Option<Cow<'t, str>> {
        let node = self.node(at)?;
        match node.part {
            Part::Scalar(Scalar::String(quoted)) => Some(strings::decode(
                self.text,
                node.token(),
                quoted,
                self.dialect,
            )),
            _ => None,
        }
    }

    /// What the string says, to keep; `None` if it is no string.
    pub(crate) fn string(&self, at: At) -> Option<Result<String, Fault>> {
        match self.node(at)?.part {
            Part::Scalar(Scalar::String(Quoted {
                fault: Some(fault), ..
            })) => Some(Err(fault.into())),
            _ => Some(Ok(self.said(at)?.into_owned())),
        }
    }

    /// The number, if it is one: `Some(None)` past the range of floats.
    pub(crate) fn number(&self, at: At) -> Option<Option<Number>> {
        match self.part(at) {
            Part::Scalar(Scalar::Number) => Some(numbers::decode(self.written(at))),
            Part::Scalar(Scalar::NotFinite) => Some(None),
            _ => None,
        }
    }

    /// Whether it, or something in it, is nested past the limit.
    pub(crate) fn too_deep(&self, at: At) -> bool {
        let at = self.resolve(at);
        self.deep
            && self
                .nodes
                .get(at..self.after(at).min(self.nodes.len()))
                .unwrap_or_default()
                .iter()
                .any(|node| node.too_deep)
    }

    /// The first name that the object has twice.
    pub(crate) fn duplicate(&self, object: At) -> Option<Cow<'t, str>> {
        /// Up to so many names, comparing each with each is cheaper than sorting.
        const FEW: usize = 8;
        let mut names: Vec<Cow<'t, str>> = Vec::new();
        for (name, _) in self.members(object) {
            let name = self.said(name).unwrap_or_default();
            if names.len() <= FEW && names.contains(&name) {
                return Some(name);
            }
            names.push(name);
        }
        if names.len() <= FEW + 1 {
            return None;
        }
        names.sort_unstable();
        names
            .array_windows()
            .find_map(|[one, other]| (one == other).then(|| one.clone()))
    }

    /// The value at `at`, decoded.
    pub(crate) fn value(&self, at: At) -> Result<Value, Fault> {
        let root = self.resolve(at);
        if let Part::Scalar(_) = self.part(root) {
            return self.scalar(root);
        }
        let end = self.after(root);
        let mut open: Vec<Open> = Vec::new();
        let mut at = root;
        loop {
            let mut value = match self.nodes.get(at) {
                None => return Ok(Value::Null),
                Some(node) if node.too_deep => return Err(Fault::TooDeep),
                Some(node) => match node.part {
                    Part::Grouping => {
                        at += 1;
                        continue;
                    }
                    Part::List => {
                        let end = node.next as usize;
                        open.push(Open {
                            end,
                            items: Items::List(Vec::new()),
                        });
                        at += 1;
                        None
                    }
                    Part::Object => {
                        let end = node.next as usize;
                        open.push(Open {
                            end,
                            items: Items::Object(Object::new(), None),
                        });
                        at += 1;
                        None
                    }
                    Part::Scalar(_) => {
                        let value = self.scalar(at)?;
                        at += 1;
                        Some(value)
                    }
                },
            };
            loop {
                let Some(top) = open.last_mut() else {
                    return Ok(value.unwrap_or_default());
                };
                match (&mut top.items, value.take()) {
                    (_, None) => {}
                    (Items::List(items), Some(item)) => items.push(item),
                    (Items::Object(object, name), Some(member)) => {
                        let name = name.take().unwrap_or_default();
                        if object.contains(&name) {
                            return Err(Fault::Duplicate(name));
                        }
                        object.insert(name, member);
                    }
                }
                if at < top.end {
                    if let Items::Object(_, name) = &mut top.items {
                        *name = self.string(at).transpose()?;
                        at += 1;
                    }
                    break;
                }
                value = open.pop().map(|done| match done.items {
                    Items::List(items) => Value::Array(items),
                    Items::Object(object, _) => Value::Object(object),
                });
            }
            debug_assert!(at < end || open.is_empty(), "a part past its container");
        }
    }

    fn scalar(&self, at: At) -> Result<Value, Fault> {
        match self.part(at) {
            Part::Scalar(Scalar::True) => Ok(Value::Bool(true)),
            Part::Scalar(Scalar::False) => Ok(Value::Bool(false)),
            Part::Scalar(Scalar::String(_)) => self
                .string(at)
                .unwrap_or_else(|| Ok(String::new()))
                .map(Value::String),
            Part::Scalar(Scalar::Number | Scalar::NotFinite) => match self.number(at) {
                Some(Some(number)) => Ok(Value::Number(number)),
                _ => Err(Fault::NotFinite),
            },
            _ => Ok(Value::Null),
        }
    }

    fn push(&mut self, part: Part, start: usize, end: usize, depth: usize) {
        if depth > self.depth {
            self.deep = true;
            if let Some(node) = self
                .open
                .last()
                .and_then(|top| self.nodes.get_mut(*top as usize))
            {
                node.too_deep = true;
            }
            return;
        }
        let next = index(self.nodes.len() + 1);
        self.nodes.push(Node {
            part,
            too_deep: false,
            start: index(start),
            end: index(end),
            next,
        });
    }
}

/// A container whose parts are being decoded.
struct Open {
    end: At,
    items: Items,
}

enum Items {
    List(Vec<Value>),
    /// With the name of the member whose value comes next.
    Object(Object, Option<String>),
}

/// Texts are no longer than 31 bits count, and a tape is no longer than its text.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl From<StringFault> for Fault {
    fn from(fault: StringFault) -> Self {
        match fault {
            StringFault::Nul => Self::Nul,
            StringFault::Surrogate => Self::Surrogate,
        }
    }
}

impl Sink for Tape<'_> {
    fn open(&mut self, kind: Container, at: usize, depth: usize) {
        let part = match kind {
            Container::Object => Part::Object,
            Container::List => Part::List,
        };
        if depth <= self.depth {
            self.open.push(index(self.nodes.len()));
        }
        self.push(part, at, at, depth);
    }

    fn close(&mut self, end: usize, depth: usize, grouping: bool) {
        if depth > self.depth {
            return;
        }
        let next = index(self.nodes.len());
        if let Some(node) = self
            .open
            .pop()
            .and_then(|at| self.nodes.get_mut(at as usize))
        {
            node.end = index(end);
            node.next = next;
            if grouping {
                node.part = Part::Grouping;
            }
        }
    }

    fn name(&mut self, token: Token, quoted: Quoted, depth: usize) {
        self.scalar(Scalar::String(quoted), token, depth);
    }

    fn scalar(&mut self, scalar: Scalar, token: Token, depth: usize) {
        if depth <= self.depth {
            self.push(Part::Scalar(scalar), token.start, token.end, depth);
        }
    }
}
