//! `n5_default` with every compression: whatever the bytes of a block are, all ways to read it
//! agree.
//!
//! The first 16 bytes of the input choose the compression, the data type, the chunk, the region and
//! the kind of block; the others are the block, its payload, or the elements that are compressed to
//! one.

#![no_main]

use std::borrow::Cow;
use std::num::NonZeroU64;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use zarrs::array::{ArrayBytes, ArraySubset, DataType, FillValue, data_type};
use zarrs_codec::{
    ArrayBytesRaw, ArrayToBytesCodecTraits, BytesPartialDecoderTraits, CodecError, CodecOptions,
};
use zarrs_interop::n5::{
    BlockHeader, Compression, N5DataType, N5DefaultCodec, N5DefaultCodecConfiguration,
};
use zarrs_storage::StorageError;
use zarrs_storage::byte_range::{ByteRangeIterator, extract_byte_ranges};

const MAX_RANK: usize = 3;

/// The `compression` objects, one a line behind a name that seeds.sh looks for in paths. The first
/// one is raw.
static COMPRESSIONS: LazyLock<Vec<Compression>> = LazyLock::new(|| {
    let lines = include_str!("../compressions.txt").lines();
    let compressions = lines.map(|line| {
        let (_name, json) = line.split_once(' ').unwrap();
        let members = serde_json::from_str(json).unwrap();
        Compression::from_json(&members).unwrap()
    });
    compressions.collect()
});

/// One codec for each compression and rank.
static CODECS: LazyLock<Vec<Arc<N5DefaultCodec>>> = LazyLock::new(|| {
    let codecs = COMPRESSIONS.iter().flat_map(|compression| {
        (1..=MAX_RANK).map(|rank| {
            let compressor = compression.to_codec_metadata(N5DataType::UInt16).unwrap();
            let configuration = N5DefaultCodecConfiguration::new(rank, compressor);
            Arc::new(N5DefaultCodec::new_with_configuration(&configuration).unwrap())
        })
    });
    codecs.collect()
});

/// A handle for a block that reads ranges well, not at all, or wrongly.
struct Handle {
    block: Vec<u8>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Ranges,
    NoRanges,
    Short,
    Long,
    TooFew,
    Empty,
}

impl BytesPartialDecoderTraits for Handle {
    fn exists(&self) -> Result<bool, StorageError> {
        Ok(true)
    }

    fn size_held(&self) -> usize {
        0
    }

    fn partial_decode_many(
        &self,
        ranges: ByteRangeIterator,
        _options: &CodecOptions,
    ) -> Result<Option<Vec<ArrayBytesRaw<'_>>>, CodecError> {
        let mut parts = extract_byte_ranges(&self.block, ranges)?;
        match self.kind {
            Kind::Ranges | Kind::NoRanges => {}
            Kind::Short => parts.iter_mut().for_each(|part| _ = part.pop()),
            Kind::Long => parts.iter_mut().for_each(|part| part.push(7)),
            Kind::TooFew => _ = parts.pop(),
            Kind::Empty => parts.clear(),
        }
        Ok(Some(parts.into_iter().map(Cow::Owned).collect()))
    }

    fn decode(&self, _options: &CodecOptions) -> Result<Option<ArrayBytesRaw<'_>>, CodecError> {
        Ok(Some(Cow::Borrowed(&self.block)))
    }

    fn supports_partial_decode(&self) -> bool {
        self.kind != Kind::NoRanges
    }
}

struct Case {
    codec: Arc<N5DefaultCodec>,
    is_raw: bool,
    data_type: DataType,
    element_size: usize,
    fill_value: FillValue,
    shape: Vec<NonZeroU64>,
    region: ArraySubset,
    block: Vec<u8>,
}

impl Case {
    fn new(input: &[u8]) -> Option<Self> {
        let (choices, bytes) = input.split_first_chunk::<16>()?;
        let [kind, compression, rank, data_type, numbers @ ..] = *choices;
        let compression = usize::from(compression) % COMPRESSIONS.len();
        let rank = 1 + usize::from(rank) % MAX_RANK;
        let (data_type, element_size) = match data_type % 4 {
            0 => (data_type::uint8(), 1),
            1 => (data_type::int16(), 2),
            2 => (data_type::float32(), 4),
            _ => (data_type::uint64(), 8),
        };
        let number = |place: usize| u64::from(numbers[place]);
        let shape: Vec<_> = (0..rank)
            .map(|axis| 1 + number(axis) % [64, 12, 9][axis])
            .collect();
        let ranges = (0..rank).map(|axis| {
            let start = number(3 + axis) % shape[axis];
            start..start + number(6 + axis) % (shape[axis] - start + 1)
        });
        let region = ArraySubset::new_with_ranges(&ranges.collect::<Vec<_>>());
        let fill = [number(9).to_le_bytes()[0]; 8];
        let codec = CODECS[compression * MAX_RANK + rank - 1].clone();
        let mut case = Self {
            codec,
            is_raw: compression == 0,
            data_type,
            element_size,
            fill_value: FillValue::new(fill[..element_size].to_vec()),
            shape: shape
                .into_iter()
                .map(|n| NonZeroU64::new(n).unwrap())
                .collect(),
            region,
            block: bytes.to_vec(),
        };
        case.block = match kind % 3 {
            0 => case.block,
            1 => case.block_with_payload(bytes, number(10)),
            _ => case.broken_block(bytes),
        };
        Some(case)
    }

    /// A good header, sometimes not of the chunk's shape, before any payload.
    fn block_with_payload(&self, payload: &[u8], change: u64) -> Vec<u8> {
        let mut shape: Vec<u64> = self.shape.iter().map(|n| n.get()).collect();
        let axis = change as usize % shape.len();
        shape[axis] = match change >> 4 {
            0..8 => shape[axis],
            8..12 => shape[axis].saturating_sub(change & 7).max(1),
            12..15 => shape[axis] + (change & 7),
            _ => 1 << (change & 15),
        };
        let mut block = BlockHeader::new(&shape).unwrap().to_bytes();
        block.extend_from_slice(payload);
        block
    }

    /// A block that the codec wrote, with one byte changed or the end cut off.
    fn broken_block(&self, bytes: &[u8]) -> Vec<u8> {
        let (&[place, mask, cut, ..], elements) =
            bytes.split_at_checked(3).unwrap_or((&[0; 3], &[7]))
        else {
            return Vec::new();
        };
        let size = self.num_elements() * self.element_size;
        let elements: Vec<u8> = elements.iter().copied().cycle().take(size).collect();
        if elements.len() < size {
            return Vec::new();
        }
        let encoded = self.codec.encode(
            ArrayBytes::from(elements.clone()),
            &self.shape,
            &self.data_type,
            &self.fill_value,
            &CodecOptions::default(),
        );
        let mut block = encoded.unwrap().into_owned();
        assert_eq!(self.decode(&block).unwrap(), elements);
        let length = block.len();
        if let Some(byte) = block.get_mut(usize::from(place) * 257 % length) {
            *byte ^= mask;
        }
        block.truncate(length - usize::from(cut & 0x7f) % length);
        block
    }

    fn num_elements(&self) -> usize {
        self.shape.iter().map(|n| n.get() as usize).product()
    }

    fn decode(&self, block: &[u8]) -> Result<Vec<u8>, CodecError> {
        let bytes = self.codec.decode(
            Cow::Borrowed(block),
            &self.shape,
            &self.data_type,
            &self.fill_value,
            &CodecOptions::default(),
        )?;
        Ok(bytes.into_fixed()?.into_owned())
    }

    fn decode_region(&self, kind: Kind, region: &ArraySubset) -> Result<Vec<u8>, CodecError> {
        let options = CodecOptions::default();
        let decoder = self.codec.clone().partial_decoder(
            Arc::new(Handle {
                block: self.block.clone(),
                kind,
            }),
            &self.shape,
            &self.data_type,
            &self.fill_value,
            &options,
        )?;
        let once = decoder
            .partial_decode(region, &options)?
            .into_fixed()?
            .into_owned();
        // The second time it knows the block.
        let again = decoder.partial_decode(region, &options)?.into_fixed()?;
        assert_eq!(*again, once);
        Ok(once)
    }

    fn part_of(&self, whole: &[u8], region: &ArraySubset) -> Vec<u8> {
        let shape: Vec<u64> = self.shape.iter().map(|n| n.get()).collect();
        let bytes = ArrayBytes::from(whole);
        let part = bytes.extract_array_subset(region, &shape, &self.data_type);
        part.unwrap().into_fixed().unwrap().into_owned()
    }
}

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::new(input) else { return };
    let whole = case.decode(&case.block);
    if let Ok(whole) = &whole {
        assert_eq!(whole.len(), case.num_elements() * case.element_size);
    }
    let everything = ArraySubset::new_with_shape(case.shape.iter().map(|n| n.get()).collect());
    for kind in [
        Kind::Ranges,
        Kind::NoRanges,
        Kind::Short,
        Kind::Long,
        Kind::TooFew,
        Kind::Empty,
    ] {
        for region in [&case.region, &everything] {
            let part = case.decode_region(kind, region);
            match (&whole, part) {
                (Ok(whole), Ok(part)) => assert_eq!(part, case.part_of(whole, region), "{kind:?}"),
                (Ok(_), Err(error)) => panic!("{kind:?}: only the part fails: {error}"),
                // Missing or surplus bytes outside the region are what the read of a range cannot
                // see.
                (Err(error), Ok(_)) => assert!(
                    region.is_empty()
                        || case.is_raw
                            && kind != Kind::NoRanges
                            && error.to_string().contains("payload"),
                    "{kind:?}: the part hides: {error}"
                ),
                (Err(_), Err(_)) => {}
            }
        }
    }
});
