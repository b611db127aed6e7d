//! Folding and looking up again, written for being read: slow, and in whole-text steps.

use std::ops::Range;

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

const DASHES: &str = "-˗֊־᐀᠆‐‑‒–—―⁃−➖⸗⸚⸺⸻⹀⹝〜〰゠︱︲﹘﹣－";

fn ignored(c: char) -> bool {
    "\u{AD}\u{34F}\u{61C}\u{180E}\u{FEFF}".contains(c)
        || ('\u{200B}'..='\u{200F}').contains(&c)
        || ('\u{202A}'..='\u{202E}').contains(&c)
        || ('\u{2060}'..='\u{2069}').contains(&c) && c != '\u{2065}'
        || ('\u{FE00}'..='\u{FE0F}').contains(&c)
}

fn straight(c: char) -> char {
    match c {
        '‘' | '’' | '‚' | '‛' | 'ʼ' | 'ʹ' | '′' | '‵' | '´' | '`' | '＇' => '\'',
        '“' | '”' | '„' | '‟' | '″' | '‶' | '＂' => '"',
        c if DASHES.contains(c) => '-',
        c => c,
    }
}

fn form(c: char) -> bool {
    let plain = "µĲĳĿŀŉſẛ".contains(c) || ('Ǆ'..='ǌ').contains(&c) || ('Ǳ'..='ǳ').contains(&c);
    let blocks = [
        '\u{2024}'..='\u{2026}',
        '\u{2160}'..='\u{217F}',
        '\u{FB00}'..='\u{FDFF}',
        '\u{FE10}'..='\u{FE6F}',
        '\u{FE70}'..='\u{FEFE}',
        '\u{FF00}'..='\u{FFEF}',
        '\u{1D400}'..='\u{1D7FF}',
    ];
    plain || "\u{E33}\u{EB3}\u{EDC}\u{EDD}".contains(c) || blocks.iter().any(|b| b.contains(&c))
}

/// The folded form, white space at its ends included as one space.
pub(crate) fn fold(text: &str) -> String {
    let visible: String = text
        .chars()
        .filter(|c| c.is_whitespace() || !ignored(*c))
        .collect();
    let mut plain = String::new();
    for c in visible
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { straight(c) })
    {
        if form(c) && !c.nfkd().any(char::is_whitespace) {
            plain.extend(c.nfkd());
        } else {
            plain.push(c);
        }
    }
    let taken_apart: String = plain.nfd().map(straight).collect();
    let small: String = taken_apart
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ς' { 'σ' } else { c })
        .collect();
    let spaced: String = small
        .nfd()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    let mut out = String::new();
    for c in spaced.chars() {
        if c != ' ' || !out.ends_with(' ') {
            out.push(c);
        }
    }
    out
}

fn extends(c: char) -> bool {
    !ignored(c)
        && fold(&c.to_string())
            .chars()
            .next()
            .is_some_and(|c| is_combining_mark(c) || ('\u{1160}'..='\u{11FF}').contains(&c))
}

/// The text cut into pieces: a character with what extends it, and what is invisible between.
pub(crate) fn pieces(text: &str) -> Vec<Range<usize>> {
    let mut pieces: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if ignored(c) && !c.is_whitespace() {
            continue;
        }
        match pieces.last_mut() {
            Some(last) if open && extends(c) => last.end = end,
            _ => pieces.push(at..end),
        }
        open = !c.is_whitespace();
    }
    pieces
}

/// The first run of whole pieces that folds to the same as `quote`, neither with white space at
/// an end, and how many there are, none overlapping an earlier one.
pub(crate) fn find(text: &str, quote: &str) -> Option<(Range<usize>, usize)> {
    let wanted = fold(quote).trim_matches(' ').to_owned();
    if wanted.is_empty() {
        return None;
    }
    let pieces = pieces(text);
    let blank = |piece: &Range<usize>| text[piece.clone()].trim().is_empty();
    let mut found: Option<(Range<usize>, usize)> = None;
    let mut at = 0;
    while at < pieces.len() {
        let span_to = |last: usize| pieces[at].start..pieces[last].end;
        let last = (at..pieces.len()).find(|last| {
            !blank(&pieces[at]) && !blank(&pieces[*last]) && fold(&text[span_to(*last)]) == wanted
        });
        match last {
            Some(last) => {
                found.get_or_insert((span_to(last), 0)).1 += 1;
                at = last + 1;
            }
            None => at += 1,
        }
    }
    found
}
