#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads what hybmon-merge --to=json wrote and checks that it is what doc/json.md says.

usage: json-check.py [--otf2 PRINTED] [--incomplete] JSON.MD TRACES.JSONL
       json-check.py --words JSON.MD SOURCE...

Checked are: definitions before events, ids unique, each id that is named is defined; keys and kinds are those of the
document; on each track times that never go back, regions balanced, as many events as its definition says; peers, roots
and targets are ranks of their communicator; both halves of messages, and a number that two halves share is theirs alone.

--otf2        what otf2-print printed of the same recording: the same numbers of events on each location
--incomplete  halves of messages may be missing
--words       compares the document with the words in the source: each kind and key is in both

Exit status: 0 all holds, 1 some violation (each is printed, up to 20), 2 usage.
"""
import argparse
import collections
import json
import os
import re
import sys

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import otf2_counts  # noqa: E402

SHOWN = 20
COMMON = {"track", "time", "event", "attributes"}
NAMED = {"region": "region", "communicator": "communicator", "window": "window", "group": "group", "file": "file",
         "handle": "handle", "team": "team", "program": "text", "process": "process", "host": "host", "job": "job",
         "parent": "communicator", "remote_group": "group", "class": "metric_class"}  # keys that are ids, and of what
LITERAL = {"process": {"program"}, "region": {"file"}}  # of these definitions they are texts themselves
PLAIN = {"json", "and", "none", "unknown", "fault", "address", "moved", "block", "device"}  # that are no keys


class Document:
    """The tables of doc/json.md: the keys of each definition and event, and all words that stand for something."""

    def __init__(self, path):
        self.definitions, self.events = {}, {}
        with open(path, encoding="utf-8") as lines:
            text = lines.read()
        for section in text.split("\n## ")[1:]:
            table = self.definitions if section.startswith("Definitions") else self.events
            for line in section.splitlines():
                cells = [cell.strip() for cell in line.strip("|").split("|")]
                if line.startswith("| `"):
                    self.add(table, cells[0], cells[1])
        self.words = {word for quoted in re.findall(r"`([a-z][a-z_0-9 ]*)`", text) for word in quoted.split()}

    def add(self, table, names, keys):
        others = re.findall(r"as of `([a-z_]+)`", keys)
        keys = set(re.findall(r"`([a-z_]+)`", keys)) - set(others)
        for other in others:
            keys |= table[other]
        names = re.findall(r"`([a-z_]+)`", names)
        for name in names if table is self.events else names[:1]:
            table.setdefault(name, set()).update(keys)


class Check:
    def __init__(self, document):
        self.document = document
        self.violations = 0
        self.defined = collections.defaultdict(dict)
        self.tracks = {}
        self.counts = collections.Counter()
        self.halves = collections.Counter()
        self.numbers = collections.Counter()
        self.collectives = collections.defaultdict(collections.Counter)

    def wrong(self, text):
        self.violations += 1
        if self.violations <= SHOWN:
            print(f"json-check: {text}")

    def definition(self, line, number):
        kind, known = line["define"], self.document.definitions
        if kind not in known:
            return self.wrong(f"line {number}: definition of unknown kind {kind}")
        for key in set(line) - known[kind] - {"define"}:
            self.wrong(f"line {number}: {kind} has the key {key}")
        key = line["name"] if kind == "attribute" else line.get("id", 0)
        if key in self.defined[kind]:
            self.wrong(f"line {number}: {kind} {key} is defined twice")
        self.defined[kind][key] = line

    def references(self):
        """Of definitions, once all are there."""
        for kind, lines in self.defined.items():
            for line in lines.values():
                self.named(line, f"{kind} {line.get('id')}", LITERAL.get(kind, set()))
        for group in self.defined["group"].values():
            if len(set(group["members"])) != len(group["members"]):
                self.wrong(f"group {group['id']} has a member twice")
        if len({t["location"] for t in self.defined["track"].values()}) != len(self.defined["track"]):
            self.wrong("two tracks have one location")
        for kind in ("host", "job", "process", "region", "group", "file", "handle", "team", "text", "metric",
                     "metric_class"):
            if sorted(self.defined[kind]) != list(range(len(self.defined[kind]))):
                self.wrong(f"the ids of {kind} have holes: {sorted(self.defined[kind])[:10]}")
        for row in self.defined["metric_class"].values():
            if not row["metrics"] or set(row["metrics"]) - set(self.defined["metric"]):
                self.wrong(f"metric_class {row['id']} is of {row['metrics']}")
        for track in self.defined["track"].values():
            self.tracks[track["id"]] = {"time": None, "stack": [], "events": 0, "definition": track}

    def named(self, line, where, literal=frozenset()):
        for key, kind in NAMED.items():
            if key in line and key not in literal and line[key] not in self.defined[kind]:
                self.wrong(f"{where}: {key} {line[key]} is not defined")
        for text in line.get("arguments", []):
            if text not in self.defined["text"]:
                self.wrong(f"{where}: text {text} is not defined")

    def event(self, line, number):
        kind, where = line["event"], f"line {number}, track {line['track']}"
        track = self.tracks.get(line["track"])
        if track is None:
            return self.wrong(f"{where}: it is not defined")
        known = self.document.events.get(kind)
        if known is None:
            return self.wrong(f"{where}: an event of unknown kind {kind}")
        for key in set(line) - known - COMMON:
            self.wrong(f"{where}: {kind} has the key {key}")
        if not isinstance(line["time"], int) or line["time"] < (track["time"] or 0):
            self.wrong(f"{where}: time {line['time']} after {track['time']}")
        track["time"] = line["time"]
        track["events"] += 1
        self.counts[track["definition"]["location"], kind] += 1
        self.named(line, where)
        self.attributes(line, where)
        if kind == "enter":
            track["stack"].append(line["region"])
        elif kind == "leave":
            if not track["stack"] or track["stack"].pop() != line["region"]:
                self.wrong(f"{where}: leaves region {line['region']}, which is not the innermost")
        elif kind in ("send", "isend", "recv", "irecv"):
            self.message(line, kind, track, where)
        elif kind in ("collective_end", "collective_complete"):
            self.collective(line, track, where)
            if line["operation"] == "finalize":
                self.uncount(track, "collective_begin", "collective_end")
        elif kind == "io_meeting":
            self.uncount(track, kind)
        elif kind == "metric" and len(line["values"]) != len(self.defined["metric_class"][line["class"]]["metrics"]):
            self.wrong(f"{where}: {len(line['values'])} values of class {line['class']}")

    def uncount(self, track, *kinds):
        """OTF2 has no record for that."""
        for kind in kinds:
            self.counts[track["definition"]["location"], kind] -= 1

    def attributes(self, line, where):
        for name, value in line.get("attributes", {}).items():
            attribute = self.defined["attribute"].get(name)
            if attribute is None:
                self.wrong(f"{where}: attribute {name} is not defined")
            elif attribute["type"] == "text" and value not in self.defined["text"]:
                self.wrong(f"{where}: attribute {name} is text {value}, which is not defined")

    def rank_of(self, track):
        return self.defined["process"][track["definition"]["process"]]["rank"]

    def members(self, line, rank):
        """Of the group whose ranks are meant, and of the own one."""
        comm = self.defined["communicator"][line["communicator"]]
        if comm["kind"] == "self":
            return [rank], [rank]
        own = self.defined["group"][comm["group"]]["members"]
        if comm["kind"] != "inter":
            return own, own
        other = self.defined["group"][comm["remote_group"]]["members"]
        return (other, own) if rank in own else (own, other)

    def message(self, line, kind, track, where):
        rank = self.rank_of(track)
        members, _ = self.members(line, rank)
        if line["peer"] >= len(members):
            return self.wrong(f"{where}: peer {line['peer']} of {len(members)}")
        peer, sends = members[line["peer"]], kind in ("send", "isend")
        pair = (rank, peer) if sends else (peer, rank)
        key = (line["communicator"], *pair, line["tag"], line["bytes"], line.get("partitioned"))
        self.halves[key] += 1 if sends else -1
        if "number" in line:
            self.numbers[line["number"], sends] += 1

    def collective(self, line, track, where):
        rank = self.rank_of(track)
        members, own = self.members(line, rank)
        if line.get("root", 0) >= max(len(members), len(own)):
            self.wrong(f"{where}: root {line['root']}")
        if self.defined["communicator"][line["communicator"]]["kind"] != "self":
            self.collectives[line["communicator"], tuple(sorted(set(own) | set(members)))][rank] += 1

    def end(self, incomplete):
        for index, track in self.tracks.items():
            if track["stack"]:
                self.wrong(f"track {index}: {len(track['stack'])} regions are not left")
            if track["events"] != track["definition"]["events"]:
                self.wrong(f"track {index} has {track['events']} events, not {track['definition']['events']}")
        for (number, sends), count in list(self.numbers.items()):
            if count != 1 or (self.numbers[number, not sends] != 1 and not incomplete):
                self.wrong(f"message number {number}: it has not one send and one receive")
        if incomplete:
            return
        for key, count in self.halves.items():
            if count:
                self.wrong(f"message {key}: {abs(count)} {'sends' if count > 0 else 'receives'} too many")
        for (comm, members), counts in self.collectives.items():
            if {counts[m] for m in members} - {counts[members[0]]}:
                self.wrong(f"communicator {comm}: collective operations {dict(counts)}")

    def same_as(self, printed):
        other = otf2_counts.read(printed)
        for key in sorted(set(other) | set(self.counts)):
            if other[key] != self.counts[key]:
                self.wrong(f"location {key[0]}: {self.counts[key]} events {key[1]}, in OTF2 {other[key]}")


def read(check, path):
    last = None
    with open(path, encoding="utf-8") as lines:
        for number, text in enumerate(lines, 1):
            line = json.loads(text)
            if "define" in line:
                if last is not None:
                    check.wrong(f"line {number}: a definition after an event")
                if (number == 1) != (line["define"] == "trace"):
                    check.wrong(f"line {number} defines {line['define']}")
                check.definition(line, number)
                continue
            if last is None:
                check.references()
            if last is not None and line["track"] < last:
                check.wrong(f"line {number}: track {line['track']} after {last}")
            last = line["track"]
            check.event(line, number)
    if last is None:
        check.references()


def words_of(paths):
    """The words of ours in C: what is quoted and could be a key, a kind or a word for something."""
    words = set()
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("#include"):
                    continue
                for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', line):
                    if re.fullmatch(r"[a-z][a-z_0-9]*( [a-z]+)*", literal):
                        words |= set(literal.split())
                    words |= set(re.findall(r'\\"([a-z_]+)\\"', literal))
    return words


def compare_words(document, paths):
    source, named = words_of(paths), set()
    for table in (document.definitions, document.events):
        for name, keys in table.items():
            named |= {name} | keys
    missing, unknown = sorted(named - source), sorted(source - document.words - PLAIN)
    for word in missing:
        print(f"json-check: {word} is in the document, and not in the source")
    for word in unknown:
        print(f"json-check: {word} is in the source, and not in the document")
    return 1 if missing or unknown else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--otf2")
    parser.add_argument("--incomplete", action="store_true")
    parser.add_argument("--words", action="store_true")
    parser.add_argument("document")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    document = Document(options.document)
    if options.words:
        return compare_words(document, options.files)
    check = Check(document)
    read(check, options.files[0])
    check.end(options.incomplete)
    if options.otf2:
        check.same_as(options.otf2)
    if not check.counts:
        check.wrong("it has no events")
    print(f"{sum(check.counts.values())} events on {len(check.tracks)} tracks, {check.violations} violations")
    return 1 if check.violations else 0


if __name__ == "__main__":
    sys.exit(main())
