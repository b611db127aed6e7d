//! A certificate for a private server, made by `openssl`.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::programs::run;

/// Where the parts of a server's identity lie.
pub(crate) struct Identity {
    /// The certificate of the authority that signed the server's.
    pub(crate) authority: PathBuf,
    /// The server's certificate, for 127.0.0.1.
    pub(crate) certificate: PathBuf,
    /// Its key, which its user alone can read.
    pub(crate) key: PathBuf,
}

/// Makes an authority and a certificate for 127.0.0.1 in a directory.
pub(crate) fn identity(directory: &Path, owner: Option<(u32, u32)>) -> Result<Identity, Error> {
    const KEY: [&str; 5] = [
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ];
    let openssl = |arguments: &[&str]| {
        let mut openssl = Command::new("openssl");
        run(openssl.current_dir(directory).args(arguments))
    };
    let requested = |arguments: &[&str]| openssl(&[&["req"], &KEY[..], arguments].concat());
    requested(&[
        "-x509",
        "-keyout",
        "ca.key",
        "-out",
        "ca.crt",
        "-days",
        "2",
        "-subj",
        "/CN=authority",
    ])?;
    requested(&[
        "-keyout",
        "server.key",
        "-out",
        "server.csr",
        "-subj",
        "/CN=127.0.0.1",
    ])?;
    fs::write(
        directory.join("server.ext"),
        "subjectAltName=IP:127.0.0.1\n",
    )
    .map_err(Error::io("writing a certificate's extensions"))?;
    openssl(&[
        "x509",
        "-req",
        "-in",
        "server.csr",
        "-CA",
        "ca.crt",
        "-CAkey",
        "ca.key",
        "-CAcreateserial",
        "-out",
        "server.crt",
        "-days",
        "2",
        "-extfile",
        "server.ext",
    ])?;
    let identity = Identity {
        authority: directory.join("ca.crt"),
        certificate: directory.join("server.crt"),
        key: directory.join("server.key"),
    };
    let own = |(user, group)| chown(&identity.key, Some(user), Some(group));
    fs::set_permissions(&identity.key, Permissions::from_mode(0o600))
        .and_then(|()| owner.map_or(Ok(()), own))
        .and_then(|()| fs::set_permissions(&identity.certificate, Permissions::from_mode(0o644)))
        .map_err(Error::io("protecting a key"))?;
    Ok(identity)
}
