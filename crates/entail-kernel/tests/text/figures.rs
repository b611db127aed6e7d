//! What is read as a figure, and as what kind.

use entail_kernel::text::figures::{Kind, Sign, Unit, figures};

fn kinds(text: &str) -> Vec<(&str, Kind)> {
    figures(text)
        .map(|figure| (&text[figure.digits], figure.kind))
        .collect()
}

fn amounts(text: &str) -> Vec<&str> {
    kinds(text)
        .into_iter()
        .filter(|(_, kind)| *kind == Kind::Number)
        .map(|(digits, _)| digits)
        .collect()
}

#[test]
fn dates_are_no_amounts() {
    for date in [
        "2025-06-30",
        "2025‑06‑30",
        "2025/06/30",
        "06/30/2025",
        "30/06/2025",
        "6/30/25",
        "30.06.2025",
        "30-06-2025",
        "June 30, 2025",
        "30 June 2025",
        "Jun. 30, 2025",
        "JUNE 30",
        "30 Sept 2025",
        "June 2025",
        "June 29-30, 2025",
        "June 29–30",
        "29-30 June 2025",
        "2025-06-30T10:45:00Z",
        "2025-06-30 10:45",
        "May 30th, 2025",
    ] {
        assert_eq!(amounts(date), [""; 0], "{date}");
    }
}

#[test]
fn times_and_ranks_are_no_amounts() {
    for text in [
        "10:45",
        "10:45:30",
        "10:45:30.5",
        "5 pm",
        "5pm",
        "5 p.m.",
        "11 a.m.",
        "5 o’clock",
        "10:45-11:30",
        "9-5 pm",
        "1st",
        "2nd",
        "3rd",
        "44th",
        "the 21ST",
        "3º",
    ] {
        assert_eq!(amounts(text), [""; 0], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_date_or_a_time_is_an_amount() {
    for (text, expected) in [
        ("2025", vec!["2025"]),
        ("1997-98", vec!["1997", "98"]),
        ("2025-13-45", vec!["2025", "13", "45"]),
        ("555-123-4567", vec!["555", "123", "4567"]),
        ("10:75", vec!["10", "75"]),
        ("25:10", vec!["25", "10"]),
        ("3:1", vec!["3", "1"]),
        ("in June 12 million", vec!["12"]),
        ("June 4,300", vec!["4,300"]),
        ("may 30 people", vec!["30"]),
        ("40 June", vec!["40"]),
        ("50 pm", vec!["50"]),
        ("5 amps", vec!["5"]),
        ("Augustus 30", vec!["30"]),
        ("4.5 May", vec!["4.5"]),
    ] {
        assert_eq!(amounts(text), expected, "{text}");
    }
}

#[test]
fn a_figure_spans_its_sign_its_sign_of_money_and_its_unit() {
    for (text, expected) in [
        ("was -$4.3 billion in", "-$4.3 billion"),
        ("was US$4.3bn.", "US$4.3bn"),
        ("was $ 4.3 m", "$ 4.3 m"),
        ("was −3.5 %.", "−3.5 %"),
        ("was 9.76 percentage points", "9.76 percentage points"),
        ("was 50kg", "50"),
        ("was € -5", "€ -5"),
        ("was +5", "+5"),
        ("was .45", ".45"),
        ("on 2025-06-30.", "2025-06-30"),
        ("USD5", "USD5"),
        ("HK$5", "HK$5"),
    ] {
        let figure = figures(text).next().unwrap();
        assert_eq!(&text[figure.span], expected, "{text}");
    }
}

#[test]
fn a_figure_knows_value_precision_unit_and_sign() {
    let text = "net -4,300.50 million, 1.5e3, (12)%, 20,00";
    let found: Vec<_> = figures(text)
        .map(|figure| {
            (
                figure.value().map(ToString::to_string),
                figure.precision(),
                figure.unit,
                figure.sign,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                Some("4300.5".to_owned()),
                Some(-2),
                Unit::Scale(6),
                Sign::Minus
            ),
            (Some("1500".to_owned()), Some(2), Unit::Other, Sign::Open),
            (Some("12".to_owned()), Some(0), Unit::Percent, Sign::Open),
            (None, None, Unit::Bare, Sign::Open),
        ]
    );
}

#[test]
fn an_amount_is_at_the_scale_of_its_unit() {
    let amounts: Vec<_> = figures("-$4.3bn, 12%, 1,500 units, 0 million, 1.2.3, 2.5k")
        .map(|figure| {
            figure
                .amount()
                .map(|amount| (amount.to_string(), amount.as_i64()))
        })
        .collect();
    let amount = |text: &str, whole| Some((text.to_owned(), whole));
    assert_eq!(
        amounts,
        [
            amount("-4300000000", Some(-4_300_000_000)),
            amount("12", Some(12)),
            amount("1500", Some(1500)),
            amount("0", Some(0)),
            None,
            amount("2500", Some(2500)),
        ]
    );
    let whole = |text| figures(text).next()?.value()?.as_i64();
    assert_eq!(whole("4.5"), None);
    assert_eq!(whole("9223372036854775807"), Some(i64::MAX));
    assert_eq!(whole("9223372036854775808"), None);
    assert_eq!(whole("100"), Some(100));
}

#[test]
fn a_long_chain_of_ranges_ends() {
    let chain = "1 to ".repeat(1000) + "2 million";
    assert_eq!(figures(&chain).count(), 1001);
    assert_eq!(
        figures(&chain).last().map(|last| last.unit),
        Some(Unit::Scale(6))
    );
    let tied = "1-".repeat(1000) + "2 million and 3";
    assert_eq!(amounts(&tied), ["3"]);
}

#[test]
fn numbers_written_without_spaces_around_them_are_read() {
    assert_eq!(amounts("売上高は4300億円"), ["4300"]);
    assert_eq!(amounts("a=5;b=6,c:7"), ["5", "6", "7"]);
    assert_eq!(amounts("(%)9.76"), ["9.76"]);
}
