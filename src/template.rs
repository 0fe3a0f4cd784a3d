//! The `template` chunk key encoding.
//!
//! It makes chunk keys from a format string such as `images/{-1}/{*:04}.jpeg`, so that zarrs reads
//! stacks of image tiles, and other files that were not written as Zarr, where they are.
//!
#![doc = include_str!("../docs/template_grammar.md")]
//!
//! ### Compatible Implementations
//! Written for the extension `template` of
//! [zarr-extensions](https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-key-encodings/template).
//! The crate `template_cke` implements it too, for zarrs and, with Python bindings, for
//! zarr-python.
//!
//! ### Specification
//! - <https://github.com/zarr-developers/zarr-extensions/tree/main/chunk-key-encodings/template>
//!
//! ### Specification Deviations
//! - The specification calls the template string `format` in its examples and `template` in its
//!   table. Both are read, `format` is written. If both are there they must be equal.
//! - The grammar leaves out zeros inside numbers, which the text does not intend: `{10}` and
//!   `{0:010}` are accepted. Where the regular expression accepts more than the grammar, the
//!   grammar decides: `{007}`, `{-0}`, `{0:00}` and `{0:005}` are refused.
//! - A width is at most 1024, the size in bytes of the longest key on S3.
//! - A template must not end with `/`, which no store key can, nor with `/.`, which on a file
//!   system is a folder.
//! - The rules for literal text hold for the separator as well, but it may begin and end with `/`.
//! - `"separator": null`, which `template_cke` writes, is no separator. Writing leaves it out.
//! - Members of the configuration other than `format`, `template` and `separator` are refused.
//!
//! A template that does not fit the dimensionality of the array is an error by the specification.
//! zarrs 0.23 does not tell a chunk key encoding the dimensionality when it opens an array, and
//! does not let it return an error later. So zarrs's own `Array::open` opens such an array, and
//! **the first access to a chunk panics** with the reason. The functions `open_array`,
//! `async_open_array` and `build_array` (with the feature `zarrs`) check it first;
//! [`validate_array_metadata`] checks a metadata document.
//!
//! ### Chunk Key Encoding `name` Aliases (Zarr V3)
//! - `template`
//!
//! ### Chunk Key Encoding `configuration` Example - [`TemplateChunkKeyEncodingConfiguration`]:
//! ```rust
//! # let JSON = r#"
//! {
//!     "format": "images/{-1}/{*:04}.jpeg",
//!     "separator": "_"
//! }
//! # "#;
//! # use zarrs_interop::template::{TemplateChunkKeyEncodingConfiguration, Template};
//! # type Configuration = TemplateChunkKeyEncodingConfiguration;
//! # let configuration: Configuration = serde_json::from_str(JSON).unwrap();
//! # let key = Template::try_from(configuration).unwrap().encode(&[11, 22, 33]).unwrap();
//! # assert_eq!(key.as_str(), "images/33/0011_0022.jpeg");
//! ```
//!
#![cfg_attr(
    all(feature = "zarrs", feature = "filesystem"),
    doc = "### To read",
    doc = include_str!("../docs/example_template.md"),
    doc = ""
)]
#![doc = include_str!("../docs/template_tiles.md")]
//!
// The first definition of a name counts: that of the page leads to files.
#![doc = "[grammar]: crate::template"]
#![doc = "[tiles]: #reading-image-tiles"]
#![doc = ""]
#![doc = include_str!("../docs/template_layouts.md")]

#[cfg(feature = "zarrs")]
mod array;

mod ambiguity;
mod chunk_key_encoding;
mod configuration;
mod decode;
mod dimensionality;
mod encode;
mod error;
mod key_decode_error;
mod literal;
mod named_dimensions;
mod parser;
mod part;
#[expect(
    clippy::module_inception,
    reason = "the file is named for the type in it"
)]
mod template;
mod token;

use std::sync::Once;

use zarrs_chunk_key_encoding::{
    ChunkKeyEncodingPlugin, ChunkKeyEncodingRuntimePlugin, ChunkKeyEncodingTraits,
    register_chunk_key_encoding,
};
use zarrs_plugin::ExtensionAliasesV3;

#[cfg(all(feature = "zarrs", feature = "async"))]
pub use array::async_open_array;
#[cfg(feature = "zarrs")]
pub use array::{TemplateArrayError, build_array, open_array};
pub use chunk_key_encoding::{
    TemplateChunkKeyEncoding, validate_array_metadata, validate_chunk_key_encoding,
};
pub use configuration::TemplateChunkKeyEncodingConfiguration;
pub use error::TemplateError;
pub use key_decode_error::KeyDecodeError;
pub use template::Template;

// Registers the chunk key encoding at link time.
inventory::submit! {
    ChunkKeyEncodingPlugin::new::<TemplateChunkKeyEncoding>()
}

/// Registers the chunk key encoding at run time. Calls after the first have no effect.
pub(crate) fn register_runtime() {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        register_chunk_key_encoding(ChunkKeyEncodingRuntimePlugin::new(
            TemplateChunkKeyEncoding::matches_name_v3,
            TemplateChunkKeyEncoding::create,
        ));
    });
}

#[cfg(test)]
mod tests {
    use zarrs_chunk_key_encoding::CHUNK_KEY_ENCODING_RUNTIME_REGISTRY;

    #[test]
    fn registering_at_run_time_happens_once() {
        super::register_runtime();
        let registered = CHUNK_KEY_ENCODING_RUNTIME_REGISTRY.len();
        super::register_runtime();
        assert_eq!(CHUNK_KEY_ENCODING_RUNTIME_REGISTRY.len(), registered);
        let found = CHUNK_KEY_ENCODING_RUNTIME_REGISTRY
            .with_plugins(|plugins| plugins.iter().any(|plugin| plugin.match_name("template")));
        assert!(found);
    }
}
