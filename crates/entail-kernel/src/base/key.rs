//! What a key and a ref may look like.

use std::fmt;

/// Why a text is not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// It has no characters.
    Empty,
    /// It holds this character: white space, `@`, `{` or `}`.
    Character(char),
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Character(found) if found.is_whitespace() => {
                write!(f, "it holds white space (U+{:04X})", u32::from(*found))
            }
            Self::Character(found) => write!(f, "it holds `{found}`"),
        }
    }
}

/// Checks a key: not empty, no white space (any Unicode `White_Space`), no `@`, `{` or `}`.
///
/// # Errors
/// The first fault found.
///
/// ```
/// use entail_kernel::base::{KeyFault, check_key};
///
/// assert_eq!(check_key("revenue:Q2"), Ok(()));
/// assert_eq!(check_key("a b"), Err(KeyFault::Character(' ')));
/// assert_eq!(check_key(""), Err(KeyFault::Empty));
/// ```
pub fn check_key(key: &str) -> Result<(), KeyFault> {
    if key.is_empty() {
        return Err(KeyFault::Empty);
    }
    match key
        .chars()
        .find(|c| matches!(c, '@' | '{' | '}') || c.is_whitespace())
    {
        Some(found) => Err(KeyFault::Character(found)),
        None => Ok(()),
    }
}

/// Splits `key@revision` into its parts; the revision is `None` for a bare key.
///
/// A revision is written as decimal digits without a leading zero. Neither part is checked
/// further: use [`check_key`] for the key. `None` means that the text is neither.
///
/// ```
/// use entail_kernel::base::split_ref;
///
/// assert_eq!(split_ref("revenue:Q2@3"), Some(("revenue:Q2", Some(3))));
/// assert_eq!(split_ref("revenue:Q2"), Some(("revenue:Q2", None)));
/// assert_eq!(split_ref("revenue:Q2@x"), None);
/// assert_eq!(split_ref("revenue:Q2@03"), None);
/// ```
#[must_use]
pub fn split_ref(target: &str) -> Option<(&str, Option<u32>)> {
    let Some((key, revision)) = target.split_once('@') else {
        return Some((target, None));
    };
    let plain = revision.bytes().all(|byte| byte.is_ascii_digit()) && !revision.starts_with('0');
    let revision = revision.parse().ok().filter(|_| plain)?;
    Some((key, Some(revision)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_white_space_is_refused_in_a_key() {
        for space in [' ', '\t', '\n', '\u{a0}', '\u{2003}', '\u{3000}', '\u{85}'] {
            let key = format!("a{space}b");
            assert_eq!(check_key(&key), Err(KeyFault::Character(space)));
        }
        for plain in ["é", "a\u{200b}b", "a.b/c:d-e_f", "ключ", "🙂"] {
            assert_eq!(check_key(plain), Ok(()), "{plain}");
        }
    }

    #[test]
    fn a_ref_has_one_way_to_be_written() {
        for wrong in ["a@", "a@0", "a@+1", "a@1@2", "a@ 1", "a@4294967296", "a@-1"] {
            assert_eq!(split_ref(wrong), None, "{wrong}");
        }
        assert_eq!(split_ref("a@4294967295"), Some(("a", Some(u32::MAX))));
    }
}
