#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What hybmon view shows against what hybmon-merge --to=json says of the same recording.

view.py page PAGE JSONL        every tile of an exported page, its messages and names
view.py server ADDRESS JSONL   tiles and sums at random views of a served one; wrong requests; many at once
view.py live ADDRESS           of a job that runs: what is new comes, until it ends
view.py tail ADDRESS           the same, of one that goes on with each empty line that is written, and ends with another one;
                               some of what is new comes on top of what was there
view.py damage VIEW EXPERIMENT what VIEW has kept of it, damaged in many ways: it never crashes
"""

import base64
import bisect
import http.client
import json
import os
import random
import re
import struct
import subprocess
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import brief  # what ends this is said in one line

COLUMNS, CLASSES, EXACT = 512, 16, 1024
SLICE, ENTER, LEAVE, POINT = range(4)
ENOUGH = 6  # times that what is new is put on top of what was there
FEWER = int(os.environ.get("TEST_FEWER", "1"))  # a part of the random views, where each takes long
POINTS = {
    "off", "on", "program_begin", "program_end", "request_cancelled", "task_create", "lock_acquired", "lock_released",
}


NO_TAG = 0xFFFFFFFF  # of lines in collective operations: src/timeline/store/store.h
ALL_WAIT = {"barrier", "allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "reduce_scatter"}  # for all


def fail(words):
    sys.exit(f"{sys.argv[1]}: {words}")


def class_of(region):
    """As src/timeline/store/store.h has them, from the words of the json output."""
    name, role, paradigm = region["name"], region["role"], region["paradigm"]
    if paradigm == "kernel" and role == "task":
        return 0 if name == "idle" else 14
    if paradigm == "kernel":
        for begin, number in (("page fault", 10), ("irq ", 11), ("softirq ", 11), ("sys_", 9),
                              ("scheduled out (voluntary)", 12), ("scheduled out (involuntary)", 13)):
            if name.startswith(begin):
                return number
        return 15
    if paradigm == "mpi":
        return {"point_to_point": 2, "barrier": 3, "one_to_all": 3, "all_to_one": 3, "all_to_all": 3,
                "collective": 3, "one_sided": 4, "file": 5, "file_metadata": 5}.get(role, 6)
    if paradigm == "openmp":
        return 8 if role in ("barrier", "implicit_barrier", "task_wait", "lock") else 7
    return 1


class Track:
    """The events of one, as slices, points, and times at which its class changes."""

    def __init__(self):
        self.slices, self.points, self.stack, self.paused = [], [], [], False
        self.times, self.classes, self.names, self.last, self.paused_ever = [], [], [], 0, False

    def change(self, time, number):
        self.times.append(time)
        self.classes.append(15 if self.paused else number)
        self.names.append(self.stack[-1][1] if self.stack else None)
        self.last = time

    def take(self, event, regions):
        time, kind = max(0, event["time"]), event["event"]
        time = max(time, self.last)
        if not self.times:
            self.change(time, 0)
        self.last = time
        if kind == "enter":
            region = regions[event["region"]]
            self.stack.append((time, region["name"], class_of(region)))
            self.change(time, self.stack[-1][2])
        elif kind == "leave":
            begin, name, _ = self.stack.pop()
            self.slices.append((begin, time, name, len(self.stack)))
            self.change(time, self.stack[-1][2] if self.stack else 0)
        elif kind in POINTS:
            self.points.append((time, kind))
            self.paused = kind == "off" or (kind != "on" and self.paused)
            self.paused_ever |= self.paused
            self.change(time, self.stack[-1][2] if self.stack else 0)

    def exclusive(self, name, begin, end):
        """ns in that region, and in none inside of it."""
        ends = self.times[1:] + [self.last]
        return sum(max(0, min(end, b) - max(begin, a)) for a, b, n in zip(self.times, ends, self.names) if n == name)

    def sums(self, begin, end):
        """ns of each class in that time."""
        sums = [0] * CLASSES
        first = max(0, bisect.bisect_right(self.times, begin) - 1)
        for i in range(first, len(self.times)):
            a = max(begin, self.times[i])
            b = min(end, self.times[i + 1] if i + 1 < len(self.times) else self.last)
            if a >= end:
                break
            sums[self.classes[i]] += max(0, b - a)
        return sums


def read_events(path):
    regions, tracks, receives, length, collectives, began = {}, {}, [], 0, [], {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            e = json.loads(line)
            if "define" in e:
                if e["define"] == "region":
                    regions[e["id"]] = e
                continue
            track = tracks.setdefault(e["track"], Track())
            track.take(e, regions)
            if e["event"] in ("recv", "irecv") and e.get("number"):
                receives.append((max(0, e["other_begin"]), max(0, e["time"]), e["track"], e["tag"], e["bytes"]))
            if e["event"] == "collective_begin":
                began[e["track"]] = e["time"]
            elif e["event"] == "collective_end" and e.get("number") and e["operation"] in ALL_WAIT and began[e["track"]] < e["last_begin"]:
                collectives.append((max(0, e["last_begin"]), track.last, e["track"]))
            length = max(length, track.last)
    for track in tracks.values():
        track.begins, track.all = sorted(s[0] for s in track.slices), set(track.slices)
    return tracks, receives, length, collectives


def parse_tile(data):
    kind, count, begin, records = struct.unpack_from("<IIdd", data)
    if kind == 0:
        body = list(struct.iter_unpack("<ddIIII", data[24:]))
    else:
        body = list(struct.iter_unpack(f"<{CLASSES}BI", data[24:]))
    if len(body) != count:
        fail(f"a tile says {count} and has {len(body)}")
    return kind, begin, records, body


def check_exact(view, track, body, begin, width):
    """Has exactly the slices and points that reach into it."""
    names, kinds, found, points = view["regions"], view["kinds"], set(), []
    end = begin + width
    for first, last, what, _, depth, _ in body:
        if what >> 30 == POINT:
            points.append((first, kinds[what & 0x3FFFFFF]))
        else:
            found.add((first, last, names[what & 0x3FFFFFF][0], depth))
    wanted = {s for s in track.slices if s[0] < end and s[1] > begin}
    for s in wanted:
        if s not in found:
            fail(f"{s} is not in the tile from {begin}")
    for s in found - wanted:
        if s not in track.all and s[1] >= s[0]:
            fail(f"{s} is in the tile from {begin} and was not recorded")
    if sorted(points) != sorted(p for p in track.points if begin <= p[0] < end):
        fail(f"points from {begin}: {sorted(points)[:5]}")
    return len(found)


def check_density(track, body, begin, column):
    for i, (*shares, records) in enumerate(body):
        sums = track.sums(begin + i * column, begin + (i + 1) * column)
        for c in range(CLASSES):
            if abs(shares[c] - sums[c] * 255 / column) > 1:
                fail(f"class {c} from {begin + i * column}: {shares[c]}, not {sums[c] * 255 / column}")
        at = bisect.bisect_left(track.begins, begin + i * column)
        if not records and at < len(track.begins) and track.begins[at] < begin + (i + 1) * column:
            fail(f"what begins from {begin + i * column} on is not seen")
    return len(body)


def check_tile(view, tracks, number, level, data):
    track = tracks.get(number, Track())
    kind, begin, _, body = parse_tile(data)
    if kind == 0:
        return check_exact(view, track, body, begin, COLUMNS << level)
    return check_density(track, body, begin, 1 << level)


def script(page, name):
    found = re.search(rf'<script type="application/json" id="{name}">\n(.*?)</script>', page, re.S)
    return json.loads(found.group(1)) if found else fail(f"the page has no {name}")


def check_page(path, events):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    view, tiles = script(page, "view"), script(page, "tiles")
    tracks, receives, length, collectives = read_events(events)
    if view["length"] != length or len(view["tracks"]) <= max(tracks):
        fail(f"length {view['length']}, not {length}")
    checked = {"slices": 0, "columns": 0}
    for key, text in tiles.items():
        if key in ("lines", "cut"):
            continue
        number, level, _ = map(int, key.split("/"))
        data = base64.b64decode(text)
        checked["columns" if data[0] else "slices"] += check_tile(view, tracks, number, level, data)
    lines = base64.b64decode(tiles["lines"])
    count, _, total = struct.unpack_from("<IId", lines)
    lines = list(struct.iter_unpack("<ddIIIId", lines[16:]))
    shown = sorted((s, r, to, tag, size) for s, r, _, to, _, tag, size in lines if tag != NO_TAG)
    if shown != sorted(receives) or count != len(lines) or total != count:
        fail(f"{len(shown)} messages, not {len(receives)}")
    shown = {(s, r, to) for s, r, _, to, _, tag, _ in lines if tag == NO_TAG}
    if not shown.issuperset(collectives):
        fail(f"of {len(collectives)} waits in collective operations {len(set(collectives) - shown)} are not shown")
    if re.search(r"""(src|href)=|@import|url\(|fetch\(["']http""", page):
        fail("the page asks for something from outside")
    print(f"{checked['slices']} slices and {checked['columns']} columns checked, {len(receives)} messages, "
          f"{len(collectives)} of {len(shown)} waits in collective operations")


class Server:
    def __init__(self, address):
        self.url = urllib.parse.urlsplit(address)

    def get(self, what, path=None, method="GET", headers=None):
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=300)
        connection.request(method, (self.url.path if path is None else path) + what, headers=headers or {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, data, answer


def check_refusals(server):
    port, path = server.url.port, server.url.path
    wrong = [
        (403, dict(what="", path="/")), (403, dict(what="", path=path[:-2] + "/")), (403, dict(what="", path="/../etc/passwd")),
        (403, dict(what="", headers={"Host": "example.org"})), (403, dict(what="", headers={"Host": f"127.0.0.1:{port + 1}"})),
        (403, dict(what="view", headers={"Origin": "http://example.org"})), (403, dict(what="view", headers={"Origin": "null"})),
        (405, dict(what="", method="POST")), (405, dict(what="", method="PUT")), (404, dict(what="manifest")),
        (404, dict(what="../etc/passwd")), (404, dict(what="%2e%2e/manifest")), (400, dict(what="tile")),
        (400, dict(what="tile?track=-1&level=0&index=0")), (400, dict(what="tile?track=0&level=99&index=0")),
        (400, dict(what="tile?track=99999&level=0&index=0")), (400, dict(what="tile?track=0&level=0&index=99999999999999")),
        (400, dict(what="tile?track=0x0&level=0&index=0")), (400, dict(what="lines?from=0&until=1&tracks=0,,1")),
        (400, dict(what="lines?from=0&until=1&tracks=99999")), (400, dict(what="sums?from=5&until=1&tracks=0")),
        (400, dict(what="sums?from=0&until=1&tracks=" + ",".join(["0"] * 5000))),
    ]
    for status, request in wrong:
        got = server.get(**request)[0]
        if got != status:
            fail(f"{request}: {got}, not {status}")
    _, _, answer = server.get("")
    policy = answer.getheader("Content-Security-Policy") or ""
    if "default-src 'none'" not in policy or "unsafe" in policy or answer.getheader("Access-Control-Allow-Origin"):
        fail(f"policy {policy}")
    good = server.get("view", headers={"Origin": f"http://127.0.0.1:{port}"})[0]
    if good != 200 or server.get("", headers={"Host": f"localhost:{port}"})[0] != 200:
        fail("its own page is refused")


def check_server(address, events, seed):
    rng, server = random.Random(seed), Server(address)
    while json.loads(server.get("state")[1])["pairing"]:
        time.sleep(0.05)
    view = json.loads(server.get("view")[1])
    tracks, receives, length, _ = read_events(events)
    if view["length"] != length:
        fail(f"length {view['length']}, not {length}")
    for _ in range(300 // FEWER):
        number, level = rng.choice(list(tracks)), rng.randint(0, view["level"])
        index = rng.randint(0, length // (COLUMNS << level))
        status, data, _ = server.get(f"tile?track={number}&level={level}&index={index}")
        if status != 200:
            fail(f"tile {number}/{level}/{index}: {status}")
        check_tile(view, tracks, number, level, data)
    for _ in range(200 // FEWER):
        begin, end = sorted(rng.randint(0, length) for _ in range(2))
        numbers = rng.sample(list(tracks), rng.randint(1, len(tracks)))
        data = server.get(f"sums?from={begin}&until={end}&tracks={','.join(map(str, numbers))}")[1]
        sums = [row for row in struct.iter_unpack(f"<{CLASSES}d", data)]
        if [list(map(int, row)) for row in sums] != [tracks[n].sums(begin, end) for n in numbers]:
            fail(f"sums of {numbers} from {begin} to {end}")
        data = server.get(f"lines?from={begin}&until={end}&tracks={numbers[0]}")[1]
        shown = [(s, r, to) for s, r, _, to, _, _, _ in struct.iter_unpack("<ddIIIId", data[16:])]
        wanted = [m for m in receives if m[2] == numbers[0] and max(m[0], m[1]) >= begin and min(m[0], m[1]) <= end]
        # Of so many that no picture has them all a part is given, and how many there are.
        given, _, total = struct.unpack("<IId", data[:16])
        if total <= given and any((s, r, to) not in shown for s, r, to, _, _ in wanted):
            fail(f"messages of {numbers[0]} from {begin} to {end}")
    check_find(server, view, tracks, rng)
    check_refusals(server)
    check_many(server, view)
    print("300 tiles and 200 spans checked, seed", seed)


def check_find(server, view, tracks, rng):
    """The next slice of a region, or the one before; and sums by region."""
    names = [r and r[0] for r in view["regions"]]
    for _ in range(100 // FEWER):
        number, time, before = rng.choice(list(tracks)), rng.randint(0, view["length"]), rng.randint(0, 1)
        track = tracks[number]
        if not track.slices:
            continue
        name = rng.choice(track.slices)[2]
        ids = ",".join(str(i) for i, n in enumerate(names) if n == name)
        data = server.get(f"find?time={time}&before={before}&regions={ids}&tracks={number}")[1]
        begin, _, where, what, _, _ = struct.unpack("<ddIIII", data)
        others = [s[0] for s in track.slices if s[2] == name and (s[0] < time if before else s[0] > time)]
        if not others:
            if where != 0xFFFFFFFF:
                fail(f"{name} {begin} is found and should not be")
        elif begin != (max(others) if before else min(others)) or names[what & 0x3FFFFFF] != name:
            fail(f"{name} from {time} on {number}: {begin}, not {(max if before else min)(others)}")
    for _ in range(20 // FEWER):
        begin, end = sorted(rng.randint(0, view["length"]) for _ in range(2))
        number = rng.choice(list(tracks))
        data = server.get(f"shares?from={begin}&until={end}&tracks={number}")[1]
        shares = {(names[i] if i != 0xFFFFFFFF else None): ns for i, _, ns in struct.iter_unpack("<IId", data)}
        wanted = sum(tracks[number].sums(begin, end))
        if not tracks[number].paused_ever and abs(sum(shares.values()) - wanted) > 0.5:
            fail(f"shares of {number} from {begin} to {end}: {sum(shares.values())}, not {wanted}")
        for name, ns in shares.items():
            if name and abs(ns - tracks[number].exclusive(name, begin, end)) > 0.5:
                fail(f"share of {name} of {number} from {begin} to {end}: {ns}, not {tracks[number].exclusive(name, begin, end)}")


def check_many(server, view):
    wrong = []

    def ask(number):
        try:
            for _ in range(10):
                if server.get(f"tile?track={number % len(view['tracks'])}&level={view['level']}&index=0")[0] != 200:
                    wrong.append(number)
        except OSError as e:
            wrong.append(e)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        fail(f"1,000 requests, 100 at once: {wrong[:3]}")


def tell(line):
    """False: it has ended before."""
    try:
        return os.write(1, line) > 0
    except BrokenPipeError:
        return False


def check_live(address, tail=False):
    server, lengths, generation, tails, over = Server(address), [], 0, 0, False
    while True:
        state = json.loads(server.get("state")[1])
        if state["generation"] != generation:
            generation = state["generation"]
            view = json.loads(server.get("view")[1])
            lengths.append(view["length"])
            if server.get(f"tile?track=0&level={view['level']}&index=0")[0] != 200:
                fail("no tile of what is new")
            tails += state["whole"] > 0
            if tail and not over:
                over = tails >= ENOUGH or not state["running"]
                over = not tell(b"rest\n" if over else b"\n") or over
        if not state["running"] and not state["whole"]:
            break
        time.sleep(0.2)
    # A recording that grows by hand has its last time from the beginning on. What is read again has its clock from more
    # of its definitions.
    back = any(after < before - 1e6 for before, after in zip(lengths, lengths[1:]))
    if len(lengths) < 3 or not tail and (back or lengths[-1] <= lengths[0]):
        fail(f"lengths {lengths}")
    if tail and tails < ENOUGH:
        fail(f"what is new was put on top of what was there {tails} times")
    print(f"seen {generation} times, {tails} of them what is new only: {', '.join(f'{n / 1e9:.1f} s' for n in lengths)}",
          file=sys.stderr if tail else sys.stdout)


def rates(server, view):
    """Of the threads: ns by class."""
    tracks = [i for i, t in enumerate(view["tracks"]) if t["kind"] == "thread"]
    status, data, _ = server.get(f"sums?from=0&until={view['length']}&tracks={','.join(map(str, tracks))}")
    if status != 200:
        fail(f"sums: {status}")
    return [sum(column) for column in zip(*struct.iter_unpack(f"<{CLASSES}d", data))]


def check_sketch(tool, experiment):
    """A first picture of samples shows the same rows and about the same shares, and all of it comes after it."""
    for turn in range(30):
        if os.path.exists(experiment + "/view.cache"):
            os.remove(experiment + "/view.cache")
        with subprocess.Popen([tool, "--no-browser", "--sketch=1", experiment], stdout=subprocess.PIPE, text=True) as run:
            server = Server(run.stdout.readline().strip())
            first = json.loads(server.get("view")[1])
            early = rates(server, first)
            level = first["level"]
            tile = server.get(f"tile?track=0&level={level}&index=0")
            findings = server.get("findings")[0]
            seen = json.loads(server.get("state")[1])
            while any(json.loads(server.get("state")[1])[word] for word in ("sketch", "rough", "pairing")):
                time.sleep(0.05)
            whole = json.loads(server.get("view")[1])
            late = rates(server, whole)
            run.terminate()
        # Otherwise all was there before the questions were asked.
        if seen["sketch"]:
            break
    else:
        fail("no first picture was seen")
    names = [[(t["kind"], t["name"], t.get("process")) for t in view["tracks"] if t["kind"] == "thread"] for view in (first, whole)]
    if not first["sketch"] or whole["sketch"] or names[0] != names[1] or tile[0] != 200 or findings != 404:
        fail(f"{first['sketch']}, then {whole['sketch']}; {len(names[0])} and {len(names[1])} threads; {tile[0]}, {findings}")
    if abs(first["length"] - whole["length"]) > whole["length"] / 100 or first["messages"] or not whole["messages"]:
        fail(f"{first['length']} ns and {first['messages']} messages, then {whole['length']} and {whole['messages']}")
    off = max(abs(a - b) for a, b in zip(early, late)) / sum(late)
    if off > 0.05:
        fail(f"shares differ by {off}: {early}, then {late}")
    if not os.path.exists(experiment + "/view.cache"):
        fail("what was read is not kept")
    print(f"seen at try {turn + 1}, shares within {off:.4f}")


WORD = (1 << 64) - 1
HEAD, CHECK, TABLES = 128, 32, 64  # src/timeline/store/cache.c: size of the head, where it has the checksum, where the tables are


def mix(x):
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & WORD
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & WORD
    return x ^ x >> 33


def hash_bytes(data):
    h = len(data)
    for i in range(0, len(data), 8):
        h = mix(h * 0x9E3779B97F4A7C15 + int.from_bytes(data[i:i + 8], "little") & WORD)
    return h


def check_damage(tool, experiment):
    """Also such damage as has the right checksum."""
    path, rng = experiment + "/view.cache", random.Random(1)
    with open(path, "rb") as file:
        good = file.read()
    tables = int.from_bytes(good[TABLES:TABLES + 8], "little")
    said = 0
    for turn in range(150 // FEWER):
        bad = bytearray(good)
        first, last = [(CHECK + 8, HEAD), (4096, tables), (tables, min(tables + 4000, len(bad))), (tables, len(bad))][turn % 4]
        for _ in range(rng.choice([1, 1, 3, 20])):
            at = rng.randrange(first, last)
            bad[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        bad[CHECK:CHECK + 8] = bytes(8)
        place = min(int.from_bytes(bad[TABLES:TABLES + 8], "little"), len(bad))
        check = hash_bytes(bytes(bad[:HEAD])) ^ mix(hash_bytes(bytes(bad[place:])))
        bad[CHECK:CHECK + 8] = check.to_bytes(8, "little")
        with open(path, "wb") as file:
            file.write(bad)
        done = subprocess.run([tool, "--most=1", "--export=/dev/null", experiment], stderr=subprocess.PIPE, timeout=300)
        if done.returncode not in (0, 2) or len(done.stderr.splitlines()) > 2:
            fail(f"turn {turn}: status {done.returncode}: {done.stderr}")
        if b"cannot write" in done.stderr:
            fail(f"turn {turn}: blames the page: {done.stderr}")
        said += b"damaged" in done.stderr
    if not said:
        fail("no damage was seen")
    print(f"{said} of 150 damages said")


if sys.argv[1] == "page":
    check_page(*sys.argv[2:4])
elif sys.argv[1] == "server":
    check_server(sys.argv[2], sys.argv[3], int(sys.argv[4]))
elif sys.argv[1] == "sketch":
    check_sketch(*sys.argv[2:4])
elif sys.argv[1] == "damage":
    check_damage(*sys.argv[2:4])
else:
    check_live(sys.argv[2], sys.argv[1] == "tail")
