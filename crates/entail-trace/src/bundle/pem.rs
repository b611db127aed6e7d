//! Ed25519 keys in PEM (RFC 7468), as RFC 8410 lays them out.

use std::fmt::Write as _;

/// What the first line of a private key ends with, of whatever form.
pub(super) const PRIVATE: &str = "PRIVATE KEY-----";

/// What stands before the 32 bytes of a private key: a PKCS#8 PrivateKeyInfo of version 0, the
/// algorithm 1.3.101.112, and an octet string in an octet string.
const PRIVATE_PREFIX: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// What stands before the 32 bytes of a public key: a SubjectPublicKeyInfo with that algorithm
/// and a bit string.
const PUBLIC_PREFIX: [u8; 12] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
];

/// Text that is no key. Nothing of the text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PemError {
    /// There is no private key in it.
    #[error(
        "it holds no `BEGIN PRIVATE KEY`; make a key with `openssl genpkey -algorithm ed25519`"
    )]
    NoPrivateKey,
    /// The private key is encrypted.
    #[error("its key is encrypted; write it without a passphrase with `openssl pkey`")]
    Encrypted,
    /// There is a public key where the private one is needed.
    #[error("it holds a public key; the private one is what signs")]
    PublicGiven,
    /// There is no public key in it.
    #[error(
        "it is no ed25519 public key: neither 64 lower-case hexadecimal digits nor a \
         `BEGIN PUBLIC KEY` as `openssl pkey -pubout` writes it"
    )]
    NoPublicKey,
    /// There is a private key where the public one is needed.
    #[error(
        "it holds a private key; keep that where it signs, and give the public key that \
         `openssl pkey -pubout` makes of it"
    )]
    PrivateGiven,
    /// What stands between the lines is not base64, or does not end.
    #[error("its `BEGIN` line has no base64 and `END` line that belong to it")]
    Malformed,
    /// It is the key of another algorithm.
    #[error("its key is not an ed25519 one; `openssl genpkey -algorithm ed25519` makes one")]
    OtherAlgorithm,
}

/// The secret of a private key.
pub(super) fn private_key(text: &str) -> Result<[u8; 32], PemError> {
    match block(text, "PRIVATE KEY")? {
        Some(der) => after(&PRIVATE_PREFIX, &der),
        None if text.contains("BEGIN ENCRYPTED PRIVATE KEY") => Err(PemError::Encrypted),
        None if text.contains("BEGIN PUBLIC KEY") => Err(PemError::PublicGiven),
        None => Err(PemError::NoPrivateKey),
    }
}

/// The bytes of a public key.
pub(super) fn public_key(text: &str) -> Result<[u8; 32], PemError> {
    if text.contains(PRIVATE) {
        return Err(PemError::PrivateGiven);
    }
    match block(text, "PUBLIC KEY")? {
        Some(der) => after(&PUBLIC_PREFIX, &der),
        None => Err(PemError::NoPublicKey),
    }
}

/// A public key in PEM.
pub(super) fn write_public_key(key: &[u8; 32]) -> String {
    let mut text = String::from("-----BEGIN PUBLIC KEY-----\n");
    let der = [&PUBLIC_PREFIX[..], key].concat();
    // 44 bytes are 59 characters and one `=`: a single line.
    write_base64(&der, &mut text);
    text.push_str("\n-----END PUBLIC KEY-----\n");
    text
}

fn after(prefix: &[u8], der: &[u8]) -> Result<[u8; 32], PemError> {
    let key = der.strip_prefix(prefix);
    key.and_then(|key| key.try_into().ok())
        .ok_or(PemError::OtherAlgorithm)
}

/// The bytes between the first `BEGIN` line with that label and its `END` line.
fn block(text: &str, label: &str) -> Result<Option<Vec<u8>>, PemError> {
    let Some((_, rest)) = text.split_once(&format!("-----BEGIN {label}-----")) else {
        return Ok(None);
    };
    let (body, _) = rest
        .split_once(&format!("-----END {label}-----"))
        .ok_or(PemError::Malformed)?;
    read_base64(body).map(Some).ok_or(PemError::Malformed)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Reads padded base64 (RFC 4648, section 4) with white space anywhere.
fn read_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text
        .bytes()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();
    let (groups, []) = digits.as_chunks::<4>() else {
        return None;
    };
    let mut bytes = Vec::with_capacity(groups.len().saturating_mul(3));
    for (number, group) in groups.iter().enumerate() {
        let is_last = number.saturating_add(1) == groups.len();
        let padding = group
            .iter()
            .rev()
            .take_while(|digit| **digit == b'=')
            .count();
        if padding > 2 || (padding > 0 && !is_last) {
            return None;
        }
        let mut word = 0_u32;
        for (place, digit) in group.iter().enumerate() {
            let is_padding = place.saturating_add(padding) >= group.len();
            let six = match DIGITS.iter().position(|known| known == digit) {
                Some(six) => u32::try_from(six).ok()?,
                None if is_padding => 0,
                None => return None,
            };
            word = (word << 6) | six;
        }
        let [_, first, second, third] = word.to_be_bytes();
        let kept = 3_usize.saturating_sub(padding);
        bytes.extend([first, second, third].into_iter().take(kept));
    }
    Some(bytes)
}

fn write_base64(bytes: &[u8], out: &mut String) {
    for group in bytes.chunks(3) {
        let mut three = [0; 3];
        three
            .iter_mut()
            .zip(group)
            .for_each(|(to, from)| *to = *from);
        let [first, second, third] = three;
        let word = u32::from_be_bytes([0, first, second, third]);
        for place in 0..4_usize {
            let shift = 18_usize.saturating_sub(place.saturating_mul(6));
            let six = usize::try_from((word >> shift) & 63).unwrap_or_default();
            let digit = match DIGITS.get(six) {
                Some(digit) if place <= group.len() => char::from(*digit),
                _ => '=',
            };
            let _ = out.write_char(digit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 8410, section 10.3 and 10.1.
    const SECRET: &str = "-----BEGIN PRIVATE KEY-----\n\
        MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n\
        -----END PRIVATE KEY-----\n";
    const SHOWN: &str = "-----BEGIN PUBLIC KEY-----\n\
        MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
        -----END PUBLIC KEY-----\n";

    #[test]
    fn the_keys_of_rfc_8410_are_read_and_written() {
        let secret = private_key(SECRET).unwrap();
        assert_eq!(secret[..4], [0xd4, 0xee, 0x72, 0xdb]);
        let shown = public_key(SHOWN).unwrap();
        assert_eq!(shown[..4], [0x19, 0xbf, 0x44, 0x09]);
        assert_eq!(write_public_key(&shown), SHOWN);
    }

    #[test]
    fn line_ends_and_text_around_a_key_do_not_matter() {
        let around = format!("Subject: x\r\n{}y", SHOWN.replace('\n', "\r\n"));
        assert_eq!(public_key(&around), public_key(SHOWN));
    }

    #[test]
    fn whatever_is_no_key_of_ours_is_refused_with_what_it_is() {
        let cut = SECRET.replace("-----END PRIVATE KEY-----", "");
        let longer = SECRET.replace("dVhC", "dVhCAAAA");
        let p256 = SECRET.replace("MC4CAQAwBQYDK2VwBCIEI", "MC4CAQAwBQYDK2VuBCIEI");
        for (text, error) in [
            ("", PemError::NoPrivateKey),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\n",
                PemError::NoPrivateKey,
            ),
            (
                "-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
                PemError::Encrypted,
            ),
            (SHOWN, PemError::PublicGiven),
            (&cut, PemError::Malformed),
            (&SECRET.replace("MC4C", "MC4="), PemError::Malformed),
            (&SECRET.replace("MC4C", "MC4"), PemError::Malformed),
            (&longer, PemError::OtherAlgorithm),
            (&p256, PemError::OtherAlgorithm),
        ] {
            assert_eq!(private_key(text), Err(error), "{text}");
        }
        for (text, error) in [
            ("", PemError::NoPublicKey),
            (SECRET, PemError::PrivateGiven),
            (&SHOWN.replace("K2Vw", "K2Vu"), PemError::OtherAlgorithm),
        ] {
            assert_eq!(public_key(text), Err(error), "{text}");
        }
    }

    #[test]
    fn base64_of_every_length_reads_back() {
        for length in 0..10_u8 {
            let bytes: Vec<u8> = (0..length).map(|n| n.wrapping_mul(71) ^ 0xa5).collect();
            let mut text = String::new();
            write_base64(&bytes, &mut text);
            assert_eq!(read_base64(&text), Some(bytes), "{text}");
        }
        for wrong in ["A", "AA=A", "====", "A===", "AB=C", "AB==AAAA", "A?AA"] {
            assert_eq!(read_base64(wrong), None, "{wrong}");
        }
    }
}
