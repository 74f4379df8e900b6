# SPDX-License-Identifier: BSD-3-Clause
"""
profiles.py PROFILE [TRACE]: whether the sums of a report of profiles hold; and whether it has what the report of the
trace of the same run has: counts and bytes the same, times but for rounding, and for what a thread did before its first
event and after its last.
"""
import collections
import json
import sys

CLASSES = ("computation", "mpi", "openmp_wait", "openmp_idle", "kernel", "voluntary", "involuntary", "not_recorded")


def complain(what, mine, theirs, few=0):
    if abs(mine - theirs) <= few:
        return False
    print(f"{what}: {mine} in the profile, {theirs} in the trace")
    return True


def sums(report):
    """Each moment of each thread is in one region, one line and one kind of time."""
    lasted = sum(t["end"] - t["begin"] for t in report["threads"])
    own = [r for r in report["profile"]["regions"]]
    found = {
        "times": sum(sum(t["times"][c] for c in CLASSES) for t in report["threads"]),
        "regions": sum(r["exclusive"] for r in own),
        "rows": sum(p["exclusive"] for r in own for p in r["processes"]),
        "parts": sum(sum(r["parts"].values()) for r in own),
        "processes": sum(p["exclusive"] for p in report["profile"]["processes"]),
        "lines": sum(x["work"] for x in report["lines"]),
        "nodes": sum(n["time"] for n in report["nodes"]),
    }
    bad = False
    for what, ns in found.items():
        if ns != lasted:
            print(f"{what} sum to {ns} ns of {lasted}")
            bad = True
    for r in report["profile"]["regions"]:
        if r["inclusive"] < r["exclusive"]:
            print(r["name"], "is shorter than its own part")
            bad = True
    kernel = sum(e["exclusive"] for e in report["profile"]["kernel_events"])
    within = sum(ns for r in own for part, ns in r["parts"].items() if part != "own")
    if kernel != within:
        print(f"the kernel has {kernel} ns, regions have {within} of it")
        bad = True
    print(f"{len(report['threads'])} threads, {len(own)} regions, {len(report['lines'])} lines, "
          f"{len(report['traffic']['messages'])} pairs, kernel {report['kernel']} {kernel} ns")
    return bad


def regions(report):
    return {(r["name"], p["process"]): p for r in report["profile"]["regions"] if r["kind"] == "region"
            for p in r["processes"]}


def lines(report):
    found = collections.Counter()
    for line in report["lines"]:
        if line["kind"] == "region":
            found[line["name"], line.get("at")] += line["visits"]
    return +found


def collectives(report):
    """But for those that have non-blocking ones among them, which profiles do not count."""
    begun = {name[5:].lower() for name, _ in regions(report) if name.startswith("MPI_I")}
    found = collections.Counter()
    for row in report["traffic"]["collectives"]:
        if row["operation"] in begun:
            continue
        found[row["operation"], "count"] += row["count"]
        found[row["operation"], "bytes"] += row["bytes"]
    return +found


def pairs(report):
    return {(m["from"]["process"], m["to"]["process"]): (m["count"], m["bytes"]) for m in report["traffic"]["messages"]}


def same(profile, trace):
    """A profile does not know of threads that are idle."""
    bad = False
    for what, find in ("lines", lines), ("collectives", collectives), ("pairs", pairs):
        mine, theirs = find(profile), find(trace)
        if mine != theirs:
            for key in sorted(set(mine) | set(theirs), key=str):
                if mine.get(key) != theirs.get(key):
                    print(what, key, mine.get(key), "in the profile,", theirs.get(key), "in the trace")
            bad = True
    mine, theirs = regions(profile), regions(trace)
    for key in sorted(set(mine) | set(theirs)):
        p, t = mine.get(key), theirs.get(key)
        if not p or not t:
            print(key, "only in", "the trace" if t else "the profile")
            bad = True
            continue
        bad = complain(f"{key} visits", p["visits"], t["visits"]) or bad
        # A nanosecond for each of its call paths.
        for what in "exclusive", "inclusive":
            bad = complain(f"{key} {what}", p[what], t[what], 100) or bad
    for p, t in zip(profile["threads"], trace["threads"]):
        few = 100 * len(mine)
        bad = p["track"] != t["track"] or bad
        bad = complain("mpi", p["times"]["mpi"], t["times"]["mpi"], few) or bad
        bad = complain("waiting", p["times"]["openmp_wait"], t["times"]["openmp_wait"] + t["times"]["openmp_idle"], few) or bad
    return bad or len(profile["threads"]) != len(trace["threads"])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        profile = json.load(file)
    bad = sums(profile) or profile["mode"] != "profile"
    if sys.argv[2:]:
        with open(sys.argv[2], encoding="utf-8") as file:
            trace = json.load(file)
        bad = same(profile, trace) or trace["mode"] != "trace" or bad
    return int(bad)


sys.exit(main())
