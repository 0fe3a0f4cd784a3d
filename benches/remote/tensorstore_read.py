"""One read of N5 at a URL by tensorstore in one process, for run.py: a line of JSON as the program beside this prints.

    python tensorstore_read.py URL DATASET START SHAPE
"""

import json
import resource
import sys
import time

import tensorstore


def peak_memory():
    with open("/proc/self/status") as status:
        [line] = [line for line in status if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


url, path, start, shape = sys.argv[1:]
start = [int(number) for number in start.split(",")]
shape = [int(number) for number in shape.split(",")]
spec = {"driver": "n5", "kvstore": f"{url}/{path}/", "context": {"cache_pool": {"total_bytes_limit": 0}}}
array = tensorstore.open(spec, read=True, open=True).result()
region = array[tuple(slice(first, first + length) for first, length in zip(start, shape))]
before = cpu()
begun = time.monotonic()
read = region.read().result()
seconds = time.monotonic() - begun
print(json.dumps({"seconds": seconds, "cpu": cpu() - before, "memory": peak_memory(), "bytes_read": read.nbytes}))
