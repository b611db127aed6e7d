//! Where a quote stands.

use entail_json::sha256;
use entail_kernel::text::{Document, folding::Folded};

#[track_caller]
fn span<'d>(document: &'d str, quote: &str) -> Option<(&'d str, usize)> {
    let found = Document::new(document).unwrap().find(quote)?;
    assert_eq!(
        found.sha256,
        sha256(&document.as_bytes()[found.span.clone()])
    );
    Some((&document[found.span], found.occurrences))
}

#[test]
fn a_span_is_exact_where_lower_casing_changes_lengths() {
    assert_eq!(span("İİİ İstanbul was 5", "was 5"), Some(("was 5", 1)));
    assert_eq!(
        span("xx İstanbul", "i\u{307}STANBUL"),
        Some(("İstanbul", 1))
    );
    assert_eq!(
        span("ẞtraße KELVIN Å", "ßtraße kelvin å"),
        Some(("ẞtraße KELVIN Å", 1))
    );
    assert_eq!(span("ΟΔΟΣ one", "οδος ONE"), Some(("ΟΔΟΣ one", 1)));
}

#[test]
fn white_space_of_every_kind_is_one_space() {
    assert_eq!(
        span("a \t\r\n\u{a0}\u{2003}\u{3000}b", "a b"),
        Some(("a \t\r\n\u{a0}\u{2003}\u{3000}b", 1))
    );
    assert_eq!(span("a b", "  a\n\n b\u{202f}"), Some(("a b", 1)));
    assert_eq!(span("  a  ", "a"), Some(("a", 1)));
    assert_eq!(span("ab", "a b"), None);
    assert_eq!(span("a \u{ad} b", "a b"), Some(("a \u{ad} b", 1)));
}

#[test]
fn quotation_marks_and_dashes_have_one_form() {
    for quote in ["“x”", "\"x\"", "„x‟", "＂x＂"] {
        assert_eq!(span("say “x” now", quote), Some(("“x”", 1)), "{quote}");
    }
    for quote in ["it's", "it’s", "it‘s", "itʼs", "it＇s"] {
        assert_eq!(span("it’s", quote), Some(("it’s", 1)), "{quote}");
    }
    assert_eq!(span("say “x” now", "'x'"), None);
    for dash in "-‐‑‒–—―−﹘﹣－˗".chars() {
        assert_eq!(
            span("a–b", &format!("a{dash}b")),
            Some(("a–b", 1)),
            "{dash}"
        );
    }
    assert_eq!(span("a–b", "a--b"), None);
}

#[test]
fn soft_hyphens_and_other_invisible_characters_match_nothing() {
    assert_eq!(
        span("\u{feff}Akti\u{ad}en\u{200b}index x", "aktienindex"),
        Some(("Akti\u{ad}en\u{200b}index", 1))
    );
    assert_eq!(
        span("Aktienindex", "Akti\u{ad}enindex"),
        Some(("Aktienindex", 1))
    );
    assert_eq!(span("\u{ad}a\u{ad}", "a"), Some(("a", 1)));
    assert_eq!(span("a", "\u{ad}"), None);
}

#[test]
fn composed_and_decomposed_letters_match_either_way_and_only_whole() {
    assert_eq!(span("un café noir", "cafe\u{301}"), Some(("café", 1)));
    assert_eq!(
        span("un cafe\u{301} noir", "CAFÉ"),
        Some(("cafe\u{301}", 1))
    );
    assert_eq!(span("un café noir", "cafe"), None);
    assert_eq!(span("un cafe\u{301} noir", "cafe"), None);
    assert_eq!(
        span("a\u{323}\u{301}", "a\u{301}\u{323}"),
        Some(("a\u{323}\u{301}", 1))
    );
    assert_eq!(span("한국", "한국"), Some(("한국", 1)));
    assert_eq!(span("한국", "하"), None);
    assert_eq!(span("e\u{301}", "\u{301}"), None);
    assert_eq!(span("cafe\u{301} cafe", "cafe"), Some(("cafe", 1)));
}

#[test]
fn a_ligature_matches_whole_and_is_never_cut() {
    assert_eq!(
        span("the ﬁnance oﬃce", "finance office"),
        Some(("ﬁnance oﬃce", 1))
    );
    assert_eq!(
        span("the finance office", "ﬁnance oﬃce"),
        Some(("finance office", 1))
    );
    assert_eq!(span("the ﬁnance", "inance"), None);
    assert_eq!(span("the ﬁnance of f", "f"), Some(("f", 2)));
    assert_eq!(span("oﬃce", "of"), None);
    assert_eq!(span("wait… now", "wait..."), Some(("wait…", 1)));
    assert_eq!(span("wait… now", "wait.."), None);
}

#[test]
fn full_width_forms_match_plain_ones() {
    assert_eq!(
        span("Ｒｅｖｅｎｕｅ　１２３", "revenue 123"),
        Some(("Ｒｅｖｅｎｕｅ　１２３", 1))
    );
}

#[test]
fn folding_makes_no_digits_out_of_superscripts_circles_or_fractions() {
    for (document, quote) in [
        ("$450¹", "$4501"),
        ("12 m²", "12 m2"),
        ("①", "1"),
        ("½", "1/2"),
        ("½", "12"),
        ("10⁶", "106"),
        ("H₂O", "H2O"),
        ("㋀", "1月"),
        ("⒈", "1."),
        ("⑴", "(1)"),
    ] {
        assert_eq!(span(document, quote), None, "{document}");
        assert!(span(document, document).is_some());
    }
}

#[test]
fn an_ellipsis_is_no_wildcard() {
    assert_eq!(
        span("Sales rose in Europe. Margins rose.", "Sales … rose"),
        None
    );
    assert_eq!(
        span("Sales rose in Europe. Margins rose.", "Sales ... rose"),
        None
    );
    assert_eq!(span("no dots here", "..."), None);
}

#[test]
fn the_first_match_counts_and_the_others_are_counted() {
    assert_eq!(span("aa aa aa", "aa"), Some(("aa", 3)));
    assert_eq!(span("aaaa", "aa"), Some(("aa", 2)));
    let document = Document::new("x Yes yes YES").unwrap();
    let found = document.find("yes").unwrap();
    assert_eq!((found.span, found.occurrences), (2..5, 3));
}

#[test]
fn blank_quotes_and_empty_documents_hold_nothing() {
    for quote in ["", "  ", "\n", "\u{a0}", "\u{ad}\u{200b}"] {
        assert_eq!(span("some text", quote), None);
        assert_eq!(span("", quote), None);
    }
    assert_eq!(span("", "x"), None);
    assert_eq!(span("   ", "x"), None);
    assert_eq!(span("x", "x and more"), None);
}

#[test]
fn a_document_is_named_by_its_bytes() {
    let document = Document::new("abc").unwrap();
    assert_eq!(
        document.id().to_string(),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    assert_eq!(Document::new("").unwrap().id(), sha256(b""));
    assert_ne!(Document::new("ABC").unwrap().id(), document.id());
}

#[test]
fn the_index_of_ordinary_text_is_little_more_than_its_folded_copy() {
    let page =
        "The company’s “core” margin rose 3.5% — a record — in fiscal 2025.\n\n".repeat(2000);
    let folded = Folded::new(&page).unwrap();
    assert!(
        folded.bytes() < page.len() * 5 / 2,
        "{} of {}",
        folded.bytes(),
        page.len()
    );
    let plain = "The company's core margin rose 3.5% in fiscal 2025.\n".repeat(2000);
    assert!(Folded::new(&plain).unwrap().bytes() < plain.len() + 200);
}
