"""The test cases of tests/data: the manifest format, and the right value of every element.

A folder of cases holds N5 containers and a manifest.json, a list of entries in the format of the Java cases
(tests/data/java): case (the container's folder), dataset, dims, blockSize, dataType, compression, formula, edge,
notes and missing_blocks. FORMULAS.md beside the Java cases defines the formulas. Here arrays are indexed in the order
of the N5 dimensions, [x0, x1, ...], as Zarr sees N5.
"""

import json
from pathlib import Path

import numpy as np

COEFFICIENTS = (1, 101, 10007, 1000003, 100000007)

# tests/data/java/FORMULAS.md, formula A: K, M and offset of each data type.
_INTEGERS_A = {
    "uint8": (1, 251, 0),
    "int8": (1, 251, 125),
    "uint16": (263, 65521, 0),
    "int16": (263, 65521, 32760),
    "uint32": (2654435761, 4294967291, 0),
    "int32": (2654435761, 4294967291, 2147483645),
    "uint64": (1234567890123456789, 18446744073709551557, 0),
    "int64": (1234567890123456789, 18446744073709551557, 9223372036854775778),
}
DATA_TYPES = (*_INTEGERS_A, "float32", "float64")


def formula_a(data_type):
    """The manifest's `formula` object of formula A for a data type; the big numbers are strings, as in Java's."""
    if data_type in _INTEGERS_A:
        k, m, offset = _INTEGERS_A[data_type]
        return {"id": "A", "K": str(k), "M": str(m), "offset": str(offset), "scale": 1.0, "bias": 0.0}
    return {"id": "A", "K": "1", "M": "65521", "offset": "0", "scale": 0.5, "bias": -7.25}


def _values_a(formula, x, data_type):
    k, m, offset = (int(formula[name]) for name in ("K", "M", "offset"))
    s = sum(index.astype(object) * coefficient for index, coefficient in zip(x, COEFFICIENTS))
    f = (s * k) % m - offset
    if data_type in _INTEGERS_A:
        return f.astype(data_type)
    return (f.astype("float64") * formula["scale"] + formula["bias"]).astype(data_type)


def _values_b(dims, x):
    i = np.zeros(dims, "uint64")
    stride = 1
    for index, size in zip(x, dims):
        i += index.astype("uint64") * np.uint64(stride)
        stride *= size
    # SplitMix64; numpy's unsigned arrays wrap around, as the formula asks.
    z = (i + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return (z & np.uint64(0xFF)).astype("uint8")


def formula_values(formula, dims, data_type):
    """Every element as the formula says, missing blocks or not; None when there is no formula."""
    if formula is None:
        return None
    x = np.indices(dims)
    match formula["id"]:
        case "A":
            return _values_a(formula, x, data_type)
        case "B":
            return _values_b(dims, x)
        case "C":
            return np.where(x[1] % 2 == 1, 7, _values_b(dims, x)).astype("uint8")
    raise ValueError(f"unknown formula {formula['id']}")


def expected(entry):
    """The array that a reader must give for an entry: the formula, and 0 in the missing blocks."""
    values = formula_values(entry["formula"], entry["dims"], entry["dataType"])
    if values is not None:
        for block in entry["missing_blocks"]:
            values[block_region(block, entry["blockSize"])] = 0
    return values


def block_region(block, block_size):
    """The slices of the elements in a block; those beyond the array's end do no harm in numpy."""
    return tuple(slice(g * size, (g + 1) * size) for g, size in zip(block, block_size))


def load(folder):
    """The entries of a folder's manifest."""
    return json.loads((Path(folder) / "manifest.json").read_text())


def save(folder, entries):
    """Writes a folder's manifest, an entry a line."""
    lines = ",\n".join(" " + json.dumps(entry) for entry in entries)
    (Path(folder) / "manifest.json").write_text(f"[\n{lines}\n]\n")


def compression_label(compression):
    """How tables name a compression: its type, and what else makes it another format."""
    if isinstance(compression, str):
        return f"{compression} (1.x)"
    if compression["type"] == "gzip" and compression.get("useZlib"):
        return "gzip+useZlib"
    if compression["type"] == "blosc":
        return f"blosc {compression.get('cname', '')}".strip()
    return compression["type"]
