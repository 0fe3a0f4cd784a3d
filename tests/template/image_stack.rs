//! The image stack of the example `image_stack`: that each pixel comes from the right tile.
#![cfg(all(feature = "template", feature = "zarrs", feature = "filesystem"))]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use zarrs::array::CodecOptions;
use zarrs::array::chunk_cache::{ChunkCache, ChunkCacheDecodedLruChunkLimit};
use zarrs::filesystem::FilesystemStore;
use zarrs::storage::ReadableStorage;
use zarrs_interop::template::open_array;
use zarrs_jpeg::codec::{JpegDecoderTrait, ZuneDecoder};
use zarrs_jpeg::{ColorConfig, JpegCodecConfig, Quality};

const TILE: u64 = 64;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/image_stack")
}

/// The pixels of one file, decoded without zarrs.
fn tile(z: u64, row: u64, column: u64) -> Vec<u8> {
    let file = folder().join(format!("{z}/{row}_{column}_0.jpg"));
    let config = JpegCodecConfig::new(Quality::default(), ColorConfig::Grayscale);
    ZuneDecoder::from(config)
        .decode(&std::fs::read(file).unwrap())
        .unwrap()
        .1
}

#[test]
fn a_region_across_tiles_has_the_pixels_of_each() {
    let store: ReadableStorage = Arc::new(FilesystemStore::new(folder()).unwrap());
    let array = open_array(store, "/").unwrap();
    assert_eq!(array.shape(), [4, 192, 256]);

    let (z, y, x) = (1..4, 50..140, 100..210);
    let tiles = ChunkCacheDecodedLruChunkLimit::new(Arc::new(array), 64);
    let region = [z.clone(), y.clone(), x.clone()];
    let found: Vec<u8> = tiles
        .retrieve_array_subset(&region, &CodecOptions::default())
        .unwrap();

    let mut expected = Vec::new();
    for z in z {
        for y in y.clone() {
            for x in x.clone() {
                let pixel = (y % TILE) * TILE + x % TILE;
                expected.push((z, y / TILE, x / TILE, usize::try_from(pixel).unwrap()));
            }
        }
    }
    assert_eq!(found.len(), expected.len());
    let mut decoded = std::collections::HashMap::new();
    for (found, (z, row, column, pixel)) in found.into_iter().zip(expected) {
        let tile = decoded
            .entry((z, row, column))
            .or_insert_with(|| tile(z, row, column));
        assert_eq!(
            found, tile[pixel],
            "slice {z}, tile {row}_{column}, pixel {pixel}"
        );
    }
}

#[test]
fn the_tiles_differ_so_that_a_mix_up_would_show() {
    assert_ne!(tile(1, 0, 1), tile(1, 1, 0));
    assert_ne!(tile(1, 0, 1), tile(2, 0, 1));
}

#[test]
fn the_stack_stays_small() {
    let tiles = (0..4).flat_map(|z| std::fs::read_dir(folder().join(z.to_string())).unwrap());
    let sizes: Vec<u64> = tiles
        .map(|tile| tile.unwrap().metadata().unwrap().len())
        .collect();
    assert_eq!(sizes.len(), 4 * 3 * 4);
    assert!(sizes.iter().sum::<u64>() < 200_000);
}
