//! What a check says of a block.

use zarrs_codec::CodecError;

/// What became of a block.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It was there when its folder was listed, and is not any more.
    Gone,
    /// It was only listed.
    Listed,
    /// Its elements could be read, from a block of this size in bytes.
    Readable { size: u64 },
    /// It is in varlength or object mode.
    Serialized { size: u64 },
    /// It cannot be read.
    Corrupt { size: u64, reason: CodecError },
}
