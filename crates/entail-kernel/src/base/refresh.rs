//! Letting evidence expire.

use super::{Base, JustificationId};
use crate::Time;

impl Base {
    /// Expires the evidence whose time is up. Returns what expired, soonest first. The cost
    /// follows what expires.
    ///
    /// ```
    /// use entail_kernel::base::{Expiry, Premise};
    /// use entail_kernel::{Base, Span, Time};
    ///
    /// let mut base = Base::default();
    /// let mut premise = Premise::new("price", 9_i64, "tool:quote".parse()?);
    /// premise.expiry = Some(Expiry::After(Span::from_micros(60_000_000)));
    /// let price = base.assert(premise, Time::EPOCH)?.belief;
    ///
    /// let later = Time::EPOCH.saturating_add(Span::from_micros(60_000_000));
    /// assert_eq!(base.refresh(later).len(), 1);
    /// assert!(!base.is_in(price));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn refresh(&mut self, now: Time) -> Vec<JustificationId> {
        let due: Vec<_> = self
            .expiring
            .range(..=(now.micros(), JustificationId(u32::MAX)))
            .map(|(_, id)| *id)
            .collect();
        if due.is_empty() {
            return due;
        }
        let done = self.operate(|base| {
            base.expire_now(&due, now);
            Ok(())
        });
        debug_assert!(done.is_ok(), "nothing about expiring can be refused");
        due
    }

    /// When evidence expires next.
    #[must_use]
    pub fn next_expiry(&self) -> Option<Time> {
        let (micros, _) = self.expiring.first()?;
        Time::from_micros(*micros)
    }
}
