//! Does the quote state the value? The contract, sentence by sentence.

use entail_json::{Value, read_str};
use entail_kernel::text::states;

fn value(json: &str) -> Value {
    read_str(json).unwrap()
}

#[track_caller]
fn stated(quote: &str, values: &[&str]) {
    for json in values {
        let verdict = states(&value(json), quote);
        assert!(verdict.is_ok(), "{quote:?} states {json}, but: {verdict:?}");
    }
}

#[track_caller]
fn refused(quote: &str, values: &[&str]) {
    for json in values {
        let verdict = states(&value(json), quote);
        assert!(verdict.is_err(), "{quote:?} does not state {json}");
    }
}

#[track_caller]
fn message(quote: &str, json: &str) -> String {
    states(&value(json), quote).unwrap_err().to_string()
}

#[test]
fn a_text_is_stated_as_a_whole_word_or_phrase() {
    stated(
        "headquartered in Austin, Texas.",
        &[r#""Austin""#, r#""austin, texas""#, r#""in  AUSTIN""#],
    );
    refused(
        "headquartered in Austin, Texas.",
        &[
            r#""Aust""#,
            r#""quartered""#,
            r#""Austin Texas""#,
            r#""""#,
            r#""  ""#,
        ],
    );
    stated(
        "the Austin-based firm; Austin’s mayor",
        &[r#""Austin""#, r#""austin's mayor""#],
    );
    stated("café culture", &[r#""cafe\u0301""#]);
    refused("café culture", &[r#""cafe""#]);
    refused("the snake_case name", &[r#""snake""#]);
    stated(
        "written in C++ (and C#)",
        &[r#""C++""#, r#""C#""#, r#""(and C#)""#],
    );
}

#[test]
fn a_later_place_may_hold_the_phrase_that_an_earlier_one_only_contains() {
    stated("Austinite from Austin", &[r#""Austin""#]);
    refused("Austinite from Austintown", &[r#""Austin""#]);
}

#[test]
fn booleans_are_stated_as_words() {
    stated("Audited: TRUE", &["true"]);
    stated("it is false.", &["false"]);
    refused("untrue, truest, true_, falsehood", &["true", "false"]);
    refused("yes", &["true"]);
    refused("1", &["true"]);
}

#[test]
fn null_lists_and_objects_are_stated_by_nothing() {
    refused("null [] {} [1]", &["null", "[]", "{}", "[1]", r#"{"a":1}"#]);
    assert_eq!(
        message("null", "null"),
        "a quote cannot state null; cite a number, a text or a boolean"
    );
}

#[test]
fn a_text_that_writes_a_number_is_tried_as_the_number() {
    stated(
        "$4.3 thousand",
        &[
            r#""4,300""#,
            r#""$4,300""#,
            r#""€4300""#,
            r#""£4.3""#,
            r#""4.30e3""#,
        ],
    );
    refused(
        "$4.3 thousand",
        &[
            r#""4,30""#,
            r#""43,00""#,
            r#""¥4,300""#,
            r#""4300 dollars""#,
            r#""5""#,
        ],
    );
    stated("fell 3.5%", &[r#""-3.5""#, r#""-$3.5""#]);
    refused("4.35", &[r#""4.3""#, r#"".35""#, r#""35""#, r#""4""#]);
    stated("9.76 percent", &[r#""9.76 percent""#, r#""0.0976""#]);
    refused("9.76 percent", &[r#""9.76%""#]);
}

#[test]
fn a_text_that_starts_or_ends_in_digits_is_not_cut_out_of_a_longer_number() {
    refused(
        "Umsatz: 4.300.000,50 EUR",
        &[
            r#""4.3""#,
            r#""4""#,
            r#""300""#,
            r#""50 EUR""#,
            r#""4.300""#,
        ],
    );
    refused("4'300'000 CHF", &[r#""000 CHF""#, r#""300""#]);
    refused(
        "margin was −3.5% in May",
        &[r#""3.5%""#, r#""3.5""#, r#""3.5% in May""#],
    );
    refused("loss of -$3.5m", &[r#""$3.5m""#, r#""3.5m""#]);
    stated("model A–1 shipped", &[r#""A-1""#]);
    stated("Growth of 4-5% is expected", &[r#""4-5%""#, r#""5%""#]);
    stated(
        "margin was −3.5% in May",
        &[r#""-3.5%""#, r#""-3.5% in May""#],
    );
    stated("version 2.", &[r#""version 2""#]);
    refused("EPS was .45", &[r#""45""#]);
    refused("model A-1, 4-3.5%", &[r#""-1""#, r#""-3.5%""#]);
    stated("Revenue...45", &[r#""45""#]);
}

#[test]
fn numbers_are_rounded_to_the_precision_written_and_ties_pass_either_way() {
    stated(
        "99.99",
        &["99.99", "99.985", "99.995", "99.9949999", "99.9850000001"],
    );
    refused("99.99", &["99.98499999", "99.9950000001", "100", "99.9"]);
    stated(
        "$4.3 billion",
        &["4250000000", "4350000000", "4349999999.99"],
    );
    refused("$4.3 billion", &["4249999999", "4350000001", "4400000000"]);
    stated("0.45", &["0.445", "0.455", "0.45"]);
    stated("10.0", &["9.95", "10.05", "10"]);
    refused("10.0", &["9.94", "10.06"]);
    stated("4 million", &["4400000", "3500000"]);
    stated("100", &["99.5", "100.5"]);
    refused("0.10", &["0.106", "0.094"]);
    stated("2.675", &["2.6745", "2.6755"]);
}

#[test]
fn a_number_is_compared_as_written_and_not_as_a_float_adds_up() {
    stated("0.3", &["0.30000000000000004"]);
    stated("0.285%", &["0.00285"]);
    stated("1.005", &["1.005"]);
    stated("9,007,199,254,740,993", &["9007199254740993"]);
    refused(
        "9,007,199,254,740,993",
        &["9007199254740992", "9007199254740994"],
    );
    stated(
        "123456789012345678901234567890",
        &["123456789012345678901234567890"],
    );
    refused(
        "123456789012345678901234567890",
        &["123456789012345678901234567891"],
    );
}

#[test]
fn a_unit_scales_and_larger_units_may_count() {
    stated(
        "$4.3 billion",
        &["4.3e9", "4300000000", "4300000", "4300", "4.3"],
    );
    refused(
        "$4.3 billion",
        &["4.3e12", "430", "43", "0.043", "4.3e8", "4.3e10"],
    );
    stated("$4.3 million", &["4300000", "4300", "4.3"]);
    refused("$4.3 million", &["4.3e9", "4.3e12"]);
    stated("4.3 thousand", &["4300", "4.3"]);
    refused("4.3 thousand", &["4300000"]);
    stated("2 trillion", &["2e12", "2e9", "2000000", "2000", "2"]);
}

#[test]
fn every_short_form_of_a_scale_is_known() {
    for (quote, exact, never) in [
        ("5k", "5000", "5e6"),
        ("5K", "5000", "5e6"),
        ("5 k", "5000", "5e6"),
        ("5 thousand", "5000", "5e6"),
        ("5m", "5e6", "5e9"),
        ("5M", "5e6", "5e9"),
        ("5mm", "5e6", "5e9"),
        ("5MM", "5e6", "5e9"),
        ("5 mn", "5e6", "5e9"),
        ("5 mln", "5e6", "5e9"),
        ("5mio", "5e6", "5e9"),
        ("5 millions", "5e6", "5e9"),
        ("5b", "5e9", "5e12"),
        ("5B", "5e9", "5e12"),
        ("5bn", "5e9", "5e12"),
        ("5 bln", "5e9", "5e12"),
        ("5t", "5e12", "5e15"),
        ("5T", "5e12", "5e15"),
        ("5tn", "5e12", "5e15"),
        ("5 trn", "5e12", "5e15"),
        ("5-million", "5e6", "5e9"),
        ("5\u{a0}million", "5e6", "5e9"),
        ("５　ＭＩＬＬＩＯＮ", "5e6", "5e9"),
        ("5\nbillion", "5e9", "5e12"),
        ("$5bn.", "5e9", "5e12"),
        ("$5bn, up", "5e9", "5e12"),
        ("($5bn)", "5e9", "5e12"),
        ("“$5bn”", "5e9", "5e12"),
        ("$5bn-plus", "5", "5e9"),
        ("$5m+", "5e6", "5e9"),
        ("$5bn¹", "5e9", "5e12"),
        ("$5¹ bn", "5e9", "5e12"),
        ("5 k€", "5000", "5e6"),
        ("5bn€", "5e9", "5e12"),
        ("5 M$.", "5e6", "5e9"),
        ("5 m€, up", "5e6", "5e9"),
    ] {
        stated(quote, &[exact, "5"]);
        refused(quote, &[never]);
    }
}

#[test]
fn a_unit_letter_counts_only_as_a_whole_token_right_after_the_figure() {
    for quote in [
        "50kg",
        "50 kg",
        "50 months",
        "50 basis points",
        "50 bps",
        "50 m²",
        "50m²",
        "50 m/s",
        "50 mm²",
        "50 b-sides",
        "50 K-pop fans",
        "50 M&A deals",
        "50 B2B firms",
        "50 times",
        "50 tons",
        "50 bikes",
        "50 B.C. coins",
        "50 T-shirts",
        "50 k_values",
        "50 and million",
        "50-month",
        "50/month",
        "50x",
        "50°",
        "50 °C",
        "50‰",
        "50¢",
        "50 more million",
        "50 thousand million",
        "50 hundred million",
        "50 Mb/s",
        "50 EUR",
        "50 US million",
        "50 m$x",
        "50 k€x",
    ] {
        stated(quote, &["50"]);
        refused(quote, &["50000", "50e6", "50e9", "50e12", "0.5", "0.05"]);
    }
}

#[test]
fn a_percentage_states_itself_and_its_hundredth() {
    for quote in [
        "9.76%",
        "9.76 %",
        "9.76\u{a0}%",
        "9.76％",
        "9.76 percent",
        "9.76 per cent",
        "9.76 pct",
        "9.76 pct.",
        "9.76 percentage points",
        "9.76 percentage point",
        "9.76-percentage-point",
        "9.76pp",
        "9.76 pp",
        "9.76 pp.",
        "9.76-percent",
        "(9.76)%",
        "(9.76%)",
        "9.76 PERCENT,",
    ] {
        stated(quote, &["9.76", "0.0976"]);
        refused(quote, &["976", "9760", "0.000976", "9.76e9"]);
    }
    refused("0.8%", &["80", "8"]);
}

#[test]
fn a_bare_figure_may_be_scaled_since_tables_state_units_in_a_header() {
    for quote in [
        "4.3",
        "Revenue 4.3",
        "4.3,",
        "Revenue: 4.3.",
        "4.3 (in billions)",
        "$4.3",
        "4.3 $",
        "4.3;\ncosts",
        "| 4.3 |",
        "4.3*",
        "4.3¹",
        "(4.3)",
        "4.3 5.1",
    ] {
        stated(quote, &["4.3", "4300", "4.3e6", "4.3e9", "4.3e12", "0.043"]);
        refused(quote, &["43", "430", "43000", "0.43", "0.0043", "4.3e15"]);
    }
    stated("4,300 (in millions)", &["4300000000"]);
}

#[test]
fn a_figure_followed_by_a_word_that_is_no_scale_may_not_be_scaled() {
    for quote in [
        "4.3 was",
        "4.3 (x) 4.3 was".get(8..).unwrap(),
        "(see note 4.3) was",
        "4.3] units",
        "4.3) was",
        "4.3\nCosts",
        "4.3 year-old",
    ] {
        stated(quote, &["4.3"]);
        refused(quote, &["4300", "4.3e6", "4.3e9", "0.043"]);
    }
}

#[test]
fn a_closing_bracket_is_passed_over_and_an_opening_one_is_not() {
    stated("(4.3) billion", &["4.3e9", "-4.3e9"]);
    refused("(4.3) billion", &["4.3e12"]);
    stated("[4.3] billion", &["4.3e9"]);
    stated("4.3 (billion)", &["4.3e12"]);
}

#[test]
fn an_explicit_minus_must_be_in_the_value() {
    for quote in [
        "−3.5%",
        "-3.5%",
        "–3.5%",
        "‑3.5%",
        "－3.5％",
        "was −3.5%",
        "(−3.5%)",
        "Margin:-3.5%",
        "− 3.5%",
        "“−3.5%”",
        "~−3.5%",
        "-(3.5)%",
    ] {
        stated(quote, &["-3.5", "-0.035"]);
        refused(quote, &["3.5", "0.035"]);
    }
    for quote in [
        "-$3.5m",
        "$-3.5m",
        "−$ 3.5m",
        "-US$3.5m",
        "-€3.5m",
        "$(−3.5)m",
        "-USD3.5m",
    ] {
        stated(quote, &["-3.5e6", "-3.5"]);
        refused(quote, &["3.5e6", "3.5"]);
    }
}

#[test]
fn an_explicit_plus_must_not_be_negative() {
    stated("+3.5%", &["3.5", "0.035"]);
    refused("+3.5%", &["-3.5"]);
    stated("±3.5%", &["3.5", "-3.5"]);
    stated("+/-3.5%", &["3.5", "-3.5"]);
}

#[test]
fn a_figure_without_a_sign_or_in_parentheses_states_either() {
    stated("fell 3.5%", &["3.5", "-3.5", "-0.035"]);
    stated("(3.5)", &["3.5", "-3.5"]);
    stated("$(3.5) million", &["-3500000", "3500000"]);
    stated("($3.5) million", &["-3500000", "3500000"]);
    stated("growth — 3.5% — slowed", &["3.5", "-3.5"]);
    stated("growth—3.5%—slowed", &["3.5"]);
    stated("- 3.5% in May", &["3.5", "-3.5"]);
}

#[test]
fn the_second_end_of_a_range_or_compound_has_no_minus() {
    for quote in [
        "4-5%",
        "4–5%",
        "4−5 %",
        "4%-5%",
        "4% – 5%",
        "4 - 5%",
        "4—5%",
        "4.0-5%",
    ] {
        stated(quote, &["4", "5", "0.04", "0.05"]);
        refused(quote, &["-5", "-0.05", "45"]);
    }
    refused("Fiscal 1997-98 had 12 stores", &["-98", "98000", "1997000"]);
    stated("Fiscal 1997-98 had 12 stores", &["1997", "98"]);
    stated("$4–$5 billion", &["4e9", "5e9"]);
    refused("$4–$5 billion", &["-5e9", "4e12"]);
    stated("$1.05-$1.15", &["1.05", "1.15", "1.15e6"]);
    refused("$1.05-$1.15", &["-1.15"]);
    stated("$4bn-$5bn", &["4e9", "5e9"]);
    refused("$4bn-$5bn", &["-5e9"]);
    refused("COVID-19 model A-1", &["-19", "-1", "19000"]);
    stated("−4% to −5%", &["-4", "-5"]);
    refused("−4% to −5%", &["4", "5"]);
    stated("3 -5 4", &["-5"]);
    refused("3 -5 4", &["5"]);
}

#[test]
fn both_ends_of_a_range_have_its_unit() {
    stated("10–12 percent", &["10", "12", "0.1", "0.12"]);
    stated("4 to 5 million", &["4e6", "5e6"]);
    refused("4 to 5 million", &["4e9", "5e9"]);
    stated("between $4 and $5 million", &["4e6", "5e6"]);
    refused("segments 4 and 5 million units", &["4e6"]);
    refused("4 to 5 people", &["4000", "5000"]);
    stated("1-2-3 million", &["1", "2", "3e6"]);
}

#[test]
fn a_longer_number_never_states_a_shorter_one() {
    refused(
        "made 1500 units",
        &["50", "15", "150", "500", "1", "5", "0"],
    );
    refused("14.3 percent", &["4.3", "14", "3", "43", "143"]);
    refused("Flight 937", &["93", "37", "9"]);
    refused(
        "Umsatz: 4.300.000,50 EUR",
        &["4.3", "4", "300", "4300000.5", "50", "0.5", "4300"],
    );
    refused("Prix 1.234.123", &["1.234", "1234123", "123"]);
    refused("1,234,56", &["1", "234", "56", "1234", "123456"]);
    refused("12,000", &["12"]);
    refused("4 300 000 EUR", &["4", "300", "0"]);
    refused("4\u{202f}300 EUR", &["4", "300"]);
    refused("4'300'000", &["4", "300"]);
    refused("1.5e3", &["1.5", "3"]);
    refused("4.3 × 10⁹", &["4.3", "10", "4.3e12"]);
}

#[test]
fn what_cannot_be_read_for_certain_is_not_stated() {
    refused("Guthaben 20,00 EUR", &["2000", "20", "0"]);
    refused("1234,567", &["1234", "567", "1234567", "1234.567"]);
    refused("0,500", &["500", "0", "0.5"]);
    refused("1,2,3", &["1", "2", "3", "123"]);
    refused("4.3.2", &["4.3", "3.2", "2"]);
    refused("192.168.10.1", &["192", "10", "1", "192.168"]);
    refused("1/2", &["1", "2", "0.5", "12"]);
    refused("4 1/2% notes", &["4", "0.04", "1", "2", "4000"]);
    refused("4-1/2% notes", &["4", "0.04", "1", "2"]);
    refused("120/80", &["120", "80"]);
    refused("3/4 of them", &["3", "4", "0.75"]);
    refused("10⁶", &["10", "6", "106"]);
    refused("10⁻³", &["10", "3"]);
    refused("2^10", &["2", "10", "210"]);
    refused("5⃣", &["5"]);
    refused("1٣", &["1", "13"]);
    refused("4⅓", &["4", "4.3", "43"]);
    refused("1_000", &["1", "1000"]);
    refused("50m2", &["50", "2"]);
    refused("fig.5 of v.12", &["5", "0.5", "12"]);
    refused("1e999", &["1", "1e3"]);
    refused("5'10\"", &["5", "10"]);
    refused("12,34,56", &["12", "123456", "34"]);
}

#[test]
fn markup_around_a_figure_does_not_matter() {
    for quote in [
        "**$4.3 billion**",
        "_$4.3 billion_",
        "`$4.3 billion`",
        "<b>4.3 billion</b>",
    ] {
        stated(quote, &["4300000000"]);
        refused(quote, &["4.3e12"]);
    }
    stated("_4.3_", &["4.3"]);
}

#[test]
fn digits_in_a_name_are_no_figure() {
    refused(
        "Q2 FY2022 x4.3 billion H1 B2B 2Q25 0x1F 1a2b mp3 CO2 a_1",
        &["2", "2022", "4.3", "4.3e9", "1", "25", "0", "3"],
    );
}

#[test]
fn numbers_are_grouped_as_english_indian_swiss_and_si_texts_do() {
    stated("4,523,000", &["4523000"]);
    stated("12,34,567", &["1234567"]);
    stated("1,00,000", &["100000"]);
    stated("4'300'000.50", &["4300000.5"]);
    stated("4’300’000", &["4300000"]);
    stated("4\u{a0}300\u{a0}000", &["4300000"]);
    stated("4\u{202f}300", &["4300"]);
    stated("4 300 000", &["4300000"]);
    stated("1 000 300 users", &["1000300"]);
    stated("$4,300.50", &["4300.5"]);
}

#[test]
fn columns_between_plain_spaces_stay_apart() {
    stated("Revenue 430 410 395", &["430", "410", "395", "430e6"]);
    stated("Revenue 4,300 4,100", &["4300", "4100e6"]);
}

#[test]
fn superscripts_and_circled_numbers_are_no_digits() {
    stated("$450¹ per unit", &["450"]);
    refused("$450¹ per unit", &["4501", "1"]);
    stated("$450① net", &["450"]);
    refused("$450① net", &["4501"]);
    stated("12 m² in all", &["12"]);
    refused("12 m² in all", &["122", "12e6", "2"]);
    refused("$4501", &["450"]);
    refused("450₁", &["4501", "1"]);
}

#[test]
fn exact_fractions_are_read() {
    stated("8½% notes", &["8.5", "0.085"]);
    refused("8½% notes", &["8", "8.45", "8.55", "812", "9"]);
    stated("101⅞", &["101.875"]);
    refused("1.5½", &["1.5", "1.55"]);
}

#[test]
fn exponents_are_read() {
    stated("1.5e3", &["1500", "1549"]);
    stated("1.5E+3 units", &["1500"]);
    refused("1.5E+3 units", &["1500000"]);
    stated("2.5e-3", &["0.0025"]);
    stated("4.3 × 10⁹ bytes", &["4300000000"]);
    stated("6 x 10^-3", &["0.006"]);
    refused("1e5f", &["1", "100000", "5"]);
}

#[test]
fn a_leading_point_is_a_decimal_one_unless_it_leads_across_a_page() {
    stated("EPS was .45", &["0.45"]);
    stated("EPS: $.45", &["0.45"]);
    stated("EPS -.45", &["-0.45"]);
    stated("(.45)", &["-0.45"]);
    stated("Revenue......4,300", &["4300", "4300e6"]);
    stated("Revenue … 4,300", &["4300"]);
    stated("Revenue …4,300", &["4300"]);
    refused("Revenue......45 units", &["0.45"]);
    refused("Rs.500", &["0.5"]);
    stated("Rs.500", &["500"]);
}

#[test]
fn zero_states_zero_and_not_whatever_is_small_beside_a_trillion() {
    stated("zero 0", &["0", "0.0", "0.5"]);
    stated("0.0%", &["0", "0.0004"]);
    stated("-0", &["0"]);
    stated("(0)", &["0"]);
    refused("0", &["1", "4300000000", "499", "0.6"]);
    refused("0.0%", &["0.06", "5"]);
    stated("0 million", &["400000"]);
    refused("nothing", &["0"]);
}

#[test]
fn parts_of_dates_times_and_ranks_are_stated_as_written() {
    stated("as of 2025-06-30", &["2025", "6", "30"]);
    refused(
        "as of 2025-06-30",
        &["-6", "-30", "2025.2", "30000", "0.3", "20250630"],
    );
    stated("on 30.06.2025", &["30", "2025"]);
    stated("6/30/25", &["30", "25"]);
    refused("6/30/25", &["30000", "-30"]);
    stated("at 10:45", &["10", "45"]);
    refused("at 10:45", &["10000", "1045", "10.45"]);
    stated("the 3rd item", &["3"]);
    refused("the 3rd item", &["3000", "3.2"]);
    stated("in 2025", &["2025"]);
    stated("Fiscal 2024/25", &["2024", "25"]);
    stated("June 30, 2025", &["30", "2025"]);
    refused("June 30, 2025", &["30000", "0.3"]);
    stated("a 3:1 split", &["3", "1"]);
}

#[test]
fn the_refusal_says_what_the_quote_states() {
    assert_eq!(
        message("Total revenue was $4.3 billion", "4400000000"),
        "the quote states 4.3 billion, the claim says 4400000000"
    );
    assert_eq!(
        message("from $4.1bn to $4.3bn, or −3.5 %", "4200000000"),
        "the quote states 4.1 billion, 4.3 billion and -3.5%, the claim says 4200000000"
    );
    assert_eq!(
        message("one figure", "5"),
        "the quote states no figure that can be read for certain, the claim says 5"
    );
    assert_eq!(
        message("11 22 33 44 55 66 77", "8"),
        "the quote states 11, 22, 33, 44, 55 and more, the claim says 8"
    );
    assert_eq!(
        message("in Austin", r#""Dallas""#),
        "the quote says \"in Austin\", which does not hold \"Dallas\" as a whole word or phrase; \
         give the value as the quote writes it"
    );
    assert_eq!(
        message("4.3 and 4.3", r#""5,000""#),
        "the quote states 4.3, the claim says \"5,000\""
    );
}

#[test]
fn the_refusal_stays_short_however_long_quote_and_claim_are() {
    let digits = "7".repeat(100_000);
    for json in [digits.clone(), format!("\"{digits}\"")] {
        assert!(message(&format!("{}8", &digits), &json).chars().count() < 400);
        assert!(message(&"word ".repeat(10_000), &json).chars().count() < 400);
    }
}
