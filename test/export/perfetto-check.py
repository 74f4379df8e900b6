#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads a trace of Perfetto's by protobuf's wire format and checks that Perfetto takes all of it.

usage: perfetto-check.py [--otf2 PRINTED] [--incomplete] [--names] TRACE.pftrace

It knows Perfetto's numbers of fields and shares nothing with hybmon. Checked are: each packet has a sequence, the first
one clears its state; tracks are defined once, under tracks that are defined; processes and threads have numbers of their
own; each event is on a defined track, with a name, categories and annotations whose interned strings are defined; on
each track times that never go back, and slices that nest and end; counters on tracks of counters only, and nothing else
there; flows that end, forwards in time.

--otf2        what otf2-print printed of the same recording: the same numbers of events of each kind
--incomplete  flows may have one end
--names       prints processes, threads and other tracks, and names of slices, sorted

Exit status: 0 all holds, 1 some violation (each is printed, up to 20), 2 usage.
"""
import argparse
import collections
import os
import struct
import sys

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import otf2_counts  # noqa: E402

SHOWN = 20
SLICE_BEGIN, SLICE_END, INSTANT, COUNTER = 1, 2, 3, 4
NO_INSTANT = {"enter", "leave", "off", "on", "metric", "collective_begin", "rma_collective_begin"}
# Types by number of field, of what may be there: u unsigned, i signed, s text, f fixed64, d double, or a
# message.
ANNOTATION = {1: ("name_iid", "u"), 2: ("bool", "u"), 3: ("uint", "u"), 4: ("int", "i"), 5: ("double", "d"), 6: ("string", "s"),
              17: ("string_iid", "u")}
ANNOTATION.update({11: ("entries", ANNOTATION), 12: ("values", ANNOTATION)})
STRING = {1: ("iid", "u"), 2: ("text", "s")}
PACKET = {
    6: ("clocks", {1: ("clock", {1: ("id", "u"), 2: ("time", "u")}), 2: ("primary", "u")}),
    8: ("timestamp", "u"), 10: ("sequence", "u"), 13: ("flags", "u"), 87: ("first", "u"),
    11: ("event", {3: ("categories", "u"), 4: ("annotations", ANNOTATION), 9: ("type", "u"), 10: ("name_iid", "u"),
                   11: ("track", "u"), 44: ("value", "d"), 47: ("flows", "f")}),
    12: ("interned", {1: ("categories", STRING), 2: ("names", STRING), 3: ("annotations", STRING), 29: ("strings", STRING)}),
    60: ("track", {1: ("uuid", "u"), 2: ("name", "s"), 5: ("parent", "u"), 11: ("ordering", "u"), 12: ("rank", "i"),
                   15: ("merge", "u"), 19: ("processes", "u"), 20: ("threads", "u"), 8: ("counter", {6: ("unit", "s")}),
                   3: ("process", {1: ("pid", "i"), 2: ("command", "s"), 3: ("sort", "i"), 6: ("name", "s"), 8: ("labels", "s")}),
                   4: ("thread", {1: ("pid", "i"), 2: ("tid", "i"), 3: ("sort", "i"), 5: ("name", "s")})}),
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def decode(data, fields):
    """A message as lists by names of fields. What is not known is an error: nothing is written that Perfetto lacks."""
    message, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError("cut short")
        else:
            raise ValueError(f"wire type {wire}")
        name, kind = fields[number]
        if wire != {"u": 0, "i": 0, "f": 1, "d": 1}.get(kind if isinstance(kind, str) else "", 2):
            raise ValueError(f"field {name} has wire type {wire}")
        if kind == "i" and value >> 63:
            value -= 1 << 64
        elif kind == "d":
            value = struct.unpack("<d", struct.pack("<Q", value))[0]
        elif kind == "s":
            value = value.decode("utf-8")
        elif isinstance(kind, dict):
            value = decode(value, kind)
        message[name].append(value)
    return message


def packets(path):
    with open(path, "rb") as file:
        data = file.read()
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key != (1 << 3 | 2):
            raise ValueError(f"no packet at {at}")
        size, at = varint(data, at)
        yield decode(data[at:at + size], PACKET)
        at += size


def one(message, name, default=None):
    values = message[name]
    if len(values) > 1:
        raise ValueError(f"{name} is there {len(values)} times")
    return values[0] if values else default


class Check:
    def __init__(self):
        self.violations = 0
        self.tracks = {0: None}
        self.interned = {name: {} for name in ("categories", "names", "annotations", "strings")}
        self.open = collections.defaultdict(list)
        self.last = {}
        self.flows = collections.defaultdict(list)
        self.counts = collections.Counter()
        self.pids, self.tids = {}, {}
        self.slices = collections.Counter()

    def wrong(self, text):
        self.violations += 1
        if self.violations <= SHOWN:
            print(f"perfetto-check: {text}")

    def packet(self, packet, number):
        if not one(packet, "sequence"):
            self.wrong(f"packet {number} has no sequence")
        if one(packet, "flags", 0) != (1 if number == 0 else 2) and (packet["event"] or packet["interned"] or not number):
            self.wrong(f"packet {number} has flags {packet['flags']}")
        for interned in packet["interned"]:
            for kind, strings in interned.items():
                for string in strings:
                    iid = one(string, "iid")
                    if not iid or iid in self.interned[kind]:
                        self.wrong(f"packet {number}: {kind} {iid} again, or 0")
                    self.interned[kind][iid] = one(string, "text", "")
        for track in packet["track"]:
            self.define(track, number)
        for event in packet["event"]:
            self.event(event, packet, number)

    def define(self, track, number):
        uuid = one(track, "uuid")
        if uuid is None or self.tracks.get(uuid) is not None:
            return self.wrong(f"packet {number}: track {uuid} is defined twice, or has no number")
        self.tracks[uuid] = track
        for process in track["process"]:
            pid = one(process, "pid")
            if not pid or pid in self.pids:
                self.wrong(f"process {pid} is there twice, or has no number")
            self.pids[pid] = one(process, "name")
        for thread in track["thread"]:
            tid = one(thread, "tid")
            if not tid or tid in self.tids:
                self.wrong(f"thread {tid} is there twice, or has no number")
            self.tids[tid] = one(thread, "pid")

    def event(self, event, packet, number):
        kind, uuid, time = one(event, "type"), one(event, "track"), one(packet, "timestamp")
        where = f"packet {number}, track {uuid}"
        track = self.tracks.get(uuid)
        if track is None:
            track = collections.defaultdict(list)
            self.tracks.setdefault(uuid, None)  # must be there in the end
        if time is None or time < self.last.get(uuid, 0):
            self.wrong(f"{where}: time {time} after {self.last.get(uuid)}")
        self.last[uuid] = time
        if bool(track["counter"]) != (kind == COUNTER) or (kind == COUNTER) != bool(event["value"]):
            self.wrong(f"{where}: event of type {kind} on track {dict(track)}")
        for annotation in event["annotations"]:
            self.annotation(annotation, where, True)
        for category in event["categories"]:
            if category not in self.interned["categories"]:
                self.wrong(f"{where}: category {category}")
        name = self.interned["names"].get(one(event, "name_iid"))
        if kind in (SLICE_BEGIN, INSTANT) and (name is None or not event["categories"]):
            self.wrong(f"{where}: an event without a name or category")
        for flow in event["flows"]:
            self.flows[flow].append((time, one(event, "name_iid"), name))
        self.count(kind, uuid, track, name, where)

    def count(self, kind, uuid, track, name, where):
        pauses = one(track, "name") == "not recorded"
        if kind == SLICE_BEGIN:
            self.open[uuid].append(name)
            self.slices[name] += 1
            self.counts["off" if pauses else "enter"] += 1
        elif kind == SLICE_END:
            if not self.open[uuid]:
                return self.wrong(f"{where}: an end without a begin")
            self.open[uuid].pop()
            self.counts["on" if pauses else "leave"] += 1
        elif kind == INSTANT:
            if name in NO_INSTANT:
                self.wrong(f"{where}: an instant {name}")
            self.counts[name] += 1
        elif kind == COUNTER:
            self.counts["metric"] += 1
        else:
            self.wrong(f"{where}: type {kind}")

    def annotation(self, annotation, where, named):
        if (one(annotation, "name_iid", 0) in self.interned["annotations"]) != named:
            self.wrong(f"{where}: annotation {annotation['name_iid']}")
        text = one(annotation, "string_iid")
        if text is not None and text not in self.interned["strings"]:
            self.wrong(f"{where}: text {text}")
        for inner in annotation["entries"]:
            self.annotation(inner, where, True)
        for inner in annotation["values"]:
            self.annotation(inner, where, False)
        values = sum(len(annotation[name]) for name in ("bool", "uint", "int", "double", "string", "string_iid"))
        if values + bool(annotation["entries"]) > 1 or (not values and not annotation["entries"] and named and
                                                        "values" not in annotation):
            self.wrong(f"{where}: an annotation with {values} values")

    def end(self, incomplete):
        for uuid, track in self.tracks.items():
            if track is None and uuid:
                self.wrong(f"track {uuid} is not defined")
            if track and track["parent"] and self.tracks.get(one(track, "parent")) is None:
                self.wrong(f"track {uuid} is under track {track['parent']}, which is not defined")
        for uuid, names in self.open.items():
            if names:
                self.wrong(f"track {uuid}: slices that do not end: {names}")
        for tid, pid in self.tids.items():
            if pid not in self.pids:
                self.wrong(f"thread {tid} is of process {pid}, which is not defined")
        for flow, ends in self.flows.items():
            kinds = {name.lstrip("i") for _, _, name in ends}
            if len(ends) < 2 and not incomplete:
                self.wrong(f"flow {flow} has one end: {ends}")
            if "send" in kinds and sorted(ends)[0][2].lstrip("i") != "send":
                self.wrong(f"flow {flow} goes back in time: {ends}")
            if "send" in kinds and (kinds != {"send", "recv"} or len(ends) != 2) and not incomplete:
                self.wrong(f"flow {flow}: {ends}")

    def same_as(self, printed):
        counts = otf2_counts.by_kind(otf2_counts.read(printed))
        counts["metric"] = otf2_counts.counter_values(printed)  # of several at one time one is shown
        for kind in ("collective_begin", "rma_collective_begin"):
            counts.pop(kind, None)
        for kind in sorted(set(counts) | set(self.counts)):
            if counts[kind] != self.counts[kind]:
                self.wrong(f"{self.counts[kind]} events {kind}, in OTF2 {counts[kind]}")

    def print_names(self):
        lines = []
        for track in filter(None, self.tracks.values()):
            for process in track["process"]:
                lines.append(f"process {one(process, 'name')}")
            for thread in track["thread"]:
                lines.append(f"thread {one(thread, 'name')} of {self.pids.get(one(thread, 'pid'))}")
            if track["name"]:
                lines.append(f"track {one(track, 'name')}")
        lines += [f"slice {name}" for name in self.slices]
        print("\n".join(sorted(lines)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--otf2")
    parser.add_argument("--incomplete", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("trace")
    options = parser.parse_args()
    check = Check()
    for number, packet in enumerate(packets(options.trace)):
        check.packet(packet, number)
    check.end(options.incomplete)
    if options.otf2:
        check.same_as(options.otf2)
    if options.names:
        check.print_names()
    print(f"# {sum(check.counts.values())} events, {len(check.flows)} flows, {check.violations} violations")
    return 1 if check.violations or not check.counts else 0


if __name__ == "__main__":
    sys.exit(main())
