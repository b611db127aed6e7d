//! Proofs: the support graph behind one or more beliefs.
