//! Handles of what a base holds.

/// Defines a handle: a dense number given in order of creation.
macro_rules! handle {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Its number, counted from 0 in order of creation.
            #[must_use]
            pub const fn number(self) -> u32 {
                self.0
            }

            /// The handle of that number, as a journal has it. A base that has no such item
            /// knows nothing under it.
            #[must_use]
            pub const fn from_number(number: u32) -> Self {
                Self(number)
            }

            /// The place of this handle in a list.
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }

            /// The handle of the next item of a list that long.
            ///
            /// A base that reached `u32::MAX` items gives the last handle again; limits far below
            /// that are checked before anything is added.
            #[allow(dead_code, reason = "not every kind of handle is made from a length")]
            pub(crate) fn next(length: usize) -> Self {
                Self(u32::try_from(length).unwrap_or(u32::MAX))
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> Self {
                id.index()
            }
        }
    };
}

handle!(
    /// One belief: one revision of one key. It names a belief of the base that gave it, and stays
    /// the same for ever, replays included; in another base, or after a rollback that took the
    /// belief away, it names nothing or something else.
    BeliefId
);
handle!(
    /// One justification of a belief.
    JustificationId
);
handle!(
    /// One interned antecedent set.
    SetId
);
handle!(
    /// One key. Keys that are only named by an `unless` or as an input have one, too.
    KeyId
);
handle!(
    /// One source with all that identifies it.
    SourceId
);
handle!(
    /// What reliability is kept for (`kind:name`), or an origin.
    NameId
);
