# SPDX-License-Identifier: BSD-3-Clause
"""A recording as JSON Lines, for the judges."""
import collections
import json


def read(path):
    """Definitions by kind, and events by track."""
    defines = collections.defaultdict(dict)
    events = collections.defaultdict(list)
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            if "define" in entry:
                defines[entry["define"]][entry.get("id", entry.get("name"))] = entry
            else:
                events[entry["track"]].append(entry)
    return defines, events
