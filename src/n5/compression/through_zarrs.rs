//! Any codec of zarrs as a compressor of payloads.

use std::borrow::Cow;
use std::sync::Arc;

use zarrs_codec::{BytesRepresentation, BytesToBytesCodecTraits, CodecError, CodecOptions};

use super::compressor::Compressor;
use super::payload::{Cause, Payload, PayloadError};
use crate::n5::error_text::full_text;

/// The way of a codec without a compressor of this crate. It allocates its own output.
#[derive(Clone, Debug)]
pub(crate) struct ThroughZarrs(pub(crate) Arc<dyn BytesToBytesCodecTraits>);

impl ThroughZarrs {
    /// Decompresses `encoded`, which is `payload` or the part of it that counts.
    pub(super) fn decompress_part(
        &self,
        payload: &Payload<'_>,
        encoded: &[u8],
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        let expected = BytesRepresentation::FixedSize(payload.expected() as u64);
        let decoded = self
            .0
            .decode(Cow::Borrowed(encoded), &expected, options)
            .map_err(|error| payload.corrupt(cause(&error)))?;
        payload.check_length(decoded.len() as u64)?;
        *out = decoded.into_owned();
        Ok(())
    }
}

impl Compressor for ThroughZarrs {
    fn name(&self) -> &'static str {
        "compressed"
    }

    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), PayloadError> {
        self.decompress_part(payload, payload.encoded(), out, options)
    }

    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), Cause> {
        let encoded = self
            .0
            .encode(Cow::Borrowed(decoded), options)
            .map_err(|error| cause(&error))?;
        out.extend_from_slice(&encoded);
        Ok(())
    }
}

/// The text only: on wasm32, `CodecError` is not `Send`.
fn cause(error: &CodecError) -> Cause {
    Cause::new(full_text(error))
}
