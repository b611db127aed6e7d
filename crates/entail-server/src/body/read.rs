//! Reading bodies: whole, within a size and a time, in one of the formats a resource takes.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use entail_json::{Digest, Object, Value, read, sha256};
use http_body_util::BodyExt as _;
use tokio::time::{Instant, timeout, timeout_at};

use crate::{
    app::App,
    body::decode::{Decoded, Pointer},
    limits::{DRAIN_TIMEOUT_MS, DRAINED_BYTES},
    problem::{Code, Fault, Place, Problem},
};

/// A JSON body within `max_body_bytes`.
#[derive(Debug)]
pub(crate) struct JsonBody {
    value: Value,
    digest: Digest,
}

/// A JSON body that may be missing; then it counts as `{}`.
#[derive(Debug)]
pub(crate) struct MaybeJson {
    value: Value,
    digest: Digest,
}

/// A text or JSON body within `max_document_bytes`.
pub(crate) enum TextOrJson {
    /// `text/plain`
    Text(String),
    /// `application/json`
    Json(Value),
}

/// A packed bundle or a JSON body within `max_document_bytes`.
pub(crate) enum GzipOrJson {
    /// `application/gzip`
    Gzip(Bytes),
    /// `application/json`
    Json(Value),
}

impl FromRequest<App> for GzipOrJson {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let kind = media_type(&parts.headers)?;
        if !matches!(kind, Kind::Json | Kind::Gzip) {
            drain(body).await;
            return Err(unsupported(
                "send `content-type: application/gzip` or `application/json`",
            ));
        }
        let max = app.settings().max_document_bytes;
        let bytes = read_bytes(&parts.headers, body, max, app).await?;
        Ok(match kind {
            Kind::Gzip => Self::Gzip(bytes),
            _ => Self::Json(parse_json(&bytes)?),
        })
    }
}

impl JsonBody {
    /// A body that says `value` in bytes of that hash.
    pub(super) fn new(value: Value, digest: Digest) -> Self {
        Self { value, digest }
    }

    /// The hash of its bytes.
    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    /// What the body says, by a decoder.
    pub(crate) fn decode<T>(
        self,
        decode: impl FnOnce(Value, &Pointer) -> Decoded<T>,
    ) -> Result<T, Problem> {
        decode_value(self.value, decode)
    }
}

impl MaybeJson {
    /// The hash of its bytes.
    pub(crate) fn digest(&self) -> Digest {
        self.digest
    }

    /// What the body says, by a decoder.
    pub(crate) fn decode<T>(
        self,
        decode: impl FnOnce(Value, &Pointer) -> Decoded<T>,
    ) -> Result<T, Problem> {
        decode_value(self.value, decode)
    }
}

/// What a value says, by a decoder.
pub(crate) fn decode_value<T>(
    value: Value,
    decode: impl FnOnce(Value, &Pointer) -> Decoded<T>,
) -> Result<T, Problem> {
    decode(value, &Pointer::default()).map_err(|faults| {
        let detail = match faults.as_slice() {
            [one] => one.detail.clone(),
            several => format!("{} faults; `errors` names each", several.len()),
        };
        let is_of_the_form = faults
            .iter()
            .all(|fault| matches!(fault.place, Place::Members(_)));
        let code = if is_of_the_form {
            Code::InvalidArgument
        } else {
            Code::InvalidBody
        };
        Problem::new(code, detail).with_faults(faults)
    })
}

impl FromRequest<App> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let bytes = read_json_bytes(request, app).await?;
        Ok(Self::new(parse_json(&bytes)?, sha256(&bytes)))
    }
}

impl FromRequest<App> for MaybeJson {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let kind = media_type(&parts.headers)?;
        let max = app.settings().max_body_bytes;
        let taken = matches!(kind, Kind::Json | Kind::None);
        let bytes = read_checked(taken, &parts.headers, body, max, app).await?;
        let value = match (kind, bytes.is_empty()) {
            (_, true) => Value::Object(Object::new()),
            (Kind::None, false) => return Err(unsupported(JSON_ONLY)),
            _ => parse_json(&bytes)?,
        };
        Ok(Self {
            value,
            digest: sha256(&bytes),
        })
    }
}

impl FromRequest<App> for TextOrJson {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let kind = media_type(&parts.headers)?;
        if !matches!(kind, Kind::Json | Kind::Text) {
            drain(body).await;
            return Err(unsupported(
                "send `content-type: text/plain` (UTF-8) or `application/json`",
            ));
        }
        let max = app.settings().max_document_bytes;
        let bytes = read_bytes(&parts.headers, body, max, app).await?;
        if kind == Kind::Json {
            return Ok(Self::Json(parse_json(&bytes)?));
        }
        match String::from_utf8(bytes.into()) {
            Ok(text) => Ok(Self::Text(text)),
            Err(error) => Err(Problem::new(
                Code::MalformedText,
                format!(
                    "the text has to be UTF-8; it stops being so at byte {}",
                    error.utf8_error().valid_up_to()
                ),
            )),
        }
    }
}

const JSON_ONLY: &str = "send `content-type: application/json`";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    None,
    Json,
    Text,
    Gzip,
    Other,
}

fn unsupported(detail: &'static str) -> Problem {
    Problem::new(Code::UnsupportedMediaType, detail)
}

fn media_type(headers: &HeaderMap) -> Result<Kind, Problem> {
    if let Some(coding) = headers.get(header::CONTENT_ENCODING)
        && coding != "identity"
    {
        return Err(unsupported("send the body without `content-encoding`"));
    }
    let Some(given) = headers.get(header::CONTENT_TYPE) else {
        return Ok(Kind::None);
    };
    let given = given.to_str().unwrap_or_default().to_ascii_lowercase();
    let mut parts = given.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    let charset = parts.find_map(|parameter| parameter.strip_prefix("charset="));
    if charset.is_some_and(|charset| !matches!(charset.trim_matches('"'), "utf-8" | "us-ascii")) {
        return Err(unsupported("send the body in UTF-8"));
    }
    Ok(match essence {
        "application/json" => Kind::Json,
        other if other.starts_with("application/") && other.ends_with("+json") => Kind::Json,
        "text/plain" => Kind::Text,
        "application/gzip" | "application/x-gzip" => Kind::Gzip,
        _ => Kind::Other,
    })
}

async fn read_checked(
    taken: bool,
    headers: &HeaderMap,
    body: Body,
    max: usize,
    app: &App,
) -> Result<Bytes, Problem> {
    if !taken {
        drain(body).await;
        return Err(unsupported(JSON_ONLY));
    }
    read_bytes(headers, body, max, app).await
}

/// The bytes of a JSON body within `max_body_bytes`.
pub(super) async fn read_json_bytes(request: Request, app: &App) -> Result<Bytes, Problem> {
    let (parts, body) = request.into_parts();
    let kind = media_type(&parts.headers)?;
    let max = app.settings().max_body_bytes;
    read_checked(kind == Kind::Json, &parts.headers, body, max, app).await
}

pub(super) fn parse_json(bytes: &[u8]) -> Result<Value, Problem> {
    read(bytes).map_err(|error| {
        Problem::new(Code::MalformedJson, error.to_string()).with_faults(vec![Fault {
            place: Place::Body(String::new()),
            detail: error.to_string(),
        }])
    })
}

/// The whole body, at most `max` bytes, within the time a client has to send it.
async fn read_bytes(
    headers: &HeaderMap,
    mut body: Body,
    max: usize,
    app: &App,
) -> Result<Bytes, Problem> {
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok())
        .and_then(|length| length.parse::<u64>().ok());
    let known = length.and_then(|length| usize::try_from(length).ok());
    if length.is_some() && known.is_none_or(|length| length > max) {
        // A client that waits for leave to send has sent nothing; reading would grant it.
        if !headers.contains_key(header::EXPECT) {
            drain(body).await;
        }
        return Err(too_large(max));
    }
    let deadline = Instant::now() + Duration::from_millis(app.settings().body_timeout_ms);
    let mut collected = Vec::with_capacity(known.unwrap_or_default());
    loop {
        let frame = match timeout_at(deadline, body.frame()).await {
            Err(_) => {
                return Err(Problem::new(
                    Code::BodyTimeout,
                    format!(
                        "the body has to arrive within {} ms",
                        app.settings().body_timeout_ms
                    ),
                ));
            }
            Ok(None) => return Ok(collected.into()),
            Ok(Some(Err(_))) => {
                return Err(Problem::new(
                    Code::MalformedRequest,
                    "the body broke off or is framed wrongly",
                ));
            }
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        if collected.len().saturating_add(data.len()) > max {
            drop(collected);
            drain(body).await;
            return Err(too_large(max));
        }
        collected.extend_from_slice(&data);
    }
}

fn too_large(max: usize) -> Problem {
    Problem::new(
        Code::BodyTooLarge,
        format!("the body has to be at most {max} bytes"),
    )
    .with_member("max_bytes", max)
}

/// Reads on and keeps nothing, for a while: a client that is still sending when its connection
/// is closed may never get to read the answer.
async fn drain(mut body: Body) {
    let reading = async {
        let mut left = DRAINED_BYTES;
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, Bytes::len);
            left = left.saturating_sub(u64::try_from(length).unwrap_or(u64::MAX));
            if left == 0 {
                break;
            }
        }
    };
    let _ = timeout(Duration::from_millis(DRAIN_TIMEOUT_MS), reading).await;
}
