#!/usr/bin/env python3
"""Checks OME-Zarr 0.5 images with the models of ome-zarr-models, and compares scales and translations.

    python scripts/check_ome.py FOLDER [--manifest FILE] [--count N] [--converted stored|zyx]
    (with scripts/requirements-ome.txt)

FOLDER holds containers: every zarr.json below it with the attribute `ome.multiscales` is opened as an image, arrays
included. The axes must agree with the arrays' `dimension_names`, and every level must have a translation. With a manifest of
scripts/make_containers.py (tests/data/containers/manifest.json), FOLDER/NAME[.n5]/GROUP must describe what it says of GROUP in
the container NAME, in the order z, y, x.

With --converted the containers are N5 that was converted in place, in that order of the dimensions. Their arrays are opened by
zarr-python 3 with the codec `n5_default` of zarr-n5, and the names of dimensions compared. zarr-python has no chunk key encoding `template`: a small one stands in
for it here, so that what is checked of it is the text of its format, and not another program's reading of it. All elements are
compared with the checksum in the manifest. Voxel sizes that only the XML beside a BigDataViewer container states are unknown
to a conversion in place: of those the scale is not compared. Prints a line per image, and exits with 1 if any is wrong, if there is none, or if
there are not N.
"""

import argparse
import json
import re
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import zarr
import zarr_n5  # noqa: F401  (registers the codec n5_default)
from ome_zarr_models.v05 import Image
from ome_zarr_models.v05.image import ImageAttrs
from zarr.core.chunk_key_encodings import ChunkKeyEncoding
from zarr.registry import register_chunk_key_encoding


@dataclass(frozen=True)
class Template(ChunkKeyEncoding):
    """As much of `template` as the published form of N5 needs: whole numbers between slashes."""

    name: ClassVar[str] = "template"
    format: str

    def decode_chunk_key(self, chunk_key):
        raise NotImplementedError

    def encode_chunk_key(self, chunk_coords):
        return re.sub(r"\{(\d+)\}", lambda place: str(chunk_coords[int(place[1])]), self.format)


register_chunk_key_encoding("template", Template)


def images(folder):
    """The paths of all groups that have `ome.multiscales`."""
    for document in sorted(folder.rglob("zarr.json")):
        if document.is_file():
            attributes = json.loads(document.read_text(encoding="utf-8")).get("attributes", {})
            if "multiscales" in attributes.get("ome", {}):
                yield document.parent


def transforms(dataset):
    found = {step.type: getattr(step, step.type) for step in dataset.coordinateTransformations}
    return list(found["scale"]), list(found["translation"])


def near(one, other):
    return len(one) == len(other) and all(abs(a - b) <= 1e-9 * max(1, abs(a), abs(b)) for a, b in zip(one, other))


def wrong_elements(array, crc32, order):
    """Compares with the checksum of the elements, big-endian and with dimension 0 of N5 fastest."""
    elements = array[...]
    payload = elements if order == "zyx" else elements.T
    found = zlib.crc32(payload.astype(elements.dtype.newbyteorder(">")).tobytes(order="C"))
    return None if found == crc32 else f"{array.name} has the checksum {found}, expected {crc32}"


def multiscale_of(group, order):
    """The one multiscale of an image, as the models read it: together with its arrays in stored order, without them in
    reversed order, as the model of an array knows no chunk key encodings but `default` and `v2`."""
    attributes = Image.from_zarr(group).ome_attributes if order == "stored" else ImageAttrs(**group.attrs["ome"])
    [multiscale] = attributes.multiscales
    return multiscale


def check_elements(path, root, container, order):
    """What is wrong with the elements of the levels of an image, or None."""
    checksums = {dataset["path"]: dataset["crc32"] for dataset in container["datasets"]}
    multiscale = multiscale_of(zarr.open_group(path, mode="r", zarr_format=3), order)
    for dataset in multiscale.datasets:
        level = path / dataset.path
        array = zarr.open_array(level, mode="r", zarr_format=3)
        wrong = wrong_elements(array, checksums[level.relative_to(root).as_posix()], order)
        if wrong:
            return wrong
    return None


def check(path, expected, order="zyx", has_published_keys=False, compares_scales=True):
    """What is wrong with an image, or None."""
    group = zarr.open_group(path, mode="r", zarr_format=3)
    if "multiscales" in group.attrs:
        return "legacy `multiscales` beside `ome`"
    multiscale = multiscale_of(group, "zyx" if has_published_keys else "stored")
    names = [axis.name for axis in multiscale.axes]
    for dataset in multiscale.datasets:
        array = group[dataset.path]
        if list(array.metadata.dimension_names or []) != names:
            return f"{dataset.path} has the dimension names {array.metadata.dimension_names}, expected {names}"
    if expected is None:
        return None
    step = -1 if order == "zyx" else 1
    if names != expected["axes"][::step]:
        return f"the axes are {names}, expected {expected['axes'][::step]}"
    units = [axis.unit for axis in multiscale.axes]
    if compares_scales and units != expected["units"][::step]:
        return f"the units are {units}, expected {expected['units'][::step]}"
    levels = [dataset.path for dataset in multiscale.datasets]
    if levels != [level["path"] for level in expected["levels"]]:
        return f"the levels are {levels}"
    for dataset, level in zip(multiscale.datasets, expected["levels"]):
        scale, translation = transforms(dataset)
        is_near = near(scale, level["scale"][::step]) and near(translation, level["translation"][::step])
        if compares_scales and not is_near:
            return f"{dataset.path} has {scale}, {translation}: expected {level}, in the order {order}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--count", type=int, help="how many images there must be")
    parser.add_argument("--converted", choices=["stored", "zyx"], help="N5 that was converted in place in this order")
    arguments = parser.parse_args()
    order = arguments.converted or "zyx"
    manifest = json.loads(arguments.manifest.read_text(encoding="utf-8")) if arguments.manifest else {}
    expected = {
        (name, pyramid["group"]): pyramid
        for name, container in manifest.items()
        for pyramid in container["pyramids"]
    }
    count = failed = 0
    for path in images(arguments.folder):
        name, *group = path.relative_to(arguments.folder).parts or ("",)
        known = expected.get((name.removesuffix(".n5"), "/".join(group)))
        if arguments.converted and "damage" in manifest.get(name.removesuffix(".n5"), {}):
            continue  # what is broken there is not for other readers to find
        try:
            # A conversion knows only what the attributes say.
            has_xml = arguments.converted and arguments.manifest.with_name(name).with_suffix(".xml").exists()
            is_reversed = arguments.converted == "zyx"
            wrong = "not in the manifest" if manifest and known is None else check(path, known, order, is_reversed, not has_xml)
            if wrong is None and arguments.converted:
                container = manifest[name.removesuffix(".n5")]
                wrong = check_elements(path, arguments.folder / name, container, order)
        except Exception as error:  # whatever it is, it is the answer
            wrong = f"{type(error).__name__}: {error}"
        count += 1
        failed += wrong is not None
        print(f"{'FAIL' if wrong else 'pass'}  {path}{': ' + wrong if wrong else ''}")
    print(f"check_ome: {count} images, {failed} wrong")
    if count == 0 or arguments.count not in (None, count):
        print(f"check_ome: expected {arguments.count or 'some'} images", file=sys.stderr)
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
