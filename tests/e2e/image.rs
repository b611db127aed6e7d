//! The image, without a container engine: its file tree is made by the Dockerfile's own steps,
//! and its binary runs in it as the image says, as its user, on a read-only root, in namespaces of
//! its own.
//!
//! In place of the base image stand the shared libraries that the binary needs, and nothing else:
//! no shell, no other program. In place of `cargo build` stands the binary under test. Without
//! root or namespaces the test does not run: it is listed as ignored with the reason, and it is
//! printed.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test fails by panicking, and says on standard error that it did not run"
)]

use std::{
    fs,
    path::Path,
    process::{Command, ExitCode, Output},
};

use entail_tests::{Scratch, binary as binary_under_test};
use libtest_mimic::{Arguments, Failed, Trial};

const DOCKERFILE: &str = include_str!("../../docker/Dockerfile");

/// What our layer may weigh, in bytes.
const LAYER_BYTES: u64 = 40 << 20;

/// Runs in namespaces of its own: `$1` is the root, `$2` the directory for data.
const RUN: &str = r#"
set -eu
root=$1 data=$2
fail() { echo "$*" >&2; exit 1; }
ip link set lo up
mount --bind "$root" "$root"
mount --bind "$data" "$root/var/lib/entail"
mount -o remount,ro,bind "$root"
in_image="env -i $ENVIRONMENT"
as_user="$(command -v chroot) --userspec=$OWNER --groups= $root"

setpriv --reuid "${OWNER%:*}" --regid "${OWNER#*:}" --clear-groups touch "$root/x" 2> "$data/touch" &&
    fail "the root can be written to"
grep -q "Read-only file system" "$data/touch" || fail "$(cat "$data/touch")"

$in_image $as_user $START 2> "$data/keyless" && fail "it serves everybody without a key"
grep -q "no api key is configured" "$data/keyless" || fail "$(cat "$data/keyless")"

token=0123456789abcdef0123456789abcdef
printf %s "$token" > "$root/var/lib/entail/key"
$in_image ENTAIL_BOOTSTRAP_KEY_FILE=/var/lib/entail/key $as_user $START 2> "$data/log" &
service=$!
looks=0
until $in_image $as_user $HEALTHCHECK 2> "$data/health"; do
    looks=$((looks + 1))
    kill -0 $service || fail "$(cat "$data/log")"
    [ $looks -lt 2000 ] || fail "it is not healthy: $(cat "$data/health" "$data/log")"
done
ask() { curl --silent --output /dev/null --write-out '%{http_code}' "$@" "http://127.0.0.1:$PORT/sessions"; }
[ "$(ask)" = 401 ] || fail "without a key: $(ask)"
[ "$(ask --header "authorization: Bearer $token")" = 200 ] || fail "with a key: $(cat "$data/log")"
[ "$(stat --format %u "$data/entail.db")" = "${OWNER%:*}" ] || fail "another user's database"
kill -"$STOPSIGNAL" $service
wait $service || fail "it ended with $?: $(cat "$data/log")"
$in_image $as_user $HEALTHCHECK 2> "$data/health" && fail "a service that is gone is healthy"
echo served
"#;

/// One instruction: its name and what it says, continued lines joined.
type Instruction = (String, String);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trial = match unable() {
        None => Trial::test("image::the_binary_serves_from_it_without_a_shell", run),
        Some(reason) => {
            eprintln!("image: DID NOT RUN: {reason}");
            Trial::test(
                "image::the_binary_serves_from_it_without_a_shell",
                || Ok(()),
            )
            .with_kind(format!("did not run: {reason}"))
            .with_ignored_flag(true)
        }
    };
    let says = Trial::test("image::the_dockerfile_says_what_it_has_to", says);
    libtest_mimic::run(&arguments, vec![says, trial]).exit_code()
}

/// Why the image cannot be run here, if it cannot.
fn unable() -> Option<String> {
    let needed = ["unshare", "chroot", "setpriv", "ip", "curl", "ldd"];
    let missing = needed
        .iter()
        .find(|name| Command::new(name).arg("--version").output().is_err());
    if let Some(name) = missing {
        return Some(format!("`{name}` is not installed"));
    }
    let namespaces = Command::new("unshare")
        .args(["--mount", "--net", "--pid", "--fork", "true"])
        .output();
    match namespaces {
        Ok(output) if output.status.success() => None,
        _ => Some("it takes root and namespaces of its own".to_owned()),
    }
}

/// The instructions of each stage.
fn stages() -> Vec<Vec<Instruction>> {
    let mut stages: Vec<Vec<Instruction>> = Vec::new();
    let mut open = String::new();
    for line in DOCKERFILE.lines().filter(|line| !line.starts_with('#')) {
        match line.trim_end().strip_suffix('\\') {
            Some(part) => {
                open.push_str(part);
                continue;
            }
            None => open.push_str(line),
        }
        let whole = std::mem::take(&mut open);
        let Some((name, rest)) = whole.trim().split_once(' ') else {
            continue;
        };
        if name == "FROM" {
            stages.push(Vec::new());
        }
        if let Some(stage) = stages.last_mut() {
            stage.push((name.to_owned(), rest.trim().to_owned()));
        }
    }
    stages
}

/// What the one instruction of that name says.
fn one<'a>(stage: &'a [Instruction], name: &str) -> Result<&'a str, Failed> {
    let mut found = stage.iter().filter(|(given, _)| given == name);
    match (found.next(), found.next()) {
        (Some((_, rest)), None) => Ok(rest),
        _ => Err(format!("there has to be one `{name}`").into()),
    }
}

/// The words of an instruction in its exec form, which needs no shell.
fn exec(text: &str) -> Result<String, Failed> {
    let list = entail_json::read_str(text).map_err(|_| format!("`{text}` needs a shell"))?;
    let words = list.as_array().ok_or("not a list")?;
    let words = words.iter().filter_map(entail_json::Value::as_str);
    Ok(words.collect::<Vec<_>>().join(" "))
}

fn says() -> Result<(), Failed> {
    let stages = stages();
    assert_eq!(stages.len(), 2, "one stage builds, one is the image");
    let image = &stages[1];
    assert_eq!(one(image, "FROM")?, "debian:bookworm-slim");
    assert!(one(&stages[0], "FROM")?.contains("bookworm"), "one glibc");
    assert_eq!(one(image, "COPY")?, "--from=build /image /");
    assert!(!image.iter().any(|(name, _)| name == "RUN"));
    let (user, group) = one(image, "USER")?.split_once(':').ok_or("a group")?;
    assert!(user.parse::<u32>()? >= 1_000 && group.parse::<u32>()? >= 1_000);
    assert_eq!(one(image, "VOLUME")?, one(image, "WORKDIR")?);
    Ok(())
}

fn run() -> Result<(), Failed> {
    let stages = stages();
    let (build, image) = (&stages[0], &stages[1]);
    let scratch = Scratch::new();
    let place = |name: &str| scratch.path().join(name);
    let (layer, root, data) = (place("image"), place("root"), place("data"));
    make_layer(one(build, "RUN")?, &layer)?;
    let binary = layer.join("usr/local/bin/entail");
    let bytes = weigh(&layer)?;
    eprintln!(
        "image: the layer has {bytes} bytes, the binary {}",
        fs::metadata(&binary)?.len()
    );
    // What is built for tests is larger than what is released.
    let is_released = binary_under_test()
        .components()
        .any(|part| part.as_os_str() == "release");
    assert!(!is_released || bytes < LAYER_BYTES, "{bytes} bytes");
    assert!(layer.join("etc/ssl/certs/ca-certificates.crt").is_file());

    copy(&layer, &root)?;
    let libraries = said(Command::new("ldd").arg(&binary))?;
    for library in libraries.split_whitespace() {
        if library.starts_with('/') {
            let to = root.join(library.trim_start_matches('/'));
            fs::create_dir_all(to.parent().ok_or("a directory")?)?;
            fs::copy(library, to)?;
        }
    }
    assert!(!root.join("bin/sh").exists() && !root.join("usr/bin").exists());
    copy(&layer.join("var/lib/entail"), &data)?;

    let environment = one(image, "ENV")?;
    let port = one(image, "EXPOSE")?;
    assert!(environment.contains(&format!("0.0.0.0:{port}")));
    let health = one(image, "HEALTHCHECK")?;
    let (_, health) = health.split_once("CMD ").ok_or("a command")?;
    let start = format!(
        "{} {}",
        exec(one(image, "ENTRYPOINT")?)?,
        exec(one(image, "CMD")?)?
    );
    let mut namespaces = Command::new("unshare");
    namespaces
        .args([
            "--mount",
            "--net",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-c",
            RUN,
            "sh",
        ])
        .args([&root, &data])
        .env("OWNER", one(image, "USER")?)
        .env("ENVIRONMENT", environment)
        .env("PORT", port)
        .env("START", start)
        .env("HEALTHCHECK", exec(health)?)
        .env(
            "STOPSIGNAL",
            one(image, "STOPSIGNAL")?.trim_start_matches("SIG"),
        );
    let told = said(&mut namespaces)?;
    assert_eq!(told.trim(), "served");
    Ok(())
}

/// Carries out the build stage's steps that make the layer, in `layer` instead of `/image`.
fn make_layer(run: &str, layer: &Path) -> Result<(), Failed> {
    let steps = run.split("&&").map(str::trim);
    let (cargo, steps): (Vec<_>, Vec<_>) = steps.partition(|step| step.starts_with("cargo "));
    assert_eq!(cargo.len(), 1, "the binary under test stands for one step");
    let layer = layer.display().to_string();
    for step in steps {
        assert!(step.starts_with("install "), "`{step}` is not understood");
        let step = step
            .replace(
                "target/release/entail",
                &binary_under_test().display().to_string(),
            )
            .replace("/image", &layer);
        said(Command::new("sh").args(["-c", &step]))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), Failed> {
    said(Command::new("cp").arg("--archive").args([from, to])).map(|_| ())
}

/// What the files of a directory weigh together.
fn weigh(directory: &Path) -> Result<u64, Failed> {
    let mut directories = vec![directory.to_path_buf()];
    let mut bytes = 0;
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let about = entry.metadata()?;
            match about.is_dir() {
                true => directories.push(entry.path()),
                false => bytes += about.len(),
            }
        }
    }
    Ok(bytes)
}

/// What a program prints; its failure with what it complained about.
fn said(command: &mut Command) -> Result<String, Failed> {
    let program = command.get_program().to_string_lossy().into_owned();
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("the programs were looked for");
    if status.success() {
        return Ok(String::from_utf8_lossy(&stdout).into_owned());
    }
    Err(format!("`{program}` {status}: {}", String::from_utf8_lossy(&stderr)).into())
}
