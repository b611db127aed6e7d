//! What a session goes by.

use entail_json::{Number, Object, Value};
use entail_kernel::Time;
use entail_kernel::base::{ConflictPolicy, Settings, SourceKind};
use entail_kernel::confidence::{LedgerSettings, TrustPolicy};

use crate::fields::{Faults, Fields};
use crate::limits::{LABEL_NAME_BYTES, LABEL_VALUE_BYTES, LABELS, MAX_BELIEFS};

/// What a claim depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dependencies {
    /// On every belief that its context showed and on every earlier claim of the response.
    #[default]
    Conservative,
    /// On what it lists in `follows_from` and on the keys of its formula.
    Declared,
}

impl Dependencies {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Declared => "declared",
        }
    }
}

/// The policy of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// What a claim depends on.
    pub dependencies: Dependencies,
    /// How conflicts are settled without a person; not at all when absent.
    pub conflict: Option<ConflictPolicy>,
    /// Beliefs below this confidence are not shown to a model.
    pub min_confidence: f64,
    /// So many beliefs are shown to a model at most.
    pub max_beliefs: usize,
    /// Whom to trust how much. Its own `min_confidence` follows the one above.
    pub trust: TrustPolicy,
    /// How the trust ledger weighs what it has seen.
    pub ledger: LedgerSettings,
    /// Whether formulas and citations teach the ledger about the model.
    pub learn: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            dependencies: Dependencies::Conservative,
            conflict: None,
            min_confidence: 0.0,
            max_beliefs: MAX_BELIEFS,
            trust: TrustPolicy::default(),
            ledger: LedgerSettings::default(),
            learn: true,
        }
    }
}

impl Policy {
    /// Reads a policy; what is not given has its default.
    ///
    /// ```
    /// use entail_session::{Dependencies, Policy};
    ///
    /// let value = entail_json::read_str(r#"{"dependencies": "declared", "max_beliefs": 50}"#)?;
    /// let policy = Policy::read(&value, "/policy")?;
    /// assert_eq!((policy.dependencies, policy.max_beliefs), (Dependencies::Declared, 50));
    /// assert_eq!(Policy::read(&policy.to_value(), "")?, policy);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Every fault, its pointer beginning with `pointer`.
    pub fn read(value: &Value, pointer: &str) -> Result<Self, Faults> {
        Self::default().changed(value, pointer)
    }

    /// This policy with the members of a value put in the place of its own.
    ///
    /// # Errors
    /// Every fault, its pointer beginning with `pointer`.
    pub fn changed(&self, value: &Value, pointer: &str) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let read = self.clone().with(value, pointer, &mut faults);
        faults.settle(read)
    }

    fn with(mut self, value: &Value, pointer: &str, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, pointer, faults)?;
        match fields.text("dependencies", faults) {
            None => {}
            Some("conservative") => self.dependencies = Dependencies::Conservative,
            Some("declared") => self.dependencies = Dependencies::Declared,
            Some(other) => faults.push(
                fields.at("dependencies"),
                format!("is `{other}`: use `conservative` or `declared`"),
            ),
        }
        if let Some(value) = fields.value("conflict") {
            self.conflict = conflict(value, &fields.at("conflict"), faults);
        }
        if let Some(share) = fields.share("min_confidence", faults) {
            self.min_confidence = share;
        }
        if let Some(count) = fields.count("max_beliefs", faults) {
            self.max_beliefs = usize::try_from(count).unwrap_or(usize::MAX);
        }
        if let Some(value) = fields.value("trust") {
            read_trust(&mut self.trust, value, &fields.at("trust"), faults);
        }
        if let Some(value) = fields.value("ledger") {
            read_ledger(&mut self.ledger, value, &fields.at("ledger"), faults);
        }
        if let Some(learn) = fields.flag("learn", faults) {
            self.learn = learn;
        }
        fields.close(faults);
        self.trust.min_confidence = self.min_confidence;
        Some(self)
    }

    /// The policy as a value that [`read`](Self::read) reads.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let conflict = match &self.conflict {
            None => Value::from("none"),
            Some(ConflictPolicy::HigherConfidence { margin }) => Value::from([
                ("kind", "higher_confidence".into()),
                ("margin", float(*margin)),
            ]),
            Some(ConflictPolicy::Newest) => Value::from([("kind", "newest".into())]),
            Some(ConflictPolicy::SourceRank { order }) => Value::from([
                ("kind", "source_rank".into()),
                ("order", kinds_value(order)),
            ]),
        };
        Value::from([
            ("dependencies", self.dependencies.word().into()),
            ("conflict", conflict),
            ("min_confidence", float(self.min_confidence)),
            ("max_beliefs", self.max_beliefs.into()),
            ("trust", trust_value(&self.trust)),
            ("ledger", ledger_value(&self.ledger)),
            ("learn", self.learn.into()),
        ])
    }

    /// What the belief base goes by.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            trust: self.trust.clone(),
            ledger: self.ledger,
        }
    }
}

fn conflict(value: &Value, pointer: &str, faults: &mut Faults) -> Option<ConflictPolicy> {
    let word_only = Object::from([("kind", value.clone())]);
    let mut fields = match value {
        Value::String(_) => Fields::of(&word_only, pointer),
        _ => Fields::open(value, pointer, faults)?,
    };
    let kind = fields.text("kind", faults);
    let policy = match fields.required("kind", kind, faults)? {
        "none" => None,
        "higher_confidence" => Some(ConflictPolicy::HigherConfidence {
            margin: fields.share("margin", faults).unwrap_or(0.0),
        }),
        "newest" => Some(ConflictPolicy::Newest),
        "source_rank" => Some(ConflictPolicy::SourceRank {
            order: kinds("order", &mut fields, faults).unwrap_or_default(),
        }),
        other => {
            faults.push(
                pointer,
                format!("is `{other}`: use `none`, `higher_confidence`, `newest` or `source_rank`"),
            );
            None
        }
    };
    fields.close(faults);
    policy
}

fn kinds(
    name: &'static str,
    fields: &mut Fields<'_>,
    faults: &mut Faults,
) -> Option<Vec<SourceKind>> {
    let words = fields.texts(name, faults)?;
    let mut kinds = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        match word.parse() {
            Ok(kind) if !kinds.contains(&kind) => kinds.push(kind),
            Ok(_) => faults.push(format!("{}/{index}", fields.at(name)), "is named twice"),
            Err(_) => faults.push(
                format!("{}/{index}", fields.at(name)),
                format!("`{word}` is no kind of source"),
            ),
        }
    }
    Some(kinds)
}

fn read_trust(trust: &mut TrustPolicy, value: &Value, pointer: &str, faults: &mut Faults) {
    let Some(mut fields) = Fields::open(value, pointer, faults) else {
        return;
    };
    if let Some(value) = fields.value("priors")
        && let Some(mut priors) = Fields::open(value, &fields.at("priors"), faults)
    {
        for (name, prior) in [
            ("human", &mut trust.priors.human),
            ("tool", &mut trust.priors.tool),
            ("document", &mut trust.priors.document),
            ("model", &mut trust.priors.model),
            ("assumption", &mut trust.priors.assumption),
            ("rule", &mut trust.priors.rule),
        ] {
            if let Some(share) = priors.share(name, faults) {
                *prior = share;
            }
        }
        priors.close(faults);
    }
    if let Some(overrides) = fields.object("overrides", faults) {
        let place = fields.at("overrides");
        trust.overrides.clear();
        for (source, prior) in overrides {
            let at = crate::fields::member(&place, source);
            if let Err(error) = source.parse::<entail_kernel::base::Source>() {
                faults.push(&at, error.to_string());
            }
            match prior.as_f64().filter(|prior| (0.0..=1.0).contains(prior)) {
                Some(prior) => {
                    trust.overrides.insert(source.to_owned(), prior);
                }
                None => faults.push(&at, "must be a number from 0 to 1"),
            }
        }
    }
    if let Some(order) = kinds("source_rank", &mut fields, faults) {
        trust.source_rank = order;
    }
    if let Some(on) = fields.flag("corroboration", faults) {
        trust.corroboration = on;
    }
    fields.close(faults);
}

fn read_ledger(ledger: &mut LedgerSettings, value: &Value, pointer: &str, faults: &mut Faults) {
    let Some(mut fields) = Fields::open(value, pointer, faults) else {
        return;
    };
    if let Some(weight) = fields.number("prior_weight", faults) {
        if weight > 0.0 && weight.is_finite() {
            ledger.prior_weight = weight;
        } else {
            faults.push(fields.at("prior_weight"), "must be positive");
        }
    }
    match fields.any("memory_half_life_s") {
        Some(Value::Null) => ledger.memory_half_life = None,
        Some(_) => {
            if let Some(span) = fields.seconds("memory_half_life_s", faults) {
                ledger.memory_half_life = Some(span);
            }
        }
        None => {}
    }
    fields.close(faults);
}

fn float(number: f64) -> Value {
    Number::from_f64(number).into()
}

fn kinds_value(kinds: &[SourceKind]) -> Value {
    kinds.iter().map(|kind| kind.word()).collect()
}

/// A trust policy without its `min_confidence`, which stands beside it.
fn trust_value(trust: &TrustPolicy) -> Value {
    let priors = Value::from([
        ("human", float(trust.priors.human)),
        ("tool", float(trust.priors.tool)),
        ("document", float(trust.priors.document)),
        ("model", float(trust.priors.model)),
        ("assumption", float(trust.priors.assumption)),
        ("rule", float(trust.priors.rule)),
    ]);
    let overrides: Object = trust
        .overrides
        .iter()
        .map(|(source, prior)| (source.clone(), float(*prior)))
        .collect();
    Value::from([
        ("priors", priors),
        ("overrides", overrides.into()),
        ("source_rank", kinds_value(&trust.source_rank)),
        ("corroboration", trust.corroboration.into()),
    ])
}

fn ledger_value(ledger: &LedgerSettings) -> Value {
    let half_life = ledger.memory_half_life.map(|span| float(span.seconds()));
    Value::from([
        ("prior_weight", float(ledger.prior_weight)),
        ("memory_half_life_s", half_life.into()),
    ])
}

/// What a session is about and what it goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The task, in words.
    pub task: String,
    /// How to go about it, for the model.
    pub instructions: Option<String>,
    /// The policy.
    pub policy: Policy,
    /// The owner's labels, sorted by name.
    pub labels: Labels,
    /// When the session is given up if it still is open.
    pub expires_at: Option<Time>,
}

impl Options {
    pub(crate) fn members(&self) -> [(&'static str, Value); 5] {
        [
            ("task", self.task.as_str().into()),
            ("instructions", self.instructions.clone().into()),
            ("policy", self.policy.to_value()),
            ("labels", labels_value(&self.labels)),
            (
                "expires_at",
                self.expires_at.map(|time| time.to_string()).into(),
            ),
        ]
    }

    /// `{task, instructions, policy, labels, expires_at}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from(self.members())
    }
}

/// Labels of a session: names and values, sorted by name.
pub type Labels = std::collections::BTreeMap<String, String>;

/// Reads labels: an object of strings.
///
/// # Errors
/// Every fault, its pointer beginning with `pointer`.
pub fn read_labels(value: &Value, pointer: &str) -> Result<Labels, Faults> {
    let mut faults = Faults::default();
    let mut labels = Labels::new();
    match value {
        Value::Object(object) => {
            if object.len() > LABELS {
                faults.push(
                    pointer,
                    format!("holds {} labels, the limit is {LABELS}", object.len()),
                );
            }
            for (name, value) in object {
                let at = crate::fields::member(pointer, name);
                if name.is_empty() || name.len() > LABEL_NAME_BYTES {
                    faults.push(
                        &at,
                        format!("is no label name: use 1 to {LABEL_NAME_BYTES} bytes"),
                    );
                }
                match value.as_str() {
                    Some(text) if text.len() <= LABEL_VALUE_BYTES => {
                        labels.insert(name.to_owned(), text.to_owned());
                    }
                    Some(_) => {
                        faults.push(&at, format!("is longer than {LABEL_VALUE_BYTES} bytes"))
                    }
                    None => faults.push(&at, "must be a string"),
                }
            }
        }
        _ => faults.push(pointer, "must be an object of strings"),
    }
    faults.settle(Some(labels))
}

pub(crate) fn labels_value(labels: &Labels) -> Value {
    labels
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().into()))
        .collect::<Object>()
        .into()
}
