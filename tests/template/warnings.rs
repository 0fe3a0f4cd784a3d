//! The warning that a template can give several chunks one key.

use std::sync::{Mutex, Once};

use serde_json::json;
use zarrs_chunk_key_encoding::ChunkKeyEncoding;
use zarrs_interop::template::validate_chunk_key_encoding;
use zarrs_metadata::v3::MetadataV3;

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Collector;

impl log::Log for Collector {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        if record.level() == log::Level::Warn {
            LINES.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// The warnings about `format`, which is in one test only, that `action` logs.
fn warnings(format: &str, action: impl FnOnce(&MetadataV3)) -> Vec<String> {
    static COLLECT: Once = Once::new();
    COLLECT.call_once(|| {
        log::set_logger(&Collector).unwrap();
        log::set_max_level(log::LevelFilter::Warn);
    });
    let configuration = json!({"format": format, "separator": "0"});
    let metadata = json!({"name": "template", "configuration": configuration});
    action(&serde_json::from_value(metadata).unwrap());
    let lines = LINES.lock().unwrap();
    let about = |line: &&String| line.contains(&format!("`{format}`"));
    lines.iter().filter(about).cloned().collect()
}

#[test]
fn creating_an_ambiguous_encoding_warns_once() {
    let lines = warnings("warns_{0}{1}", |metadata| {
        ChunkKeyEncoding::from_metadata(metadata).unwrap();
    });
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert!(line.contains("writing one destroys another"), "{line}");
}

#[test]
fn creating_an_unambiguous_encoding_does_not_warn() {
    let lines = warnings("calm_{0}_{1}", |metadata| {
        ChunkKeyEncoding::from_metadata(metadata).unwrap();
    });
    assert!(lines.is_empty(), "{lines:?}");
}

/// Opening an array creates the encoding as well, which is when the warning is due.
#[test]
fn checking_metadata_does_not_warn() {
    let lines = warnings("checked_{0}{1}", |metadata| {
        validate_chunk_key_encoding(metadata, 2).unwrap();
    });
    assert!(lines.is_empty(), "{lines:?}");
}
