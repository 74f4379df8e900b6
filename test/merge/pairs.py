#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Pairs sends with receives, and calls of collective operations, by itself and compares that with what hybmon-merge says.

usage: pairs.py [--some] [--sizes] TRACES.JSONL

Between two processes, on one communicator and with one tag, the n-th send that was begun meets the n-th receive that
was begun; the n-th operation of each member is one. All is held in memory. Compared are the numbers, and the times of the
other half (other_begin, other_end) or of all members (first_begin, last_begin,
last_end).

--some   there must be messages or collective operations at all
--sizes  a message has as many bytes where it was received as where it was sent

Prints how many there were of each. Exit status: 0 all agrees, 1 something does not (up to 10 are printed), 2 usage.
"""
import argparse
import collections
import json
import sys


class Trace:
    def __init__(self, path):
        self.defined = collections.defaultdict(dict)
        self.halves = collections.defaultdict(lambda: ([], []))  # by what may be paired: sends, receives
        self.calls = collections.defaultdict(lambda: collections.defaultdict(list))  # by communicator, member
        self.begun = {}  # (process, request): when
        self.late = []   # halves and calls whose request was not seen so far
        self.open = []
        self.track = None
        with open(path, encoding="utf-8") as lines:
            for number, text in enumerate(lines):
                line = json.loads(text)
                if "define" in line:
                    self.defined[line["define"]][line.get("id")] = line
                else:
                    self.event(line, number)
        for half, key in self.late:
            half["begin"] = self.begun.get(key, half["begin"])

    def event(self, line, number):
        if line["track"] != self.track:
            self.track, self.open = line["track"], []
        kind = line["event"]
        process = self.defined["track"][line["track"]].get("process")
        if kind == "enter":
            self.open.append(line["time"])
        elif kind == "leave":
            self.open.pop()
        elif kind in ("irecv_request", "collective_request"):
            self.begun[process, line["request"]] = self.open[-1]
        elif kind in ("send", "isend", "recv", "irecv"):
            half = self.half(line, number, process, line.get("request") if kind == "irecv" else None)
            own, other = self.places(line["communicator"], process, line["peer"])
            ends = (own, other) if "send" in kind else (other, own)
            key = (line["communicator"], *ends, line["tag"], line.get("partitioned", False))
            self.halves[key]["recv" in kind].append(half)
        elif kind in ("collective_end", "collective_complete"):
            if self.defined["communicator"][line["communicator"]]["kind"] != "self":
                half = self.half(line, number, process, line.get("request"))
                self.calls[line["communicator"]][process].append(half)

    def half(self, line, number, process, request):
        half = dict(line, order=number, begin=self.open[-1])
        if request is not None:
            self.late.append((half, (process, request)))
        return half

    def places(self, communicator, process, peer):
        """The ranks in all jobs of who has a communicator and of its peer."""
        own = self.defined["process"][process]["rank"]
        comm = self.defined["communicator"][communicator]
        if comm["kind"] == "self":
            return own, own
        members = self.defined["group"][comm["group"]]["members"]
        if comm["kind"] == "inter" and own in members:
            members = self.defined["group"][comm["remote_group"]]["members"]
        return own, members[peer]


class Comparison:
    def __init__(self, sizes):
        self.sizes = sizes
        self.wrong = 0
        self.numbers = set()

    def complain(self, text):
        self.wrong += 1
        if self.wrong <= 10:
            print(f"pairs: {text}")

    def same(self, half, key, value):
        if half.get(key) != value:
            self.complain(f"{key} is {half.get(key)}, not {value}: {half}")

    def fresh(self, kind, half):
        if half.get("number", 0) == 0 or (kind, half["number"]) in self.numbers:
            self.complain(f"no number of its own: {half}")
        self.numbers.add((kind, half.get("number")))

    def message(self, send, receive):
        self.fresh("message", send)
        self.same(receive, "number", send.get("number"))
        self.same(receive, "other_begin", send["begin"])
        self.same(receive, "other_end", send["time"])
        self.same(send, "other_begin", receive["begin"])
        self.same(send, "other_end", receive["time"])
        if self.sizes:
            self.same(receive, "bytes", send["bytes"])

    def operation(self, calls):
        self.fresh("operation", calls[0])
        for call in calls:
            self.same(call, "number", calls[0].get("number"))
            self.same(call, "operation", calls[0]["operation"])
            self.same(call, "first_begin", min(each["begin"] for each in calls))
            self.same(call, "last_begin", max(each["begin"] for each in calls))
            self.same(call, "last_end", max(each["time"] for each in calls))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--some", action="store_true")
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("trace")
    options = parser.parse_args()
    trace, comparison = Trace(options.trace), Comparison(options.sizes)
    messages = operations = 0
    in_order = lambda half: (half["begin"], half["track"], half["order"])  # noqa: E731
    for key, (sends, receives) in trace.halves.items():
        if len(sends) != len(receives):
            comparison.complain(f"{len(sends)} sends and {len(receives)} receives of {key}")
        for send, receive in zip(sorted(sends, key=in_order), sorted(receives, key=in_order)):
            comparison.message(send, receive)
            messages += 1
    for communicator, members in trace.calls.items():
        if len({len(calls) for calls in members.values()}) != 1:
            comparison.complain(f"members have different numbers of operations on {communicator}")
        for calls in zip(*(sorted(calls, key=in_order) for calls in members.values())):
            comparison.operation(calls)
            operations += 1
    print(f"pairs: {messages} messages, {operations} collective operations")
    if options.some and not messages + operations:
        comparison.complain("there is nothing to compare")
    sys.exit(1 if comparison.wrong else 0)


if __name__ == "__main__":
    main()
