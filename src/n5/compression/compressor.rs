//! What a compression has to say of itself. Each file beside this one has one parameter type, which
//! implements both traits.

use std::fmt::Debug;
use std::sync::Arc;

use serde_json::{Map, Value};
use zarrs_codec::{BytesToBytesCodecTraits, CodecOptions};
use zarrs_metadata::v3::MetadataV3;
use zarrs_plugin::{ExtensionAliasesV3, MaybeSend, MaybeSync};

use super::payload::{Cause, Payload, PayloadError};
use crate::n5::N5DataType;
use crate::n5::members::{MemberError, Members};

/// The parameters of a compression, and how they are said in `attributes.json` and in `zarr.json`.
///
/// The default is that of N5, for members that are absent.
pub(super) trait Parameters: Sized + Default {
    /// The `type` in `attributes.json`.
    const NAME: &'static str;
    /// The cargo feature with the compressor.
    const FEATURE: &'static str;
    /// Whether that feature is on.
    const ENABLED: bool;

    /// Reads the members of the `compression` object. It may have others, as in Java.
    fn from_json(members: Members<'_>) -> Result<Self, MemberError>;

    /// Adds the members to the `compression` object, which has its `type` already.
    fn to_json(&self, object: &mut Map<String, Value>);

    /// Whether zarrs takes `name` for a zarr codec that stands for this compression.
    fn is_codec(name: &str) -> bool;

    /// Reads the configuration of the zarr codec `name`, one for which [`Self::is_codec`] holds.
    ///
    /// A member is an error when N5 cannot express it.
    fn from_codec(name: &str, members: Members<'_>) -> Result<Self, MemberError>;

    /// The zarr codec that stands for this compression. `data_type` fills in what N5 leaves open.
    fn to_codec(&self, data_type: N5DataType) -> MetadataV3;

    /// The compressor, if it is compiled in and takes the place of the codec implementation
    /// `codec`.
    ///
    /// A program may have a codec of its own under the name of one of zarrs's; it is then not to be
    /// replaced. So an implementation looks at the type of `codec`.
    fn compressor(&self, _codec: &Arc<dyn BytesToBytesCodecTraits>) -> Option<Arc<dyn Compressor>> {
        None
    }

    /// Adds the zarr codec to the run-time registry of zarrs, if it is one of this crate.
    fn register_runtime() {}
}

/// Compresses and decompresses the bytes behind a block header.
///
/// Decompression must not depend on the parameters: blocks say themselves what they need.
pub(crate) trait Compressor: Debug + MaybeSend + MaybeSync {
    /// The name in error texts.
    fn name(&self) -> &'static str;

    /// Decompresses `payload` into `out`, which may hold anything and be of any size before.
    ///
    /// `Ok` means that `out` has the expected size, and that nothing follows what was decompressed.
    fn decompress_into(
        &self,
        payload: &Payload<'_>,
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), PayloadError>;

    /// Compresses `decoded` and appends the result to `out`.
    fn compress_append(
        &self,
        decoded: &[u8],
        out: &mut Vec<u8>,
        options: &CodecOptions,
    ) -> Result<(), Cause>;
}

/// The metadata of the codec `C`, under the name that zarrs writes.
pub(super) fn codec_metadata<C: ExtensionAliasesV3>(configuration: Value) -> MetadataV3 {
    let name = C::aliases_v3().default_name.clone().into_owned();
    let configuration = match configuration {
        Value::Object(members) => members,
        _ => Map::new(),
    };
    MetadataV3::new_with_configuration(name, configuration)
}
