#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares values of counters and parameters in an output of hybmon-merge with what the program says (values.c).

usage: values-check.py otf2|json|perfetto FILE SAID

Each thread's values are there, all and in turn; in Perfetto a counter that grows is a rate, which has to add up. Exit
status: 0 all is the same, 1 it is not.
"""
import collections
import json
import math
import os
import sys

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "export"))
REAL = {"sample", "real"}


def said(path):
    told = collections.defaultdict(list)
    for line in open(path, encoding="utf-8"):
        thread, what, name, value = line.rstrip("\n").split(" ", 3)
        told[int(thread), what, name].append(value if name == "text" else float(value) if name in REAL else int(value))
    return told


def from_otf2(path):
    import otf2
    from otf2 import events

    found = collections.defaultdict(list)
    units = {}
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            thread = location._ref >> 32
            if isinstance(event, events.Metric):
                for member, value in zip(event.metric.members, event.values):
                    found[thread, "counter", member.name].append(value)
                    units[member.name] = member.unit
            for attribute, value in (event.attributes or {}).items():
                found[thread, "parameter", attribute.name].append(value)
    assert units == {"level": "bytes", "sample": "", "large": "things", "sum": "events"}, units
    return found


def from_json(path):
    found = collections.defaultdict(list)
    tracks, metrics, classes, texts, parameters = {}, {}, {}, {}, {}
    for line in map(json.loads, open(path, encoding="utf-8")):
        kind = line.get("define")
        if kind == "track":
            tracks[line["id"]] = line.get("thread")
        elif kind == "metric":
            metrics[line["id"]] = line["name"]
        elif kind == "metric_class":
            classes[line["id"]] = line["metrics"]
        elif kind == "text":
            texts[line["id"]] = line["text"]
        elif kind == "parameter":
            parameters[str(line["id"])] = (line["name"], line["type"])
        thread = tracks.get(line.get("track"))
        if line.get("event") == "metric":
            for metric, value in zip(classes[line["class"]], line["values"]):
                found[thread, "counter", metrics[metric]].append(value)
        for number, value in line.get("parameters", {}).items():
            name, of = parameters[number]
            found[thread, "parameter", name].append(texts[value] if of == "text" else value)
    return found


def from_perfetto(path):
    from importlib import import_module
    perfetto = import_module("perfetto-check")
    found, curves = collections.defaultdict(list), collections.defaultdict(list)
    tracks, texts = {}, {"annotations": {}, "strings": {}}
    for packet in perfetto.packets(path):
        for interned in packet["interned"]:
            for kind, strings in texts.items():
                strings.update((s["iid"][0], s["text"][0] if s["text"] else "") for s in interned[kind])
        for track in packet["track"]:
            tracks[track["uuid"][0]] = track
        for event in packet["event"]:
            uuid = event["track"][0]
            for note in event["annotations"]:
                values = [v for k in ("int", "uint", "double") for v in note[k]]
                values += [texts["strings"][v] for v in note["string_iid"]]
                found[uuid, "parameter", texts["annotations"][note["name_iid"][0]]].append(values[0])
            if event["value"]:
                curves[uuid].append((packet["timestamp"][0], event["value"][0]))
    # threads come in the order of their numbers
    threads = sorted(u for u, t in tracks.items() if t and t["thread"])
    number = {uuid: i for i, uuid in enumerate(threads)}
    result = collections.defaultdict(list)
    for (uuid, what, name), values in found.items():
        result[number[uuid], what, name] = values
    for uuid, curve in curves.items():
        name, thread = tracks[uuid]["name"][0], number[tracks[uuid]["parent"][0]]
        if name.endswith(" per second"):
            grown = sum(v * (then - time) * 1e-9 for (time, v), (then, _) in zip(curve, curve[1:]))
            result[thread, "grown", name[:-11]] = [grown]
        else:
            result[thread, "counter", name] = [v for _, v in curve]
    return result


def same(kind, key, expected, found):
    """What Perfetto's curves have is a double."""
    if kind == "perfetto" and key[1] == "counter":
        expected = list(map(float, expected))
    return len(expected) == len(found) and all(
        a == b and (not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b) or kind == "json")
        for a, b in zip(expected, found))


def main():
    kind, path, told = sys.argv[1:]
    expected = said(told)
    found = {"otf2": from_otf2, "json": from_json, "perfetto": from_perfetto}[kind](path)
    bad = not expected
    for key, values in expected.items():
        got = found.get(key, [])
        if kind == "perfetto" and key[1:] == ("counter", "sum"):
            want = values[-1] - values[0]
            got = found.get((key[0], "grown", "sum"), [None])[0]
            ok = got is not None and abs(got - want) <= 1e-6 * abs(want) + 1e-6
        else:
            ok = same(kind, key, values, got)
        if not ok:
            print(kind, key, "expected", str(values)[:300], "found", str(got)[:300])
            bad = True
    return bad


sys.exit(main())
