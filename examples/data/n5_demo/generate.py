#!/usr/bin/env python3
"""Writes volume.n5, the small N5 volume that the examples read, with z5py (scripts/requirements-interop.txt).

The picture is synthetic: a cell-like scene in the manner of a FIB-SEM scan, with a membrane, soft-edged organelles,
filaments and detector noise. The layout is that of the COSEM/OpenOrganelle N5 volumes, which n5-viewer also opens:
a multiscale group /volumes/raw with the scales s0, s1, s2. /volumes has no attributes.json: N5 does not ask for one.

    python examples/data/n5_demo/generate.py [OUTPUT]

The same numpy and z5py versions give the same bytes.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
import z5py

# z5py counts axes the other way round from N5: arrays here are indexed [z, y, x], N5 `dimensions` are [x, y, z].
SHAPE_ZYX = (32, 64, 64)
BLOCK_ZYX = (16, 32, 32)
SCALES = 3
RESOLUTION_XYZ = [4.0, 4.0, 5.24]


def smooth(volume, passes):
    """A binomial blur (1 2 1)/4 along every axis, `passes` times, edges repeated."""
    for _ in range(passes):
        for axis in range(volume.ndim):
            pad = [(1, 1) if a == axis else (0, 0) for a in range(volume.ndim)]
            padded = np.moveaxis(np.pad(volume, pad, mode="edge"), axis, 0)
            blurred = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
            volume = np.moveaxis(blurred, 0, axis)
    return volume


def ridge(distance, width):
    """1 on a surface or line, falling off softly with the distance from it."""
    return np.exp(-((distance / width) ** 2))


def ball(signed_distance, softness=1.0):
    """1 inside (negative distance), 0 outside, with a soft edge."""
    return 1 / (1 + np.exp(np.clip(signed_distance / softness, -40, 40)))


def scene(rng):
    """The volume as floats in 0..255, indexed [z, y, x]."""
    z, y, x = np.meshgrid(*(np.arange(n, dtype=float) for n in SHAPE_ZYX), indexing="ij")
    wobble = smooth(rng.normal(size=SHAPE_ZYX), 12) * 60

    # Cytoplasm, and a bent cell membrane with lighter resin beyond it.
    image = 150 + 3 * wobble
    membrane = x - 50 - 6 * np.sin(y / 11) - 3 * np.cos(z / 9) - 0.5 * wobble
    image += 50 * (1 - ball(membrane, 1.2))
    image -= 85 * ridge(membrane, 1.5)

    # Organelles: a dark rim around a mid-grey inside, the larger one with folds in it like a mitochondrion.
    organelles = [  # centre x, y, z; radii x, y, z; how dark the inside is; folds
        (20, 22, 15, 13, 9, 10, 30, True),
        (36, 47, 19, 7, 8, 7, 45, False),
        (13, 50, 9, 6, 6, 6, -25, False),
        (33, 8, 26, 5, 4, 5, 55, False),
    ]
    for cx, cy, cz, rx, ry, rz, depth, folds in organelles:
        reach = np.sqrt(((x - cx) / rx) ** 2 + ((y - cy) / ry) ** 2 + ((z - cz) / rz) ** 2)
        surface = (reach - 1) * min(rx, ry, rz) + 0.3 * wobble
        image -= depth * ball(surface)
        image -= 60 * ridge(surface, 1.2)
        if folds:
            image -= 35 * ball(surface + 2) * ridge(np.sin(x / 1.9 + y / 5 + z / 7), 0.45)

    # Filaments: thin dark lines that cross the slices at an angle.
    for slope_x, slope_y, start_x, start_y in [(0.5, 0.9, 4, 28), (-0.4, 0.7, 42, 30), (0.3, -0.5, 24, 62)]:
        line_x = start_x + slope_x * z + 1.5 * np.sin(z / 6)
        line_y = start_y + slope_y * z
        image -= 55 * ridge(np.hypot(x - line_x, y - line_y), 1.1)

    # Grain: some of it blurred by the optics, some not.
    image += smooth(rng.normal(scale=14, size=SHAPE_ZYX), 1) + rng.normal(scale=2, size=SHAPE_ZYX)
    return image


def halve(volume):
    """Every 2x2x2 cube becomes its mean, the usual way to make the next scale."""
    depth, height, width = (n // 2 for n in volume.shape)
    return volume.reshape(depth, 2, height, 2, width, 2).mean(axis=(1, 3, 5))


def transform(factor):
    """COSEM's `transform` of a scale: the centre of its first voxel, in nm, z first."""
    scale = [r * factor for r in reversed(RESOLUTION_XYZ)]
    translate = [r * (factor - 1) / 2 for r in reversed(RESOLUTION_XYZ)]
    return {"axes": ["z", "y", "x"], "scale": scale, "translate": translate, "units": ["nm"] * 3}


def write(path):
    factors = [2**scale for scale in range(SCALES)]
    shutil.rmtree(path, ignore_errors=True)
    root = z5py.N5File(str(path), mode="w")
    raw = root.create_group("volumes").create_group("raw")
    raw.attrs.update(
        {
            "axes": ["x", "y", "z"],
            "units": ["nm"] * 3,
            "pixelResolution": {"dimensions": RESOLUTION_XYZ, "unit": "nm"},
            "scales": [[factor] * 3 for factor in factors],
            "multiscales": [
                {
                    "name": "raw",
                    "datasets": [
                        {"path": f"s{scale}", "transform": transform(factor)}
                        for scale, factor in enumerate(factors)
                    ],
                }
            ],
        }
    )

    volume = scene(np.random.default_rng(20240607))
    for scale, factor in enumerate(factors):
        voxels = np.clip(np.rint(volume), 0, 255).astype("uint8")
        dataset = raw.create_dataset(
            f"s{scale}", data=voxels, chunks=BLOCK_ZYX, compression="gzip", level=9, n_threads=1
        )
        dataset.attrs.update(
            {
                "downsamplingFactors": [factor] * 3,
                "pixelResolution": {"dimensions": [r * factor for r in RESOLUTION_XYZ], "unit": "nm"},
                "transform": transform(factor),
            }
        )
        volume = halve(volume)


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("volume.n5"))
