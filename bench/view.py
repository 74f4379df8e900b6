#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""view.py HYBMON-VIEW EXPERIMENT ROUNDS: rows for view.sh, as what|value|target."""

import http.client
import json
import os
import random
import subprocess
import sys
import time
import urllib.parse

tool, experiment, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])


def spread(values, unit, digits=2):
    values = sorted(values)
    middle = values[len(values) // 2]
    return f"{values[0]:.{digits}f} / {middle:.{digits}f} / {values[-1]:.{digits}f} {unit}"


class Run:
    """One server, from its start to its end."""

    def __init__(self):
        self.begin = time.monotonic()
        self.process = subprocess.Popen([tool, "--no-browser", experiment], stdout=subprocess.PIPE, text=True)
        address = urllib.parse.urlsplit(self.process.stdout.readline().strip())
        self.ready = time.monotonic() - self.begin
        self.path = address.path
        self.connection = http.client.HTTPConnection(address.hostname, address.port)
        self.exact = self.wait("sketch")
        self.view = json.loads(self.get("view")[0])

    def get(self, what):
        begin = time.monotonic()
        self.connection.request("GET", self.path + what)
        data = self.connection.getresponse().read()
        return data, 1000 * (time.monotonic() - begin)

    def tiles(self, level, count):
        last = self.view["length"] // (self.view["columns"] << level)
        return sorted(self.get(f"tile?track={random.randrange(len(self.view['tracks']))}&level={level}"
                               f"&index={random.randint(0, last)}")[1] for _ in range(count))

    def memory(self):
        """MiB that are its own, at most so far and now: pages of its file can go at any time."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            words = dict(line.split(":", 1) for line in file)
        return [int(words[name].split()[0]) / 1024 for name in ("VmHWM", "RssAnon")]

    def wait(self, state):
        """As long as it is so: seconds since the start."""
        while json.loads(self.get("state")[0])[state]:
            time.sleep(0.02)
        return time.monotonic() - self.begin

    def end(self):
        self.process.terminate()
        self.process.wait()


kept = experiment + "/view.cache"
size = sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(experiment) for name in names)
ready, exact, paired, again, medians, worst, screens, lines, sums, shares, most, own, parts = ([] for _ in range(13))
for _ in range(rounds):
    if os.path.exists(kept):
        os.remove(kept)
    run = Run()
    ready.append(run.ready)
    exact.append(run.exact)
    run.wait("rough")
    paired.append(run.wait("pairing"))
    level, tracks = run.view["level"], len(run.view["tracks"])
    records = sum(t["records"] for t in run.view["tracks"])
    times = sorted(t for down in (0, 4, 8, 12) for t in run.tiles(max(0, level - down), 250))
    medians.append(times[500])
    worst.append(times[990])
    begin = time.monotonic()
    for track in range(min(64, tracks)):
        for index in range(4):
            run.get(f"tile?track={track}&level={max(0, level - 2)}&index={index}")
    screens.append(1000 * (time.monotonic() - begin))
    every = ",".join(map(str, range(min(64, tracks))))
    lines.append(run.get(f"lines?from=0&until={run.view['length']}&tracks={every}")[1])
    sums.append(run.get(f"sums?from=1000&until={run.view['length'] // 2}&tracks={every}")[1])
    shares.append(run.get(f"shares?from=1000&until={run.view['length'] // 20}&tracks={every}")[1])
    memory = run.memory()
    most.append(memory[0])
    own.append(memory[1])
    while not os.path.exists(kept):
        time.sleep(0.02)
    run.end()
    parts.append(os.path.getsize(kept) / size)
    run = Run()
    again.append(run.ready)
    run.end()

print(f"view: {records} records, {tracks} rows: a first picture is served after|{spread(ready, 's')}|1 s")
print(f"view: an exact overview|{spread(exact, 's')}|10 s")
print(f"view: and its messages|{spread(paired, 's')}|-")
print(f"view: opened again|{spread(again, 's')}|0.3 s")
print(f"view: a tile, median|{spread(medians, 'ms')}|5 ms")
print(f"view: a tile, 99 %|{spread(worst, 'ms')}|50 ms")
print(f"view: a screen of 64 rows, 4 tiles each|{spread(screens, 'ms', 0)}|200 ms")
print(f"view: messages of 64 rows, all of the run|{spread(lines, 'ms', 1)}|-")
print(f"view: sums of 64 rows by class, half of the run|{spread(sums, 'ms', 1)}|-")
print(f"view: sums of 64 rows by region, a 20th of the run|{spread(shares, 'ms', 1)}|-")
print(f"view: memory, at most|{spread(most, 'MiB', 0)}|256 MiB")
print(f"view: memory of its own, at the end|{spread(own, 'MiB', 0)}|-")
print(f"view: what it keeps, as a part of the recording|{spread(parts, '', 4)}|0.1")
