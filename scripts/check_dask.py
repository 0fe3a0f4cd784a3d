#!/usr/bin/env python3
"""Rewrites a volume on a Dask cluster of two local workers, one of which is killed half way, and checks every element.

    python scripts/check_dask.py N5_TO_ZARR FOLDER      (with scripts/requirements-rewrite.txt)

Makes FOLDER/volume.n5 with a few hundred blocks by tensorstore, runs scripts/dask_n5_to_zarr.py over it with coarser levels
made, kills one of its workers when half of the parts of the first phase are through, and compares the result in zarr-python 3
and in tensorstore's zarr3 driver with what numpy makes of the same elements. FOLDER must not exist.
"""

import argparse
import os
import signal
import sys
from pathlib import Path

import numpy as np
import tensorstore as ts
import zarr
from distributed import Client, LocalCluster

sys.path.insert(0, str(Path(__file__).resolve().parent))
import dask_n5_to_zarr  # noqa: E402

# x, y, z: 8 x 7 x 6 blocks, none of which ends with a shard.
SHAPE, BLOCK = (124, 100, 90), (16, 16, 16)
PARTS = 24


def elements():
    """The volume in (z, y, x) order. A corner is fill value, so that some shards have no file."""
    z, y, x = np.ogrid[: SHAPE[2], : SHAPE[1], : SHAPE[0]]
    volume = (3 * x + 7 * y + 31 * z + (x * y * z) % 97 + 1).astype(np.uint16)
    volume[64:, 64:, 64:] = 0
    return volume


def write(path, volume):
    array = ts.open({
        "driver": "n5",
        "kvstore": {"driver": "file", "path": str(path / "raw")},
        "metadata": {
            "dimensions": SHAPE, "blockSize": BLOCK, "dataType": "uint16", "axes": ["x", "y", "z"],
            "compression": {"type": "gzip"},
        },
        "create": True,
    }).result()
    array.write(volume.transpose()).result()
    (path / "attributes.json").write_text('{"n5": "2.0.0"}')
    return sum(1 for block in path.rglob("*") if block.is_file() and block.name.isdigit())


def halved(volume):
    """A level made by mean: windows end with the volume, halves go to the even number."""
    volume = volume.astype(np.float64)
    for axis in range(3):
        pad = [(0, 0)] * 3
        pad[axis] = (0, volume.shape[axis] % 2)
        volume = np.pad(volume, pad, constant_values=np.nan)
        shape = list(volume.shape)
        shape[axis : axis + 1] = [shape[axis] // 2, 2]
        # The windows of an edge have fewer elements, all of the same weight: half and half is right along each axis.
        volume = np.nanmean(volume.reshape(shape), axis=axis + 1)
    # Sums of 16 bits divided by 8 are exact.
    return np.rint(volume).astype(np.uint16)


def check(out, expected):
    group = zarr.open_group(out, mode="r", zarr_format=3)
    [image] = group.attrs["ome"]["multiscales"]
    paths = [dataset["path"] for dataset in image["datasets"]]
    assert paths == [f"s{index}" for index in range(len(expected))], paths
    for path, volume in zip(paths, expected):
        by_zarr = group[path][...]
        by_tensorstore = ts.open({
            "driver": "zarr3", "kvstore": {"driver": "file", "path": str(out / path)}
        }).result().read().result()
        for reader, found in [("zarr-python", by_zarr), ("tensorstore", by_tensorstore)]:
            assert found.dtype == volume.dtype and found.shape == volume.shape, (reader, path, found.dtype, found.shape)
            wrong = np.argwhere(found != volume)
            assert not len(wrong), f"{reader}: {path}: {len(wrong)} elements differ, the first at {wrong[0]}"
    print(f"check_dask: {len(paths)} levels are equal element for element in both readers")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True)
    volume = elements()
    blocks = write(folder / "volume.n5", volume)
    assert blocks >= 300, blocks
    expected = [volume]
    while max(expected[-1].shape) > 16:
        expected.append(halved(expected[-1]))
    killed = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:

        def kill_one(done):
            if done == PARTS // 2 and not killed:
                workers = client.run(os.getpid)
                pid = sorted(workers.values())[0]
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

        out = folder / "volume.zarr"
        total = dask_n5_to_zarr.rewrite(
            client, str(arguments.program.resolve()),
            [str(folder / "volume.n5"), str(out), "--chunk", "16,16,16", "--shard", "32,32,32",
             "--downsample", "mean", "--threads", "1"],
            PARTS, retries=3, on_done=kill_one,
        )
    assert len(killed) == 1, "no worker was killed"
    print(f"check_dask: {blocks} blocks; one of two workers was killed; {total}")
    assert total["empty"] > 0 and total["written"] > 0
    check(out, expected)

    # What fails, fails loudly: a block that cannot be read.
    block = folder / "volume.n5/raw/3/3/1"
    block.write_bytes(block.read_bytes()[:-9])
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        try:
            dask_n5_to_zarr.rewrite(
                client, str(arguments.program.resolve()),
                [str(folder / "volume.n5"), str(folder / "broken.zarr"), "--chunk", "16,16,16", "--shard", "64,64,64"],
                4, retries=1,
            )
        except dask_n5_to_zarr.Failed as error:
            assert "raw/3/3/1" in str(error) and "failed 2 times" in str(error), error
        else:
            raise AssertionError("a corrupt block did not end the run")
    print("check_dask: a corrupt block ends the run with its name")


if __name__ == "__main__":
    main()
