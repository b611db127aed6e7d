//! Images: states as bytes, compact and quick to read back.
//!
//! An image only saves the way to a state that is known from elsewhere. It is written and read by
//! the same build's rules: whoever keeps one keeps beside it which form it has and a digest.
//! Reading never panics and never takes more memory than a small multiple of the bytes, whatever
//! they are.
//!
//! Numbers are seven bits a byte, the lowest first, the top bit set where more follow; signed ones
//! are folded so that small ones of both signs stay short. Text is its length and UTF-8.
//!
//! ```
//! use entail_json::Value;
//! use entail_kernel::image::{Reader, Writer};
//!
//! let mut writer = Writer::default();
//! writer.text("revenue");
//! writer.value(&Value::from(4_300_000_000_i64));
//! let bytes = writer.into_bytes();
//! assert_eq!(bytes.len(), 14);
//!
//! let mut reader = Reader::new(&bytes);
//! assert_eq!(reader.text()?, "revenue");
//! assert_eq!(reader.value()?, Value::from(4_300_000_000_i64));
//! assert!(reader.end().is_ok());
//! # Ok::<(), entail_kernel::image::Malformed>(())
//! ```

mod read;
mod write;

pub use read::{Malformed, Reader};
pub use write::Writer;

/// What a value begins with.
mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    /// An integer of 64 bits.
    pub(super) const INTEGER: u8 = 3;
    pub(super) const FLOAT: u8 = 4;
    pub(super) const TEXT: u8 = 5;
    /// Anything else, as canonical JSON.
    pub(super) const JSON: u8 = 6;
}

#[cfg(test)]
mod tests {
    use entail_json::{Object, Value, read_str};

    use super::{Reader, Writer};

    #[test]
    fn what_is_written_is_read_back_exactly() {
        let integers = [0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN];
        let texts = ["", "é", "a\0b"];
        let values = [
            "null",
            "false",
            "true",
            "0",
            "-7",
            "1.0",
            "-0.0",
            "1e300",
            "123456789012345678901234567890",
            r#""text""#,
            r#"{"a":[1,1.0,{"b":null}]}"#,
            "[]",
        ]
        .map(|text| read_str(text).unwrap());
        let mut writer = Writer::default();
        for integer in integers {
            writer.signed(integer);
            writer.number(integer.unsigned_abs());
        }
        for text in texts {
            writer.text(text);
            writer.maybe(Some(text), Writer::text);
        }
        writer.maybe(None, Writer::text);
        for value in &values {
            writer.value(value);
        }
        writer.flag(true);
        writer.float(f64::NAN);
        let bytes = writer.into_bytes();
        let mut reader = Reader::new(&bytes);
        for integer in integers {
            assert_eq!(reader.signed(), Ok(integer));
            assert_eq!(reader.number(), Ok(integer.unsigned_abs()));
        }
        for text in texts {
            assert_eq!(reader.text(), Ok(text));
            assert_eq!(reader.maybe(Reader::text), Ok(Some(text)));
        }
        assert_eq!(reader.maybe(Reader::text), Ok(None));
        for value in &values {
            let read = reader.value().unwrap();
            assert_eq!(&read, value);
            assert_eq!(read.to_string(), value.to_string());
        }
        assert_eq!(reader.flag(), Ok(true));
        assert!(reader.float().unwrap().is_nan());
        assert_eq!(reader.end(), Ok(()));
    }

    #[test]
    fn bytes_that_break_off_or_promise_too_much_are_malformed() {
        let mut writer = Writer::default();
        writer.text("revenue");
        writer.value(&Value::Object(Object::from([("a", Value::from(1_i64))])));
        let bytes = writer.into_bytes();
        for end in 0..bytes.len() {
            let mut reader = Reader::new(&bytes[..end]);
            assert!(reader.text().is_err() || reader.value().is_err(), "{end}");
        }
        // A length beyond all memory, a number beyond 64 bits, text that is no UTF-8.
        assert!(Reader::new(&[0xff; 9]).text().is_err());
        assert!(Reader::new(&[0xff; 20]).number().is_err());
        assert!(Reader::new(&[1, 0xff]).text().is_err());
        assert!(Reader::new(&[5, 0]).count(1).is_err());
        assert!(Reader::new(&[7]).value().is_err());
        assert!(Reader::new(&[0]).end().is_err());
    }
}
