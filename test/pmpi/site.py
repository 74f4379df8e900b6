#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints of each call in a trace (JSON Lines, or OTF2 by its own reader) where it was called, in the words of site.c:
rank.thread, function, file and line of the innermost function; with --whole the text as it stands there."""
import json
import re
import sys


def place(text, whole):
    if whole:
        return text
    found = re.search(r"\(([^()]*:\d+)\)", text)
    return found.group(1) if found else text


def of_json(path):
    regions, texts, tracks, processes, calls = {}, {}, {}, {}, []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            kind = entry.get("define")
            if kind == "region":
                regions[entry["id"]] = entry
            elif kind == "text":
                texts[entry["id"]] = entry["text"]
            elif kind == "track":
                tracks[entry["id"]] = entry
            elif kind == "process":
                processes[entry["id"]] = entry
            elif entry.get("event") == "enter":
                calls.append((entry["track"], entry["region"], entry.get("attributes", {}).get("called from")))
    for track, region, site in calls:
        if regions[region]["paradigm"] == "mpi":
            of = tracks[track]
            yield (processes[of["process"]]["rank"], of["thread"]), regions[region]["name"], texts.get(site, "nowhere")


def of_otf2(path):
    import otf2
    from otf2.enums import Paradigm
    from otf2.events import Enter

    with otf2.reader.open(path) as trace:
        calls = []
        for location, event in trace.events:
            if not isinstance(event, Enter) or event.region.paradigm != Paradigm.MPI:
                continue
            site = [value for key, value in (event.attributes or {}).items() if key.name == "called from"]
            # locations are numbered thread << 32 | rank
            number = location._ref
            calls.append(((number & 0xffffffff, number >> 32), event.region.name, site[0] if site else "nowhere"))
        yield from calls


def main():
    whole = "--whole" in sys.argv
    path = sys.argv[-1]
    read = of_otf2 if path.endswith(".otf2") else of_json
    for (rank, thread), function, text in sorted(read(path), key=lambda call: call[0]):
        print(f"{rank}.{thread} {function} {place(text, whole)}")


if __name__ == "__main__":
    main()
