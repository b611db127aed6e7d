//! A directory as the files of a bundle.

use std::{
    fs::{self, File},
    io,
    path::{Component, Path, PathBuf},
};

use entail_trace::{Bytes, Files, Seekable};

/// A directory. No link in it is followed; what is neither a file nor a directory is listed, and
/// cannot be opened.
#[derive(Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// The files in a directory.
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }
}

impl Files for Directory {
    fn open(&self, path: &str) -> io::Result<Option<Box<dyn Bytes + '_>>> {
        let relative = Path::new(path);
        let is_inside = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_)));
        if !is_inside {
            return Ok(None);
        }
        let mut path = self.0.clone();
        let mut parts = relative.components().peekable();
        while let Some(part) = parts.next() {
            path.push(part);
            let about = match fs::symlink_metadata(&path) {
                Ok(about) => about,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
            let is_right = match parts.peek() {
                Some(_) => about.is_dir(),
                None => about.is_file(),
            };
            if !is_right {
                return Ok(None);
            }
        }
        Ok(Some(Box::new(Seekable::new(File::open(path)?))))
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        let mut open = vec![self.0.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                let path = entry.path();
                if entry.file_type()?.is_dir() {
                    open.push(path);
                } else if let Ok(path) = path.strip_prefix(&self.0) {
                    visit(&path.to_string_lossy());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_listed_and_never_followed() {
        let root = std::env::temp_dir().join(format!("entail-{}", crate::clock::new_id()));
        fs::create_dir_all(root.join("run/evidence")).unwrap();
        fs::create_dir(root.join("elsewhere")).unwrap();
        for file in ["run/trace.jsonl", "run/evidence/a.txt", "elsewhere/b.txt"] {
            fs::write(root.join(file), "x").unwrap();
        }
        symlink(root.join("elsewhere"), root.join("run/linked")).unwrap();
        symlink(root.join("elsewhere/b.txt"), root.join("run/b.txt")).unwrap();
        symlink(root.join("run/loop"), root.join("run/loop")).unwrap();
        let directory = Directory::new(root.join("run"));
        let mut paths = Vec::new();
        let visited = directory.visit_paths(&mut |path| paths.push(path.to_owned()));
        let opens = |path| directory.open(path).unwrap().is_some();
        let opened = [
            ("trace.jsonl", true),
            ("evidence/a.txt", true),
            ("linked/b.txt", false),
            ("b.txt", false),
            ("loop", false),
            ("../elsewhere/b.txt", false),
        ]
        .map(|(path, expected)| (path, opens(path), expected));
        fs::remove_dir_all(&root).unwrap();
        visited.unwrap();
        paths.sort();
        assert_eq!(
            paths,
            ["b.txt", "evidence/a.txt", "linked", "loop", "trace.jsonl"]
        );
        for (path, opens, expected) in opened {
            assert_eq!(opens, expected, "{path}");
        }
    }
}
