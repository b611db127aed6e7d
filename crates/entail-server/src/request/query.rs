//! Query parameters: every one known, none twice, all faults told at once.

use axum::{extract::FromRequestParts, http::request::Parts};
use entail_kernel::Time;
use percent_encoding::percent_decode_str;

use crate::{
    app::App,
    limits::{CURSOR_DIGITS, PAGE, PAGE_MOST},
    problem::{Code, Fault, Place, Problem, quoted},
};

/// The query of a request, its parameters taken out one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query {
    pairs: Vec<(String, String)>,
    known: Vec<&'static str>,
    faults: Vec<Fault>,
}

impl FromRequestParts<App> for Query {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        Ok(Self::parse(parts.uri.query().unwrap_or_default()))
    }
}

impl Query {
    /// Reads a query.
    pub(crate) fn parse(query: &str) -> Self {
        let mut parsed = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match (decode(name), decode(value)) {
                (Some(name), Some(value)) => parsed.pairs.push((name, value)),
                _ => parsed.fault(name, "it has to be UTF-8, percent-encoded"),
            }
        }
        parsed
    }

    /// A parameter, as it is.
    pub(crate) fn text(&mut self, name: &'static str) -> Option<String> {
        self.known.push(name);
        let mut found = None;
        let mut twice = false;
        self.pairs.retain_mut(|(given, value)| {
            if given != name {
                return true;
            }
            twice |= found.is_some();
            found = Some(std::mem::take(value));
            false
        });
        if twice {
            self.fault(name, "it is given twice");
        }
        found
    }

    /// A parameter of another type; `what` says of which.
    pub(crate) fn parsed<T: std::str::FromStr>(
        &mut self,
        name: &'static str,
        what: &str,
    ) -> Option<T> {
        let text = self.text(name)?;
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.fault(name, format!("{} is not {what}", quoted(&text)));
        }
        parsed
    }

    /// A whole number that is not negative and that 64 bits with a sign can hold, as the
    /// document says; `what` says which.
    pub(crate) fn whole(&mut self, name: &'static str, what: &str) -> Option<u64> {
        let number: i64 = self.parsed(name, what)?;
        let whole = u64::try_from(number).ok();
        if whole.is_none() {
            self.fault(name, format!("{number} is not {what}"));
        }
        whole
    }

    /// `min_version`: how new a state has to be.
    pub(crate) fn min_version(&mut self) -> Option<u64> {
        self.whole("min_version", "a version")
    }

    /// `cursor` of a list that counts its items: where its next page begins.
    pub(crate) fn cursor(&mut self) -> usize {
        const NAME: &str = "cursor";
        let Some(text) = self.text(NAME) else {
            return 0;
        };
        let is_one = (1..=CURSOR_DIGITS).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit());
        let start = text.parse().ok().filter(|_| is_one);
        start.unwrap_or_else(|| {
            let detail = format!("{} is not a `next_cursor` of this list", quoted(&text));
            self.fault(NAME, detail);
            0
        })
    }

    /// A point in time, RFC 3339.
    pub(crate) fn time(&mut self, name: &'static str) -> Option<Time> {
        self.parsed(name, "a time such as `2026-01-31T12:00:00Z`")
    }

    /// A switch: `true` or `false`.
    pub(crate) fn flag(&mut self, name: &'static str) -> bool {
        self.parsed(name, "`true` or `false`").unwrap_or(false)
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        name: &'static str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(name)?;
        let found = choices
            .iter()
            .find(|(word, _)| *word == text)
            .map(|(_, choice)| *choice);
        if found.is_none() {
            let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
            let detail = format!("{} is not one of `{}`", quoted(&text), words.join("`, `"));
            self.fault(name, detail);
        }
        found
    }

    /// `limit`: how many items a page is to hold.
    pub(crate) fn limit(&mut self) -> usize {
        let limit: Option<usize> = self.parsed("limit", "a whole number");
        match limit {
            None => PAGE,
            Some(limit) if (1..=PAGE_MOST).contains(&limit) => limit,
            Some(_) => {
                self.fault("limit", format!("it has to be from 1 to {PAGE_MOST}"));
                PAGE
            }
        }
    }

    /// A fault of a parameter.
    pub(crate) fn fault(&mut self, name: &str, detail: impl Into<String>) {
        self.faults.push(Fault {
            place: Place::Parameter(name.to_owned()),
            detail: detail.into(),
        });
    }

    /// Refuses the query if anything was wrong with it, or is left of it.
    pub(crate) fn close(mut self) -> Result<(), Problem> {
        let left = std::mem::take(&mut self.pairs);
        for (name, _) in left.iter().take(crate::limits::BODY_FAULTS) {
            let detail = if self.known.is_empty() {
                "this resource takes no parameters".to_owned()
            } else {
                format!("this resource takes `{}`", self.known.join("`, `"))
            };
            self.fault(name, detail);
        }
        match self.faults.as_slice() {
            [] => Ok(()),
            [first, ..] => {
                let place = match &first.place {
                    Place::Parameter(name) => quoted(name),
                    _ => String::new(),
                };
                let detail = format!("the query parameter {place}: {}", first.detail);
                Err(Problem::new(Code::InvalidQuery, detail).with_faults(self.faults))
            }
        }
    }
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    (!decoded.contains('\0')).then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_and_every_one_has_to_be_known() {
        let mut query = Query::parse("ref=revenue%3AQ2&limit=5&dry_run=true");
        assert_eq!(query.text("ref").as_deref(), Some("revenue:Q2"));
        assert_eq!(query.limit(), 5);
        assert!(query.flag("dry_run"));
        assert!(query.close().is_ok());
        let mut query = Query::parse("limits=5&limit=5");
        query.limit();
        assert_eq!(query.close().unwrap_err().code(), Code::InvalidQuery);
    }

    #[test]
    fn what_is_malformed_or_given_twice_is_refused() {
        for text in [
            "limit=0",
            "limit=1001",
            "limit=x",
            "limit=1&limit=2",
            "limit=%FF",
            "x=%00",
        ] {
            let mut query = Query::parse(text);
            query.limit();
            assert!(query.close().is_err(), "{text}");
        }
    }
}
