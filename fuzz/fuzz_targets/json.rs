//! The JSON reader on any bytes, strict and lenient, and the canonical writer on what it read.

#![no_main]

use entail_json::{Limits, Reader, Reading, read, read_str, to_canonical};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let strict = read(bytes);
    if let Err(error) = &strict {
        assert!(error.offset <= bytes.len());
        assert!(!error.to_string().contains('\n'));
    }
    for (control_characters, trailing_commas) in
        [(false, false), (true, false), (false, true), (true, true)]
    {
        let limits = Limits {
            max_bytes: 1 << 20,
            max_depth: 512,
        };
        let reader = Reader {
            limits,
            control_characters,
            trailing_commas,
        };
        match reader.read(bytes) {
            Ok(reading) => {
                check(bytes, &reading);
                if let Ok(value) = &strict {
                    assert_eq!(&reading.value, value, "more leave changes no value");
                }
            }
            Err(error) => {
                assert!(error.offset <= bytes.len());
                assert!(
                    strict.is_err(),
                    "what is read strictly is read with more leave"
                );
            }
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        prefixes(text);
    }
});

/// The faults stand in order, and the value survives writing and reading.
fn check(bytes: &[u8], reading: &Reading) {
    let offsets: Vec<usize> = reading.faults.iter().map(|fault| fault.offset).collect();
    assert!(offsets.is_sorted());
    assert!(offsets.iter().all(|offset| *offset < bytes.len()));
    let written = to_canonical(&reading.value);
    let deep = Reader {
        limits: Limits {
            max_depth: 512,
            ..Limits::default()
        },
        ..Reader::default()
    };
    let again = deep
        .read(written.as_bytes())
        .expect("the canonical form is JSON");
    assert!(again.faults.is_empty());
    assert_eq!(again.value, reading.value);
    assert_eq!(to_canonical(&again.value), written);
}

/// Values inside a text end where reading that stretch alone ends.
fn prefixes(text: &str) {
    let starts = text.char_indices().map(|(start, _)| start);
    for start in starts.filter(|start| start % 7 == 0).take(16) {
        if let Ok((reading, end)) = Reader::default().read_prefix(text, start) {
            let stretch = text.get(start..end).expect("a stretch of whole characters");
            if reading.faults.is_empty() {
                assert_eq!(read_str(stretch).as_ref(), Ok(&reading.value));
            }
        }
    }
}
