//! What arrays can be read: those of N5 blocks and nothing else.

use zarrs::array::Array;
use zarrs::array::chunk_grid::{RegularBoundedChunkGrid, RegularChunkGrid};
use zarrs_codec::{ArrayToArrayCodecTraits, CodecMetadataOptions, CodecTraits};
use zarrs_plugin::{ExtensionAliases, ZarrVersion, ZarrVersion3};

use super::error::RegionError;
use super::layout::BlockGrid;
use crate::n5::codec::{N5DefaultCodec, N5ReversedCodec};
use crate::n5::dimension_order::DimensionOrder;
use crate::n5::members::whole_numbers;

/// The codec of an array with N5's order of the dimensions, and the order that the array has.
pub(super) fn n5_codec<TStorage: ?Sized>(
    array: &Array<TStorage>,
) -> Result<(N5DefaultCodec, DimensionOrder), RegionError> {
    let path = || array.path().as_str().to_owned();
    let transformers = array.storage_transformers().create_metadatas();
    if let Some(transformer) = transformers.first() {
        return Err(RegionError::StorageTransformer {
            array: path(),
            found: transformer.name().to_owned(),
        });
    }
    let codecs = array.codecs();
    let codec = &**codecs.array_to_bytes_codec();
    let reversed = codec.as_any().downcast_ref::<N5ReversedCodec>();
    let as_stored = codec.as_any().downcast_ref::<N5DefaultCodec>();
    let found = match (reversed, as_stored) {
        (Some(codec), _) => (codec.as_stored(), DimensionOrder::Reversed),
        (None, Some(codec)) => (codec.clone(), DimensionOrder::AsStored),
        (None, None) => {
            return Err(RegionError::Codec {
                array: path(),
                found: name(codec),
            });
        }
    };
    let mut before = codecs.array_to_array_codecs();
    let mut found = found;
    if let ([codec], (_, order @ DimensionOrder::AsStored)) = (before, &mut found)
        && is_reversing(&**codec, array.shape().len())
    {
        *order = DimensionOrder::Reversed;
        before = &[];
    }
    let before = before.first();
    let behind = codecs.bytes_to_bytes_codecs().first();
    let other = before.map(|codec| name(&**codec));
    if let Some(found) = other.or_else(|| behind.map(|codec| name(&**codec))) {
        return Err(RegionError::OtherCodec {
            array: path(),
            found,
        });
    }
    Ok(found)
}

/// Whether a codec reverses all dimensions, as conversion in place writes it for a reversed order.
fn is_reversing(codec: &dyn ArrayToArrayCodecTraits, dimensionality: usize) -> bool {
    let options = CodecMetadataOptions::default();
    let order = codec
        .configuration_v3(&options)
        .and_then(|configuration| whole_numbers::<u64>(configuration.get("order")?));
    let Some(order) = order else {
        return false;
    };
    name(codec) == "transpose" && order.into_iter().eq((0..dimensionality as u64).rev())
}

/// The name of a codec.
fn name(codec: &(impl CodecTraits + ?Sized)) -> String {
    let name = codec.name(ZarrVersion::V3);
    name.map_or_else(|| "one without a name".to_owned(), Into::into)
}

/// The grid of an array, if it is one that N5 has.
///
/// `order` is that of the array's dimensions, the grid has N5's.
pub(super) fn block_grid<TStorage: ?Sized>(
    array: &Array<TStorage>,
    order: DimensionOrder,
) -> Result<BlockGrid, RegionError> {
    let metadata = array.chunk_grid().metadata();
    let is = |matches: fn(&str) -> bool| matches(metadata.name());
    let is_bounded = is(<RegularBoundedChunkGrid as ExtensionAliases<ZarrVersion3>>::matches_name);
    let is_regular = is(<RegularChunkGrid as ExtensionAliases<ZarrVersion3>>::matches_name);
    let block_shape = metadata
        .configuration()
        .and_then(|configuration| whole_numbers::<u64>(configuration.get("chunk_shape")?))
        .filter(|shape| shape.len() == array.shape().len() && !shape.contains(&0));
    match block_shape {
        Some(block_shape) if is_bounded || is_regular => Ok(BlockGrid {
            array_shape: order.between(array.shape().to_vec()),
            block_shape: order.between(block_shape),
            is_bounded,
        }),
        _ => Err(RegionError::ChunkGrid {
            array: array.path().as_str().to_owned(),
            found: metadata.name().to_owned(),
        }),
    }
}
