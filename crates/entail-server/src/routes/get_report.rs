//! `GET /sessions/{id}/report`

use axum::{
    extract::State,
    http::{HeaderMap, header},
    response::{IntoResponse as _, Response},
};
use entail_store::SessionRow;
use entail_trace::{ChainCheck, CheckResult, ReportView};

use super::get_belief::find;
use crate::{
    app::App,
    body::JSON,
    caller::Reader,
    problem::{Code, Problem},
    request::{Query, SessionPath, preferred},
    sessions::{study, unknown},
};

/// A form of a report.
#[derive(Clone, Copy)]
pub(super) enum Format {
    Json,
    Markdown,
    Html,
    Junit,
    Sarif,
    Text,
}

const TYPES: &[(&str, Format)] = &[
    (JSON, Format::Json),
    ("text/markdown", Format::Markdown),
    ("text/html", Format::Html),
    ("application/xml", Format::Junit),
    ("application/sarif+json", Format::Sarif),
    ("text/plain", Format::Text),
];

/// The page runs nothing and loads nothing.
const PAGE_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
form-action 'none'; frame-ancestors 'none'";

/// Verify the session: its trace, its proof and its journal's chain, now.
///
/// Every check really runs. The report says which layers it vouches for, and which were not run.
#[utoipa::path(
    get, path = "/sessions/{id}/report", operation_id = "get_report", tag = "records",
    params(crate::openapi::schema::SessionId, crate::openapi::schema::MinVersion,
        ("format" = inline(Option<crate::openapi::schema::ReportFormat>), Query,
            description = "In which form; by `Accept` when absent."),
        ("at" = Option<String>, Query, description = "Speak of another time.", format = DateTime),
        ("root" = Option<String>, Query,
            description = "Check the proof of this key or ref; the latest answer when absent.")),
    responses(
        (status = 200, description = "The report.", content(
            (Object = "application/json"),
            (String = "text/markdown"),
            (String = "text/html"),
            (String = "application/xml"),
            (Object = "application/sarif+json"),
            (String = "text/plain"),
        )),
        crate::openapi::responses::Reading,
    )
)]
pub(crate) async fn get_report(
    State(app): State<App>,
    Reader(caller): Reader,
    path: SessionPath,
    headers: HeaderMap,
    mut query: Query,
) -> Result<Response, Problem> {
    let format = format(&mut query, &headers)?;
    let when = query.time("at");
    let root = query.text("root");
    let min_version = query.min_version();
    query.close()?;
    let target = path.of(&caller);
    let row = app.store().session(&target.tenant, target.id).await?;
    let row = row.ok_or_else(|| unknown(&target))?;
    let chain = check_chain(&app, &row).await?;
    let version = min_version.unwrap_or(0).max(row.version);
    study(&app, &target, Some(version), move |session, now| {
        let at = when.unwrap_or(now);
        let roots = match &root {
            Some(name) => find(session, name)?,
            None => session.report_roots(),
        };
        let mut report = session
            .report(&roots, at)
            .map_err(|error| Problem::internal(&error))?;
        report.results.put(chain);
        let mut view = ReportView::new(&report.results, &report.trace_id)
            .task(&report.task)
            .as_of(&report.as_of);
        if let Some(answer) = &report.answer {
            view = view.answer(answer);
        }
        Ok(render(&view, format))
    })
    .await
}

/// The form that is asked for.
pub(super) fn format(query: &mut Query, headers: &HeaderMap) -> Result<Format, Problem> {
    const NAMES: &[(&str, Format)] = &[
        ("json", Format::Json),
        ("markdown", Format::Markdown),
        ("html", Format::Html),
        ("junit", Format::Junit),
        ("sarif", Format::Sarif),
        ("text", Format::Text),
    ];
    if let Some(format) = query.choice("format", NAMES) {
        return Ok(format);
    }
    let types: Vec<_> = TYPES.iter().map(|(kind, _)| *kind).collect();
    let wanted = preferred(headers, &types).and_then(|index| TYPES.get(index));
    wanted.map(|(_, format)| *format).ok_or_else(|| {
        let detail = format!("the report comes as `{}`", types.join("`, `"));
        Problem::new(Code::NotAcceptable, detail)
    })
}

/// Walks the journal as it is stored.
async fn check_chain(app: &App, row: &SessionRow) -> Result<CheckResult, Problem> {
    const BATCH: u32 = 256;
    let mut check = ChainCheck::default();
    let mut after = 0;
    loop {
        let entries = app.store().entries(row.id, after, None, BATCH).await?;
        for entry in &entries {
            check.entry(entry);
        }
        match entries.last() {
            Some(last) => after = last.seq,
            None => return Ok(check.finish().0),
        }
    }
}

/// The report in that form.
pub(super) fn render(view: &ReportView<'_>, format: Format) -> Response {
    let kind = |kind: &'static str| [(header::CONTENT_TYPE, kind)];
    match format {
        Format::Json => (kind(JSON), view.to_json()).into_response(),
        Format::Markdown => {
            (kind("text/markdown; charset=utf-8"), view.to_markdown()).into_response()
        }
        Format::Html => {
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CONTENT_SECURITY_POLICY, PAGE_POLICY),
                (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
            ];
            (headers, view.to_html()).into_response()
        }
        Format::Junit => (kind("application/xml"), view.to_junit()).into_response(),
        Format::Sarif => (kind("application/sarif+json"), view.to_sarif()).into_response(),
        Format::Text => (kind("text/plain; charset=utf-8"), view.to_lines()).into_response(),
    }
}
