#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""profile-json.py JSON CALLS: the sums of a call tree hold, and it has as many calls of each function as CALLS says."""
import collections
import json
import sys

document = json.load(open(sys.argv[1]))
paths = document["paths"]
children = collections.Counter()
calls = collections.Counter()
wrong = 0
for at, path in enumerate(paths):
    if path["id"] != at or (at and not 0 <= path["parent"] < at):
        print("path", at, "is not where it should be")
        wrong += 1
    if at:
        children[path["parent"]] += path["inclusive"]
    if path["kind"] == "mpi":
        calls[path["name"]] += path["calls"]
    if sum(path["bins"]) != path["calls"]:
        print(path["name"], "has", path["calls"], "calls and", sum(path["bins"]), "in bins")
        wrong += 1
    if not path["min"] * path["calls"] <= path["inclusive"] + path["calls"]:
        print(path["name"], "has calls that are longer than all of them")
        wrong += 1
for path in paths:
    if path["inclusive"] != path["exclusive"] + children[path["id"]] or path["exclusive"] < 0:
        print(path, "is not the sum of its parts")
        wrong += 1
for name in (metric["name"] for metric in document["metrics"]):
    left = collections.Counter()
    for path in paths[1:]:
        left[path["parent"]] += path["metrics"][name]
    for path in paths:
        if path["own_metrics"][name] != path["metrics"][name] - left[path["id"]]:
            print(name, "of", path, "is not the sum of its parts")
            wrong += 1
said = {name: int(count) for count, name in (line.split() for line in open(sys.argv[2]))}
if said != dict(calls):
    print("calls:", dict(calls), "instead of", said)
    wrong += 1
sys.exit(1 if wrong or not said or document["version"] != 1 else 0)
