//! Reading and writing JSON, beside `serde_json` into its `Value`.

use std::fmt::Write as _;

use entail_json::{read, to_canonical};

use super::HOSTILE;
use crate::{
    Outcome,
    measure::{once, repeated},
    table::Table,
};

const VECTORS: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../vectors/parse.jsonl"
));

pub(crate) fn measure(table: &mut Table) -> Outcome {
    table.heading("JSON");
    let document = document(1_000_000);
    let lines: Vec<&str> = VECTORS.lines().collect();
    let vectors = format!("reading the {} lines of the parse vectors", lines.len());
    beside_serde(table, &vectors, &lines)?;
    beside_serde(table, "reading a document of 1 MB", &[&document])?;

    let value = read(document.as_bytes())?;
    let theirs: serde_json::Value = serde_json::from_str(&document)?;
    table.compared(
        "writing it in canonical form",
        repeated(|| to_canonical(&value)),
        repeated(|| serde_json::to_string(&theirs)),
        "serde_json",
    );
    table.heading("10 MB that is no JSON, to the reader");
    for (name, piece) in HOSTILE {
        let text = piece.repeat(10_000_000 / piece.len());
        let (time, outcome) = once(|| read(text.as_bytes()));
        let Err(error) = outcome else {
            return Err(format!("{name} was read").into());
        };
        table.time(name, time, format!("refused at byte {}", error.offset));
    }
    Ok(())
}

fn beside_serde(table: &mut Table, name: &str, texts: &[&str]) -> Outcome {
    for text in texts {
        read(text.as_bytes())?;
        serde_json::from_str::<serde_json::Value>(text)?;
    }
    let ours = repeated(|| {
        texts
            .iter()
            .map(|text| read(text.as_bytes()))
            .filter(Result::is_ok)
            .count()
    });
    let theirs = repeated(|| {
        let read = |text: &&str| serde_json::from_slice::<serde_json::Value>(text.as_bytes());
        texts.iter().map(read).filter(Result::is_ok).count()
    });
    table.compared(name, ours, theirs, "serde_json");
    Ok(())
}

/// A list of records such as a tool might return, of about so many bytes.
fn document(bytes: usize) -> String {
    let mut out = "[".to_owned();
    let mut seed = 1_u64;
    while out.len() < bytes {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let random = seed >> 33;
        let separator = if out.len() > 1 { "," } else { "" };
        let _ = write!(
            out,
            "{separator}{{\"id\": {random}, \"key\": \"revenue:Q{}\", \"value\": {}.{:03}, \
             \"claim\": \"The quarter closed \\\"well\\\" — up {}%\\nagainst the year before\", \
             \"tags\": [\"filing\", \"é{random:x}\", null, true], \
             \"span\": {{\"start\": {}, \"end\": {}}}, \"weight\": -{}e-5}}",
            random % 4 + 1,
            random % 100_000,
            random % 1_000,
            random % 90,
            random % 1_000_000,
            random % 1_000_000 + 40,
            random % 10_000,
        );
    }
    out + "]"
}
