#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what hybmon-merge tells of a part of a trace with what follows from the whole trace, worked out here.

usage: selection.py WHOLE.JSONL PART.JSONL [--from=NS] [--until=NS] [--ranks=0,2] [--no=PARADIGM]

- Each interval of a region that touches the part is there, cut to it, and no other one; of regions without duration, too.
- A message is told, with both halves, if its send and its receive lie in the part; an operation if all of all members'.
- A request that is begun has an end in the part, and the other way round.
- What is used was made before: windows, handles, one-sided operations, tasks. Teams, forks and locks are balanced.

Exit status: 0 all of it holds, 1 something does not (up to 10 are printed), 2 usage.
"""
import argparse
import collections
import json
import sys

BRACKETS = {"leave": "enter", "join": "fork", "team_end": "team_begin", "on": "off", "collective_end": "collective_begin",
            "rma_collective_end": "rma_collective_begin"}
MESSAGES = ("send", "isend", "recv", "irecv")
OPERATIONS = ("collective_end", "collective_complete")
MADE = {"window_create": "window", "io_create": "handle"}
GONE = {"window_destroy": "window", "io_destroy": "handle"}


def read(path):
    defined, tracks = collections.defaultdict(dict), collections.defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for text in lines:
            line = json.loads(text)
            if "define" in line:
                defined[line["define"]][line.get("id")] = line
            else:
                tracks[line["track"]].append(line)
    return defined, tracks


class Check:
    def __init__(self, options):
        self.options = options
        self.wrong = 0
        self.whole, self.all = read(options.whole)
        self.part, self.told = read(options.part)

    def complain(self, text):
        self.wrong += 1
        if self.wrong <= 10:
            print(f"selection: {text}")

    def inside(self, *times):
        return all(self.options.begin <= time <= self.options.until for time in times)

    def rank(self, track):
        return self.whole["process"][self.whole["track"][track]["process"]].get("rank")

    def selected(self, track):
        return not self.options.ranks or self.whole["track"][track]["kind"] == "cpu" or \
            self.rank(track) in self.options.ranks

    def intervals(self, defined, events, track):
        """Of a track's regions, in the order of their begins."""
        done, stack = [], []
        for line in events:
            if line["event"] == "enter":
                region = defined["region"][line["region"]]
                stack.append([line["time"], None, region["name"], region["paradigm"], line.get("attributes")])
                done.append(stack[-1])
            elif line["event"] == "leave":
                if not stack:
                    self.complain(f"a region is left that was not entered: {line}")
                    continue
                interval = stack.pop()
                interval[1] = line["time"]
                if interval[2] != defined["region"][line["region"]]["name"]:
                    self.complain(f"track {track}: not the innermost region: {line}")
        if stack:
            self.complain(f"track {track}: never left: {stack[-1]}")
        return [tuple(each[:3]) for each in done if each[3] not in self.options.no]

    def check_regions(self, track):
        begin, until = self.options.begin, self.options.until
        wanted = [(max(first, begin), min(last, until), name)
                  for first, last, name in self.intervals(self.whole, self.all[track], track)
                  if last >= begin and first <= until and self.selected(track)]
        got = self.intervals(self.part, self.told[track], track)
        if wanted != got:
            differ = [pair for pair in zip(wanted, got) if pair[0] != pair[1]]
            self.complain(f"track {track}: {len(wanted)} regions, {len(got)} told; first that differs: {differ[:1]}")

    def check_order(self, track):
        last, stack = self.options.begin, []
        # A thread may begin while recording is off.
        marks = [line["event"] for line in self.all[track] if line["event"] in ("off", "on")]
        if marks[:1] == ["on"]:
            stack.append("off")
        for line in self.told[track]:
            if line["time"] < last or line["time"] > self.options.until:
                self.complain(f"not in order, or outside: {line}")
            last = line["time"]
            if line["event"] in BRACKETS.values():
                stack.append(line["event"])
            elif line["event"] in BRACKETS:
                if BRACKETS[line["event"]] not in stack:
                    self.complain(f"has no begin: {line}")
                else:
                    stack.reverse()
                    stack.remove(BRACKETS[line["event"]])
                    stack.reverse()
        if set(stack) - {"off"}:
            self.complain(f"track {track}: no end: {stack}")

    def key(self, line):
        kind = {"isend": "send", "irecv": "recv"}.get(line["event"], line["event"])
        return (line["track"], line["time"], kind) + tuple(
            line.get(name) for name in ("communicator", "peer", "tag", "bytes", "operation", "sent", "received", "root"))

    def check_messages(self):
        wanted, got = collections.Counter(), collections.Counter()
        members = collections.Counter()
        for track in self.all:
            for line in self.all[track]:
                if line["event"] in MESSAGES + OPERATIONS and "number" in line and self.selected(track):
                    members[line["event"] in MESSAGES, line["number"]] += 1
        size = collections.Counter()
        for track in self.all:
            for line in self.all[track]:
                if line["event"] in MESSAGES + OPERATIONS and "number" in line:
                    size[line["event"] in MESSAGES, line["number"]] += 1
        for track in self.all:
            for line in self.all[track]:
                number = (line["event"] in MESSAGES, line.get("number"))
                if line["event"] in MESSAGES:
                    if members[number] == 2 and self.inside(line["time"], line["other_end"]):
                        wanted[self.key(line)] += 1
                elif line["event"] in OPERATIONS and "number" in line:
                    if members[number] == size[number] and self.inside(line["first_begin"], line["last_end"]):
                        wanted[self.key(line)] += 1
        for track in self.told:
            for line in self.told[track]:
                if line["event"] in MESSAGES or line["event"] in OPERATIONS and "number" in line:
                    got[self.key(line)] += 1
        if wanted != got:
            self.complain(f"messages: missing {list((wanted - got).items())[:2]}, "
                          f"too many {list((got - wanted).items())[:2]}")
        return sum(wanted.values())

    def task(self, line):
        return line.get("team"), line["creator"], line["task"]

    def check_process(self, process):
        """All that one process tells."""
        tracks = [t for t in self.all if self.whole["track"][t].get("process") == process]
        created = {self.task(line) for t in tracks for line in self.all[t] if line["event"] == "task_create"}
        lines = [line for track in tracks for line in self.told[track]]
        begun, ended, made = set(), set(), collections.defaultdict(dict)
        for line in lines:
            kind = line["event"]
            if kind in ("isend", "irecv_request", "collective_request"):
                begun.add(line["request"])
            elif kind in ("isend_complete", "irecv", "collective_complete", "request_cancelled"):
                ended.add(line.get("request"))
            elif kind in MADE:
                made[MADE[kind]].setdefault(line[MADE[kind]], line["time"])
            elif kind == "rma_op":
                made["operation"][line["id"]] = line["time"]
            elif kind == "io_begin":
                made["file operation"][line["id"]] = line["time"]
            elif kind == "task_create":
                made["task"][self.task(line)] = line["time"]
        if begun != ended:
            self.complain(f"process {process}: requests without begin {sorted(ended - begun)[:3]}, "
                          f"without end {sorted(begun - ended)[:3]}")
        for line in lines:
            kind = line["event"]
            for what in ("window", "handle"):
                if what in line and line["time"] < made[what].get(line[what], self.options.until + 1):
                    self.complain(f"{what} that is not there: {line}")
            if kind.startswith("rma_done") and line["id"] not in made["operation"]:
                self.complain(f"one-sided operation that did not begin: {line}")
            if kind in ("io_issued", "io_complete", "io_cancelled") and line["id"] not in made["file operation"]:
                self.complain(f"operation on a file that did not begin: {line}")
            # Of some the trace never tells.
            if kind in ("task_switch", "task_complete") and self.task(line) in created - set(made["task"]):
                self.complain(f"task that was not created: {line}")

    def run(self):
        for track in self.whole["track"]:
            self.check_regions(track)
            self.check_order(track)
        count = self.check_messages() if "mpi" not in self.options.no else 0
        for process in self.whole["process"]:
            self.check_process(process)
        print(f"selection: {sum(map(len, self.told.values()))} of {sum(map(len, self.all.values()))} events, "
              f"{count} halves, {self.wrong} wrong")
        return 1 if self.wrong else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("whole")
    parser.add_argument("part")
    parser.add_argument("--from", dest="begin", type=int, default=-2**62)
    parser.add_argument("--until", type=int, default=2**62)
    parser.add_argument("--ranks", type=lambda text: [int(rank) for rank in text.split(",")], default=[])
    parser.add_argument("--no", action="append", default=[])
    sys.exit(Check(parser.parse_args()).run())


main()
