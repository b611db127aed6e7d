//! JSON objects.

use indexmap::IndexMap;

use crate::{Value, limits::LINEAR_MEMBERS};

/// The members of a JSON object, in the order in which they were written; no name occurs twice.
///
/// Looking a member up costs the same however many there are.
///
/// ```
/// use entail_json::{Object, Value};
///
/// let mut object = Object::from([("b", Value::from(1_i64)), ("a", Value::Null)]);
/// assert_eq!(object.insert("b", Value::from(2_i64)), Some(Value::from(1_i64)));
/// assert_eq!(object.iter().map(|(name, _)| name).collect::<String>(), "ba");
/// ```
#[derive(Clone, Default)]
pub struct Object(Repr);

/// Most objects have few members, and for them comparing names beats hashing them.
#[derive(Clone)]
enum Repr {
    Few(Vec<(String, Value)>),
    Many(Box<IndexMap<String, Value>>),
}

impl Default for Repr {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Object {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Repr::Few(members) => members.len(),
            Repr::Many(members) => members.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value of the member of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        match &self.0 {
            Repr::Few(members) => members
                .iter()
                .find(|(given, _)| given == name)
                .map(|(_, value)| value),
            Repr::Many(members) => members.get(name),
        }
    }

    /// The value of the member of that name, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Value> {
        match &mut self.0 {
            Repr::Few(members) => members
                .iter_mut()
                .find(|(given, _)| given == name)
                .map(|(_, value)| value),
            Repr::Many(members) => members.get_mut(name),
        }
    }

    /// Whether there is a member of that name.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Sets a member: a new one comes last, an old one keeps its place and its former value is
    /// returned.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) -> Option<Value> {
        let name = name.into();
        if let Some(present) = self.get_mut(&name) {
            return Some(std::mem::replace(present, value));
        }
        self.append(name, value);
        None
    }

    /// Which member has that name, counted from 0.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        match &self.0 {
            Repr::Few(members) => members.iter().position(|(given, _)| given == name),
            Repr::Many(members) => members.get_index_of(name),
        }
    }

    /// Adds a member whose name is known to be new.
    pub(crate) fn append(&mut self, name: String, value: Value) {
        match &mut self.0 {
            Repr::Few(members) if members.len() < LINEAR_MEMBERS => members.push((name, value)),
            Repr::Few(members) => {
                let mut many: IndexMap<_, _> = std::mem::take(members).into_iter().collect();
                many.insert(name, value);
                self.0 = Repr::Many(Box::new(many));
            }
            Repr::Many(members) => {
                members.insert(name, value);
            }
        }
    }

    /// Takes a member out; the others keep their order. Linear in the number of members.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        match &mut self.0 {
            Repr::Few(members) => {
                let at = members.iter().position(|(given, _)| given == name)?;
                Some(members.remove(at).1)
            }
            Repr::Many(members) => members.shift_remove(name),
        }
    }

    /// The members in their order.
    #[must_use]
    pub fn iter(&self) -> Members<'_> {
        Members(match &self.0 {
            Repr::Few(members) => Inner::Few(members.iter()),
            Repr::Many(members) => Inner::Many(members.iter()),
        })
    }

    /// The members sorted by name (by Unicode code point).
    #[must_use]
    pub fn sorted(&self) -> Vec<(&str, &Value)> {
        let mut members: Vec<_> = self.iter().collect();
        members.sort_unstable_by_key(|(name, _)| *name);
        members
    }
}

/// The members of an [`Object`] in their order.
#[derive(Clone, Debug)]
pub struct Members<'a>(Inner<'a>);

#[derive(Clone, Debug)]
enum Inner<'a> {
    Few(std::slice::Iter<'a, (String, Value)>),
    Many(indexmap::map::Iter<'a, String, Value>),
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Inner::Few(members) => members.next().map(|(name, value)| (name.as_str(), value)),
            Inner::Many(members) => members.next().map(|(name, value)| (name.as_str(), value)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Inner::Few(members) => members.size_hint(),
            Inner::Many(members) => members.size_hint(),
        }
    }
}

impl ExactSizeIterator for Members<'_> {}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Value);
    type IntoIter = Members<'a>;

    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

/// The last value given for a name counts.
impl FromIterator<(String, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        let mut object = Self::new();
        for (name, value) in members {
            object.insert(name, value);
        }
        object
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(name, value)| other.get(name).is_some_and(|there| there == value))
    }
}

impl std::fmt::Debug for Object {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_grows_past_the_linear_size_and_keeps_order_and_members() {
        let mut object = Object::new();
        for n in (0..100_i64).rev() {
            assert_eq!(object.insert(n.to_string(), n.into()), None);
        }
        assert_eq!(object.len(), 100);
        assert!((0..100_i64).all(|n| object.get(&n.to_string()) == Some(&n.into())));
        assert_eq!(object.iter().next().map(|(name, _)| name), Some("99"));
        assert_eq!(object.remove("50"), Some(50_i64.into()));
        assert_eq!(object.get("50"), None);
        assert_eq!(object.iter().nth(49).map(|(name, _)| name), Some("49"));
        assert_eq!(object.sorted().first().map(|(name, _)| *name), Some("0"));
    }

    #[test]
    fn objects_are_equal_whatever_their_order() {
        let ab = Object::from([("a", true.into()), ("b", false.into())]);
        let ba = Object::from([("b", false.into()), ("a", true.into())]);
        assert_eq!(ab, ba);
        assert_ne!(ab, Object::from([("a", true.into())]));
        assert_ne!(ab, Object::from([("a", true.into()), ("c", false.into())]));
    }
}
