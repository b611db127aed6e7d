//! A directory as the files of a bundle.

use std::{
    fs::{self, File},
    io,
    path::{Component, Path, PathBuf},
};

use entail_trace::{Bytes, Files, Seekable};

/// A directory. Links are not followed out of it: only regular files are files of it.
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
        let path = self.0.join(relative);
        match fs::symlink_metadata(&path) {
            Ok(about) if about.is_file() => {}
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        }
        Ok(Some(Box::new(Seekable::new(File::open(path)?))))
    }

    fn visit_paths(&self, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        let mut open = vec![self.0.clone()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory)? {
                let entry = entry?;
                let kind = entry.file_type()?;
                if kind.is_dir() {
                    open.push(entry.path());
                } else if kind.is_file()
                    && let Some(path) = entry
                        .path()
                        .strip_prefix(&self.0)
                        .ok()
                        .and_then(Path::to_str)
                {
                    visit(path);
                }
            }
        }
        Ok(())
    }
}
