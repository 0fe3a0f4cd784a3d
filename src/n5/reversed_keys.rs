//! The keys of N5 blocks for arrays whose dimensions are N5's backwards, as
//! [`N5DefaultStore`](super::N5DefaultStore) shows them on request.
//!
//! The chunk (2, 1, 0) has the key `0/1/2`. The published way to say so is `template` with
//! `{2}/{1}/{0}`, which is a text to interpret for every key and a feature of its own.

use zarrs_chunk_key_encoding::{
    ChunkKeyEncoding, ChunkKeyEncodingPlugin, ChunkKeyEncodingRuntimePlugin,
    ChunkKeyEncodingTraits, register_chunk_key_encoding,
};
use zarrs_metadata::{Configuration, v3::MetadataV3};
use zarrs_plugin::{
    ExtensionAliases, PluginConfigurationInvalidError, PluginCreateError, ZarrVersion3,
};
use zarrs_storage::StoreKey;

/// The name of the chunk key encoding.
pub(crate) const NAME: &str = "zarrs_interop.n5_reversed_keys";

zarrs_plugin::impl_extension_aliases!(N5ReversedKeys, v3: "zarrs_interop.n5_reversed_keys");

inventory::submit! {
    ChunkKeyEncodingPlugin::new::<N5ReversedKeys>()
}

/// Registers the encoding in zarrs's run-time registry; the caller sees to it that this happens
/// once.
pub(super) fn register_runtime() {
    register_chunk_key_encoding(ChunkKeyEncodingRuntimePlugin::new(
        <N5ReversedKeys as ExtensionAliases<ZarrVersion3>>::matches_name,
        N5ReversedKeys::create,
    ));
}

/// The indices backwards, with `/` between them. It has no configuration.
#[derive(Clone, Copy, Debug)]
struct N5ReversedKeys;

impl ChunkKeyEncodingTraits for N5ReversedKeys {
    fn create(metadata: &MetadataV3) -> Result<ChunkKeyEncoding, PluginCreateError> {
        if metadata.configuration_is_none_or_empty() {
            return Ok(ChunkKeyEncoding::new(Self));
        }
        let text = format!("{NAME} has a configuration: expected none");
        Err(PluginConfigurationInvalidError::new(text).into())
    }

    fn configuration(&self) -> Configuration {
        Configuration::default()
    }

    fn encode(&self, chunk_grid_indices: &[u64]) -> StoreKey {
        let indices = chunk_grid_indices.iter().rev();
        let key = indices.map(u64::to_string).collect::<Vec<_>>().join("/");
        // Numbers with single slashes between them are a key; without dimensions it is the key that
        // zarrs gives with `v2`.
        StoreKey::new(if key.is_empty() { "0".to_owned() } else { key }).unwrap_or_else(|error| {
            unreachable!("numbers between slashes are a key: {error}");
        })
    }
}
