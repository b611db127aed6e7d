//! `POST /verify`

use std::io::Cursor;

use axum::{
    extract::{FromRequest, Request, State},
    http::HeaderMap,
    response::Response,
};
use entail_json::{Value, to_canonical};
use entail_trace::{
    Answer, ArchiveError, Bytes as _, Files, PemError, PublicKey, ReportView, paths,
};

use super::get_report::{Format, format, render};
use crate::{
    app::App,
    body::{
        GzipOrJson,
        decode::{Decoded, Fields, Pointer, any, map, text},
        decode_value,
    },
    caller::Reader,
    limits::{UNPACKED_BODIES, VERIFIED_RECORD_BYTES},
    offline::{self, Held},
    openapi::schema::VerifyBody,
    problem::{Code, Fault, Place, Problem},
    request::Query,
};

/// Verify a run from anywhere: a bundle, or a trace with its plan.
///
/// Nothing is stored. A run that does not hold is answered with its report, too.
#[utoipa::path(
    post, path = "/verify", operation_id = "verify_run", tag = "service",
    request_body(content(
        (Vec<u8> = "application/gzip"),
        (VerifyBody = "application/json"),
    )),
    params(("format" = inline(Option<crate::openapi::schema::ReportFormat>), Query,
        description = "In which form; by `Accept` when absent."),
        ("public_key" = Option<String>, Query, description = "The Ed25519 public key that the \
            checkpoint has to be signed with: its 32 bytes in hexadecimal, or PEM as \
            `openssl pkey -pubout` writes it, percent-encoded. Without it the check `signature` \
            is not run, and the report says so.")),
    responses(
        (status = 200, description = "The report.", content(
            (Object = "application/json"),
            (String = "text/markdown"),
            (String = "text/html"),
            (String = "application/xml"),
            (Object = "application/sarif+json"),
            (String = "text/plain"),
        )),
        crate::openapi::responses::Stateless,
    )
)]
pub(crate) async fn verify(
    State(app): State<App>,
    _: Reader,
    headers: HeaderMap,
    mut query: Query,
    request: Request,
) -> Result<Response, Problem> {
    let format = format(&mut query, &headers)?;
    let key = public_key(&mut query);
    query.close()?;
    let key = key?;
    let body = GzipOrJson::from_request(request, &app).await?;
    let most = u64::try_from(app.settings().max_document_bytes).unwrap_or(u64::MAX);
    let work = move || judge(body, key, most.saturating_mul(UNPACKED_BODIES), format);
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| Problem::internal(&error))?
}

/// The key that a checkpoint is to be signed with.
fn public_key(query: &mut Query) -> Result<Option<PublicKey>, Problem> {
    const NAME: &str = "public_key";
    let key = query.text(NAME).map(|text| text.parse()).transpose();
    key.map_err(|error: PemError| {
        let fault = Fault {
            place: Place::Parameter(NAME.to_owned()),
            detail: error.to_string(),
        };
        Problem::new(Code::InvalidArgument, error.to_string()).with_faults(vec![fault])
    })
}

fn judge(
    body: GzipOrJson,
    key: Option<PublicKey>,
    limit: u64,
    format: Format,
) -> Result<Response, Problem> {
    let files: Box<dyn Files> = match body {
        GzipOrJson::Gzip(packed) => {
            let tar = offline::unpack(Cursor::new(packed), limit)
                .map_err(|error| not_unpacked(&error))?;
            Box::new(tar)
        }
        GzipOrJson::Json(value) => Box::new(decode_value(value, run)?),
    };
    let verified = offline::verify(files.as_ref(), key, Some(VERIFIED_RECORD_BYTES));
    if verified.trace.is_none() {
        let why = verified
            .report()
            .failures()
            .first()
            .map(|failure| failure.message.clone());
        let detail = why.unwrap_or_else(|| "there is no trace in it".to_owned());
        return Err(Problem::new(Code::UnreadableRun, detail));
    }
    let trace = files.open(paths::TRACE).ok().flatten();
    let answer = trace
        .filter(|trace| trace.length().is_ok())
        .and_then(|trace| Answer::of(&trace, Some(files.as_ref())).ok().flatten());
    let mut view = ReportView::new(&verified.results, &verified.trace_id);
    if let Some(answer) = &answer {
        view = view.answer(answer);
    }
    Ok(render(&view, format))
}

/// Where a bundle in memory cannot be read or written, it is the service that failed.
fn not_unpacked(error: &ArchiveError) -> Problem {
    match error {
        ArchiveError::Io(_) => Problem::internal(error),
        _ => Problem::new(Code::UnreadableRun, error.to_string()),
    }
}

/// `{trace, plan, spec?, evidence?}`: the trace's text, records as objects, texts by path.
fn run(value: Value, place: &Pointer) -> Decoded<Held> {
    let mut fields = Fields::open(value, place)?;
    let trace = fields.required("trace", text);
    let plan = fields.required("plan", any);
    let spec = fields.optional("spec", any);
    let evidence = fields.optional("evidence", map(text));
    fields.close(|| {
        let mut held = Held::default();
        held.insert(paths::TRACE, trace?.into_bytes());
        held.insert(paths::PLAN, to_canonical(&plan?).into_bytes());
        if let Some(spec) = spec? {
            held.insert(paths::SPEC, to_canonical(&spec).into_bytes());
        }
        for (path, text) in evidence?.unwrap_or_default() {
            held.insert(&path, text.into_bytes());
        }
        Some(held)
    })
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse as _;
    use entail_json::Value;
    use entail_trace::ArchiveError;

    use crate::testing::Service;

    async fn service() -> (Service, String) {
        let service = Service::start().await;
        let session = service
            .open(
                r#"{"task": "t", "documents": [{"name": "d", "text": "Revenue was $4.3 billion."},
                    {"name": "never cited", "text": "x"}],
                    "premises": [{"key": "a", "value": 1, "source": "human:h"}]}"#,
            )
            .await;
        let turn = r#"{"response": {"actions": [
            {"type": "cite", "document": "d", "key": "r", "value": 4300000000, "quote": "revenue was $4.3 billion"},
            {"type": "claim", "key": "b", "formula": "{a} + 1"},
            {"type": "answer", "text": "two", "follows_from": ["b"]}]}}"#;
        assert_eq!(
            service.post(&format!("{session}/turns"), turn).await.status,
            200
        );
        (service, session)
    }

    #[tokio::test]
    async fn a_bundle_verifies_wherever_it_is_sent_and_an_edited_one_does_not() {
        let (service, session) = service().await;
        let bundle = service.raw(&format!("{session}/bundle")).await;
        assert_eq!(service.raw(&format!("{session}/bundle")).await, bundle);
        let report = service
            .bytes("POST", "/verify?format=text", "application/gzip", &bundle)
            .await;
        assert_eq!(report.status, 200, "{}", report.text);
        assert!(!report.text.contains("FAIL"), "{}", report.text);
        for check in [
            "manifest",
            "chain",
            "arithmetic",
            "evidence_hashes",
            "checkpoint",
        ] {
            assert!(
                report.text.contains(&format!("ok   {check}")),
                "{check}: {}",
                report.text
            );
        }
        let mut cut = bundle.clone();
        cut.truncate(bundle.len() / 2);
        let refused = service
            .bytes("POST", "/verify", "application/gzip", &cut)
            .await;
        assert_eq!(
            (refused.status, refused.code()),
            (422, "unreadable_run".to_owned())
        );
    }

    #[test]
    fn a_bundle_is_not_blamed_for_a_temporary_directory() {
        let full = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let status = |error| {
            super::not_unpacked(&error)
                .into_response()
                .status()
                .as_u16()
        };
        assert_eq!(status(ArchiveError::Io(full)), 500);
        assert_eq!(status(ArchiveError::Trailing), 422);
    }

    #[tokio::test]
    async fn a_trace_with_its_plan_verifies_and_an_edited_one_is_told_where() {
        let (service, session) = service().await;
        let trace = service.get(&format!("{session}/trace")).await.text;
        let plan = service.get(&format!("{session}/plan")).await.json();
        let body = |trace: &str| {
            Value::from([("trace", trace.into()), ("plan", plan.clone())]).to_string()
        };
        let report = service.post("/verify", &body(&trace)).await;
        assert_eq!(report.status, 200, "{}", report.text);
        let edited = trace.replacen("\"value\":1", "\"value\":2", 1);
        assert_ne!(edited, trace);
        let report = service.post("/verify", &body(&edited)).await.json();
        let checks = report.get("checks").and_then(Value::as_array).unwrap();
        let ids = checks
            .iter()
            .find(|check| check.get("name").and_then(Value::as_str) == Some("content_ids"));
        assert_eq!(
            ids.and_then(|check| check.get("passed")),
            Some(&Value::Bool(false))
        );
        let nothing = service.post("/verify", &body("nothing")).await;
        assert_eq!(
            (nothing.status, nothing.code()),
            (422, "unreadable_run".to_owned())
        );
    }
}
