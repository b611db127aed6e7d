//! Proofs as JSON.

use entail_json::{Object, Value};

use super::{Proof, ProofStep};
use crate::base::{
    Base, BeliefId, Justification, JustificationKind, LostInSets, SetId, Status, citation_json,
    float, source_json,
};

impl Proof<'_> {
    /// The proof as JSON: `as_of`, `roots`, `steps` in dependency order, and `sets`.
    ///
    /// A step's antecedents are the refs that its `antecedents` list and, where it has `all_of`,
    /// everything that the set of that name in `sets` lists, with what that set has `all_of` in
    /// turn. Sets that many steps share are written once, so the size is linear in the proof.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut known = LostInSets::default();
        let steps = self.steps().map(|step| self.step_json(&step, &mut known));
        let steps = steps.collect();
        Value::from([
            ("as_of", Value::from(self.at.to_string())),
            ("roots", self.refs(&self.roots)),
            ("steps", steps),
            (
                "sets",
                self.shared_sets()
                    .map(|set| {
                        let mut out = Object::new();
                        out.insert("name", name(set).into());
                        self.put_rest(self.members(set), &mut out);
                        Value::from(out)
                    })
                    .collect(),
            ),
        ])
    }

    fn refs(&self, beliefs: &[BeliefId]) -> Value {
        let refs = beliefs.iter().filter_map(|id| self.base.ref_of(*id));
        refs.map(|reference| reference.to_string()).collect()
    }

    fn put_rest(&self, (beliefs, shared): (Vec<BeliefId>, Option<SetId>), out: &mut Object) {
        out.insert("antecedents", self.refs(&beliefs));
        if let Some(set) = shared {
            out.insert("all_of", name(set).into());
        }
    }

    fn step_json(&self, step: &ProofStep<'_>, known: &mut LostInSets) -> Value {
        let belief = &step.belief;
        let mut out = Object::from([
            ("ref", Value::from(belief.reference().to_string())),
            ("key", Value::from(&**belief.key)),
            ("revision", Value::from(belief.revision)),
            ("value", belief.value.clone()),
            ("status", Value::from(belief.status.to_string())),
            ("confidence", float(step.confidence)),
            ("created_at", Value::from(belief.created_at.to_string())),
        ]);
        if let Some(claim) = belief.claim {
            out.insert("claim", claim.into());
        }
        if belief.status == Status::Out {
            let why = self.base.out_in_words(belief.id, known);
            out.insert("why_out", why.into());
        }
        if let Some(justification) = &step.justification {
            out.insert("justification", self.justification_json(justification));
            let others = self.corroboration(justification);
            if !others.is_empty() {
                out.insert("corroborated_by", others.into());
            }
        }
        out.into()
    }

    /// The sources of other valid premises of a belief that a premise supports.
    fn corroboration(&self, shown: &Justification<'_>) -> Vec<String> {
        if shown.kind != JustificationKind::Premise || !shown.is_valid {
            return Vec::new();
        }
        self.base
            .justifications(shown.belief)
            .into_iter()
            .filter(|other| {
                other.is_valid && other.id != shown.id && other.kind == JustificationKind::Premise
            })
            .map(|other| other.source.label())
            .collect()
    }

    fn justification_json(&self, justification: &Justification<'_>) -> Value {
        let mut out = Object::from([
            ("kind", Value::from(justification.kind.word())),
            ("source", source_json(&justification.source)),
        ]);
        let rest = justification
            .antecedents
            .map_or((Vec::new(), None), |set| self.antecedents(set));
        self.put_rest(rest, &mut out);
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                out.insert(name, value);
            }
        };
        let unless = justification.unless.iter().map(|key| Value::from(&***key));
        let unless: Vec<Value> = unless.collect();
        put("unless", (!unless.is_empty()).then(|| unless.into()));
        put("rule_version", justification.rule_version.map(Value::from));
        put("formula", justification.formula.map(Value::from));
        put("confidence", justification.confidence.map(float));
        let valid_until = justification.valid_until;
        put("valid_until", valid_until.map(|at| at.to_string().into()));
        put(
            "half_life_s",
            justification.half_life.map(|span| float(span.seconds())),
        );
        put("citation", justification.citation.map(citation_json));
        put("note", justification.note.map(Value::from));
        put("at", Some(justification.created_at.to_string().into()));
        out.into()
    }
}

impl crate::base::WhyOut {
    /// As an object with what applies: `retracted`, `expired`, `lost` (refs), `defeated_by`
    /// (keys).
    #[must_use]
    pub fn to_json(&self, base: &Base) -> Value {
        let mut out = Object::new();
        if self.retracted {
            out.insert("retracted", true.into());
        }
        if self.expired {
            out.insert("expired", true.into());
        }
        if !self.lost.is_empty() {
            let lost = self.lost.iter().filter_map(|id| base.ref_of(*id));
            out.insert(
                "lost",
                lost.map(|reference| reference.to_string()).collect(),
            );
        }
        if !self.defeated_by.is_empty() {
            let by = self.defeated_by.iter().map(ToString::to_string);
            out.insert("defeated_by", by.collect());
        }
        out.into()
    }
}

/// What a shared set is called.
pub(super) fn name(set: SetId) -> String {
    format!("s{}", set.number())
}
