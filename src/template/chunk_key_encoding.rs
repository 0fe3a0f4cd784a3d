//! The chunk key encoding as zarrs uses it, and its checks of metadata documents.

use zarrs_chunk_key_encoding::{ChunkKeyEncoding, ChunkKeyEncodingTraits};
use zarrs_metadata::Configuration;
use zarrs_metadata::v3::{ArrayMetadataV3, MetadataV3};
use zarrs_plugin::{ExtensionAliasesV3, PluginConfigurationInvalidError, PluginCreateError};
use zarrs_storage::StoreKey;

use super::configuration::TemplateChunkKeyEncodingConfiguration;
use super::error::TemplateError;
use super::template::Template;

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

impl TemplateChunkKeyEncoding {
    /// Creates the encoding for the template `format`; see [`Template::new`].
    ///
    /// # Errors
    /// As [`Template::new`].
    pub fn new(format: &str, separator: Option<&str>) -> Result<Self, TemplateError> {
        Template::new(format, separator).map(Self::from)
    }

    /// Creates the encoding from the `chunk_key_encoding` of an array. The name is not checked.
    ///
    /// # Errors
    /// [`TemplateError`] if the configuration or the template is wrong.
    pub fn from_metadata(metadata: &MetadataV3) -> Result<Self, TemplateError> {
        template_of(metadata).map(Self::from)
    }

    /// Returns the template.
    #[must_use]
    pub fn template(&self) -> &Template {
        &self.template
    }

    /// Returns the key of the chunk at `chunk_indices`; as [`Template::encode`].
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
            Err(TemplateError::Configuration(source)) => Err(source.into()),
            Err(error) => Err(PluginConfigurationInvalidError::new(error.to_string()).into()),
        }
    }

    fn configuration(&self) -> Configuration {
        TemplateChunkKeyEncodingConfiguration::from(self.template.clone()).into()
    }

    /// Returns the key of the chunk at `chunk_grid_indices`.
    ///
    /// # Panics
    /// Panics if the template does not fit the number of indices. This method of zarrs cannot
    /// return an error, and a wrong key would read as a missing chunk. Use
    /// [`try_encode`](Self::try_encode), or check the array's metadata when it is opened or built
    /// with [`validate_array_metadata`].
    fn encode(&self, chunk_grid_indices: &[u64]) -> StoreKey {
        match self.try_encode(chunk_grid_indices) {
            Ok(key) => key,
            Err(error) => panic!("the `template` chunk key encoding has no key: {error}"),
        }
    }
}

/// Reads the template of a `chunk_key_encoding`, without the warning that
/// [`TemplateChunkKeyEncoding`] logs.
fn template_of(metadata: &MetadataV3) -> Result<Template, TemplateError> {
    let configuration: TemplateChunkKeyEncodingConfiguration = metadata.to_typed_configuration()?;
    Template::try_from(configuration)
}

/// Checks that the chunk key encoding `metadata`, if it is a `template`, can name the chunks of an
/// array of `dimensionality` dimensions. Other chunk key encodings pass.
///
/// # Errors
/// [`TemplateError`] if the configuration or the template is wrong, or does not fit the
/// dimensionality.
pub fn validate_chunk_key_encoding(
    metadata: &MetadataV3,
    dimensionality: usize,
) -> Result<(), TemplateError> {
    if !TemplateChunkKeyEncoding::matches_name_v3(metadata.name()) {
        return Ok(());
    }
    template_of(metadata)?.validate_dimensionality(dimensionality)
}

/// Checks that the chunk key encoding of an array, if it is a `template`, fits the array's shape.
/// Other chunk key encodings pass.
///
/// zarrs cannot find this when it opens the array, because it creates a chunk key encoding without
/// telling it the dimensionality.
///
/// # Errors
/// [`TemplateError`] if the configuration or the template is wrong, or does not fit the
/// dimensionality.
pub fn validate_array_metadata(metadata: &ArrayMetadataV3) -> Result<(), TemplateError> {
    validate_chunk_key_encoding(&metadata.chunk_key_encoding, metadata.shape.len())
}
