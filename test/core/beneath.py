#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""beneath.py N SAID TREE [TRACE]: the regions of beneath.c have in the tree what the program did N times, and what it
said of itself; and, where there is the tree of the trace of the same run, what that has."""
import collections
import json
import sys

ROUND = 10  # nanoseconds for each event, as clocks are converted
failed = 0


def fail(*text):
    global failed
    failed += 1
    print(*text)


class Tree:
    def __init__(self, name):
        document = json.load(open(name))
        self.kernel = document.get("kernel")
        self.paths = document["paths"]
        self.names = []
        children = collections.Counter()
        for path in self.paths:
            self.names.append(self.names[path["parent"]] + (path["name"],) if path["id"] else ())
            if path["id"]:
                children[path["parent"]] += path["inclusive"]
        for path in self.paths:
            if path["inclusive"] != path["exclusive"] + children[path["id"]] or path["exclusive"] < 0:
                fail(name, self.names[path["id"]], "is not the sum of its parts")
        self.sums = collections.defaultdict(lambda: [0, 0])
        for path, names in zip(self.paths, self.names):
            self.sums[names][0] += path["calls"]
            self.sums[names][1] += path["inclusive"]

    def calls(self, *names):
        return self.sums.get(names, [0, 0])[0]

    def under(self, region, name):
        """Calls of something of the kernel's anywhere in a region, in none of the program's within."""
        user = {p["id"] for p in self.paths if p["kind"] != "kernel"}
        total = 0
        for path, names in zip(self.paths, self.names):
            if path["kind"] != "kernel" or path["name"] != name:
                continue
            at = path["parent"]
            while at not in user:
                at = self.paths[at]["parent"]
            if self.paths[at].get("name") == region:
                total += path["calls"]
        return total


count = int(sys.argv[1])
said = {tuple(line.split()[:2]): int(line.split()[2]) for line in open(sys.argv[2])}
tree = Tree(sys.argv[3])
own = tree.kernel and tree.kernel["own"]


def expect(what, got, wanted):
    if got != wanted:
        fail(what, got, "instead of", wanted)


if not tree.kernel or not 0 < tree.kernel["known"] <= tree.kernel["time"] or tree.kernel["crowded"]:
    fail("it is not said of how much the kernel is known:", tree.kernel)
expect("waiting in naps:", tree.under("naps", "scheduled out (voluntary)"), said["naps", "voluntary"])
expect("faults:", tree.calls("faults", "page fault (minor)"), count)
if not own:
    expect("naps:", tree.calls("naps", "sys_clock_nanosleep"), count)
    expect("calls:", tree.calls("calls", "sys_getppid"), count)
    expect("calls within:", tree.calls("calls", "within", "sys_getppid"), count)
    expect("naps in faults:", tree.calls("faults", "sys_clock_nanosleep"), 0)
# Between the region's border and getrusage it may be put off its CPU, too.
waits = tree.under("spins", "scheduled out (involuntary)")
if not said["spins", "involuntary"] <= waits <= said["spins", "involuntary"] + 2:
    fail("waiting for a CPU:", waits, "instead of", said["spins", "involuntary"])
spun = tree.sums["spins",][1] - sum(p["inclusive"] for p in tree.paths if p.get("name") == "scheduled out (involuntary)" and
                                    tree.names[p["parent"]][:1] == ("spins",))
# It ran until it had had so much of a CPU.
if abs(spun - count * 1000000) > 0.05 * count * 1000000:
    fail("ran for", spun, "ns instead of", count, "ms")
waited = [p["inclusive"] for p, n in zip(tree.paths, tree.names) if n[:1] == ("naps",) and p["kind"] == "user"]
slept = sum(p["inclusive"] for p, n in zip(tree.paths, tree.names)
            if n[:1] == ("naps",) and p["name"] == "scheduled out (voluntary)")
if not count * 1000000 * 0.9 <= slept <= waited[0]:
    fail("slept for", slept, "of", waited[0])

if len(sys.argv) > 4:
    trace = Tree(sys.argv[4])
    wanted = {"naps", "faults", "calls", "spins"}
    for names in sorted(set(tree.sums) | set(trace.sums), key=str):
        # Interrupts come between two instructions, which both may see on different sides of an Enter.
        if not names or names[0] not in wanted or any(str(n).startswith(("irq", "softirq")) for n in names):
            continue
        a, b = tree.sums.get(names, [0, 0]), trace.sums.get(names, [0, 0])
        if a[0] != b[0]:
            fail("the profile has", a[0], "calls of", names, "and the trace", b[0])
        # When a thread had its CPU again the merge knows less well: with 0.8 s of waiting 1 to 10 ms are missing.
        share = 0.02 if names[-1] == "scheduled out (involuntary)" else 0.001
        if abs(a[1] - b[1]) > share * b[1] + ROUND * b[0] + 2000:
            fail("the profile has", a[1], "ns of", names, "and the trace", b[1])
sys.exit(1 if failed else 0)
