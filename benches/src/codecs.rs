//! The codecs that are compared, made from their metadata.

use std::num::NonZeroU64;
use std::sync::Arc;

use zarrs::array::codec::CodecChain;
use zarrs::array::codec::api::{
    ArrayToBytesCodecTraits, BytesToBytesCodecTraits, Codec, CodecOptions, CodecTraitsV3,
};
use zarrs::array::{DataType, FillValue};
use zarrs::metadata::v3::MetadataV3;
use zarrs_interop::n5::{N5DefaultCodec, N5DefaultCodecConfiguration};

use crate::data::{Element, Triple};

/// The compressions that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compressor {
    Raw,
    Gzip,
    Zstd,
    BloscLz4,
}

impl Compressor {
    pub const ALL: [Self; 4] = [Self::Raw, Self::Gzip, Self::Zstd, Self::BloscLz4];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Raw => "raw",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::BloscLz4 => "blosc-lz4",
        }
    }

    /// The zarr codec; none for raw.
    pub fn metadata(self, element: Element) -> Option<MetadataV3> {
        let json = match self {
            Self::Raw => return None,
            Self::Gzip => r#"{"name":"gzip","configuration":{"level":6}}"#.to_owned(),
            Self::Zstd => {
                r#"{"name":"zstd","configuration":{"level":3,"checksum":false}}"#.to_owned()
            }
            Self::BloscLz4 => format!(
                r#"{{"name":"blosc","configuration":{{"cname":"lz4","clevel":5,"shuffle":"shuffle",
                    "typesize":{},"blocksize":0}}}}"#,
                element.size()
            ),
        };
        Some(serde_json::from_str(&json).expect("the metadata above is JSON"))
    }

    /// zarrs's codec by itself; none for raw.
    pub fn codec(self, element: Element) -> Option<Arc<dyn BytesToBytesCodecTraits>> {
        match Codec::from_metadata(&self.metadata(element)?).expect("zarrs knows the codec") {
            Codec::BytesToBytes(codec) => Some(codec),
            other => panic!("not a bytes to bytes codec: {other:?}"),
        }
    }
}

fn inner_codecs(element: Element, compressor: Compressor) -> Vec<MetadataV3> {
    N5DefaultCodecConfiguration::new(3, compressor.metadata(element)).codecs
}

/// Ours.
pub fn ours(element: Element, compressor: Compressor) -> Arc<dyn ArrayToBytesCodecTraits> {
    let codecs = serde_json::to_value(inner_codecs(element, compressor))
        .expect("metadata can be written as JSON");
    let configuration = serde_json::Map::from_iter([("codecs".to_owned(), codecs)]);
    let metadata = MetadataV3::new_with_configuration("n5_default", configuration);
    match N5DefaultCodec::create(&metadata).expect("the configuration is right") {
        Codec::ArrayToBytes(codec) => codec,
        other => panic!("not an array to bytes codec: {other:?}"),
    }
}

/// zarrs's `transpose`, `bytes` and compressor, for a payload without its header.
pub fn plain_chain(element: Element, compressor: Compressor) -> Arc<dyn ArrayToBytesCodecTraits> {
    let chain = CodecChain::from_metadata(&inner_codecs(element, compressor));
    Arc::new(chain.expect("zarrs knows the codecs"))
}

/// The JSON of the same codecs, for a zarr.json.
pub fn plain_chain_json(element: Element, compressor: Compressor) -> String {
    serde_json::to_string(&inner_codecs(element, compressor))
        .expect("metadata can be written as JSON")
}

pub fn data_type(element: Element) -> DataType {
    DataType::from_metadata(&MetadataV3::new(element.name())).expect("zarrs knows the data type")
}

pub fn fill_value(element: Element) -> FillValue {
    FillValue::new(vec![0; element.size()])
}

pub fn chunk_shape(shape: Triple) -> Vec<NonZeroU64> {
    shape
        .iter()
        .map(|&size| NonZeroU64::new(size as u64).expect("no benchmark has an empty chunk"))
        .collect()
}

/// For one thread.
pub fn options() -> CodecOptions {
    CodecOptions::default().with_concurrent_target(1)
}
