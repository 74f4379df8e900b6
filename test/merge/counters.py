#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What counters counted in each call and between calls, in the lines of test/core/counters.py, from an output of
hybmon-merge; and whether the output has them as its readers want them.

usage: counters.py otf2 ARCHIVE | json TRACES.JSONL | perfetto TRACES.PFTRACE TRACES.JSONL

Lines are `RANK.THREAD REGION VALUE...` for a call, `RANK.THREAD > REGION VALUE...` for what lies between the end of a
call and the begin of the next one. A metric must stand directly before the Enter or Leave that it belongs to, with its
time; OTF2's types, recorders and occurrence must be what the events are. Of Perfetto's curves, which are rates, it is
checked that they add up to what JSON Lines have. Exit status: 0 all holds, 1 it does not.
"""
import collections
import json
import os
import sys

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "export"))


def less(a, b):
    return [x - y for x, y in zip(a, b)]


class Thread:
    """One location or track: its events in turn."""

    def __init__(self, name, tell):
        self.name, self.tell = name, tell
        self.stack, self.before, self.counted, self.time = [], None, None, None

    def metric(self, time, values):
        self.counted, self.time = list(values), time

    def region(self, enters, time, name):
        counted = self.counted if self.counted and time == self.time else None
        assert self.counted is None or counted, f"{self.name}: values of {self.time} before {name} at {time}"
        self.counted = None
        if enters:
            if self.before and counted:
                self.tell(self.name, ">", name, *less(counted, self.before))
            self.stack.append(counted)
        else:
            begin = self.stack.pop()
            self.tell(self.name, name, *(less(counted, begin) if counted and begin else ["-"]))
        self.before = counted or self.before

    def other(self, what):
        assert self.counted is None, f"{self.name}: values of {self.time} before {what}"




def from_otf2(path):
    import otf2
    from otf2 import events

    threads, regions, metrics, members = {}, collections.Counter(), collections.Counter(), {}
    with otf2.reader.open(path) as trace:
        assert trace.definitions.metric_classes, "there are no metrics"
        for location, event in trace.events:
            ref = location._ref
            thread = threads.setdefault(ref, Thread(f"{ref & 0xffffffff}.{ref >> 32}", lambda *words: print(*words)))
            if isinstance(event, events.Metric):
                assert len(event.values) == len(event.metric.members)
                members.setdefault(event.metric._ref, event.metric)
                metrics[event.metric._ref, ref] += 1
                thread.metric(event.time, event.values)
            elif isinstance(event, (events.Enter, events.Leave)):
                thread.region(isinstance(event, events.Enter), event.time, event.region.name)
                regions[ref] += 1
            else:
                thread.other(event)
        recorders = {(r.metric_class._ref, r.recorder._ref) for r in trace.definitions.metric_class_recorders}
        assert recorders == set(metrics), f"recorders are {recorders}, metrics are of {set(metrics)}"
        for ref, row in members.items():
            strict = all(metrics[ref, location] == regions[location] for r, location in metrics if r == ref)
            want = otf2.MetricOccurrence.SYNCHRONOUS_STRICT if strict else otf2.MetricOccurrence.SYNCHRONOUS
            assert row.occurrence == want, f"metric class {ref} is {row.occurrence}, should be {want}"
            print(f"# {ref}:", *("|".join(map(str, (m.name, m.unit, m.metric_mode, m.value_type, m.base, m.exponent)))
                                 for m in row.members), file=sys.stderr)


def lines_of(path):
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def from_json(path):
    tracks, regions, ranks, threads = {}, {}, {}, {}
    for line in lines_of(path):
        define = line.get("define")
        if define == "process":
            ranks[line["id"]] = line["rank"]
        elif define == "track" and line["kind"] == "thread":
            tracks[line["id"]] = f"{ranks[line['process']]}.{line['thread']}"
        elif define == "region":
            regions[line["id"]] = line["name"]
        if define or line["track"] not in tracks:
            continue
        thread = threads.setdefault(line["track"], Thread(tracks[line["track"]], lambda *words: print(*words)))
        if line["event"] == "metric":
            thread.metric(line["time"], line["values"])
        elif line["event"] in ("enter", "leave"):
            thread.region(line["event"] == "enter", line["time"], regions[line["region"]])
        else:
            thread.other(line["event"])


def from_perfetto(path, other):
    from importlib import import_module
    perfetto = import_module("perfetto-check")
    curves, names = collections.defaultdict(list), {}
    for packet in perfetto.packets(path):
        for track in packet["track"]:
            if track["counter"]:
                names[track["uuid"][0]] = track["name"][0]
        for event in packet["event"]:
            if event["value"]:
                curves[event["track"][0]].append((packet["timestamp"][0], event["value"][0]))
    sums = collections.Counter()
    for track, curve in curves.items():
        grown = sum(value * (following[0] - time) * 1e-9 for (time, value), following in zip(curve, curve[1:]))
        sums[names[track]] += grown
        assert curve[-1][1] == 0, f"{names[track]} ends with {curve[-1]}"
    metrics, classes, first, last = {}, {}, {}, {}
    for line in lines_of(other):
        if line.get("define") == "metric":
            metrics[line["id"]] = line
        elif line.get("define") == "metric_class":
            classes[line["id"]] = line["metrics"]
        elif line.get("event") == "metric":
            first.setdefault((line["track"], line["class"]), line["values"])
            last[line["track"], line["class"]] = line["values"]
    want = collections.Counter()
    for key, values in last.items():
        for metric, grown in zip(classes[key[1]], less(values, first[key])):
            m = metrics[metric]
            want[m["name"] + " per second"] += grown * m["base"] ** m["exponent"]
    assert want and set(want) == set(sums), f"curves are {set(sums)}, counters {set(want)}"
    for name, value in want.items():
        assert abs(sums[name] - value) <= 1e-6 * abs(value) + 1e-9, f"{name}: {sums[name]} is not {value}"


def main():
    {"otf2": from_otf2, "json": from_json, "perfetto": from_perfetto}[sys.argv[1]](*sys.argv[2:])
    return 0


if __name__ == "__main__":
    sys.exit(main())
