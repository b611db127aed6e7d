//! What processes use, as Linux tells it under `/proc`.

use std::{fs, io, ops::Sub};

use super::load::Loaded;
use crate::Measured;

/// Clock ticks a second in `/proc/PID/stat`: the same on every Linux that is not of 1999.
const TICKS: f64 = 100.0;

/// A process, alone or with its children.
#[derive(Clone, Copy)]
pub(super) struct Family {
    parent: u32,
    children: bool,
}

/// What was used since the processes began.
#[derive(Clone, Copy, Default)]
pub(super) struct Usage {
    /// Seconds of processor time.
    pub(super) cpu: f64,
    /// Bytes handed to the disk, where the system tells.
    pub(super) written: Option<u64>,
}

/// The processes to be watched while they work.
#[derive(Clone, Copy)]
pub(super) struct Watch {
    pub(super) service: Family,
    pub(super) database: Option<Family>,
}

/// What a time of work took.
pub(super) struct Phase {
    pub(super) load: Loaded,
    pub(super) service: Usage,
    pub(super) database: Option<Usage>,
    /// Bytes of memory that the service holds at its end.
    pub(super) resident: u64,
}

impl Watch {
    /// Watches a time of work.
    pub(super) fn during(self, work: impl FnOnce() -> Measured<Loaded>) -> Measured<Phase> {
        let used = || -> io::Result<_> {
            let database = self.database.map(Family::usage).transpose()?;
            Ok((self.service.usage()?, database))
        };
        let (service, database) = used()?;
        let load = work()?;
        let (service_after, database_after) = used()?;
        Ok(Phase {
            load,
            service: service_after - service,
            database: database_after
                .zip(database)
                .map(|(after, before)| after - before),
            resident: self.service.resident()?,
        })
    }
}

impl Family {
    pub(super) const fn alone(parent: u32) -> Self {
        Self {
            parent,
            children: false,
        }
    }

    pub(super) const fn of(parent: u32) -> Self {
        Self {
            parent,
            children: true,
        }
    }

    pub(super) fn usage(self) -> io::Result<Usage> {
        let own = stat(self.parent)?;
        let mut usage = Usage {
            cpu: own.cpu(self.children),
            written: written(self.parent),
        };
        if !self.children {
            return Ok(usage);
        }
        for entry in fs::read_dir("/proc")?.flatten() {
            let Some(pid) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            // A process may end while it is looked at; its parent then has its share.
            let Ok(stat) = stat(pid) else { continue };
            if stat.parent == self.parent {
                usage.cpu += stat.cpu(true);
                usage.written = usage
                    .written
                    .zip(written(pid))
                    .map(|(sum, more)| sum + more);
            }
        }
        Ok(usage)
    }

    /// Bytes of memory that the parent holds.
    pub(super) fn resident(self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.parent))?;
        let kib: Option<u64> = status
            .lines()
            .find_map(|line| line.strip_prefix("VmRSS:"))
            .and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        kib.map(|kib| kib << 10)
            .ok_or_else(|| io::Error::other("no resident memory is told"))
    }
}

impl Sub for Usage {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        let both = self.written.zip(before.written);
        Self {
            cpu: (self.cpu - before.cpu).max(0.0),
            written: both.map(|(after, before)| after.saturating_sub(before)),
        }
    }
}

/// What `/proc/PID/stat` tells.
#[derive(Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    /// Ticks of its own.
    own: u64,
    /// Ticks of its children that have ended.
    ended: u64,
}

impl Stat {
    /// The name of the program, in brackets, may itself hold spaces and brackets.
    fn read(line: &str) -> Option<Self> {
        let (_, rest) = line.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ticks = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            own: ticks(11)?.checked_add(ticks(12)?)?,
            ended: ticks(13)?.checked_add(ticks(14)?)?,
        })
    }

    fn cpu(&self, children: bool) -> f64 {
        let ended = if children { self.ended } else { 0 };
        self.own.saturating_add(ended) as f64 / TICKS
    }
}

fn stat(pid: u32) -> io::Result<Stat> {
    let line = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    Stat::read(&line).ok_or_else(|| io::Error::other("`/proc/PID/stat` has another form"))
}

/// Bytes that a process caused to be written to the disk.
fn written(pid: u32) -> Option<u64> {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let line = io
        .lines()
        .find_map(|line| line.strip_prefix("write_bytes:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::Stat;

    #[test]
    fn a_program_may_have_brackets_in_its_name() {
        let line = "7 (a) b) S 3 7 7 0 -1 4194560 1 2 3 4 50 6 7 8 20 0 1 0 99";
        let stat = Stat {
            parent: 3,
            own: 56,
            ended: 15,
        };
        assert_eq!(Stat::read(line), Some(stat));
        assert_eq!(Stat::read("7 (a) S"), None);
    }
}
