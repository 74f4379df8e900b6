#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Merges kernel streams made here, byte by byte and without hybmon's code, and compares the archive with what it has
to hold, as OTF2's own reader reads it. Speaks TAP.

usage: streams.py HYBMON-MERGE OTF2-CHECK FOLDER [CASE...]

Times are ns from the beginning of the case. Programs count in ticks of half a ns, kernel streams in ns.
"""
import os
import random
import struct
import subprocess
import sys

import otf2
from otf2 import events

BASE = 5 << 40  # CLOCK_MONOTONIC_RAW where a case begins; times take more than one epoch
REAL = 10**18
CHUNK = 16 << 10
DEFS, THREAD, CPU, TASK = 1, 2, 3, 4
TSC, RAW = 1, 3
OTHER = 0xFFFFFFFF

(SWITCH, RESUME, WAKING, MIGRATE, FORK, EXIT, SYSCALL_ENTER, SYSCALL_EXIT, FAULT_BEGIN, FAULT_END, IRQ_ENTER, IRQ_EXIT,
 SOFTIRQ_ENTER, SOFTIRQ_EXIT, SIGNAL_GENERATE, SIGNAL_DELIVER, NET_SEND, NET_RECV, TCP_RETRANSMIT, BLOCK_ISSUE,
 BLOCK_COMPLETE, LOST, COUNTS) = range(1, 24)
INVOLUNTARY = 1 << 16
SLEEPS = 1
NAMES = {1: {0: "read", 1: "write", 20: "writev", 59: "execve"}, 2: {5: "eth0"}, 3: {3: "NET_RX"},
         4: {10: "SIGUSR1", 11: "SIGSEGV"}, 5: {8 << 20: "sda"}}
JOB, HYBMON, KTHREAD = 1, 2, 3


def pad(data):
    return data + bytes(-len(data) % 8)


class Stream:
    """One file; each chunk has a slot of its own."""

    def __init__(self, kind, number=0, pid=1, tid=1, counter=RAW):
        self.kind, self.number, self.pid, self.tid, self.counter = kind, number, pid, tid, counter
        self.chunks = []
        self.first = self.epoch = None
        self.lost = 0

    def words(self, time, words):
        """A record with its attached ones; time is the raw counter, or None."""
        if not self.chunks or len(self.chunks[-1][1]) + len(words) + 1 > (CHUNK - 64) // 8:
            self.chunk(time or 0)
        if time is not None:
            if time >> 40 != self.epoch:
                self.epoch = time >> 40
                self.chunks[-1][1].append(3 << 56 | self.epoch)
        self.chunks[-1][1].extend(words)

    def chunk(self, time):
        self.chunks.append((time, [], self.lost))
        self.epoch = time >> 40
        self.first = time if self.first is None else self.first

    def timed(self, kind, identity, time, more=()):
        self.words(time, [kind << 56 | identity << 40 | time & (1 << 40) - 1, *more])

    def defined(self, kind, identity, data):
        data = pad(data)
        words = struct.unpack(f"<{len(data) // 8}Q", data)
        self.words(None, [kind << 56 | (len(words) + 1) << 40 | identity, *words])

    def write(self, path, end=None, without=()):
        count = max(len(self.chunks), 1)
        header = struct.pack("<8sIHHIIIIIIQQQQ48xQQQQQQQQ64x", b"hybmon\r\n", 0x01020304, 1, 0, 4096, CHUNK, self.kind,
                             self.counter, self.number, 0, self.pid, self.tid, self.first or 0, count,
                             1 if end is None else 2, len(self.chunks), self.lost, 0, 0, 28, end or 0, 0)
        with open(path, "wb") as file:
            file.write(header.ljust(4096, b"\0"))
            for number, (time, words, lost) in enumerate(self.chunks):
                data = struct.pack("<IIQQQQ24x", 0x68796263, self.number, number + 1, len(words), time, lost)
                data += struct.pack(f"<{len(words)}Q", *words)
                file.write(bytes(CHUNK) if number in without else data.ljust(CHUNK, b"\0"))


class Kernel(Stream):
    """Of a CPU, or of a task."""

    def __init__(self, number, kind=CPU, tid=1):
        super().__init__(kind, number, 9, tid)

    def at(self, time, what, task, detail=0, *words, stack=None):
        record = [what << 56 | detail << 32 | task, *(w & (1 << 64) - 1 for w in words)]
        attached = [(0x80 | 24) << 56 | stack] if stack else []
        head = (0x62 << 56 | (len(record) + 1) << 40 | (BASE + time) & (1 << 40) - 1)
        self.words(BASE + time, [head, *record, *attached])

    def switch(self, time, task, after, how=SLEEPS, stack=None):
        self.at(time, SWITCH, task, how, after, stack=stack)


def manifest(path, more, **fixed):
    lines = ["hybmon process manifest 1"] + [f"{k.replace('_', '-')}: {v}" for k, v in fixed.items()]
    lines += [""] * (16 - len(lines))
    with open(path, "w") as file:
        file.write("".join(f"{line:<63}\n" for line in lines) + "".join(f"{k}: {v}\n" for k, v in more))


def clock_tuples(stream):
    for time in (0, 10**6, 10**9):
        stream.defined(0xE1, 0, struct.pack("<5Q", 2 * (BASE + time) - 1000, BASE + time, BASE + time, REAL + time, 10))


class Case:
    def __init__(self, folder, name):
        self.path = os.path.join(folder, name)
        self.name = name
        self.cpus = {}
        self.tasks = []   # (number, start, tid, tgid, kind, name)
        self.stacks = []
        self.threads = {}  # by (rank, number): (tid, [(time, what, region)])
        self.regions = []
        self.ended = {}
        self.state = "ended"
        self.until = 100000
        self.without = ()
        self.end = 100000
        self.last = 100000  # when the processes end
        self.options = []
        self.source = "perf"

    def cpu(self, number=0):
        return self.cpus.setdefault(number, Kernel(number))

    def task(self, number, name, start=0, tid=None, tgid=None, kind=JOB):
        self.tasks.append((number, BASE + start if start else 0, number if tid is None else tid,
                           number if tgid is None else tgid, kind, name))

    def user(self, what, rank=0, thread=0, tid=100, start=0):
        """Lines of `time enter|leave|off|on region`."""
        parsed = [(int(t), w, r) for t, w, r in (line.split(None, 2) for line in what.strip().splitlines())]
        self.threads[rank, thread] = (tid, start, parsed)

    def region(self, name):
        if name not in self.regions:
            self.regions.append(name)
        return self.regions.index(name) + 1

    def write_processes(self):
        for rank in sorted({r for r, _ in self.threads}):
            pid = self.threads[min(k for k in self.threads if k[0] == rank)][0]
            path = os.path.join(self.path, f"node1.{pid}")
            os.makedirs(path)
            manifest(f"{path}/manifest", [("program", "ring"), ("host", "node1"), ("boot", "b")], state="ended",
                     ended="exit 0", rank=rank, ranks=len({r for r, _ in self.threads}), pid=pid)
            for (r, number), (tid, start, parsed) in self.threads.items():
                if r == rank:
                    self.write_thread(f"{path}/thread-{number}.hyb", number, pid, tid, start, parsed)
            defs = Stream(DEFS, 0, pid, pid, TSC)
            clock_tuples(defs)
            for name in self.regions:
                paradigm = 1 if name.startswith("MPI_") else 0
                defs.defined(0xE2, self.region(name), struct.pack("<BBBBI", 0, paradigm, 0, 0, len(name)) + name.encode())
            defs.write(f"{path}/defs.hyb", 2 * (BASE + self.last) - 1000)

    def write_thread(self, path, number, pid, tid, start, parsed):
        def raw(time):
            return 2 * (BASE + time) - 1000
        stream = Stream(THREAD, number, pid, tid, TSC)
        stream.chunk(raw(start))
        for time, what, region in parsed:
            if what in ("enter", "leave"):
                stream.timed(1 if what == "enter" else 2, self.region(region), raw(time))
            else:
                stream.timed(4, 1 if what == "off" else 2, raw(time))
        stream.write(path, raw(parsed[-1][0]))

    def write_kernel(self):
        path = os.path.join(self.path, "node1.kernel")
        os.makedirs(path)
        manifest(f"{path}/manifest", [("host", "node1"), ("boot", "b"), ("kernel", self.source)], state=self.state,
                 ended="-", rank=-1, pid=9, until=BASE + self.until)
        defs = Stream(DEFS, 0, 9, 9, TSC)
        clock_tuples(defs)
        for number, start, tid, tgid, kind, name in self.tasks:
            defs.defined(0xF4, number, struct.pack("<QIIII16s", start, tid, tgid, 0, kind, name.encode()))
        for kind, names in NAMES.items():
            for number, name in names.items():
                defs.defined(0xF5, kind << 32 | number, struct.pack("<Q", len(name)) + name.encode())
        for number, (kernel, user, tgid) in enumerate(self.stacks):
            defs.defined(0xF6, number + 1, struct.pack(f"<IIII{len(kernel) + len(user)}Q", len(kernel), len(user), tgid, 0,
                                                       *kernel, *user))
        for address, size, name in ((0xFFFF0000, 0x100, "tcp_sendmsg"), (0xFFFF0100, 0x100, "sock_write_iter")):
            defs.defined(0xF7, 0, struct.pack("<QII", address, size, len(name)) + name.encode())
        defs.defined(0xF8, 100, struct.pack("<5Q", 0, 0x7000, 0x1000, 0x200, 14) + b"/lib/libc.so.6")
        defs.write(f"{path}/defs.hyb", BASE + self.end)
        for number, stream in self.cpus.items():
            kind = "task" if stream.kind == TASK else "cpu"
            stream.write(f"{path}/{kind}-{number}.hyb", None if self.state == "running" else BASE + self.end,
                         self.without)

    def merge(self, tool):
        self.write_processes()
        self.write_kernel()
        done = subprocess.run([tool, *self.options, self.path], capture_output=True, text=True)
        self.summary = done.stdout
        if done.returncode or done.stderr:
            raise AssertionError(f"hybmon-merge: status {done.returncode}: {done.stderr}")

    def read(self):
        """By location `GROUP`: lines `time enter|leave REGION attribute=value ...`."""
        lines = {}
        with otf2.reader.open(f"{self.path}/traces.otf2") as trace:
            names = {l._ref: l.group.name.replace("MPI Rank ", "rank ") + (f" {l.name}" if l._ref >> 32 else "")
                     for l in trace.definitions.locations}
            for location in trace.definitions.locations:
                lines[names[location._ref]] = []
            for location, event in trace.events:
                kind = type(event)
                if kind in (events.Enter, events.Leave):
                    text = f"{event.time - REAL} {kind.__name__.lower()} {event.region.name}"
                    for attribute, value in (event.attributes or {}).items():
                        if attribute.name == "lost until":
                            value -= REAL
                        text += f" {attribute.name}={value}"
                    lines[names[location._ref]].append(text)
                elif kind is events.Metric:
                    values = (f"{m.name}={v}" for m, v in zip(event.metric.members, event.values))
                    lines[names[location._ref]].append(f"{event.time - REAL} counted " + " ".join(values))
            self.described = {r.name: r.description for r in trace.definitions.regions}
            self.groups = {g.name: sorted(m.name for m in g.members) for g in trace.definitions.groups
                           if g.group_type == otf2.enums.GroupType.REGIONS}
        return lines


def basic(case):
    """A wait inside of a system call inside of MPI; ended by an interrupt on the other task's back."""
    case.task(100, "ring")
    case.user("""
        1000 enter MPI_Recv
        9000 leave MPI_Recv""")
    cpu = case.cpu()
    cpu.switch(500, 0, 100)
    cpu.at(2000, SYSCALL_ENTER, 100, 0)
    cpu.switch(3000, 100, 0)
    cpu.at(4900, IRQ_ENTER, 0, 5)
    cpu.at(5000, WAKING, 0, 0, 100)
    cpu.at(5100, IRQ_EXIT, 0, 5)
    cpu.switch(5200, 0, 100, 0)
    cpu.at(6000, SYSCALL_EXIT, 100, 0, 42)
    return {
        "rank 0": """
            1000 enter MPI_Recv
            2000 enter sys_read
            3000 enter scheduled out (voluntary) next task=idle task state=1
            5200 leave scheduled out (voluntary) CPU=0 woken by=irq eth0
            6000 leave sys_read return value=42
            9000 leave MPI_Recv""",
        "CPU 0 of node1": """
            500 enter ring (rank 0)
            3000 leave ring (rank 0)
            3000 enter idle
            4900 enter irq eth0
            5100 leave irq eth0
            5200 leave idle
            5200 enter ring (rank 0)
            100000 leave ring (rank 0)""",
    }


def competitor(case):
    """Pre-empted by another task, woken by a softirq; negative return values; a CPU's idle is no task."""
    case.task(100, "ring")
    case.task(200, "spinner", kind=0)
    case.task(9, "collect", kind=HYBMON)
    case.user("""
        1000 enter compute
        9000 leave compute""")
    cpu = case.cpu(3)
    cpu.switch(900, 9, 100, 0)
    cpu.switch(2000, 100, 200, INVOLUNTARY)
    cpu.switch(3000, 200, OTHER, INVOLUNTARY)
    cpu.at(3100, SOFTIRQ_ENTER, OTHER, 3)
    cpu.at(3200, SOFTIRQ_EXIT, OTHER, 3)
    cpu.switch(4000, OTHER, 100, INVOLUNTARY)
    cpu.at(5000, SYSCALL_ENTER, 100, 20)
    cpu.at(5100, SOFTIRQ_ENTER, 100, 3)
    cpu.at(5200, SOFTIRQ_EXIT, 100, 3)
    cpu.at(5300, SYSCALL_EXIT, 100, 20, -11)
    cpu.switch(9500, 100, 9)
    return {
        "rank 0": """
            1000 enter compute
            2000 enter scheduled out (involuntary) next task=spinner task state=0
            4000 leave scheduled out (involuntary) CPU=3
            5000 enter sys_writev
            5100 enter softirq NET_RX
            5200 leave softirq NET_RX
            5300 leave sys_writev return value=-11
            9000 leave compute
            9500 enter scheduled out (voluntary) next task=collect (hybmon) task state=1
            100000 leave scheduled out (voluntary)""",
        "CPU 3 of node1": """
            900 enter ring (rank 0)
            2000 leave ring (rank 0)
            2000 enter spinner
            3000 leave spinner
            3000 enter other
            3100 enter softirq NET_RX
            3200 leave softirq NET_RX
            4000 leave other
            4000 enter ring (rank 0)
            5100 enter softirq NET_RX
            5200 leave softirq NET_RX
            9500 leave ring (rank 0)
            9500 enter collect (hybmon)
            100000 leave collect (hybmon)""",
    }


def holders(case):
    """Who takes the CPU is not who keeps it; the wait goes on elsewhere; who has it when the thread is moved counts."""
    case.task(100, "ring")
    case.task(200, "spinner", kind=0)
    case.task(300, "kworker", kind=0)
    case.user("""
        1000 enter compute
        90000 leave compute""")
    cpu, other = case.cpu(0), case.cpu(5)
    cpu.switch(900, 200, 100)
    # kworker 100 ns, spinner 900 ns, kworker once more.
    cpu.switch(2000, 100, 300, INVOLUNTARY)
    cpu.switch(2100, 300, 200, SLEEPS)
    cpu.switch(3000, 200, 300, INVOLUNTARY)
    cpu.switch(3100, 300, 100, SLEEPS)
    # The first one keeps it for longest.
    cpu.switch(4000, 100, 300, INVOLUNTARY)
    cpu.switch(6000, 300, 200, SLEEPS)
    cpu.switch(7000, 200, 100, INVOLUNTARY)
    # Moved: spinner 300 ns here; there those who are not seen 500, spinner 100.
    cpu.switch(8000, 100, 200, INVOLUNTARY)
    other.switch(7500, 300, OTHER, INVOLUNTARY)
    other.at(8300, MIGRATE, OTHER, 0, 0 << 48 | 5 << 32 | 100)
    other.switch(8800, OTHER, 200, INVOLUNTARY)
    other.switch(8900, 200, 100, INVOLUNTARY)
    return {
        "rank 0": """
            1000 enter compute
            2000 enter scheduled out (involuntary) next task=kworker task state=0
            3100 leave scheduled out (involuntary) CPU=0 held by=spinner
            4000 enter scheduled out (involuntary) next task=kworker task state=0
            7000 leave scheduled out (involuntary) CPU=0
            8000 enter scheduled out (involuntary) next task=spinner task state=0
            8900 leave scheduled out (involuntary) CPU=5 held by=other
            90000 leave compute""",
        "CPU 0 of node1": """
            900 enter ring (rank 0)
            2000 leave ring (rank 0)
            2000 enter kworker
            2100 leave kworker
            2100 enter spinner
            3000 leave spinner
            3000 enter kworker
            3100 leave kworker
            3100 enter ring (rank 0)
            4000 leave ring (rank 0)
            4000 enter kworker
            6000 leave kworker
            6000 enter spinner
            7000 leave spinner
            7000 enter ring (rank 0)
            8000 leave ring (rank 0)
            8000 enter spinner
            100000 leave spinner""",
        "CPU 5 of node1": """
            7500 enter other
            8800 leave other
            8800 enter spinner
            8900 leave spinner
            8900 enter ring (rank 0)
            100000 leave ring (rank 0)""",
    }


def faults(case):
    """Minor, major with the wait for it, without its begin, and one that a signal came of."""
    case.task(100, "ring")
    case.user("""
        1000 enter compute
        50000 leave compute""")
    cpu = case.cpu()
    cpu.at(2000, FAULT_BEGIN, 100, 1, 4096, 77)
    cpu.at(2500, FAULT_END, 100, 1, 4096)
    cpu.at(3000, FAULT_BEGIN, 100, 1, 8192, 77)
    cpu.switch(3100, 100, 0, 2)
    cpu.at(3150, WAKING, 0, 1 << 23, 100)
    cpu.switch(3200, 0, 100, 0)
    cpu.at(3300, FAULT_END, 100, 3, 8192)
    cpu.at(4000, FAULT_END, 100, 6, 5)
    cpu.at(5000, FAULT_BEGIN, 100, 1, 0, 77)
    cpu.at(5050, SIGNAL_GENERATE, 100, 11, 1 << 32 | 100, 0)
    cpu.at(5060, SIGNAL_GENERATE, 100, 10, 100, 2)
    cpu.at(5100, SIGNAL_DELIVER, 100, 11, 1 << 32, 0x1234)
    cpu.at(6000, FAULT_BEGIN, 100, 1, 3, 77)
    cpu.at(7000, FAULT_BEGIN, 100, 1, 4, 77)
    cpu.at(7100, FAULT_END, 100, 1, 4)
    return {
        "rank 0": """
            1000 enter compute
            2000 enter page fault (minor) address=4096 instruction=77
            2500 leave page fault (minor)
            3000 enter page fault (major) address=8192 instruction=77
            3100 enter scheduled out (voluntary) next task=idle task state=2
            3200 leave scheduled out (voluntary) CPU=0 woken by=irq
            3300 leave page fault (major)
            4000 enter page fault (major) address=5
            4000 leave page fault (major)
            5000 enter page fault (unresolved) address=0 instruction=77
            5050 enter send signal SIGSEGV signal code=1 to=ring (rank 0)
            5050 leave send signal SIGSEGV
            5100 leave page fault (unresolved)
            5100 enter signal SIGSEGV signal code=1
            5100 leave signal SIGSEGV
            6000 enter page fault (unresolved) address=3 instruction=77
            6000 leave page fault (unresolved)
            7000 enter page fault (minor) address=4 instruction=77
            7100 leave page fault (minor)
            50000 leave compute""",
    }


def skew(case):
    """The thread's own events inside of system calls: the nearer end moves, and what is in there with it."""
    case.task(100, "ring")
    case.user("""
        1000 enter MPI_Send
        9000 leave MPI_Send
        20000 enter MPI_Recv
        30000 leave MPI_Recv""")
    cpu = case.cpu()
    cpu.at(990, SYSCALL_ENTER, 100, 1)
    cpu.at(995, IRQ_ENTER, 100, 5)
    cpu.at(1500, IRQ_EXIT, 100, 5)
    cpu.at(2000, SYSCALL_EXIT, 100, 1, 1)
    cpu.at(8000, SYSCALL_ENTER, 100, 1)
    cpu.at(9003, SYSCALL_EXIT, 100, 1, 2)
    cpu.at(20000, SYSCALL_ENTER, 100, 0)
    cpu.at(30000, SYSCALL_EXIT, 100, 0, 3)
    case.says = "2 intervals that a thread's own event lay in"
    return {
        "rank 0": """
            1000 enter MPI_Send
            1000 enter sys_write
            1000 enter irq eth0
            1500 leave irq eth0
            2000 leave sys_write return value=1
            8000 enter sys_write
            9000 leave sys_write return value=2
            9000 leave MPI_Send
            20000 enter MPI_Recv
            20000 enter sys_read
            30000 leave sys_read return value=3
            30000 leave MPI_Recv""",
    }


def unbalanced(case):
    """Ends without a begin and begins without an end."""
    case.task(100, "ring")
    case.user("""
        1000 enter MPI_Send
        9000 leave MPI_Send""")
    cpu = case.cpu()
    cpu.at(1100, SYSCALL_EXIT, 100, 1, 1)
    cpu.at(1200, IRQ_EXIT, 100, 5)
    cpu.at(1300, SOFTIRQ_EXIT, 100, 3)
    cpu.at(2000, SYSCALL_ENTER, 100, 0)
    cpu.at(2100, IRQ_ENTER, 100, 5)
    cpu.at(2200, SOFTIRQ_ENTER, 100, 3)
    cpu.at(2300, IRQ_EXIT, 100, 5)
    cpu.at(3000, SYSCALL_ENTER, 100, 1)
    cpu.at(3100, IRQ_ENTER, 100, 5)
    cpu.at(3200, SYSCALL_EXIT, 100, 1, 1)
    cpu.at(3300, IRQ_ENTER, 100, 5)
    cpu.switch(3400, 100, 0)
    cpu.at(3500, SYSCALL_ENTER, 100, 0)
    cpu.at(5000, 99, 100, 0, 1, 2, 3)
    cpu.at(5100, SYSCALL_EXIT, 100, 0)
    cpu.at(6000, SYSCALL_EXIT, 100, 0, 7)
    case.says = "1 damaged and 1 unknown"
    return {
        "rank 0": """
            1000 enter MPI_Send
            2000 enter sys_read
            2100 enter irq eth0
            2200 enter softirq NET_RX
            2300 leave softirq NET_RX
            2300 leave irq eth0
            3000 leave sys_read
            3000 enter sys_write
            3100 enter irq eth0
            3200 leave irq eth0
            3200 leave sys_write return value=1
            3300 enter irq eth0
            3400 leave irq eth0
            3400 enter scheduled out (voluntary) next task=idle task state=1
            3400 leave scheduled out (voluntary)
            3500 enter sys_read
            6000 leave sys_read return value=7
            9000 leave MPI_Send""",
    }


def order(case):
    """A thread that goes from CPU to CPU, whose clocks are not quite the same."""
    case.task(100, "ring")
    case.user("""
        1000 enter MPI_Recv
        90000 leave MPI_Recv""")
    case.cpu(0).switch(2000, 100, 0, INVOLUNTARY)
    case.cpu(1).switch(2500, 0, 100, 0)
    case.cpu(1).switch(4000, 100, 0)
    case.cpu(0).switch(3999, 0, 100, 0)
    case.cpu(0).at(5000, SYSCALL_ENTER, 100, 0)
    case.cpu(0).switch(6000, 100, 0)
    case.cpu(0).at(6500, WAKING, 0, 1, 100)
    case.cpu(1).switch(7000, 0, 100, 0)
    case.cpu(1).at(8000, SYSCALL_EXIT, 100, 0, 5)
    return {
        "rank 0": """
            1000 enter MPI_Recv
            2000 enter scheduled out (involuntary) next task=idle task state=0
            2500 leave scheduled out (involuntary) CPU=1
            5000 enter sys_read
            6000 enter scheduled out (voluntary) next task=idle task state=1
            7000 leave scheduled out (voluntary) CPU=1 woken by=idle
            8000 leave sys_read return value=5
            90000 leave MPI_Recv""",
    }


def lost(case):
    """Events are missing on one CPU: nothing is said of it, nor of a thread that might have been there."""
    case.task(100, "ring")
    case.task(300, "ring", tgid=300)
    case.user("""
        1000 enter MPI_Recv
        90000 leave MPI_Recv""")
    case.user("""
        1000 enter MPI_Send
        90000 leave MPI_Send""", rank=1, tid=300)
    cpu = case.cpu(0)
    cpu.at(1500, SYSCALL_ENTER, 100, 0)
    cpu.switch(2000, 100, 0)
    cpu.at(5000, LOST, 0, 1, 12, BASE + 2500)
    cpu.switch(6000, 0, 100, 0)
    cpu.at(6500, SYSCALL_EXIT, 100, 0, 1)
    cpu.at(7000, SYSCALL_ENTER, 100, 1)
    cpu.at(7100, SYSCALL_EXIT, 100, 1, 1)
    other = case.cpu(1)
    other.at(1600, SYSCALL_ENTER, 300, 1)
    other.at(4000, SYSCALL_EXIT, 300, 1, 3)
    other.switch(4500, 300, 0)
    other.switch(4800, 0, 300, 0)
    case.says = "12 events and 0 chunks in 1 gap"
    return {
        "rank 0": """
            1000 enter MPI_Recv
            1500 enter sys_read
            2000 enter scheduled out (voluntary) next task=idle task state=1
            2500 leave scheduled out (voluntary)
            2500 leave sys_read
            2500 enter kernel events lost lost until=5000 lost kernel events=12
            2500 leave kernel events lost
            7000 enter sys_write
            7100 leave sys_write return value=1
            90000 leave MPI_Recv""",
        "rank 1": """
            1000 enter MPI_Send
            1600 enter sys_write
            4000 leave sys_write return value=3
            90000 leave MPI_Send""",
        "CPU 0 of node1": """
            1500 enter ring (rank 0)
            2000 leave ring (rank 0)
            2000 enter idle
            2500 leave idle
            2500 enter kernel events lost lost until=5000 lost kernel events=12
            5000 leave kernel events lost
            6000 enter ring (rank 0)
            100000 leave ring (rank 0)""",
    }


def lost_switch(case):
    """The kernel wrote no record of a switch, and the source saw that: what else there is stays as it is."""
    case.task(100, "ring")
    case.task(300, "ring", tgid=300)
    case.user("""
        1000 enter MPI_Recv
        60000 leave MPI_Recv""")
    case.user("""
        1000 enter MPI_Send
        90000 leave MPI_Send""", rank=1, tid=300)
    cpu = case.cpu(0)
    cpu.at(1500, SYSCALL_ENTER, 100, 0)
    cpu.switch(2000, 100, 300)
    cpu.at(2500, SYSCALL_ENTER, 300, 1)
    cpu.at(3000, LOST, 100, 3, 1, BASE + 2600)
    cpu.at(3000, SYSCALL_EXIT, 100, 0, 1)
    cpu.switch(4000, 100, 300, INVOLUNTARY)
    cpu.at(4500, SYSCALL_EXIT, 300, 1, 5)
    cpu.switch(5000, 300, 100)
    cpu.at(70000, EXIT, 100)
    cpu.switch(70100, 100, 300, 0x10)
    # On another CPU of which all is known, somebody leaves it meanwhile.
    other = case.cpu(1)
    case.task(400, "ring", tgid=400)
    case.user("""
        1000 enter MPI_Wait
        90000 leave MPI_Wait""", rank=2, tid=400)
    other.at(2000, SYSCALL_ENTER, 400, 0)
    other.switch(2800, 400, 0)
    other.switch(8000, 0, 400, 0)
    other.at(8100, SYSCALL_EXIT, 400, 0, 7)
    case.says = "lost: 1 event and 0 chunks in 1 gap"
    return {
        "rank 0": """
            1000 enter MPI_Recv
            1500 enter sys_read
            2000 enter scheduled out (voluntary) next task=ring (rank 1) task state=1
            2600 enter kernel events lost lost until=3000 lost kernel events=1
            2600 leave kernel events lost
            3000 leave scheduled out (voluntary)
            3000 leave sys_read return value=1
            4000 enter scheduled out (involuntary) next task=ring (rank 1) task state=0
            5000 leave scheduled out (involuntary) CPU=0
            60000 leave MPI_Recv""",
        "rank 1": """
            1000 enter MPI_Send
            2500 enter sys_write
            2600 enter kernel events lost lost until=3000 lost kernel events=1
            2600 leave kernel events lost
            4500 leave sys_write return value=5
            5000 enter scheduled out (voluntary) next task=ring (rank 0) task state=1
            70100 leave scheduled out (voluntary) CPU=0
            90000 leave MPI_Send""",
        "rank 2": """
            1000 enter MPI_Wait
            2000 enter sys_read
            2800 enter scheduled out (voluntary) next task=idle task state=1
            8000 leave scheduled out (voluntary) CPU=1
            8100 leave sys_read return value=7
            90000 leave MPI_Wait""",
        "CPU 0 of node1": """
            1500 enter ring (rank 0)
            2000 leave ring (rank 0)
            2000 enter ring (rank 1)
            2600 leave ring (rank 1)
            2600 enter kernel events lost lost until=3000 lost kernel events=1
            3000 leave kernel events lost
            3000 enter ring (rank 0)
            4000 leave ring (rank 0)
            4000 enter ring (rank 1)
            5000 leave ring (rank 1)
            5000 enter ring (rank 0)
            70100 leave ring (rank 0)
            70100 enter ring (rank 1)
            100000 leave ring (rank 1)""",
    }


def reuse(case):
    """A number is used again, in the process and by another one; a thread's name changes."""
    case.task(100, "ring")
    case.task(101, "ring", tgid=100)
    case.task(101, "ring", start=20000, tid=101, tgid=100)
    case.task(101, "alien", start=50000, tid=101, tgid=700, kind=0)
    case.user("""
        1000 enter compute
        90000 leave compute""")
    case.user("""
        10000 enter compute
        15000 leave compute""", thread=1, tid=101, start=9000)
    case.user("""
        30000 enter compute
        40000 leave compute""", thread=2, tid=101, start=29000)
    cpu = case.cpu()
    for time in (11000, 31000, 60000):
        cpu.at(time, SYSCALL_ENTER, 101, 0)
        cpu.at(time + 100, SYSCALL_EXIT, 101, 0, 0)
        cpu.at(time + 200, EXIT, 101)
        cpu.switch(time + 300, 101, 0, 0x10)
    return {
        "rank 0": "1000 enter compute\n90000 leave compute",
        "rank 0 Thread 1": """
            10000 enter compute
            11000 enter sys_read
            11100 leave sys_read return value=0
            15000 leave compute""",
        "rank 0 Thread 2": """
            30000 enter compute
            31000 enter sys_read
            31100 leave sys_read return value=0
            40000 leave compute""",
        "CPU 0 of node1": """
            11000 enter ring (rank 0 thread 1)
            11300 leave ring (rank 0 thread 1)
            11300 enter idle
            31000 leave idle
            31000 enter ring (rank 0 thread 2)
            31300 leave ring (rank 0 thread 2)
            31300 enter idle
            60000 leave idle
            60000 enter alien
            60300 leave alien
            60300 enter idle
            100000 leave idle""",
    }


def killed(case):
    """The collector was killed: what is open is known up to where it had written all."""
    case.task(100, "ring")
    case.state, case.until = "running", 40000
    case.user("""
        1000 enter MPI_Recv
        90000 leave MPI_Recv""")
    case.cpu().switch(30000, 100, 0)
    case.says = "missing: everything from"
    return {
        "rank 0": """
            1000 enter MPI_Recv
            30000 enter scheduled out (voluntary) next task=idle task state=1
            40000 leave scheduled out (voluntary)
            90000 leave MPI_Recv""",
    }


def missing_chunk(case):
    """A damaged stream: a gap of unknown size."""
    case.task(100, "ring")
    case.user("""
        1000 enter MPI_Recv
        900000 leave MPI_Recv""")
    case.end = 1000000
    cpu = case.cpu()
    for i in range(1500):
        cpu.at(2000 + 100 * i, SYSCALL_ENTER, 100, 0)
        cpu.at(2050 + 100 * i, SYSCALL_EXIT, 100, 0, i)
    case.without = (1,)
    case.says = "1 chunk in 1 gap"
    case.warns = True
    return {}


def self_source(case):
    """Streams of tasks: what a thread may know of itself."""
    case.source = "self"
    case.user("""
        1000 enter MPI_Recv
        9000 leave MPI_Recv""")
    case.cpus[0] = stream = Kernel(0, TASK, 100)
    stream.at(2000, SWITCH, 100, SLEEPS, OTHER)
    stream.at(3000, RESUME, 100, 7)
    stream.at(3500, FAULT_END, 100, 5, 4096)
    stream.at(5000, LOST, 100, 1, 0, BASE + 4000)
    stream.at(6000, SWITCH, 100, INVOLUNTARY | 0xFFFF, OTHER)
    stream.at(6500, RESUME, 100, 2)
    return {
        "rank 0": """
            1000 enter MPI_Recv
            2000 enter scheduled out (voluntary) task state=1
            3000 leave scheduled out (voluntary) CPU=7
            3500 enter page fault (minor) address=4096
            3500 leave page fault (minor)
            4000 enter kernel events lost lost until=5000 lost kernel events=0
            4000 leave kernel events lost
            6000 enter scheduled out (involuntary)
            6500 leave scheduled out (involuntary) CPU=2
            9000 leave MPI_Recv""",
    }


def shared_stream(case):
    """Several threads in one stream of tasks: what is missing of one says nothing of another."""
    case.source = "self"
    case.task(100, "ring")
    case.task(300, "ring", tgid=300)
    case.user("""
        1000 enter MPI_Recv
        9000 leave MPI_Recv""")
    case.user("""
        1000 enter MPI_Send
        9000 leave MPI_Send""", rank=1, tid=300)
    case.cpus[0] = stream = Kernel(0, TASK, 0)
    stream.at(2000, SWITCH, 100, 0xFFFF, OTHER)
    stream.at(2100, SWITCH, 300, 0xFFFF, OTHER)
    stream.at(3000, RESUME, 300, 1)
    stream.at(4000, SWITCH, 300, 0xFFFF, OTHER)
    stream.at(5000, LOST, 100, 1, 3, BASE + 2500)
    stream.at(5500, RESUME, 300, 1)
    stream.at(6000, SWITCH, 100, 0xFFFF, OTHER)
    stream.at(6500, RESUME, 100, 1)
    stream.at(7000, EXIT, 300)
    case.says = "node1: 2 threads by self"
    return {
        "rank 0": """
            1000 enter MPI_Recv
            2000 enter scheduled out (voluntary)
            2500 leave scheduled out (voluntary)
            2500 enter kernel events lost lost until=5000 lost kernel events=3
            2500 leave kernel events lost
            6000 enter scheduled out (voluntary)
            6500 leave scheduled out (voluntary) CPU=1
            9000 leave MPI_Recv""",
        "rank 1": """
            1000 enter MPI_Send
            2100 enter scheduled out (voluntary)
            3000 leave scheduled out (voluntary) CPU=1
            4000 enter scheduled out (voluntary)
            5500 leave scheduled out (voluntary) CPU=1
            9000 leave MPI_Send""",
    }


def counts(case):
    """What the kernel counted of a thread, and nothing else: it grows."""
    case.source = "self"
    case.user("""
        1000 enter MPI_Recv
        9000 leave MPI_Recv""")
    case.cpus[0] = stream = Kernel(0, TASK, 100)
    stream.at(2000, COUNTS, 100, 0, 1, 2, 3, 0, 15000, 1000)
    stream.at(5000, COUNTS, 100, 0, 10, 0, 5, 1, 20000, 4000)
    case.says = "off the CPU 11 times voluntarily, 2 times involuntarily; 0.000035 s on CPUs, 0.000005 s ready and waiting"
    names = ("voluntary switches", "involuntary switches", "page faults (minor)", "page faults (major)", "time on CPUs",
             "time waiting for a CPU")
    return {
        "rank 0": f"""
            1000 enter MPI_Recv
            2000 counted {" ".join(f"{n}={v}" for n, v in zip(names, (1, 2, 3, 0, 15000, 1000)))}
            5000 counted {" ".join(f"{n}={v}" for n, v in zip(names, (11, 2, 8, 1, 35000, 5000)))}
            9000 leave MPI_Recv""",
    }


def transfers(case):
    """Sockets, block devices, call chains."""
    case.task(100, "ring")
    case.stacks = [((0xFFFF0010, 0xFFFF0120), (0x7010, 0x9999), 100)]
    case.user("""
        1000 enter MPI_Send
        9000 leave MPI_Send""")
    cpu = case.cpu()
    cpu.at(2000, SYSCALL_ENTER, 100, 20)
    cpu.at(2100, NET_SEND, 100, 2 << 16 | 6, 1000, 5)
    cpu.at(2200, SOFTIRQ_ENTER, 100, 3, stack=1)
    cpu.at(2250, NET_RECV, 100, 2 << 16 | 6, -11, 5)
    cpu.at(2300, SOFTIRQ_EXIT, 100, 3)
    cpu.at(2400, TCP_RETRANSMIT, 100, 2 << 16, 80 << 16 | 81, 5)
    cpu.at(2500, BLOCK_ISSUE, 100, 1, 8 << 52 | 4096, 64)
    cpu.at(2600, SYSCALL_EXIT, 100, 20, 1000)
    cpu.switch(2700, 100, 0, SLEEPS, stack=1)
    cpu.at(3500, BLOCK_COMPLETE, 0, 1, 8 << 52 | 4096, 64)
    chain = "call chain=tcp_sendmsg < sock_write_iter | libc.so.6+0x210 < [unknown] 0x9999"
    return {
        "rank 0": f"""
            1000 enter MPI_Send
            2000 enter sys_writev
            2100 enter net send bytes=1000
            2100 leave net send
            2200 enter softirq NET_RX {chain}
            2250 enter net receive bytes=-11
            2250 leave net receive
            2300 leave softirq NET_RX
            2400 enter tcp retransmit
            2400 leave tcp retransmit
            2500 enter block write issued bytes=4096 device=sda
            2500 leave block write issued
            2600 leave sys_writev return value=1000
            2700 enter scheduled out (voluntary) next task=idle task state=1 {chain}
            9000 leave scheduled out (voluntary)
            9000 leave MPI_Send""",
        "CPU 0 of node1": """
            2000 enter ring (rank 0)
            2200 enter softirq NET_RX
            2300 leave softirq NET_RX
            2700 leave ring (rank 0)
            2700 enter idle
            3500 enter block write complete bytes=4096 device=sda latency=1000
            3500 leave block write complete
            100000 leave idle""",
    }


def paused(case):
    """Between off and on nothing is recorded of a thread, by request."""
    case.task(100, "ring")
    case.user("""
        1000 enter compute
        2000 off -
        5000 on -
        9000 leave compute""")
    cpu = case.cpu()
    for time in (1500, 3000, 6000):
        cpu.at(time, SYSCALL_ENTER, 100, 0)
        cpu.at(time + 100, IRQ_ENTER, 100, 5)
        cpu.at(time + 200, IRQ_EXIT, 100, 5)
        cpu.at(time + 300, SYSCALL_EXIT, 100, 0, 0)
    call = """
            {0}000 enter sys_read
            {0}100 enter irq eth0
            {0}200 leave irq eth0
            {0}300 leave sys_read return value=0"""
    return {"rank 0": "1000 enter compute" + call.format(1).replace("1000 ", "1500 ").replace("1100 ", "1600 ")
            .replace("1200 ", "1700 ").replace("1300 ", "1800 ") + call.format(6) + "\n9000 leave compute"}


def missing_switch(case):
    """Switches that the kernel gave no record of: known is up to when a thread cannot have run."""
    case.task(100, "ring")
    case.user("1000 enter MPI_Recv\n90000 leave MPI_Recv")
    cpu = case.cpu()
    cpu.at(2000, SYSCALL_ENTER, 100, 0)
    cpu.switch(3000, 100, 0)
    cpu.at(8000, SYSCALL_EXIT, 100, 0, 1)
    cpu.switch(20000, 100, 200, INVOLUNTARY)
    cpu.switch(21000, 200, 0)
    cpu.at(30000, SYSCALL_ENTER, 100, 0)
    cpu.at(30100, SYSCALL_EXIT, 100, 0, 2)
    case.says = "4 intervals without begin or end"
    return {
        "rank 0": """
            1000 enter MPI_Recv
            2000 enter sys_read
            3000 enter scheduled out (voluntary) next task=idle task state=1
            8000 leave scheduled out (voluntary)
            8000 leave sys_read return value=1
            20000 enter scheduled out (involuntary) next task=other task state=0
            21000 leave scheduled out (involuntary)
            30000 enter sys_read
            30100 leave sys_read return value=2
            90000 leave MPI_Recv""",
        "CPU 0 of node1": """
            2000 enter ring (rank 0)
            3000 leave ring (rank 0)
            3000 enter idle
            8000 leave idle
            8000 enter ring (rank 0)
            20000 leave ring (rank 0)
            20000 enter other
            21000 leave other
            21000 enter idle
            30000 leave idle
            30000 enter ring (rank 0)
            100000 leave ring (rank 0)""",
    }


def long_call(case):
    """More in a system call than is kept in memory: its end is written where its begin lies on disk."""
    case.task(100, "ring")
    case.user("1000 enter MPI_Recv\n90000 leave MPI_Recv")
    cpu = case.cpu()
    expected = ["1000 enter MPI_Recv", "2000 enter sys_read"]
    cpu.at(2000, SYSCALL_ENTER, 100, 0)
    for time in range(3000, 80000, 40):
        cpu.at(time, IRQ_ENTER, 100, 5)
        cpu.at(time + 10, IRQ_EXIT, 100, 5)
        expected += [f"{time} enter irq eth0", f"{time + 10} leave irq eth0"]
    cpu.at(85000, SYSCALL_EXIT, 100, 0, 77)
    return {"rank 0": "\n".join(expected + ["85000 leave sys_read return value=77", "90000 leave MPI_Recv"])}


def random_events(case, seed):
    """Any records in any order, of threads and others: whatever comes of it, it is balanced and in order."""
    dice = random.Random(seed)
    for number, name, tgid in ((100, "ring", 100), (101, "ring", 100), (300, "ring", 300), (400, "alien", 400)):
        case.task(number, name, tgid=tgid)
    case.task(101, "other", start=60000, tid=555, tgid=555, kind=0)
    for rank, thread, tid in ((0, 0, 100), (0, 1, 101), (1, 0, 300)):
        times = sorted(dice.randrange(100000) for _ in range(400))
        case.user("\n".join(f"{time} {('enter', 'leave')[i % 2]} MPI_Send" for i, time in enumerate(times)), rank, thread,
                  tid)
    for number in range(2):
        for time in sorted(dice.randrange(100000) for _ in range(4000)):
            what = dice.choice([SWITCH] * 6 + [WAKING] * 3 + list(range(1, 23)))
            task = dice.choice((0, 100, 101, 300, 400, 999, OTHER))
            words = [dice.choice((0, 1, 5, 100, 101, 300, BASE + max(time - 50, 0), (1 << 64) - 1)) for _ in range(2)]
            detail = dice.choice((0, 1, 3, 5, 6, INVOLUNTARY, INVOLUNTARY | 0xFFFF))
            if dice.randrange(50) == 0:
                words = words[:dice.randrange(2)]
            case.cpu(number).at(time, what, task, detail, *words)
    return {}


def views(case, words, locations):
    case.options = [f"--kernel={words}"]
    expected = basic(case)
    case.summary_without = words == "none"
    return {k: v if k in locations else
            ("1000 enter MPI_Recv\n9000 leave MPI_Recv" if k == "rank 0" else None) for k, v in expected.items()}


def for_scalasca(case, options, locations):
    """It takes each location group for a process, and time of regions within a call for none of the call's."""
    expected = views(case, "none", locations)
    case.options = ["--scalasca", *options]
    return expected


CASES = {
    "basic": basic, "competitor": competitor, "holders": holders, "faults": faults, "skew": skew,
    "unbalanced": unbalanced, "order": order,
    "lost": lost, "reuse": reuse, "killed": killed, "missing": missing_chunk, "self": self_source, "counts": counts,
    "shared": shared_stream,
    "transfers": transfers, "paused": paused, "long": long_call, "switch": missing_switch,
    "lost-switch": lost_switch,
    **{f"random{seed}": lambda case, seed=seed: random_events(case, seed) for seed in range(8)},
    "thread": lambda case: views(case, "thread", ["rank 0"]),
    "cpu": lambda case: views(case, "cpu", ["CPU 0 of node1"]),
    "none": lambda case: views(case, "none", []),
    "scalasca": lambda case: for_scalasca(case, [], []),
    "scalasca-thread": lambda case: for_scalasca(case, ["--kernel=thread"], ["rank 0"]),
    "both": lambda case: views(case, "cpu,thread", ["rank 0", "CPU 0 of node1"]),
}


def compare(case, expected):
    """Lines that say what is wrong."""
    wrong = []
    got = case.read()
    for location, text in expected.items():
        if text is None:
            if location in got:
                wrong.append(f"{location} is there")
            continue
        lines = [line.strip() for line in text.strip().splitlines()]
        if got.get(location) != lines:
            wrong.append(f"{location}: expected / got")
            wrong += [f"  {line}" for line in lines] + ["  --"] + [f"  {line}" for line in got.get(location, ["-"])]
    if getattr(case, "says", "") not in case.summary:
        wrong += [f"the summary does not say: {case.says}", *case.summary.splitlines()]
    return wrong


def run(case, build, tool, checker):
    expected = build(case)
    try:
        case.merge(tool)
    except AssertionError as error:
        if not getattr(case, "warns", False) or "status 0" not in str(error):
            return [str(error)]
    wrong = compare(case, expected)
    options = [option for option in case.options if option == "--scalasca"]
    done = subprocess.run([sys.executable, checker, *options, f"{case.path}/traces.otf2"], capture_output=True, text=True)
    if done.returncode:
        wrong.append(done.stdout + done.stderr)
    # see print_otf2 of test/lib/lib.sh
    printed = subprocess.run(["otf2-print", "-A", f"{case.path}/traces.otf2"], capture_output=True, text=True,
                             env=dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1"))
    if printed.returncode or "rror" in printed.stderr:
        wrong.append("otf2-print: " + printed.stderr)
    if expected and "kernel" in case.summary and case.described.get("sys_read", "kernel") != "kernel":
        wrong.append("sys_read is not described as the kernel's")
    return wrong


def main(arguments):
    tool, checker, folder = arguments[:3]
    wanted = arguments[3:] or list(CASES)
    for number, name in enumerate(wanted):
        case = Case(folder, name)
        wrong = run(case, CASES[name], tool, checker)
        about = (CASES[name].__doc__ or "").split("\n")[0]
        print(f"{'not ok' if wrong else 'ok'} {number + 1} - {name}: {about}".rstrip(": "))
        for text in wrong:
            for line in text.splitlines():
                print(f"# {line}")
    print(f"1..{len(wanted)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
