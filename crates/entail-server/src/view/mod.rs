//! What a session holds, as answers show it.

mod belief;
mod conflict;
mod page;
mod session;

pub(crate) use belief::{Extent, Weight, belief, float, weigh, weigh_all};
pub(crate) use conflict::{conflict, disputed};
pub(crate) use page::page;
pub(crate) use session::{listed, opened, session};
