//! Decoding and encoding one block in memory: `n5_default` against zarrs's plain chain and against
//! the floor.
//!
//! ```text
//! cd benches
//! taskset -c 0 cargo bench --bench codec
//! taskset -c 0 cargo bench --bench codec -- decode/gzip      # some of it
//! ```
//!
//! The plain chain is `transpose`, `bytes` and the compressor of zarrs, with the default backend of
//! its gzip codec, on the payload without its header. The floor is decompression alone, by the
//! fastest library, into a buffer of exactly the right size that is used again; for blosc it is
//! zarrs's codec, which allocates, and the reordering loop after it, as both take about as long.
//! For raw blocks it is that loop alone, to a buffer that is used again, and a copy of as many
//! bytes as the chunk has. Before anything is timed it is checked that all give the same elements.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use zarrs::array::ArrayBytes;
use zarrs::array::codec::api::{ArrayToBytesCodecTraits, BytesRepresentation};
use zarrs_interop::n5::benchable_apis::decode_region;

use zarrs_interop_benches::codecs::{
    Compressor, chunk_shape, data_type, fill_value, options, ours, plain_chain,
};
use zarrs_interop_benches::contest::{self, Clock, Contest, Mode, Row, Show};
use zarrs_interop_benches::data::{Element, Layout, Triple, Volume, n5_header};
use zarrs_interop_benches::memcpy::memcpy;

const BUDGET: Duration = Duration::from_millis(500);

/// A block and the chunk it is decoded to, both dimension 0 first.
#[derive(Clone, Copy)]
struct Shape {
    name: &'static str,
    block: Triple,
    chunk: Triple,
}

const fn whole(name: &'static str, shape: Triple) -> Shape {
    Shape {
        name,
        block: shape,
        chunk: shape,
    }
}

/// A power of two, where strides are worst for the cache, and one that is none.
const SHAPES: [Shape; 2] = [whole("64^3", [64; 3]), whole("61x50x83", [61, 50, 83])];

/// Blocks at the edge of an array.
const EDGES: [Shape; 2] = [
    Shape {
        name: "58x41x64 padded to 64^3",
        block: [58, 41, 64],
        chunk: [64; 3],
    },
    Shape {
        name: "64^3 cut to 58x41x64",
        block: [64; 3],
        chunk: [58, 41, 64],
    },
];

const SMALL: [Shape; 1] = [whole("8x5x7", [8, 5, 7])];

fn main() {
    let mode = Mode::from_arguments();
    let (shapes, edges): (&[Shape], &[Shape]) = if mode.measures {
        (&SHAPES, &EDGES)
    } else {
        (&SMALL, &[])
    };

    let mut tables = Vec::new();
    for compressor in Compressor::ALL {
        let group = format!("decode/{}", compressor.name());
        let blocks = blocks(shapes, compressor);
        let contests = blocks.iter().map(decode);
        tables.push(run(&mode, group, contests));
    }
    for compressor in [Compressor::Raw, Compressor::Gzip] {
        let group = format!("decode edges/{}", compressor.name());
        let blocks = blocks(edges, compressor);
        let contests = blocks.iter().map(decode);
        tables.push(run(&mode, group, contests));
    }
    for compressor in [Compressor::Raw, Compressor::Gzip] {
        let group = format!("encode/{}", compressor.name());
        let blocks = blocks(shapes, compressor);
        let contests = blocks.iter().map(encode);
        tables.push(run(&mode, group, contests));
    }

    if mode.measures {
        for (title, rows) in &tables {
            contest::print(title, rows, Show::Speed);
        }
        print_sizes(shapes);
    }
}

/// The title of a table and its rows.
fn run<'a>(
    mode: &Mode,
    title: String,
    contests: impl Iterator<Item = Contest<'a>>,
) -> (String, Vec<Row>) {
    let rows = contests
        .filter_map(|contest| mode.run(&title, contest, BUDGET))
        .collect();
    (title, rows)
}

/// One block, in every form that is needed.
struct Block {
    element: Element,
    compressor: Compressor,
    shape: Shape,
    /// In C order and native-endian, of the block's own shape.
    elements: Vec<u8>,
    /// Decompressed.
    payload: Vec<u8>,
    /// As stored, with the header.
    encoded: Vec<u8>,
}

fn blocks(shapes: &[Shape], compressor: Compressor) -> Vec<Block> {
    shapes
        .iter()
        .flat_map(|&shape| Element::ALL.map(|element| Block::new(element, shape, compressor)))
        .collect()
}

impl Block {
    fn new(element: Element, shape: Shape, compressor: Compressor) -> Self {
        // Not at the origin, where the noise is less.
        let start = shape.block;
        let volume = Volume::new(element, shape.block.map(|size| 2 * size));
        let payload = volume.bytes(start, shape.block, Layout::N5);
        let compressed = match compressor.codec(element) {
            Some(codec) => codec
                .encode(Cow::Borrowed(&payload), &options())
                .expect("zarrs can compress"),
            None => Cow::Borrowed(payload.as_slice()),
        };
        let mut encoded = n5_header(shape.block);
        encoded.extend_from_slice(&compressed);
        Self {
            element,
            compressor,
            shape,
            elements: volume.bytes(start, shape.block, Layout::C),
            payload,
            encoded,
        }
    }

    fn name(&self) -> String {
        format!("{} {}", self.element.name(), self.shape.name)
    }

    fn compressed(&self) -> &[u8] {
        &self.encoded[n5_header(self.shape.block).len()..]
    }

    /// The reordering loop alone: `payload` to the chunk in `elements`.
    fn reorder(&self, payload: &[u8], elements: &mut [u8]) {
        let Shape { block, chunk, .. } = self.shape;
        let fill_value = [0; 8];
        let fill_value = &fill_value[..self.element.size()];
        decode_region(payload, &block, &[0; 3], &chunk, fill_value, elements)
            .expect("payload and elements are as long as their shapes say");
    }

    /// What decoding to the chunk has to give.
    fn expected(&self) -> Vec<u8> {
        let size = self.element.size();
        let Shape { block, chunk, .. } = self.shape;
        let mut expected = vec![0; chunk.iter().product::<usize>() * size];
        let [nx, ny, nz] = [0, 1, 2].map(|axis| block[axis].min(chunk[axis]));
        for (x, y) in (0..nx).flat_map(|x| (0..ny).map(move |y| (x, y))) {
            let from = (x * block[1] + y) * block[2] * size;
            let to = (x * chunk[1] + y) * chunk[2] * size;
            expected[to..to + nz * size].copy_from_slice(&self.elements[from..from + nz * size]);
        }
        expected
    }
}

/// Decodes `encoded` to a chunk of `shape`.
fn decode_with(
    codec: Arc<dyn ArrayToBytesCodecTraits>,
    encoded: &[u8],
    element: Element,
    shape: Triple,
) -> impl Fn() -> Vec<u8> {
    let (shape, data_type, fill_value) =
        (chunk_shape(shape), data_type(element), fill_value(element));
    let options = options();
    move || {
        codec
            .decode(
                Cow::Borrowed(encoded),
                &shape,
                &data_type,
                &fill_value,
                &options,
            )
            .expect("the block is right")
            .into_fixed()
            .expect("the elements have a fixed size")
            .into_owned()
    }
}

/// Ours to the chunk, the plain chain to the block's own shape (it can do no other), and the floor.
fn decode(block: &Block) -> Contest<'_> {
    let Block {
        element,
        compressor,
        shape,
        ..
    } = *block;
    let ours = ours(element, compressor);
    let ours = decode_with(ours, &block.encoded, element, shape.chunk);
    let plain = plain_chain(element, compressor);
    let plain = decode_with(plain, block.compressed(), element, shape.block);
    let expected = block.expected();
    assert!(ours() == expected, "{}: wrong elements", block.name());
    assert!(plain() == block.elements, "{}: unequal work", block.name());

    let contest = Contest::new(block.name(), expected.len(), Clock::Cpu)
        .with("ours", ours)
        .with("plain chain", plain);
    add_floor(contest, block)
}

fn add_floor<'a>(contest: Contest<'a>, block: &'a Block) -> Contest<'a> {
    let compressed = block.compressed();
    let mut buffer = vec![0; block.payload.len()];
    match block.compressor {
        Compressor::Raw => {
            let source = block.expected();
            let mut target = source.clone();
            buffer.resize(source.len(), 0);
            contest
                .with("loop alone", move || {
                    block.reorder(&block.payload, &mut buffer);
                })
                .with("memcpy", move || memcpy(&source, &mut target))
        }
        Compressor::Gzip => {
            let mut decompressor = libdeflater::Decompressor::new();
            contest.with("libdeflate", move || {
                decompressor
                    .gzip_decompress(compressed, &mut buffer)
                    .expect("the payload is gzip")
            })
        }
        Compressor::Zstd => {
            let mut decompressor =
                zstd::bulk::Decompressor::new().expect("zstd has memory for a context");
            contest.with("zstd", move || {
                decompressor
                    .decompress_to_buffer(compressed, buffer.as_mut_slice())
                    .expect("the payload is zstd")
            })
        }
        Compressor::BloscLz4 => {
            let codec = block
                .compressor
                .codec(block.element)
                .expect("blosc is a codec");
            let size = BytesRepresentation::FixedSize(block.payload.len() as u64);
            let options = options();
            contest.with("zarrs's blosc + loop", move || {
                let payload = codec
                    .decode(Cow::Borrowed(compressed), &size, &options)
                    .expect("the payload is blosc");
                block.reorder(&payload, &mut buffer);
            })
        }
    }
}

/// Encodes `elements`, in C order, as a chunk of `shape`.
fn encode_with(
    codec: Arc<dyn ArrayToBytesCodecTraits>,
    elements: &[u8],
    element: Element,
    shape: Triple,
) -> impl Fn() -> Vec<u8> {
    let (shape, data_type, fill_value) =
        (chunk_shape(shape), data_type(element), fill_value(element));
    let options = options();
    move || {
        codec
            .encode(
                ArrayBytes::from(elements),
                &shape,
                &data_type,
                &fill_value,
                &options,
            )
            .expect("the elements fill the chunk")
            .into_owned()
    }
}

fn encode(block: &Block) -> Contest<'_> {
    let Block {
        element,
        compressor,
        shape,
        ..
    } = *block;
    let ours = ours(element, compressor);
    let ours = encode_with(ours, &block.elements, element, shape.block);
    let plain = plain_chain(element, compressor);
    let plain = encode_with(plain, &block.elements, element, shape.block);
    check_encoded(block, &ours());
    Contest::new(block.name(), block.payload.len(), Clock::Cpu)
        .with("ours", ours)
        .with("plain chain", plain)
}

/// What we encode is read by the plain chain.
fn check_encoded(block: &Block, encoded: &[u8]) {
    let header = n5_header(block.shape.block);
    let payload = encoded
        .strip_prefix(header.as_slice())
        .expect("a block begins with its header");
    let plain = plain_chain(block.element, block.compressor);
    let decoded = decode_with(plain, payload, block.element, block.shape.block)();
    assert!(decoded == block.elements, "{}: wrong block", block.name());
}

/// How large gzip level 6 makes the same block by ours and by the plain chain.
fn print_sizes(shapes: &[Shape]) {
    println!("\nencode/gzip: bytes of the payload at level 6\n");
    println!("| case | elements | ours | plain chain | ours / plain chain |");
    println!("|---|--:|--:|--:|--:|");
    for block in blocks(shapes, Compressor::Gzip) {
        let codec = ours(block.element, block.compressor);
        let encoded = encode_with(codec, &block.elements, block.element, block.shape.block)();
        let ours = encoded.len() - n5_header(block.shape.block).len();
        let plain = block.compressed().len();
        #[expect(clippy::cast_precision_loss, reason = "sizes far below 2^52")]
        let ratio = ours as f64 / plain as f64;
        let (name, elements) = (block.name(), block.payload.len());
        println!("| {name} | {elements} | {ours} | {plain} | {ratio:.3} |");
    }
}
