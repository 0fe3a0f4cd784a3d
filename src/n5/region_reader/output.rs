//! The elements of an output as bytes. Only types without padding and of any bit pattern are taken,
//! so that no unsafe code is needed.

use std::any::type_name;

use bytemuck::{Pod, allocation::try_zeroed_vec};
use zarrs::array::{ArraySubsetTraits, Element, ElementError};
use zarrs_plugin::{ExtensionName, ZarrVersion};

use super::layout::Layout;
use super::{RegionError, RegionReader};

impl<TStorage: ?Sized> RegionReader<'_, TStorage> {
    /// Checks that the elements of the array can be read as `T`.
    fn check_element<T: Element + Pod>(&self) -> Result<(), RegionError> {
        let data_type = self.array.data_type();
        let is_element = T::validate_data_type(data_type).and_then(|()| {
            let fits = size_of::<T>() == self.element_size();
            fits.then_some(())
                .ok_or(ElementError::IncompatibleElementType)
        });
        is_element.map_err(|source| RegionError::Element {
            array: self.path(),
            data_type: data_type
                .name(ZarrVersion::V3)
                .map_or_else(|| format!("{data_type:?}"), Into::into),
            found: type_name::<T>(),
            source,
        })
    }

    /// Plans a region to be read as elements `T`.
    pub(super) fn layout_of<T: Element + Pod>(
        &self,
        subset: &dyn ArraySubsetTraits,
    ) -> Result<Layout<'_>, RegionError> {
        self.check_element::<T>()?;
        self.layout(subset)
    }

    /// New memory for a region. It is zeroed by the system, so that it is not touched before the
    /// elements are written.
    pub(super) fn new_output<T: Pod>(
        &self,
        layout: &Layout<'_>,
        subset: &dyn ArraySubsetTraits,
    ) -> Result<Vec<T>, RegionError> {
        try_zeroed_vec(layout.len()).map_err(|()| self.out_of_memory(&subset.shape()))
    }

    /// The bytes of an output, if it has exactly the elements of the region.
    pub(super) fn output_bytes<'o, T: Pod>(
        &self,
        layout: &Layout<'_>,
        out: &'o mut [T],
    ) -> Result<&'o mut [u8], RegionError> {
        if out.len() != layout.len() {
            return Err(RegionError::OutputLen {
                array: self.path(),
                expected: layout.len(),
                found: out.len(),
            });
        }
        Ok(bytemuck::cast_slice_mut(out))
    }
}
