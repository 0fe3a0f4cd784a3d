//! Units, and the voxel sizes in the XML of BigDataViewer.

use super::pyramid::AxisKind;

/// The size of a voxel, as the XML of BigDataViewer gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelSize {
    /// The size along x, y and z, in `unit`.
    pub size: Vec<f64>,
    /// The unit as it is written there, as in `µm` or `pixel`.
    pub unit: Option<String>,
}

/// The UDUNITS name of a unit and what it measures, or `None` if it is not known for sure.
pub(super) fn udunits(unit: &str) -> Option<(&'static str, AxisKind)> {
    let space = |name| Some((name, AxisKind::Space));
    let time = |name| Some((name, AxisKind::Time));
    match unit.trim() {
        // Only by case do these differ from other units.
        "m" => return space("meter"),
        "mm" => return space("millimeter"),
        "Å" | "\u{212b}" => return space("angstrom"),
        "s" => return time("second"),
        "ms" => return time("millisecond"),
        "h" => return time("hour"),
        _ => {}
    }
    match unit.trim().to_lowercase().as_str() {
        "angstrom" | "angstroms" | "ångström" | "ångströms" => space("angstrom"),
        "nm" | "nanometer" | "nanometers" | "nanometre" | "nanometres" => space("nanometer"),
        // Both code points of µ: the micro sign and the Greek letter.
        "um" | "\u{b5}m" | "\u{3bc}m" | "micron" | "microns" | "micrometer" | "micrometers"
        | "micrometre" | "micrometres" => space("micrometer"),
        "millimeter" | "millimeters" | "millimetre" | "millimetres" => space("millimeter"),
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => space("centimeter"),
        "meter" | "meters" | "metre" | "metres" => space("meter"),
        "picometer" | "picometers" | "picometre" | "picometres" => space("picometer"),
        "inch" | "inches" => space("inch"),
        "sec" | "second" | "seconds" => time("second"),
        "millisecond" | "milliseconds" => time("millisecond"),
        "us" | "\u{b5}s" | "\u{3bc}s" | "microsecond" | "microseconds" => time("microsecond"),
        "min" | "minute" | "minutes" => time("minute"),
        "hour" | "hours" => time("hour"),
        _ => None,
    }
}

/// Reads the voxel sizes of all view setups from the XML beside a BigDataViewer container.
///
/// Returns pairs of the number `N` in `setupN` and the voxel size. View setups without both are not
/// among them, and a text that is no such XML gives an empty list.
///
/// ```
/// use zarrs_interop::n5::multiscale::bdv_voxel_sizes;
///
/// let xml = "<ViewSetups><ViewSetup><id>0</id>\
///            <voxelSize><unit>um</unit><size>0.5 0.5 2.0</size></voxelSize>\
///            </ViewSetup></ViewSetups>";
/// let sizes = bdv_voxel_sizes(xml);
/// assert_eq!(sizes[0].0, 0);
/// assert_eq!(sizes[0].1.size, [0.5, 0.5, 2.0]);
/// ```
#[must_use]
pub fn bdv_voxel_sizes(xml: &str) -> Vec<(u32, VoxelSize)> {
    let xml = without_comments(xml);
    let mut sizes = Vec::new();
    let mut rest = xml.as_str();
    while let Some((setup, behind)) = element(rest, "ViewSetup") {
        rest = behind;
        let Some((voxel_size, _)) = element(setup, "voxelSize") else {
            continue;
        };
        let id = element(setup, "id").and_then(|(id, _)| id.trim().parse().ok());
        let size = element(voxel_size, "size").and_then(|(size, _)| {
            size.split_whitespace()
                .map(|number| number.parse::<f64>().ok())
                .collect::<Option<Vec<_>>>()
        });
        let is_size = |size: &Vec<f64>| {
            !size.is_empty() && size.iter().all(|size| size.is_finite() && *size > 0.)
        };
        if let (Some(id), Some(size)) = (id, size.filter(is_size)) {
            let unit = element(voxel_size, "unit").map(|(unit, _)| unit.trim().to_owned());
            sizes.push((id, VoxelSize { size, unit }));
        }
    }
    sizes
}

/// The text in the first element of that name, and what follows the element.
fn element<'a>(xml: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let open = format!("<{name}");
    let mut rest = xml;
    loop {
        let (_, behind) = rest.split_once(open.as_str())?;
        rest = behind;
        // Otherwise it is the beginning of a longer name.
        if !behind.starts_with(|c: char| c == '>' || c.is_whitespace()) {
            continue;
        }
        let (attributes, behind) = behind.split_once('>')?;
        if attributes.ends_with('/') {
            continue;
        }
        return behind.split_once(format!("</{name}>").as_str());
    }
}

fn without_comments(xml: &str) -> String {
    let mut kept = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some((before, comment)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn micrometers_have_many_names() {
        for unit in ["um", "µm", "μm", "micron", "microns", "micrometer", " um "] {
            assert_eq!(
                udunits(unit),
                Some(("micrometer", AxisKind::Space)),
                "{unit}"
            );
        }
    }

    #[test]
    fn what_is_no_unit_is_left_out() {
        for unit in [
            "", "pixel", "px", "voxel", "null", "parsecs?", "M", "Mm", "MM", "S",
        ] {
            assert_eq!(udunits(unit), None, "{unit}");
        }
    }

    #[test]
    fn voxel_sizes_of_several_setups() {
        let xml = r#"<?xml version="1.0"?><SpimData version="0.2"><SequenceDescription><ViewSetups>
            <ViewSetup><id>0</id><name>a</name><size>10 20 30</size>
              <voxelSize><unit>µm</unit><size>0.406 0.406 2.0</size></voxelSize></ViewSetup>
            <!-- <ViewSetup><id>9</id><voxelSize><size>1 1 1</size></voxelSize></ViewSetup> -->
            <ViewSetup><id>1</id><size>10 20 30</size></ViewSetup>
            <ViewSetup><id>2</id><voxelSize><size>1 1 NaN</size></voxelSize></ViewSetup>
            <ViewSetup><id>3</id><voxelSize><size>1.0 1.0 3.5</size></voxelSize></ViewSetup>
            </ViewSetups></SequenceDescription></SpimData>"#;
        let sizes = bdv_voxel_sizes(xml);
        assert_eq!(sizes.len(), 2);
        assert_eq!(sizes[0].0, 0);
        assert_eq!(sizes[0].1.size, [0.406, 0.406, 2.0]);
        assert_eq!(sizes[0].1.unit.as_deref(), Some("µm"));
        assert_eq!(sizes[1].0, 3);
        assert_eq!(sizes[1].1.unit, None);
    }

    #[test]
    fn other_texts_have_no_voxel_sizes() {
        for xml in [
            "",
            "<ViewSetup>",
            "<ViewSetup/>",
            "{\"n5\": 1}",
            "<!--",
            "<ViewSetup",
        ] {
            assert_eq!(bdv_voxel_sizes(xml), [], "{xml}");
        }
    }
}
