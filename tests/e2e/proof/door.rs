//! Where the service is: its replicas come and go.

use std::{
    net::SocketAddr,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use entail_tests::Client;

/// How long a replica that went away is waited for before the test fails.
const PATIENCE: Duration = Duration::from_secs(120);

/// The replicas by place, and what is told to those who write.
#[derive(Debug)]
pub(crate) struct Door {
    state: Mutex<State>,
    moved: Condvar,
    over: AtomicBool,
    sent: AtomicUsize,
    sending: Condvar,
}

#[derive(Clone, Debug)]
struct State {
    /// Each with how often it came.
    places: Vec<(usize, SocketAddr)>,
}

/// A replica as it was met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    pub(crate) place: usize,
    came: usize,
    address: SocketAddr,
}

impl Met {
    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }
}

impl Door {
    pub(crate) fn new(clients: &[Client]) -> Self {
        let places = clients.iter().map(|client| (1, client.address())).collect();
        Self {
            state: Mutex::new(State { places }),
            moved: Condvar::new(),
            over: AtomicBool::new(false),
            sent: AtomicUsize::new(0),
            sending: Condvar::new(),
        }
    }

    /// How many places there are.
    pub(crate) fn places(&self) -> usize {
        self.state().places.len()
    }

    /// Who is at a place.
    pub(crate) fn at(&self, place: usize) -> Met {
        let (came, address) = self.state().places[place];
        Met {
            place,
            came,
            address,
        }
    }

    /// Where to go on after a connection to one broke: the next place, or, once every place was
    /// tried, the same when it is taken again.
    pub(crate) fn after(&self, met: Met, broken: usize) -> Met {
        if broken < self.places() {
            return self.at((met.place + 1) % self.places());
        }
        self.renewed(met);
        self.at(met.place)
    }

    /// Waits until another came to the place of one that was met.
    pub(crate) fn renewed(&self, met: Met) {
        let is_old = |state: &mut State| state.places[met.place].0 == met.came;
        let waited = self
            .moved
            .wait_timeout_while(self.state(), PATIENCE, is_old)
            .unwrap_or_else(PoisonError::into_inner);
        assert!(
            !waited.1.timed_out(),
            "a connection broke, and nobody had killed the service"
        );
    }

    /// Tells who is at a place from now on.
    pub(crate) fn take(&self, place: usize, client: &Client) {
        let mut state = self.state();
        let (came, address) = &mut state.places[place];
        (*came, *address) = (*came + 1, client.address());
        self.moved.notify_all();
    }

    /// Tells that a request is about to be sent.
    pub(crate) fn sending(&self) {
        let _state = self.state();
        self.sent.fetch_add(1, Ordering::SeqCst);
        self.sending.notify_all();
    }

    /// How many requests were sent.
    pub(crate) fn sent(&self) -> usize {
        self.sent.load(Ordering::SeqCst)
    }

    /// Waits until so many more requests were sent.
    pub(crate) fn wait_for_requests(&self, more: usize) {
        let enough = self.sent() + more;
        let waited = self
            .sending
            .wait_timeout_while(self.state(), PATIENCE, |_| self.sent() < enough)
            .unwrap_or_else(PoisonError::into_inner);
        assert!(!waited.1.timed_out(), "the writers send nothing any more");
    }

    /// Tells those who write that it is enough.
    pub(crate) fn close(&self) {
        self.over.store(true, Ordering::SeqCst);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes the door when the one who strikes panics, so that nobody writes for ever.
#[derive(Debug)]
pub(crate) struct Closing<'a>(pub(crate) &'a Door);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
