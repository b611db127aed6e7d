//! A tool's definition as JSON.

use entail_json::{Number, Object, Value};
use entail_kernel::confidence::TrustLevel;

use super::{Executor, HttpExecutor, ToolDefinition};
use crate::fields::{Faults, Fields, member};
use crate::limits::{DESCRIPTION_BYTES, NAME_BYTES};

/// JSON that is no tool definition.
pub type InvalidDefinition = Faults;

impl ToolDefinition {
    /// Reads `{description, parameters, trust?, ttl_s?, half_life_s?, origin?, executor?}`.
    ///
    /// ```
    /// use entail_session::{Executor, ToolDefinition};
    ///
    /// let value = entail_json::read_str(r#"{"description": "d", "parameters": {}, "trust": 0.7}"#)?;
    /// let tool = ToolDefinition::read(&value, "")?;
    /// assert_eq!((tool.trust.prior(), tool.executor), (0.7, Executor::Client));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Every fault, its pointer beginning with `pointer`.
    pub fn read(value: &Value, pointer: &str) -> Result<Self, InvalidDefinition> {
        let mut faults = Faults::default();
        let read = read(value, pointer, &mut faults);
        faults.settle(read)
    }

    /// The definition as a value that [`read`](Self::read) reads.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let seconds = |span: Option<entail_kernel::Span>| {
            span.and_then(|span| Number::from_f64(span.seconds()))
                .into()
        };
        let executor = match &self.executor {
            Executor::Client => Value::from([("kind", "client".into())]),
            Executor::Http(http) => Value::from([
                ("kind", "http".into()),
                ("url", http.url.as_str().into()),
                ("method", http.method.as_str().into()),
                (
                    "headers",
                    http.headers
                        .iter()
                        .map(|(name, value)| (name.clone(), value.as_str().into()))
                        .collect::<Object>()
                        .into(),
                ),
                ("timeout_ms", http.timeout_ms.into()),
            ]),
        };
        Value::from([
            ("description", self.description.as_str().into()),
            ("parameters", self.parameters.clone().into()),
            ("trust", trust_value(self.trust)),
            ("ttl_s", seconds(self.ttl)),
            ("half_life_s", seconds(self.half_life)),
            ("origin", self.origin.clone().into()),
            ("executor", executor),
        ])
    }
}

fn trust_value(trust: TrustLevel) -> Value {
    match trust {
        TrustLevel::High => "high".into(),
        TrustLevel::Medium => "medium".into(),
        TrustLevel::Low => "low".into(),
        TrustLevel::Exactly(prior) => Number::from_f64(prior).into(),
    }
}

fn read(value: &Value, pointer: &str, faults: &mut Faults) -> Option<ToolDefinition> {
    let mut fields = Fields::open(value, pointer, faults)?;
    let description = fields.text("description", faults).unwrap_or_default();
    if description.len() > DESCRIPTION_BYTES {
        faults.push(
            fields.at("description"),
            format!(
                "has {} bytes, the limit is {DESCRIPTION_BYTES}",
                description.len()
            ),
        );
    }
    let parameters = fields
        .object("parameters", faults)
        .cloned()
        .unwrap_or_default();
    let trust = fields
        .value("trust")
        .and_then(|value| trust(value, &fields.at("trust"), faults));
    let ttl = fields.seconds("ttl_s", faults);
    let half_life = fields.seconds("half_life_s", faults);
    let origin = fields.text("origin", faults).map(str::to_owned);
    if origin
        .as_ref()
        .is_some_and(|origin| origin.is_empty() || origin.len() > NAME_BYTES)
    {
        faults.push(
            fields.at("origin"),
            format!("must have 1 to {NAME_BYTES} bytes"),
        );
    }
    let executor = fields
        .value("executor")
        .and_then(|value| executor(value, &fields.at("executor"), faults));
    fields.close(faults);
    Some(ToolDefinition {
        description: description.to_owned(),
        parameters,
        trust: trust.unwrap_or_default(),
        ttl,
        half_life,
        origin,
        executor: executor.unwrap_or_default(),
    })
}

fn trust(value: &Value, pointer: &str, faults: &mut Faults) -> Option<TrustLevel> {
    match value {
        Value::String(word) if word == "high" => return Some(TrustLevel::High),
        Value::String(word) if word == "medium" => return Some(TrustLevel::Medium),
        Value::String(word) if word == "low" => return Some(TrustLevel::Low),
        Value::Number(number) if (0.0..=1.0).contains(&number.as_f64()) => {
            return Some(TrustLevel::Exactly(number.as_f64()));
        }
        _ => {}
    }
    faults.push(
        pointer,
        "must be `high`, `medium`, `low` or a number from 0 to 1",
    );
    None
}

fn executor(value: &Value, pointer: &str, faults: &mut Faults) -> Option<Executor> {
    let mut fields = Fields::open(value, pointer, faults)?;
    let kind = fields.text("kind", faults);
    let executor = match fields.required("kind", kind, faults)? {
        "client" => Executor::Client,
        "http" => {
            let url = fields.text("url", faults);
            let url = fields.required("url", url, faults)?;
            let method = fields
                .text("method", faults)
                .unwrap_or("POST")
                .to_ascii_uppercase();
            if !matches!(method.as_str(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE") {
                faults.push(
                    fields.at("method"),
                    "must be GET, POST, PUT, PATCH or DELETE",
                );
            }
            let mut headers = Vec::new();
            let at = fields.at("headers");
            for (name, value) in fields.object("headers", faults).into_iter().flatten() {
                match value.as_str() {
                    Some(text) => headers.push((name.to_owned(), text.to_owned())),
                    None => faults.push(member(&at, name), "must be a string"),
                }
            }
            headers.sort();
            let timeout_ms = fields.count("timeout_ms", faults);
            if timeout_ms == Some(0) {
                faults.push(fields.at("timeout_ms"), "must be positive");
            }
            Executor::Http(HttpExecutor {
                url: url.to_owned(),
                method,
                headers,
                timeout_ms,
            })
        }
        other => {
            faults.push(
                fields.at("kind"),
                format!("is `{other}`: use `client` or `http`"),
            );
            return None;
        }
    };
    fields.close(faults);
    Some(executor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_json::read_str;

    #[test]
    fn a_definition_reads_back_from_what_it_writes() {
        let json = r#"{"description":"d","parameters":{"type":"object"},"trust":"low","ttl_s":60,
            "half_life_s":0.5,"origin":"db","executor":{"kind":"http","url":"https://x.test/t",
            "headers":{"x-b":"2","x-a":"1"},"timeout_ms":500}}"#;
        let tool = ToolDefinition::read(&read_str(json).unwrap(), "").unwrap();
        assert_eq!(ToolDefinition::read(&tool.to_value(), "").unwrap(), tool);
    }

    #[test]
    fn every_fault_is_told_with_its_place() {
        let json = r#"{"parameters":[],"trust":2,"ttl_s":-1,"executor":{"kind":"ftp"},"x":1}"#;
        let faults = ToolDefinition::read(&read_str(json).unwrap(), "/tools/t").unwrap_err();
        let mut pointers: Vec<_> = faults
            .0
            .iter()
            .map(|fault| fault.pointer.as_str())
            .collect();
        pointers.sort_unstable();
        assert_eq!(
            pointers,
            [
                "/tools/t/executor/kind",
                "/tools/t/parameters",
                "/tools/t/trust",
                "/tools/t/ttl_s",
                "/tools/t/x"
            ]
        );
    }
}
