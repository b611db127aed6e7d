//! The calls of a session: what was asked of tools, and what came of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use entail_json::{Digest, Object, Value, sha256, to_canonical};
use entail_kernel::base::{Source, object_bytes};
use rustc_hash::FxHashMap;

use crate::event::CallOpened;
use crate::heap::ENTRY;
use crate::outcome::HttpCall;
use crate::tool::{Executor, Tool};

/// Where a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallState {
    /// It waits for its result.
    Pending,
    /// It was answered with a value.
    Returned {
        /// The digest of the value's canonical JSON.
        sha256: Digest,
    },
    /// It was answered with an error.
    Failed {
        /// The digest of the error.
        sha256: Digest,
    },
    /// It was given up.
    Abandoned,
}

impl CallState {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Returned { .. } => "returned",
            Self::Failed { .. } => "failed",
            Self::Abandoned => "abandoned",
        }
    }

    /// The state of a call with this result.
    pub(crate) fn of(result: &Result<Value, String>) -> Self {
        match result {
            Ok(value) => Self::Returned {
                sha256: sha256(to_canonical(value).as_bytes()),
            },
            Err(error) => Self::Failed {
                sha256: sha256(error.as_bytes()),
            },
        }
    }
}

/// One call.
#[derive(Clone, Debug)]
pub struct Call {
    pub(crate) opened: Arc<CallOpened>,
    /// The version of the commit that opened it.
    pub(crate) version: u64,
    pub(crate) state: CallState,
}

impl Call {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.opened.call_id
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.opened.tool
    }

    /// The arguments.
    #[must_use]
    pub fn arguments(&self) -> &Object {
        &self.opened.arguments
    }

    /// The key its result stands under.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.opened.key
    }

    /// The turn that opened it.
    #[must_use]
    pub const fn turn(&self) -> u64 {
        self.version
    }

    /// Where it stands.
    #[must_use]
    pub const fn state(&self) -> CallState {
        self.state
    }

    /// The source of the premise that its result makes.
    pub(crate) fn source(&self) -> Source {
        let opened = &self.opened;
        Tool::source(&opened.tool, opened.origin.as_deref(), &opened.arguments)
    }

    /// What the service has to do for it, if it is the service that runs the tool.
    #[must_use]
    pub fn http(&self) -> Option<HttpCall> {
        match &self.opened.executor {
            Executor::Client => None,
            Executor::Http(executor) => Some(HttpCall {
                call_id: self.opened.call_id.clone(),
                tool: self.opened.tool.clone(),
                arguments: self.opened.arguments.clone(),
                executor: executor.clone(),
            }),
        }
    }

    /// `{call_id, tool, args, key, state, turn, executor}`
    #[must_use]
    pub fn to_value(&self) -> Value {
        let executor = match self.opened.executor {
            Executor::Client => "client",
            Executor::Http(_) => "http",
        };
        Value::from([
            ("call_id", self.id().into()),
            ("tool", self.tool().into()),
            ("args", self.arguments().clone().into()),
            ("key", self.key().into()),
            ("state", self.state.word().into()),
            ("turn", self.version.into()),
            ("executor", executor.into()),
        ])
    }
}

/// Every call, in the order in which they were opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    list: Vec<Call>,
    by_id: FxHashMap<String, usize>,
    open: BTreeSet<usize>,
    open_by_key: FxHashMap<String, usize>,
}

impl Calls {
    pub(crate) fn get(&self, id: &str) -> Option<&Call> {
        self.by_id.get(id).and_then(|at| self.list.get(*at))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Call> {
        self.list.iter()
    }

    pub(crate) fn open(&self) -> impl Iterator<Item = &Call> {
        self.open.iter().filter_map(|at| self.list.get(*at))
    }

    pub(crate) fn open_count(&self) -> usize {
        self.open.len()
    }

    /// The open call that will fill a key.
    pub(crate) fn filling(&self, key: &str) -> Option<&Call> {
        self.open_by_key.get(key).and_then(|at| self.list.get(*at))
    }

    /// Bytes on the heap, about.
    pub(crate) fn heap_bytes(&self) -> usize {
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        let calls = self.list.iter().map(|call| {
            let opened = &call.opened;
            size_of::<CallOpened>()
                + 2 * opened.call_id.len()
                + opened.tool.len()
                + opened.key.len()
                + opened.step_id.len()
                + text(&opened.claim)
                + text(&opened.origin)
                + object_bytes(&opened.arguments)
                + ENTRY
        });
        let open = self.open_by_key.keys().map(|key| key.len() + 2 * ENTRY);
        self.list.capacity() * size_of::<Call>() + calls.sum::<usize>() + open.sum::<usize>()
    }

    pub(crate) fn push(&mut self, opened: Arc<CallOpened>, version: u64) {
        let at = self.list.len();
        self.by_id.insert(opened.call_id.clone(), at);
        self.open_by_key.insert(opened.key.clone(), at);
        self.open.insert(at);
        self.list.push(Call {
            opened,
            version,
            state: CallState::Pending,
        });
    }

    /// Takes the newest call away again. It is open.
    pub(crate) fn pop(&mut self) {
        let Some(call) = self.list.pop() else { return };
        self.by_id.remove(&call.opened.call_id);
        self.open.remove(&self.list.len());
        self.open_by_key.remove(&call.opened.key);
    }

    /// Sets where a call stands; gives its place.
    pub(crate) fn settle(&mut self, id: &str, state: CallState) -> Option<usize> {
        let at = *self.by_id.get(id)?;
        let call = self.list.get_mut(at)?;
        call.state = state;
        self.open.remove(&at);
        self.open_by_key.remove(&call.opened.key);
        Some(at)
    }

    /// Makes a call open again.
    pub(crate) fn unsettle(&mut self, at: usize) {
        let Some(call) = self.list.get_mut(at) else {
            return;
        };
        call.state = CallState::Pending;
        self.open.insert(at);
        self.open_by_key.insert(call.opened.key.clone(), at);
    }
}
