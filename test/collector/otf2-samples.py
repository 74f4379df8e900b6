#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads an archive of samples with OTF2's own Python reader, and compares it with samples.txt beside it.

usage: otf2-samples.py DIR FUNCTION...

Checked are: only samples are there; each has a weight, a generator with a period, and a calling context whose parents
lead to an outermost one; times do not go back; unwind distances are what the contexts say; each FUNCTION has, itself and
with what it called, the share that samples.txt says. Exit status: 0 all holds, 1 it does not.
"""
import collections
import re
import sys

import otf2
from otf2 import definitions, enums, events

folder, wanted = sys.argv[1], sys.argv[2:]
wrong = []


def path_of(context):
    """From the outermost context to this one."""
    path = []
    while context is not None:
        path.append(context)
        context = context.parent
    return path[::-1]


def place_of(context):
    location = context.source_code_location
    return None if location is None else (location.file, location.line_number)


def distance(before, path):
    """How many were entered since, plus one, below the one that went on, maybe at another line."""
    same = 0
    while same < min(len(before), len(path)) and before[same] is path[same]:
        same += 1
    if same < min(len(before), len(path)) and before[same].region.name == path[same].region.name and \
            before[same].region.description == path[same].region.description:
        same += 1
    return len(path) - same + 1


own, every, total, count = collections.Counter(), collections.Counter(), 0, 0
with otf2.reader.open(folder + "/samples.otf2") as trace:
    generators = list(trace.definitions.interrupt_generators)
    if not generators or any(g.period == 0 for g in generators):
        wrong.append("no generator, or one without a period")
    last, before = {}, collections.defaultdict(list)
    for location, event in trace.events:
        if not isinstance(event, events.CallingContextSample):
            wrong.append(f"{type(event).__name__}: no sample")
            continue
        path = path_of(event.calling_context)
        names = [(c.region.name, c.region.paradigm == enums.Paradigm.MPI) for c in path]
        weight = next((v for k, v in event.attributes.items() if k.name == "sample weight"), 0)
        if not weight or event.time < last.get(location, 0):
            wrong.append(f"weight {weight} at {event.time}")
        if event.unwind_distance != distance(before[location], path):
            wrong.append(f"distance {event.unwind_distance}, it is {distance(before[location], path)}")
        last[location] = event.time
        before[location] = path
        count += 1
        total += weight
        own[names[-1][0]] += weight
        for name in set(n for n, mpi in names if not mpi):
            every[name] += weight

told, table, samples = {}, "", None
for line in open(folder + "/samples.txt", errors="replace"):
    if line.startswith("By "):
        table = line.strip()
    elif " samples of " in line:
        samples = int(line.split()[0])
    elif table == "By function":
        row = re.match(r" *([\d.]+) +([\d.]+) +[\d.]+ +\d+  (.*?)(  \(.*\))?$", line.rstrip("\n"))
        if row:
            told[row[3]] = (float(row[1]), float(row[2]))
if samples != count:
    wrong.append(f"{count} samples, samples.txt has {samples}")
for name in wanted:
    if name not in told or not total:
        wrong.append(f"{name}: nowhere")
        continue
    shares = (100 * own[name] / total, 100 * every[name] / total)
    print(name, [round(s, 2) for s in shares], told[name])
    if any(abs(a - b) > 0.011 for a, b in zip(shares, told[name])):
        wrong.append(f"{name}: {shares}, samples.txt has {told[name]}")
print(f"{count} samples, {len(generators)} generators: {', '.join(g.name for g in generators)}")
for text in wrong[:10]:
    print("wrong:", text)
sys.exit(bool(wrong))
