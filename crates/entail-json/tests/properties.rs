//! Properties over generated values and texts.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use entail_json::{Number, Object, Reader, Value, read, read_str, to_canonical};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        8 => proptest::char::range('\u{1}', '\u{7f}'),
        2 => any::<char>().prop_filter("no database keeps it", |c| *c != '\0'),
    ];
    proptest::collection::vec(character, 0..12).prop_map(|all| all.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "-?[1-9][0-9]{18,40}"
            .prop_map(|digits| Value::Number(Number::from_integer_text(&digits).unwrap())),
        any::<f64>()
            .prop_filter_map("finite", Number::from_f64)
            .prop_map(Value::Number),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 24, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            proptest::collection::vec((text(), inner), 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect::<Object>())),
        ]
    })
}

/// Text that is nearly JSON: a canonical text with a few bytes changed, dropped or doubled.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    (value(), proptest::collection::vec(change, 0..3)).prop_map(|(value, changes)| {
        let mut bytes = to_canonical(&value).into_bytes();
        for (at, byte, kind) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes[at] = b"[]{},:\"\\0-.e "[usize::from(byte) % 13],
                2 => drop(bytes.remove(at)),
                _ => bytes.insert(at, bytes[at]),
            }
        }
        bytes
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(value in value()) {
        let written = to_canonical(&value);
        let again = read_str(&written).unwrap();
        prop_assert_eq!(&again, &value);
        prop_assert_eq!(to_canonical(&again), written);
    }

    #[test]
    fn a_peer_reads_the_canonical_text_too(value in value()) {
        prop_assert!(serde_json::from_str::<serde_json::Value>(&to_canonical(&value)).is_ok());
    }

    /// serde_json keeps the last of two equal names and U+0000, and refuses unpaired surrogates;
    /// all else must be the same verdict.
    #[test]
    fn the_verdict_on_nearly_json_is_the_peers(bytes in nearly_json()) {
        let peer = serde_json::from_slice::<serde_json::Value>(&bytes);
        match Reader::default().read(&bytes) {
            Ok(reading) if reading.faults.is_empty() => prop_assert!(peer.is_ok(), "{:?}", peer),
            Ok(_) => {}
            Err(error) => {
                prop_assert!(peer.is_err(), "{}", error);
                prop_assert!(error.offset <= bytes.len());
            }
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let lenient = Reader { control_characters: true, trailing_commas: true, ..Reader::default() };
        let strict = read(&bytes);
        let reading = lenient.read(&bytes);
        prop_assert!(strict.is_err() || reading.is_ok());
    }
}
