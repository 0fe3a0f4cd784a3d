#!/usr/bin/env python3
"""Checks OME-Zarr 0.5 images with the models of ome-zarr-models, and compares scales and translations.

    python scripts/check_ome.py FOLDER [--manifest FILE] [--count N]   (with scripts/requirements-ome.txt)

FOLDER holds containers: every zarr.json below it with the attribute `ome.multiscales` is opened as an image, arrays
included. The axes must agree with the arrays' `dimension_names`, and every level must have a translation. With a manifest of
scripts/make_containers.py (tests/data/containers/manifest.json), FOLDER/NAME[.n5]/GROUP must describe what it says of GROUP in
the container NAME, in the order z, y, x. Prints a line per image, and exits with 1 if any is wrong, if there is none, or if
there are not N.
"""

import argparse
import json
import sys
from pathlib import Path

import zarr
from ome_zarr_models.v05 import Image


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


def check(path, expected):
    """What is wrong with an image, or None."""
    group = zarr.open_group(path, mode="r", zarr_format=3)
    if "multiscales" in group.attrs:
        return "legacy `multiscales` beside `ome`"
    image = Image.from_zarr(group)
    [multiscale] = image.ome_attributes.multiscales
    names = [axis.name for axis in multiscale.axes]
    for dataset in multiscale.datasets:
        array = group[dataset.path]
        if list(array.metadata.dimension_names or []) != names:
            return f"{dataset.path} has the dimension names {array.metadata.dimension_names}, expected {names}"
    if expected is None:
        return None
    if names != expected["axes"][::-1]:
        return f"the axes are {names}, expected {expected['axes'][::-1]}"
    units = [axis.unit for axis in multiscale.axes]
    if units != expected["units"][::-1]:
        return f"the units are {units}, expected {expected['units'][::-1]}"
    levels = [dataset.path for dataset in multiscale.datasets]
    if levels != [level["path"] for level in expected["levels"]]:
        return f"the levels are {levels}"
    for dataset, level in zip(multiscale.datasets, expected["levels"]):
        scale, translation = transforms(dataset)
        if not near(scale, level["scale"][::-1]) or not near(translation, level["translation"][::-1]):
            return f"{dataset.path} has {scale}, {translation}: expected the reverse of {level}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--manifest", type=Path)
    parser.add_argument("--count", type=int, help="how many images there must be")
    arguments = parser.parse_args()
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
        try:
            wrong = "not in the manifest" if manifest and known is None else check(path, known)
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
