# SPDX-License-Identifier: BSD-3-Clause
"""
Another judge of the profile in hybmon report --json: each region's time from the JSON Lines of the same recording, from
its definition: each moment belongs to the innermost region of the program's, there to the innermost thing that the
kernel does, and is inclusive in all regions that are open.

    flat.py REPORT TRACES [PART]    both agree, to the nanosecond; and some region has of that part
"""
import collections
import json
import statistics
import sys

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
from recording import read  # noqa: E402

PARTS = ["own", "system_calls", "faults", "interrupts", "voluntary", "involuntary", "unknown"]
bad = []


def part_of(region):
    if region["paradigm"] != "kernel":
        return "own"
    name = region["name"]
    if name.startswith("scheduled out"):
        return "voluntary" if "(voluntary)" in name else "involuntary"
    for begin, part in (("sys_", "system_calls"), ("page fault", "faults"), ("irq", "interrupts"), ("softirq", "interrupts")):
        if name.startswith(begin):
            return part
    return "unknown"


def judge(defines, events):
    """Counters by process, kind and name of the region, and what is counted."""
    got = collections.Counter()
    for track, row in events.items():
        if defines["track"][track]["kind"] != "thread" or not row:
            continue
        process = defines["track"][track]["process"]
        stack = [("threads", None, "own", 1)]
        got[process, "threads", None, "visits"] += 1
        before, paused = row[0]["time"], False
        for event in row:
            passed, before = event["time"] - before, event["time"]
            inner = next(f for f in reversed(stack) if f[0] != "kernel")
            if paused:
                got[process, "not_recorded", None, "own"] += passed
                got[process, "not_recorded", None, "inclusive"] += passed
            else:
                got[process, inner[0], inner[1], stack[-1][2]] += passed
            if stack[-1][0] == "kernel" and not paused:
                got[process, "kernel", stack[-1][1], stack[-1][2]] += passed
            for frame in {f[:2] for f in stack}:
                got[(process,) + frame + ("inclusive",)] += passed
            if event["event"] == "enter":
                region = defines["region"][event["region"]]
                part = part_of(region)
                kind = "region" if part == "own" else "kernel"
                calls = event.get("attributes", {}).get("polls", 1)
                if kind == "kernel":
                    inner = next(f for f in reversed(stack) if f[0] != "kernel")
                    got[process, inner[0], inner[1], "count " + part] += calls
                stack.append((kind, region["name"], part))
                got[process, kind, region["name"], "visits"] += calls
            elif event["event"] in ("off", "on"):
                paused = event["event"] == "off"
                got[process, "not_recorded", None, "visits"] += paused
            elif event["event"] == "leave":
                stack.pop()
    return got


def preempted(defines, events):
    """By process and who had the CPU: how often, how long, and where the threads went on."""
    got = collections.defaultdict(lambda: [0, 0, set()])
    for track, row in events.items():
        if defines["track"][track]["kind"] != "thread":
            continue
        out = None
        for event in row:
            name = defines["region"][event["region"]]["name"] if "region" in event else ""
            if name != "scheduled out (involuntary)":
                continue
            attributes = event.get("attributes", {})
            if event["event"] == "enter":
                who = attributes.get("next task")
                out = None if who is None else (defines["text"][who]["text"], event["time"])
            elif out:
                who = defines["text"][attributes["held by"]]["text"] if "held by" in attributes else out[0]
                row_of = got[defines["track"][track]["process"], who]
                row_of[0] += 1
                row_of[1] += event["time"] - out[1]
                row_of[2] |= {attributes["CPU"]} if "CPU" in attributes else set()
    return {key: [count, ns, cpus.pop() if len(cpus) == 1 else None] for key, (count, ns, cpus) in got.items()}


def told(report):
    """The same as the report has it."""
    got = collections.Counter()
    for region in report["profile"]["regions"] + report["profile"]["kernel_events"]:
        for row in region["processes"]:
            key = row["process"], region["kind"], region.get("name")
            got[key + ("visits",)] += row["visits"]
            got[key + ("inclusive",)] += row["inclusive"]
            for part in PARTS:
                got[key + (part,)] += row["parts"][part]
                got[key + ("count " + part,)] += row["counts"].get(part, 0)
    return got


def equal(what, a, b):
    if a != b:
        bad.append(f"{what}: {a}, not {b}")


def check_sums(report):
    """What is said of all is the sum of what is said of each; exclusive times sum to the threads' time."""
    profile = report["profile"]
    for region in profile["regions"] + profile["kernel_events"]:
        rows = region["processes"]
        what = f"{region['kind']} {region.get('name')}"
        for name in ("visits", "inclusive", "exclusive"):
            equal(f"{what}, {name}", region[name], sum(r[name] for r in rows))
        equal(f"{what}, parts", region["exclusive"], sum(region["parts"].values()))
        for row in rows:
            equal(f"{what}, parts of {row['process']}", row["exclusive"], sum(row["parts"].values()))
            if row["inclusive"] < row["exclusive"]:
                bad.append(f"{what}: less than its own")
        check_spread(what, region, profile)
    length = sum(t["end"] - t["begin"] for t in report["threads"])
    for name in report["threads"][0]["times"]:
        equal(f"{name} of nodes", sum(n["times"][name] for n in report["nodes"]),
              sum(t["times"][name] for t in report["threads"]))
    equal("time of nodes", sum(n["time"] for n in report["nodes"]), length)
    equal("waiting of nodes", sum(n["waited"] for n in report["nodes"]), report["waited"])
    equal("exclusive times", sum(r["exclusive"] for r in profile["regions"]), length)
    equal("processes' times", sum(p["exclusive"] for p in profile["processes"]), length)
    for part in PARTS[1:]:
        equal(f"{part} of events", sum(r["parts"][part] for r in profile["kernel_events"]),
              sum(r["parts"][part] for r in profile["regions"]))


def check_spread(what, region, profile):
    rows = {row["process"]: row["exclusive"] for row in region["processes"]}
    values = {p["process"]: rows.get(p["process"], 0) for p in profile["processes"]}
    spread = region["over_processes"].get("exclusive")
    if not spread:
        equal(f"{what}, nothing", max(values.values()), 0)
        return
    equal(f"{what}, least", spread["least"], min(values.values()))
    equal(f"{what}, most", spread["most"], max(values.values()))
    equal(f"{what}, least in", values[spread["least_in"]["process"]], spread["least"])
    equal(f"{what}, most in", values[spread["most_in"]["process"]], spread["most"])
    if abs(spread["mean"] - statistics.fmean(values.values())) > 1e-6 * spread["mean"] + 1e-3:
        bad.append(f"{what}: mean {spread['mean']}")
    median = statistics.median(values.values())
    usual = statistics.median(abs(v - median) for v in values.values())
    far = max(3 * 1.4826 * usual, median / 10)
    outliers = {p for p, v in values.items() if abs(v - median) > far} if len(values) >= 5 else set()
    equal(f"{what}, outliers", {o["process"] for o in spread["outliers"]}, outliers)


def check_times(report, mine):
    """What threads did with their time is added up in another way for blame: there a pause in an MPI call is the call's."""
    for process in {thread["process"] for thread in report["threads"]}:
        told_of = sum(t["times"]["mpi"] + t["times"]["not_recorded"] for t in report["threads"] if t["process"] == process)
        found = sum(ns for (p, kind, name, what), ns in mine.items() if p == process and what == "own" and
                    (kind == "not_recorded" or kind == "region" and name.startswith("MPI_")))
        equal(f"in MPI or not recorded, process {process}", told_of, found)


def judge_lines(defines, events):
    """The time of regions by name and the line they are called from; under None that in no region."""
    got = collections.Counter()
    for track, row in events.items():
        if defines["track"][track]["kind"] != "thread" or not row:
            continue
        stack, before = [None], row[0]["time"]
        for event in row:
            got[next((f for f in reversed(stack) if f != "kernel"))] += event["time"] - before
            before = event["time"]
            if event["event"] == "enter":
                region = defines["region"][event["region"]]
                stack.append("kernel" if region["paradigm"] == "kernel" else
                             (region["name"], defines["text"].get(event.get("attributes", {}).get("called from"), {}).get("text")))
            elif event["event"] == "leave":
                stack.pop()
    return +got


def check_lines(report, recording):
    """By line everything sums to the threads' time; where nothing was paused, each line has what the other judge finds."""
    theirs = collections.Counter()
    for line in report["lines"]:
        what = f"line {line.get('name')} at {line.get('at')}"
        equal(f"{what}, parts", line["work"], sum(line["parts"].values()))
        equal(f"{what}, processes", line["work"], sum(p["work"] for p in line["processes"]))
        theirs[(line["name"], line.get("at")) if line["kind"] == "region" else None] += line["work"] + line["waited"]
    equal("all lines", sum(theirs.values()), sum(t["end"] - t["begin"] for t in report["threads"]))
    equal("waiting by line", sum(line["waited"] for line in report["lines"]), report["waited"])
    if not any(r["kind"] == "not_recorded" for r in report["profile"]["regions"]):
        mine, theirs = judge_lines(*recording), +theirs
        for key in sorted(set(mine) | set(theirs), key=str):
            equal(f"line {key}", theirs[key], mine[key])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    recording = read(sys.argv[2])
    mine, theirs = judge(*recording), told(report)
    rivals = {(row["process"], row["by"]): [row["count"], row["time"], row.get("cpu")] for row in report["profile"]["preempted"]}
    equal("pre-empted by", rivals, preempted(*recording))
    for key in sorted(set(mine) | set(theirs), key=str):
        equal(key, theirs[key], mine[key])
    check_sums(report)
    check_lines(report, recording)
    if not report["profile"]["kernel_events"]:
        check_times(report, mine)
    if not any(key[1] == "region" for key in mine):
        bad.append("there are no regions")
    if len(sys.argv) > 3 and not any(key[3] == sys.argv[3] and ns for key, ns in mine.items()):
        bad.append(f"no region has any {sys.argv[3]}")
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
