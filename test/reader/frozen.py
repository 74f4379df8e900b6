#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""frozen.py TRACES.jsonl PRINTED...: whether hybmon-merge's JSON output has the calls that the ranks printed, as lines
"calls MPI_Send 12" and "parallel 12". PRINTED is rank.N.stdout."""
import collections
import json
import re
import sys

regions, ranks, got = {}, {}, collections.Counter()
with open(sys.argv[1], encoding="utf-8") as lines:
    for line in lines:
        record = json.loads(line)
        if record.get("define") == "region":
            regions[record["id"]] = record.get("plain", record["name"])
        elif record.get("define") == "process":
            ranks[record["id"]] = record.get("rank", -1)
        elif record.get("define") == "track" and record["kind"] == "thread":
            ranks["track", record["id"]] = ranks[record["process"]], record["thread"]
        elif record.get("event") == "enter" and ("track", record["track"]) in ranks:
            rank, thread = ranks["track", record["track"]]
            if thread == 0:
                got[rank, regions[record["region"]]] += 1

wrong = 0
for path in sys.argv[2:]:
    rank = int(re.search(r"rank\.(\d+)\.stdout$", path).group(1))
    printed = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for words in map(str.split, lines):
            printed[words[-2]] += int(words[-1])
    for name, count in printed.items():
        if got[rank, name] != count:
            wrong += 1
            print(f"rank {rank}: {name}: {got[rank, name]} in the trace, {count} printed")
sys.exit(wrong > 0)
