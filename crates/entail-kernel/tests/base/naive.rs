//! A deliberately naive belief base: lists, loops over everything, and labels and confidences
//! computed from scratch after every step.

use std::collections::{BTreeMap, BTreeSet};

use entail_json::Value;
use entail_kernel::equality::values_equal;

use crate::steps::Operation;

#[derive(Clone, Debug)]
pub(crate) struct Belief {
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) is_retracted: bool,
    pub(crate) is_in: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Reason {
    belief: usize,
    is_premise: bool,
    antecedents: Vec<usize>,
    unless: Vec<String>,
    source: String,
    origin: String,
    confidence: Option<f64>,
    until: Option<i64>,
    half_life: Option<i64>,
    at: i64,
    is_expired: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Naive {
    pub(crate) beliefs: Vec<Belief>,
    /// Oldest first; one that took the place of another is the newest.
    pub(crate) reasons: Vec<Reason>,
    pub(crate) outcomes: Vec<(String, i64, bool)>,
    pub(crate) now: i64,
    pub(crate) memory_half_life: Option<i64>,
}

pub(crate) type Outcome = Result<Vec<usize>, &'static str>;

impl Naive {
    /// Performs an operation; gives the beliefs that it speaks of. On an error nothing changed.
    pub(crate) fn perform(&mut self, operation: &Operation) -> Outcome {
        let before = self.clone();
        let done = self.act(operation).and_then(|done| {
            self.label()?;
            Ok(done)
        });
        if done.is_err() {
            *self = before;
        }
        done
    }

    fn act(&mut self, operation: &Operation) -> Outcome {
        match operation {
            Operation::Assert {
                key,
                value,
                source,
                origin,
                confidence,
                supersede,
                ttl,
                half_life,
            } => {
                let kept = self.equal_in(key, value);
                let renewable = self.renewable(key, value);
                if *supersede {
                    for id in self.believed(key) {
                        self.beliefs[id].is_retracted |= Some(id) != kept;
                    }
                    self.label()?;
                }
                let origin = origin.clone().unwrap_or_else(|| source.clone());
                let id = if let Some(id) = kept {
                    self.agree(id, source, &origin);
                    id
                } else {
                    renewable.unwrap_or_else(|| self.add(key, value))
                };
                self.reasons.retain(|reason| {
                    let is_own = reason.is_premise
                        && reason.belief == id
                        && (&reason.source, &reason.origin) == (source, &origin);
                    !is_own
                });
                self.reasons.push(Reason {
                    belief: id,
                    is_premise: true,
                    antecedents: Vec::new(),
                    unless: Vec::new(),
                    source: source.clone(),
                    origin,
                    confidence: *confidence,
                    until: ttl.map(|ttl| self.now + ttl),
                    half_life: *half_life,
                    at: self.now,
                    is_expired: false,
                });
                Ok(vec![id])
            }
            Operation::Justify {
                key,
                value,
                antecedents,
                unless,
                confidence,
            } => {
                let antecedents = antecedents
                    .iter()
                    .map(|target| self.antecedent(target))
                    .collect::<Result<Vec<_>, _>>()?;
                let id = self
                    .equal_in(key, value)
                    .unwrap_or_else(|| self.add(key, value));
                self.reasons.push(Reason {
                    belief: id,
                    is_premise: false,
                    antecedents,
                    unless: unless.clone(),
                    source: "model:m".to_owned(),
                    origin: "model:m".to_owned(),
                    confidence: *confidence,
                    until: None,
                    half_life: None,
                    at: self.now,
                    is_expired: false,
                });
                Ok(vec![id])
            }
            Operation::Retract { target, blames } => {
                let mut ids = self.named(target)?.map_or_else(
                    || {
                        let ids = self.believed(target);
                        if ids.is_empty() {
                            Err("not_believed")
                        } else {
                            Ok(ids)
                        }
                    },
                    |id| Ok(vec![id]),
                )?;
                ids.retain(|id| !self.beliefs[*id].is_retracted);
                if *blames {
                    for id in &ids {
                        for source in self.accountable(*id) {
                            self.outcomes.push((source, self.now, false));
                        }
                    }
                }
                for id in &ids {
                    self.beliefs[*id].is_retracted = true;
                }
                Ok(ids)
            }
            Operation::Restore { target } => {
                let id = match self.named(target)? {
                    Some(id) => Some(id).filter(|id| self.beliefs[*id].is_retracted),
                    None => self
                        .revisions(target)
                        .into_iter()
                        .rfind(|id| self.beliefs[*id].is_retracted),
                };
                let id = id.ok_or("not_believed")?;
                self.beliefs[id].is_retracted = false;
                Ok(vec![id])
            }
            Operation::Outcome { source, correct } => {
                self.outcomes.push((source.clone(), self.now, *correct));
                Ok(Vec::new())
            }
            Operation::Resolve { key, keep, learn } => {
                if !self.is_disputed(key) {
                    return Err("no_conflict");
                }
                let sides = self.believed(key);
                let kept = sides[keep % sides.len()];
                let lost: Vec<_> = sides.into_iter().filter(|id| *id != kept).collect();
                if *learn {
                    let winner = std::iter::once((kept, true));
                    for (id, correct) in lost.iter().map(|id| (*id, false)).chain(winner) {
                        for source in self.accountable(id) {
                            self.outcomes.push((source, self.now, correct));
                        }
                    }
                }
                for id in &lost {
                    self.beliefs[*id].is_retracted = true;
                }
                Ok(lost)
            }
            Operation::Advance { seconds } => {
                self.now += seconds;
                for reason in &mut self.reasons {
                    reason.is_expired |= reason.until.is_some_and(|until| until <= self.now);
                }
                Ok(Vec::new())
            }
        }
    }

    fn revisions(&self, key: &str) -> Vec<usize> {
        (0..self.beliefs.len())
            .filter(|id| self.beliefs[*id].key == key)
            .collect()
    }

    pub(crate) fn believed(&self, key: &str) -> Vec<usize> {
        let mut ids = self.revisions(key);
        ids.retain(|id| self.beliefs[*id].is_in);
        ids
    }

    fn equal_in(&self, key: &str, value: &Value) -> Option<usize> {
        let ids = self.believed(key).into_iter();
        ids.rev()
            .find(|id| values_equal(&self.beliefs[*id].value, value))
    }

    fn renewable(&self, key: &str, value: &Value) -> Option<usize> {
        let latest = *self.revisions(key).last()?;
        let belief = &self.beliefs[latest];
        let fits = self.believed(key).is_empty()
            && !belief.is_retracted
            && values_equal(&belief.value, value);
        fits.then_some(latest)
    }

    fn add(&mut self, key: &str, value: &Value) -> usize {
        let name = format!("{key}@{}", self.revisions(key).len() + 1);
        self.beliefs.push(Belief {
            key: key.to_owned(),
            name,
            value: value.clone(),
            is_retracted: false,
            is_in: false,
        });
        self.beliefs.len() - 1
    }

    pub(crate) fn is_disputed(&self, key: &str) -> bool {
        let ids = self.believed(key);
        ids.iter()
            .any(|id| !values_equal(&self.beliefs[ids[0]].value, &self.beliefs[*id].value))
    }

    /// The belief that a ref names; `None` for a key that is known.
    fn named(&self, target: &str) -> Result<Option<usize>, &'static str> {
        if target.contains('@') {
            let found = self.beliefs.iter().position(|belief| belief.name == target);
            found.map(Some).ok_or("unknown_belief")
        } else if self.revisions(target).is_empty() {
            Err("unknown_belief")
        } else {
            Ok(None)
        }
    }

    fn antecedent(&self, target: &str) -> Result<usize, &'static str> {
        let id = match self.named(target)? {
            Some(id) => id,
            None => *self.believed(target).last().ok_or("not_believed")?,
        };
        if !self.beliefs[id].is_in {
            return Err("not_believed");
        }
        if self.is_disputed(&self.beliefs[id].key) {
            return Err("unresolved_conflict");
        }
        Ok(id)
    }

    fn agree(&mut self, id: usize, source: &str, origin: &str) {
        let premises = self
            .reasons
            .iter()
            .filter(|reason| reason.belief == id && reason.is_premise);
        let mut others = BTreeSet::new();
        for reason in premises {
            if reason.source == source && reason.origin == origin {
                return;
            }
            if reason.origin != origin && self.is_valid(reason) {
                others.insert(reason.source.clone());
            }
        }
        if !others.is_empty() {
            for source in std::iter::once(source.to_owned()).chain(others) {
                self.outcomes.push((source, self.now, true));
            }
        }
    }

    fn accountable(&self, id: usize) -> BTreeSet<String> {
        let reasons = self.reasons.iter().filter(|reason| reason.belief == id);
        reasons.map(|reason| reason.source.clone()).collect()
    }

    fn is_valid(&self, reason: &Reason) -> bool {
        !reason.is_expired
            && reason.antecedents.iter().all(|id| self.beliefs[*id].is_in)
            && reason
                .unless
                .iter()
                .all(|key| self.believed(key).is_empty())
    }

    /// What a belief leads to directly, and whether by its absence.
    fn leads_to(&self, id: usize) -> Vec<(usize, bool)> {
        let mut to = Vec::new();
        for reason in &self.reasons {
            if reason.antecedents.contains(&id) {
                to.push((reason.belief, false));
            }
            if reason.unless.contains(&self.beliefs[id].key) {
                to.push((reason.belief, true));
            }
        }
        to
    }

    pub(crate) fn dependents(&self, id: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            for (next, _) in self.leads_to(id) {
                if found.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    /// Labels everything from scratch: what can be reached from nothing, stratum by stratum.
    fn label(&mut self) -> Result<(), &'static str> {
        let downstream: Vec<_> = (0..self.beliefs.len())
            .map(|id| self.dependents(id))
            .collect();
        for id in 0..self.beliefs.len() {
            let is_loop = |next: usize| next == id || downstream[next].contains(&id);
            if self
                .leads_to(id)
                .iter()
                .any(|(next, is_absence)| *is_absence && is_loop(*next))
            {
                return Err("circular_defeat");
            }
        }
        for belief in &mut self.beliefs {
            belief.is_in = false;
        }
        let mut open: BTreeSet<_> = (0..self.beliefs.len()).collect();
        while !open.is_empty() {
            // Those that nothing open leads to, except what they lead to themselves.
            let stratum: Vec<_> = open
                .iter()
                .copied()
                .filter(|id| {
                    open.iter().all(|other| {
                        !downstream[*other].contains(id) || downstream[*id].contains(other)
                    })
                })
                .collect();
            loop {
                let found = stratum.iter().copied().find(|id| {
                    let belief = &self.beliefs[*id];
                    let mut reasons = self.reasons.iter().filter(|reason| reason.belief == *id);
                    !belief.is_in
                        && !belief.is_retracted
                        && reasons.any(|reason| self.is_valid(reason))
                });
                let Some(found) = found else { break };
                self.beliefs[found].is_in = true;
            }
            open.retain(|id| !stratum.contains(id));
        }
        Ok(())
    }

    pub(crate) fn reliability(&self, source: &str, prior: Option<f64>) -> f64 {
        let prior = prior.unwrap_or(match source.split_once(':').unwrap().0 {
            "human" => 0.99,
            "tool" => 0.95,
            "assumption" => 0.6,
            _ => 0.9,
        });
        let (mut correct, mut total) = (0.0, 0.0);
        for (name, at, is_right) in &self.outcomes {
            if name == source {
                let weight = self.memory_half_life.map_or(1.0, |half_life| {
                    0.5_f64.powf((self.now - at) as f64 / half_life as f64)
                });
                total += weight;
                correct += if *is_right { weight } else { 0.0 };
            }
        }
        (prior * 10.0 + correct) / (10.0 + total)
    }

    /// The least fixpoint from zero, by going over everything until nothing grows.
    pub(crate) fn confidences(&self) -> Vec<f64> {
        let mut confidence = vec![0.0; self.beliefs.len()];
        loop {
            let mut grew = false;
            for (id, belief) in self.beliefs.iter().enumerate() {
                if belief.is_in {
                    let better = self.confidence(id, &confidence);
                    grew |= better > confidence[id];
                    confidence[id] = better.max(confidence[id]);
                }
            }
            if !grew {
                return confidence;
            }
        }
    }

    fn confidence(&self, id: usize, confidence: &[f64]) -> f64 {
        let mut by_origin: BTreeMap<&str, f64> = BTreeMap::new();
        let mut derived = 0.0_f64;
        for reason in &self.reasons {
            if reason.belief != id || !self.is_valid(reason) {
                continue;
            }
            if reason.is_premise {
                let age = (self.now - reason.at) as f64;
                let fading = reason
                    .half_life
                    .map_or(1.0, |half_life| 0.5_f64.powf(age / half_life as f64));
                let value = self.reliability(&reason.source, reason.confidence) * fading;
                let best = by_origin.entry(&reason.origin).or_default();
                *best = best.max(value);
            } else {
                let step =
                    self.reliability(&reason.source, None) * reason.confidence.unwrap_or(1.0);
                let least = reason.antecedents.iter().map(|id| confidence[*id]);
                derived = derived.max(step * least.fold(1.0, f64::min));
            }
        }
        let doubt: f64 = by_origin.values().map(|value| 1.0 - value).product();
        derived.max(1.0 - doubt)
    }

    /// Why a belief is out: whether it was retracted, has expired, keys lost, keys that defeat it.
    pub(crate) fn why_out(&self, id: usize) -> (bool, bool, BTreeSet<String>, BTreeSet<String>) {
        let none = BTreeSet::new;
        if self.beliefs[id].is_retracted {
            return (true, false, none(), none());
        }
        let newest = self
            .reasons
            .iter()
            .rfind(|reason| reason.belief == id)
            .unwrap();
        if newest.is_expired {
            return (false, true, none(), none());
        }
        let lost = newest
            .antecedents
            .iter()
            .filter(|id| !self.beliefs[**id].is_in);
        let lost = lost.map(|id| self.beliefs[*id].name.clone()).collect();
        let defeated = newest
            .unless
            .iter()
            .filter(|key| !self.believed(key).is_empty());
        (false, false, lost, defeated.cloned().collect())
    }

    pub(crate) fn stale(&self) -> BTreeSet<String> {
        let keys: BTreeSet<_> = self.beliefs.iter().map(|belief| &belief.key).collect();
        keys.into_iter()
            .filter(|key| self.believed(key).is_empty())
            .map(|key| *self.revisions(key).last().unwrap())
            .filter(|id| !self.beliefs[*id].is_retracted)
            .filter(|id| {
                self.reasons
                    .iter()
                    .filter(|reason| reason.belief == *id)
                    .all(|reason| reason.is_premise && reason.is_expired)
            })
            .map(|id| self.beliefs[id].name.clone())
            .collect()
    }
}
