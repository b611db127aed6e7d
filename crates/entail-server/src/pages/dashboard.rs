//! `GET /`: the dashboard. Its files under `web/` are written as they are served.

use axum::{
    Router,
    extract::Path,
    http::HeaderMap,
    response::{IntoResponse as _, Response},
    routing::get,
};

use super::{CSS, HTML, SCRIPT, SVG, file::File};
use crate::{app::App, middleware};

/// Only what this service holds runs, and no text can become markup: where browsers know trusted
/// types, even a mistake in the scripts could not parse it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
require-trusted-types-for 'script'; trusted-types 'none'";

static PAGE: File = File::new(HTML, web!("index.html"), POLICY);

macro_rules! scripts {
    ($($name:literal)*) => {
        [$(($name, File::new(SCRIPT, web!($name), POLICY)),)*]
    };
}

static SCRIPTS: [(&str, File); 15] = scripts! {
    "answer.js" "api.js" "app.js" "beliefs.js" "calls.js" "conflicts.js" "documents.js" "dom.js"
    "proof.js" "report.js" "session.js" "sessions.js" "sources.js" "turns.js" "words.js"
};

static ICON: File = File::new(SVG, web!("icon.svg"), POLICY);

static OTHERS: [(&str, File); 2] = [
    ("icon.svg", File::new(SVG, web!("icon.svg"), POLICY)),
    ("style.css", File::new(CSS, web!("style.css"), POLICY)),
];

/// `/` and what it loads.
pub(super) fn routes() -> Router<App> {
    Router::new()
        .route("/", get(async |asked: HeaderMap| PAGE.answer(&asked)))
        .route("/web/{file}", get(file))
        // Browsers ask for it on behalf of whatever they show.
        .route("/favicon.ico", get(async |asked: HeaderMap| ICON.answer(&asked)))
}

async fn file(Path(name): Path<String>, asked: HeaderMap) -> Response {
    let mut files = SCRIPTS.iter().chain(&OTHERS);
    match files.find(|(known, _)| *known == name) {
        Some((_, file)) => file.answer(&asked),
        None => middleware::fallback().await.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, path::Path};

    use crate::testing::Service;

    /// What a file of the page names by `mark`, up to the closing quote.
    fn named<'a>(text: &'a str, mark: &str) -> impl Iterator<Item = &'a str> {
        text.split(mark)
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
    }

    #[tokio::test]
    async fn the_page_and_everything_it_names_come_from_the_binary() {
        let service = Service::start().await;
        let page = service.get("/").await;
        assert_eq!(page.status, 200);
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(!policy.contains("unsafe"), "{policy}");
        let mut wanted: Vec<String> = named(&page.text, "=\"web/").map(str::to_owned).collect();
        let mut seen = BTreeSet::new();
        while let Some(name) = wanted.pop() {
            if !seen.insert(name.clone()) {
                continue;
            }
            let file = service.get(&format!("/web/{name}")).await;
            assert_eq!(file.status, 200, "{name}");
            assert_eq!(file.headers["x-content-type-options"], "nosniff");
            wanted.extend(named(&file.text, "from \"./").map(str::to_owned));
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
        let there: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "index.html" && !name.starts_with("docs."))
            .collect();
        assert_eq!(seen, there);
        assert_eq!(service.get("/web/index.html").await.code(), "no_route");
    }

    #[test]
    fn no_script_parses_markup_or_names_another_host() {
        let files = super::SCRIPTS.iter().chain(&super::OTHERS);
        for (name, file) in files {
            let text = file.text();
            for word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "DOMParser",
                "eval(",
                "new Function",
                "setHTML",
                "createContextualFragment",
                "localStorage",
                "@import",
            ] {
                assert!(!text.contains(word), "{name} says `{word}`");
            }
            let hosts = text.matches("//").count()
                - text
                    .lines()
                    .filter(|line| line.trim_start().starts_with("//"))
                    .count();
            let namespaces = text.matches("http://www.w3.org/2000/svg").count();
            assert_eq!(hosts, namespaces, "{name} names a host");
        }
    }
}
