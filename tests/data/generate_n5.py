#!/usr/bin/env python3
"""Writes tests/data/tensorstore, tests/data/z5py and tests/data/zarr_python_2: N5 containers made by these three.

    python tests/data/generate_n5.py        (with scripts/requirements-interop.txt)

Each folder gets a manifest.json in the format of the Java cases. What is written is read back with all three, and the
script fails when a value is wrong or when no other implementation than the writer could confirm it.
The pinned versions give the same bytes at every run.
"""

import gzip
import itertools
import json
import shutil
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numcodecs
import numpy as np
import tensorstore
import z5py
import zarr

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
from n5_cases import DATA_TYPES, block_region, formula_a, formula_values, save  # noqa: E402
from n5_readers import READERS, check  # noqa: E402

# Python's gzip puts the time into its header; numcodecs uses it.
gzip.time = SimpleNamespace(time=lambda: 0)
warnings.simplefilter("ignore", FutureWarning)

# Odd members of every JSON kind, for groups and datasets alike; no N5 member among them.
ATTRIBUTES = {
    "int": 42,
    "double": 0.1,
    "bool": True,
    "text": "Zürich 日本語",
    "list": [1.5, -2.0],
    "nested": {"deeper": [None, {"value": 3}]},
}


class Tensorstore:
    folder, reader, edge = "tensorstore", "tensorstore", "padded"
    compressions = {
        "raw": {"type": "raw"},
        "gzip": {"type": "gzip"},
        "gzip_zlib": {"type": "gzip", "useZlib": True},
        "bzip2": {"type": "bzip2"},
        "xz": {"type": "xz"},
        "zstd": {"type": "zstd"},
        "blosc": {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1},
    }
    parameters = {
        "gzip_0": {"type": "gzip", "level": 0},
        "gzip_9": {"type": "gzip", "level": 9},
        "gzip_zlib_1": {"type": "gzip", "level": 1, "useZlib": True},
        "bzip2_1": {"type": "bzip2", "blockSize": 1},
        "xz_0": {"type": "xz", "preset": 0},
        "xz_9": {"type": "xz", "preset": 9},
        "zstd_-5": {"type": "zstd", "level": -5},
        "zstd_19": {"type": "zstd", "level": 19},
        **{
            f"blosc_{cname}": {"type": "blosc", "cname": cname, "clevel": 5, "shuffle": 1}
            for cname in ("blosclz", "lz4", "lz4hc", "zlib", "zstd")
        },
        "blosc_noshuffle": {"type": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 0},
        "blosc_bitshuffle": {"type": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2},
        "blosc_clevel0": {"type": "blosc", "cname": "lz4", "clevel": 0, "shuffle": 1},
        "blosc_blocksize": {"type": "blosc", "cname": "lz4", "clevel": 9, "shuffle": 1, "blocksize": 512},
    }

    def create(self, container, dataset, dims, block_size, data_type, compression, attributes=None):
        metadata = {
            "dimensions": dims,
            "blockSize": block_size,
            "dataType": data_type,
            "compression": compression,
            **(attributes or {}),
        }
        spec = {"driver": "n5", "kvstore": f"file://{container}/{dataset}", "metadata": metadata}
        array = tensorstore.open(spec, create=True).result()

        def write(region, values):
            array[region].write(values).result()

        return write

    def own_cases(self, build):
        # No group has an attributes.json, the root neither; axes, units and resolution are members it knows.
        known = {"axes": ["x", "y"], "units": ["nm", "nm"], "resolution": [4.0, 40.5]}
        build.dataset("groups", "a/b/c/ds1", [6, 5], [4, 4], "uint8", attributes={**ATTRIBUTES, **known},
                      notes="nested; no group has an attributes.json, not even the root")
        build.dataset("groups", "a/ds2", [6, 5], [4, 4], "int8", "raw", notes="beside a group")
        build.dataset("root_dataset", "", [7, 5], [4, 3], "uint8", notes="the root is the dataset; no n5 member")


class Z5py:
    folder, reader, edge = "z5py", "z5py", "truncated"
    compressions = {name: (name, {}) for name in ("raw", "gzip", "bzip2", "xz", "zstd", "blosc")}
    parameters = {
        "gzip_1": ("gzip", {"level": 1}),
        "gzip_9": ("gzip", {"level": 9}),
        "bzip2_9": ("bzip2", {"level": 9}),
        "xz_9": ("xz", {"level": 9}),
        "zstd_19": ("zstd", {"level": 19}),
        **{f"blosc_{cname}": ("blosc", {"codec": cname}) for cname in ("blosclz", "lz4hc", "zlib", "zstd")},
        "blosc_noshuffle": ("blosc", {"codec": "lz4", "shuffle": 0}),
        "blosc_bitshuffle": ("blosc", {"codec": "zstd", "shuffle": 2}),
        "blosc_clevel0": ("blosc", {"codec": "lz4", "clevel": 0}),
    }

    def create(self, container, dataset, dims, block_size, data_type, compression, attributes=None):
        name, options = compression
        array = z5py.N5File(str(container), mode="a").create_dataset(
            dataset, shape=dims[::-1], chunks=tuple(block_size[::-1]), dtype=data_type, compression=name, **options
        )
        if attributes:
            array.attrs.update(attributes)

        def write(region, values):
            array[region[::-1]] = np.ascontiguousarray(values.T)

        return write

    def own_cases(self, build):
        build.dataset("groups", "a/b/c/ds1", [6, 5], [4, 4], "uint8", attributes=ATTRIBUTES,
                      notes="nested; a has attributes, a/b and a/b/c have no attributes.json")
        z5py.N5File(str(build.path / "groups"), mode="a")["a"].attrs.update(ATTRIBUTES)
        build.dataset("groups", "a/ds2", [6, 5], [4, 4], "int8", "raw", notes="in a group with attributes")

        build.dataset("mixed_edges", "data", [11, 7], [4, 3], "uint16", edge="mixed",
                      notes="z5py wrote every block (edges truncated), then tensorstore some of them (edges padded)")
        path = build.path / "mixed_edges/data"
        array = tensorstore.open({"driver": "n5", "kvstore": f"file://{path}/"}).result()
        values = formula_values(formula_a("uint16"), [11, 7], "uint16")
        for region in [np.s_[8:11, 0:3], np.s_[0:4, 6:7], np.s_[4:8, 3:6]]:
            array[region].write(values[region]).result()

        build.dataset("refused", "foreign_frames", [11, 7], [4, 3], "uint16", ("lz4", {}), refused="lz4",
                      notes="z5py's lz4 is a bare LZ4 block and `blockSize` its level: not lz4-java's stream")
        build.dataset("refused", "other_mode", [6, 5], [3, 5], "uint8", "raw", refused="varlength", formula=None,
                      missing=[[0, 0], [1, 0]],
                      notes="blocks in varlength mode (1), as Paintera's label multisets have; dataType is uint8")
        build.entries[-1]["missing_blocks"] = []  # they come now, in a way that has no region of the array
        array = z5py.N5File(str(build.path / "refused"), mode="a")["other_mode"]
        for block, length in [((0, 0), 4), ((0, 1), 9)]:
            array.write_chunk(block, np.arange(length, dtype="uint8"), True)


class ZarrPython2:
    folder, reader, edge = "zarr_python_2", "zarr-python 2", "padded"
    compressions = {
        "raw": None,
        "gzip": numcodecs.GZip(),
        "gzip_zlib": numcodecs.Zlib(),
        "bzip2": numcodecs.BZ2(9),
        "xz": numcodecs.LZMA(),
        "zstd": numcodecs.Zstd(),
        "blosc": numcodecs.Blosc(),
    }
    parameters = {
        "gzip_9": numcodecs.GZip(9),
        "gzip_zlib_9": numcodecs.Zlib(9),
        "bzip2_1": numcodecs.BZ2(1),
        "xz_9": numcodecs.LZMA(preset=9),
        "zstd_19": numcodecs.Zstd(19),
        "zstd_checksum": numcodecs.Zstd(3, checksum=True),
        **{f"blosc_{cname}": numcodecs.Blosc(cname) for cname in ("blosclz", "lz4hc", "zlib", "zstd")},
        "blosc_noshuffle": numcodecs.Blosc("lz4", shuffle=0),
        "blosc_bitshuffle": numcodecs.Blosc("lz4", shuffle=2),
        "blosc_autoshuffle": numcodecs.Blosc("lz4", shuffle=-1),
        "blosc_clevel0": numcodecs.Blosc("lz4", clevel=0),
        "blosc_blocksize": numcodecs.Blosc("lz4", blocksize=512),
    }

    def create(self, container, dataset, dims, block_size, data_type, compression, attributes=None):
        array = zarr.create(
            shape=dims[::-1], chunks=block_size[::-1], dtype=data_type, compressor=compression,
            store=zarr.N5Store(str(container)), path=dataset,
        )
        array.attrs.update(attributes or {})

        def write(region, values):
            array[region[::-1]] = values.T

        return write

    def own_cases(self, build):
        build.dataset("groups", "a/b/c/ds1", [6, 5], [4, 4], "uint8", attributes=ATTRIBUTES,
                      notes="nested; N5Store writes the n5 member into every group; a has attributes")
        zarr.open_group(zarr.N5Store(str(build.path / "groups")), path="a").attrs.update(ATTRIBUTES)
        build.dataset("groups", "a/ds2", [6, 5], [4, 4], "int8", "raw", notes="in a group with attributes")
        build.dataset("root_dataset", "", [7, 5], [4, 3], "uint8",
                      notes="the root is the dataset and has the n5 member")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # zarr warns that nobody else reads lzma
            build.dataset("refused", "legacy_stream", [11, 7], [4, 3], "uint16", numcodecs.LZMA(format=2), refused="lzma",
                          notes="compression `lzma`, a legacy .lzma stream: only N5Store has it")
        build.dataset("refused", "foreign_frames", [11, 7], [4, 3], "uint16", numcodecs.LZ4(), refused="lz4",
                      notes="numcodecs' lz4 (a length, then a bare LZ4 block) is not lz4-java's stream")
        for dataset, data_type in [("truth_values", "bool"), ("half_precision", "float16")]:
            build.dataset("refused", dataset, [6, 5], [4, 4], data_type, refused=data_type, formula=None,
                          notes="a data type that N5 does not have")


class Builder:
    """Writes the datasets of one writer and collects their manifest entries."""

    def __init__(self, writer):
        self.writer = writer
        self.path = HERE / writer.folder
        self.entries = []

    def dataset(self, case, dataset, dims, block_size, data_type, compression="gzip", formula="A", missing=(),
                edge=None, notes="", attributes=None, refused=None):
        if isinstance(compression, str):
            compression = self.writer.compressions[compression]
        container = self.path / case
        write = self.writer.create(container, dataset, dims, block_size, data_type, compression, attributes)

        formula = formula_a(data_type) if formula == "A" else formula
        values = formula_values(formula, dims, data_type)
        if values is None:
            values = np.ones(dims, data_type)
        stored = json.loads((container / dataset / "attributes.json").read_text())
        block_size = stored["blockSize"]  # z5py makes it no larger than the array
        missing = [list(block) for block in missing]
        for block in itertools.product(*(range(-(-d // b)) for d, b in zip(dims, block_size))):
            if list(block) not in missing:
                region = tuple(slice(s.start, min(s.stop, d)) for s, d in zip(block_region(block, block_size), dims))
                write(region, values[region])

        entry = {
            "case": case, "dataset": dataset, "dims": dims, "blockSize": block_size, "dataType": data_type,
            "compression": stored["compression"], "formula": formula, "edge": edge or self.writer.edge,
            "notes": notes, "missing_blocks": missing,
        }
        if refused:
            # A word that our error must contain (so the dataset is not named after it); absent from what must read.
            entry["refused"] = refused
        self.entries.append(entry)

    def common_cases(self):
        for name, data_type in itertools.product(self.writer.compressions, DATA_TYPES):
            self.dataset("types", f"{name}/{data_type}", [40, 6], [32, 6], data_type, name)
        for name, compression in self.writer.parameters.items():
            self.dataset("parameters", name, [20, 17, 4], [16, 16, 4], "uint16", compression)
        for dims, block_size, data_type in [
            ([23], [10], "uint8"),
            ([13, 9], [5, 4], "float32"),
            ([11, 7, 5], [4, 3, 2], "int16"),
            ([5, 4, 3, 7], [2, 3, 2, 4], "uint32"),
            ([3, 4, 2, 3, 5], [2, 3, 2, 2, 3], "int64"),
        ]:
            for name in ("raw", "gzip"):
                self.dataset("ranks", f"{name}/{len(dims)}d", dims, block_size, data_type, name)
        self.dataset("edges", "aligned", [8, 6, 4], [4, 3, 2], "uint8", "raw", {"id": "B"}, edge="aligned")
        self.dataset("edges", "one_short_block", [5, 3], [8, 8], "uint8", formula={"id": "C"})
        self.dataset("edges", "singletons", [1, 6, 1], [1, 4, 1], "float64", "raw")
        self.dataset("sparse", "data", [11, 7, 5], [4, 3, 2], "int16", missing=[(1, 1, 1), (2, 2, 0), (0, 0, 2)],
                     notes="3 of 27 blocks missing")
        self.dataset("sparse", "empty", [5, 4], [2, 3], "uint16", missing=itertools.product(range(3), range(2)),
                     notes="no block at all")

    def verify(self):
        """Every dataset that ours must read is confirmed by another implementation than its writer."""
        confirmed = {name: 0 for name in READERS}
        for entry in self.entries:
            if entry["formula"] is None:
                continue
            results = {name: check(name, self.path, entry) for name in READERS}
            for name, (outcome, why) in results.items():
                if outcome == "FAIL":
                    sys.exit(f"{self.path.name}/{entry['case']}/{entry['dataset']}: {name}: {why}")
                confirmed[name] += outcome == "pass"
            others = [name for name, (outcome, _) in results.items() if outcome == "pass" and name != self.writer.reader]
            if not others and "refused" not in entry:
                sys.exit(f"{self.path.name}/{entry['case']}/{entry['dataset']}: no other implementation reads it")
        reads = ", ".join(f"{name} reads {count}" for name, count in confirmed.items())
        print(f"{self.path.name}: {len(self.entries)} datasets; {reads}")


def main():
    for writer in (Tensorstore(), Z5py(), ZarrPython2()):
        build = Builder(writer)
        shutil.rmtree(build.path, ignore_errors=True)
        build.common_cases()
        writer.own_cases(build)
        save(build.path, build.entries)
        build.verify()


if __name__ == "__main__":
    main()
