//! All single mutations of a bundle.

use entail_json::{Value, read};

use crate::fixture::FileMap;

pub(crate) struct Mutation {
    pub(crate) name: String,
    pub(crate) files: FileMap,
}

pub(crate) fn mutations(good: &FileMap) -> impl Iterator<Item = Mutation> {
    good.iter().flat_map(move |(path, bytes)| {
        let of_file = if path.ends_with(".jsonl") {
            lines(bytes)
        } else if path.ends_with(".json") && !path.starts_with("evidence/") {
            records(bytes, "").collect()
        } else {
            flips(bytes)
        };
        let whole = [
            ("file dropped".to_owned(), None),
            ("file emptied".to_owned(), Some(Vec::new())),
            (
                "last byte cut".to_owned(),
                Some(bytes[..bytes.len() - 1].to_vec()),
            ),
            (
                "half cut".to_owned(),
                Some(bytes[..bytes.len() / 2].to_vec()),
            ),
            (
                "file doubled".to_owned(),
                Some([&bytes[..], bytes].concat()),
            ),
            ("byte added".to_owned(), Some([&bytes[..], b" "].concat())),
        ];
        let of_file = of_file.into_iter().map(|(name, bytes)| (name, Some(bytes)));
        let mutate = move |(name, content): (String, Option<Vec<u8>>)| {
            let mut files = good.clone();
            match content {
                Some(content) => files.insert(path.clone(), content),
                None => files.remove(path),
            };
            let kind = path.split('/').next().unwrap_or_default();
            Mutation {
                name: format!("{kind}: {name}"),
                files,
            }
        };
        of_file.chain(whole).map(mutate).collect::<Vec<_>>()
    })
}

type Named = (String, Vec<u8>);

/// Every seventh byte of a file flipped, one at a time.
fn flips(bytes: &[u8]) -> Vec<Named> {
    let flip = |at: usize| {
        let mut changed = bytes.to_vec();
        changed[at] ^= 1;
        (format!("byte flipped at {at}"), changed)
    };
    (0..bytes.len()).step_by(7).map(flip).collect()
}

/// Lines dropped, doubled, swapped; the tail cut; each line's record mutated.
fn lines(bytes: &[u8]) -> Vec<Named> {
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut all = Vec::new();
    for at in 0..lines.len() {
        let with = |replaced: &[&[u8]], until: usize| {
            [&lines[..at], replaced, &lines[until..]].concat().concat()
        };
        all.push((format!("line dropped at {at}"), with(&[], at + 1)));
        all.push((
            format!("line doubled at {at}"),
            with(&[lines[at], lines[at]], at + 1),
        ));
        all.push((format!("tail cut at {at}"), lines[..at].concat()));
        if let Some(next) = lines.get(at + 1) {
            all.push((
                format!("lines swapped at {at}"),
                with(&[next, lines[at]], at + 2),
            ));
        }
        for (name, line) in records(lines[at], &format!(" of line {at}")) {
            all.push((name, with(&[&line], at + 1)));
        }
    }
    all
}

/// Each member and element of a record changed, dropped and doubled.
fn records(bytes: &[u8], place: &str) -> impl Iterator<Item = Named> {
    let value = read(bytes).expect("a record is json");
    let mut all = Vec::new();
    let mut paths = vec![Vec::new()];
    collect(&value, &mut Vec::new(), &mut paths);
    for path in paths.into_iter().skip(1) {
        for edit in [Edit::Change, Edit::Drop, Edit::Double] {
            let mut text = String::new();
            write(&value, &path, edit, &mut text);
            text.push('\n');
            let what = match edit {
                Edit::Change => "changed",
                Edit::Drop => "dropped",
                Edit::Double => "doubled",
            };
            all.push((
                format!("field {what} at {}{place}", path.join("/")),
                text.into_bytes(),
            ));
        }
    }
    all.into_iter()
}

#[derive(Clone, Copy, PartialEq)]
enum Edit {
    Change,
    Drop,
    Double,
}

fn collect(value: &Value, path: &mut Vec<String>, paths: &mut Vec<Vec<String>>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Array(items) => (0..).map(|n: usize| n.to_string()).zip(items).collect(),
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        _ => return,
    };
    for (name, child) in children {
        path.push(name);
        paths.push(path.clone());
        collect(child, path, paths);
        path.pop();
    }
}

/// Writes a value canonically, but for the edit at `path`.
fn write(value: &Value, path: &[String], edit: Edit, out: &mut String) {
    let (name, rest) = path.split_first().expect("a path leads somewhere");
    let children: Vec<(String, &Value)> = match value {
        Value::Array(items) => (0..).map(|n: usize| n.to_string()).zip(items).collect(),
        Value::Object(object) => object
            .sorted()
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        _ => unreachable!("a path leads through lists and objects"),
    };
    let is_object = value.as_object().is_some();
    let mut parts = Vec::new();
    for (key, child) in children {
        let mut part = String::new();
        if is_object {
            entail_json::write_string(&key, &mut part);
            part.push(':');
        }
        let here = key == *name;
        match (here, rest.is_empty(), edit) {
            (true, true, Edit::Drop) => continue,
            (true, true, Edit::Change) => part.push_str(&changed(child).to_string()),
            (true, true, Edit::Double) => {
                part.push_str(&child.to_string());
                parts.push(part.clone());
            }
            (true, false, _) => write(child, rest, edit, &mut part),
            (false, ..) => part.push_str(&child.to_string()),
        }
        parts.push(part);
    }
    let (open, close) = if is_object { ('{', '}') } else { ('[', ']') };
    out.push(open);
    out.push_str(&parts.join(","));
    out.push(close);
}

/// Another value of the same kind, as plausible as can be.
fn changed(value: &Value) -> Value {
    match value {
        Value::Null => Value::String("x".into()),
        Value::Bool(truth) => Value::Bool(!truth),
        Value::Number(number) if number.is_integer() => {
            Value::from(number.as_i64().expect("small") + 1)
        }
        Value::Number(number) => {
            let other = number.as_f64() / 2.0 + 0.25;
            Value::Number(entail_json::Number::from_f64(other).expect("finite"))
        }
        Value::String(text) => {
            let last = text.chars().next_back().unwrap_or('x');
            let mut other: String = text
                .chars()
                .take(text.chars().count().saturating_sub(1))
                .collect();
            other.push(match last {
                '0'..='8' | 'a'..='e' => char::from_u32(u32::from(last) + 1).expect("ascii"),
                _ => '0',
            });
            Value::String(other)
        }
        Value::Array(items) => Value::Array(
            items
                .iter()
                .rev()
                .cloned()
                .chain([Value::from(1_i64)])
                .collect(),
        ),
        Value::Object(object) => {
            let mut object = object.clone();
            object.insert("x", Value::Null);
            Value::Object(object)
        }
    }
}
