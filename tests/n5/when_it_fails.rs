//! The messages that README's "When it fails" explains are those that there are.

use std::sync::Arc;

use zarrs::array::Array;
use zarrs::array::codec::api::Codec;
use zarrs::filesystem::FilesystemStore;
use zarrs::metadata::v3::MetadataV3;
use zarrs_interop::n5::{self, ImplicitGroupStore, N5DefaultStore};
use zarrs_storage::store::MemoryStore;
use zarrs_storage::{StoreKey, WritableStorageTraits};

/// The messages of the table, without their backticks; `…` stands for any text.
fn explained() -> Vec<String> {
    let rows = include_str!("../../docs/when_it_fails.md").lines().skip(2);
    let cells = rows.map(|row| row.trim_start_matches('|').split(" | ").next().unwrap());
    cells
        .map(|cell| cell.trim().trim_matches('`').replace("\\|", "|"))
        .collect()
}

fn is_like(message: &str, text: &str) -> bool {
    let mut rest = text;
    message.split('…').all(|part| match rest.find(part.trim()) {
        Some(at) => {
            rest = &rest[at + part.trim().len()..];
            true
        }
        None => false,
    })
}

fn demo() -> FilesystemStore {
    let root = env!("CARGO_MANIFEST_DIR");
    FilesystemStore::new(format!("{root}/examples/data/n5_demo/volume.n5")).unwrap()
}

fn opened<T, E: ToString>(result: Result<T, E>) -> String {
    match result {
        Ok(_) => panic!("that opens"),
        Err(error) => error.to_string(),
    }
}

/// A store of one dataset `/raw` with the given compression, and a block that is none.
fn broken(compression: &str) -> MemoryStore {
    let store = MemoryStore::new();
    let document = format!(
        r#"{{"dimensions":[4,4],"blockSize":[4,4],"dataType":"uint8","compression":{compression}}}"#
    );
    let key = |key| StoreKey::new(key).unwrap();
    store
        .set(&key("raw/attributes.json"), document.into())
        .unwrap();
    let block = b"\0\0\0\x02\0\0\0\x04\0\0\0\x04no frame of lz4-java at all";
    store.set(&key("raw/0/0"), block.to_vec().into()).unwrap();
    store
}

/// What is said of a dataset on a server that refuses every request.
#[cfg(feature = "object_store")]
fn forbidden() -> String {
    use std::io::{Read, Write};

    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/volume.n5", server.local_addr().unwrap());
    // Ends with the program.
    std::thread::spawn(move || {
        for client in server.incoming() {
            let mut client = client.unwrap();
            let _request = client.read(&mut [0; 4096]);
            let answer = "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
            let _sent = client.write_all(answer.as_bytes());
        }
    });
    let store = n5::open_url(&url, &n5::UrlOptions::new()).unwrap();
    opened(n5::open_array(store, "em/s0"))
}

/// What goes wrong, and what is said of it, in the order of the table.
fn messages() -> Vec<(&'static str, String)> {
    let array = n5::open_array(broken(r#"{"type":"raw"}"#), "/raw").unwrap();
    let lz4 = n5::open_array(broken(r#"{"type":"lz4","level":6}"#), "/raw").unwrap();
    let unknown = MetadataV3::new("n5_default.not_registered");
    let codec = Codec::from_metadata(&unknown);
    let groups = |path: &str| {
        let store = Arc::new(ImplicitGroupStore::new(N5DefaultStore::new(demo())));
        opened(Array::open(store, path))
    };
    vec![
        #[cfg(feature = "object_store")]
        ("403", forbidden()),
        (
            "adapter forgotten",
            opened(Array::open(Arc::new(demo()), "/volumes/raw/s0")),
        ),
        ("group, by zarrs", groups("/volumes/raw")),
        (
            "folder",
            opened(n5::open_array(
                FilesystemStore::new("/no/such").unwrap(),
                "/s0",
            )),
        ),
        ("path", opened(n5::open_array(demo(), "/volumes/raw/s9"))),
        ("group", opened(n5::open_array(demo(), "/volumes/raw"))),
        ("codec", opened(codec).replace(".not_registered", "")),
        ("corrupt", opened(array.retrieve_chunk::<Vec<u8>>(&[0, 0]))),
        ("lz4", opened(lz4.retrieve_chunk::<Vec<u8>>(&[0, 0]))),
        (
            "lz4 blockSize",
            opened(n5::open_array(
                broken(r#"{"type":"lz4","blockSize":6}"#),
                "/raw",
            )),
        ),
        (
            "compression",
            opened(n5::open_array(broken(r#"{"type":"jpeg"}"#), "/raw")),
        ),
    ]
}

#[test]
fn every_message_that_is_explained_is_one_that_there_is() {
    let messages = messages();
    let explained = explained();
    assert!(explained.len() >= 8, "{explained:?}");
    for message in explained {
        // Servers are there with this feature only.
        if message.contains("HTTP") && !cfg!(feature = "object_store") {
            continue;
        }
        let parts = message.split('…').map(|part| part.trim().len());
        assert!(parts.sum::<usize>() > 15, "{message}: says too little");
        assert!(
            messages.iter().any(|(_, text)| is_like(&message, text)),
            "no error says {message:?}, but {messages:#?}"
        );
    }
}

#[test]
fn every_failure_is_explained() {
    let explained = explained();
    let mut messages = messages();
    messages.retain(|(_, text)| !explained.iter().any(|message| is_like(message, text)));
    assert!(messages.is_empty(), "{messages:#?}");
}
