//! Checkpoints: what a journal's head was, signed where there is a key.

use entail_json::{Digest, Value};

use super::key::{CheckpointKey, PublicKey, Signature, key_field, signature_field};
use crate::fault::{At, Faults};
use crate::fields::{Fields, digest, natural, text};
use crate::journal::Timestamp;
use crate::record::Record;
use crate::record::sealed::Plumbing;
use crate::sink::{Sink, TextSink};

/// The format of a checkpoint.
const FORMAT: u64 = 1;

/// What a signature is of: this, then the checkpoint without its signature.
const CONTEXT: &[u8] = b"entail checkpoint v1\n";

/// Where a session's journal stood, and the digests of what was made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointContent {
    /// The session.
    pub session_id: String,
    /// The last entry of the journal.
    pub seq: u64,
    /// Its hash.
    pub chain_head: Digest,
    /// When it was committed.
    pub created_at: Timestamp,
    /// The digest of the bundle's `manifest.json`, in a bundle.
    pub manifest_sha256: Option<Digest>,
}

/// A checkpoint, signed or not.
///
/// ```
/// use entail_json::Digest;
/// use entail_trace::{Checkpoint, CheckpointContent, CheckpointKey, journal::Timestamp};
///
/// let key = CheckpointKey::from_seed([7; 32]);
/// let content = CheckpointContent {
///     session_id: "0190a6f0-0000-7000-8000-000000000000".to_owned(),
///     seq: 3,
///     chain_head: Digest::ZERO,
///     created_at: Timestamp::EPOCH,
///     manifest_sha256: None,
/// };
/// let checkpoint = Checkpoint::signed(content, &key);
/// assert!(checkpoint.verify(Some(&key.public_key())).is_ok());
///
/// let other = CheckpointKey::from_seed([8; 32]).public_key();
/// assert!(checkpoint.verify(Some(&other)).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    content: CheckpointContent,
    seal: Option<Seal>,
}

/// A signature and the key it is said to be of.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seal {
    public_key: PublicKey,
    signature: Signature,
}

/// What a checkpoint's signature shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It is signed by the key that was expected.
    Signed,
    /// It is signed by the key that it names itself; whose that is was not said.
    SelfSigned,
    /// It is not signed, and no signature was expected.
    Unsigned,
}

/// A checkpoint whose signature does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// There is none, although a key was given.
    #[error("the checkpoint is not signed, although a key was given to check it against")]
    Missing,
    /// It is of another key.
    #[error("the checkpoint is signed by another key than the one given")]
    OtherKey,
    /// It is not a signature of this checkpoint.
    #[error("the checkpoint's signature does not hold")]
    Invalid,
}

impl Checkpoint {
    /// A checkpoint without a signature.
    #[must_use]
    pub fn unsigned(content: CheckpointContent) -> Self {
        Self {
            content,
            seal: None,
        }
    }

    /// A checkpoint signed with Ed25519 (RFC 8032).
    #[must_use]
    pub fn signed(content: CheckpointContent, key: &CheckpointKey) -> Self {
        let public_key = key.public_key();
        let signature = key.sign(&message(&content, &public_key));
        Self {
            content,
            seal: Some(Seal {
                public_key,
                signature,
            }),
        }
    }

    /// What it says.
    #[must_use]
    pub fn content(&self) -> &CheckpointContent {
        &self.content
    }

    /// The key that it says it is signed by, if it is signed.
    #[must_use]
    pub fn public_key(&self) -> Option<&PublicKey> {
        self.seal.as_ref().map(|seal| &seal.public_key)
    }

    /// Checks the signature; where no key is given, against the key that it names itself.
    ///
    /// # Errors
    /// [`SignatureError`] if the signature is missing, of another key, or does not hold.
    pub fn verify(&self, expected: Option<&PublicKey>) -> Result<Trust, SignatureError> {
        let Some(seal) = &self.seal else {
            return match expected {
                Some(_) => Err(SignatureError::Missing),
                None => Ok(Trust::Unsigned),
            };
        };
        if expected.is_some_and(|expected| *expected != seal.public_key) {
            return Err(SignatureError::OtherKey);
        }
        let message = message(&self.content, &seal.public_key);
        if !seal.public_key.has_signed(&message, &seal.signature) {
            return Err(SignatureError::Invalid);
        }
        Ok(if expected.is_some() {
            Trust::Signed
        } else {
            Trust::SelfSigned
        })
    }
}

fn message(content: &CheckpointContent, public_key: &PublicKey) -> Vec<u8> {
    let mut text = String::new();
    let mut sink = TextSink::new(&mut text);
    sink.open();
    write_members(content, Some(public_key), &mut sink);
    sink.close();
    [CONTEXT, text.as_bytes()].concat()
}

fn write_members<S: Sink>(content: &CheckpointContent, key: Option<&PublicKey>, sink: &mut S) {
    sink.text_member("chain_head", &content.chain_head.to_string());
    sink.text_member("created_at", &content.created_at.to_string());
    sink.name("manifest_sha256");
    sink.optional_text(
        content
            .manifest_sha256
            .map(|digest| digest.to_string())
            .as_deref(),
    );
    sink.name("public_key");
    sink.optional_text(key.map(ToString::to_string).as_deref());
    sink.name("seq");
    sink.integer(content.seq);
    sink.text_member("session_id", &content.session_id);
    if key.is_none() {
        sink.name("signature");
        sink.value(&Value::Null);
    }
}

impl Plumbing for Checkpoint {
    fn parse(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Self> {
        let mut fields = Fields::open(value, at, faults)?;
        let version = fields.required(&["v"], natural);
        if let Some(version) = version.filter(|version| *version != FORMAT) {
            fields.fault(
                "v",
                format!("`{version}` is no checkpoint format known here: use 1"),
            );
        }
        let session_id = fields.required(&["session_id"], text);
        let seq = fields.required(&["seq"], natural);
        let chain_head = fields.required(&["chain_head"], digest);
        let created_at = fields.required(&["created_at"], timestamp);
        let manifest = fields.nullable("manifest_sha256", digest);
        let public_key = fields.nullable("public_key", key_field);
        let signature = fields.nullable("signature", signature_field);
        let seal = match (public_key?, signature?) {
            (Some(public_key), Some(signature)) => Some(Seal {
                public_key,
                signature,
            }),
            (None, None) => None,
            _ => {
                fields.fault(
                    "signature",
                    "and `public_key` go together: give both or neither",
                );
                None
            }
        };
        fields.close();
        let content = CheckpointContent {
            session_id: session_id?,
            seq: seq?,
            chain_head: chain_head?,
            created_at: created_at?,
            manifest_sha256: manifest?,
        };
        Some(Self { content, seal })
    }

    fn emit<S: Sink>(&self, sink: &mut S) {
        sink.open();
        write_members(&self.content, self.public_key(), sink);
        if let Some(seal) = &self.seal {
            sink.text_member("signature", &seal.signature.to_string());
        }
        sink.name("v");
        sink.integer(FORMAT);
        sink.close();
    }
}

impl Record for Checkpoint {
    const NAME: &'static str = "Checkpoint";
}

pub(super) fn timestamp(value: Value, at: &At<'_>, faults: &mut Faults) -> Option<Timestamp> {
    match Timestamp::parse_exact(&text(value, at, faults)?) {
        Ok(time) => Some(time),
        Err(error) => {
            faults.push(at, error.to_string());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content() -> CheckpointContent {
        CheckpointContent {
            session_id: "s".into(),
            seq: 9,
            chain_head: entail_json::sha256(b"head"),
            created_at: Timestamp::EPOCH,
            manifest_sha256: Some(entail_json::sha256(b"manifest")),
        }
    }

    #[test]
    fn a_checkpoint_reads_back_signed_or_not() {
        let key = CheckpointKey::from_seed([1; 32]);
        for checkpoint in [
            Checkpoint::unsigned(content()),
            Checkpoint::signed(content(), &key),
        ] {
            let text = checkpoint.to_canonical();
            assert_eq!(Checkpoint::from_json(text.as_bytes()).unwrap(), checkpoint);
            assert_eq!(entail_json::to_canonical(&checkpoint.to_value()), text);
        }
    }

    #[test]
    fn every_change_to_a_signed_checkpoint_breaks_its_signature_or_its_form() {
        let key = CheckpointKey::from_seed([1; 32]);
        let signed = Checkpoint::signed(content(), &key).to_canonical();
        assert!(
            Checkpoint::from_json(signed.as_bytes())
                .unwrap()
                .verify(None)
                .is_ok()
        );
        let mut caught = 0;
        for at in 0..signed.len() {
            let mut bytes = signed.clone().into_bytes();
            bytes[at] ^= 1;
            let holds = Checkpoint::from_json(&bytes).is_ok_and(|read| read.verify(None).is_ok());
            caught += usize::from(!holds);
        }
        assert_eq!(caught, signed.len());
    }

    #[test]
    fn a_signature_taken_away_is_missed_when_a_key_is_given() {
        let key = CheckpointKey::from_seed([1; 32]).public_key();
        let unsigned = Checkpoint::unsigned(content());
        assert_eq!(unsigned.verify(None), Ok(Trust::Unsigned));
        assert_eq!(unsigned.verify(Some(&key)), Err(SignatureError::Missing));
    }
}
