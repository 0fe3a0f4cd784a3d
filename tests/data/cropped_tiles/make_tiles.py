"""Make the JPEG tiles beside this file: a stack of two slices of 40 x 56 pixels in tiles of 32 x 32, whose
last tiles are cropped to what is left of the slice.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy pillow
    /tmp/venv/bin/python make_tiles.py

The zarr.json beside it is written by hand.
"""

from pathlib import Path

import numpy as np
from PIL import Image

SLICES, HEIGHT, WIDTH, TILE = 2, 40, 56, 32
FOLDER = Path(__file__).parent

z, y, x = np.mgrid[:SLICES, :HEIGHT, :WIDTH]
volume = np.uint8(127 + 60 * np.sin((x + 20 * z) / 7) + 60 * np.cos(y / (5 + z)))
for z in range(SLICES):
    (FOLDER / str(z)).mkdir(exist_ok=True)
    for row, top in enumerate(range(0, HEIGHT, TILE)):
        for column, left in enumerate(range(0, WIDTH, TILE)):
            tile = volume[z, top : top + TILE, left : left + TILE]
            Image.fromarray(tile).save(FOLDER / f"{z}/{row}_{column}_0.jpg", quality=85)
