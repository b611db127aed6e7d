//! The key of a call's result when the model names none.

use entail_json::{Object, Value, sha256};

use crate::limits::KEY_BYTES;

/// The names of a schema's properties, in their order.
pub(super) fn property_order(parameters: &Object) -> Vec<String> {
    match parameters.get("properties") {
        Some(Value::Object(properties)) => properties.iter().map(|(name, _)| name.into()).collect(),
        _ => Vec::new(),
    }
}

/// `tool:arg1,arg2`: the values as JSON text without quotes, in the schema's property order,
/// then any others by name; what a key may not hold is written `_`.
pub(super) fn default_key(tool: &str, order: &[String], arguments: &Object) -> String {
    let mut key = String::new();
    push_safe(tool, &mut key);
    let declared = order.iter().filter_map(|name| arguments.get(name));
    let mut others: Vec<(&str, &Value)> =
        if order.len() >= arguments.len() && order.iter().all(|name| arguments.contains(name)) {
            Vec::new()
        } else {
            let known: rustc_hash::FxHashSet<&str> = order.iter().map(String::as_str).collect();
            arguments
                .iter()
                .filter(|(name, _)| !known.contains(name))
                .collect()
        };
    others.sort_unstable_by_key(|(name, _)| *name);
    let mut separator = ':';
    for value in declared.chain(others.into_iter().map(|(_, value)| value)) {
        key.push(separator);
        separator = ',';
        match value {
            Value::String(text) => push_safe(text, &mut key),
            other => push_safe(&other.to_string().replace('"', ""), &mut key),
        }
    }
    shorten(key)
}

fn push_safe(text: &str, key: &mut String) {
    key.extend(text.chars().map(|c| {
        let unsafe_in_key = matches!(c, '@' | '{' | '}') || c.is_whitespace() || c.is_control();
        if unsafe_in_key { '_' } else { c }
    }));
}

/// Two long keys that differ stay different: what is cut off is replaced by a digest of all.
fn shorten(key: String) -> String {
    if key.len() <= KEY_BYTES {
        return key;
    }
    let digest = sha256(key.as_bytes()).to_string();
    let tail = digest.get(..16).unwrap_or_default();
    let room = KEY_BYTES.saturating_sub(tail.len()).saturating_sub(1);
    let cut = key.floor_char_boundary(room);
    let mut short = key;
    short.truncate(cut);
    short.push('~');
    short.push_str(tail);
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use entail_json::read_str;
    use entail_kernel::base::check_key;

    fn object(json: &str) -> Object {
        read_str(json).unwrap().as_object().unwrap().clone()
    }

    #[test]
    fn values_stand_in_the_order_of_the_schema_and_others_follow_by_name() {
        let order = ["b".to_owned(), "a".to_owned()];
        let arguments = object(r#"{"z":true,"a":1.5,"y":null,"b":"Q2"}"#);
        assert_eq!(default_key("t", &order, &arguments), "t:Q2,1.5,null,true");
        assert_eq!(default_key("t", &order, &Object::new()), "t");
    }

    #[test]
    fn whatever_the_arguments_hold_the_key_is_a_key() {
        let arguments = object(r#"{"a":"a b@c{d}\u3000","b":[1,{"k":"v w"}],"c":""}"#);
        let order = ["a", "b", "c"].map(String::from);
        let key = default_key("my_tool", &order, &arguments);
        assert_eq!(key, "my_tool:a_b_c_d__,[1,_k:v_w_],");
        assert_eq!(check_key(&key), Ok(()));
    }

    #[test]
    fn a_long_key_is_cut_between_characters_and_stays_apart_from_others() {
        let order = ["a".to_owned()];
        let keys = ["x", "y"].map(|end| {
            let text = format!("{}{end}", "é".repeat(400));
            default_key("t", &order, &Object::from([("a", text.into())]))
        });
        assert!(keys.iter().all(|key| key.len() <= KEY_BYTES));
        assert_ne!(keys[0], keys[1]);
    }
}
