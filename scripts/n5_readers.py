"""Reads N5 datasets with three independent implementations, and says what each of them cannot read, and why.

Every reader takes the container's folder and the dataset's name ("" for the root) and gives the whole array indexed
in the order of the N5 dimensions, [x0, x1, ...].
"""

import json
import tempfile
import warnings
from pathlib import Path

from n5_cases import expected


def read_tensorstore(container, dataset):
    import tensorstore

    path = Path(container, dataset).resolve()
    return tensorstore.open({"driver": "n5", "kvstore": f"file://{path}/"}).result().read().result()


def read_zarr_python_2(container, dataset):
    import zarr

    with warnings.catch_warnings():
        # zarr-python 2 announces the end of its N5Store at every use.
        warnings.simplefilter("ignore", FutureWarning)
        array = zarr.open_array(zarr.N5Store(str(container)), path=dataset, mode="r")
    # N5Store turns the axes around: Zarr V2's order is C where N5's is F.
    return array[...].T


def read_z5py(container, dataset):
    import z5py

    # z5py wants a root with an attributes.json, which tensorstore does not write, and knows no dataset at the root.
    with tempfile.TemporaryDirectory() as root:
        Path(root, "attributes.json").write_text('{"n5": "2.0.0"}')
        Path(root, "data").symlink_to(Path(container, dataset).resolve())
        return z5py.N5File(root, mode="r")["data"][...].T


READERS = {"tensorstore": read_tensorstore, "zarr-python 2": read_zarr_python_2, "z5py": read_z5py}

_N5_MEMBERS = {
    "raw": {"type"},
    "gzip": {"type", "level", "useZlib"},
    "bzip2": {"type", "blockSize"},
    "xz": {"type", "preset"},
    "zstd": {"type", "level"},
    "blosc": {"type", "cname", "clevel", "shuffle", "blocksize"},
}


class _Dataset:
    """What the rules below look at: the attributes and, where it matters, the blocks."""

    def __init__(self, container, dataset):
        self.folder = Path(container, dataset)
        self.attributes = json.loads((self.folder / "attributes.json").read_text())
        self.is_root = dataset == ""
        compression = self.attributes.get("compression")
        self.compression = compression if isinstance(compression, dict) else {}
        self.type = self.compression.get("type")

    def unknown_members(self):
        return set(self.compression) - _N5_MEMBERS.get(self.type, set(self.compression))

    def units_of_another_rank(self):
        return len(self.attributes.get("units", self.attributes["dimensions"])) != len(self.attributes["dimensions"])

    def has_zarr_json(self):
        return (self.folder / "zarr.json").exists()

    def holds_lz4_java_streams(self):
        blocks = [path for path in self.folder.rglob("*") if path.is_file() and path.name.isdigit()]
        return any(b"LZ4Block" in block.read_bytes() for block in blocks)


# (reader, rule, reason), the first whose rule holds is given. `check` fails a rule that a reader no longer bears out.
_UNSUPPORTED = [
    ("tensorstore", lambda d: d.type is None, "does not know the compressionType of N5 1.x"),
    ("tensorstore", lambda d: d.type == "lz4", "has no lz4 compression"),
    ("tensorstore", lambda d: d.type == "lzma", "has no lzma compression"),
    ("tensorstore", lambda d: d.unknown_members(), "refuses members of `compression` that it does not know"),
    ("tensorstore", lambda d: d.compression.get("shuffle") == -1, "does not know blosc's automatic shuffle, -1"),
    ("tensorstore", lambda d: d.units_of_another_rank(), "wants as many units as dimensions"),
    ("zarr-python 2", lambda d: d.type is None, "does not know the compressionType of N5 1.x"),
    ("zarr-python 2", lambda d: d.type == "lz4" and "blockSize" in d.compression, "its lz4 is not lz4-java's stream"),
    ("zarr-python 2", lambda d: d.is_root and "n5" not in d.attributes, "wants the n5 member in a dataset at the root"),
    ("z5py", lambda d: d.has_zarr_json(), "refuses a dataset with a zarr.json beside its attributes.json"),
    ("z5py", lambda d: d.type == "lzma", "has no lzma compression"),
    ("z5py", lambda d: d.type == "lz4" and "blockSize" not in d.compression, "wants lz4's blockSize"),
    ("z5py", lambda d: d.holds_lz4_java_streams(), "its lz4 is a bare LZ4 block, not lz4-java's stream"),
]


def unsupported(reader, container, dataset):
    """Why a reader cannot read a dataset, or None when it should."""
    described = _Dataset(container, dataset)
    for name, rule, reason in _UNSUPPORTED:
        if name == reader and rule(described):
            return reason
    return None


def check(reader, folder, entry):
    """Compares what a reader gives for an entry with what is right: ("pass" | "unsupported" | "FAIL", why)."""
    container = Path(folder, entry["case"])
    right = expected(entry)
    reason = unsupported(reader, container, entry["dataset"])
    try:
        found = READERS[reader](container, entry["dataset"])
    except Exception as error:  # each reader has its own kinds of errors, and any of them is the answer here
        return ("unsupported", reason) if reason else ("FAIL", f"{type(error).__name__}: {error}")

    if reason:
        return "FAIL", f"reads after all; strike from the list of what it cannot: {reason}"
    if found.dtype != right.dtype or found.shape != right.shape:
        return "FAIL", f"gives {found.dtype}{list(found.shape)}, expected {right.dtype}{list(right.shape)}"
    wrong = found != right
    if wrong.any():
        first = tuple(int(i) for i in next(zip(*wrong.nonzero())))
        return "FAIL", f"{wrong.sum()} wrong elements, the first at {first}: {found[first]}, expected {right[first]}"
    return "pass", ""
