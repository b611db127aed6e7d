//! The manifests and the alerts: valid by their schemas and grammar, and agreeing with the binary.
//!
//! Schemas and grammar come by `pip` into a virtual environment under `target/`. Where that cannot
//! be done the tests do not run: they are listed as ignored with the reason, and it is printed.

#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says on standard error that it did not run"
)]

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Command, ExitCode},
};

use entail_json::Value;
use entail_tests::{Scratch, binary, python};
use libtest_mimic::{Arguments, Failed, Trial};

const PACKAGES: [&str; 3] = [
    "kubernetes-validate==1.37.0",
    "check-jsonschema==0.39.0",
    "promql-parser==0.12.0",
];

/// The oldest Kubernetes that has all of the manifest, and the newest whose schemas there are.
const KUBERNETES: [&str; 2] = ["1.30", "1.37"];

const SIDECAR: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../docker/kubernetes/sidecar.yaml"
);
const COMPOSE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docker/compose.yaml");
const OPERATIONS: &str = include_str!("../../docs/operations.md");

/// YAML as JSON, all documents in one list.
const TO_JSON: &str = "
import json, sys, yaml
print(json.dumps(list(yaml.safe_load_all(sys.stdin))))
";

/// Reads every expression of the alerts; the faulty ones end it.
const READ_ALERTS: &str = "
import promql_parser, sys, yaml
for rule in yaml.safe_load(sys.stdin)['groups'][0]['rules']:
    promql_parser.parse(rule['expr'])
    assert rule['labels']['severity'] in ('page', 'ticket'), rule
    assert rule['annotations']['summary'], rule
    print(rule['alert'])
";

type Case = (&'static str, fn(&Path) -> Result<(), Failed>);

const CASES: [Case; 5] = [
    (
        "the_pod_is_valid_by_the_schemas_of_kubernetes",
        pod_is_valid,
    ),
    (
        "the_pod_is_locked_and_outlives_its_grace_periods",
        pod_is_locked,
    ),
    (
        "the_agent_gets_a_key_to_propose_and_nothing_else",
        agent_is_confined,
    ),
    (
        "the_composition_is_valid_and_speaks_of_settings_there_are",
        composition,
    ),
    ("every_alert_is_an_expression", alerts),
];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let python = python(&PACKAGES);
    if let Err(reason) = &python {
        eprintln!("manifests: DID NOT RUN: {reason}");
    }
    let trial = |(name, case): Case| match &python {
        Ok(python) => {
            let python = python.clone();
            Trial::test(format!("manifests::{name}"), move || case(&python))
        }
        Err(reason) => Trial::test(format!("manifests::{name}"), || Ok(()))
            .with_kind(format!("did not run: {reason}"))
            .with_ignored_flag(true),
    };
    libtest_mimic::run(&arguments, CASES.into_iter().map(trial).collect()).exit_code()
}

fn pod_is_valid(python: &Path) -> Result<(), Failed> {
    for version in KUBERNETES {
        let mut validate = script(python, "kubernetes-validate");
        said(validate.args(["--strict", "-k", version, SIDECAR]), "")?;
    }
    Ok(())
}

fn pod_is_locked(python: &Path) -> Result<(), Failed> {
    let pod = pod(python)?;
    let of_pod = at(&pod, "securityContext")?;
    assert_eq!(at(of_pod, "runAsNonRoot")?, &Value::Bool(true));
    let profile = at(at(of_pod, "seccompProfile")?, "type")?;
    assert_eq!(profile.as_str(), Some("RuntimeDefault"));
    assert_eq!(
        at(&pod, "automountServiceAccountToken")?,
        &Value::Bool(false)
    );
    for container in containers(&pod)? {
        let context = at(container, "securityContext")?;
        let name = at(container, "name")?;
        assert_eq!(
            at(context, "readOnlyRootFilesystem")?,
            &Value::Bool(true),
            "{name}"
        );
        assert_eq!(
            at(context, "allowPrivilegeEscalation")?,
            &Value::Bool(false),
            "{name}"
        );
        assert_eq!(
            at(at(context, "capabilities")?, "drop")?,
            &Value::from_iter(["ALL"]),
            "{name}"
        );
        for bound in ["requests", "limits"] {
            at(at(at(container, "resources")?, bound)?, "memory")?;
        }
    }
    let entail = container(&pod, "entail")?;
    for (probe, path) in [
        ("startupProbe", "/readyz"),
        ("livenessProbe", "/livez"),
        ("readinessProbe", "/readyz"),
    ] {
        let asked = at(at(entail, probe)?, "httpGet")?;
        assert_eq!(at(asked, "path")?.as_str(), Some(path));
        assert_eq!(at(asked, "port")?.as_str(), Some("health"));
    }
    // Twice: once for requests, once for attempts at tools.
    let grace = 2 * setting("shutdown_grace_ms")? / 1_000;
    let pause = at(at(at(entail, "lifecycle")?, "preStop")?, "sleep")?;
    let pause = at(pause, "seconds")?.as_u64().ok_or("seconds")?;
    let whole = at(&pod, "terminationGracePeriodSeconds")?.as_u64();
    assert!(whole.ok_or("seconds")? > grace + pause, "{grace} s");
    Ok(())
}

fn agent_is_confined(python: &Path) -> Result<(), Failed> {
    let pod = pod(python)?;
    // The commands that make the keys are taken by the binary, and give what they say.
    let scratch = Scratch::new();
    let url = format!("sqlite://{}", scratch.path().join("entail.db").display());
    for (name, scope) in [
        ("orchestrator-key", "orchestrate"),
        ("agent-key", "propose"),
    ] {
        let words = at(container(&pod, name)?, "args")?;
        let words = words.as_array().ok_or("arguments")?.iter();
        let words: Vec<String> = words
            .filter_map(Value::as_str)
            .map(|word| word.replace("/run/secrets/entail", &scratch.path().display().to_string()))
            .collect();
        let mut create = Command::new(binary());
        create.args(&words).env("ENTAIL_DATABASE_URL", &url);
        said(&mut create, "")?;
        let mut list = Command::new(binary());
        list.args(["keys", "list"]).env("ENTAIL_DATABASE_URL", &url);
        let keys = said(&mut list, "")?;
        let line = keys
            .lines()
            .find(|line| line.ends_with(name.trim_end_matches("-key")))
            .ok_or("the key is not listed")?;
        assert_eq!(line.split('\t').nth(2), Some(scope));
    }
    let agent = container(&pod, "agent")?;
    assert!(agent.get("volumeMounts").is_none(), "it mounts something");
    let text = agent.to_string();
    assert!(text.contains("\"key\":\"agent\"") && !text.contains("orchestrator"));
    for container in containers(&pod)? {
        if !std::ptr::eq(container, agent) {
            known_variables(at(container, "env").unwrap_or(&Value::Null))?;
        }
    }
    let entail = container(&pod, "entail")?;
    let text = at(entail, "env")?.to_string();
    // Loopback is the agent's as well: there, a service without keys would serve it everything.
    assert!(text.contains("0.0.0.0:8080") && text.contains("0.0.0.0:8081"));
    Ok(())
}

fn composition(python: &Path) -> Result<(), Failed> {
    let mut check = script(python, "check-jsonschema");
    check.args(["--builtin-schema", "vendor.compose-spec", COMPOSE]);
    said(&mut check, "")?;
    let all = yaml(python, &std::fs::read_to_string(COMPOSE)?)?;
    let services = at(all.first().ok_or("a document")?, "services")?;
    let entail = at(services, "entail")?;
    let names = at(entail, "environment")?.as_object().ok_or("variables")?;
    known(names.iter().map(|(name, _)| name.to_owned()))?;
    assert_eq!(at(entail, "read_only")?, &Value::Bool(true));
    let ready = at(at(at(entail, "depends_on")?, "postgres")?, "condition")?;
    assert_eq!(ready.as_str(), Some("service_healthy"));
    at(at(services, "postgres")?, "healthcheck")?;
    let grace = at(entail, "stop_grace_period")?.as_str();
    let grace = grace.and_then(|text| text.strip_suffix('s')?.parse::<u64>().ok());
    assert!(grace.ok_or("seconds")? > 2 * setting("shutdown_grace_ms")? / 1_000);
    let published = at(entail, "ports")?.to_string();
    assert!(published.contains("127.0.0.1:"), "{published}");
    Ok(())
}

fn alerts(python: &Path) -> Result<(), Failed> {
    let (_, rest) = OPERATIONS.split_once("```yaml\n").ok_or("the alerts")?;
    let (rules, _) = rest.split_once("```").ok_or("their end")?;
    let mut read = Command::new(python);
    let names = said(read.args(["-c", READ_ALERTS]), rules)?;
    assert!(names.lines().count() >= 10, "{names}");
    Ok(())
}

/// A program of the environment, whose own first line may name the place it was made at.
fn script(python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(python.with_file_name(name));
    command
}

/// The pod of the manifest.
fn pod(python: &Path) -> Result<Value, Failed> {
    let all = yaml(python, &std::fs::read_to_string(SIDECAR)?)?;
    let set = all
        .iter()
        .find(|one| one.get("kind").and_then(Value::as_str) == Some("StatefulSet"))
        .ok_or("a StatefulSet")?;
    Ok(at(at(at(set, "spec")?, "template")?, "spec")?.clone())
}

fn containers(pod: &Value) -> Result<Vec<&Value>, Failed> {
    let list = |name| Ok::<_, Failed>(at(pod, name)?.as_array().ok_or("a list")?);
    Ok(list("initContainers")?
        .iter()
        .chain(list("containers")?)
        .collect())
}

fn container<'a>(pod: &'a Value, wanted: &str) -> Result<&'a Value, Failed> {
    let all = containers(pod)?.into_iter();
    let mut named = all.filter(|one| one.get("name").and_then(Value::as_str) == Some(wanted));
    named
        .next()
        .ok_or_else(|| format!("there is no container `{wanted}`").into())
}

/// Every variable of ours is a setting that there is.
fn known_variables(list: &Value) -> Result<(), Failed> {
    let list = list.as_array().unwrap_or_default().iter();
    known(list.filter_map(|one| Some(one.get("name")?.as_str()?.to_owned())))
}

fn known(names: impl Iterator<Item = String>) -> Result<(), Failed> {
    let settings: BTreeSet<String> = config()?
        .lines()
        .filter_map(|line| {
            Some(format!(
                "ENTAIL_{}",
                line.split_once(" = ")?.0.to_uppercase()
            ))
        })
        .collect();
    for name in names {
        assert!(settings.contains(&name), "`{name}` is no setting");
    }
    Ok(())
}

/// The default of a setting that is a number.
fn setting(name: &str) -> Result<u64, Failed> {
    let config = config()?;
    let line = config
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name} = ")))
        .ok_or("no such setting")?;
    let number = line.split(' ').next().unwrap_or_default();
    Ok(number.parse()?)
}

fn config() -> Result<String, Failed> {
    let scratch = Scratch::new();
    let mut config = Command::new(binary());
    config.arg("config").current_dir(scratch.path());
    said(&mut config, "")
}

fn yaml(python: &Path, text: &str) -> Result<Vec<Value>, Failed> {
    let mut read = Command::new(python);
    let json = said(read.args(["-c", TO_JSON]), text)?;
    let list = entail_json::read_str(json.trim())?;
    Ok(list.as_array().ok_or("a list")?.to_vec())
}

fn at<'a>(value: &'a Value, name: &str) -> Result<&'a Value, Failed> {
    value
        .get(name)
        .ok_or_else(|| format!("there is no `{name}`").into())
}

/// What a program prints, given that to read; its failure with all that it said.
fn said(command: &mut Command, given: &str) -> Result<String, Failed> {
    use std::{io::Write as _, process::Stdio};
    let program = command.get_program().to_string_lossy().into_owned();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut input = child.stdin.take().expect("standard input is piped");
    input.write_all(given.as_bytes())?;
    drop(input);
    let output = child.wait_with_output()?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(told);
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{program}` failed: {told}{complaints}").into())
}
