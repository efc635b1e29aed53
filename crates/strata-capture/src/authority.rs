//! The certificate authority of the forward proxy: one for each data folder, trusted by nobody but the processes that are told
//! to. It is never put into a store of the system.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use thiserror::Error;

/// What it is called, wherever a certificate is shown.
const NAME: &str = "Strata capture (this computer only)";

/// It is made anew when it is older.
const AGE: Duration = Duration::from_hours(30 * 24);

/// Its own certificate; the certificates of this computer and its own; its key.
const CERTIFICATE: &str = "strata-capture-ca.pem";
const BUNDLE: &str = "strata-capture-ca-bundle.pem";
const KEY: &str = "strata-capture-ca-key.pem";

/// Where systems keep the certificates they trust.
const SYSTEM: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// Why there is no authority.
#[derive(Debug, Error)]
pub enum AuthorityError {
    #[error("{} cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("a certificate cannot be made: {0}")]
    Certificate(#[from] rcgen::Error),
    #[error("a certificate cannot be used: {0}")]
    Tls(#[from] rustls::Error),
}

/// Signs certificates of hosts.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    bundle: PathBuf,
}

impl Authority {
    /// The one in a folder; a new one where there is none, or where it is too old.
    pub fn in_folder(folder: &Path) -> Result<Self, AuthorityError> {
        let at = |error| AuthorityError::Write { path: folder.into(), error };
        fs::create_dir_all(folder).map_err(at)?;
        let (certificate, key) = (folder.join(CERTIFICATE), folder.join(KEY));
        let bundle = folder.join(BUNDLE);
        let known = is_fresh(&certificate).then(|| fs::read_to_string(&key).ok()).flatten();
        let known = known.and_then(|pem| KeyPair::from_pem(&pem).ok()).filter(|_| bundle.is_file());
        let key_pair = match known {
            Some(known) => known,
            None => {
                let new = KeyPair::generate()?;
                let signed = params(SystemTime::now()).self_signed(&new)?;
                write_private(&key, &new.serialize_pem())?;
                let system = SYSTEM.iter().find_map(|path| fs::read_to_string(path).ok()).unwrap_or_default();
                write_private(&bundle, &format!("{system}\n{}", signed.pem()))?;
                write_private(&certificate, &signed.pem())?;
                new
            }
        };
        Ok(Self { issuer: Issuer::new(params(SystemTime::now()), key_pair), bundle })
    }

    /// Takes the files of an authority away. False where there were none.
    pub fn remove(folder: &Path) -> io::Result<bool> {
        let mut was_there = false;
        for name in [CERTIFICATE, BUNDLE, KEY] {
            match fs::remove_file(folder.join(name)) {
                Ok(()) => was_there = true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(was_there)
    }

    /// A file with the certificates of this computer and that of this authority, for clients.
    pub fn bundle(&self) -> &Path {
        &self.bundle
    }

    /// How a host that is named so is spoken for.
    pub(crate) fn server(&self, host: &str) -> Result<Arc<ServerConfig>, AuthorityError> {
        let key = KeyPair::generate()?;
        let mut params = CertificateParams::new(vec![host.to_owned()])?;
        params.distinguished_name.push(DnType::CommonName, host);
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        let now = SystemTime::now();
        (params.not_before, params.not_after) = (yesterday(now).into(), (now + AGE).into());
        let certificate = params.signed_by(&key, &self.issuer)?;
        let private = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let mut config =
            ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()?
                .with_no_client_auth()
                .with_single_cert(vec![certificate.der().clone()], private)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    }
}

fn params(now: SystemTime) -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, NAME);
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    // What it signs on its last day is good for as long again.
    (params.not_before, params.not_after) = (yesterday(now).into(), (now + 2 * AGE).into());
    params
}

/// Clocks differ.
fn yesterday(now: SystemTime) -> SystemTime {
    now - Duration::from_hours(24)
}

fn is_fresh(certificate: &Path) -> bool {
    let made = fs::metadata(certificate).and_then(|metadata| metadata.modified());
    made.is_ok_and(|made| made.elapsed().is_ok_and(|age| age < AGE))
}

/// Writes a file that only its owner can read, and that is there whole or not at all.
fn write_private(path: &Path, text: &str) -> Result<(), AuthorityError> {
    let write = || {
        let new = path.with_extension("new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&new)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&new, path)
    };
    write().map_err(|error| AuthorityError::Write { path: path.into(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_authority_stays_the_same_until_it_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let key = || fs::read_to_string(folder.path().join(KEY)).unwrap();
        let bundle = Authority::in_folder(folder.path()).unwrap().bundle().to_owned();
        let first = key();
        assert!(fs::read_to_string(bundle).unwrap().contains("BEGIN CERTIFICATE"));
        Authority::in_folder(folder.path()).unwrap().server("api.example.com").unwrap();
        assert_eq!(key(), first);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(folder.path().join(KEY)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "the key is its owner's alone");
        }
        assert!(Authority::remove(folder.path()).unwrap());
        assert!(!Authority::remove(folder.path()).unwrap());
        Authority::in_folder(folder.path()).unwrap();
        assert_ne!(key(), first);
    }
}
