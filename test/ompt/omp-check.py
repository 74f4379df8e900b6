#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks what an OTF2 archive says of OpenMP's threads, with OTF2's own Python reader.

usage: omp-check.py ARCHIVE.otf2 [EXPECTED]

Always: Enter and Leave balanced on every location; forks joined, by the same location; a thread is in a team while it
says so, teams end in the order in which they nest, and it is a member; what is begun in a team ends in it; every task is
created once, completed once, executed by one thread at a time and not before it is created; locks are had by one thread
at a time, each time with the next number.

EXPECTED is what the program says, one statement a line:

    count NAME N         region NAME (without its place) is entered N times by all threads together
    calls NAME N M       between N and M times
    line NAME FILE LINE  some region NAME is there
    inside NAME PARENT   NAME is entered in PARENT only (the region around it, - for none)
    events RECORD N      such records of OTF2 by all threads together
    team SIZES           the sizes of all teams there are, sorted, with commas between them
    threads N            locations with events
    cut                  it ended while locks were had and tasks executed
    paused               recording was paused meanwhile: of locks and tasks some records are not there
    foreign RECORD N     such records of tasks by threads that are not in the task's team

Those of omp-order.py are passed over.

Exit status: 0 all holds, 1 not (each is printed, up to 20), 2 usage.
"""
import collections
import sys

try:
    import otf2
    from otf2 import enums, events
except ImportError as error:
    sys.exit(f"omp-check: {error}: Debian has it in python3-otf2, for /usr/bin/python3")

SHOWN = 20


class Check:
    def __init__(self):
        self.violations = 0
        self.entered = collections.Counter()
        self.records = collections.Counter()
        self.parents = collections.defaultdict(set)
        self.places = set()
        self.teams = {}
        self.locks = collections.defaultdict(list)
        self.created = {}
        self.completed = collections.Counter()
        self.running = {}
        self.foreign = collections.Counter()
        self.cut = False
        self.paused = False

    def wrong(self, text):
        self.violations += 1
        if self.violations <= SHOWN:
            print(f"omp-check: {text}")


class Thread:
    def __init__(self, location):
        self.location = location
        self.label = f"{location.group.name} / {location.name}"
        self.stack = []     # regions, and teams as Team
        self.forks = 0
        self.tasks = [None]


class Team:
    def __init__(self, comm, tasks):
        self.comm = comm
        self.tasks = tasks


def plain(name):
    return name.split(" @")[0]


def enter(check, thread, region):
    regions = [r for r in thread.stack if not isinstance(r, Team)]
    name = plain(region.name)
    check.entered[name] += 1
    check.parents[name].add(plain(regions[-1].name) if regions else "-")
    check.places.add((name, region.source_file.rsplit("/", 1)[-1], region.begin_line_number))
    thread.stack.append(region)


def leave(check, thread, region):
    if not thread.stack or thread.stack[-1] != region:
        check.wrong(f"{thread.label}: leaves {region.name}, which is not innermost")
    else:
        thread.stack.pop()


def team(check, thread, event):
    comm = event.thread_team
    members = [m._ref for m in comm.group.members]
    if isinstance(event, events.ThreadTeamBegin):
        if thread.location._ref not in members:
            check.wrong(f"{thread.label}: begins in a team that it is no member of")
        thread.stack.append(Team(comm, thread.tasks))
        thread.tasks = [None]
        return
    top = thread.stack[-1] if thread.stack else None
    if not isinstance(top, Team) or top.comm != comm:
        check.wrong(f"{thread.label}: ends a team that is not innermost")
        return
    if thread.tasks != [None] and not check.cut:
        check.wrong(f"{thread.label}: ends a team in a task")
    thread.tasks = thread.stack.pop().tasks


def task_of(thread, event):
    """Each thread that is in no team is alone in one of its own; all these have one definition."""
    alone = event.thread_team.group.group_type == enums.GroupType.COMM_SELF
    creator = thread.location._ref if alone else event.creating_thread
    return (thread.location.group._ref, event.thread_team._ref, creator, event.generation_number)


def task(check, thread, event, time):
    key = task_of(thread, event)
    teams = [t for t in thread.stack if isinstance(t, Team)]
    group = event.thread_team.group
    member = group.group_type == enums.GroupType.COMM_SELF or thread.location in group.members
    # Threads of the runtime's own execute what nobody waits for, and any thread may fulfil a task's event.
    if (teams and event.thread_team != teams[-1].comm and not isinstance(event, events.ThreadTaskComplete)
            and (member or isinstance(event, events.ThreadTaskCreate))):
        check.wrong(f"{thread.label}: task {key} of another team")
    check.foreign[type(event).__name__] += not member
    if isinstance(event, events.ThreadTaskCreate):
        if key in check.created:
            check.wrong(f"task {key} is created twice")
        check.created[key] = time
    elif isinstance(event, events.ThreadTaskComplete):
        check.completed[key] += 1
        other = check.running.pop(key, None)
        if other and other is not thread and key in other.tasks:
            check.wrong(f"{thread.label}: task {key} is complete, which {other.label} still has")
        if key in thread.tasks:
            thread.tasks = thread.tasks[:thread.tasks.index(key)]
    elif not event.generation_number:
        thread.tasks = [None]
    else:
        if key not in check.created and not check.paused:
            check.wrong(f"task {key} begins before it is created")
        if check.running.setdefault(key, thread) is not thread and key in check.running[key].tasks:
            check.wrong(f"{thread.label}: goes on with task {key}, which another thread has")
        check.running[key] = thread
        if key in thread.tasks:
            thread.tasks = thread.tasks[:thread.tasks.index(key) + 1]
        else:
            thread.tasks.append(key)


def read(check, reader):
    threads = {}
    for location, event in reader.events:
        thread = threads.get(location._ref) or threads.setdefault(location._ref, Thread(location))
        check.records[type(event).__name__] += 1
        if isinstance(event, events.Enter):
            enter(check, thread, event.region)
        elif isinstance(event, events.Leave):
            leave(check, thread, event.region)
        elif isinstance(event, events.ThreadFork):
            thread.forks += 1
        elif isinstance(event, events.ThreadJoin):
            thread.forks -= 1
            if thread.forks < 0:
                check.wrong(f"{thread.label}: joins what it did not fork")
        elif isinstance(event, (events.ThreadTeamBegin, events.ThreadTeamEnd)):
            team(check, thread, event)
        elif isinstance(event, (events.ThreadTaskCreate, events.ThreadTaskSwitch, events.ThreadTaskComplete)):
            task(check, thread, event, event.time)
        elif isinstance(event, events.ThreadAcquireLock):
            key = (location.group._ref, event.lock_id)
            check.locks[key].append((event.acquisition_order, event.time, 0, thread.label))
        elif isinstance(event, events.ThreadReleaseLock):
            key = (location.group._ref, event.lock_id)
            check.locks[key].append((event.acquisition_order, event.time, 1, thread.label))
    for thread in threads.values():
        if thread.stack or thread.forks:
            check.wrong(f"{thread.label}: ends with {len(thread.stack)} regions and {thread.forks} forks open")
    return threads


def check_locks(check):
    """By order of having it: whoever has it next, had to wait until it was given up. That a release is told of a little
    late is in the runtime, so times are compared between acquisitions only."""
    for key, uses in check.locks.items():
        had = sorted(u for u in uses if u[2] == 0)
        orders = sorted({u[0] for u in had})
        if orders != list(range(1, len(orders) + 1)) and not check.paused:
            check.wrong(f"lock {key} is had in the order {orders[:5]}...")
        for before, after in zip(had, had[1:]):
            if before[1] > after[1]:
                check.wrong(f"lock {key}: had the {before[0]}. time by {before[3]} {before[1] - after[1]} ticks after "
                            f"the {after[0]}. time by {after[3]}")
        if not check.cut and not check.paused and sorted(u[0] for u in uses if u[2]) != [u[0] for u in had]:
            check.wrong(f"lock {key} is not given up as often as it is had")


def check_tasks(check):
    if check.paused:
        return
    for key in check.created:
        if check.completed[key] != 1 and not check.cut:
            check.wrong(f"task {key} is completed {check.completed[key]} times")
    for key in check.completed:
        if key not in check.created:
            check.wrong(f"task {key} is completed and was not created")


def sizes(reader):
    return ",".join(str(s) for s in sorted(
        len(c.group.members) for c in reader.definitions.comms
        if c.group.paradigm == enums.Paradigm.OPENMP and c.group.group_type == enums.GroupType.COMM_GROUP))


def compare(check, statement, reader, threads):
    what, *words = statement
    if what == "count":
        name, number = " ".join(words[:-1]), int(words[-1])
        if check.entered[name] != number:
            check.wrong(f"{name} is entered {check.entered[name]} times, not {number}")
    elif what == "calls":
        name, low, high = " ".join(words[:-2]), int(words[-2]), int(words[-1])
        if not low <= check.entered[name] <= high:
            check.wrong(f"{name} is entered {check.entered[name]} times, not {low} to {high}")
    elif what == "line":
        place = (" ".join(words[:-2]), words[-2], int(words[-1]))
        if place not in check.places:
            check.wrong(f"there is no {place[0]} at {place[1]}:{place[2]}")
    elif what == "inside":
        name, parent = (w.strip() for w in " ".join(words).split("/"))
        if check.parents[name] != {parent}:
            check.wrong(f"{name} is entered in {sorted(check.parents[name])}, not in {parent}")
    elif what == "events":
        if check.records[words[0]] != int(words[1]):
            check.wrong(f"there are {check.records[words[0]]} {words[0]}, not {words[1]}")
    elif what == "foreign":
        if check.foreign[words[0]] != int(words[1]):
            check.wrong(f"there are {check.foreign[words[0]]} {words[0]} from outside of the task's team, not {words[1]}")
    elif what == "team":
        if sizes(reader) != words[0]:
            check.wrong(f"teams have the sizes {sizes(reader)}, not {words[0]}")
    elif what == "threads":
        if len(threads) != int(words[0]):
            check.wrong(f"there are {len(threads)} threads, not {words[0]}")
    else:
        check.wrong(f"no statement: {what}")


def main():
    if len(sys.argv) not in (2, 3):
        sys.stderr.write(__doc__)
        sys.exit(2)
    check = Check()
    statements = []
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding="utf-8") as expected:
            statements = [line.split() for line in expected if line.split()]
    check.cut = ["cut"] in statements
    check.paused = ["paused"] in statements
    with otf2.reader.open(sys.argv[1]) as reader:
        threads = read(check, reader)
        check_locks(check)
        check_tasks(check)
        for statement in statements:
            if statement[0] not in ("cut", "paused", "tasks", "before", "apart", "made", "tied"):
                compare(check, statement, reader, threads)
    if check.violations:
        print(f"omp-check: {check.violations} violations")
    sys.exit(1 if check.violations else 0)


main()
