#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""curves.py ADDRESS JSONL SEED: the counters that hybmon view shows as curves, against what hybmon-merge --to=json says."""

import bisect
import json
import math
import os
import random
import struct
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import brief  # what ends this is said in one line

COLUMNS, EXACT = 512, 1024
OF = {"thread": "", "process": " of the process", "node": " of the node"}


def fail(words):
    sys.exit(f"curves: {words}")


class Curve:
    """Steps: each value holds from its time on up to the next one."""

    def __init__(self, metric, readings, end):
        steps, adds, scale = [], metric["mode"] == "accumulated", metric["base"] ** metric["exponent"]
        readings = [(when, value * scale) for when, value in readings]
        at, last = readings[0]
        for when, value in readings[1:]:
            if when == at:
                last = last if adds else value
                continue
            steps.append((at, (value - last) / ((when - at) * 1e-9) if adds else last))
            at, last = when, value
        steps.append((at, 0 if adds else last))
        self.steps = [s for i, s in enumerate(steps) if not i or s[1] != steps[i - 1][1]]
        self.times = [s[0] for s in self.steps]
        self.end, self.areas = end, [0]
        for (begin, value), (until, _) in zip(self.steps, self.steps[1:]):
            self.areas.append(self.areas[-1] + value * (until - begin))

    def area(self, when):
        i = bisect.bisect_right(self.times, when) - 1
        return self.areas[i] + self.steps[i][1] * (when - self.times[i]) if i >= 0 else 0

    def between(self, begin, end):
        """Least, greatest, and mean value; None where there is none."""
        begin, end = max(begin, self.times[0]), min(end, self.end)
        if begin >= end:
            return None
        held = [v for _, v in self.steps[bisect.bisect_right(self.times, begin) - 1:bisect.bisect_left(self.times, end)]]
        return min(held), max(held), (self.area(end) - self.area(begin)) / (end - begin)


def read(path):
    metrics, classes, readings, ends = {}, {}, {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            e = json.loads(line)
            if e.get("define") == "metric":
                metrics[e["id"]] = e
            elif e.get("define") == "metric_class":
                classes[e["id"]] = e
            elif "track" in e and "event" in e:
                ends[e["track"]] = max(0, e["time"], ends.get(e["track"], 0))
                for number, value in zip(classes[e["class"]]["metrics"], e["values"]) if e["event"] == "metric" else ():
                    of = OF[classes[e["class"]]["of"]]
                    readings.setdefault((e["track"], number, of), []).append((max(0, e["time"]), value))
    curves = {}
    for (track, number, of), values in readings.items():
        name = metrics[number]["name"] + of + (" per second" if metrics[number]["mode"] == "accumulated" else "")
        curves[track, name] = Curve(metrics[number], values, ends[track])
    return curves


def near(shown, wanted, tolerance):
    return abs(shown - wanted) <= tolerance * max(1e-3, abs(wanted))


def check_exact(curve, body, begin, end):
    first, last = bisect.bisect_right(curve.times, begin) - 1, bisect.bisect_left(curve.times, end)
    wanted = curve.steps[max(0, first):last]
    if len(body) != len(wanted) or any(a[0] != b[0] or not near(a[1], b[1], 1e-9) for a, b in zip(body, wanted)):
        fail(f"values from {begin} to {end}: {body[:3]} of {len(body)}, not {wanted[:3]} of {len(wanted)}")


def check_levels(curve, body, begin, column):
    for i, (least, most, mean) in enumerate(body):
        wanted = curve.between(begin + i * column, begin + (i + 1) * column)
        if wanted is None:
            if not math.isnan(mean):
                fail(f"{mean} at {begin + i * column}, where nothing is")
        # A mean is the difference of large sums.
        elif not near(least, wanted[0], 1e-6) or not near(most, wanted[1], 1e-6) or \
                not near(mean, wanted[2], 1e-5 + 1e-12 * curve.area(curve.end) / column / max(1e-3, abs(wanted[2]))):
            fail(f"{least}, {most}, {mean} from {begin + i * column}, not {wanted}")


def main(address, events, seed):
    def get(what):
        with urllib.request.urlopen(address + what, timeout=300) as answer:
            return answer.read()

    while any(json.loads(get("state"))[word] for word in ("pairing", "sketch", "rough")):
        time.sleep(0.05)
    rng, view, curves, kinds = random.Random(seed), json.loads(get("view")), read(events), [0, 0]
    shown = [(c["track"], c["name"]) for c in view["curves"]]
    if sorted(curves) != sorted(shown) or not shown:
        fail(f"{shown}, not {sorted(curves)}")
    for turn in range(200):
        number, level = rng.randrange(len(shown)), view["level"] - (turn % 3 if turn % 2 else rng.randint(0, view["level"]))
        curve, index = curves[shown[number]], rng.randint(0, view["length"] // (COLUMNS << level))
        data, begin = get(f"curve?curve={number}&level={level}&index={index}"), index * COLUMNS << level
        kind, count, at, _ = struct.unpack_from("<IIdd", data)
        body = list(struct.iter_unpack("<dd" if kind == 0 else "<fff", data[24:]))
        if at != begin or count != len(body) or (kind == 1) != (count == COLUMNS and len(data) == 24 + 12 * COLUMNS):
            fail(f"tile {number}/{level}/{index}: {kind}, {count}, {at}, {len(data)} bytes")
        kinds[kind] += 1
        if kind == 0:
            check_exact(curve, body, begin, begin + (COLUMNS << level))
        else:
            check_levels(curve, body, begin, 1 << level)
    for wrong in ("curve", "curve?curve=99999&level=0&index=0", "curve?curve=0&level=99&index=0",
                  "curve?curve=0&level=0&index=99999999999999"):
        try:
            get(wrong)
            fail(f"{wrong} is answered")
        except urllib.error.HTTPError as e:
            if e.code != 400:
                fail(f"{wrong}: {e.code}")
    print(f"{len(shown)} curves, {kinds[0]} exact tiles, {kinds[1]} of columns, seed {seed}")


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
