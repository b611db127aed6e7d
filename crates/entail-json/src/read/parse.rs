//! One pass over the text with a stack of its own.

use super::{Failure, Fault, FaultKind, ReadErrorKind, Reader, Reading};
use crate::{
    Number, Object, Value,
    limits::{FAULT_PATH, MAX_DEPTH},
    plain::plain_length,
};

pub(super) fn whole(reader: &Reader, text: &str) -> Result<Reading, Failure> {
    let (reading, end) = prefix(reader, text, 0)?;
    let mut rest = Parser::new(reader, text, end);
    match rest.skip_space() {
        None => Ok(reading),
        Some(_) => Err(rest.unexpected("the end")),
    }
}

pub(super) fn prefix(
    reader: &Reader,
    text: &str,
    start: usize,
) -> Result<(Reading, usize), Failure> {
    let mut parser = Parser::new(reader, text, start);
    let value = parser.value()?;
    Ok((
        Reading {
            value,
            faults: parser.faults,
        },
        parser.at,
    ))
}

/// A list or an object that is not closed yet.
enum Open {
    Array(Vec<Value>),
    Object(Object, Pending),
}

/// The member whose value is being read.
enum Pending {
    Named(String),
    /// Its name is taken, by the member of this number.
    Duplicate(usize),
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_depth: usize,
    control_characters: bool,
    trailing_commas: bool,
    open: Vec<Open>,
    faults: Vec<Fault>,
}

impl<'a> Parser<'a> {
    fn new(reader: &Reader, text: &'a str, at: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            max_depth: reader.limits.max_depth.min(MAX_DEPTH),
            control_characters: reader.control_characters,
            trailing_commas: reader.trailing_commas,
            open: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) -> Option<u8> {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                next => return next,
            }
        }
    }

    fn value(&mut self) -> Result<Value, Failure> {
        loop {
            let mut value = match self.skip_space() {
                Some(b'"') => Value::String(self.string()?),
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b'{') => {
                    self.enter()?;
                    if self.skip_space() == Some(b'}') {
                        self.at += 1;
                        Value::Object(Object::new())
                    } else {
                        let object = Object::new();
                        self.open.push(Open::Object(object, Pending::Duplicate(0)));
                        self.name("a member name or `}`")?;
                        continue;
                    }
                }
                Some(b'[') => {
                    self.enter()?;
                    if self.skip_space() == Some(b']') {
                        self.at += 1;
                        Value::Array(Vec::new())
                    } else {
                        self.open.push(Open::Array(Vec::new()));
                        continue;
                    }
                }
                Some(b't') => self.literal("true", Value::Bool(true))?,
                Some(b'f') => self.literal("false", Value::Bool(false))?,
                Some(b'n') => self.literal("null", Value::Null)?,
                _ => return Err(self.unexpected("a value")),
            };
            loop {
                let next = match self.open.last_mut() {
                    None => return Ok(value),
                    Some(Open::Array(items)) => {
                        items.push(value);
                        self.after_element()?
                    }
                    Some(Open::Object(object, pending)) => {
                        if let Pending::Named(name) =
                            std::mem::replace(pending, Pending::Duplicate(0))
                        {
                            object.append(name, value);
                        }
                        self.after_member()?
                    }
                };
                if next == Next::Value {
                    break;
                }
                value = match self.open.pop() {
                    Some(Open::Array(items)) => Value::Array(items),
                    Some(Open::Object(object, _)) => Value::Object(object),
                    None => return Err(self.unexpected("a value")),
                };
            }
        }
    }

    fn enter(&mut self) -> Result<(), Failure> {
        if self.open.len() >= self.max_depth {
            return Err(self.fail(ReadErrorKind::TooDeep {
                max: self.max_depth,
            }));
        }
        self.at += 1;
        Ok(())
    }

    fn after_element(&mut self) -> Result<Next, Failure> {
        match self.skip_space() {
            Some(b',') => {
                self.at += 1;
                if self.trailing_commas && self.skip_space() == Some(b']') {
                    self.at += 1;
                    return Ok(Next::Close);
                }
                Ok(Next::Value)
            }
            Some(b']') => {
                self.at += 1;
                Ok(Next::Close)
            }
            _ => Err(self.unexpected("`,` or `]`")),
        }
    }

    fn after_member(&mut self) -> Result<Next, Failure> {
        match self.skip_space() {
            Some(b',') => {
                self.at += 1;
                if self.skip_space() == Some(b'}') && self.trailing_commas {
                    self.at += 1;
                    return Ok(Next::Close);
                }
                self.name("a member name")?;
                Ok(Next::Value)
            }
            Some(b'}') => {
                self.at += 1;
                Ok(Next::Close)
            }
            _ => Err(self.unexpected("`,` or `}`")),
        }
    }

    /// Reads the name and the colon of the innermost object's next member.
    fn name(&mut self, expected: &'static str) -> Result<(), Failure> {
        if self.skip_space() != Some(b'"') {
            return Err(self.unexpected(expected));
        }
        let offset = self.at;
        if let Some(Open::Object(_, pending)) = self.open.last_mut() {
            *pending = Pending::Named(String::new());
        }
        let faults = self.faults.len();
        let name = self.string()?;
        if self.skip_space() != Some(b':') {
            return Err(self.unexpected("`:`"));
        }
        self.at += 1;
        let Some(Open::Object(object, pending)) = self.open.last_mut() else {
            return Ok(());
        };
        if let Some(taken) = object.position(&name) {
            *pending = Pending::Duplicate(taken);
            // A name with a stand-in need not be the same as another: its own fault says enough.
            if self.faults.len() == faults {
                self.fault(FaultKind::DuplicateName, offset);
            }
        } else {
            *pending = Pending::Named(name);
        }
        Ok(())
    }

    fn literal(&mut self, word: &'static str, value: Value) -> Result<Value, Failure> {
        for byte in word.bytes() {
            if self.peek() != Some(byte) {
                return Err(self.unexpected(match word {
                    "true" => "`true`",
                    "false" => "`false`",
                    _ => "`null`",
                }));
            }
            self.at += 1;
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Failure> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => {
                self.at += 1;
                if matches!(self.peek(), Some(b'0'..=b'9')) {
                    return Err(self.unexpected("no digit after a leading 0"));
                }
            }
            _ => self.digits()?,
        }
        let mut integer = true;
        if self.peek() == Some(b'.') {
            integer = false;
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            integer = false;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let number = if integer {
            Number::from_integer_text(text)
        } else {
            text.parse().ok().and_then(Number::from_f64)
        };
        Ok(number.map_or_else(
            || {
                self.fault(FaultKind::NumberOverflow, start);
                Value::Null
            },
            Value::Number,
        ))
    }

    fn digits(&mut self) -> Result<(), Failure> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.unexpected("a digit"));
        }
        Ok(())
    }

    /// Reads a string from its opening quote past its closing one.
    fn string(&mut self) -> Result<String, Failure> {
        self.at += 1;
        let mut read = String::new();
        let mut faulty = false;
        loop {
            let start = self.at;
            self.at += plain_length(self.bytes.get(start..).unwrap_or_default());
            let plain = self.text.get(start..self.at).unwrap_or_default();
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    if read.is_empty() {
                        return Ok(plain.to_owned());
                    }
                    read.push_str(plain);
                    return Ok(read);
                }
                Some(b'\\') => {
                    read.push_str(plain);
                    let offset = self.at;
                    match self.escape()? {
                        Ok(character) => read.push(character),
                        Err(kind) => {
                            read.push(char::REPLACEMENT_CHARACTER);
                            self.string_fault(kind, offset, &mut faulty);
                        }
                    }
                }
                Some(control) if self.control_characters => {
                    read.push_str(plain);
                    if control == 0 {
                        read.push(char::REPLACEMENT_CHARACTER);
                        self.string_fault(FaultKind::NulCharacter, self.at, &mut faulty);
                    } else {
                        read.push(char::from(control));
                    }
                    self.at += 1;
                }
                Some(control) => {
                    let found = char::from(control);
                    return Err(self.fail(ReadErrorKind::ControlCharacter { found }));
                }
                None => return Err(self.unexpected("`\"` to end the string")),
            }
        }
    }

    fn string_fault(&mut self, kind: FaultKind, offset: usize, faulty: &mut bool) {
        if !*faulty {
            self.fault(kind, offset);
        }
        *faulty = true;
    }

    /// Reads an escape from its backslash on: the character, or why there is none.
    fn escape(&mut self) -> Result<Result<char, FaultKind>, Failure> {
        self.at += 1;
        let simple = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => return Err(self.unexpected("an escape (one of `\"\\/bfnrtu`)")),
        };
        self.at += 1;
        Ok(Ok(simple))
    }

    fn unicode_escape(&mut self) -> Result<Result<char, FaultKind>, Failure> {
        let unit = self.hexadecimal()?;
        if unit == 0 {
            return Ok(Err(FaultKind::NulCharacter));
        }
        if let Some(character) = char::from_u32(unit) {
            return Ok(Ok(character));
        }
        let after = self.at;
        let follows = self
            .bytes
            .get(after..)
            .is_some_and(|rest| rest.starts_with(b"\\u"));
        if unit < 0xDC00 && follows {
            self.at += 2;
            let low = self.hexadecimal()?;
            if (0xDC00..0xE000).contains(&low) {
                let point = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return Ok(char::from_u32(point).ok_or(FaultKind::UnpairedSurrogate));
            }
            self.at = after;
        }
        Ok(Err(FaultKind::UnpairedSurrogate))
    }

    fn hexadecimal(&mut self) -> Result<u32, Failure> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else {
                return Err(self.unexpected("four hexadecimal digits"));
            };
            unit = (unit << 4) | digit;
            self.at += 1;
        }
        Ok(unit)
    }

    fn fault(&mut self, kind: FaultKind, offset: usize) {
        let mut path = [0; FAULT_PATH];
        for (step, open) in path.iter_mut().zip(&self.open) {
            let ordinal = match open {
                Open::Array(items) => items.len(),
                Open::Object(_, Pending::Duplicate(taken)) => *taken,
                Open::Object(object, Pending::Named(_)) => object.len(),
            };
            *step = u32::try_from(ordinal).unwrap_or(u32::MAX);
        }
        let depth = u8::try_from(self.open.len().min(FAULT_PATH)).unwrap_or(u8::MAX);
        self.faults.push(Fault {
            kind,
            offset,
            path,
            depth,
        });
    }

    fn unexpected(&self, expected: &'static str) -> Failure {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.fail(
            rest.chars()
                .next()
                .map_or(ReadErrorKind::UnexpectedEnd { expected }, |found| {
                    ReadErrorKind::Unexpected { expected, found }
                }),
        )
    }

    fn fail(&self, kind: ReadErrorKind) -> Failure {
        Failure {
            kind,
            offset: self.at,
        }
    }
}

#[derive(PartialEq)]
enum Next {
    Value,
    Close,
}
