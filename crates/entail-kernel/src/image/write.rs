//! Writing an image.

use entail_json::{Digest, Object, Value, to_canonical};

use super::tag;

/// The bytes of an image so far.
#[derive(Clone, Debug, Default)]
pub struct Writer(Vec<u8>);

impl Writer {
    /// Everything written.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// How many bytes were written.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One byte.
    pub fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    /// A number.
    pub fn number(&mut self, number: u64) {
        let mut rest = number;
        while rest > 0x7f {
            self.0.push(low_bits(rest) | 0x80);
            rest >>= 7;
        }
        self.0.push(low_bits(rest));
    }

    /// A number that may be negative.
    pub fn signed(&mut self, number: i64) {
        self.number((number.cast_unsigned() << 1) ^ (number >> 63).cast_unsigned());
    }

    /// A length, or a place in a list.
    pub fn count(&mut self, count: usize) {
        self.number(u64::try_from(count).unwrap_or(u64::MAX));
    }

    /// A truth value.
    pub fn flag(&mut self, flag: bool) {
        self.0.push(u8::from(flag));
    }

    /// A float, bit for bit.
    pub fn float(&mut self, float: f64) {
        self.0.extend_from_slice(&float.to_bits().to_le_bytes());
    }

    /// Text.
    pub fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    /// A digest.
    pub fn digest(&mut self, digest: &Digest) {
        self.0.extend_from_slice(digest.as_bytes());
    }

    /// Something that may be absent.
    pub fn maybe<T>(&mut self, item: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.flag(item.is_some());
        if let Some(item) = item {
            write(self, item);
        }
    }

    /// A list.
    pub fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) {
        self.count(items.len());
        for item in items {
            write(self, item);
        }
    }

    /// A JSON value, exactly. The members of objects are sorted.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.byte(tag::NULL),
            Value::Bool(flag) => self.byte(if *flag { tag::TRUE } else { tag::FALSE }),
            Value::Number(number) => match number.as_i64() {
                Some(integer) if number.is_integer() => {
                    self.byte(tag::INTEGER);
                    self.signed(integer);
                }
                _ if number.is_integer() => self.json(value),
                _ => {
                    self.byte(tag::FLOAT);
                    self.float(number.as_f64());
                }
            },
            Value::String(text) => {
                self.byte(tag::TEXT);
                self.text(text);
            }
            Value::Array(_) | Value::Object(_) => self.json(value),
        }
    }

    /// A JSON object, its members sorted.
    pub fn object(&mut self, object: &Object) {
        self.value(&Value::Object(object.clone()));
    }

    fn json(&mut self, value: &Value) {
        self.byte(tag::JSON);
        self.text(&to_canonical(value));
    }
}

fn low_bits(number: u64) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low & 0x7f
}
