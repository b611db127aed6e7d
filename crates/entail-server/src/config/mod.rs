//! Configuration: flags, then `ENTAIL_*` variables, then `entail.toml`, then defaults.

mod settings;
#[cfg(test)]
mod table;

pub(crate) use settings::{Flags, NAMES, Settings};

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use figment::{
    Figment, Metadata, Profile, Provider,
    providers::{Env, Format, Serialized, Toml},
    value::{Dict, Map},
};

/// The file that is read where there is one.
pub(crate) const FILE: &str = "entail.toml";

const PREFIX: &str = "ENTAIL_";

/// The setting that is nothing but a secret.
const SECRET: &str = "otlp_headers";

/// What is in force, where each of it comes from, and what was not understood.
#[derive(Debug)]
pub(crate) struct Config {
    /// The settings.
    pub(crate) settings: Settings,
    /// Where each setting comes from, in the order of [`NAMES`].
    sources: Vec<String>,
    /// Variables that look like settings and are none.
    pub(crate) unknown_variables: Vec<String>,
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    /// An entry is unknown or malformed.
    #[error("{0}")]
    Entry(String),
    /// A value is out of range.
    #[error("{0}; see `entail config --help`")]
    Value(String),
}

impl Config {
    /// Reads every layer.
    pub(crate) fn load(file: Option<PathBuf>, flags: &Flags) -> Result<Self, ConfigError> {
        let file = match file {
            Some(path) if !path.is_file() => {
                return Err(ConfigError::Value(format!(
                    "there is no file `{}`",
                    path.display()
                )));
            }
            Some(path) => Toml::file_exact(path),
            None if Path::new(FILE).is_file() => Toml::file_exact(FILE),
            None => Toml::string(""),
        };
        let variables = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        Self::from_layers(file, flags, environment, variables)
    }

    fn from_layers(
        file: impl Provider,
        flags: &Flags,
        environment: impl FnOnce(Figment) -> Figment,
        variables: impl Iterator<Item = String>,
    ) -> Result<Self, ConfigError> {
        let defaults = Figment::from(Serialized::defaults(Settings::default()));
        let figment = environment(defaults.merge(file)).merge(Given(flags));
        let settings: Settings = figment
            .extract()
            .map_err(|error| ConfigError::Entry(describe(error)))?;
        settings.check().map_err(ConfigError::Value)?;
        let sources = NAMES.iter().map(|name| source(&figment, name)).collect();
        let mut unknown_variables: Vec<_> = variables.filter(|name| is_unknown(name)).collect();
        unknown_variables.sort_unstable();
        Ok(Self {
            settings,
            sources,
            unknown_variables,
        })
    }

    /// The settings as a file would hold them, each with where it comes from; secrets masked.
    pub(crate) fn describe(&self) -> String {
        let mut out = String::new();
        let settings = Figment::from(Serialized::defaults(&self.settings));
        for (name, source) in NAMES.iter().zip(&self.sources) {
            let value = match settings.find_value(name) {
                Ok(figment::value::Value::String(_, text)) => {
                    let mut quoted = String::new();
                    let is_secret = *name == SECRET && !text.is_empty();
                    let shown = if is_secret || entail_trace::may_hold_private_key(&text) {
                        "***".to_owned()
                    } else {
                        mask(&text)
                    };
                    entail_json::write_string(&shown, &mut quoted);
                    quoted
                }
                Ok(figment::value::Value::Bool(_, value)) => value.to_string(),
                Ok(figment::value::Value::Num(_, number)) => number
                    .to_u128()
                    .map_or_else(|| "?".to_owned(), |number| number.to_string()),
                _ => continue,
            };
            let _ = writeln!(out, "{name} = {value}  # {source}");
        }
        out
    }
}

/// Whether a variable carries our prefix and is no setting.
fn is_unknown(name: &str) -> bool {
    name.strip_prefix(PREFIX)
        .is_some_and(|rest| !NAMES.contains(&rest.to_ascii_lowercase().as_str()))
}

fn describe(error: figment::Error) -> String {
    let mut lines = Vec::new();
    for error in error {
        let known = match &error.kind {
            figment::error::Kind::UnknownField(_, _) => {
                "; `entail config` lists the settings there are"
            }
            _ => "",
        };
        lines.push(format!("{error}{known}"));
    }
    lines.join("\n")
}

fn source(figment: &Figment, name: &str) -> String {
    match figment.find_metadata(name) {
        Some(metadata) if metadata.name.contains(PREFIX) => {
            format!("environment {PREFIX}{}", name.to_ascii_uppercase())
        }
        Some(metadata) if metadata.name.contains("environment") => {
            format!("environment {}", name.to_ascii_uppercase())
        }
        Some(metadata) => match &metadata.source {
            Some(figment::Source::File(path)) => path.display().to_string(),
            _ if metadata.name == GIVEN => format!("--{}", name.replace('_', "-")),
            _ => "default".to_owned(),
        },
        None => "default".to_owned(),
    }
}

/// The text with the password of a database address masked.
pub(crate) fn mask(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let (authority, tail) = rest
        .find(['/', '?'])
        .map_or((rest, ""), |at| rest.split_at(at));
    let authority = match authority.rsplit_once('@') {
        Some((user, host)) => match user.split_once(':') {
            Some((user, _)) => format!("{user}:***@{host}"),
            None => format!("{user}@{host}"),
        },
        None => authority.to_owned(),
    };
    let tail = match tail.split_once('?') {
        Some((path, query)) => {
            let query: Vec<_> = query
                .split('&')
                .map(|pair| match pair.split_once('=') {
                    Some((name, _)) if name.contains("password") => format!("{name}=***"),
                    _ => pair.to_owned(),
                })
                .collect();
            format!("{path}?{}", query.join("&"))
        }
        None => tail.to_owned(),
    };
    format!("{scheme}://{authority}{tail}")
}

const GIVEN: &str = "command line";

/// The flags as a layer.
struct Given<'a>(&'a Flags);

impl Provider for Given<'_> {
    fn metadata(&self) -> Metadata {
        Metadata::named(GIVEN)
    }

    fn data(&self) -> figment::Result<Map<Profile, Dict>> {
        Serialized::defaults(self.0).data()
    }
}

/// Adds what this process' environment says.
fn environment(layers: Figment) -> Figment {
    let database = Env::raw()
        .only(&["database_url"])
        .map(|_| "database_url".into());
    let collector = Env::raw()
        .only(&["otel_exporter_otlp_endpoint", "otel_exporter_otlp_headers"])
        .map(|name| match name.as_str().to_ascii_lowercase().as_str() {
            "otel_exporter_otlp_headers" => "otlp_headers".into(),
            _ => "otlp_endpoint".into(),
        });
    layers
        .merge(database)
        .merge(collector)
        .merge(Env::prefixed(PREFIX).only(NAMES))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(file: &str, flags: &Flags, names: &[&str]) -> Result<Config, ConfigError> {
        let names = names.iter().map(|name| (*name).to_owned());
        Config::from_layers(Toml::string(file), flags, |layers| layers, names)
    }

    #[test]
    fn without_any_configuration_the_defaults_are_in_force() {
        let config = load("", &Flags::default(), &[]).unwrap();
        assert_eq!(config.settings, Settings::default());
        assert!(
            config
                .describe()
                .starts_with("listen = \"127.0.0.1:8080\"  # default\n")
        );
    }

    #[test]
    fn a_flag_wins_over_the_file_and_says_so() {
        let flags = Flags {
            listen: Some("127.0.0.1:1".to_owned()),
            ..Flags::default()
        };
        let config = load("listen = '127.0.0.1:2'\nmax_in_flight = 3", &flags, &[]).unwrap();
        assert_eq!(config.settings.listen, "127.0.0.1:1");
        assert_eq!(config.settings.max_in_flight, 3);
        assert!(
            config
                .describe()
                .contains("listen = \"127.0.0.1:1\"  # --listen\n")
        );
    }

    #[test]
    fn an_unknown_entry_of_the_file_is_an_error_that_names_it() {
        let error = load("lisen = 'x'", &Flags::default(), &[]).unwrap_err();
        assert!(error.to_string().contains("lisen"), "{error}");
        assert!(error.to_string().contains("entail config"), "{error}");
    }

    #[test]
    fn a_value_of_the_wrong_type_or_out_of_range_is_an_error() {
        for file in [
            "max_in_flight = 'many'",
            "max_in_flight = 0",
            "listen = 'here'",
        ] {
            assert!(load(file, &Flags::default(), &[]).is_err(), "{file}");
        }
    }

    #[test]
    fn an_unknown_variable_is_named_and_a_known_one_is_not() {
        let names = [
            "ENTAIL_PORT",
            "ENTAIL_LISTEN",
            "PATH",
            "ENTAIL_SERVICE_HOST",
        ];
        let config = load("", &Flags::default(), &names).unwrap();
        assert_eq!(
            config.unknown_variables,
            ["ENTAIL_PORT", "ENTAIL_SERVICE_HOST"]
        );
    }

    #[test]
    fn no_setting_has_a_name_that_kubernetes_gives_to_a_service() {
        for name in NAMES {
            assert!(
                !name.starts_with("port") && !name.starts_with("service"),
                "{name}"
            );
        }
    }

    #[test]
    fn passwords_are_masked_wherever_an_address_holds_them() {
        assert_eq!(
            mask("postgres://u:p@h:5/d?x=1"),
            "postgres://u:***@h:5/d?x=1"
        );
        assert_eq!(mask("postgres://u:p@ss@h/d"), "postgres://u:***@h/d");
        assert_eq!(
            mask("postgres://h/d?user=u&password=p&sslpassword=q"),
            "postgres://h/d?user=u&password=***&sslpassword=***"
        );
        assert_eq!(mask("sqlite://./entail.db"), "sqlite://./entail.db");
        assert_eq!(mask("postgres://u@h/d"), "postgres://u@h/d");
    }
}
