# SPDX-License-Identifier: BSD-3-Clause
"""
Another judge of the traffic in hybmon report --json: messages, collective operations and files from the JSON Lines of the
same recording. A message's transit is from when the calls that begin its send and its receive were entered until it was
received.

    traffic.py REPORT TRACES WHAT...    both agree; and there are such things: messages, sizes, collectives, files
"""
import collections
import json
import sys

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
from recording import read  # noqa: E402

bad = []
FIELDS = ("count", "bytes", "timed", "timed_bytes", "time", "longest")


def least_of_class(size):
    return 1 << size.bit_length() - 1 if size else 0


class Row:
    def __init__(self):
        self.count = self.bytes = self.timed = self.timed_bytes = self.time = self.longest = self.small = 0

    def add(self, size, time):
        self.count += 1
        self.bytes += size
        self.small += size < 4096
        if time is not None:
            self.timed += 1
            self.timed_bytes += size
            self.time += time
            self.longest = max(self.longest, time)

    def values(self):
        return [getattr(self, field) for field in FIELDS]


def name_of_file(defines, handle):
    number = defines["handle"][handle]["file"]
    return defines["file"][number]["name"]


def judge(defines, events):
    rows = collections.defaultdict(Row)
    sends, receives, requests, files = {}, {}, {}, {}
    process_of = {track: d.get("process") for track, d in defines["track"].items()}
    for track, row in events.items():
        stack, operation = [], None
        for e in row:
            kind, process = e["event"], process_of[track]
            if kind == "enter":
                stack.append(e["time"])
            elif kind == "leave":
                stack.pop()
            elif kind in ("send", "isend"):
                if "number" in e:
                    sends[e["number"]] = process, e["time"], e["bytes"]
                else:
                    rows["unpaired", ].add(e["bytes"], None)
            elif kind == "irecv_request":
                requests[process, e["request"]] = stack[-1]
            elif kind in ("recv", "irecv") and "number" in e:
                posted = stack[-1] if kind == "recv" else requests.pop((process, e["request"]), None)
                receives[e["number"]] = process, posted, e["time"]
            elif kind == "collective_begin":
                operation = e["time"]
            elif kind in ("collective_end", "collective_complete"):
                time = e["time"] - operation if kind == "collective_end" and operation is not None else None
                key = "collectives", e["operation"], least_of_class(max(e["sent"], e["received"]))
                rows[key].add(e["sent"] + e["received"], time)
                operation = None if kind == "collective_end" else operation
            elif kind == "io_begin":
                files[process, e["id"]] = e
            elif kind == "io_complete":
                file = files.pop((process, e["id"]))
                if file["operation"] in ("read", "write"):
                    key = "files", name_of_file(defines, e["handle"]), file["operation"]
                    rows[key].add(e["bytes"], None if file.get("begun") else e["time"] - file["time"])
    for number, (sender, begun, size) in sends.items():
        receiver, posted, received = receives[number]
        transit = max(0, received - max(begun, posted))
        rows["messages", sender, receiver].add(size, transit)
        rows["sizes", least_of_class(size)].add(size, transit)
    return rows


def told(report):
    got = {}
    traffic = report["traffic"]
    for row in traffic["messages"]:
        got["messages", row["from"]["process"], row["to"]["process"]] = row
    for row in traffic["sizes"]:
        got["sizes", row["size"]] = row
    for row in traffic["collectives"]:
        got["collectives", row["operation"], row["size"]] = row
    for row in traffic["files"]:
        got["files", row["file"], row["operation"]] = row
    for row in traffic["unpaired"]:
        got["unpaired", ] = row
    return got


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        report = json.load(file)
    mine, theirs = judge(*read(sys.argv[2])), told(report)
    for key in sorted(set(mine) | set(theirs), key=str):
        row = [theirs[key][field] for field in FIELDS] if key in theirs else None
        if key not in mine or row != mine[key].values():
            bad.append(f"{key}: {row}, not {mine[key].values() if key in mine else None}")
        elif "small" in theirs[key] and theirs[key]["small"] != mine[key].small:
            bad.append(f"{key}: {theirs[key]['small']} small ones, not {mine[key].small}")
    for what in sys.argv[3:]:
        if not any(key[0] == what for key in mine):
            bad.append(f"there are no {what}")
    print("\n".join(bad))
    return bool(bad)


sys.exit(main())
