#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares regions and parameters in outputs of hybmon-merge with what the program says (said.h).

usage: user-check.py EXPERIMENT SAID...

Read are the OTF2 archive, by OTF2's own reader, and JSON Lines, if they are there. A region that was left by longjmp has
no Leave in what is said, but one in the outputs. Parameters that are said before anything else is are attributes of the
Enter, others of the Leave. Exit status: 0 all is the same, 1 it is not.
"""
import collections
import json
import os
import shlex
import struct
import sys

import otf2
from otf2 import events

KINDS = {"int": int, "unsigned": int, "double": float, "string": str}


def said(path):
    """What one thread says, as (what, region, parameters) in the order in which it is told."""
    told, stack, fresh = [], [], False
    for line in open(path, encoding="utf-8"):
        words = shlex.split(line)
        if words[1] == "enter":
            entry = ["enter", words[2], words[3] if len(words) > 3 else "", {}]
            told.append(entry)
            stack.append((entry, {}))
            fresh = True
        elif words[1] == "leave":
            key = [words[2], words[3] if len(words) > 3 else ""]
            if not any(entry[1:3] == key for entry, _ in stack):
                continue
            while True:
                entry, late = stack.pop()
                told.append(["leave", entry[1], entry[2], late])
                if entry[1:3] == key:
                    break
            fresh = False
        elif words[1] == "parameter":
            kind, value = words[3].split("=", 1)
            entry, late = stack[-1]
            (entry[3] if fresh else late).setdefault((words[2], kind), KINDS[kind](value))
    while stack:
        entry, late = stack.pop()
        told.append(["leave", entry[1], entry[2], late])
    return told


def place(file, line):
    return f"@{os.path.basename(file)}:{line}" if file else ""


def in_otf2(path):
    threads = collections.defaultdict(list)
    types = {otf2.Type.INT64: "int", otf2.Type.UINT64: "unsigned", otf2.Type.DOUBLE: "double", otf2.Type.STRING: "string"}
    with otf2.reader.open(path) as trace:
        for location, event in trace.events:
            if isinstance(event, (events.Enter, events.Leave)) and event.region.paradigm == otf2.Paradigm.USER:
                said_of = {(a.name, types[a.type]): v for a, v in (event.attributes or {}).items()}
                threads[location._ref >> 32].append(
                    ["enter" if isinstance(event, events.Enter) else "leave", event.region.name,
                     place(event.region.source_file, event.region.begin_line_number), said_of])
    return threads


def in_json(path):
    threads, regions, texts, names, tracks = collections.defaultdict(list), {}, {}, {}, {}
    lines = [json.loads(line) for line in open(path, encoding="utf-8")]
    for line in lines:
        if line.get("define") == "region":
            regions[line["id"]] = line
        elif line.get("define") == "text":
            texts[line["id"]] = line["text"]
        elif line.get("define") == "parameter":
            names[str(line["id"])] = (line["name"], {"text": "string"}.get(line["type"], line["type"]))
        elif line.get("define") == "track":
            tracks[line["id"]] = line.get("thread", 0)
    for line in lines:
        if line.get("event") not in ("enter", "leave") or regions[line["region"]]["paradigm"] != "user":
            continue
        region = regions[line["region"]]
        told = {}
        for number, value in line.get("parameters", {}).items():
            kind = names[number][1]
            told[names[number]] = texts[value] if kind == "string" else float(value) if kind == "double" else value
        threads[tracks[line["track"]]].append(
            [line["event"], region["name"], place(region.get("file"), region.get("line")), told])
    return threads


def compare(what, expected, found):
    for thread in sorted(set(expected) | set(found)):
        a, b = expected.get(thread, []), found.get(thread, [])
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                print(f"{what}, thread {thread}, event {i}: expected {x}, found {y}")
                return 1
        if len(a) != len(b):
            print(f"{what}, thread {thread}: {len(a)} events expected, {len(b)} found")
            return 1
    return 0


def main():
    experiment, paths = sys.argv[1], sys.argv[2:]
    expected = {int(os.path.basename(path).rpartition(".")[2]): said(path) for path in paths}
    bad = compare("OTF2", expected, in_otf2(os.path.join(experiment, "traces.otf2")))
    if os.path.exists(os.path.join(experiment, "traces.jsonl")):
        bad |= compare("JSON", expected, in_json(os.path.join(experiment, "traces.jsonl")))
    return bad


sys.exit(main())
