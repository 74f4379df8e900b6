#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What hybmon filter says, against what the program said and what lies in the streams.

filter-check.py visits JSON SAID...: each region has the visits that the ranks said, and the sums hold
filter-check.py bytes JSON EXPERIMENT: before.bytes is what the chunks of the threads' streams have
filter-check.py after JSON JSON: what was predicted by the first is what the second, recorded with its filter, has
"""
import collections
import json
import pathlib
import struct
import sys


def said(files):
    counts = collections.Counter()
    for name in files:
        for line in open(name):
            kind, count, region = line.rstrip("\n").split(" ", 2)
            counts[kind, region] += int(count)
    return counts


def seen(document, out=True):
    return {(r["kind"], r["name"]): r["visits"] for r in document["regions"] if out or r["verdict"] != "out"}


def visits(path, *files):
    document = json.load(open(path))
    expected, got = dict(said(files)), seen(document)
    if not expected or expected != got:
        print({k: (expected.get(k), got.get(k)) for k in set(expected) | set(got) if expected.get(k) != got.get(k)})
        return False
    after = [r for r in document["regions"] if r["verdict"] != "out"]
    rest = document["before"]["bytes"] - sum(r["bytes"] for r in document["regions"])
    ok = rest >= 0 and document["before"]["visits"] == sum(got.values())
    ok &= document["after"]["visits"] == sum(r["visits"] for r in after)
    ok &= document["after"]["bytes"] == rest + sum(r["bytes"] for r in after)
    ok &= abs(document["before"]["overhead"] - document["price"] * sum(got.values())) < 1
    ok &= all(0 <= r["own"] <= document["time"] and 0 <= r["time"] <= document["time"] for r in document["regions"])
    if not ok:
        print("sums do not hold:", document)
    return ok


def chunks(path):
    """Words of the chunks of a stream, from the bytes of the file."""
    data = path.read_bytes()
    header_size, chunk_size = struct.unpack_from("<II", data, 16)
    found = {}
    for at in range(header_size, len(data) - 64, chunk_size):
        magic, _, seq, used = struct.unpack_from("<IIQQ", data, at)
        if magic == 0x68796263:
            found[seq] = used
    return sum(found.values())


def same_bytes(path, experiment):
    document = json.load(open(path))
    words = sum(chunks(p) for p in pathlib.Path(experiment).glob("*/thread-*.hyb"))
    print(document["before"]["bytes"], "bytes, in the streams", 8 * words)
    return words > 0 and document["before"]["bytes"] == 8 * words


def after(first, second):
    first, second = json.load(open(first)), json.load(open(second))
    # how often an operation was asked for is another time another number
    drop = ("mpi", "MPI_Test")
    left, got = seen(first, False), seen(second)
    left.pop(drop, None)
    got.pop(drop, None)
    print("predicted", first["after"], "recorded", second["before"])
    if left != got:
        print({k: (left.get(k), got.get(k)) for k in set(left) | set(got) if left.get(k) != got.get(k)})
        return False
    # A call takes a word less where it is short, which is another time for others so.
    return abs(first["after"]["bytes"] - second["before"]["bytes"]) < 0.1 * second["before"]["bytes"]


sys.exit(0 if {"visits": visits, "bytes": same_bytes, "after": after}[sys.argv[1]](*sys.argv[2:]) else 1)
