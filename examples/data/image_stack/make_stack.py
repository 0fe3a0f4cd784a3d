"""Make the image stack beside this file: smooth random shapes that look like an electron micrograph,
cut into JPEG tiles as CATMAID wants them (tile source type 1, `{z}/{row}_{col}_{zoom}.jpg`).

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy pillow
    /tmp/venv/bin/python make_stack.py

The zarr.json beside it is not made here: it is written by hand, and is all that the stack needs to
be a Zarr array.
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

SLICES, ROWS, COLUMNS, TILE = 4, 3, 4, 64
FOLDER = Path(__file__).parent


def smooth(noise: np.ndarray, sigma: float) -> np.ndarray:
    """Blur along all axes, wrapping around, and scale to 0..1."""
    spectrum = np.fft.fftn(noise)
    for axis, length in enumerate(noise.shape):
        frequency = np.fft.fftfreq(length)
        shape = [1] * noise.ndim
        shape[axis] = length
        spectrum = spectrum * np.exp(-2 * (np.pi * sigma * frequency) ** 2).reshape(shape)
    blurred = np.fft.ifftn(spectrum).real
    return (blurred - blurred.min()) / (blurred.max() - blurred.min())


def volume() -> np.ndarray:
    """Cells with dark membranes that drift from slice to slice, as uint8 in (z, y, x) order."""
    random = np.random.default_rng(20)
    shape = (32, ROWS * TILE, COLUMNS * TILE)
    field = smooth(random.normal(size=shape), 7)
    membranes = np.abs(np.sin(field * 25))
    grain = smooth(random.normal(size=shape), 1)
    grey = 70 + 110 * np.minimum(membranes * 2.5, 1) + 40 * grain
    return np.clip(grey, 0, 255).astype(np.uint8)[::4][:SLICES]


def main() -> None:
    for z, image in enumerate(volume()):
        picture = Image.fromarray(image)
        # The number of the slice, across a corner of four tiles.
        ImageDraw.Draw(picture).text((TILE - 12, TILE - 12), f"z = {z}", fill=255)
        (FOLDER / str(z)).mkdir(exist_ok=True)
        for row in range(ROWS):
            for column in range(COLUMNS):
                left, upper = column * TILE, row * TILE
                tile = picture.crop((left, upper, left + TILE, upper + TILE))
                tile.save(FOLDER / str(z) / f"{row}_{column}_0.jpg", quality=85)


if __name__ == "__main__":
    main()
