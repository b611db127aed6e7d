//! Reading model responses.

use entail_contract::{Limits, Parser};

use super::HOSTILE;
use crate::{
    Outcome,
    measure::{once, repeated},
    table::Table,
};

/// A response as a model writes one.
const RESPONSE: &str = r#"I compared both quarters.

```json
{"actions": [
  {"type": "cite", "document": "10-K", "quote": "Total revenue for Q2 was $4.3 billion",
   "key": "revenue:Q2", "value": 4300000000, "claim": "Q2 revenue"},
  {"type": "claim", "key": "growth:Q3_vs_Q2", "value": 4.651162790697675,
   "claim": "Q3 revenue grew 4.65% over Q2", "follows_from": ["revenue:Q2", "revenue:Q3"],
   "formula": "({revenue:Q3} - {revenue:Q2}) / {revenue:Q2} * 100", "confidence": 0.95}
]}
```"#;

/// What a response of this kind takes a Python implementation, in seconds.
const PYTHON: f64 = 12.9e-6;

pub(crate) fn measure(table: &mut Table) -> Outcome {
    table.heading("model responses");
    let actions = entail_contract::parse(RESPONSE).actions.len();
    if actions != 2 {
        return Err(format!("{actions} actions were read, not 2").into());
    }
    let time = repeated(|| entail_contract::parse(RESPONSE));
    table.compared("two actions in a fence", time, PYTHON, "Python");

    table.heading("10 MB that is no response, to the contract parser");
    let parser = Parser::new(Limits {
        bytes: 16 << 20,
        ..Limits::default()
    });
    for (name, piece) in HOSTILE {
        let text = piece.repeat(10_000_000 / piece.len());
        let (time, (response, work)) = once(|| parser.parse_counting(&text));
        if !response.is_unusable() {
            return Err(format!("{name} was read").into());
        }
        let millions = work.steps / 100_000;
        table.time(
            name,
            time,
            format!("{}.{} M steps", millions / 10, millions % 10),
        );
    }
    Ok(())
}
