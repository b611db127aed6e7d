//! What folding makes of one character, and the classes of characters that figures meet.

use unicode_normalization::char::{decompose_canonical, decompose_compatible, is_combining_mark};

/// Invisible characters that say how a line may break or which way it runs, and nothing else.
pub(super) fn is_ignored(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
    )
}

/// Whether `c` continues what stands before it: a combining mark, or a vowel or final consonant
/// of a Hangul syllable.
pub(super) fn is_extending(c: char) -> bool {
    !c.is_ascii() && (is_combining_mark(c) || matches!(c, '\u{1160}'..='\u{11FF}'))
}

/// Every kind of hyphen, dash and minus, superscript ones apart: they belong to exponents.
pub(super) fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2D7}' | '\u{58A}' | '\u{5BE}' | '\u{1400}' | '\u{1806}' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2043}'
                | '\u{2212}'
                | '\u{2796}'
                | '\u{2E17}'
                | '\u{2E1A}'
                | '\u{2E3A}'
                | '\u{2E3B}'
                | '\u{2E40}'
                | '\u{2E5D}'
                | '\u{301C}'
                | '\u{3030}'
                | '\u{30A0}'
                | '\u{FE31}'
                | '\u{FE32}'
                | '\u{FE58}'
                | '\u{FE63}'
                | '\u{FF0D}'
                | '\u{10EAD}'
    )
}

/// The straight quotation mark that `c` is a form of.
pub(super) fn straight_quote(c: char) -> Option<char> {
    match c {
        '\''
        | '`'
        | '\u{B4}'
        | '\u{2B9}'
        | '\u{2BC}'
        | '\u{2018}'..='\u{201B}'
        | '\u{2032}'
        | '\u{2035}'
        | '\u{FF07}' => Some('\''),
        '"' | '\u{201C}'..='\u{201F}' | '\u{2033}' | '\u{2036}' | '\u{FF02}' => Some('"'),
        _ => None,
    }
}

/// Characters that are another drawing of ordinary ones: ligatures, digraphs, full and half
/// width, positional Arabic, mathematical alphabets, Roman numerals, dots in a row.
///
/// Superscripts, subscripts, circled numbers and fractions are not among them: made plain, they
/// would put digits where the text has none.
fn is_presentation_form(c: char) -> bool {
    matches!(
        c,
        '\u{B5}' | '\u{132}' | '\u{133}' | '\u{13F}' | '\u{140}' | '\u{149}' | '\u{17F}'
            | '\u{1C4}'..='\u{1CC}' | '\u{1F1}'..='\u{1F3}'
            | '\u{E33}' | '\u{EB3}' | '\u{EDC}' | '\u{EDD}'
            | '\u{1E9B}' | '\u{2024}'..='\u{2026}' | '\u{2160}'..='\u{217F}'
            | '\u{FB00}'..='\u{FDFF}' | '\u{FE10}'..='\u{FE6F}' | '\u{FE70}'..='\u{FEFE}'
            | '\u{FF00}'..='\u{FFEF}' | '\u{1D400}'..='\u{1D7FF}'
    )
}

/// Emits the folded form of `c`, which is neither white space nor ignored. Marks come out in the
/// order of the decomposition; [`super::folding`] sorts them within their sequence.
pub(super) fn fold(c: char, mut emit: impl FnMut(char)) {
    if c.is_ascii() {
        return emit(plain(c).to_ascii_lowercase());
    }
    let mut small = |d: char| {
        let d = plain(d);
        if d.is_ascii() {
            emit(d.to_ascii_lowercase());
        } else {
            d.to_lowercase()
                .for_each(|l| emit(if l == 'ς' { 'σ' } else { l }));
        }
    };
    if plain(c) != c {
        small(c);
    } else if is_presentation_form(c) && !spells_white_space(c) {
        decompose_compatible(c, small);
    } else {
        decompose_canonical(c, small);
    }
}

/// Some presentation forms are a mark drawn on a space.
fn spells_white_space(c: char) -> bool {
    let mut found = false;
    decompose_compatible(c, |d| found |= d.is_whitespace());
    found
}

fn plain(c: char) -> char {
    if is_dash(c) {
        '-'
    } else {
        straight_quote(c).unwrap_or(c)
    }
}

/// The value of an ASCII or full-width digit. No other digit is read as a number.
pub(super) fn digit(c: char) -> Option<u8> {
    match c {
        '0'..='9' => u8::try_from(u32::from(c) - u32::from('0')).ok(),
        '\u{FF10}'..='\u{FF19}' => u8::try_from(u32::from(c) - 0xFF10).ok(),
        _ => None,
    }
}

/// The ASCII character that a full-width one is another form of.
pub(super) fn narrow(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        '\u{FE6A}' | '\u{66A}' => '%',
        '\u{FE69}' => '$',
        _ => c,
    }
}

/// Digits raised or circled: a footnote's mark, or an exponent.
pub(super) fn is_raised_digit(c: char) -> bool {
    matches!(
        c,
        '\u{B2}' | '\u{B3}' | '\u{B9}' | '\u{2070}' | '\u{2074}'..='\u{2079}'
            | '\u{2460}'..='\u{249B}' | '\u{24EA}'..='\u{24FF}' | '\u{2776}'..='\u{2793}'
    )
}

/// Signs of money.
pub(super) fn is_currency(c: char) -> bool {
    matches!(narrow(c), '$' | '\u{A2}'..='\u{A5}' | '\u{58F}' | '\u{E3F}' | '\u{17DB}'
        | '\u{20A0}'..='\u{20C0}' | '\u{FDFC}' | '\u{FFE0}' | '\u{FFE1}' | '\u{FFE5}' | '\u{FFE6}')
}

/// Letters of scripts that put no space between words, so that one right before a digit does not
/// make a name of it.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{E00}'..='\u{EFF}' | '\u{2E80}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(c: char) -> String {
        let mut out = String::new();
        fold(c, |d| out.push(d));
        out
    }

    fn every_character() -> impl Iterator<Item = char> {
        ('\0'..=char::MAX).filter(|c| !c.is_whitespace() && !is_ignored(*c))
    }

    #[test]
    fn folding_twice_is_folding_once() {
        for c in every_character() {
            let once = folded(c);
            let twice: String = once.chars().map(folded).collect();
            assert_eq!(once, twice, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn folding_makes_digits_only_of_digits() {
        for c in every_character() {
            if folded(c).contains(|d: char| d.is_ascii_digit()) {
                let is_digit = c.is_ascii_digit()
                    || matches!(c, '\u{FF10}'..='\u{FF19}' | '\u{1D7CE}'..='\u{1D7FF}');
                assert!(is_digit, "U+{:04X} became {}", u32::from(c), folded(c));
            }
        }
    }

    #[test]
    fn folding_makes_no_white_space_and_nothing_invisible() {
        for c in every_character() {
            let all = folded(c);
            assert!(!all.is_empty(), "U+{:04X}", u32::from(c));
            // What keeps the offsets of the longest document within 32 bits.
            assert!(all.len() <= 3 * c.len_utf8(), "U+{:04X}", u32::from(c));
            assert!(
                !all.contains(|d: char| d.is_whitespace() || is_ignored(d)),
                "U+{:04X}",
                u32::from(c)
            );
        }
    }

    #[test]
    fn lower_and_upper_case_letters_fold_alike() {
        for c in every_character() {
            let lower: String = c.to_lowercase().map(folded).collect();
            let letter = folded(c);
            if !is_presentation_form(c) {
                assert_eq!(letter, lower, "U+{:04X}", u32::from(c));
            }
        }
    }

    #[test]
    fn a_raised_digit_is_never_a_digit() {
        for c in every_character() {
            assert!(!(is_raised_digit(c) && digit(c).is_some()));
        }
        assert_eq!(digit('７'), Some(7));
        assert_eq!(digit('٣'), None);
        assert_eq!(digit('𝟏'), None);
    }
}
