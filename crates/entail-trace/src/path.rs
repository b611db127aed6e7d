//! Paths of evidence files inside a bundle.

use std::fmt;

use entail_json::Value;

use crate::fault::{At, Faults};
use crate::fields;
use crate::limits::MAX_PATH_BYTES;

/// A relative path that cannot leave the directory it is taken in: `/` separates, no empty,
/// `.` or `..` step. The empty path means that there is no file.
///
/// Doubled slashes and `.` steps are dropped on input.
///
/// ```
/// use entail_trace::ContentPath;
///
/// assert_eq!(ContentPath::new("evidence//a..b/./c.txt")?.as_str(), "evidence/a..b/c.txt");
/// for outside in ["/etc/passwd", "C:/x", "a\\b", "a/../b"] {
///     assert!(ContentPath::new(outside).is_err());
/// }
/// # Ok::<(), entail_trace::PathError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentPath(String);

/// A path that is not safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It starts at a root.
    #[error("the path is absolute: name the file relative to the bundle")]
    Absolute,
    /// It starts with a drive such as `C:`.
    #[error("the path names a drive: name the file relative to the bundle")]
    Drive,
    /// It holds a backslash.
    #[error("the path holds a backslash: separate its steps with `/`")]
    Backslash,
    /// It holds a step `..`.
    #[error("the path holds `..`: name the file without leaving the bundle")]
    Parent,
    /// It holds a control character.
    #[error("the path holds a control character: remove it")]
    Control,
    /// Nothing is left of it.
    #[error("the path names a directory: name a file")]
    Directory,
    /// It is too long.
    #[error("the path is longer than {MAX_PATH_BYTES} bytes: shorten it")]
    TooLong,
}

impl ContentPath {
    /// The path in its one form.
    ///
    /// # Errors
    /// [`PathError`] says which rule the path breaks.
    pub fn new(path: &str) -> Result<Self, PathError> {
        if path.is_empty() {
            return Ok(Self::default());
        }
        if path.len() > MAX_PATH_BYTES {
            return Err(PathError::TooLong);
        }
        if path.contains('\\') {
            return Err(PathError::Backslash);
        }
        if path.starts_with('/') {
            return Err(PathError::Absolute);
        }
        if path.chars().any(char::is_control) {
            return Err(PathError::Control);
        }
        if let [letter, b':', ..] = path.as_bytes()
            && letter.is_ascii_alphabetic()
        {
            return Err(PathError::Drive);
        }
        let mut normal = String::with_capacity(path.len());
        for step in path.split('/').filter(|step| !matches!(*step, "" | ".")) {
            if step == ".." {
                return Err(PathError::Parent);
            }
            if !normal.is_empty() {
                normal.push('/');
            }
            normal.push_str(step);
        }
        if normal.is_empty() {
            Err(PathError::Directory)
        } else {
            Ok(Self(normal))
        }
    }

    /// The text; empty when there is no file.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        match Self::new(&fields::text(value, at, faults)?) {
            Ok(path) => Some(path),
            Err(error) => {
                faults.push(at, error.to_string());
                None
            }
        }
    }
}

impl fmt::Display for ContentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_out_of_the_bundle_is_refused_by_its_name() {
        for (path, error) in [
            ("/etc/passwd", PathError::Absolute),
            ("//host/share", PathError::Absolute),
            ("C:/x", PathError::Drive),
            ("c:x", PathError::Drive),
            ("..", PathError::Parent),
            ("a/b/..", PathError::Parent),
            ("\\\\host", PathError::Backslash),
            ("a\0b", PathError::Control),
            ("./.", PathError::Directory),
        ] {
            assert_eq!(ContentPath::new(path), Err(error), "{path}");
        }
        assert_eq!(
            ContentPath::new(&"a".repeat(MAX_PATH_BYTES + 1)),
            Err(PathError::TooLong)
        );
    }

    #[test]
    fn dots_inside_a_step_are_part_of_its_name() {
        for path in ["...", "a..b", "..a/b..", "a:b/c", "ab:c"] {
            let expected = if path == "a:b/c" {
                Err(PathError::Drive)
            } else {
                Ok(ContentPath(path.to_owned()))
            };
            assert_eq!(ContentPath::new(path), expected, "{path}");
        }
    }
}
