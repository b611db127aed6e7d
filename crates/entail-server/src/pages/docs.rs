//! `GET /docs`: Swagger UI over `/openapi.json`.

use std::{
    borrow::Cow,
    sync::{Arc, LazyLock},
};

use axum::{
    Router,
    extract::Path,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::get,
};
use utoipa_swagger_ui::Config;

use super::{CSS, HTML, SCRIPT, SVG, file::File};
use crate::{app::App, middleware};

/// Swagger UI sets styles as it draws, and its style sheet holds images.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
frame-ancestors 'none'";

static PAGE: File = File::new(HTML, web!("docs.html"), POLICY);

static FILES: LazyLock<Vec<(&str, File)>> = LazyLock::new(|| {
    let mut files = vec![
        ("docs.css", File::new(CSS, web!("docs.css"), POLICY)),
        ("docs.js", File::new(SCRIPT, web!("docs.js"), POLICY)),
        ("icon.svg", File::new(SVG, web!("icon.svg"), POLICY)),
    ];
    for (name, kind) in [("swagger-ui.css", CSS), ("swagger-ui-bundle.js", SCRIPT)] {
        files.extend(vendored(name, kind).map(|file| (name, file)));
    }
    files
});

/// A file of Swagger UI's own.
fn vendored(name: &str, kind: &'static str) -> Option<File> {
    let found = utoipa_swagger_ui::serve(name, Arc::new(Config::default())).ok()??;
    match found.bytes {
        Cow::Borrowed(bytes) if found.gzpipped => Some(File::gzipped(kind, bytes, POLICY)),
        Cow::Borrowed(bytes) => Some(File::new(kind, bytes, POLICY)),
        Cow::Owned(_) => None,
    }
}

/// `/docs` and what it loads.
pub(super) fn routes() -> Router<App> {
    // The page names its files by where they stand to it, whatever stands before `/docs`.
    let to_folder = || async {
        (
            StatusCode::PERMANENT_REDIRECT,
            [(header::LOCATION, "docs/")],
        )
    };
    Router::new()
        .route("/docs", get(to_folder))
        .route(
            "/docs/",
            get(|headers: HeaderMap| async move { PAGE.answer(&headers) }),
        )
        .route("/docs/{file}", get(file))
}

async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match FILES.iter().find(|(known, _)| *known == name) {
        Some((_, file)) => file.answer(&headers),
        None => middleware::fallback().await.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use axum::{body::Body, http::Request};

    use crate::testing::Service;

    #[tokio::test]
    async fn the_page_and_everything_it_names_come_from_the_binary() {
        let service = Service::start().await;
        let moved = service.get("/docs").await;
        assert_eq!(
            (moved.status, moved.headers["location"].to_str().unwrap()),
            (308, "docs/")
        );
        let page = service.get("/docs/").await;
        assert_eq!(page.status, 200);
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        let mut named = 0;
        for mark in ["href=\"", "src=\""] {
            for part in page.text.split(mark).skip(1) {
                let name = part.split('"').next().unwrap();
                if name.starts_with("../") {
                    continue;
                }
                assert!(!name.contains(':'), "{name} is elsewhere");
                assert!(!service.raw(&format!("/docs/{name}")).await.is_empty());
                named += 1;
            }
        }
        assert_eq!(named, 5);
        assert_eq!(service.get("/docs/index.html").await.code(), "no_route");
        assert_eq!(
            service.call("POST", "/docs/", None).await.code(),
            "method_not_allowed"
        );
    }

    #[tokio::test]
    async fn a_browser_that_has_a_file_is_not_sent_it_again() {
        let service = Service::start().await;
        let first = service.get("/docs/docs.js").await;
        let tag = first.headers["etag"].to_str().unwrap().to_owned();
        let policy = first.headers["content-security-policy"].clone();
        assert!(policy.to_str().unwrap().starts_with("default-src 'none'"));
        let request = Request::get("/docs/docs.js")
            .header("if-none-match", format!("\"x\", W/{tag}"))
            .body(Body::empty());
        let again = service.send(request.unwrap()).await;
        assert_eq!((again.status, again.text.as_str()), (304, ""));
        assert_eq!(again.headers["etag"], tag.as_str());
    }

    #[tokio::test]
    async fn no_page_of_a_foreign_host_is_served_without_keys() {
        let service = Service::start().await;
        let request = Request::get("/docs/")
            .header("host", "rebound.example")
            .body(Body::empty());
        assert_eq!(service.send(request.unwrap()).await.code(), "foreign_host");
    }
}
