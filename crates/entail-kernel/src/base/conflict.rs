//! What cannot all stand.

use std::sync::Arc;

use super::{Base, BeliefId, Constraint};

/// A conflict that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// What it is over.
    pub kind: ConflictKind,
    /// The believed revisions that cannot all stand: of one key in order of creation, or of a
    /// constraint's keys in their order there.
    pub sides: Vec<BeliefId>,
}

/// What a conflict is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// One key has believed revisions of unequal values. It is hidden from the model and cannot
    /// support anything.
    Value {
        /// The key.
        key: Arc<str>,
    },
    /// A constraint does not hold. That hides nothing.
    Constraint {
        /// Its name.
        name: Arc<str>,
        /// How it failed: it is false, or why it could not be evaluated.
        reason: String,
    },
}

/// Which conflict is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disputed<'a> {
    /// That over the values of this key.
    Key(&'a str),
    /// That over this constraint.
    Constraint(&'a str),
}

impl Disputed<'_> {
    /// The key or the name.
    #[must_use]
    pub const fn name(&self) -> &str {
        match self {
            Self::Key(name) | Self::Constraint(name) => name,
        }
    }
}

impl ConflictKind {
    /// Which conflict it is.
    #[must_use]
    pub fn disputed(&self) -> Disputed<'_> {
        match self {
            Self::Value { key } => Disputed::Key(key),
            Self::Constraint { name, .. } => Disputed::Constraint(name),
        }
    }
}

impl Base {
    /// Conflicts that are open: over values, keys in order of creation, then over constraints by
    /// name. The cost follows the keys with several believed revisions, and the constraints.
    #[must_use]
    pub fn conflicts(&self) -> Vec<Conflict> {
        let mut keys: Vec<_> = self
            .graph
            .contested
            .iter()
            .copied()
            .filter(|key| self.is_key_disputed(*key))
            .map(|key| self.graph.keys.at(key))
            .collect();
        keys.sort_unstable_by_key(|node| node.order);
        let over_values = keys.into_iter().map(|node| Conflict {
            kind: ConflictKind::Value {
                key: Arc::clone(&node.text),
            },
            sides: node
                .believed
                .as_slice()
                .iter()
                .map(|id| BeliefId(*id))
                .collect(),
        });
        let over_constraints = self
            .constraints()
            .filter_map(|constraint| self.broken(constraint));
        over_values.chain(over_constraints).collect()
    }

    /// The open conflict over a key or a constraint.
    #[must_use]
    pub fn conflict(&self, disputed: Disputed<'_>) -> Option<Conflict> {
        match disputed {
            Disputed::Key(key) => self.is_disputed(key).then(|| Conflict {
                kind: ConflictKind::Value { key: key.into() },
                sides: self.believed(key),
            }),
            Disputed::Constraint(name) => self.broken(self.constraint(name)?),
        }
    }

    /// The conflict over a constraint that does not hold. It is evaluated only when each of its
    /// keys has one believed value.
    fn broken(&self, constraint: &Constraint) -> Option<Conflict> {
        let sides = constraint
            .keys
            .iter()
            .map(|key| self.current_of(self.graph.key(key)?))
            .collect::<Option<Vec<_>>>()?;
        let names = constraint.expression.inputs();
        let held = constraint.expression.holds(|input| {
            let at = names.iter().position(|name| name == input)?;
            Some(&self.graph.beliefs.at(*sides.get(at)?).value)
        });
        let reason = match held {
            Ok(true) => return None,
            Ok(false) => format!("`{}` is false", constraint.expression.text()),
            Err(error) => format!("it cannot be evaluated: {error}"),
        };
        Some(Conflict {
            kind: ConflictKind::Constraint {
                name: Arc::clone(&constraint.name),
                reason,
            },
            sides,
        })
    }
}
