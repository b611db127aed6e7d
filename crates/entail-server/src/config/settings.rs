//! The settings: one list, from which the flags, the variables and the file's entries follow.

use clap::Args;
use entail_session::Limits;
use serde::{Deserialize, Serialize};

use crate::limits;

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:expr, $value:literal;)*) => {
        /// What is in force.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct Settings {
            $($(#[doc = $doc])+ pub(crate) $name: $type,)*
        }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        /// What the command line says.
        #[derive(Args, Clone, Debug, Default, Serialize)]
        pub(crate) struct Flags {
            $(
                $(#[doc = $doc])+
                #[arg(
                    long,
                    global = true,
                    value_name = $value,
                    help_heading = "Settings",
                    num_args = arity($value),
                    default_missing_value = "true",
                    require_equals = $value == "BOOL"
                )]
                #[serde(skip_serializing_if = "Option::is_none")]
                pub(crate) $name: Option<$type>,
            )*
        }

        /// The settings' names.
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name),)*];
    };
}

/// A switch may stand alone; everything else needs its value.
fn arity(value: &str) -> std::ops::RangeInclusive<usize> {
    if value == "BOOL" { 0..=1 } else { 1..=1 }
}

settings! {
    /// Address to listen on.
    listen: String = "127.0.0.1:8080".to_owned(), "ADDR";
    /// Address of a second listener for `/livez`, `/readyz` and `/metrics` alone; empty for none.
    health_listen: String = String::new(), "ADDR";
    /// Where the data is: `sqlite://PATH`, with `?max_page_count=N` to bound the file to so many
    /// pages of 4 KiB, or `postgres://…` (also `DATABASE_URL`).
    database_url: String = "sqlite://./entail.db".to_owned(), "URL";
    /// Most connections to the database.
    database_connections: u32 = 8, "N";
    /// Leave the migrations to `entail migrate`.
    no_migrate: bool = false, "BOOL";
    /// Commit each session in a statement of its own instead of together with others.
    no_batch: bool = false, "BOOL";
    /// Do not feed the SQL views for dashboards.
    no_views: bool = false, "BOOL";
    /// Delete a session that long after it has expired, in seconds; 0 keeps it.
    delete_expired_after_s: u64 = 0, "SECONDS";
    /// Listen beyond loopback even though no api key is configured.
    insecure: bool = false, "BOOL";
    /// Where the first api key is read from, or written to if there is no such file.
    bootstrap_key_file: String = String::new(), "PATH";
    /// Ed25519 key (PKCS#8 in PEM) that signs the checkpoints of journals and bundles; empty for none.
    signing_key_file: String = String::new(), "PATH";
    /// What is logged: `error`, `warn`, `info`, `debug`, or directives such as `entail=debug`.
    log: String = "info".to_owned(), "FILTER";
    /// Longest request body, in bytes.
    max_body_bytes: usize = limits::BODY_BYTES, "BYTES";
    /// Longest body of a document or of `/verify`, in bytes.
    max_document_bytes: usize = limits::DOCUMENT_BODY_BYTES, "BYTES";
    /// Requests worked on at once; more are answered 503.
    max_in_flight: usize = limits::IN_FLIGHT, "N";
    /// Connections held at once; more wait to be accepted.
    max_connections: usize = limits::CONNECTIONS, "N";
    /// How long a request may take, in milliseconds.
    request_timeout_ms: u64 = limits::REQUEST_TIMEOUT_MS, "MS";
    /// How long a request's head may take to arrive, in milliseconds.
    header_timeout_ms: u64 = limits::HEADER_TIMEOUT_MS, "MS";
    /// How long a request's body may take to arrive, in milliseconds.
    body_timeout_ms: u64 = limits::BODY_TIMEOUT_MS, "MS";
    /// How long a shutdown waits for requests under way, in milliseconds.
    shutdown_grace_ms: u64 = limits::SHUTDOWN_GRACE_MS, "MS";
    /// Requests a second of each api key (or address, where there are no keys); 0 for no limit.
    rate_limit_per_s: u32 = 0, "N";
    /// Requests that may come at once under that limit.
    rate_limit_burst: u32 = 50, "N";
    /// Attempts at a call of an http tool.
    tool_attempts: u32 = 4, "N";
    /// Addresses beyond the public internet that http tools may have: `10.0.0.0/8,127.0.0.1`.
    allow_tool_addresses: String = String::new(), "RANGES";
    /// A file of PEM with more certificate authorities that outgoing connections trust.
    ca_file: String = String::new(), "PATH";
    /// Where spans go, by OTLP over HTTP: `http://collector:4318` (also
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`); empty for nowhere.
    otlp_endpoint: String = String::new(), "URL";
    /// Headers of these requests: `name=value`, several separated by commas (also
    /// `OTEL_EXPORTER_OTLP_HEADERS`).
    otlp_headers: String = String::new(), "HEADERS";
    /// Memory for sessions held ready and their documents, in bytes.
    cache_bytes: usize = limits::CACHE_BYTES, "BYTES";
    /// Commits after which a session's state is kept again, so that it loads faster; 0 for never.
    snapshot_every: u64 = limits::SNAPSHOT_EVERY, "N";
    /// Beliefs of a session, all revisions counted.
    max_beliefs: usize = session_limits().beliefs, "N";
    /// Open calls of a session.
    max_open_calls: usize = session_limits().open_calls, "N";
    /// Actions in one response.
    max_actions: usize = session_limits().actions, "N";
    /// Longest value of a belief, as canonical JSON in bytes.
    max_value_bytes: usize = session_limits().value_bytes, "BYTES";
    /// Document versions of a session.
    max_documents: usize = session_limits().documents, "N";
    /// Tools of a session.
    max_tools: usize = session_limits().tools, "N";
    /// Rules and constraints of a session, together.
    max_rules: usize = session_limits().rules, "N";
    /// Longest prompt of a context, in bytes.
    max_prompt_bytes: usize = session_limits().prompt_bytes, "BYTES";
}

fn session_limits() -> Limits {
    Limits::default()
}

impl Settings {
    /// The limits of a session.
    pub(crate) fn session_limits(&self) -> Limits {
        Limits {
            beliefs: self.max_beliefs,
            open_calls: self.max_open_calls,
            actions: self.max_actions,
            value_bytes: self.max_value_bytes,
            document_bytes: self.max_document_bytes,
            documents: self.max_documents,
            tools: self.max_tools,
            rules: self.max_rules,
            prompt_bytes: self.max_prompt_bytes,
        }
    }

    /// What is wrong with a setting that has the right type, if anything is.
    pub(crate) fn check(&self) -> Result<(), String> {
        let positive = [
            ("max_body_bytes", self.max_body_bytes),
            ("max_document_bytes", self.max_document_bytes),
            ("max_in_flight", self.max_in_flight),
            ("max_connections", self.max_connections),
        ];
        if let Some((name, _)) = positive.iter().find(|(_, value)| *value == 0) {
            return Err(format!("`{name}` has to be at least 1"));
        }
        for (name, address) in [
            ("listen", &self.listen),
            ("health_listen", &self.health_listen),
        ] {
            let optional = name == "health_listen" && address.is_empty();
            if !optional && address.parse::<std::net::SocketAddr>().is_err() {
                return Err(format!(
                    "`{name}` has to be an address and a port such as `127.0.0.1:8080`, \
                     found `{address}`"
                ));
            }
        }
        if entail_trace::may_hold_private_key(&self.signing_key_file) {
            return Err(crate::signing::SigningKeyError::KeyGiven.to_string());
        }
        crate::outgoing::Tls::load(&self.ca_file).map_err(|why| format!("`ca_file`: {why}"))?;
        crate::telemetry::Endpoint::parse(&self.otlp_endpoint, &self.otlp_headers)
            .map_err(|error| error.to_string())?;
        match crate::calls::Guard::parse(&self.allow_tool_addresses) {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("`allow_tool_addresses`: {error}")),
        }
    }
}
