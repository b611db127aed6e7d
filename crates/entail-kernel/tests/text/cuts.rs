//! What a quote states whose ends cut words, figures or units.

use entail_json::read_str;
use entail_kernel::text::Document;

/// The verdict on the part of `document` that stands between guillemets.
fn cut(document: &str, json: &str) -> bool {
    let (before, rest) = document.split_once('«').unwrap();
    let (quote, after) = rest.split_once('»').unwrap();
    let document = Document::new(format!("{before}{quote}{after}")).unwrap();
    let mut found = document.find(quote).unwrap();
    found.span = before.len()..before.len() + quote.len();
    document.states(&found, &read_str(json).unwrap()).is_ok()
}

#[test]
fn what_the_ends_of_a_quote_cut_is_not_stated() {
    assert!(!cut("Revenue was «15»00 million", "15"));
    assert!(!cut("Revenue was 1«500» million", "500"));
    assert!(!cut("Revenue was «1»,500", "1"));
    assert!(!cut("margin was −«3.5%»", "3.5"));
    assert!(cut("margin was −«3.5%»", "-3.5"));
    assert!(!cut("in x«4.3» billion", "4.3"));
    assert!(!cut("4«-5%»", "-5"));
    assert!(!cut("4«-5%»", "5"));
    assert!(cut("«4-5%»", "5"));
    assert!(!cut("«10 b»asis points", "10000000000"));
    assert!(cut("«10 b»asis points", "10"));
    assert!(!cut("headquartered in «Aust»in", r#""Aust""#));
    assert!(!cut("un«true» story", "true"));
    assert!(!cut("−«3.5%» fell", r#""3.5%""#));
    assert!(!cut("«12 m»²", "12000000"));
    assert!(!cut("$450«1» net", "1"));
}

#[test]
fn a_scale_that_a_quote_cuts_off_lets_zero_state_nothing_small() {
    assert!(!cut("«US$0»million.", "1"));
    assert!(cut("«US$0»million.", "0"));
    assert!(cut("«US$0million».", "1"));
    assert!(cut("«US$4»million.", "4000000"));
}

#[test]
fn what_only_the_cut_part_of_a_word_says_is_not_stated() {
    assert!(!cut("«$4.3 bill»ion", "4300000000"));
    assert!(cut("«$4.3 billion»", "4300000000"));
    assert!(!cut("up «9.76 perc»ent", "0.0976"));
}

#[test]
fn a_number_written_as_a_text_is_cut_like_a_number() {
    assert!(!cut("«$4.3 bill»ion", r#""4300000000""#));
    assert!(cut("«$4.3 billion»", r#""4300000000""#));
    assert!(!cut("4«-5%»", r#""5""#));
    assert!(!cut("4«-5%»", r#""-5""#));
    assert!(cut("«4-5%»", r#""5""#));
    assert!(cut("of «Austin», Texas", r#""Austin""#));
    assert!(cut("of «Austin, Texas»", r#""austin""#));
    assert!(cut("it is «true», they say", "true"));
}

#[test]
fn what_stands_beyond_the_words_a_quote_ends_in_does_not_matter() {
    assert!(cut(
        "(In millions)\n«Revenue 4,300»\nCosts 3,900",
        "4300000000"
    ));
    assert!(cut("«Revenue was $4.3» billion", "4300000000"));
    assert!(cut("was «(4.3)»", "4.3"));
}
