#!/usr/bin/env python3
"""Rewrites the containers of scripts/make_containers.py as OME-Zarr, and lets other programs open the result.

    python scripts/check_rewrite.py N5_TO_ZARR CONTAINERS OUT      (with scripts/requirements-rewrite.txt)

Every pyramid in CONTAINERS/manifest.json but those of the containers `damaged` is rewritten by the program N5_TO_ZARR to
OUT/CONTAINER/GROUP. zarr-python 3 and tensorstore (driver zarr3) read all elements, whose check sum the manifest knows, the model
package ome-zarr-models and the reader of ome-zarr-py open the image, and axes, units, scales and translations are compared with
the manifest. What the manifest lists as no arrays must be refused. A pyramid is made of the finest level of some, by mean and by
mode, and compared with numpy. OUT must not exist. Prints a line per pyramid; exits with 1 if anything is wrong.
"""

import argparse
import json
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import tensorstore as ts
import zarr
from ome_zarr.io import parse_url
from ome_zarr.reader import Reader
from ome_zarr_models.v05 import Image

# What the attributes do not say, as a user would say it.
AXES = {("n5_viewer", "hyper"): ["x", "y", "c", "z", "t"]}

# The order of OME-Zarr.
ORDER = "tczyx"


def run(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def check_sum(elements, axes):
    """The check sum of the manifest: big-endian, the first of N5's `axes` fastest. `elements` are in OME-Zarr's order."""
    order = sorted(axes, key=ORDER.index)
    backwards = elements.transpose([order.index(axis) for axis in reversed(axes)])
    return zlib.crc32(np.ascontiguousarray(backwards, backwards.dtype.newbyteorder(">")).tobytes())


def by_tensorstore(path):
    return ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": str(path)}}).result().read().result()


def near(one, other):
    return len(one) == len(other) and all(abs(a - b) <= 1e-9 * max(1, abs(a), abs(b)) for a, b in zip(one, other))


def check(out, axes, pyramid, datasets):
    """Everything that is wrong with one image."""
    order = sorted(axes, key=ORDER.index)
    group = zarr.open_group(out, mode="r", zarr_format=3)
    image = Image.from_zarr(group)
    [multiscale] = image.ome_attributes.multiscales
    assert [axis.name for axis in multiscale.axes] == order, multiscale.axes
    for axis in multiscale.axes:
        # Axes that only the user can name have the unit of their kind.
        unit = pyramid["units"][axes.index("x" if axis.type == "space" else axis.name)]
        assert axis.unit == unit, (axis, unit)
    assert len(multiscale.datasets) == len(pyramid["levels"])
    for dataset, level in zip(multiscale.datasets, pyramid["levels"]):
        assert dataset.path == (level["path"] or "s0"), dataset.path
        steps = {step.type: list(getattr(step, step.type)) for step in dataset.coordinateTransformations}
        # Channels are counted.
        expected = {
            "scale": [1.0 if a == "c" else level["scale"][axes.index(a)] for a in order],
            "translation": [0.0 if a == "c" else level["translation"][axes.index(a)] for a in order],
        }
        for name, values in expected.items():
            assert near(steps[name], values), (dataset.path, name, steps[name], values)
        array = group[dataset.path]
        assert list(array.metadata.dimension_names) == order
        known = datasets["/".join(part for part in (pyramid["group"], level["path"]) if part)]
        assert array.shape == tuple(known["dimensions"][axes.index(axis)] for axis in order)
        assert array.dtype == np.dtype(known["dataType"]), array.dtype
        for reader, elements in [("zarr-python", array[...]), ("tensorstore", by_tensorstore(out / dataset.path))]:
            assert check_sum(elements, axes) == known["crc32"], f"{reader}: the elements of {dataset.path} are wrong"
    # What napari opens an image by.
    [node] = list(Reader(parse_url(out))())
    assert len(node.data) == len(pyramid["levels"])
    for dataset, level in zip(multiscale.datasets, node.data):
        assert np.array_equal(level.compute(), group[dataset.path][...]), f"ome-zarr-py: {dataset.path}"


def halved(volume, how):
    """A coarser level by factors of 2 along all axes, by loops: the mean to even, or the smallest of the most frequent."""
    shape = [-(-n // 2) for n in volume.shape]
    made = np.empty(shape, volume.dtype)
    for place in np.ndindex(*shape):
        window = volume[tuple(slice(2 * at, 2 * at + 2) for at in place)].ravel()
        if how == "mean":
            total, count = sum(map(int, window)), len(window)
            quotient, rest = divmod(total, count)
            made[place] = quotient + (2 * rest > count or (2 * rest == count and quotient % 2))
        else:
            values, counts = np.unique(window, return_counts=True)
            made[place] = values[counts == counts.max()].min()
    return made


def check_made(program, containers, out, name, dataset, how):
    """A pyramid made of a dataset, in readers other than ours."""
    result = run(program, containers / f"{name}.n5", out, "--dataset", dataset, "--downsample", how, "--chunk", "4,4,4",
                 "--shard", "8,8,8", "--verify")
    assert result.returncode == 0, result.stderr
    group = zarr.open_group(out, mode="r", zarr_format=3)
    [multiscale] = Image.from_zarr(group).ome_attributes.multiscales
    assert len(multiscale.datasets) > 1
    volume = group[multiscale.datasets[0].path][...]
    for dataset in multiscale.datasets[1:]:
        volume = halved(volume, how)
        for elements in (group[dataset.path][...], by_tensorstore(out / dataset.path)):
            assert np.array_equal(elements, volume), dataset.path
    return len(multiscale.datasets)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: Path(path).resolve())
    parser.add_argument("containers", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    program, containers, out = arguments.program, arguments.containers, arguments.out
    out.mkdir(parents=True)
    manifest = json.loads((containers / "manifest.json").read_text(encoding="utf-8"))
    count = failed = 0

    def report(what, check):
        nonlocal count, failed
        count += 1
        try:
            wrong = check()
        except Exception as error:  # whatever it is, it is the answer
            wrong = f"{type(error).__name__}: {error}"
        failed += wrong is not None
        print(f"{'FAIL' if wrong else 'pass'}  {what}{': ' + wrong if wrong else ''}")

    def rewritten(name, pyramid, datasets, options):
        def body():
            axes = AXES.get((name, pyramid["group"]), pyramid["axes"])
            target = out / name / f"{len(options)}" / (pyramid["group"] or "root")
            named = ["--axes", ",".join(axes)] if axes != pyramid["axes"] else []
            result = run(program, containers / f"{name}.n5", target, "--dataset", pyramid["group"], "--verify", *named, *options)
            if result.returncode != 0:
                return result.stderr
            check(target, axes, pyramid, datasets)

        return body

    for name, container in manifest.items():
        if name == "damaged":
            continue
        datasets = {dataset["path"]: dataset for dataset in container["datasets"]}
        for pyramid in container["pyramids"]:
            dimensionality = len(pyramid["axes"])
            small = ["--chunk", ",".join(["3"] * min(3, dimensionality)), "--shard", ",".join(["6"] * min(3, dimensionality))]
            report(f"{name}/{pyramid['group']}", rewritten(name, pyramid, datasets, []))
            report(f"{name}/{pyramid['group']}, small shards, blosc",
                   rewritten(name, pyramid, datasets, [*small, "--blosc", "zstd,5"]))
        for refused in container["not_arrays"]:
            def is_refused(refused=refused):
                result = run(program, containers / f"{name}.n5", out / "refused", "--dataset", refused["path"])
                names = {"label multisets": "label multiset", "an index of Paintera": "index of Paintera"}
                if result.returncode == 0 or names[refused["reason"]] not in result.stderr:
                    return f"expected to be refused as {refused['reason']}, found {result.returncode}: {result.stderr}"
                return "there is output" if (out / "refused").exists() else None

            report(f"{name}/{refused['path']} is refused", is_refused)
    for name, dataset, how in [("cosem", "crops/gt", "mode"), ("cosem", "crops/gt", "mean")]:
        report(f"{name}/{dataset} by {how}",
               lambda: check_made(program, containers, out / f"made_{how}", name, dataset, how) and None)
    print(f"check_rewrite: {count} checks, {failed} wrong")
    return 1 if failed or count < 30 else 0


if __name__ == "__main__":
    sys.exit(main())
