//! The stretches of a string that need no escape.

/// How many bytes from the start can stand in a string as they are.
pub(crate) fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let (words, rest) = bytes.as_chunks::<8>();
    let mut length = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word;
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let quote = zero_bytes(word ^ (ONES * u64::from(b'"')));
        let escape = zero_bytes(word ^ (ONES * u64::from(b'\\')));
        let special = (control | quote | escape) & HIGH;
        if special != 0 {
            return length + (special.trailing_zeros() / 8) as usize;
        }
        length += 8;
    }
    length
        + rest
            .iter()
            .take_while(|byte| !matches!(byte, 0..0x20 | b'"' | b'\\'))
            .count()
}

#[cfg(test)]
mod tests {
    use super::plain_length;

    #[test]
    fn a_plain_stretch_ends_at_the_first_quote_backslash_or_control_character() {
        for special in (0..0x20).chain([b'"', b'\\']) {
            for before in 0..20 {
                let mut bytes = vec![b'a'; 24];
                bytes[before] = special;
                bytes[before + 1] = b'"';
                assert_eq!(plain_length(&bytes), before, "{special}");
            }
        }
        let rest: Vec<u8> = (0x20..=0xff)
            .filter(|byte| !matches!(byte, b'"' | b'\\'))
            .collect();
        assert_eq!(plain_length(&rest), rest.len());
        assert_eq!(plain_length(b""), 0);
    }
}
