//! The `zarrs_interop.lz4_java` bytes to bytes codec: the `LZ4Block` stream of lz4-java.
//!
//! It stands for the N5 compression `lz4`. It is not the `lz4` of numcodecs, nor the LZ4 frame
//! format.
//!
//! ### Compatible Implementations
//! The codec is of this crate. Its bytes are those of `LZ4BlockOutputStream` and
//! `LZ4BlockInputStream` of the Java library lz4-java, which the Java implementation of N5 uses.
//!
//! ### Specification
//! There is none but lz4-java itself. A stream is a sequence of frames, each with a header of 21
//! bytes; all numbers are little-endian:
//!
//! | bytes | content |
//! |---|---|
//! | 8 | `LZ4Block` in ASCII |
//! | 1 | token: method (`0x10` stored, `0x20` LZ4 block format) plus level |
//! | 4 | size of the data in this frame |
//! | 4 | size of the data after decompression, at most `1 << (10 + level)` |
//! | 4 | `XXH32(decompressed data, seed 0x9747b28c) & 0x0fffffff` |
//! | … | data |
//!
//! The level is `max(0, ceil(log2(block_size)) - 10)`. A frame that LZ4 does not make smaller is
//! stored. The last frame has three zeros for its sizes and checksum, and no data.
//!
//! ### Deviations from the Specification
//! - A stream that ends without the last, empty frame is accepted.
//! - Anything behind that frame is an error. lz4-java does not look at it.
//!
//! ### Codec `name` Aliases (Zarr V3)
//! - `zarrs_interop.lz4_java`
//!
//! ### Codec `id` Aliases (Zarr V2)
//! None.
//!
//! ### Codec `configuration` Example - [`Lz4JavaCodecConfiguration`]:
//! ```rust
//! # let JSON = r#"
//! {
//!     "block_size": 65536
//! }
//! # "#;
//! # use zarrs_interop::n5::lz4_java::Lz4JavaCodecConfiguration;
//! # serde_json::from_str::<Lz4JavaCodecConfiguration>(JSON).unwrap();
//! ```

pub use super::compression::lz4_java::{Lz4JavaCodec, Lz4JavaCodecConfiguration};
