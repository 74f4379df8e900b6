#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks in which order an OTF2 archive has the tasks of a program that says in which order they have to be.

usage: omp-order.py ARCHIVE.otf2 EXPECTED

EXPECTED has one statement a line; a task is called THREAD.NUMBER, who created it and which of his it is. Other
statements are passed over (omp-check.py has them).

    tasks N              so many were created, and each was completed once
    before A B           B begins when A is complete
    apart A B            they are not executed at the same time
    made A B             B is created while A is executed by the same thread
    tied A               A is executed by one thread

Exit status: 0 all holds, 1 not (each is printed, up to 20), 2 usage.
"""
import collections
import sys

try:
    import otf2
    from otf2 import events
except ImportError as error:
    sys.exit(f"omp-order: {error}: Debian has it in python3-otf2, for /usr/bin/python3")

SHOWN = 20


class Task:
    def __init__(self):
        self.created = []   # (time, location, what was executed there)
        self.begun = []     # (time, location)
        self.completed = []


class Check:
    def __init__(self):
        self.violations = 0
        self.done = collections.Counter()
        self.tasks = collections.defaultdict(Task)

    def wrong(self, text):
        self.violations += 1
        if self.violations <= SHOWN:
            print(f"omp-order: {text}")


def read(check, reader):
    """What a location executes is what it switched to last."""
    current = {}
    for location, event in reader.events:
        if not isinstance(event, (events.ThreadTaskCreate, events.ThreadTaskSwitch, events.ThreadTaskComplete)):
            continue
        key = f"{event.creating_thread}.{event.generation_number}"
        if isinstance(event, events.ThreadTaskCreate):
            check.tasks[key].created.append((event.time, location._ref, current.get(location._ref)))
        elif isinstance(event, events.ThreadTaskComplete):
            check.tasks[key].completed.append(event.time)
        elif event.generation_number:
            check.tasks[key].begun.append((event.time, location._ref))
            current[location._ref] = key
        else:
            current[location._ref] = None


def begin(task):
    """Of one that was cancelled before it began there is only its end."""
    return task.begun[0][0] if task.begun else task.completed[0]


def compare(check, what, names):
    tasks = [check.tasks[n] for n in names]
    for name, task in zip(names, tasks):
        if len(task.created) != 1 or len(task.completed) != 1:
            check.wrong(f"task {name} is created {len(task.created)} times, completed {len(task.completed)} times")
            return
    first, last = tasks[0], tasks[-1]
    if what == "before" and first.completed[0] > begin(last):
        check.wrong(f"{names[1]} begins at {begin(last)}, {names[0]} is complete at {first.completed[0]}")
    elif what == "apart" and begin(first) < last.completed[0] and begin(last) < first.completed[0]:
        check.wrong(f"{names[0]} and {names[1]} are executed at the same time")
    elif what == "made":
        time, _, parent = last.created[0]
        if parent != names[0]:
            check.wrong(f"{names[1]} is created by {parent or 'an implicit task'}, not by {names[0]}")
        elif not begin(first) <= time <= first.completed[0]:
            check.wrong(f"{names[1]} is not created while {names[0]} is executed")
    elif what == "tied" and len({location for _, location in first.begun}) > 1:
        check.wrong(f"{names[0]} is executed by several threads")
    check.done[what] += 1


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        sys.exit(2)
    check = Check()
    with otf2.reader.open(sys.argv[1]) as reader:
        read(check, reader)
    with open(sys.argv[2], encoding="utf-8") as expected:
        for line in expected:
            what, *words = line.split()
            if what in ("before", "apart", "made", "tied"):
                compare(check, what, words)
            elif what == "tasks" and int(words[0]) != sum(1 for t in check.tasks.values() if t.completed):
                check.wrong(f"there are not {words[0]} tasks that are complete")
    print("omp-order:", ", ".join(f"{n} {what}" for what, n in sorted(check.done.items())) or "nothing to check")
    if check.violations:
        print(f"omp-order: {check.violations} violations")
    sys.exit(1 if check.violations or not check.done else 0)


main()
