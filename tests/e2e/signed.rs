//! Signed checkpoints, from the key in a file to a forged bundle that is found out without a
//! service.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a test reports a failure by a panic, and says what it could not run"
)]

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use entail_json::{Value, read_str};
use entail_tests::{Answer, Client, Database, Scratch, Start, binary};

// RFC 8410, section 10: a private key and its public key, as OpenSSL writes them.
const SECRET: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
    -----END PRIVATE KEY-----\n";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
    -----END PUBLIC KEY-----\n";
const PUBLIC_HEX: &str = "19bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1";
/// What gives the secret away, in either spelling.
const SECRET_PARTS: [&str; 2] = ["INTuctv5E1hK1bbY8fdp", "d4ee72dbf913584ad5b6d8f1f769f8ad"];
const OTHER_SECRET: &str = "-----BEGIN PRIVATE KEY-----\n\
    MC4CAQAwBQYDK2VwBCIEIAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g\n\
    -----END PRIVATE KEY-----\n";

fn run(arguments: &[&str]) -> Output {
    run_with(arguments, &[])
}

fn run_with(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let directory = Scratch::new();
    Command::new(binary())
        .args(arguments)
        .envs(variables.iter().copied())
        .current_dir(directory.path())
        .env_remove("DATABASE_URL")
        .output()
        .unwrap()
}

/// What a command says on either output, and its exit code.
fn told(output: &Output) -> (Option<i32>, String) {
    let text = [&output.stdout[..], &output.stderr].concat();
    (output.status.code(), String::from_utf8(text).unwrap())
}

fn verify(arguments: &[&str]) -> (Option<i32>, String) {
    told(&run(&[&["verify"], arguments].concat()))
}

/// A file for its owner alone.
fn file(scratch: &Scratch, name: &str, text: &str) -> String {
    let path = scratch.path().join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn post(client: &Client, path: &str, body: &str) -> Answer {
    client.call("POST", path, Some(("application/json", body.as_bytes())))
}

/// A session that answers what revenue was.
fn play(client: &Client, billions: &str) -> String {
    let opening = format!(
        r#"{{"task": "What was revenue?", "documents": [{{"name": "10-Q",
            "text": "Revenue was ${billions} billion in the quarter."}}]}}"#
    );
    let opened = post(client, "/sessions", &opening);
    let session = opened.header("location").unwrap().to_owned();
    let cite = format!(
        r#"{{"type": "cite", "document": "10-Q", "key": "revenue",
            "value": "{billions} billion", "quote": "Revenue was ${billions} billion"}}"#
    );
    let answer = format!(
        r#"{{"type": "answer", "text": "It was ${billions} billion.",
            "follows_from": ["revenue"]}}"#
    );
    for action in [cite, answer] {
        let turn = format!(r#"{{"response": {{"actions": [{action}]}}}}"#);
        let taken = post(client, &format!("{session}/turns?include=context"), &turn).ok();
        let rejected = taken.get("rejected").and_then(Value::as_array);
        assert_eq!(rejected.map(<[Value]>::len), Some(0), "{taken}");
    }
    session
}

/// Saves a session's bundle, packed and unpacked.
fn save(client: &Client, session: &str, scratch: &Scratch, name: &str) -> (String, PathBuf) {
    let bundle = client.get(&format!("{session}/bundle"));
    let packed = scratch.path().join(format!("{name}.tar.gz"));
    fs::write(&packed, &bundle.body).unwrap();
    let unpacked = scratch.path().join(name);
    fs::create_dir(&unpacked).unwrap();
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&packed).arg("-C").arg(&unpacked);
    assert!(tar.status().unwrap().success());
    (packed.to_str().unwrap().to_owned(), unpacked)
}

fn checkpoint(directory: &Path) -> Value {
    read_str(&fs::read_to_string(directory.join("checkpoint.json")).unwrap()).unwrap()
}

#[test]
fn a_signed_bundle_and_journal_verify_with_the_public_key_and_with_no_other() {
    for (engine, database) in Database::each() {
        let scratch = Scratch::new();
        let key = file(&scratch, "key.pem", SECRET);
        let public = file(&scratch, "public.pem", PUBLIC);
        let other = file(&scratch, "other.pem", &PUBLIC.replace("Gb9E", "Gb9F"));
        let service = Start::on(&database.url())
            .arg("--signing-key-file")
            .arg(&key)
            .start();
        let client = service.client();
        let session = play(&client, "4.3");
        let (bundle, _) = save(&client, &session, &scratch, "run");
        let journal = client.get(&format!("{session}/journal"));

        let of_bundle = |query: &str| {
            let body = fs::read(&bundle).unwrap();
            let path = format!("/verify?format=text{query}");
            client.call("POST", &path, Some(("application/gzip", &body)))
        };
        let percent: String = PUBLIC.bytes().map(|byte| format!("%{byte:02X}")).collect();
        for given in [PUBLIC_HEX, &percent] {
            let report = of_bundle(&format!("&public_key={given}"));
            assert!(
                report.text().contains("ok   signature"),
                "{}",
                report.text()
            );
        }
        let report = of_bundle(&format!(
            "&public_key={}",
            PUBLIC_HEX.replace("19bf", "19be")
        ));
        assert!(
            report.text().contains("FAIL signature"),
            "{}",
            report.text()
        );
        assert!(of_bundle("").text().contains("-    signature"));
        assert_eq!(of_bundle("&public_key=ab").code(), "invalid_argument");
        assert_eq!(
            of_bundle(&format!(
                "&public_key={}",
                SECRET
                    .bytes()
                    .map(|byte| format!("%{byte:02X}"))
                    .collect::<String>()
            ))
            .code(),
            "invalid_argument"
        );
        service.kill();

        let (code, text) = verify(&[&bundle, "--public-key", &public]);
        assert_eq!(code, Some(0), "{engine}: {text}");
        assert!(text.contains("ok   signature"), "{engine}: {text}");
        assert!(text.contains("manifest vouched"), "{engine}: {text}");
        assert_eq!(verify(&[&bundle, "--public-key", PUBLIC_HEX]).0, Some(0));

        // The same bundle without a service, out of the database.
        let id = session.rsplit('/').next().unwrap();
        let url = database.url();
        let given = ["--database-url", &url, "--signing-key-file", &key];
        let exported = run(&[&["export", id], &given[..]].concat());
        assert!(exported.status.success(), "{engine}: {exported:?}");
        assert_eq!(exported.stdout, fs::read(&bundle).unwrap(), "{engine}");
        let exported = run(&[&["export", id, "--format", "journal"], &given[..]].concat());
        assert_eq!(exported.stdout, journal.body, "{engine}");

        let (code, text) = verify(&[&bundle]);
        assert_eq!(code, Some(0), "{engine}: {text}");
        assert!(text.contains("-    signature"), "{engine}: {text}");
        assert!(
            text.contains("not run, it needs the public key"),
            "{engine}: {text}"
        );
        assert!(text.contains("manifest partly"), "{engine}: {text}");
        assert!(text.contains(PUBLIC_HEX), "{engine}: {text}");

        let (code, text) = verify(&[&bundle, "--public-key", &other]);
        assert_eq!(code, Some(1), "{engine}: {text}");
        assert!(text.contains("FAIL signature"), "{engine}: {text}");
        assert!(text.contains("manifest failed"), "{engine}: {text}");

        let text = journal.text();
        let saved = file(&scratch, "journal.jsonl", text);
        let signed = file(
            &scratch,
            "checkpoint.json",
            journal.header("entail-checkpoint").unwrap(),
        );
        let of_journal = |journal: &str| {
            let given = ["--journal", journal, "--checkpoint", &signed];
            verify(&[&given[..], &["--public-key", &public]].concat())
        };
        let (code, told) = of_journal(&saved);
        assert_eq!(code, Some(0), "{engine}: {told}");
        for check in ["chain", "checkpoint", "signature"] {
            assert!(told.contains(&format!("ok   {check}")), "{engine}: {told}");
        }
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let cut = file(&scratch, "cut.jsonl", &lines[..lines.len() - 1].concat());
        let (code, told) = of_journal(&cut);
        assert_eq!(code, Some(1), "{engine}: {told}");
        assert!(told.contains("FAIL checkpoint"), "{engine}: {told}");
    }
}

#[test]
fn a_bundle_forged_from_end_to_end_is_found_out_by_the_public_key_alone() {
    for (engine, database) in Database::each() {
        let scratch = Scratch::new();
        let public = file(&scratch, "public.pem", PUBLIC);
        let signing = |url: &str, name: &str, secret: &str| {
            let key = file(&scratch, name, secret);
            Start::on(url).arg("--signing-key-file").arg(&key).start()
        };
        let service = signing(&database.url(), "key.pem", SECRET);
        let session = play(&service.client(), "4.3");
        let (_, genuine) = save(&service.client(), &session, &scratch, "genuine");
        service.kill();
        // The forger runs the very same software on the figures he likes: every id, link, span,
        // hash, the chain, the manifest and the report follow from them.
        let theirs = Database::sqlite();
        let forger = signing(&theirs.url(), "forger.pem", OTHER_SECRET);
        let session = play(&forger.client(), "5.3");
        let (_, forged) = save(&forger.client(), &session, &scratch, "forged");
        forger.kill();
        let forged_path = forged.to_str().unwrap();
        let place = forged.join("checkpoint.json");
        let own = fs::read_to_string(&place).unwrap();
        assert_eq!(
            verify(&[forged_path]).0,
            Some(0),
            "{engine}: nothing in it gives it away"
        );

        let borrowed = checkpoint(&genuine);
        let mut grafted = checkpoint(&forged);
        for name in ["public_key", "signature"] {
            let Value::Object(members) = &mut grafted else {
                panic!("a checkpoint is an object")
            };
            members.insert(name, borrowed.get(name).unwrap().clone());
        }
        let line = |value: &Value| format!("{}\n", entail_json::to_canonical(value));
        for (attempt, text, without_key) in [
            ("signed by the forger", own.clone(), Some(0)),
            ("the genuine checkpoint", line(&borrowed), Some(1)),
            ("the genuine signature", line(&grafted), Some(1)),
        ] {
            fs::write(&place, text).unwrap();
            assert_eq!(verify(&[forged_path]).0, without_key, "{engine}: {attempt}");
            let (code, text) = verify(&[forged_path, "--public-key", &public]);
            assert_eq!(code, Some(1), "{engine}: {attempt}: {text}");
            assert!(
                text.contains("manifest failed"),
                "{engine}: {attempt}: {text}"
            );
        }
        fs::write(&place, own).unwrap();
        fs::remove_file(&place).unwrap();
        let (code, text) = verify(&[forged_path, "--public-key", &public]);
        assert_eq!(code, Some(1), "{engine}: {text}");
        assert!(text.contains("FAIL signature"), "{engine}: {text}");
    }
}

#[test]
fn an_unsigned_bundle_says_that_no_signature_was_checked_and_fails_where_one_is_asked_for() {
    let scratch = Scratch::new();
    let service = Start::default().start();
    let session = play(&service.client(), "4.3");
    let (bundle, unpacked) = save(&service.client(), &session, &scratch, "run");
    let journal = service.client().get(&format!("{session}/journal"));
    let stands = read_str(journal.header("entail-checkpoint").unwrap()).unwrap();
    service.kill();
    assert_eq!(stands.get("signature"), Some(&Value::Null));
    assert_eq!(stands.get("seq"), checkpoint(&unpacked).get("seq"));
    assert_eq!(
        stands.get("chain_head"),
        checkpoint(&unpacked).get("chain_head")
    );
    let saved = fs::read_to_string(unpacked.join("journal.jsonl")).unwrap();
    assert_eq!(
        journal.text(),
        saved,
        "it is the journal of the bundle, byte for byte"
    );
    let (code, text) = verify(&[&bundle]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("-    signature"), "{text}");
    let (code, text) = verify(&[&bundle, "--public-key", PUBLIC_HEX]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("the checkpoint is not signed"), "{text}");
    let run = ["--trace", "trace.jsonl", "--plan", "plan.json"].map(|part| {
        match part.strip_prefix("--") {
            Some(_) => part.to_owned(),
            None => unpacked.join(part).to_str().unwrap().to_owned(),
        }
    });
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let (code, text) = verify(&[&run[..], &["--public-key", PUBLIC_HEX]].concat());
    assert_eq!(code, Some(1), "a trace alone carries no signature: {text}");
    assert!(text.contains("FAIL signature"), "{text}");
}

#[test]
fn the_signing_key_is_told_nowhere() {
    let scratch = Scratch::new();
    let key = file(&scratch, "key.pem", SECRET);
    let service = Start::default()
        .arg("--log=trace")
        .arg("--signing-key-file")
        .arg(&key)
        .start();
    let client = service.client();
    let session = play(&client, "4.3");
    let mut seen = String::new();
    for path in [
        "/metrics",
        "/readyz",
        "/contract",
        &format!("{session}/journal"),
        &format!("{session}/report"),
        &session,
    ] {
        let answer = client.get(path);
        seen.push_str(answer.text());
        seen.push_str(answer.header("entail-checkpoint").unwrap_or_default());
    }
    let (_, unpacked) = save(&client, &session, &scratch, "run");
    seen.push_str(&checkpoint(&unpacked).to_string());
    let address = client.address().to_string();
    let given = ["--signing-key-file", &key, "--listen", &address];
    for command in ["config", "healthcheck", "public-key"] {
        let (code, text) = told(&run(&[&[command], &given[..]].concat()));
        assert_eq!(code, Some(0), "{command}: {text}");
        if command == "public-key" {
            assert_eq!(text, PUBLIC);
        }
        seen.push_str(&text);
    }
    let (status, log) = service.terminate();
    assert!(status.success(), "{log}");
    assert!(
        !log.contains("chmod"),
        "the file is its owner's alone: {log}"
    );
    assert!(log.contains(PUBLIC_HEX), "which key signs is told: {log}");
    seen.push_str(&log);
    // The key itself where its path is asked for.
    for command in ["config", "serve", "public-key"] {
        let given = run_with(&[command], &[("ENTAIL_SIGNING_KEY_FILE", SECRET)]);
        let (code, text) = told(&given);
        assert_eq!(code, Some(2), "{command}: {text}");
        assert!(text.contains("the path of the key"), "{command}: {text}");
        seen.push_str(&text);
    }
    for part in SECRET_PARTS {
        assert!(!seen.contains(part), "`{part}` is told");
    }
}

#[test]
fn a_key_that_cannot_be_used_ends_the_start_and_says_what_it_is() {
    let scratch = Scratch::new();
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n";
    let other = SECRET.replace("K2VwBCIE", "K2VuBCIE");
    for (name, text, said) in [
        ("public.pem", PUBLIC, "it holds a public key"),
        ("empty.pem", "", "openssl genpkey -algorithm ed25519"),
        ("encrypted.pem", encrypted, "encrypted"),
        ("other.pem", other.as_str(), "not an ed25519 one"),
    ] {
        let path = file(&scratch, name, text);
        let (code, told) = told(&run(&["serve", "--signing-key-file", &path]));
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains(said) && told.contains(name), "{told}");
    }
    let (code, text) = told(&run(&["serve", "--signing-key-file", "/none/such"]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("`/none/such` cannot be read"), "{text}");
    let (code, text) = told(&run(&["public-key"]));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("--signing-key-file"), "{text}");
    let private = file(&scratch, "key.pem", SECRET);
    let (code, text) = verify(&["run.tar.gz", "--public-key", &private]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("it holds a private key"), "{text}");
}

#[test]
fn a_key_that_everybody_may_read_is_warned_of() {
    let scratch = Scratch::new();
    let key = file(&scratch, "key.pem", SECRET);
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let mut start = Start::default();
    start
        .variables
        .push(("ENTAIL_SIGNING_KEY_FILE".to_owned(), key));
    let (_, log) = start.start().terminate();
    let warning = log.lines().find(|line| line.contains("chmod 600"));
    assert!(
        warning.is_some_and(|line| line.contains("\"WARN\"")),
        "{log}"
    );
}

#[test]
fn the_keys_that_openssl_makes_are_read() {
    let scratch = Scratch::new();
    let path = |name: &str| scratch.path().join(name).to_str().unwrap().to_owned();
    let (key, public) = (path("key.pem"), path("public.pem"));
    let openssl = |arguments: &[&str]| Command::new("openssl").args(arguments).output();
    match openssl(&["genpkey", "-algorithm", "ed25519", "-out", &key]) {
        Ok(made) if made.status.success() => {}
        other => {
            eprintln!("did not run: `openssl` makes no key: {other:?}");
            return;
        }
    }
    let made = openssl(&["pkey", "-in", &key, "-pubout", "-out", &public]).unwrap();
    assert!(made.status.success(), "{made:?}");
    let (code, text) = told(&run(&["public-key", "--signing-key-file", &key]));
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(text, fs::read_to_string(&public).unwrap());
    let service = Start::default().arg("--signing-key-file").arg(&key).start();
    let session = play(&service.client(), "4.3");
    let (bundle, _) = save(&service.client(), &session, &scratch, "run");
    let (code, text) = verify(&[&bundle, "--public-key", &public]);
    assert_eq!(code, Some(0), "{text}");
}
