//! Properties of folding, of spans and of verdicts, over generated texts.

use entail_json::{Number, Value, sha256};
use entail_kernel::text::folding::{Folded, fold};
use entail_kernel::text::{Decimal, Document, figures, states};
use proptest::prelude::*;

use crate::naive;

/// Texts full of what folding changes.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            4 => "[a-c ]",
            2 => prop::sample::select(vec![
                "İ", "É", "e\u{301}", "ﬁ", "ﬃ", "ﬀ", "…", "’", "“", "—", "−", "\u{a0}", "\n", "\t ",
                "\u{ad}", "\u{200b}", "\u{feff}", "\u{301}", "\u{323}", "한", "\u{1112}\u{1161}\u{11ab}",
                "하", "\u{11ab}", "ｶﾞ", "ガ", "ﾞ", "Σ", "ς", "½", "¹", "７", "Ⅳ", "ſ", "ẛ", "\u{e33}",
                "ΐ", "ǆ", "ß", "ẞ", "\u{345}", "\u{1d15e}", "\u{fdfa}", "\u{fe71}", "f", "i", "e",
            ]).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ],
        0..14,
    )
    .prop_map(|parts| parts.concat())
}

/// Texts full of what figures are made of.
fn numeric() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop_oneof![
            3 => "[0-9]{1,4}",
            2 => prop::sample::select(vec![
                ".", ",", "-", "−", "–", "%", " ", "\u{a0}", "'", "/", ":", "(", ")", "$", "€", "e",
                "E", "x", "×", "10", "⁹", "¹", "½", "^", "_", "k", "m", "bn", "million", " billion",
                "percent", "pp", " to ", " and ", "between ", "June ", "pm", "th", "T", "+", "±",
                "\u{ad}", "１", "٣", "\u{301}", "000", ",000", "..", "…", "US$", "USD", "Rs.", "\n",
            ]).prop_map(str::to_owned),
            1 => any::<char>().prop_map(String::from),
        ],
        0..14,
    )
    .prop_map(|parts| parts.concat())
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(|n| Value::Number(n.into())),
        (0..2000_i64).prop_map(|n| Value::Number(n.into())),
        "-?[1-9][0-9]{0,60}"
            .prop_map(|digits| Value::Number(Number::from_integer_text(&digits).unwrap())),
        any::<f64>()
            .prop_filter_map("finite", Number::from_f64)
            .prop_map(Value::Number),
        any::<bool>().prop_map(Value::Bool),
        numeric().prop_map(Value::String),
        Just(Value::Null),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn folding_agrees_with_the_naive_one(text in text()) {
        let expected = naive::fold(&text);
        let folded = Folded::new(&text).unwrap();
        prop_assert_eq!(folded.as_str(), &expected);
        prop_assert_eq!(fold(&text), expected.trim_matches(' ').to_owned());
    }

    #[test]
    fn folding_twice_is_folding_once(text in text()) {
        let once = fold(&text);
        prop_assert_eq!(fold(&once), once);
    }

    #[test]
    fn looking_up_agrees_with_trying_every_span(document in text(), quote in text()) {
        let found = Document::new(document.as_str()).unwrap().find(&quote);
        let expected = naive::find(&document, &quote);
        prop_assert_eq!(found.map(|found| (found.span, found.occurrences)), expected);
    }

    #[test]
    fn a_span_folds_to_what_the_quote_folds_to(document in text(), from in 0..40_usize, to in 0..40_usize) {
        let boundaries: Vec<usize> = (0..=document.len()).filter(|at| document.is_char_boundary(*at)).collect();
        let (a, b) = (boundaries[from % boundaries.len()], boundaries[to % boundaries.len()]);
        let quote = &document[a.min(b)..a.max(b)];
        let indexed = Document::new(document.as_str()).unwrap();
        if let Some(found) = indexed.find(quote) {
            let cited = document.get(found.span.clone());
            prop_assert!(cited.is_some(), "the span cuts a character");
            prop_assert_eq!(fold(cited.unwrap()), fold(quote));
            prop_assert_eq!(found.sha256, sha256(cited.unwrap().as_bytes()));
            prop_assert!(found.occurrences >= 1);
        }
    }

    #[test]
    fn a_quote_of_whole_pieces_is_always_found(document in text(), from in 0..40_usize, to in 0..40_usize) {
        let pieces = naive::pieces(&document);
        prop_assume!(!pieces.is_empty());
        let (a, b) = (from % pieces.len(), to % pieces.len());
        let quote = &document[pieces[a.min(b)].start..pieces[a.max(b)].end];
        let found = Document::new(document.as_str()).unwrap().find(quote);
        prop_assert_eq!(found.is_none(), fold(quote).is_empty(), "{:?} in {:?}", quote, document);
    }

    #[test]
    fn a_quote_cut_anywhere_out_of_plain_text_is_always_found(
        document in "[ -~]{1,60}", from in 0..60_usize, to in 0..60_usize,
    ) {
        let (a, b) = (from % document.len(), to % document.len());
        let quote = &document[a.min(b)..=a.max(b)];
        let found = Document::new(document.as_str()).unwrap().find(quote);
        prop_assert_eq!(found.is_none(), quote.trim().is_empty());
    }

    #[test]
    fn a_verdict_never_panics(quote in numeric(), value in value()) {
        let document = Document::new(quote.as_str()).unwrap();
        if let Some(found) = document.find(&quote) {
            let _ = document.states(&found, &value);
        }
        if let Err(refusal) = states(&value, &quote) {
            prop_assert!(refusal.to_string().chars().count() < 600);
        }
    }

    #[test]
    fn what_a_cut_quote_states_the_text_around_it_does_not_forbid(text in numeric(), from in 0..40_usize, to in 0..40_usize, value in value()) {
        let boundaries: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        let (a, b) = (boundaries[from % boundaries.len()], boundaries[to % boundaries.len()]);
        let document = Document::new(text.as_str()).unwrap();
        if let Some(found) = document.find(&text[a.min(b)..a.max(b)]) && document.states(&found, &value).is_ok() {
            // A quote that starts inside a word may cut a currency to what looks like a name.
            let cuts_a_word = text[..found.span.start].ends_with(char::is_alphabetic);
            prop_assert!(
                cuts_a_word || !matches!(value, Value::Number(_)) || states(&value, &text[found.span.clone()]).is_ok(),
                "{:?} of {:?} states {:?} only in the document", &text[found.span], text, value
            );
        }
    }

    #[test]
    fn figures_are_in_order_apart_and_on_character_boundaries(text in numeric()) {
        let mut end = 0;
        for figure in figures(&text) {
            prop_assert!(figure.digits.start >= end, "{:?} in {:?}", figure, text);
            prop_assert!(text.get(figure.span.clone()).is_some());
            prop_assert!(text.get(figure.digits.clone()).is_some_and(|digits| !digits.is_empty()));
            prop_assert!(figure.span.start <= figure.digits.start && figure.digits.end <= figure.span.end);
            end = figure.digits.end;
        }
    }

    #[test]
    fn more_digits_never_state_fewer(number in 1..100_000_u32, more in "[0-9]{1,5}", before in any::<bool>()) {
        let longer = if before { format!("9{more}{number}") } else { format!("{number}{more}") };
        let value = Value::Number(i64::from(number).into());
        let scaled = [1_u64, 1_000, 1_000_000].iter().any(|scale| longer == (u64::from(number) * scale).to_string());
        let hundredth = longer == (u64::from(number) * 100).to_string();
        prop_assume!(!scaled && !hundredth);
        let exact: Decimal = Decimal::parse(&longer).unwrap();
        // A bare figure may be a hundred times the value, and rounding then forgives nothing.
        let percent = exact.rounds_from(&Decimal::parse(&number.to_string()).unwrap(), 0, -2);
        prop_assume!(!percent);
        let sentence = format!("made {longer} units");
        prop_assert!(states(&value, &sentence).is_err());
        prop_assert!(states(&value, &longer).is_err());
    }

    #[test]
    fn every_integer_is_stated_by_its_digits_however_grouped(number in any::<i64>()) {
        let digits = number.unsigned_abs().to_string();
        let grouped: String = digits.char_indices().flat_map(|(at, c)| {
            let comma = at > 0 && (digits.len() - at).is_multiple_of(3);
            comma.then_some(',').into_iter().chain([c])
        }).collect();
        let sign = if number < 0 { "−" } else { "" };
        for text in [format!("was {sign}{digits}."), format!("was {sign}${grouped} net")] {
            prop_assert!(states(&Value::Number(number.into()), &text).is_ok(), "{}", text);
            if number != 0 && number != i64::MIN {
                prop_assert!(states(&Value::Number((-number).into()), &text).is_err() == (number < 0));
            }
        }
    }

    #[test]
    fn rounding_agrees_with_whole_numbers(written in 0..2000_i64, value in 0..2_000_000_i64, last in 0..3_u32) {
        let unit = 10_i64.pow(last) * 1000;
        let written = written * 10_i64.pow(last);
        let expected = (written * 1000 - value).abs() * 2 <= unit;
        let exact = Decimal::parse(&written.to_string()).unwrap();
        let scaled = Decimal::parse(&format!("{}.{:03}", value / 1000, value % 1000)).unwrap();
        prop_assert_eq!(exact.rounds_from(&scaled, i64::from(last), 0), expected);
        let whole = Decimal::parse(&value.to_string()).unwrap();
        prop_assert_eq!(exact.rounds_from(&whole, i64::from(last), 3), expected);
    }

    #[test]
    fn a_decimal_shows_as_what_it_was_read_from(text in "-?(0|[1-9][0-9]{0,30})(\\.[0-9]{0,30}[1-9])?") {
        let decimal = Decimal::parse(&text).unwrap();
        prop_assert_eq!(decimal.to_string(), if decimal.is_zero() { "0" } else { &text });
    }
}
