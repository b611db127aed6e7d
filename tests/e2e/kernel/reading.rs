//! Members of JSON objects, or what is wrong with them.

use entail_json::Value;

pub(crate) fn member<'a>(value: &'a Value, name: &str) -> Result<&'a Value, String> {
    let member = value.get(name);
    member.ok_or_else(|| format!("no `{name}` in {value}"))
}

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, String> {
    let text = member(value, name)?.as_str();
    text.ok_or_else(|| format!("`{name}` is no text in {value}"))
}

pub(crate) fn list<'a>(value: &'a Value, name: &str) -> Result<&'a [Value], String> {
    let list = member(value, name)?.as_array();
    list.ok_or_else(|| format!("`{name}` is no list in {value}"))
}

/// The members of an object.
pub(crate) fn members<'a>(
    value: &'a Value,
    name: &str,
) -> Result<impl Iterator<Item = (&'a str, &'a Value)>, String> {
    let object = member(value, name)?.as_object();
    let object = object.ok_or_else(|| format!("`{name}` is no object in {value}"))?;
    Ok(object.iter())
}

pub(crate) fn texts(value: &Value, name: &str) -> Result<Vec<String>, String> {
    let text = |item: &Value| item.as_str().map(str::to_owned);
    let texts = list(value, name)?.iter().map(text).collect::<Option<_>>();
    texts.ok_or_else(|| format!("`{name}` holds what is no text in {value}"))
}

/// The refs of a page's beliefs.
pub(crate) fn refs(page: &Value) -> Result<Vec<String>, String> {
    let items = list(page, "items")?.iter();
    items
        .map(|item| text(item, "ref").map(str::to_owned))
        .collect()
}

/// The key and the revision of a ref.
pub(crate) fn split(reference: &str) -> Result<(&str, u64), String> {
    let parts = reference.rsplit_once('@');
    parts
        .and_then(|(key, revision)| Some((key, revision.parse().ok()?)))
        .ok_or_else(|| format!("`{reference}` is no ref"))
}

/// A path segment, every byte of it encoded.
pub(crate) fn segment(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The same texts in whatever order.
pub(crate) fn same(what: &str, found: Vec<String>, given: Vec<String>) -> Result<(), String> {
    let [found, given] = [found, given].map(|mut texts| {
        texts.sort_unstable();
        texts
    });
    if found == given {
        Ok(())
    } else {
        Err(format!("{what}: {found:?}, not {given:?}"))
    }
}
