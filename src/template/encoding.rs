//! The chunk key encoding that zarrs knows.

use std::sync::Arc;

use thiserror::Error;
use zarrs_chunk_key_encoding::{ChunkKeyEncoding, ChunkKeyEncodingTraits};
use zarrs_metadata::Configuration;
use zarrs_metadata::v3::{ArrayMetadataV3, MetadataV3};
use zarrs_plugin::{ExtensionAliasesV3, PluginConfigurationInvalidError, PluginCreateError};
use zarrs_storage::StoreKey;

use super::configuration::TemplateChunkKeyEncodingConfiguration;
use super::error::TemplateError;
use super::parsed::Template;

zarrs_plugin::impl_extension_aliases!(TemplateChunkKeyEncoding, v3: "template");

/// A `template` chunk key encoding.
///
/// ```
/// use zarrs_interop::template::TemplateChunkKeyEncoding;
///
/// let encoding = TemplateChunkKeyEncoding::new("{0}/{1}_{2}_0.jpg", None)?;
/// assert_eq!(encoding.try_encode(&[7, 1, 2])?.as_str(), "7/1_2_0.jpg");
/// assert!(encoding.try_encode(&[7, 1]).is_err());
/// # Ok::<(), zarrs_interop::template::TemplateError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateChunkKeyEncoding {
    template: Template,
}

/// Why the metadata of a `template` chunk key encoding is refused.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum TemplateMetadataError {
    /// The `configuration` object does not have the right members.
    #[error("the configuration of the `template` chunk key encoding is invalid")]
    Configuration(#[from] Arc<serde_json::Error>),
    /// The template is wrong in itself or for the rank of the array.
    #[error(transparent)]
    Template(#[from] TemplateError),
}

impl TemplateChunkKeyEncoding {
    /// The encoding for the template `format`; see [`Template::new`].
    ///
    /// # Errors
    /// As [`Template::new`].
    pub fn new(format: &str, separator: Option<&str>) -> Result<Self, TemplateError> {
        Template::new(format, separator).map(Self::from)
    }

    /// Read the chunk key encoding `metadata` of an array; its name is not looked at.
    ///
    /// # Errors
    /// [`TemplateMetadataError`] if the configuration or the template is wrong.
    pub fn from_metadata(metadata: &MetadataV3) -> Result<Self, TemplateMetadataError> {
        let configuration: TemplateChunkKeyEncodingConfiguration =
            metadata.to_typed_configuration()?;
        Ok(Template::try_from(configuration)?.into())
    }

    /// The template.
    #[must_use]
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// The key of the chunk at `chunk_indices`; as [`Template::encode`].
    ///
    /// # Errors
    /// As [`Template::encode`].
    pub fn try_encode(&self, chunk_indices: &[u64]) -> Result<StoreKey, TemplateError> {
        self.template.encode(chunk_indices)
    }
}

impl From<Template> for TemplateChunkKeyEncoding {
    /// Logs a warning if chunks can share a key.
    fn from(template: Template) -> Self {
        if template.is_ambiguous_with(2) {
            log::warn!(
                "the chunk key template `{template}` (separator {:?}) can give several chunks one \
                 key, so that writing one destroys another: put a separator that does not begin \
                 with a digit between the numbers",
                template.separator().unwrap_or_default()
            );
        }
        Self { template }
    }
}

impl ChunkKeyEncodingTraits for TemplateChunkKeyEncoding {
    fn create(metadata: &MetadataV3) -> Result<ChunkKeyEncoding, PluginCreateError> {
        match Self::from_metadata(metadata) {
            Ok(encoding) => Ok(encoding.into()),
            // zarrs's error keeps no source, only a text.
            Err(TemplateMetadataError::Configuration(source)) => Err(source.into()),
            Err(TemplateMetadataError::Template(source)) => {
                Err(PluginConfigurationInvalidError::new(source.to_string()).into())
            }
        }
    }

    fn configuration(&self) -> Configuration {
        TemplateChunkKeyEncodingConfiguration::from(self.template.clone()).into()
    }

    /// The key of the chunk at `chunk_grid_indices`.
    ///
    /// # Panics
    /// Panics if the template cannot name chunks of that many dimensions, because this method of
    /// zarrs cannot return an error, and a wrong key would be taken for a chunk that is not there.
    /// Use [`try_encode`](Self::try_encode), or check the rank when the array is opened or built:
    /// [`validate_array_metadata`].
    fn encode(&self, chunk_grid_indices: &[u64]) -> StoreKey {
        match self.try_encode(chunk_grid_indices) {
            Ok(key) => key,
            Err(error) => panic!("the `template` chunk key encoding has no key: {error}"),
        }
    }
}

/// Check that the chunk key encoding `metadata`, if it is a `template`, can name the chunks of an
/// array of `rank` dimensions. Other chunk key encodings pass.
///
/// # Errors
/// [`TemplateMetadataError`] if the configuration, the template or the rank is wrong.
pub fn validate_chunk_key_encoding(
    metadata: &MetadataV3,
    rank: usize,
) -> Result<(), TemplateMetadataError> {
    if !TemplateChunkKeyEncoding::matches_name_v3(metadata.name()) {
        return Ok(());
    }
    let encoding = TemplateChunkKeyEncoding::from_metadata(metadata)?;
    Ok(encoding.template().validate_dimensionality(rank)?)
}

/// Check that the chunk key encoding of an array, if it is a `template`, fits the array's shape.
/// zarrs does not tell the rank to a chunk key encoding when it creates one, and so cannot find
/// this when it opens the array. Other chunk key encodings pass.
///
/// # Errors
/// [`TemplateMetadataError`] if the configuration, the template or the rank is wrong.
pub fn validate_array_metadata(metadata: &ArrayMetadataV3) -> Result<(), TemplateMetadataError> {
    validate_chunk_key_encoding(&metadata.chunk_key_encoding, metadata.shape.len())
}
