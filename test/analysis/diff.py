# SPDX-License-Identifier: BSD-3-Clause
"""
Another judge of hybmon diff --json: each run's values from the report of that run, the rank test by trying all ways to
choose the runs of B.

    diff.py DIFF REPORT...    the reports of the runs of A, and then of B
"""
import collections
import itertools
import json
import statistics
import sys

WAITS = {"late_sender": "late sender", "late_receiver": "late receiver", "barrier": "wait at barrier",
         "all": "wait for all", "late_root": "late root", "early_root": "early root"}
bad = []


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def values(report):
    """What a run has: by kind and name."""
    got = collections.Counter()
    got["length", "length of the run"] = report["length"]
    for thread in report["threads"]:
        got["time", "computation"] += thread["times"]["computation"]
        got["time", "MPI"] += thread["times"]["mpi"]
    for region in report["profile"]["regions"]:
        name = region.get("name") or {"threads": "(in no region)", "not_recorded": "(not recorded)"}[region["kind"]]
        got["region", name] += region["exclusive"]
    for wait in (w for w in report["waits"] if w["kind"] in WAITS):
        name = WAITS[wait["kind"]]
        got["wait", f"{name}, in {wait['path'][-1]['name']}"] += wait["time"]
    return got


def likelihood(a, b):
    """That b's ranks among all sum to that much or more; equal values share theirs."""
    both = sorted(a + b)
    rank = {x: statistics.fmean(i for i, y in enumerate(both) if y == x) for x in both}
    ranks = [rank[x] for x in a + b]
    sums = [sum(chosen) for chosen in itertools.combinations(ranks, len(b))]
    return sum(s >= sum(ranks[len(a):]) - 1e-9 for s in sums) / len(sums)


def main():
    diff, reports = load(sys.argv[1]), [load(path) for path in sys.argv[2:]]
    of_a = len(diff["a"])
    runs = [values(report) for report in reports]
    seen = collections.Counter()
    for row in diff["rows"]:
        both = row["a"] + row["b"]
        key = row["kind"], row["name"]
        seen[key] += 1
        if any(key in run for run in runs) and both != [run[key] for run in runs]:
            bad.append(f"{key}: {both}, not {[run[key] for run in runs]}")
        a, b = row["a"], row["b"]
        p = likelihood(a, b) if statistics.fmean(b) >= statistics.fmean(a) else likelihood(b, a)
        if abs(p - row["p"]) > 1e-9:
            bad.append(f"{key}: p {row['p']}, not {p}")
        if abs(row["difference"] - (statistics.fmean(b) - statistics.fmean(a))) > 1:
            bad.append(f"{key}: difference {row['difference']}")
        if "parts" in row and abs(sum(row["parts"].values()) - row["difference"]) > 1:
            bad.append(f"{key}: parts")
    missing = [key for run in runs for key in run if not seen[key]]
    if missing or max(seen.values()) > 1:
        bad.append(f"missing: {missing}, or twice")
    if len(diff["a"]) + len(diff["b"]) != len(reports) or not of_a:
        bad.append("runs")
    for kind, total in (("wait", "waited"), ("cause", "waited")):
        for i, report in enumerate(reports):
            got = sum((row["a"] + row["b"])[i] for row in diff["rows"] if row["kind"] == kind)
            if got != report[total]:
                bad.append(f"run {i}, {kind}: {got}, not {report[total]}")
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
