#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints of each call in a trace (JSON Lines, or OTF2 by its own reader) by which lines of callstack.c the program came
to it, in the words of callstack.c; --whole: the text as it stands there. Says where the innermost is not the call site."""
import json
import re
import sys

CALLED, PATH = "called from", "call path"


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
                calls.append((entry["track"], entry["region"], entry.get("attributes", {})))
    for track, region, attributes in calls:
        of = tracks[track]
        if of.get("thread") is not None and regions[region]["paradigm"] in ("mpi", "user"):
            yield ((processes[of["process"]]["rank"], of["thread"]), regions[region]["name"],
                   texts.get(attributes.get(CALLED)), texts.get(attributes.get(PATH)))


def of_otf2(path):
    import otf2
    from otf2.enums import Paradigm
    from otf2.events import Enter

    with otf2.reader.open(path) as trace:
        calls = []
        for location, event in trace.events:
            if not isinstance(event, Enter) or event.region.paradigm not in (Paradigm.MPI, Paradigm.USER):
                continue
            texts = {key.name: value for key, value in (event.attributes or {}).items()}
            # locations are numbered thread << 32 | rank
            number = location._ref
            calls.append(((number & 0xffffffff, number >> 32), event.region.name, texts.get(CALLED), texts.get(PATH)))
        yield from calls


def lines(text):
    """Of the program: what lies between is a library's."""
    found = re.findall(r"\(callstack\.c:(\d+)\)", text or "")
    end = " ..." if (text or "").endswith("...") else " [cut]" if (text or "").endswith("[cut]") else ""
    return ("<".join(found) or "nowhere") + end


def main():
    whole = "--whole" in sys.argv
    path = sys.argv[-1]
    read = of_otf2 if path.endswith(".otf2") else of_json
    for (rank, thread), function, site, text in sorted(read(path), key=lambda call: call[0]):
        print(f"{rank}.{thread} {function} {text if whole else lines(text)}")
        if site and text and not (text + " < ").startswith(site + " < "):
            print(f"{rank}.{thread} {function}: called from {site}, but the path is {text}")


if __name__ == "__main__":
    main()
