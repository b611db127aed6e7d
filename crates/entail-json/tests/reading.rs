//! What the reader takes, what it refuses, and where it says the fault stands.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use entail_json::{
    FaultKind, Limits, ReadErrorKind, Reader, Value, limits::MAX_DEPTH, read, read_str,
    to_canonical,
};

fn message(text: &str) -> String {
    read_str(text).unwrap_err().to_string()
}

fn lenient() -> Reader {
    Reader {
        control_characters: true,
        trailing_commas: true,
        ..Reader::default()
    }
}

#[test]
fn every_kind_of_value_is_read() {
    let text = r#" { "a" : [ null , true , false , -0 , 1.50 , 1E2 , "x" , { } , [ ] ] } "#;
    assert_eq!(
        to_canonical(&read_str(text).unwrap()),
        r#"{"a":[null,true,false,0,1.5,100.0,"x",{},[]]}"#
    );
}

#[test]
fn errors_name_the_place_and_what_could_stand_there() {
    let cases = [
        ("", "expected a value, found the end, at line 1 column 1"),
        (
            "[1,\n 2",
            "expected `,` or `]`, found the end, at line 2 column 3",
        ),
        ("{\"a\" 1}", "expected `:`, found '1', at line 1 column 6"),
        (
            "{a: 1}",
            "expected a member name or `}`, found 'a', at line 1 column 2",
        ),
        ("[1,]", "expected a value, found ']', at line 1 column 4"),
        (
            "{\"a\":1,}",
            "expected a member name, found '}', at line 1 column 8",
        ),
        (
            "01",
            "expected no digit after a leading 0, found '1', at line 1 column 2",
        ),
        ("1.", "expected a digit, found the end, at line 1 column 3"),
        ("-", "expected a digit, found the end, at line 1 column 2"),
        ("1e+", "expected a digit, found the end, at line 1 column 4"),
        ("+1", "expected a value, found '+', at line 1 column 1"),
        ("NaN", "expected a value, found 'N', at line 1 column 1"),
        ("nul", "expected `null`, found the end, at line 1 column 4"),
        (
            "\"é\\x\"",
            "expected an escape (one of `\"\\/bfnrtu`), found 'x', at line 1 column 4",
        ),
        (
            "\"\\u12g4\"",
            "expected four hexadecimal digits, found 'g', at line 1 column 6",
        ),
        (
            "\"a\nb\"",
            "the control character '\\n' must be escaped in a string, at line 1 column 3",
        ),
        (
            "\"abc",
            "expected `\"` to end the string, found the end, at line 1 column 5",
        ),
        ("1 2", "expected the end, found '2', at line 1 column 3"),
        (
            "\u{feff}1",
            "expected a value, found '\\u{feff}', at line 1 column 1",
        ),
        (
            "1e999",
            "the number is too large for a float, at line 1 column 1",
        ),
        (
            "[\"\\u0000\"]",
            "the string holds U+0000, at line 1 column 3",
        ),
        (
            "\"\\ud800\"",
            "the string holds an unpaired surrogate, at line 1 column 2",
        ),
        (
            "{\"a\":1,\"\\u0061\":2}",
            "the member name is given twice, at line 1 column 8",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(message(text), expected, "{text:?}");
    }
    assert_eq!(
        read(b"\"\xff\"").unwrap_err().kind,
        ReadErrorKind::InvalidUtf8
    );
    assert_eq!(read(b"\"\xff\"").unwrap_err().offset, 1);
}

#[test]
fn surrogate_pairs_are_one_character_and_halves_are_faults() {
    assert_eq!(read_str(r#""\ud83d\ude00""#).unwrap(), Value::from("😀"));
    for half in [
        r"\ud83d",
        r"\ude00",
        r"\ud83d\n",
        r"\ud83d\ud83d",
        r"\ude00\ud83d",
        r"\ud83dA",
    ] {
        let text = format!("\"{half}\"");
        let kind = read_str(&text).unwrap_err().kind;
        assert_eq!(
            kind,
            ReadErrorKind::Fault(FaultKind::UnpairedSurrogate),
            "{text}"
        );
    }
    let reading = Reader::default().read(br#""\ud83d\u0041""#).unwrap();
    assert_eq!(reading.value, Value::from("\u{fffd}A"));
}

#[test]
fn the_lenient_reader_takes_control_characters_and_trailing_commas_and_no_more() {
    let reading = lenient().read(b"{\"a\": [\"x\ny\tz\x01\",],}").unwrap();
    assert_eq!(
        reading.value,
        Value::from([("a", Value::from(vec!["x\ny\tz\u{1}"]))])
    );
    assert!(reading.faults.is_empty());
    for text in [
        "[,]",
        "{,}",
        "[1,,]",
        "{\"a\":1,,}",
        "[1 2]",
        "{\"a\"}",
        "['a']",
    ] {
        assert!(lenient().read(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn faults_are_collected_with_their_place_and_the_value_stays_readable() {
    let text =
        "{\"k\": [{\"a\": 1}, {\"b\": \"\\u0000\\u0000\", \"b\": [\"\\ud800\"], \"c\": 1e999}]}";
    let reading = Reader::default().read(text.as_bytes()).unwrap();
    let faults: Vec<_> = reading
        .faults
        .iter()
        .map(|fault| (fault.kind, fault.path().to_vec()))
        .collect();
    assert_eq!(
        faults,
        [
            (FaultKind::NulCharacter, vec![0, 1, 0]),
            (FaultKind::DuplicateName, vec![0, 1, 0]),
            (FaultKind::UnpairedSurrogate, vec![0, 1, 0, 0]),
            (FaultKind::NumberOverflow, vec![0, 1, 1]),
        ]
    );
    assert!(
        reading
            .faults
            .iter()
            .all(|fault| text.is_char_boundary(fault.offset))
    );
}

#[test]
fn a_fault_in_a_member_name_belongs_to_that_member_and_is_its_only_one() {
    let text = r#"{"a": 1, "\ud800": 2, "\ud801": 3, "b": 4}"#;
    let reading = Reader::default().read(text.as_bytes()).unwrap();
    let faults: Vec<_> = reading
        .faults
        .iter()
        .map(|fault| (fault.kind, fault.offset, fault.path().to_vec()))
        .collect();
    assert_eq!(
        faults,
        [
            (FaultKind::UnpairedSurrogate, 10, vec![1]),
            (FaultKind::UnpairedSurrogate, 23, vec![2]),
        ]
    );
}

#[test]
fn a_literal_nul_is_a_fault_even_where_control_characters_are_allowed() {
    let reading = lenient().read(b"\"a\x00b\"").unwrap();
    assert_eq!(
        reading.faults.first().map(|fault| fault.kind),
        Some(FaultKind::NulCharacter)
    );
}

#[test]
fn many_members_are_checked_for_duplicates_too() {
    let members: Vec<_> = (0..1_000).map(|n| format!("\"m{n}\":{n}")).collect();
    assert_eq!(
        read_str(&format!("{{{}}}", members.join(",")))
            .unwrap()
            .as_object()
            .unwrap()
            .len(),
        1_000
    );
    let error = read_str(&format!("{{{},\"m500\":0}}", members.join(","))).unwrap_err();
    assert_eq!(error.kind, ReadErrorKind::Fault(FaultKind::DuplicateName));
}

#[test]
fn nesting_is_taken_to_the_limit_and_refused_past_it() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read_str(&nested(128)).is_ok());
    let error = read_str(&nested(129)).unwrap_err();
    assert_eq!(
        (error.kind, error.offset),
        (ReadErrorKind::TooDeep { max: 128 }, 128)
    );
    let unlimited = Reader {
        limits: Limits {
            max_depth: usize::MAX,
            ..Limits::default()
        },
        ..Reader::default()
    };
    let deepest = unlimited.read(nested(MAX_DEPTH).as_bytes()).unwrap();
    assert_eq!(deepest.clone(), deepest);
    assert!(unlimited.read(nested(MAX_DEPTH + 1).as_bytes()).is_err());
}

#[test]
fn ten_megabytes_of_brackets_or_quotes_are_refused_where_the_fault_stands() {
    const SIZE: usize = 10_000_000;
    for (unit, offset) in [("[", 128), ("{\"a\":", 640), ("[[],", 509)] {
        let error = read_str(&unit.repeat(SIZE / unit.len())).unwrap_err();
        assert_eq!(
            (error.kind, error.offset),
            (ReadErrorKind::TooDeep { max: 128 }, offset),
            "{unit}"
        );
    }
    let error = read_str(&"\"".repeat(SIZE)).unwrap_err();
    assert_eq!(error.offset, 2);
    let error = read_str(&"9".repeat(SIZE).replacen('9', "[", 1)).unwrap_err();
    assert_eq!(error.offset, SIZE);
}

#[test]
fn a_text_over_the_size_limit_is_refused_unread() {
    let limits = Limits {
        max_bytes: 4,
        ..Limits::default()
    };
    let reader = Reader {
        limits,
        ..Reader::default()
    };
    assert!(reader.read(b"1234").is_ok());
    assert_eq!(
        reader.read(b"12345").unwrap_err().kind,
        ReadErrorKind::TooLong { max: 4 }
    );
}

#[test]
fn a_prefix_is_read_up_to_its_own_end() {
    let text = "go {\"a\": [1]} on";
    let (reading, end) = Reader::default().read_prefix(text, 2).unwrap();
    assert_eq!(to_canonical(&reading.value), r#"{"a":[1]}"#);
    assert_eq!(text.get(end..).unwrap(), " on");
    assert!(Reader::default().read_prefix(text, 99).is_err());
}

#[test]
fn integers_of_any_size_survive_and_floats_stay_floats() {
    for text in [
        "4820177305561900003",
        "-9007199254740993",
        "123456789012345678901234567890",
    ] {
        assert_eq!(to_canonical(&read_str(text).unwrap()), text);
    }
    assert_ne!(read_str("1").unwrap(), read_str("1.0").unwrap());
    let digits = "7".repeat(1_000_000);
    assert_eq!(to_canonical(&read_str(&digits).unwrap()), digits);
}
