//! `Accept`: which of the formats on offer a caller wants.

use axum::http::{HeaderMap, header};

/// Whether JSON is asked for by name, or anything is that names nothing else.
pub(crate) fn prefers_json(headers: &HeaderMap) -> bool {
    preferred(headers, &["application/x-ndjson", "application/json"]) == Some(1)
}

/// Which of the media types on offer is wanted most; the first of equally wanted ones. `None`
/// where none of them is acceptable.
pub(crate) fn preferred(headers: &HeaderMap, offers: &[&str]) -> Option<usize> {
    let accepted: Vec<(String, f32)> = headers
        .get_all(header::ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(range)
        .collect();
    if accepted.is_empty() {
        return (!offers.is_empty()).then_some(0);
    }
    let mut best: Option<(usize, f32)> = None;
    for (index, offer) in offers.iter().enumerate() {
        let quality = quality(offer, &accepted);
        if quality > 0.0 && best.is_none_or(|(_, most)| quality > most) {
            best = Some((index, quality));
        }
    }
    best.map(|(index, _)| index)
}

fn range(text: &str) -> (String, f32) {
    let mut parts = text.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default().to_ascii_lowercase();
    let quality = parts
        .find_map(|part| part.strip_prefix("q="))
        .and_then(|q| q.parse().ok());
    (range, quality.unwrap_or(1.0_f32))
}

/// The quality of the most specific range that holds a media type.
fn quality(offer: &str, accepted: &[(String, f32)]) -> f32 {
    let kind = offer.split('/').next().unwrap_or_default();
    let of = |wanted: &str| {
        accepted
            .iter()
            .find(|(range, _)| range == wanted)
            .map(|(_, q)| *q)
    };
    of(offer)
        .or_else(|| of(&format!("{kind}/*")))
        .or_else(|| of("*/*"))
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const OFFERS: &[&str] = &["application/json", "text/html", "text/markdown"];

    fn wanted(accept: &'static str) -> Option<usize> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
        preferred(&headers, OFFERS)
    }

    #[test]
    fn the_most_wanted_of_what_is_on_offer_is_given() {
        assert_eq!(preferred(&HeaderMap::new(), OFFERS), Some(0));
        assert_eq!(wanted("*/*"), Some(0));
        assert_eq!(wanted("text/html,application/xhtml+xml,*/*;q=0.8"), Some(1));
        assert_eq!(wanted("text/*;q=0.5, application/json;q=0.4"), Some(1));
        assert_eq!(wanted("text/markdown"), Some(2));
        assert_eq!(wanted("image/png"), None);
        assert_eq!(wanted("application/json;q=0"), None);
    }
}
