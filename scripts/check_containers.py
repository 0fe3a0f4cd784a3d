#!/usr/bin/env python3
"""Reads what scripts/make_containers.py wrote with tensorstore, and compares every element.

    python scripts/check_containers.py tests/data/containers    (with scripts/requirements-interop.txt)

The manifest says what the elements are: by their formula, the coarser levels by their factors, and by `crc32`. Exits with 1 if any dataset is wrong, or if there is
none. Datasets that are broken on purpose are not among those of the manifest.
"""

import json
import re
import sys
import zlib
from pathlib import Path

import numpy as np
import tensorstore as ts

NAMES = {2: "xy", 3: "xyz", 5: "xyczt"}


def by_formula(formula, dimensions):
    """The elements of a formula such as `(3x + 5y + 7z) mod 251`, as an array indexed dimension 0 first."""
    text = re.sub(r"\bmod\b", "%", formula)
    text = re.sub(r"floor\(([^()]*)\)", r"((\1) // 1)", text).replace(" / ", " // ")
    text = re.sub(r"(\d+) ?(?=[a-z(])", r"\1 * ", text)
    grid = np.meshgrid(*(np.arange(size) for size in dimensions), indexing="ij")
    return eval(text, {"__builtins__": {}}, dict(zip(NAMES[len(dimensions)], grid)))  # our own manifest


def downsampled(finest, shape, factors, how):
    """A coarser level of the finest one; windows end with the finest level."""
    level = np.empty(shape, finest.dtype)
    for place in np.ndindex(*shape):
        window = finest[tuple(slice(p * f, (p + 1) * f) for p, f in zip(place, factors))]
        if how == "sample":
            level[place] = window.flat[0]
        elif how == "mean":
            level[place] = np.floor(window.mean() + 0.5)
        else:
            labels, counts = np.unique(window, return_counts=True)
            level[place] = labels[counts.argmax()]
    return level


def check(container, dataset, datasets):
    """What is wrong, or None."""
    store = {"driver": "file", "path": str(container / dataset["path"])}
    found = ts.open({"driver": "n5", "kvstore": store}, open=True, read=True).result().read().result()
    if list(found.shape) != dataset["dimensions"] or found.dtype.name != dataset["dataType"]:
        return f"{found.dtype.name} {list(found.shape)}"
    elements = found.astype(found.dtype.newbyteorder(">")).tobytes(order="F")
    if zlib.crc32(elements) != dataset["crc32"]:
        return "the checksum is wrong"
    finest = f"{dataset['path'].rpartition('/')[0]}/s0" if dataset["downsampling"] else dataset["path"]
    right = by_formula(dataset["formula"], datasets[finest]["dimensions"])
    if dataset["downsampling"]:
        right = downsampled(right, dataset["dimensions"], dataset["factors"], dataset["downsampling"])
    if (found != right).any():
        return f"{(found != right).sum()} elements are not those of {dataset['formula']}"
    return None


def main():
    folder = Path(sys.argv[1])
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    count = failed = 0
    for name, container in manifest.items():
        datasets = {dataset["path"]: dataset for dataset in container["datasets"]}
        for dataset in container["datasets"]:
            try:
                wrong = check(folder / f"{name}.n5", dataset, datasets)
            except Exception as error:  # whatever it is, it is the answer
                wrong = f"{type(error).__name__}: {error}"
            count += 1
            if wrong:
                failed += 1
                print(f"FAIL  {name}.n5 {dataset['path']}: {wrong}")
    print(f"check_containers: {count} datasets, {failed} wrong")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
