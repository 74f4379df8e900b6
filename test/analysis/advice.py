# SPDX-License-Identifier: BSD-3-Clause
"""
Whether the advice in hybmon report --json follows from the profile in it, by the rules in the manual.

    advice.py REPORT [KIND]    it does; and there is some of that kind
"""
import json
import sys


def expected(report):
    profile = report["profile"]
    whole = {p["process"]: p["inclusive"] for p in profile["processes"]}
    crowded = any(a["kind"] == "more_threads_than_cpus" for a in report["advice"])
    advice = []
    for row in profile["preempted"]:
        ours = " (rank " in row["by"] or " (pid " in row["by"]
        if not crowded and "cpu" in row and ours and row["time"] > whole[row["process"]] // 20:
            advice.append(("one_cpu", row["process"], row["count"], row["time"]))
    interrupts = {p["process"]: (p["counts"]["interrupts"], p["parts"]["interrupts"]) for p in profile["processes"]}
    for process, (count, time) in interrupts.items():
        rest = sum(t for p, (_, t) in interrupts.items() if p != process)
        if len(interrupts) > 1 and time > whole[process] // 100 and time * (len(interrupts) - 1) > 3 * rest:
            advice.append(("interrupts", process, count, time))
    count = sum(r["counts"]["faults"] for r in profile["regions"])
    time = sum(r["parts"]["faults"] for r in profile["regions"])
    if count and time > sum(whole.values()) // 20:
        advice.append(("faults", None, count, time))
    return sorted(advice, key=str)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    # The recording's CPUs are not in the report.
    judged = [a for a in report["advice"] if a["kind"] != "more_threads_than_cpus"]
    got = sorted(((a["kind"], a.get("process"), a["count"], a["time"]) for a in judged), key=str)
    bad = got != expected(report)
    print(got, expected(report))
    times = [a["time"] for a in report["advice"]]
    bad = bad or times != sorted(times, reverse=True) or not all(a["text"] for a in report["advice"])
    if len(sys.argv) > 2 and not any(a["kind"] == sys.argv[2] for a in report["advice"]):
        print(f"none of {sys.argv[2]}: {report['profile']['preempted']}")
        bad = True
    return bad


sys.exit(main())
