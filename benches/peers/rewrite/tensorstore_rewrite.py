#!/usr/bin/env python3
"""Rewrites an N5 dataset as sharded Zarr V3 by tensorstore, shard by shard: the peer of n5_to_zarr in measure.py.

    benches/peers/rewrite/tensorstore_rewrite.py SOURCE OUT --order zyx|stored --threads N

The shapes are measure.py's: shards of 256^3, chunks of 64^3, zstd 3. N shards are under way at a time, and tensorstore's own
pools are held to N threads. Neither is anything cached nor is a pyramid or metadata of OME-Zarr written.
"""

import argparse
import itertools
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tensorstore

SHARD, CHUNK, LEVEL = 256, 64, 3


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--order", choices=["zyx", "stored"], required=True)
    parser.add_argument("--threads", type=int, required=True)
    arguments = parser.parse_args()
    context = {
        "data_copy_concurrency": {"limit": arguments.threads},
        "file_io_concurrency": {"limit": arguments.threads},
        "cache_pool": {"total_bytes_limit": 0},
    }
    source = tensorstore.open(
        {"driver": "n5", "kvstore": f"file://{arguments.source.resolve()}/", "context": context}, read=True, open=True
    ).result()
    if arguments.order == "zyx":
        source = source.T
    dimensionality = source.rank
    inner = [
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "zstd", "configuration": {"level": LEVEL}},
    ]
    sharding = {"name": "sharding_indexed", "configuration": {"chunk_shape": [CHUNK] * dimensionality, "codecs": inner}}
    out = tensorstore.open(
        {
            "driver": "zarr3",
            "kvstore": f"file://{arguments.out.resolve()}/",
            "context": context,
            "metadata": {
                "shape": list(source.shape),
                "data_type": source.dtype.name,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [SHARD] * dimensionality}},
                "codecs": [sharding],
            },
        },
        create=True,
    ).result()

    def rewrite(corner):
        region = tuple(slice(start, min(start + SHARD, end)) for start, end in zip(corner, source.shape))
        out[region].write(source[region].read().result()).result()

    with ThreadPoolExecutor(arguments.threads) as threads:
        corners = itertools.product(*(range(0, end, SHARD) for end in source.shape))
        for done in threads.map(rewrite, corners):
            assert done is None


if __name__ == "__main__":
    main()
