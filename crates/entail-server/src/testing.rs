//! A service in this process, for the endpoints' tests.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, Response, header, response::Parts},
};
use entail_json::{Value, read_str};
use entail_store::{Options, Store};
use entail_trace::CheckpointKey;
use http_body_util::BodyExt as _;
use tower::ServiceExt as _;

use crate::{app::App, config::Settings, routes};

/// A service on a database of its own.
pub(crate) struct Service {
    app: App,
    router: Router,
    _directory: Directory,
}

/// Where its database is, as long as it is used.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("entail-server-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A body that goes on.
pub(crate) struct Stream {
    body: Body,
    text: String,
}

impl Stream {
    /// What comes up to and with that text; what is left when the body ends before.
    pub(crate) async fn until(&mut self, end: &str) -> String {
        loop {
            if let Some(at) = self.text.find(end) {
                let rest = self.text.split_off(at + end.len());
                return std::mem::replace(&mut self.text, rest);
            }
            match self.body.frame().await {
                Some(frame) => {
                    let data = frame.unwrap().into_data().unwrap();
                    self.text.push_str(std::str::from_utf8(&data).unwrap());
                }
                None => return std::mem::take(&mut self.text),
            }
        }
    }
}

/// What was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Answer {
    /// The body as JSON.
    pub(crate) fn json(&self) -> Value {
        read_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    /// The problem's code, checked to agree with the status and the media type.
    pub(crate) fn code(&self) -> String {
        assert_eq!(
            self.headers[header::CONTENT_TYPE],
            "application/problem+json"
        );
        let problem = self.json();
        let status = problem.get("status").and_then(Value::as_u64);
        assert_eq!(status, Some(u64::from(self.status)));
        let id = problem.get("request_id").and_then(Value::as_str);
        assert_eq!(id, self.headers["x-request-id"].to_str().ok());
        problem
            .get("code")
            .and_then(Value::as_str)
            .unwrap()
            .to_owned()
    }
}

async fn read(parts: Parts, body: Body) -> Answer {
    let bytes = body.collect().await.unwrap().to_bytes();
    Answer {
        status: parts.status.as_u16(),
        headers: parts.headers,
        text: String::from_utf8_lossy(&bytes).into_owned(),
    }
}

impl Service {
    /// A service with the default settings.
    pub(crate) async fn start() -> Self {
        Self::with(Settings::default()).await
    }

    /// A service with these settings, but a database of its own.
    pub(crate) async fn with(settings: Settings) -> Self {
        Self::signing(settings, None).await
    }

    /// A service that signs with that key.
    pub(crate) async fn signing(settings: Settings, key: Option<CheckpointKey>) -> Self {
        crate::metrics::start();
        let directory = Directory::new();
        let url = format!("sqlite://{}", directory.0.join("entail.db").display());
        let store = Store::open(&Options::new(url)).await.unwrap();
        store.migrate().await.unwrap();
        let app = App::new(settings, store, key);
        let router = routes::service(&app);
        Self {
            app,
            router,
            _directory: directory,
        }
    }

    /// The state the service shares.
    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    /// Sends a request; `host` is loopback unless it has one.
    pub(crate) async fn send(&self, request: Request<Body>) -> Answer {
        let (parts, body) = self.exchange(request).await.into_parts();
        read(parts, body).await
    }

    /// Sends a request, and reads the body only of an answer that is an error: another may go on.
    pub(crate) async fn begin(&self, request: Request<Body>) -> Answer {
        let response = self.exchange(request).await;
        let is_error = response.status().as_u16() >= 400;
        let (parts, body) = response.into_parts();
        let body = if is_error { body } else { Body::empty() };
        read(parts, body).await
    }

    async fn exchange(&self, mut request: Request<Body>) -> Response<Body> {
        request
            .headers_mut()
            .entry(header::HOST)
            .or_insert(header::HeaderValue::from_static("localhost"));
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// GET of bytes.
    pub(crate) async fn raw(&self, path: &str) -> Vec<u8> {
        let request = Request::get(path)
            .header(header::HOST, "localhost")
            .body(Body::empty());
        let response = self.router.clone().oneshot(request.unwrap()).await.unwrap();
        assert_eq!(response.status(), 200);
        response
            .into_body()
            .collect()
            .await
            .unwrap()
            .to_bytes()
            .into()
    }

    /// GET of a body that goes on.
    pub(crate) async fn follow(&self, path: &str) -> Stream {
        let request = Request::get(path)
            .header(header::HOST, "localhost")
            .body(Body::empty());
        let response = self.router.clone().oneshot(request.unwrap()).await.unwrap();
        assert_eq!(response.status(), 200);
        Stream {
            body: response.into_body(),
            text: String::new(),
        }
    }

    /// Opens a session: its path.
    pub(crate) async fn open(&self, body: &str) -> String {
        let opened = self.post("/sessions", body).await;
        assert_eq!(opened.status, 201, "{}", opened.text);
        opened.headers[header::LOCATION]
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// A JSON request under an idempotency key.
    pub(crate) async fn keyed(&self, method: &str, path: &str, key: &str, body: &str) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .header("idempotency-key", key)
            .body(Body::from(body.to_owned()));
        self.send(request.unwrap()).await
    }

    /// A JSON request on the condition of a version.
    pub(crate) async fn matching(
        &self,
        method: &str,
        path: &str,
        tag: &str,
        body: String,
    ) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::IF_MATCH, tag)
            .body(Body::from(body));
        self.send(request.unwrap()).await
    }

    /// A request with a body of any type.
    pub(crate) async fn bytes(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from(body.to_vec()));
        self.send(request.unwrap()).await
    }

    /// A request with plain text.
    pub(crate) async fn text(&self, method: &str, path: &str, text: &str) -> Answer {
        self.bytes(method, path, "text/plain; charset=utf-8", text.as_bytes())
            .await
    }

    /// GET.
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call("GET", path, None).await
    }

    /// POST of JSON.
    pub(crate) async fn post(&self, path: &str, body: &str) -> Answer {
        self.call("POST", path, Some(body)).await
    }

    /// Any method, with JSON if there is a body.
    pub(crate) async fn call(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_owned()));
        self.send(request.body(body).unwrap()).await
    }
}
