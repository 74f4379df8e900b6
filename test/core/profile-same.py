#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""profile-same.py A B [calls]: two call trees of the same run, of which one may have what the kernel did as well: each path of the
program's has the same calls, errors, messages and counters, and is called from the same places; `calls`: but for messages, of which a merge leaves out what nobody received. Says how many errors and
places there are, and whether counters."""
import json
import sys


def paths(name):
    document = json.load(open(name))
    keys, found = [], {}
    for path in document["paths"]:
        key = (keys[path["parent"]] if path["id"] else ()) + ((path["kind"], path.get("name"), path.get("at")),)
        keys.append(key)
        if any(kind == "kernel" for kind, _, _ in key):
            continue
        names = ["calls", "errors"]
        if sys.argv[3:] != ["calls"]:
            names += ["sends", "sent", "receives", "received", "collectives"]
        values = {k: path[k] for k in names}
        values["metrics"] = path.get("metrics", {})
        found[key] = values
    return found


a, b = paths(sys.argv[1]), paths(sys.argv[2])
wrong = [(k, a.get(k), b.get(k)) for k in sorted(set(a) | set(b), key=str) if a.get(k) != b.get(k)]
for each in wrong[:10]:
    print(*each, sep="\n  ")
print("errors", sum(v["errors"] for v in a.values()), "places", sum(k[-1][2] is not None for k in a),
      "counted", sum(sum(v["metrics"].values()) > 0 for v in a.values()))
sys.exit(bool(wrong) or not a)
