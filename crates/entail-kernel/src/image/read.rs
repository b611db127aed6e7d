//! Reading an image.

use entail_json::{Digest, Number, Object, Value};

use super::tag;
use crate::{Span, Time};

/// Bytes that are no image of what was to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the image is malformed: {what}, {left} bytes before its end")]
pub struct Malformed {
    /// What was found, or missing.
    pub what: &'static str,
    /// How many bytes were left.
    pub left: usize,
}

/// What is left to read of an image.
#[derive(Clone, Debug)]
pub struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// Reads from the start.
    #[must_use]
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// A fault at this place.
    #[must_use]
    pub const fn fault(&self, what: &'static str) -> Malformed {
        Malformed {
            what,
            left: self.0.len(),
        }
    }

    /// Says that everything was read.
    ///
    /// # Errors
    /// [`Malformed`] when something is left. As everywhere here.
    pub const fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(self.fault("more than was to be read"))
        }
    }

    /// One byte.
    ///
    /// # Errors
    /// [`Malformed`] at the end.
    pub fn byte(&mut self) -> Result<u8, Malformed> {
        let (byte, rest) = self.0.split_first().ok_or(self.fault("a missing byte"))?;
        self.0 = rest;
        Ok(*byte)
    }

    /// A number.
    ///
    /// # Errors
    /// [`Malformed`] when it breaks off or does not fit into 64 bits.
    pub fn number(&mut self) -> Result<u64, Malformed> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits.leading_zeros() < shift {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.fault("a number beyond 64 bits"))
    }

    /// A number of 32 bits.
    ///
    /// # Errors
    /// [`Malformed`] when it is greater.
    pub fn number32(&mut self) -> Result<u32, Malformed> {
        let number = self.number()?;
        u32::try_from(number).map_err(|_| self.fault("a number beyond 32 bits"))
    }

    /// A number below a bound, such as a place in a list.
    ///
    /// # Errors
    /// [`Malformed`] when it is not below.
    pub fn below(&mut self, bound: usize) -> Result<u32, Malformed> {
        let number = self.number32()?;
        if usize::try_from(number).is_ok_and(|number| number < bound) {
            Ok(number)
        } else {
            Err(self.fault("a number of something that is not there"))
        }
    }

    /// A number that may be negative.
    ///
    /// # Errors
    /// As [`number`](Self::number).
    pub fn signed(&mut self) -> Result<i64, Malformed> {
        let folded = self.number()?;
        let sign = (folded & 1).cast_signed().wrapping_neg();
        Ok((folded >> 1).cast_signed() ^ sign)
    }

    /// How many items follow, each of at least so many bytes.
    ///
    /// # Errors
    /// [`Malformed`] when there is no room for them in what is left.
    pub fn count(&mut self, least_bytes: usize) -> Result<usize, Malformed> {
        let count = self.number()?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        if count.saturating_mul(least_bytes.max(1)) > self.0.len() {
            return Err(self.fault("a length beyond the end"));
        }
        Ok(count)
    }

    /// A truth value.
    ///
    /// # Errors
    /// [`Malformed`] for any byte but 0 and 1.
    pub fn flag(&mut self) -> Result<bool, Malformed> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.fault("neither true nor false")),
        }
    }

    /// A float.
    ///
    /// # Errors
    /// [`Malformed`] at the end.
    pub fn float(&mut self) -> Result<f64, Malformed> {
        self.array()
            .map(|bytes| f64::from_bits(u64::from_le_bytes(bytes)))
    }

    /// Text.
    ///
    /// # Errors
    /// [`Malformed`] when it breaks off or is no UTF-8.
    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        let length = self.count(1)?;
        let (text, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(self.fault("text that breaks off"))?;
        let text = str::from_utf8(text).map_err(|_| self.fault("text that is no utf-8"))?;
        self.0 = rest;
        Ok(text)
    }

    /// A digest.
    ///
    /// # Errors
    /// [`Malformed`] when it breaks off.
    pub fn digest(&mut self) -> Result<Digest, Malformed> {
        self.array().map(Digest::from_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self
            .0
            .split_first_chunk()
            .ok_or(self.fault("bytes that break off"))?;
        self.0 = rest;
        Ok(*bytes)
    }

    /// A point in time, as microseconds.
    ///
    /// # Errors
    /// [`Malformed`] outside the years 0 to 9999.
    pub fn time(&mut self) -> Result<Time, Malformed> {
        let micros = self.signed()?;
        Time::from_micros(micros).ok_or(self.fault("a time out of range"))
    }

    /// A span of time, as microseconds.
    ///
    /// # Errors
    /// As [`number`](Self::number).
    pub fn span(&mut self) -> Result<Span, Malformed> {
        self.signed().map(Span::from_micros)
    }

    /// Something that may be absent.
    ///
    /// # Errors
    /// Those of reading it.
    pub fn maybe<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Option<T>, Malformed> {
        if self.flag()? {
            read(self).map(Some)
        } else {
            Ok(None)
        }
    }

    /// A list of items of at least so many bytes each.
    ///
    /// # Errors
    /// Those of reading an item, and [`Malformed`] when there is no room for so many.
    pub fn list<T>(
        &mut self,
        least_bytes: usize,
        mut read: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.count(least_bytes)?;
        (0..count).map(|_| read(self)).collect()
    }

    /// A JSON value.
    ///
    /// # Errors
    /// [`Malformed`] for bytes that no value begins with, and JSON that is not strict.
    pub fn value(&mut self) -> Result<Value, Malformed> {
        Ok(match self.byte()? {
            tag::NULL => Value::Null,
            tag::FALSE => Value::Bool(false),
            tag::TRUE => Value::Bool(true),
            tag::INTEGER => Value::from(self.signed()?),
            tag::FLOAT => {
                let float = self.float()?;
                let number = Number::from_f64(float).ok_or(self.fault("a float that is none"))?;
                Value::Number(number)
            }
            tag::TEXT => Value::from(self.text()?),
            tag::JSON => self.json()?,
            _ => return Err(self.fault("no value")),
        })
    }

    /// A JSON object.
    ///
    /// # Errors
    /// [`Malformed`] for any other value.
    pub fn object(&mut self) -> Result<Object, Malformed> {
        match self.value()? {
            Value::Object(object) => Ok(object),
            _ => Err(self.fault("no object")),
        }
    }

    fn json(&mut self) -> Result<Value, Malformed> {
        let text = self.text()?;
        let mut reader = entail_json::Reader::default();
        reader.limits.max_depth = entail_json::limits::MAX_DEPTH;
        match reader.read(text.as_bytes()) {
            Ok(reading) if reading.faults.is_empty() => Ok(reading.value),
            _ => Err(self.fault("json that is not strict")),
        }
    }
}
