//! What a model was shown.

use entail_json::{Object, Value, read_str};
use entail_kernel::Time;

use crate::fields::{Faults, Fields};

/// What a context showed: the refs and document versions against which a turn is validated.
///
/// It is no commit. It lies beside the journal until a turn uses it; that turn's entry then
/// carries it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Its id.
    pub id: String,
    /// The session's version when it was taken.
    pub version: u64,
    /// The time it was taken for.
    pub as_of: Time,
    /// The beliefs shown, as refs, in order of creation.
    pub refs: Vec<String>,
    /// The documents shown, by name, each with its version.
    pub documents: Vec<(String, u32)>,
    /// The one key that may be claimed, in a context for re-deriving it.
    pub scope: Option<String>,
}

impl Context {
    /// The refs (and the scope) as canonical JSON, to be kept.
    #[must_use]
    pub fn refs_text(&self) -> String {
        let refs: Value = self.refs.iter().map(String::as_str).collect();
        Value::from([("refs", refs), ("scope", self.scope.clone().into())]).to_string()
    }

    /// The document versions as canonical JSON, to be kept.
    #[must_use]
    pub fn documents_text(&self) -> String {
        self.documents_value().to_string()
    }

    pub(crate) fn documents_value(&self) -> Value {
        self.documents
            .iter()
            .map(|(name, version)| (name.clone(), (*version).into()))
            .collect::<Object>()
            .into()
    }

    /// A context from what was kept of it.
    ///
    /// ```
    /// use entail_kernel::Time;
    /// use entail_session::Context;
    ///
    /// let context = Context {
    ///     id: "c".to_owned(),
    ///     version: 3,
    ///     as_of: Time::EPOCH,
    ///     refs: vec!["a@1".to_owned()],
    ///     documents: vec![("10-K".to_owned(), 2)],
    ///     scope: None,
    /// };
    /// let (refs, documents) = (context.refs_text(), context.documents_text());
    /// let kept = Context::from_kept("c", 3, Time::EPOCH, &refs, &documents)?;
    /// assert_eq!(kept, context);
    /// # Ok::<(), entail_session::Faults>(())
    /// ```
    ///
    /// # Errors
    /// When the texts are not what [`refs_text`](Self::refs_text) and
    /// [`documents_text`](Self::documents_text) write.
    pub fn from_kept(
        id: &str,
        version: u64,
        as_of: Time,
        refs: &str,
        documents: &str,
    ) -> Result<Self, Faults> {
        let mut faults = Faults::default();
        let mut read = |text: &str| {
            read_str(text)
                .map_err(|error| faults.push("", error.to_string()))
                .unwrap_or_default()
        };
        let (shown, versions) = (read(refs), read(documents));
        let read = Self::read_parts(id, version, as_of, &shown, &versions, &mut faults);
        faults.settle(read)
    }

    fn read_parts(
        id: &str,
        version: u64,
        as_of: Time,
        shown: &Value,
        documents: &Value,
        faults: &mut Faults,
    ) -> Option<Self> {
        let mut fields = Fields::open(shown, "", faults)?;
        let refs = fields.texts("refs", faults);
        let refs = fields.required("refs", refs, faults)?;
        let scope = fields.text("scope", faults).map(str::to_owned);
        fields.close(faults);
        let documents = read_documents(documents, faults)?;
        Some(Self {
            id: id.to_owned(),
            version,
            as_of,
            refs,
            documents,
            scope,
        })
    }
}

pub(crate) fn read_documents(value: &Value, faults: &mut Faults) -> Option<Vec<(String, u32)>> {
    let Some(object) = value.as_object() else {
        faults.push("/documents", "must be an object of versions");
        return None;
    };
    let mut documents = Vec::with_capacity(object.len());
    for (name, version) in object {
        match version
            .as_u64()
            .and_then(|version| u32::try_from(version).ok())
        {
            Some(version) => documents.push((name.to_owned(), version)),
            None => faults.push(format!("/documents/{name}"), "must be a version"),
        }
    }
    Some(documents)
}

/// What may be asked of a new context; what is `None` follows the session's policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextOptions {
    /// A task for this context in the place of the session's.
    pub task: Option<String>,
    /// So many beliefs at most.
    pub max_beliefs: Option<usize>,
    /// Only keys that begin with one of these.
    pub scope: Option<Vec<String>>,
}

/// A context with the texts to give the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextView {
    /// What the turn that answers it is validated against.
    pub context: Context,
    /// The contract, in words: the same for every context.
    pub system_prompt: &'static str,
    /// What the model is shown.
    pub prompt: String,
    /// The beliefs shown, best first.
    pub visible: Vec<Visible>,
    /// Keys that are disputed or part of a conflict, sorted.
    pub conflicts: Vec<String>,
    /// What the model is told about its last turn; empty when there is nothing to tell.
    pub feedback: String,
}

/// A belief that a context shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Visible {
    /// Its ref.
    pub reference: String,
    /// Its key.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// Its confidence at the context's time.
    pub confidence: f64,
}

impl ContextView {
    /// `{id, version, as_of, system_prompt, prompt, visible, conflicts, feedback}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        let visible: Value = self
            .visible
            .iter()
            .map(|shown| {
                Value::from([
                    ("ref", shown.reference.as_str().into()),
                    ("key", shown.key.as_str().into()),
                    ("value", shown.value.clone()),
                    (
                        "confidence",
                        entail_json::Number::from_f64(shown.confidence).into(),
                    ),
                ])
            })
            .collect();
        Value::from([
            ("id", self.context.id.as_str().into()),
            ("version", self.context.version.into()),
            ("as_of", self.context.as_of.to_string().into()),
            ("system_prompt", self.system_prompt.into()),
            ("prompt", self.prompt.as_str().into()),
            ("visible", visible),
            (
                "conflicts",
                self.conflicts.iter().map(String::as_str).collect(),
            ),
            ("feedback", self.feedback.as_str().into()),
        ])
    }
}
