//! The walk along a journal that finds what was edited, dropped, doubled or reordered.

use std::cmp::Ordering;

use entail_json::Digest;

use super::{Entry, FORMAT};

/// How far a journal has been checked.
///
/// Memory does not grow with the journal, so entries may be streamed past it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    session_id: String,
    seq: u64,
    head: Digest,
}

impl Chain {
    /// Before a session's first entry.
    #[must_use]
    pub fn start(session_id: impl Into<String>) -> Self {
        Self::resume(session_id, 0, Digest::ZERO)
    }

    /// After the entry `seq`, whose hash is `head` and known to be good.
    #[must_use]
    pub fn resume(session_id: impl Into<String>, seq: u64, head: Digest) -> Self {
        Self {
            session_id: session_id.into(),
            seq,
            head,
        }
    }

    /// The last entry checked, 0 before the first.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// The hash of the last entry checked, 32 zero bytes before the first.
    #[must_use]
    pub const fn head(&self) -> &Digest {
        &self.head
    }

    /// Checks the entry that comes next and steps over it.
    ///
    /// # Errors
    /// [`Broken`] with the entry where the chain parts; the chain has then not moved.
    pub fn check(&mut self, entry: &Entry) -> Result<(), Broken> {
        let broken = |seq, fault| Err(Broken { seq, fault });
        let next = self.seq.saturating_add(1);
        if entry.v == 0 || entry.v > FORMAT {
            return broken(next, Fault::UnknownFormat(entry.v));
        }
        if entry.session_id != self.session_id {
            return broken(next, Fault::OtherSession);
        }
        match entry.seq.cmp(&next) {
            Ordering::Less => return broken(next, Fault::Repeated(entry.seq)),
            Ordering::Greater => return broken(next, Fault::Missing),
            Ordering::Equal => {}
        }
        if entry.prev_hash != self.head {
            return broken(next, Fault::Unlinked);
        }
        if entry.digest() != entry.hash {
            return broken(next, Fault::Edited);
        }
        self.seq = next;
        self.head = entry.hash;
        Ok(())
    }

    /// Checks that the journal ends here, as the session's row says it does.
    ///
    /// # Errors
    /// [`Broken`] when entries are missing at the end, or the last is not the one recorded.
    pub fn finish(&self, version: u64, head: &Digest) -> Result<(), Broken> {
        match self.seq.cmp(&version) {
            Ordering::Less => Err(Broken {
                seq: self.seq.saturating_add(1),
                fault: Fault::Missing,
            }),
            Ordering::Greater => Err(Broken {
                seq: version.saturating_add(1),
                fault: Fault::Surplus,
            }),
            Ordering::Equal if self.head != *head => Err(Broken {
                seq: self.seq,
                fault: Fault::OtherHead,
            }),
            Ordering::Equal => Ok(()),
        }
    }
}

/// Where a journal's chain does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal's chain breaks at entry {seq}: {fault}")]
pub struct Broken {
    /// The place at which the entry was looked for.
    pub seq: u64,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The entry is missing: dropped, or out of order.
    #[error("the entry is missing")]
    Missing,
    /// An entry from before stands here: doubled, or out of order.
    #[error("entry {0} stands here again")]
    Repeated(u64),
    /// Entries follow the last one recorded.
    #[error("entries follow the recorded end")]
    Surplus,
    /// The contents do not give the hash.
    #[error("its contents do not give its hash")]
    Edited,
    /// It does not follow the entry before.
    #[error("it does not follow the entry before it")]
    Unlinked,
    /// It is not the recorded head of the chain.
    #[error("it is not the recorded head of the chain")]
    OtherHead,
    /// It belongs to another session.
    #[error("it belongs to another session")]
    OtherSession,
    /// Its format is not known to this build.
    #[error("its format {0} is not known to this build; read it with a newer one")]
    UnknownFormat(u32),
}

#[cfg(test)]
mod tests {
    use super::super::{Draft, Timestamp};
    use super::*;
    use entail_json::Value;

    fn journal(length: u64) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for seq in 1..=length {
            let prev = entries.last().map_or(Digest::ZERO, |entry| entry.hash);
            let draft = Draft {
                session_id: "s",
                seq,
                kind: "turn",
                payload: &Value::String(format!("payload {seq}")),
                events: &Value::Array(vec![]),
                created_at: Timestamp::from_micros(i64::try_from(seq).unwrap()).unwrap(),
            };
            entries.push(Entry::seal(&prev, &draft));
        }
        entries
    }

    fn walk(entries: &[Entry]) -> Result<(), Broken> {
        let whole = journal(5);
        let mut chain = Chain::start("s");
        entries.iter().try_for_each(|entry| chain.check(entry))?;
        chain.finish(5, &whole[4].hash)
    }

    fn broken(seq: u64, fault: Fault) -> Result<(), Broken> {
        Err(Broken { seq, fault })
    }

    #[test]
    fn a_journal_as_it_was_written_holds() {
        assert_eq!(walk(&journal(5)), Ok(()));
    }

    #[test]
    fn a_dropped_entry_is_found_at_the_start_in_the_middle_and_at_the_end() {
        for gone in 0..5 {
            let mut entries = journal(5);
            entries.remove(gone);
            assert_eq!(walk(&entries), broken(gone as u64 + 1, Fault::Missing));
        }
    }

    #[test]
    fn a_doubled_entry_is_found() {
        for twice in 0..5 {
            let mut entries = journal(5);
            entries.insert(twice, entries[twice].clone());
            let seq = twice as u64 + 1;
            assert_eq!(walk(&entries), broken(seq + 1, Fault::Repeated(seq)));
        }
    }

    #[test]
    fn entries_in_another_order_are_found_even_when_renumbered() {
        let mut entries = journal(5);
        entries.swap(1, 3);
        assert_eq!(walk(&entries), broken(2, Fault::Missing));
        entries[1].seq = 2;
        entries[3].seq = 4;
        assert_eq!(walk(&entries), broken(2, Fault::Unlinked));
    }

    #[test]
    fn an_edit_of_any_field_is_found() {
        let edits: [fn(&mut Entry); 8] = [
            |entry| entry.v = 2,
            |entry| entry.session_id.push('x'),
            |entry| entry.kind.push('x'),
            |entry| entry.payload.push(' '),
            |entry| entry.events = "[1]".into(),
            |entry| entry.created_at = Timestamp::from_micros(9).unwrap(),
            |entry| entry.prev_hash = Digest::from_bytes([1; 32]),
            |entry| entry.hash = Digest::from_bytes([1; 32]),
        ];
        for edit in edits {
            let mut entries = journal(5);
            edit(&mut entries[2]);
            assert_eq!(walk(&entries).unwrap_err().seq, 3);
        }
    }

    #[test]
    fn an_edited_entry_that_was_hashed_again_parts_from_the_next_one() {
        let mut entries = journal(5);
        entries[2].payload = "\"forged\"".into();
        entries[2].hash = entries[2].digest();
        assert_eq!(walk(&entries), broken(4, Fault::Unlinked));
    }

    #[test]
    fn a_forged_last_entry_is_not_the_recorded_head() {
        let mut entries = journal(5);
        entries[4].payload = "\"forged\"".into();
        entries[4].hash = entries[4].digest();
        assert_eq!(walk(&entries), broken(5, Fault::OtherHead));
    }

    #[test]
    fn entries_past_the_recorded_end_are_found() {
        assert_eq!(walk(&journal(6)), broken(6, Fault::Surplus));
    }
}
