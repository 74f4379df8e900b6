#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the archive of victim.c has to show, by numbers that the program knows itself.

usage: merge.py ARCHIVE.otf2 WHAT [NUMBER]

    naps N        each rank napped N times inside of MPI_Reduce_local: so often a system call, off the CPU by its own will
    waits         rank 0 was in MPI_Recv while rank 1 napped: what the kernel did meanwhile nests in there
    spun NS       rank 0 was off its CPU against its will for as long as the competitor ran, which says it did so for NS
    blocked       where MPI_Recv sleeps, the rank that waited was off its CPU by its own will in there
    figure        a call of MPI that sends over TCP: the system call in it, what that gave to the socket, and the softirq
                  that took it in on the sender's back
    undisturbed   there was no competitor

Exit status: 0 so it is, 1 what is wrong is printed.
"""
import sys

import otf2
from otf2 import events

OUT = "scheduled out (voluntary)", "scheduled out (involuntary)"


class Interval:
    def __init__(self, region, begin, parent):
        self.name = region.name
        self.kernel = region.description == "kernel"
        self.begin, self.end = begin, None
        self.parent = parent
        self.children = []

    def all(self):
        """Those inside, at any depth."""
        for child in self.children:
            yield child
            yield from child.all()

    def length(self):
        return self.end - self.begin


def read(path):
    """By the name of the location group of a first thread: a list of its outermost intervals."""
    trees, stacks = {}, {}
    with otf2.reader.open(path) as trace:
        ticks = trace.definitions.clock_properties.timer_resolution
        assert ticks == 10**9
        for location, event in trace.events:
            if type(event) not in (events.Enter, events.Leave) or location._ref >> 32:
                continue
            name = location.group.name
            stack = stacks.setdefault(name, [])
            if type(event) is events.Leave:
                stack.pop().end = event.time
                continue
            parent = stack[-1] if stack else None
            interval = Interval(event.region, event.time, parent)
            (parent.children if parent else trees.setdefault(name, [])).append(interval)
            stack.append(interval)
    return trees


def every(tree):
    for interval in tree:
        yield interval
        yield from interval.all()


def fail(text):
    print(text)
    sys.exit(1)


def naps(trees, number):
    for rank in (0, 1):
        calls = [i for i in every(trees[f"MPI Rank {rank}"]) if i.name == "MPI_Reduce_local"]
        if len(calls) != number:
            fail(f"rank {rank}: {len(calls)} calls, not {number}")
        for call in calls:
            slept = [i for i in call.all() if i.name in ("sys_clock_nanosleep", "sys_nanosleep")]
            out = [i for s in slept for i in s.children if i.name == OUT[0]]
            # the call lasts as long as it should; when it gets off the CPU is the machine's to say
            if len(slept) != 1 or len(out) != 1 or slept[0].length() < 2000000:
                fail(f"rank {rank}: in a call at {call.begin}: {len(slept)} naps, "
                     f"{[i.length() for i in out]} ns off the CPU: {[i.name for i in call.all()]}")


def only_kernel(tree):
    for interval in every(tree):
        if interval.parent and interval.parent.kernel and not interval.kernel:
            fail(f"{interval.name} at {interval.begin} is inside of {interval.parent.name}")


def waits(trees):
    calls = [i for i in every(trees["MPI Rank 0"]) if i.name == "MPI_Recv"]
    if len(calls) != 1 or calls[0].length() < 150000000:
        fail(f"rank 0: MPI_Recv: {[i.length() for i in calls]} ns")
    if not any(i.kernel for i in calls[0].children):
        fail("rank 0: the kernel did nothing in MPI_Recv")
    for rank in (0, 1):
        only_kernel(trees[f"MPI Rank {rank}"])


def cut(a, b):
    """How long two intervals are there at the same time."""
    return max(0, min(a.end, b.end) - max(a.begin, b.begin))


def competitors(trees):
    return [i for name, tree in trees.items() if name.startswith("CPU ") for i in every(tree)
            if i.name.startswith("competitor")]


def spun(trees, number):
    ran = competitors(trees)
    total = sum(i.length() for i in ran)
    out = [i for i in every(trees["MPI Rank 0"]) if i.name == OUT[1]]
    lost = 0
    for interval in ran:
        lost += sum(cut(interval, i) for i in out)
    waited = max(i.length() for i in every(trees["MPI Rank 1"]) if i.name == "MPI_Recv")
    print(f"# competitor: {number} ns by its own clock, {total} ns on CPUs; rank 0 off the CPU against its will meanwhile: "
          f"{lost} ns; of all {sum(i.length() for i in out)} ns; rank 1 waited {waited} ns")
    # a hypervisor may take the CPU from it meanwhile, and its own clock leaves that out
    if total < 0.95 * number:
        fail(f"on CPUs for {total} ns, not {number}")
    if abs(lost - total) > 0.05 * total:
        fail(f"rank 0 was off its CPU for {lost} ns, not {total}")
    if waited < number:
        fail(f"rank 1 waited for {waited} ns only")


def blocked(trees):
    wait = max((i for i in every(trees["MPI Rank 1"]) if i.name == "MPI_Recv"), key=Interval.length)
    out = [i for i in wait.all() if i.name == OUT[0]]
    total = sum(i.length() for i in out)
    against = sum(i.length() for i in wait.all() if i.name == OUT[1])
    print(f"# rank 1 waited {wait.length()} ns in MPI_Recv, {total} ns of them off the CPU by its own will, {len(out)} times; "
          f"{against} ns against it")
    # each look of some microseconds is followed by a nap of 100, or longer; where others use the CPU, too, looks are long
    if len(out) < 100 or total < 0.5 * (wait.length() - against):
        fail(f"of {wait.length()} ns in MPI_Recv {total} ns off the CPU")


def figure(trees):
    for name in ("MPI_Send", "MPI_Ssend", "MPI_Barrier"):
        for call in (i for rank in (0, 1) for i in every(trees[f"MPI Rank {rank}"]) if i.name == name):
            for inner in call.children:
                names = [i.name for i in inner.all()]
                if inner.kernel and "softirq NET_RX" in names and "net send" in names:
                    print(f"# {name} > {inner.name} > net send, softirq NET_RX")
                    return
    fail("no call of MPI has a system call in it with a softirq NET_RX and something sent")


def undisturbed(trees):
    if competitors(trees):
        fail("there is a competitor")


def main(arguments):
    trees = read(arguments[0])
    numbers = [int(a) for a in arguments[2:]]
    {"naps": naps, "waits": waits, "spun": spun, "undisturbed": undisturbed, "blocked": blocked, "figure": figure}[arguments[1]](trees, *numbers)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
