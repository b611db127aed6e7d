//! The keys that checkpoints are signed and checked with: Ed25519 (RFC 8032).

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use entail_json::Value;

use super::pem::{PRIVATE, PemError, private_key, public_key};
use crate::fault::{At, Faults};
use crate::fields::text;

/// A key that checkpoints are signed with. It is not shown by `Debug` and wiped when dropped.
pub struct CheckpointKey(SigningKey);

impl CheckpointKey {
    /// The key that follows from a secret of 32 random bytes.
    #[must_use]
    pub fn from_seed(seed: [u8; 32]) -> Self {
        Self(SigningKey::from_bytes(&seed))
    }

    /// Reads a key as `openssl genpkey -algorithm ed25519` writes it: PKCS#8 in PEM (RFC 8410).
    ///
    /// ```
    /// use entail_trace::CheckpointKey;
    ///
    /// let key = CheckpointKey::from_pem(
    ///     "-----BEGIN PRIVATE KEY-----\n\
    ///      MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
    ///      -----END PRIVATE KEY-----\n",
    /// )?;
    /// assert!(key.public_key().to_string().starts_with("19bf44096984cdfe"));
    /// # Ok::<(), entail_trace::PemError>(())
    /// ```
    ///
    /// # Errors
    /// [`PemError`] if it is anything else; the message shows nothing of the text.
    pub fn from_pem(text: &str) -> Result<Self, PemError> {
        private_key(text).map(Self::from_seed)
    }

    /// The key to check its signatures with.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey(Hex(self.0.verifying_key().to_bytes()))
    }

    pub(super) fn sign(&self, message: &[u8]) -> Signature {
        Signature(Hex(self.0.sign(message).to_bytes()))
    }
}

impl fmt::Debug for CheckpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckpointKey(of {})", self.public_key())
    }
}

/// The key that signatures are checked with: 64 lower-case hexadecimal digits, as a checkpoint
/// names it, or PEM, as `openssl pkey -pubout` writes it.
///
/// ```
/// use entail_trace::PublicKey;
///
/// let key: PublicKey = "-----BEGIN PUBLIC KEY-----\n\
///     MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
///     -----END PUBLIC KEY-----\n".parse()?;
/// assert_eq!(key.to_string().parse::<PublicKey>()?, key);
/// assert!("ab".parse::<PublicKey>().is_err());
/// # Ok::<(), entail_trace::PemError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublicKey(Hex<32>);

impl PublicKey {
    /// The key as `openssl pkey -pubout` writes it: a SubjectPublicKeyInfo in PEM (RFC 8410).
    #[must_use]
    pub fn to_pem(&self) -> String {
        super::pem::write_public_key(&self.0.0)
    }

    pub(super) fn has_signed(&self, message: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0.0);
        VerifyingKey::from_bytes(&self.0.0)
            .is_ok_and(|key| key.verify_strict(message, &signature).is_ok())
    }
}

impl FromStr for PublicKey {
    type Err = PemError;

    fn from_str(text: &str) -> Result<Self, PemError> {
        if let Some(digits) = Hex::parse(text.trim()) {
            return Ok(Self(digits));
        }
        public_key(text).map(|bytes| Self(Hex(bytes)))
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Signature(Hex<64>);

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A public key as a field of a record.
pub(super) fn key_field(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<PublicKey> {
    hex(value, at, faults).map(PublicKey)
}

/// A signature as a field of a record.
pub(super) fn signature_field(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Signature> {
    hex(value, at, faults).map(Signature)
}

fn hex<const N: usize>(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Hex<N>> {
    let read = Hex::parse(&text(value, at, faults)?);
    if read.is_none() {
        let digits = N.saturating_mul(2);
        faults.push(
            at,
            format!("must be {digits} lower-case hexadecimal digits"),
        );
    }
    read
}

/// Bytes in lower-case hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hex<const N: usize>([u8; N]);

impl<const N: usize> Hex<N> {
    fn parse(text: &str) -> Option<Self> {
        let nibble = |digit: u8| match digit {
            b'0'..=b'9' => digit.checked_sub(b'0'),
            b'a'..=b'f' => digit.checked_sub(b'a')?.checked_add(10),
            _ => None,
        };
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
            return None;
        };
        let mut bytes = [0; N];
        if pairs.len() != N {
            return None;
        }
        for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (nibble(*high)? << 4) | nibble(*low)?;
        }
        Some(Self(bytes))
    }
}

impl<const N: usize> fmt::Display for Hex<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Whether a text may hold a private key, so that it must not be shown.
///
/// ```
/// assert!(entail_trace::may_hold_private_key("-----BEGIN PRIVATE KEY-----\nMC4C…"));
/// assert!(!entail_trace::may_hold_private_key("/run/secrets/entail.pem"));
/// ```
#[must_use]
pub fn may_hold_private_key(text: &str) -> bool {
    text.contains(PRIVATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_of_rfc_8032() {
        // RFC 8032, section 7.1, test 1: the secret key and its public key.
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let key = CheckpointKey::from_seed(Hex::<32>::parse(seed).unwrap().0);
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(key.public_key().to_string(), public);
        assert!(!format!("{key:?}").contains(seed));
    }

    #[test]
    fn a_public_key_is_read_from_pem_and_from_hexadecimal() {
        let key = CheckpointKey::from_seed([3; 32]).public_key();
        let pem = key.to_pem();
        assert_eq!(pem.parse::<PublicKey>().unwrap(), key);
        assert_eq!(format!("{key}\n").parse::<PublicKey>().unwrap(), key);
    }
}
