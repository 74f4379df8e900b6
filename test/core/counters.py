#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads the streams of threads without hybmon's code, and says what their counters counted in each call and between
calls: a line `PROCESS.STREAM REGION VALUE...` for a call, and `PROCESS.STREAM > REGION VALUE...` for what lies between
the end of a call and the begin of the next one, in the order of the set.

usage: counters.py EXPERIMENT [sets | ends]
sets: the definitions; ends: which calls have counters: with both ends, at the end, at the begin, or none
"""
import glob
import os
import struct
import sys

MASK = (1 << 64) - 1
ENTER, LEAVE, EPOCH, METRIC = 0x01, 0x02, 0x03, 0x63
DEF_REGION, DEF_METRIC, DEF_SET = 0xE2, 0xF9, 0xFA


def chunks(path):
    """The words of each chunk, by their sequence numbers."""
    with open(path, "rb") as file:
        data = file.read()
    size, = struct.unpack_from("<I", data, 20)
    found = {}
    for at in range(4096, len(data), size):
        if len(data) < at + 64 or data[at:at + 4] != b"cbyh":
            continue
        seq, used = struct.unpack_from("<QQ", data, at + 8)
        if at + 64 + 8 * used <= len(data):
            found.setdefault(seq, struct.unpack_from(f"<{used}Q", data, at + 64))
    return [found[seq] for seq in sorted(found)]


def records(words):
    at = 0
    while at < len(words):
        word = words[at]
        kind = word >> 56
        length = (kind >> 5 & 3) + 1
        if length == 4:
            length = word >> 40 & 0xFFFF
        assert kind and length, f"no record: {word:#x}"
        yield kind, words[at:at + length]
        at += length


def text(words, length):
    return struct.pack(f"<{len(words)}Q", *words)[:length].decode(), -(-length // 8)


def definitions(path):
    regions, metrics, sets = {}, {}, {}
    for chunk in chunks(path):
        for kind, words in records(chunk):
            number = words[0] & (1 << 40) - 1
            if kind == DEF_REGION:
                regions[number] = text(words[2:], words[1] >> 32)[0]
            elif kind == DEF_METRIC:
                name, used = text(words[4:], words[2] & 0xFFFFFFFF)
                unit, more = text(words[4 + used:], words[2] >> 32)
                about, _ = text(words[4 + used + more:], words[3] & 0xFFFFFFFF)
                fields = struct.unpack("<BBBbI", struct.pack("<Q", words[1]))
                metrics[number] = (name, unit, about, *fields)
            elif kind == DEF_SET:
                count = words[1] & 0xFFFFFFFF
                ids = struct.unpack(f"<{len(words[2:]) * 2}I", struct.pack(f"<{len(words[2:])}Q", *words[2:]))
                sets[number] = [metrics[i][0] for i in ids[:count]]
    return regions, metrics, sets


def values(words):
    data = struct.pack(f"<{len(words)}Q", *words)
    at = 0
    while True:
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        yield (value >> 1) ^ -(value & 1)


def thread(path, sets):
    """(what, region, values or None) of each Enter and Leave of a thread."""
    for chunk in chunks(path):
        last = {}
        counted = None
        for kind, words in records(chunk):
            if kind == METRIC:
                number, count = words[1] & 0xFFFFFFFF, words[1] >> 32 & 0x7FFFFFFF
                assert count == len(sets[number]), "a METRIC has another number of values than its set"
                decoder = values(words[2:])
                old = last.get(number, [0] * count)
                counted = last[number] = [old[i] + next(decoder) & MASK for i in range(count)]
            elif kind < 0x80 and kind != EPOCH:
                if kind in (ENTER, LEAVE):
                    yield kind, words[0] >> 40 & 0xFFFF, counted
                counted = None


def less(a, b):
    return [x - y for x, y in zip(a, b)]


def main():
    experiment = sys.argv[1]
    for process in sorted(glob.glob(experiment + "/*/defs.hyb")):
        folder = os.path.dirname(process)
        regions, metrics, sets = definitions(process)
        if sys.argv[2:] == ["sets"]:
            for metric in metrics.values():
                print(*metric, sep="|")
            continue
        for path in sorted(glob.glob(folder + "/thread-*.hyb")):
            name = os.path.basename(folder) + "." + path.rsplit("-", 1)[1][:-4]
            stack, before, kinds = [], None, {}
            for kind, region, counted in thread(path, sets):
                title = regions.get(region, str(region))
                if kind == ENTER:
                    if before and counted and len(sys.argv) == 2:
                        print(name, ">", title, *less(counted, before))
                    stack.append(counted)
                elif stack:
                    begin = stack.pop()
                    ends = title + " " + {(1, 1): "both", (0, 1): "end", (1, 0): "begin", (0, 0): "none"}[
                        bool(begin), bool(counted)]
                    kinds[ends] = kinds.get(ends, 0) + 1
                    if sys.argv[2:] == ["ends"]:
                        continue
                    print(name, title, *(less(counted, begin) if counted and begin else ["-"]))
                before = counted or before
            if sys.argv[2:] == ["ends"]:
                for ends, count in sorted(kinds.items()):
                    print(ends, count)
    return 0


if __name__ == "__main__":
    sys.exit(main())
