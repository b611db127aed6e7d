//! Where in a text a response may stand when the text as a whole is no JSON.
//!
//! One walk from left to right over what is not reasoning and not inside a value already found.
//! At a bracket a value is tried. If it breaks, and an object that opened with a quoted member
//! name was open, the rest is unusable; other brackets are stray. What a failed try has learnt
//! about the brackets it passed is remembered, so no two tries cross the same stretch in the
//! same way, and the walk is linear.

use crate::{
    fences,
    reasoning::{self, Tag},
    scan::{Broken, Dialect, Scanner, skip_space},
    shape::{Shape, ShapeOf},
    tape::Tape,
};

/// A stretch of the text that is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) dialect: Dialect,
}

/// What a search came to.
#[derive(Default)]
pub(crate) struct Found<'t> {
    /// The best place, if any.
    pub(crate) place: Option<Place>,
    /// What stands there, if it was kept.
    pub(crate) tape: Option<Tape<'t>>,
    /// Where the first object that never became one broke.
    pub(crate) broken: Option<Broken>,
    /// Everything was reasoning.
    pub(crate) only_reasoning: bool,
}

/// Searches the text; values nested deeper than `depth` are not kept. `whole` is why the scanner
/// has just failed to read the text as one value.
pub(crate) fn search<'t>(
    text: &'t str,
    scanner: &mut Scanner<'t>,
    depth: usize,
    whole: Broken,
) -> Found<'t> {
    /// What is found in longer texts is not kept while the search goes on.
    const KEEP: usize = 1 << 16;
    let bytes = text.as_bytes();
    let mut tried = scanner.unclosed().next().map(|at| (at, whole));
    scanner.steps += bytes.len() as u64;
    if let Some(start) = reasoning::last_closing(bytes).map(|end| skip_blank(text, end))
        && matches!(bytes.get(start), Some(b'{' | b'['))
    {
        tried = None;
        if let Some(place) = whole_from(text, scanner, start) {
            return Found {
                place: Some(place),
                ..Found::default()
            };
        }
    }
    let mut search = Search {
        text,
        bytes,
        scanner,
        depth,
        tried,
        failed: Marks::default(),
        output: Output::default(),
        latest: (text.len() <= KEEP).then(|| Tape::new(text, Dialect::Json, depth)),
        kept: None,
    };
    search.begin(0);
    search.walk();
    let mut found = search.output.found(bytes);
    found.tape = search
        .kept
        .filter(|(place, _)| Some(*place) == found.place)
        .map(|(_, tape)| tape);
    found
}

/// What starts at `start`, if it is a response and goes to the end.
fn whole_from(text: &str, scanner: &mut Scanner<'_>, start: usize) -> Option<Place> {
    let bytes = text.as_bytes();
    let mut shape = ShapeOf::new(text, Dialect::Json);
    let end = scanner
        .value(start, bytes.len(), Dialect::Json, &mut shape)
        .ok()?;
    let list = bytes.get(start) == Some(&b'[');
    let response = list || shape.shape() < Shape::Objects;
    (response && skip_blank(text, end) == bytes.len()).then_some(Place {
        start,
        end,
        dialect: Dialect::Json,
    })
}

/// What has been found since the last closing tag without an opening one.
#[derive(Clone, Copy, Debug, Default)]
struct Output {
    /// Where the stretch begins that follows the last reasoning.
    start: usize,
    /// All there is beside reasoning: a list there is a response whatever it holds.
    whole: Option<Place>,
    fenced: Option<(FenceRank, Place)>,
    embedded: Option<(Shape, Place)>,
    python: Option<Place>,
    broken: Option<Broken>,
    /// The rest is unusable.
    dead: bool,
    /// Inside a fenced block.
    fence: bool,
    /// Where the first reasoning stands that goes to the end.
    unclosed: Option<usize>,
}

/// How well a fenced block suits: a list of objects without `type` comes last, then blocks that
/// do not say that they are JSON.
type FenceRank = (bool, bool);

impl Output {
    fn found<'t>(&self, bytes: &[u8]) -> Found<'t> {
        let place = self
            .whole
            .or(self.fenced.map(|(_, place)| place))
            .or(self.embedded.map(|(_, place)| place))
            .or(self.python);
        let end = self.unclosed.unwrap_or(bytes.len());
        Found {
            place,
            tape: None,
            broken: self.broken,
            only_reasoning: (self.start > 0 || self.unclosed.is_some())
                && skip_space(bytes, self.start) >= end,
        }
    }
}

struct Search<'t, 's> {
    text: &'t str,
    bytes: &'t [u8],
    scanner: &'s mut Scanner<'t>,
    /// Brackets that are known to open no value.
    failed: Marks,
    output: Output,
    depth: usize,
    /// Where the scanner has just failed, before the first step of the walk.
    tried: Option<(usize, Broken)>,
    /// The value tried last, in texts that are not too long.
    latest: Option<Tape<'t>>,
    /// The best value so far, most likely.
    kept: Option<(Place, Tape<'t>)>,
}

impl Search<'_, '_> {
    /// Begins a stretch of output.
    fn begin(&mut self, at: usize) {
        self.output.start = skip_blank(self.text, at);
        if self.bytes.get(self.output.start) == Some(&b'(') {
            self.whole_python(self.output.start);
        }
    }

    fn walk(&mut self) {
        let mut at = self.output.start;
        while self.output.whole.is_none() {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let marks = |byte: &u8| matches!(byte, b'{' | b'`') || reasoning::may_start(*byte);
            let Some(plain) = rest.iter().position(marks) else {
                self.scanner.steps += rest.len() as u64;
                return;
            };
            self.scanner.steps += plain as u64 + 1;
            at += plain;
            let next = match (reasoning::tag(self.bytes, at), self.bytes.get(at)) {
                (Some(tag), _) => self.tag(at, tag),
                (None, Some(b'{' | b'[')) if !self.output.dead => Some(self.bracket(at)),
                (None, Some(b'`')) if !self.output.dead => Some(self.backtick(at)),
                _ => Some(at + 1),
            };
            match next {
                Some(next) => at = next,
                None => return,
            }
        }
    }

    /// Passes over reasoning; `None` if it goes to the end.
    fn tag(&mut self, at: usize, tag: Tag) -> Option<usize> {
        match tag {
            Tag::Closing(end) => {
                self.output = Output::default();
                self.begin(end);
                Some(end)
            }
            Tag::Opening(end) | Tag::Channel(end) => {
                let closed = match tag {
                    Tag::Channel(_) => reasoning::channel_end(self.bytes, end),
                    _ => reasoning::first_closing(self.bytes, end),
                };
                self.scanner.steps += (closed.unwrap_or(self.bytes.len()) - end) as u64;
                match closed {
                    Some(closed) => {
                        self.begin(closed);
                        Some(closed)
                    }
                    None => {
                        self.output.unclosed = Some(at);
                        None
                    }
                }
            }
        }
    }

    /// Tries a value at a bracket and says where to go on.
    fn bracket(&mut self, at: usize) -> usize {
        if self.failed.holds(at) {
            return at + 1;
        }
        if let Some((start, broken)) = self.tried.take()
            && start == at
        {
            return self.broken(at, broken);
        }
        match self.try_value(at, Dialect::Json) {
            Ok((end, shape)) => {
                self.embedded(at, end, shape);
                end
            }
            Err(broken) => self.broken(at, broken),
        }
    }

    /// Reads a value that starts at `at`.
    fn try_value(&mut self, at: usize, dialect: Dialect) -> Result<(usize, Shape), Broken> {
        if dialect == Dialect::Json
            && let Some(tape) = &mut self.latest
        {
            tape.clear();
            let end = self.scanner.value(at, self.bytes.len(), dialect, tape)?;
            self.scanner.steps += tape.len() as u64;
            return Ok((end, Shape::of(tape)));
        }
        let mut shape = ShapeOf::new(self.text, dialect);
        let end = self
            .scanner
            .value(at, self.bytes.len(), dialect, &mut shape)?;
        Ok((end, shape.shape()))
    }

    /// Keeps the value tried last, which stands at this place.
    fn keep(&mut self, place: Place) {
        if let Some(tape) = &mut self.latest {
            let blank = Tape::blank(self.text, Dialect::Json, self.depth);
            self.kept = Some((place, std::mem::replace(tape, blank)));
        }
    }

    fn embedded(&mut self, start: usize, end: usize, shape: Shape) {
        let place = Place {
            start,
            end,
            dialect: Dialect::Json,
        };
        if start == self.output.start && skip_blank(self.text, end) == self.bytes.len() {
            self.output.whole = Some(place);
            self.keep(place);
        } else if shape < self.output.embedded.map_or(Shape::Other, |(best, _)| best) {
            self.output.embedded = Some((shape, place));
            if self.output.fenced.is_none() {
                self.keep(place);
            }
        }
    }

    /// After a failed try at `at`: stray brackets, Python, or an end of all that is usable.
    fn broken(&mut self, at: usize, broken: Broken) -> usize {
        let first = at == self.output.start;
        if !self.opened_object() {
            self.remember_stray();
            if first && !broken.unfinished {
                self.whole_python(at);
            }
            return at + 1;
        }
        let told = match self.try_python(at, broken) {
            Ok(end) => {
                if first {
                    self.set_whole_python(at, end);
                }
                return end;
            }
            Err(told) => told,
        };
        self.output.broken.get_or_insert(told);
        if self.output.fence
            && let Some((start, end)) = fences::closing(self.bytes, at)
        {
            self.scanner.steps += (end - at) as u64;
            if told.at <= start {
                self.output.fence = false;
                return end;
            }
        }
        self.output.dead = true;
        told.at.max(at + 1)
    }

    /// Reads Python where reading JSON failed; if that fails too, the failure that came later.
    ///
    /// Where JSON only lacks an end, Python lacks it too.
    fn try_python(&mut self, at: usize, broken: Broken) -> Result<usize, Broken> {
        if broken.unfinished {
            return Err(broken);
        }
        match self.try_value(at, Dialect::Python) {
            Ok((end, _)) => Ok(end),
            Err(python) if python.at > broken.at => Err(python),
            Err(_) => Err(broken),
        }
    }

    /// Whether, after a failed try, an object with a quoted member name was open.
    fn opened_object(&self) -> bool {
        let mut open = self.scanner.unclosed().peekable();
        while let Some(at) = open.next() {
            if self.bytes.get(at) == Some(&b'{')
                && (open.peek().is_some() || opens_with_name(self.bytes, at))
            {
                return true;
            }
        }
        false
    }

    fn remember_stray(&mut self) {
        for at in self.scanner.unclosed() {
            self.failed.set(at, self.bytes.len());
        }
    }

    fn whole_python(&mut self, at: usize) {
        if let Ok((end, _)) = self.try_value(at, Dialect::Python) {
            self.set_whole_python(at, end);
        }
    }

    fn set_whole_python(&mut self, start: usize, end: usize) {
        if skip_blank(self.text, end) == self.bytes.len() {
            self.output.whole = Some(Place {
                start,
                end,
                dialect: Dialect::Python,
            });
        }
    }

    /// Passes a fence; a block that is wholly a value is a place of its own.
    fn backtick(&mut self, at: usize) -> usize {
        let Some(run_end) = fences::run(self.bytes, at) else {
            return at + 1;
        };
        self.scanner.steps += (run_end - at) as u64;
        if self.output.fence && fences::closes(self.bytes, run_end) {
            self.output.fence = false;
            return run_end;
        }
        let block = fences::opening(self.bytes, run_end);
        self.scanner.steps += (block.content - run_end) as u64;
        self.output.fence = true;
        let start = block.content;
        let bracket = matches!(self.bytes.get(start), Some(b'{' | b'[' | b'('));
        if !bracket || self.failed.holds(start) {
            return start;
        }
        for dialect in [Dialect::Json, Dialect::Python] {
            let (end, shape) = match self.try_value(start, dialect) {
                Ok(value) => value,
                Err(broken) if broken.unfinished => break,
                Err(_) => continue,
            };
            let Some(after) = self.block_end(end) else {
                continue;
            };
            self.output.fence = false;
            let place = Place {
                start,
                end,
                dialect,
            };
            if shape < Shape::Other {
                if dialect == Dialect::Python {
                    self.output.python.get_or_insert(place);
                } else {
                    self.fenced((shape == Shape::Objects, !block.json), place);
                }
            }
            return after;
        }
        start
    }

    fn fenced(&mut self, rank: FenceRank, place: Place) {
        if self.output.fenced.is_none_or(|(best, _)| rank < best) {
            self.output.fenced = Some((rank, place));
            self.keep(place);
        }
    }

    /// Where the block ends whose value ends at `end`, if nothing else stands in it.
    fn block_end(&self, end: usize) -> Option<usize> {
        let at = skip_space(self.bytes, end);
        if at == self.bytes.len() {
            return Some(at);
        }
        fences::run(self.bytes, at)
    }
}

/// Whether the object that opens at `at` opens with a quoted member name, in either quotes.
///
/// An apostrophe is common in prose, so the name in single quotes must be followed by a colon,
/// on the same line.
fn opens_with_name(bytes: &[u8], at: usize) -> bool {
    let name = skip_space(bytes, at + 1);
    match bytes.get(name) {
        Some(b'"') => true,
        Some(b'\'') => {
            let rest = bytes.get(name + 1..).unwrap_or_default();
            match memchr::memchr2(b'\'', b'\n', rest) {
                Some(length) if rest.get(length) == Some(&b'\'') => {
                    bytes.get(skip_space(bytes, name + length + 2)) == Some(&b':')
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// The first byte from `at` on that is neither white space nor a byte order mark.
pub(crate) fn skip_blank(text: &str, at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    text.len() - rest.trim_start_matches(is_blank).len()
}

/// White space, or a byte order mark.
pub(crate) fn is_blank(char: char) -> bool {
    char.is_whitespace() || char == '\u{feff}'
}

/// A set of places in a text, of a bit each; it takes no memory until something is in it.
#[derive(Debug, Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn holds(&self, at: usize) -> bool {
        self.0
            .get(at / 64)
            .is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    fn set(&mut self, at: usize, length: usize) {
        if self.0.is_empty() {
            self.0 = vec![0; length / 64 + 1];
        }
        if let Some(word) = self.0.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }
}
