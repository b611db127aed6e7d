//! Tools: what an orchestrator registers and a model may ask for.
//!
//! | module | subject |
//! |---|---|
//! | `schema` | the parameters: JSON Schema 2020-12, and which arguments meet it |
//! | `expansion` | schemas that would be looked through without end |
//! | `coerce` | arguments that can be read in one way only, and defaults |
//! | `key` | the key a result gets when the model names none |
//! | `wire` | a definition as JSON |

mod coerce;
mod expansion;
mod key;
mod schema;
mod wire;

use entail_json::{Object, Value};
use entail_kernel::Span;
use entail_kernel::base::{Source, SourceKind};
use entail_kernel::confidence::TrustLevel;

pub use schema::{InvalidArguments, InvalidSchema};
pub use wire::InvalidDefinition;

use crate::text::one_line;
use schema::Schema;

/// What is registered under a tool's name.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// What the tool does, for the model.
    pub description: String,
    /// Its parameters: a JSON Schema (draft 2020-12) of an object.
    pub parameters: Object,
    /// How far its results are trusted.
    pub trust: TrustLevel,
    /// How long a result stays valid.
    pub ttl: Option<Span>,
    /// After how long a result's weight has halved.
    pub half_life: Option<Span>,
    /// Whose word a result is in the end; `tool:NAME` when absent. Two tools of one origin do
    /// not confirm each other.
    pub origin: Option<String>,
    /// Who runs it.
    pub executor: Executor,
}

impl Default for ToolDefinition {
    fn default() -> Self {
        Self {
            description: String::new(),
            parameters: Object::new(),
            trust: TrustLevel::High,
            ttl: None,
            half_life: None,
            origin: None,
            executor: Executor::Client,
        }
    }
}

/// Who runs a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// The orchestrator, which posts the result.
    #[default]
    Client,
    /// The service, which calls a URL.
    Http(HttpExecutor),
}

/// How the service calls a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpExecutor {
    /// Where.
    pub url: String,
    /// With which method; `POST` unless said otherwise.
    pub method: String,
    /// With which headers, in this order.
    pub headers: Vec<(String, String)>,
    /// How long an attempt may take, in milliseconds; the service's own default when absent.
    pub timeout_ms: Option<u64>,
}

/// A registered tool, ready to check arguments.
#[derive(Clone, Debug)]
pub struct Tool {
    name: String,
    definition: ToolDefinition,
    /// The names of the schema's properties in the order in which they were registered. The
    /// journal sorts members, so they are kept apart from the schema.
    order: Vec<String>,
    schema: Schema,
    /// How prompts list it, written once.
    line: Box<str>,
}

impl Tool {
    /// Reads the definition's schema.
    ///
    /// # Errors
    /// [`InvalidSchema`] when the parameters are no usable JSON Schema.
    ///
    /// ```
    /// use entail_json::{read_str, Value};
    /// use entail_session::{Tool, ToolDefinition};
    ///
    /// let Value::Object(parameters) = read_str(
    ///     r#"{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}"#,
    /// )? else { unreachable!() };
    /// let tool = Tool::new("scale", ToolDefinition { parameters, ..ToolDefinition::default() })?;
    ///
    /// let Value::Object(given) = read_str(r#"{"n": "3"}"#)? else { unreachable!() };
    /// let arguments = tool.arguments(&given)?;
    /// assert_eq!(arguments.get("n"), Some(&Value::from(3_i64)));
    /// assert_eq!(tool.default_key(&arguments), "scale:3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(name: &str, definition: ToolDefinition) -> Result<Self, InvalidSchema> {
        let order = key::property_order(&definition.parameters);
        Self::with_order(name, definition, order)
    }

    /// Like [`new`](Self::new), with the order of the properties as it was registered.
    pub(crate) fn with_order(
        name: &str,
        definition: ToolDefinition,
        order: Vec<String>,
    ) -> Result<Self, InvalidSchema> {
        let schema = Schema::compile(&definition.parameters)?;
        let line = line(name, &definition).into();
        Ok(Self {
            name: name.to_owned(),
            definition,
            order,
            schema,
            line,
        })
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was registered.
    #[must_use]
    pub fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    /// Its line in a prompt.
    pub(crate) fn line(&self) -> &str {
        &self.line
    }

    pub(crate) fn order(&self) -> &[String] {
        &self.order
    }

    /// The arguments of a call: those given, read as the schema's types where that is possible
    /// in one way only, and the defaults of those not given.
    ///
    /// # Errors
    /// [`InvalidArguments`], written for the model, when they do not meet the schema.
    pub fn arguments(&self, given: &Object) -> Result<Object, InvalidArguments> {
        let arguments = coerce::coerce(&self.definition.parameters, given);
        self.schema.check(&arguments)?;
        Ok(arguments)
    }

    /// The key of a result when the model names none: `tool:arg1,arg2`.
    #[must_use]
    pub fn default_key(&self, arguments: &Object) -> String {
        key::default_key(&self.name, &self.order, arguments)
    }

    /// The source of a premise that a call of this tool makes.
    pub(crate) fn source(name: &str, origin: Option<&str>, arguments: &Object) -> Source {
        let source = Source::new(SourceKind::Tool, name).with_arguments(arguments.clone().into());
        match origin {
            Some(origin) => source.with_origin(origin),
            None => source,
        }
    }
}

/// `name`: what it does; its arguments.
fn line(name: &str, definition: &ToolDefinition) -> String {
    let schema = Value::from(definition.parameters.clone()).to_string();
    format!(
        "- `{}`: {}; {}\n",
        one_line(name),
        one_line(definition.description.trim()),
        one_line(&schema)
    )
}
