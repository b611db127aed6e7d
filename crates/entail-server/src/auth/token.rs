//! Tokens, and what is kept of them.

use entail_json::{Digest, Hasher};
use uuid::Uuid;

/// Fewest characters of a token that somebody else made.
pub(crate) const SHORTEST: usize = 24;

/// A token, whole. It is shown once and never kept.
pub(crate) struct Token(String);

impl Token {
    /// A new token of 244 random bits.
    pub(crate) fn new() -> Self {
        let (high, low) = (Uuid::new_v4().simple(), Uuid::new_v4().simple());
        Self(format!("entail_{high}{low}"))
    }

    /// A token as somebody sent it.
    pub(crate) fn given(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text to send.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// The public id of its key.
    pub(crate) fn id(&self) -> Uuid {
        let hash = self.hash("entail api key id");
        let first = hash.as_bytes().first_chunk().copied().unwrap_or_default();
        uuid::Builder::from_custom_bytes(first).into_uuid()
    }

    /// The hash that proves it.
    pub(crate) fn secret(&self) -> Digest {
        self.hash("entail api key secret")
    }

    /// Whether this is the token of which that is the hash. Takes as long for a wrong one.
    pub(crate) fn proves(&self, secret: &Digest) -> bool {
        let own = self.secret();
        let pairs = own.as_bytes().iter().zip(secret.as_bytes());
        let differing = pairs.fold(0_u8, |bits, (a, b)| std::hint::black_box(bits | (a ^ b)));
        differing == 0
    }

    fn hash(&self, purpose: &str) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(purpose.as_bytes());
        hasher.update(&[0]);
        hasher.update(self.0.as_bytes());
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_proves_its_own_hash_and_no_other() {
        let (one, other) = (Token::new(), Token::new());
        assert!(one.proves(&Token::given(one.text()).secret()));
        assert!(!one.proves(&other.secret()));
        assert_ne!(one.id(), other.id());
        assert_eq!(one.id(), Token::given(one.text()).id());
        assert_eq!(one.text().len(), "entail_".len() + 64);
    }
}
