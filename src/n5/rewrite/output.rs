//! Whose the folder of the output is. The document of its group, `zarr.json`, says so: a run
//! creates it with its settings before it writes anything else, and only if there is none.

use std::collections::BTreeSet;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Map, Value, json};
use zarrs::array::ArrayMetadata;

use super::aside::{create_document, is_aside_of, remove_asides, write_document};
use super::by_hand::with_corrections;
use super::error::RewriteError;
use super::file::{is_same_folder, names, read_document};
use super::foreign::with_foreign;
use super::metadata::{claim_of, set_settings, settings_in};
use super::settings::{self, VERSION, source_in};
use crate::n5::node::ZARR_JSON;

/// How often a document is read again that another process seems to be writing, and after how long.
const READS: (usize, Duration) = (20, Duration::from_millis(50));

/// Checks that the folder `out` is new, empty, or of a run with these settings, whose source
/// may be at another place if it `is_moved`. Returns the document of its group if there is one.
pub(super) fn check(
    out: &Path,
    expected: &Map<String, Value>,
    is_moved: bool,
) -> Result<Option<Value>, RewriteError> {
    if out.as_os_str().is_empty() {
        return Err(RewriteError::NoOutput);
    }
    if out.is_file() {
        return Err(RewriteError::NotAFolder {
            path: out.to_owned(),
        });
    }
    // Before the document is looked for: what a run writes later than it is not taken for somebody
    // else's.
    let names = names(out)?;
    if let Some(document) = group(out)? {
        let found = settings_in(&document)
            .ok_or_else(|| not_ours(out, format!("`{ZARR_JSON}` without the record of a run")))?;
        if found.get(VERSION) != expected.get(VERSION) {
            let found = format!("`{ZARR_JSON}` with a record of another version of this crate");
            return Err(not_ours(out, found));
        }
        settings::check(out, found, expected, |found, expected| {
            is_moved || found == expected || is_same_folder(found, expected)
        })?;
        return Ok(Some(document));
    }
    // A run that was killed before it had created the document.
    let foreign = names.iter().find(|name| !is_aside_of(name, ZARR_JSON));
    match foreign {
        Some(name) => Err(not_ours(out, format!("`{name}` and no `{ZARR_JSON}`"))),
        None => Ok(None),
    }
}

/// Makes the folder `out` that of a run with these settings, or checks that it is.
pub(super) fn claim(
    out: &Path,
    settings: &Map<String, Value>,
    is_moved: bool,
) -> Result<(), RewriteError> {
    let path = out.join(ZARR_JSON);
    if let Some(mut document) = check(out, settings, is_moved)? {
        let found = settings_in(&document).and_then(source_in);
        let source = source_in(settings);
        if source.is_some() && found != source && (is_moved || found.is_none()) {
            set_settings(&mut document, settings);
            write_document(&path, &pretty(&path, &document)?)?;
        }
        return Ok(());
    }
    if !create_document(&path, &pretty(&path, &claim_of(settings))?)? {
        // Another run was faster. It may have other settings.
        check(out, settings, is_moved)?;
    }
    Ok(())
}

/// What writing documents came to.
pub(super) struct Documents {
    /// How many files were removed that killed runs had left aside.
    pub(super) leftovers: u64,
    /// Whether the group has something that somebody has corrected.
    pub(super) is_corrected: bool,
}

/// Writes the documents of arrays, by their paths, and of the group.
pub(super) fn write<'a>(
    out: &Path,
    arrays: impl Iterator<Item = (&'a str, &'a ArrayMetadata)>,
    group: &Value,
) -> Result<Documents, RewriteError> {
    let mut folders = BTreeSet::from([out.to_owned()]);
    for (path, array) in arrays {
        let folder = out.join(path);
        update(&folder.join(ZARR_JSON), array)?;
        folders.insert(folder);
        // Groups between the output and its arrays.
        let mut folder = out.to_owned();
        for name in path
            .rsplit_once('/')
            .iter()
            .flat_map(|(above, _)| above.split('/'))
        {
            folder.push(name);
            let group = json!({"zarr_format": 3, "node_type": "group"});
            update(&folder.join(ZARR_JSON), &group)?;
            folders.insert(folder.clone());
        }
    }
    let path = out.join(ZARR_JSON);
    let found = parsed(&path)?.unwrap_or_default();
    let (group, is_corrected) = with_corrections(&found, group);
    update(&path, &group)?;
    // Not before: all documents are there that another run may have aside now.
    let mut leftovers: u64 = 0;
    for folder in folders {
        leftovers = leftovers.saturating_add(remove_asides(&folder, ZARR_JSON)?);
    }
    Ok(Documents {
        leftovers,
        is_corrected,
    })
}

/// Writes a document of the output, unless the one that is there says all of it. What others have
/// added to that is kept.
fn update(path: &Path, document: &impl serde::Serialize) -> Result<(), RewriteError> {
    let ours = pretty(path, document)?;
    let (Some(found), Ok(parsed)) = (parsed(path)?, serde_json::from_slice(&ours)) else {
        return write_document(path, &ours);
    };
    let joined = with_foreign(&found, &parsed);
    if joined == found {
        return Ok(());
    }
    write_document(path, &pretty(path, &joined)?)
}

/// A document that is there, if it is one.
fn parsed(path: &Path) -> Result<Option<Value>, RewriteError> {
    let found = read_document(path)?;
    Ok(found.and_then(|found| serde_json::from_slice(&found).ok()))
}

/// A document as it is written.
fn pretty(path: &Path, document: &impl serde::Serialize) -> Result<Vec<u8>, RewriteError> {
    serde_json::to_vec_pretty(document).map_err(|source| RewriteError::Document {
        path: path.display().to_string(),
        source,
    })
}

/// The document of the group, if it is there.
fn group(out: &Path) -> Result<Option<Value>, RewriteError> {
    let (mut tries, wait) = READS;
    loop {
        let Some(document) = read_document(&out.join(ZARR_JSON))? else {
            return Ok(None);
        };
        match serde_json::from_slice(&document) {
            Ok(document) => return Ok(Some(document)),
            // Where there are no hard links it may be seen while it is written.
            Err(error) if error.is_eof() && tries > 0 => {
                tries -= 1;
                sleep(wait);
            }
            Err(error) => {
                let found = format!("`{ZARR_JSON}` that is not JSON ({error})");
                return Err(not_ours(out, found));
            }
        }
    }
}

fn not_ours(out: &Path, found: String) -> RewriteError {
    RewriteError::NotOurs {
        folder: out.to_owned(),
        found,
    }
}
