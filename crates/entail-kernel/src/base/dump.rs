//! Everything observable of a base as one value.

use entail_json::{Object, Value};

use super::event_write::{float, record_json};
use super::nodes::NONE;
use super::{Base, Event, JustificationId, NameId, SetId};

impl Base {
    /// Everything observable as one value: the same history gives the same value, and so does a
    /// replay of it. For tests and for looking at; it is not read back.
    #[must_use]
    pub fn dump(&self) -> Value {
        Value::from([
            (
                "settings",
                Event::Configured(Box::new(self.settings.clone())).to_json(),
            ),
            ("keys", self.dump_keys()),
            ("beliefs", self.dump_beliefs()),
            ("sets", self.dump_sets()),
            ("justifications", self.dump_justifications()),
            ("ledger", self.dump_ledger()),
            ("expiring", self.dump_expiring()),
            ("rules", self.dump_rules()),
            ("resolutions", Value::from(self.resolutions)),
        ])
    }

    fn dump_keys(&self) -> Value {
        let ids = |ids: &[u32]| ids.iter().copied().collect::<Value>();
        self.graph
            .keys
            .iter()
            .map(|key| {
                Value::from([
                    ("key", Value::from(&*key.text)),
                    ("revisions", ids(key.revisions.as_slice())),
                    ("believed", ids(key.believed.as_slice())),
                    ("order", Value::from(key.order)),
                    ("is_lost", Value::from(key.lost_at != NONE)),
                ])
            })
            .collect()
    }

    fn dump_beliefs(&self) -> Value {
        self.beliefs()
            .map(|belief| {
                let label = self.graph.labels.at(belief.id);
                let justifications = self.graph.beliefs.at(belief.id).justifications.as_slice();
                Value::from([
                    ("ref", Value::from(belief.reference().to_string())),
                    ("value", belief.value.clone()),
                    ("claim", Value::from(belief.claim)),
                    ("metadata", Value::from(belief.metadata.cloned())),
                    ("created_at", Value::from(belief.created_at.to_string())),
                    ("status", Value::from(belief.status.to_string())),
                    (
                        "retraction",
                        belief.retraction.map_or(Value::Null, |retraction| {
                            Value::from([
                                ("reason", Value::from(retraction.reason.clone())),
                                ("at", Value::from(retraction.at.to_string())),
                            ])
                        }),
                    ),
                    ("justifications", justifications.iter().copied().collect()),
                    ("valid", Value::from(label.valid)),
                    ("anchors", Value::from(label.anchors)),
                ])
            })
            .collect()
    }

    fn dump_sets(&self) -> Value {
        (0..self.graph.sets.len())
            .map(|at| {
                let node = self.graph.sets.at(SetId::next(at));
                let own = self.graph.own_edges(SetId::next(at)).iter();
                Value::from([
                    (
                        "extends",
                        Value::from((node.parent != NONE).then_some(node.parent)),
                    ),
                    ("beliefs", own.map(|edge| edge.belief.0).collect()),
                    ("total", Value::from(node.total)),
                    ("out", Value::from(node.out)),
                    ("is_in", Value::from(node.is_in)),
                ])
            })
            .collect()
    }

    fn dump_justifications(&self) -> Value {
        (0..self.graph.links.len())
            .map(|at| {
                let id = JustificationId::next(at);
                let link = self.graph.links.at(id);
                Value::from([
                    ("belief", Value::from(link.belief.0)),
                    ("record", record_json(&self.record(id))),
                    ("faults", Value::from(link.faults)),
                    ("is_expired", Value::from(link.is_expired)),
                ])
            })
            .collect()
    }

    fn dump_ledger(&self) -> Value {
        (0..self.graph.names.len())
            .map(|at| {
                let name = NameId::next(at);
                let seed = self.ledger.seeded(name).map(|seed| {
                    let parts = [seed.correct, seed.total].map(float);
                    let as_of = Value::from(seed.as_of.to_string());
                    parts.into_iter().chain([as_of]).collect::<Value>()
                });
                let outcomes = self.ledger.outcomes(name).map(|(at, correct)| {
                    Value::from(vec![Value::from(at.to_string()), Value::from(correct)])
                });
                Value::from([
                    ("name", Value::from(&**self.graph.names.at(name))),
                    ("seed", Value::from(seed)),
                    ("prior", Value::from(self.ledger.prior(name).map(float))),
                    ("outcomes", outcomes.collect()),
                ])
            })
            .collect()
    }

    fn dump_expiring(&self) -> Value {
        self.expiring
            .iter()
            .map(|(micros, id)| Value::from(vec![Value::from(*micros), Value::from(id.0)]))
            .collect()
    }

    fn dump_rules(&self) -> Value {
        let rules = self.rules().map(|rule| {
            let text = format!("{}({})", rule.name, rule.parameters().join(", "));
            (text, rule.version, rule.expression.text(), rule.confidence)
        });
        let rules = rules.map(|(name, version, expression, confidence)| {
            let parts = [
                Value::from(name),
                Value::from(version),
                Value::from(expression),
                float(confidence),
            ];
            parts.into_iter().collect::<Value>()
        });
        let constraints = self.constraints().map(|constraint| {
            let inputs: Object = constraint
                .inputs()
                .map(|(name, key)| (name.to_owned(), Value::from(&**key)))
                .collect();
            let parts = [
                Value::from(&*constraint.name),
                Value::from(constraint.version),
                Value::from(constraint.expression.text()),
                Value::from(inputs),
            ];
            parts.into_iter().collect::<Value>()
        });
        rules.chain(constraints).collect()
    }
}
