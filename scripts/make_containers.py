#!/usr/bin/env python3
"""Writes N5 containers as people really have them, and what is true of them.

    scripts/make_containers.py OUT [--for-git] [--only NAME ...]

Makes OUT/NAME.n5 for every container below, OUT/bdv.xml beside bdv.n5, and OUT/manifest.json. Only the standard library of
Python 3.11 or newer is needed. Equal calls give equal bytes (with one version of zlib). OUT must be absent or empty.

| container | as written by | what is in it |
|---|---|---|
| cosem | COSEM, OpenOrganelle | `transform` on datasets, `multiscales` as objects and as plain strings; a ground truth crop |
| n5_viewer | n5-viewer, Fiji | new form, old form, a sampled pyramid, 2-D, 5-D without names |
| bdv | BigDataViewer, BigStitcher | dataset members on setupN, two time points; bdv.xml has the voxel sizes |
| bdv_zeros | BigDataViewer | leading zeros: setup00/timepoint00000 |
| paintera | Paintera | raw, labels, label multisets, unique-labels, label-to-block-mapping |
| neuroglancer | fibsem-tools, render | axes, units and factors on the group; edge blocks padded |
| damaged | accidents | broken documents, foreign things, broken blocks |

`--for-git` leaves out what git cannot hold: links, names that are not UTF-8, folders without permissions.

The manifest, an object by container name:
* `datasets`: `path`, `dimensions` (dimension 0 first), `dataType`, `formula` of the finest level or `null`, `downsampling`
  (`mean` rounded half up, `mode` with the smallest of equally frequent labels, `sample`) with its `factors`, and `crc32` of all
  elements as big-endian bytes, dimension 0 fastest.
* `pyramids`: `group`, `dialect`, `axes`, `units` (as OME-Zarr wants them), and `levels` with `path`, `scale`,
  `translation`, all in the order of N5.
* `not_arrays`: what must be refused, with the reason.
* `damage` (damaged only): `nodes`, what is wrong with which path, and `blocks`, what is wrong with which key:
  `detected` says whether a reader can know.
"""

import argparse
import itertools
import json
import os
import struct
import sys
import zlib
from collections import Counter
from pathlib import Path

FORMATS = {"uint8": "B", "int8": "b", "uint16": "H", "uint32": "I", "uint64": "Q", "float32": "f"}

GZIP = {"type": "gzip", "useZlib": False, "level": -1}
ZLIB = {"type": "gzip", "useZlib": True, "level": 1}
RAW = {"type": "raw"}


class Volume:
    """Elements of an array, dimension 0 fastest, and how they were made."""

    def __init__(self, dims, values, about):
        self.dims, self.values, self.about = list(dims), list(values), about

    @classmethod
    def of(cls, dims, formula):
        text, function = formula
        # itertools makes the last one fastest.
        values = [function(*reversed(place)) for place in itertools.product(*(range(n) for n in reversed(dims)))]
        return cls(dims, values, {"formula": text, "downsampling": None, "factors": [1] * len(dims)})

    def at(self, place):
        index = 0
        for size, position in zip(reversed(self.dims), reversed(place)):
            index = index * size + position
        return self.values[index]

    def block(self, start, shape):
        places = itertools.product(*(range(b, b + n) for b, n in zip(reversed(start), reversed(shape))))
        inside = lambda place: all(p < n for p, n in zip(place, self.dims))
        return [self.at(place) if inside(place) else 0 for place in (tuple(reversed(p)) for p in places)]

    def downsampled(self, factors, how, rounding):
        """A coarser level of the finest one. `rounding` of the sizes: floor (whole windows) or ceil (cut ones)."""
        up = (lambda n, f: -(-n // f)) if rounding == "ceil" else (lambda n, f: max(1, n // f))
        dims = [up(n, f) for n, f in zip(self.dims, factors)]
        values = []
        for place in itertools.product(*(range(n) for n in reversed(dims))):
            place = tuple(reversed(place))
            ranges = [range(p * f, min((p + 1) * f, n)) for p, f, n in zip(place, factors, self.dims)]
            if how == "sample":
                values.append(self.at(tuple(r[0] for r in ranges)))
                continue
            window = [self.at(inner) for inner in itertools.product(*ranges)]
            if how == "mean":
                values.append((2 * sum(window) + len(window)) // (2 * len(window)))
            else:
                counts = Counter(window)
                most = max(counts.values())
                values.append(min(label for label, count in counts.items() if count == most))
        about = {**self.about, "downsampling": how, "factors": list(factors)}
        return Volume(dims, values, about)


EM = ("(3x + 5y + 7z) mod 251", lambda x, y, z: (3 * x + 5 * y + 7 * z) % 251)
LIGHT = ("100 + 11x + 13y + 170z", lambda x, y, z: 100 + 11 * x + 13 * y + 170 * z)
LABELS = (
    "1 + floor(x / 5) + 10 floor(y / 3) + 100 floor(z / 4)",
    lambda x, y, z: 1 + x // 5 + 10 * (y // 3) + 100 * (z // 4),
)
FLAT = ("(x + 2y) mod 256", lambda x, y: (x + 2 * y) % 256)
HYPER = (
    "x + 4y + 16c + 40z + 100t",
    lambda x, y, c, z, t: x + 4 * y + 16 * c + 40 * z + 100 * t,
)


def compressed(payload, compression):
    if compression["type"] == "raw":
        return payload
    level = compression.get("level", -1)
    packer = zlib.compressobj(level, zlib.DEFLATED, 15 if compression.get("useZlib") else 31)
    return packer.compress(payload) + packer.flush()


def block_bytes(shape, values, data_type, compression):
    payload = struct.pack(f">{len(values)}{FORMATS[data_type]}", *values)
    return struct.pack(f">HH{len(shape)}I", 0, len(shape), *shape) + compressed(payload, compression)


def varlength_bytes(shape, payload, count, compression):
    """A block of mode 1: it says how many elements it has, whatever its shape is."""
    return struct.pack(f">HH{len(shape)}II", 1, len(shape), *shape, count) + compressed(payload, compression)


class Container:
    def __init__(self, out, name, version="2.0.0"):
        self.root = out / f"{name}.n5"
        self.root.mkdir()
        self.manifest = {"datasets": [], "pyramids": [], "not_arrays": []}
        self.version = version
        self.group("", {})

    def group(self, path, attributes):
        if path == "":
            attributes = {"n5": self.version, **attributes}
        self.write(f"{path}/attributes.json", json.dumps(attributes, ensure_ascii=False).encode())

    def write(self, path, content):
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def layout(self, path, dims, block, data_type, compression, attributes):
        layout = {"dataType": data_type, "compression": compression, "blockSize": block, "dimensions": dims}
        self.group(path, {**attributes, **layout})

    def dataset(self, path, volume, block, data_type, compression=GZIP, attributes=None, edges="truncated"):
        self.layout(path, volume.dims, block, data_type, compression, attributes or {})
        for position in itertools.product(*(range(-(-n // b)) for n, b in zip(volume.dims, block))):
            start = [p * b for p, b in zip(position, block)]
            left = [min(b, n - s) for b, n, s in zip(block, volume.dims, start)]
            shape = left if edges == "truncated" else block
            content = block_bytes(shape, volume.block(start, shape), data_type, compression)
            self.write(f"{path}/{'/'.join(map(str, position))}", content)
        elements = struct.pack(f">{len(volume.values)}{FORMATS[data_type]}", *volume.values)
        self.manifest["datasets"].append({
            "path": path, "dimensions": volume.dims, "dataType": data_type, **volume.about,
            "crc32": zlib.crc32(elements), "edges": edges,
        })

    def pyramid(self, group, dialect, axes, units, levels):
        self.manifest["pyramids"].append({
            "group": group, "dialect": dialect, "axes": axes, "units": units,
            "levels": [{"path": p, "scale": s, "translation": t} for p, s, t in levels],
        })


def times(one, other):
    return [rounded(a * b) for a, b in zip(one, other)]


def rounded(number):
    """Decimal fractions as people write them."""
    return round(number, 9)


def centre(resolution, factors, offset=None):
    """Where the centre of the first voxel lies when a voxel is the mean of `factors` finer ones."""
    offset = offset or [0.0] * len(resolution)
    return [rounded(o + (f - 1) / 2 * r) for o, f, r in zip(offset, factors, resolution)]


def cosem(out):
    container = Container(out, "cosem", version="2.1.3")
    resolution, offset = [4.0, 4.0, 3.36], [0.0, 100.0, 20.16]
    factors = [[1, 1, 1], [2, 2, 2], [4, 4, 4]]
    finest = Volume.of([18, 13, 11], EM)

    def levels(group, listed, names):
        entries, expected = [], []
        for index, factor in enumerate(factors):
            scale, move = times(resolution, factor), centre(resolution, factor, offset)
            back = names == ["z", "y", "x"]
            transform = {
                "axes": names, "order": "C" if back else "F",
                "scale": scale[::-1] if back else scale, "translate": move[::-1] if back else move,
                "units": ["nm", "nm", "nm"],
            }
            volume = finest if index == 0 else finest.downsampled(factor, "mean", "floor")
            attributes = {"pixelResolution": {"dimensions": scale, "unit": "nm"}, "transform": transform}
            container.dataset(f"{group}/s{index}", volume, [8, 8, 8], "uint8", GZIP, attributes)
            entries.append({"path": f"s{index}", "transform": transform})
            expected.append((f"s{index}", scale, move))
        datasets = entries if listed == "objects" else [entry["path"] for entry in entries]
        container.group(group, {
            "axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"], "scales": factors,
            "pixelResolution": {"dimensions": resolution, "unit": "nm"},
            "multiscales": [{"name": "fibsem-uint8", "datasets": datasets}],
        })
        container.pyramid(group, "COSEM", ["x", "y", "z"], ["nanometer"] * 3, expected)

    levels("em/fibsem-uint8", "objects", ["z", "y", "x"])
    levels("em/fibsem-strings", "strings", ["x", "y", "z"])
    crop = Volume.of([10, 9, 8], LABELS)
    container.dataset("crops/gt", crop, [8, 8, 8], "uint64", GZIP, {
        "resolution": [2.0, 2.0, 2.0], "offset": [1001.0, 2001.0, 501.0], "offset_unit": "nm",
    })
    container.pyramid("crops/gt", "plain", ["x", "y", "z"], ["nanometer"] * 3,
                      [("", [2.0, 2.0, 2.0], [1001.0, 2001.0, 501.0])])
    return container.manifest


def n5_viewer(out):
    container = Container(out, "n5_viewer")
    resolution, factors = [0.104, 0.104, 0.18], [[1, 1, 1], [2, 2, 1], [4, 4, 2]]
    finest = Volume.of([17, 14, 6], LIGHT)
    coarser = [finest] + [finest.downsampled(factor, "mean", "floor") for factor in factors[1:]]
    pixels = {"dimensions": resolution, "unit": "um"}
    expected = [(f"s{k}", times(resolution, f), centre(resolution, f)) for k, f in enumerate(factors)]
    micrometers = ["micrometer"] * 3

    # New form: the datasets say it.
    for index, (volume, factor) in enumerate(zip(coarser, factors)):
        attributes = {"downsamplingFactors": factor, "pixelResolution": pixels}
        container.dataset(f"c0/s{index}", volume, [8, 8, 4], "uint16", GZIP, attributes)
    container.group("c0", {})
    container.pyramid("c0", "n5-viewer", ["x", "y", "z"], micrometers, expected)

    # Old form: the root and the channel say it, the datasets nothing; a list without unit.
    container.group("", {"name": "old and new", "pixelResolution": pixels})
    container.group("c1", {"downsamplingFactors": factors})
    for index, volume in enumerate(coarser):
        container.dataset(f"c1/s{index}", volume, [8, 8, 4], "uint16", RAW)
    container.pyramid("c1", "n5-viewer", ["x", "y", "z"], micrometers, expected)

    # Fiji's pyramid by sampling: the first element of each window, so nothing moves.
    levels = []
    for index, factor in enumerate(factors):
        volume = finest if index == 0 else finest.downsampled(factor, "sample", "ceil")
        scale = times(resolution, factor)
        attributes = {"downsamplingFactors": [1, 1, 1], "pixelResolution": {"dimensions": scale, "unit": "µm"}}
        container.dataset(f"sampled/s{index}", volume, [8, 8, 4], "uint16", GZIP, attributes)
        levels.append((f"s{index}", scale, [0.0, 0.0, 0.0]))
    container.pyramid("sampled", "n5-viewer", ["x", "y", "z"], micrometers, levels)

    flat, levels = Volume.of([20, 12], FLAT), []
    for index, factor in enumerate([[1, 1], [2, 2]]):
        volume = flat if index == 0 else flat.downsampled(factor, "mean", "floor")
        attributes = {"downsamplingFactors": factor, "pixelResolution": {"dimensions": [0.5, 0.5], "unit": "mm"}}
        container.dataset(f"flat/s{index}", volume, [8, 8], "uint8", GZIP, attributes)
        levels.append((f"s{index}", times([0.5, 0.5], factor), centre([0.5, 0.5], factor)))
    container.pyramid("flat", "n5-viewer", ["x", "y"], ["millimeter"] * 2, levels)

    # Fiji's x, y, c, z, t: five sizes of a pixel, and no names.
    hyper = Volume.of([4, 4, 2, 3, 2], HYPER)
    attributes = {"pixelResolution": {"dimensions": [0.2, 0.2, 1.0, 0.9, 1.0], "unit": "um"}}
    container.dataset("hyper/s0", hyper, [4, 4, 1, 3, 1], "uint16", GZIP, attributes)
    container.pyramid("hyper", "n5-viewer", ["x", "y", None, None, None], ["micrometer"] * 2 + [None] * 3,
                      [("s0", [0.2, 0.2, 1.0, 0.9, 1.0], [0.0] * 5)])
    return container.manifest


def bdv(out, name="bdv", setup_name="setup{}", timepoint_name="timepoint{}", setups=2, timepoints=2, spark=True):
    container = Container(out, name)
    factors, voxels = [[1, 1, 1], [2, 2, 1]], [[0.406, 0.406, 2.0], [0.3, 0.3, 1.5]]
    for setup in range(setups):
        group = setup_name.format(setup)
        dims = [11, 10, 5]
        attributes = {"downsamplingFactors": factors, "dataType": "uint16"}
        if spark:
            # BigStitcher-Spark leaves the members of a dataset here as well.
            attributes = {"compression": ZLIB, "downsamplingFactors": factors, "blockSize": [8, 8, 4],
                          "dataType": "uint16", "dimensions": dims}
        container.group(group, attributes)
        for timepoint in range(timepoints):
            path = f"{group}/{timepoint_name.format(timepoint)}"
            shift = 1000 * setup + 200 * timepoint
            formula = (f"{100 + shift} + 11x + 13y + 170z", lambda x, y, z, s=shift: s + LIGHT[1](x, y, z))
            finest = Volume.of(dims, formula)
            attributes = {"multiScale": True, "resolution": [1.0, 1.0, 1.0], "saved_completely": True}
            container.group(path, attributes)
            levels = []
            for index, factor in enumerate(factors):
                volume = finest if index == 0 else finest.downsampled(factor, "mean", "ceil")
                own = {} if index == 0 else {"downsamplingFactors": factor}
                compression = ZLIB if spark else GZIP
                container.dataset(f"{path}/s{index}", volume, [8, 8, 4], "uint16", compression, own)
                levels.append((f"s{index}", times(voxels[setup], factor), centre(voxels[setup], factor)))
            container.pyramid(path, "BigDataViewer", ["x", "y", "z"], ["micrometer"] * 3, levels)
    xml = "".join(
        f"      <ViewSetup><id>{setup}</id><name>tile {setup}</name><size>11 10 5</size>\n"
        f"        <voxelSize><unit>µm</unit><size>{' '.join(map(str, voxels[setup]))}</size></voxelSize></ViewSetup>\n"
        for setup in range(setups)
    )
    (out / f"{name}.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n<SpimData version="0.2">\n  <BasePath type="relative">.</BasePath>\n'
        f'  <SequenceDescription>\n    <ImageLoader format="bdv.n5"><n5 type="relative">{name}.n5</n5></ImageLoader>\n'
        f"    <ViewSetups>\n{xml}    </ViewSetups>\n  </SequenceDescription>\n</SpimData>\n",
        encoding="utf-8",
    )
    container.manifest["xml"] = f"{name}.xml"
    return container.manifest


def bdv_zeros(out):
    return bdv(out, "bdv_zeros", "setup{:02}", "timepoint{:05}", setups=1, timepoints=1, spark=False)


def multiset_block(labels):
    """A block of label multisets: the most frequent label of each voxel, where its list begins, and the lists."""
    lists, starts = b"", []
    seen = {}
    for label in labels:
        if label not in seen:
            seen[label] = len(lists)
            lists += struct.pack("<iqi", 1, label, 1)
        starts.append(seen[label])
    return struct.pack(f">i{len(labels)}q{len(starts)}i", len(labels), *labels, *starts) + lists


def paintera(out):
    container = Container(out, "paintera")
    resolution, offset = [4.0, 4.0, 40.0], [10.0, 20.0, 300.0]
    factors = [[1, 1, 1], [2, 2, 1], [4, 4, 2]]
    dims, block = [14, 12, 6], [8, 8, 4]
    expected = [(f"s{k}", times(resolution, f), centre(resolution, f, offset)) for k, f in enumerate(factors)]

    def level_attributes(index, factor):
        own = {} if index == 0 else {"downsamplingFactors": [float(f) for f in factor]}
        return {**own, "unit": "nanometer"}

    def scalar(name, kind, formula, how, data_type):
        finest = Volume.of(dims, formula)
        maximum = {"maxId": max(finest.values)} if kind == "label" else {}
        container.group(f"volumes/{name}", {"painteraData": {"type": kind}, **maximum})
        container.group(f"volumes/{name}/data",
                        {"multiScale": True, "resolution": resolution, "offset": offset, **maximum})
        for index, factor in enumerate(factors):
            volume = finest if index == 0 else finest.downsampled(factor, how, "ceil")
            attributes = level_attributes(index, factor)
            container.dataset(f"volumes/{name}/data/s{index}", volume, block, data_type, GZIP, attributes)
        container.pyramid(f"volumes/{name}/data", "Paintera", ["x", "y", "z"], ["nanometer"] * 3, expected)
        return finest

    scalar("raw", "raw", EM, "mean", "uint8")
    labels = scalar("labels", "label", LABELS, "mode", "uint64")

    # The same labels as multisets, and the indices that Paintera keeps beside them.
    base = "volumes/multiset"
    container.group(base, {"painteraData": {"type": "label"}, "maxId": max(labels.values)})
    container.group(f"{base}/data", {"multiScale": True, "isLabelMultiset": True, "maxId": max(labels.values),
                                     "resolution": resolution, "offset": offset})
    container.group(f"{base}/unique-labels", {"multiScale": True})
    container.group(f"{base}/label-to-block-mapping", {})
    for index, factor in enumerate(factors[:2]):
        volume = labels if index == 0 else labels.downsampled(factor, "mode", "ceil")
        own = {**level_attributes(index, factor), "isLabelMultiset": True, "maxNumEntries": -1}
        container.layout(f"{base}/data/s{index}", volume.dims, block, "uint8", GZIP, own)
        container.layout(f"{base}/unique-labels/s{index}", volume.dims, block, "uint64", GZIP, {})
        blocks = {}
        for position in itertools.product(*(range(-(-n // b)) for n, b in zip(volume.dims, block))):
            start = [p * b for p, b in zip(position, block)]
            shape = [min(b, n - s) for b, n, s in zip(block, volume.dims, start)]
            inside = volume.block(start, shape)
            key = "/".join(map(str, position))
            payload = multiset_block(inside)
            container.write(f"{base}/data/s{index}/{key}", varlength_bytes(shape, payload, len(payload), GZIP))
            unique = sorted(set(inside))
            payload = struct.pack(f">{len(unique)}Q", *unique)
            container.write(f"{base}/unique-labels/s{index}/{key}",
                            varlength_bytes([len(unique)], payload, len(unique), GZIP))
            for label in unique:
                blocks.setdefault(label, []).append((start, shape))
        container.layout(f"{base}/label-to-block-mapping/s{index}", [2**63 - 1], [100], "int8", GZIP, {})
        payloads = {}
        for label, places in sorted(blocks.items()):
            entry = struct.pack(">qi", label, len(places))
            for start, shape in places:
                entry += struct.pack(">6q", *start, *(s + n for s, n in zip(start, shape)))
            payloads.setdefault(label // 100, b"")
            payloads[label // 100] += entry
        for key, payload in payloads.items():
            content = varlength_bytes([len(payload)], payload, len(payload), GZIP)
            container.write(f"{base}/label-to-block-mapping/s{index}/{key}", content)
    container.manifest["not_arrays"] += [
        {"path": f"{base}/data", "reason": "label multisets"},
        {"path": f"{base}/unique-labels", "reason": "an index of Paintera"},
        {"path": f"{base}/label-to-block-mapping", "reason": "an index of Paintera"},
    ]
    return container.manifest


def neuroglancer(out):
    container = Container(out, "neuroglancer", version="2.5.0")
    resolution, factors = [8.0, 8.0, 30.0], [[1, 1, 1], [2, 2, 1], [6, 6, 3]]
    finest, levels = Volume.of([19, 13, 7], EM), []
    container.group("volume", {
        "axes": ["x", "y", "z"], "units": ["nm", "nm", "nm"], "resolution": resolution, "scales": factors,
        "pixelResolution": {"dimensions": resolution, "unit": "nm"},
    })
    for index, factor in enumerate(factors):
        volume = finest if index == 0 else finest.downsampled(factor, "mean", "floor")
        scale = times(resolution, factor)
        attributes = {"pixelResolution": {"dimensions": scale, "unit": "nm"}}
        container.dataset(f"volume/s{index}", volume, [8, 8, 4], "uint8", GZIP, attributes, edges="padded")
        levels.append((f"s{index}", scale, centre(resolution, factor)))
    container.pyramid("volume", "Neuroglancer", ["x", "y", "z"], ["nanometer"] * 3, levels)
    return container.manifest


def damaged(out, for_git):
    container = Container(out, "damaged")
    nodes, blocks = [], []
    small = Volume.of([5, 3], FLAT)
    good = lambda path: container.dataset(path, small, [4, 4], "uint8", GZIP)
    node = lambda path, wrong, **more: nodes.append({"path": path, "wrong": wrong, **more})
    document = lambda path, text: container.write(f"{path}/attributes.json", text)

    good("good/s0")
    for name, text, wrong in [
        ("nan", b'{"contrast": NaN, "limits": [-Infinity, 1e400]}', "no JSON numbers, in members of a user"),
        ("empty", b"", "0 bytes: counts as no attributes"),
        ("list", b"[1,2]", "a list, not an object"),
        ("text", b'"text"', "a text, not an object"),
        ("cut", b'{"resolution": [4, 4', "ends early"),
        ("binary", b"\x00\xff\xfe\x00attributes", "no text"),
        ("stray", b'{"dimensions": [5, 3], "dataType": "uint8"}', "a dataset without blockSize and compression"),
    ]:
        document(f"{name}/c0", text)
        good(f"{name}/c0/s0")
        node(f"{name}/c0", wrong, child=f"{name}/c0/s0")
    layout = {"dimensions": [5, 3], "blockSize": [4, 4], "dataType": "uint8", "compression": GZIP}
    dataset = json.dumps(layout).encode()
    document("nan_dimensions", dataset.replace(b"[5, 3]", b"[5, NaN]"))
    node("nan_dimensions", "NaN in a member of the layout")

    # Folders where documents should be, as a NAS makes them.
    container.write("folder_document/attributes.json/SynoEAStream", b"\x00")
    good("folder_document/s0")
    node("folder_document", "a folder named attributes.json", child="folder_document/s0")
    container.write("folder_zarr/zarr.json/SynoEAStream", b"\x00")
    good("folder_zarr/s0")
    node("folder_zarr", "a folder named zarr.json", child="folder_zarr/s0")
    for system in ["@eaDir", "$RECYCLE.BIN", "System Volume Information", "lost+found", "__MACOSX", ".hidden", ".snapshot"]:
        document(f"{system}/c0", dataset)
        node(f"{system}/c0", "in a system folder: skipped, never written to", system=True)
    container.write("@eaDir/attributes.json/SynoEAStream", b"\x00")
    good("__private")
    node("__private", "Zarr cannot open names that begin with `__`: reported")

    zarray = {"zarr_format": 2, "shape": [4], "chunks": [4], "dtype": "|u1", "compressor": None, "fill_value": 0,
              "order": "C", "filters": None, "dimension_separator": None}
    container.write("zarr_v2/.zarray", json.dumps(zarray).encode())
    container.write("zarr_v2/0", bytes([1, 2, 3, 4]))
    node("zarr_v2", 'a Zarr V2 array with "dimension_separator": null')

    if not for_git:
        os.symlink(".", container.root / "loop_x")
        os.symlink(".", container.root / "loop_y")
        os.symlink("nowhere", container.root / "dangling")
        node("loop_x", "a link to its own folder")
        node("loop_y", "a link to its own folder")
        node("dangling", "a link to nothing")
        strange = os.path.join(os.fsencode(container.root), b"caf\xe9")
        os.mkdir(strange)
        with open(os.path.join(strange, b"attributes.json"), "wb") as file:
            file.write(dataset)
        node("caf\\xe9", "a name that is not UTF-8")
        locked = container.root / "locked"
        locked.mkdir()
        locked.chmod(0)
        node("locked", "a folder that may not be read (root may)")

    broken_blocks(container, blocks)
    container.manifest["damage"] = {"nodes": nodes, "blocks": blocks}
    # The folder of blocks is right as a document, but its elements are not.
    container.manifest["datasets"] = [d for d in container.manifest["datasets"] if not d["path"].startswith("blocks")]
    return container.manifest


def broken_blocks(container, blocks):
    wide = Volume.of([54, 6], FLAT)
    for name, compression in [("gzip", GZIP), ("raw", RAW)]:
        container.dataset(f"blocks/{name}", wide, [4, 4], "uint8", compression)
        root = container.root / "blocks" / name

        def change(key, wrong, edit, detected=True, root=root, name=name):
            (root / key).write_bytes(edit((root / key).read_bytes()))
            blocks.append({"key": f"blocks/{name}/{key}", "wrong": wrong, "detected": detected})

        def flip(content):
            # In the check sum of gzip, or in the elements of a raw block.
            place = len(content) - 6
            return content[:place] + bytes([content[place] ^ 0x10]) + content[place + 1:]

        header = 12
        is_gzip = compression is GZIP
        change("1/0", "0 bytes", lambda c: b"")
        change("2/0", "cut in the header", lambda c: c[:3])
        change("3/0", "cut behind the header", lambda c: c[:header])
        change("4/0", "cut in the elements", lambda c: c[: header + (len(c) - header) // 2])
        change("5/0", "all bytes zero", lambda c: bytes(len(c)))
        change("6/0", "one bit is flipped in the payload", flip, detected=is_gzip)
        change("7/0", "16 bytes of garbage behind the block", lambda c: c + b"garbage behind!!")
        change("8/0", "16 zeros behind the block", lambda c: c + bytes(16))
        change("9/0", "the mode is 7", lambda c: b"\x00\x07" + c[2:])
        change("10/0", "the header has 3 dimensions", lambda c: struct.pack(">HH3I", 0, 3, 4, 4, 1) + c[header:])
        change("11/0", "the header claims 2^31 elements and more",
               lambda c: struct.pack(">HH2I", 0, 2, 65536, 65536) + c[header:])
        change("12/0", "the header says 4 x 5, the payload has 4 x 4",
               lambda c: struct.pack(">HH2I", 0, 2, 4, 5) + c[header:])
        change("1/1", "a payload of another compression",
               lambda c: c[:header] + (zlib.compress(bytes(8)) if is_gzip else zlib.compress(bytes(200), 0)))
        one, other = root / "2/1", root / "3/1"
        first, second = one.read_bytes(), other.read_bytes()
        one.write_bytes(second)
        other.write_bytes(first)
        for key in ["2/1", "3/1"]:
            blocks.append({"key": f"blocks/{name}/{key}", "wrong": "swapped with its neighbour, of the same shape",
                           "detected": False})
        (root / "4/1").unlink()
        blocks.append({"key": f"blocks/{name}/4/1", "wrong": "missing: reads as 0", "detected": False})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--for-git", action="store_true", help="without what git cannot hold")
    makers = {
        "cosem": cosem, "n5_viewer": n5_viewer, "bdv": bdv, "bdv_zeros": bdv_zeros, "paintera": paintera,
        "neuroglancer": neuroglancer, "damaged": None,
    }
    parser.add_argument("--only", nargs="+", choices=list(makers), metavar="NAME", help="of " + ", ".join(makers))
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    if any(out.iterdir()):
        sys.exit(f"make_containers: {out} is not empty")
    manifest = {}
    for name in arguments.only or makers:
        maker = makers[name]
        manifest[name] = damaged(out, arguments.for_git) if maker is None else maker(out)
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (out / "manifest.json").write_text(text + "\n", encoding="utf-8")
    datasets = sum(len(container["datasets"]) for container in manifest.values())
    print(f"make_containers: {len(manifest)} containers with {datasets} datasets in {out}")


if __name__ == "__main__":
    main()
