#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes an experiment that has each record and definition, with small words, large ones and all ones, byte by byte and
without hybmon's code: lines.py FOLDER"""
import os
import struct
import sys

CHUNK = 64 << 10
DEFS, THREAD, CPU = 1, 2, 3
TSC, RAW = 1, 3
MIB = 1 << 20
ONES = (1 << 64) - 1
BOUNDED = {16, 17}  # RMA and IO say in bits 39-32 what they are

# of attached records: one, two, three words, as many as they say
ATTACHED = [[1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 27, 28, 29],
            [1, 2, 3, 4, 5, 16, 17, 18, 19, 20], [1, 2, 3, 4, 16, 17, 18, 19], [16, 17, 18, 27]]


def attached(size, number, payload, *words):
    record = (0x80 | size << 5 | number) << 56 | payload & (1 << 56) - 1
    if size == 3:
        record = record & ~(0xFFFF << 40) | (len(words) + 1) << 40
    return [record, *(word & ONES for word in words)]


class Stream:
    def __init__(self, kind, number, counter):
        self.kind, self.number, self.counter, self.words, self.time = kind, number, counter, [], MIB

    def timed(self, kind, identity, *more):
        self.time += 1000
        self.words += [kind << 56 | identity << 40 | self.time, *(word & ONES for word in more)]

    def variable(self, kind, words, more=()):
        self.time += 1000
        self.words += [kind << 56 | (len(words) + 1) << 40 | self.time, *(word & ONES for word in words), *more]

    def defined(self, number, identity, data):
        data += bytes(-len(data) % 8)
        self.words += [(0xE0 | number) << 56 | (len(data) // 8 + 1) << 40 | identity,
                       *struct.unpack(f"={len(data) // 8}Q", data)]

    def write(self, path):
        room = (CHUNK - 64) // 8
        assert len(self.words) <= room, len(self.words)
        header = struct.pack("=8sIHHIIIIIIQQQQ48xQQQQQQQQ64s", b"hybmon\r\n", 0x01020304, 1, 2, 4096, CHUNK, self.kind,
                             self.counter, self.number, 0, 7, 8, MIB, 1, 2, 1, 0, 0, 0, 0, self.time, 0, b"main \x1b[1m")
        chunk = struct.pack("=IIQQQQQQ8x", 0x68796263, self.number, 1, len(self.words), MIB, 0, 0, 5)
        with open(path, "wb") as file:
            file.write(header.ljust(4096, b"\0") + chunk + struct.pack(f"={len(self.words)}Q", *self.words))
            file.truncate(4096 + CHUNK)


def definitions(counter):
    pack = struct.pack
    stream = Stream(DEFS, 0, counter)
    for time in (0, 10**6, 10**9):
        stream.defined(1, 0, pack("=5Q", MIB + 2 * time, 10**9 + time, 10**9 + time, 10**18 + time, 10))
    stream.defined(17, 1, pack("=QII", 0x400000, 6, 4) + b"/bin/a\0\0" + b"\1\2\3\4\0\0\0\0" + pack("=3Q", 0x400000, 0x500000, 0))
    stream.defined(2, 1, pack("=BBBBI", 1, 1, 0, 0, 8) + b"MPI_Send")
    stream.defined(2, 2, pack("=BBBBI", 40, 9, 3, 0, 900) + b"a \"b\"\n\x1b")
    stream.defined(2, 3, pack("=BBBBI", 0, 0, 0, 0, 4) + b"mine")
    stream.defined(16, 1, pack("=QQ", 0x400123, 1))
    stream.defined(15, 3, pack("=II", 42, 8) + b"/src/a.c")
    stream.defined(3, 1, pack("=QQIIIIII", 5, ONES, 1, 0, 2, 0, 1, 1))
    stream.defined(3, 2, pack("=QQIIIIIIQQQ", 6, 7, 3, 1, 2, 3, 1, 0, 0, 0, 9))
    stream.defined(3, 3, pack("=QQIIIIII", 6, 8, 9, 2**32 - 1, 2, 3, 1, 0))
    stream.defined(5, 2, pack("=Q", 9) + b"my \"comm\"")
    stream.defined(5, 77, pack("=Q", 3) + b"abc")
    stream.defined(4, 1, pack("=IIII6I", 0, 6, 0, 0, 0, 1, 2, 3, 7, 8))
    stream.defined(4, 2, pack("=IIII2I", 4, 99, 1, 0, 2**32 - 1, 5))
    stream.defined(8, 5, pack("=IIII2I", 0, 2, 0, 0, 3, 5))
    stream.defined(8, 6, pack("=IIII", 0, 0, 0, 0))
    for kind, more in ((1, (2, 3, 1, 0, 0, 1)), (2, (1, 0)), (3, (4, 5, 6, 7)), (8, (1,))):
        stream.defined(13, 1, pack("=8I", kind, 2 if kind < 3 else 1, 2 if kind == 2 else 1, 5, 6, kind == 3, 0, len(more)) +
                       pack(f"={len(more)}I", *more))
    stream.defined(13, 2, pack("=8I", 1, 1, 1, 0, 0, 0, 3, 3) + pack("=4I", 1, 2, 3, 0))
    for role in range(9):
        stream.defined(12, 2, pack("=QQQII", MIB + 500, 1, 2, role, role if role else 2**32 - 1))
    stream.defined(10, 0, pack("=iiii", -2, -1, -3, 0))
    stream.defined(6, 1, pack("=QQII", 1, 2, 1, 0))
    stream.defined(7, 1, pack("=Q", 3) + b"win")
    stream.defined(7, 9, pack("=Q", 99) + b"w")
    stream.defined(9, 1, pack("=IIII", 1, 5, 4, 0) + b"/f 1")
    stream.defined(9, 2, pack("=IIII", 2**32 - 1, 0, 0, 0))
    stream.defined(14, 1, pack("=Q", 4) + b"text")
    stream.defined(14, 2, pack("=Q", 0))
    stream.defined(28, 1, pack("=QQ", 0x400200, 1 << 40))
    stream.defined(28, 2, pack("=QQ", 0x400300, 1 | 1 << 40))
    stream.defined(28, 3, pack("=QQ", 1 << 48 | 0x900000, 0))
    stream.defined(18, 4, pack("=QIIII", 9, 2, 1, 1, 0))
    stream.defined(29, 0, pack("=QQQII", 1, 2, 3, 1, 0))
    stream.defined(25, 1, pack("=BBBbIIIII", 0, 0, 10, 0, 0, 1, 1, 1, 0) + b"m\0\0\0\0\0\0\0u\0\0\0\0\0\0\0d")
    stream.defined(25, 2, pack("=BBBbIIIII", 2, 1, 2, -3, 13, 3, 0, 1, 0) + b"n n\0\0\0\0\0d")
    stream.defined(26, 1, pack("=III", 2, 0, 1) + pack("=I", 2))
    for which in range(4):
        stream.defined(19, 0, pack("=QII", MIB + 700 + which, 0, which))
    for kind in range(6):
        stream.defined(20, kind + 1, pack("=QIIII16s", 0, 100 + kind, 100, 1, kind, b"sixteen letters!" if kind == 1 else b"task " + b"%d" % kind))
    for kind in range(7):
        stream.defined(21, kind << 32 | 3, pack("=Q", 5) + b"name%d" % kind)
    stream.defined(21, 1 << 32 | 4, pack("=Q", 900) + b"overlong")
    stream.defined(22, 1, pack("=IIII3Q", 1, 2, 100, 0, 0xFFFF800000000010, 0x400123, 0x77))
    stream.defined(23, 0, pack("=QII", 0xFFFF800000000000, 64, 6) + b"symbol")
    stream.defined(24, 100, pack("=5Q", 0, 0x400000, 0x1000, 0, 6) + b"/bin/a")
    # too short, and not known
    for number in [*range(1, 31)]:
        stream.defined(number, 1, b"")
    return stream


def thread():
    stream = Stream(THREAD, 0, TSC)
    for kind in (1, 2, 4, 5, 6, 7, 9):
        for identity in (0, 1, 2, 3, 99):
            stream.timed(kind, identity)
    for kind in range(5):
        stream.variable(0x61, [1, 7, 8, MIB + 90, kind][:5 if kind else 4])
    stream.variable(0x63, [1 | 2 << 32, 3, 4])
    stream.variable(0x63, [1 | 2 << 32 | 1 << 63, 6, 8])
    stream.variable(0x63, [9 | 1 << 32, 6])
    stream.variable(0x63, [1 | 9 << 32])
    stream.variable(0x64, [1 << 63])
    stream.variable(0x64, [4, 1 << 24 | 3, 5, 600, 1 << 56 | 2 << 24 | 1, 7, 800, 9 << 24, 1, 1])
    values = (0, 1, 0x0102030405060708, 0x0001000500000003, ONES, 5 << 32 | 1)
    for size, numbers in enumerate(ATTACHED):
        for number in numbers:
            whats = range(21) if size == 3 and number in BOUNDED else range(len(values))
            for what in whats:
                stream.timed(6, 1)
                if size == 3 and number in BOUNDED:
                    rest = (1 | 1 << 32, 5, 6, 7, 8) if what % 2 else (1 | 63 << 32, 11, 12, 1 << 36 | 3, ONES)
                    stream.words += attached(size, number, what << 32 | (what if what % 3 else 0xFFFFFFFF), *rest)
                elif size == 3:
                    stream.words += attached(size, number, what << 32 | 8 * what, 0x22206100636261, 0xA9C3000A)
                else:
                    stream.words += attached(size, number, values[what], *values[what:][:size], *values[:max(0, what + size - 6)])
    # with their requests, and what else stands behind a message
    for number in (1, 2, 3):
        stream.timed(6, 1)
        stream.words += attached(1, number, 1 << 32 | 1, 4 << 32 | 80)
        stream.words += attached(1, 4, 3, 1 << 36 | 9) if number == 3 else attached(0, 3, 1 << 36 | 9)
        stream.words += attached(0, 9, 0)
    # each bit of what is printed as words
    for bit in range(11):
        stream.timed(6, 1)
        stream.words += attached(1, 17, 1 << bit, 1 << 32 | 1) + attached(0, 22, 1 << bit) + attached(1, 20, bit << 32 | 1, 1)
        stream.words += attached(2, 17, bit, 1, 2) + attached(2, 19, bit, 1, 2)
        stream.timed(6, 1)
        stream.words += attached(2, 18, bit, bit, 2) + attached(3, 17, 7 << 32 | 1 << bit, 1, 2, 3, 4, 5)
    return stream


def kernel():
    stream = Stream(CPU, 0, RAW)
    for what in range(27):
        for detail in (0, 1, 2, 3, 5, 0x400001, 0x800003, 0x1FFFF, 0xFFFFFF):
            for rest in ((), (3 << 32 | 2, 1), (ONES, ONES, 3, 4, 5, 6, 7))[detail % 3:]:
                stream.variable(0x62, [what << 56 | detail << 32 | (2, 0, 0xFFFFFFFF, 77)[detail % 4], *rest])
    stream.words += attached(0, 24, 1)
    return stream


def manifest(path, more, **fixed):
    lines = ["hybmon process manifest 1"] + [f"{key.replace('_', '-')}: {value}" for key, value in fixed.items()]
    lines += [""] * (16 - len(lines))
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(f"{line:<63}\n" for line in lines) + "".join(f"{key}: {value}\n" for key, value in more))


def main():
    folder = sys.argv[1]
    for name in ("node.7", "node.kernel", "bare.8"):
        os.makedirs(os.path.join(folder, name))
    common = [("host", "node"), ("boot", "b"), ("counter", "tsc 2000000000"), ("started", "now")]
    manifest(folder + "/node.7/manifest", [("program", "/bin/a b"), ("mpi", "MPI"), *common], state="ended", ended="exit 0",
             rank=0, ranks=2, order_lost="-", lost=3, lost_why="-", threads=1, pid=7, start="1", finalized="yes")
    manifest(folder + "/node.kernel/manifest", [("kernel", "bpf"), ("events", "sched"), ("tasks", "all"),
                                                ("missing", "irq: no rights"), *common],
             state="running", ended="-", rank=-1, ranks=-1, order_lost="-", lost=0, threads=1, pid=9, until=10**9)
    manifest(folder + "/bare.8/manifest", common, state="finalized", ended="-", rank=1, ranks=2, pid=8)
    definitions(TSC).write(folder + "/node.7/defs.hyb")
    thread().write(folder + "/node.7/thread-0.hyb")
    thread().write(folder + "/bare.8/thread-0.hyb")
    definitions(TSC).write(folder + "/node.kernel/defs.hyb")
    kernel().write(folder + "/node.kernel/cpu-0.hyb")


main()
