#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads an OTF2 archive with OTF2's own Python reader and checks what trace readers rely on.

usage: otf2-check.py [--calls] [--incomplete] ARCHIVE.otf2

It shares no code with hybmon-merge. Checked are: the definitions (ids, system tree, one list of MPI locations,
communicators), Enter and Leave balanced, times that never go back and lie within the clock's range, communication
records inside MPI regions, messages matched first in, first out per (communicator, source,
destination, tag) with equal sizes, and collective operations in the same order with the same root on all members.

--calls       print the number of calls of each region and of each other record, per location, sorted
--incomplete  half messages and operations that some member lacks are no violation (they are counted)

Exit status: 0 all holds, 1 some violation (each is printed, up to 20), 2 usage.
"""
import collections
import sys

try:
    import otf2
    from otf2 import definitions as otf2_definitions, enums, events
    import _otf2
except ImportError as error:
    sys.exit(f"otf2-check: {error}: Debian has it in python3-otf2, for /usr/bin/python3")

# OTF2 3.0's reader cannot read any InterComm: it gives it the fields of Comm too, and a wrong type of parent.
if len(otf2_definitions.InterComm._fields) > 5:
    name, _, parent, flags = otf2_definitions.Comm._fields
    otf2_definitions.InterComm._fields = (name,) + otf2_definitions.InterComm._fields[-4:-2] + (parent, flags)

SHOWN = 20
UNDEFINED = 0xFFFFFFFF


class Check:
    """The violations found so far, and what was counted."""

    def __init__(self):
        self.violations = 0
        self.calls = collections.Counter()
        self.totals = collections.Counter()

    def wrong(self, text):
        self.violations += 1
        if self.violations <= SHOWN:
            print(f"otf2-check: {text}")


class Thread:
    """What is known of one location while its events go by."""

    def __init__(self, location):
        self.location = location
        self.rank = location.group._ref
        self.label = f"{location.group.name} / {location.name}"
        self.stack = []
        self.last = 0
        self.events = 0
        self.collective = False


class Comm:
    """A communicator, with its members as location groups."""

    def __init__(self, definition, groups):
        self.definition = definition
        self.groups = groups
        self.label = f"communicator {definition._ref} '{definition.name}'"
        self.sequence = []
        self.position = collections.Counter()

    def peer(self, rank, own):
        """The location group that `rank` stands for in a record of location group `own`."""
        members = self.groups[0]
        if len(self.groups) == 2 and own in members:
            members = self.groups[1]
        if not members:
            return own if rank == 0 else None
        return members[rank] if rank < len(members) else None

    def members(self):
        return [m for group in self.groups for m in group]


def check_tree(check, definitions):
    for node in definitions.system_tree_nodes:
        if node.parent is not None and node.parent._ref >= node._ref:
            check.wrong(f"system tree node {node._ref} has the parent {node.parent._ref}")
    roots = [n for n in definitions.system_tree_nodes if n.parent is None]
    if len(roots) != 1 or roots[0].class_name != "machine":
        check.wrong("the system tree does not have exactly one root of class machine")
    shared = {d.system_tree_node._ref for d in definitions.system_tree_node_domains
              if d.system_tree_node_domain == enums.SystemTreeDomain.SHARED_MEMORY}
    for group in definitions.location_groups:
        if group.system_tree_parent._ref not in shared:
            check.wrong(f"location group {group.name} is on no node of domain SHARED_MEMORY")


def check_locations(check, definitions):
    inhabited = set()
    for location in definitions.locations:
        inhabited.add(location.group._ref)
        if location._ref & UNDEFINED != location.group._ref:
            check.wrong(f"location {location._ref} is in group {location.group._ref}")
        if location.type != enums.LocationType.CPU_THREAD:
            check.wrong(f"location {location._ref} is no CPU_THREAD")
        thread = location._ref >> 32
        expected = f"Thread {thread}" if thread else "Master thread"
        if not location.name.endswith(expected):
            check.wrong(f"location {location._ref} is called {location.name}")
    for group in definitions.location_groups:
        if group._ref not in inhabited:
            check.wrong(f"location group {group.name} has no location")
        if group.name.startswith("MPI Rank ") and group.name != f"MPI Rank {group._ref}":
            check.wrong(f"location group {group._ref} is called {group.name}")


def check_comms(check, definitions):
    """The communicators by id."""
    lists = [g for g in definitions.groups
             if g.group_type == enums.GroupType.COMM_LOCATIONS and g.paradigm == enums.Paradigm.MPI]
    intra = [c for c in definitions.comms if not isinstance(c, otf2_definitions.InterComm)]
    selves = [c for c in intra if c.group.group_type == enums.GroupType.COMM_SELF]
    comms = {}
    if len(lists) > 1 or (len(definitions.comms) and not lists):
        check.wrong(f"there are {len(lists)} lists of MPI locations")
    if len(selves) > 1:
        check.wrong(f"there are {len(selves)} communicators of type COMM_SELF")
    for group in lists:
        for index, location in enumerate(group.members):
            if location._ref != index:
                check.wrong(f"world rank {index} is location {location._ref}")
    for definition in sorted(definitions.comms, key=lambda c: c._ref):
        parent = definition.parent
        if parent is not None and parent._ref >= definition._ref:
            check.wrong(f"communicator {definition._ref} has the parent {parent._ref}")
        inter = isinstance(definition, otf2_definitions.InterComm)
        groups = [definition.groupA, definition.groupB] if inter else [definition.group]
        members = [[m.group._ref for m in g.members] for g in groups]
        if len(set(sum(members, []))) != sum(map(len, members)):
            check.wrong(f"communicator {definition._ref} has a member twice")
        comms[definition._ref] = Comm(definition, members)
    return comms


class Messages:
    """Halves that wait for their other half, first in, first out."""

    def __init__(self, check):
        self.check = check
        self.waiting = collections.defaultdict(collections.deque)

    def add(self, half, key, size):
        other = self.waiting.get((1 - half,) + key)
        if not other:
            self.waiting[(half,) + key].append(size)
            return
        there = other.popleft()
        self.check.totals["messages"] += 1
        if there != size:
            comm, source, destination, tag = key
            self.check.wrong(f"message {source} -> {destination}, tag {tag}, communicator {comm}: "
                             f"{(size, there)[half]} bytes sent, {(there, size)[half]} received")

    def finish(self, allowed):
        for (half, comm, source, destination, tag), left in sorted(self.waiting.items()):
            if not left:
                continue
            self.check.totals["unmatched receives" if half else "unmatched sends"] += len(left)
            if not allowed:
                self.check.wrong(f"{len(left)} {'receives' if half else 'sends'} {source} -> {destination}, "
                                 f"tag {tag}, communicator {comm} have no other half")


class Reader:
    """Takes the events one by one."""

    def __init__(self, check, trace, comms):
        self.check = check
        self.comms = comms
        self.messages = Messages(check)
        self.threads = {l._ref: Thread(l) for l in trace.definitions.locations}
        self.began = {}
        clock = trace.definitions.clock_properties
        self.first = clock.global_offset
        self.last = clock.global_offset + clock.trace_length

    def mpi(self, thread, event):
        if not thread.stack or thread.stack[-1].paradigm != enums.Paradigm.MPI:
            self.check.wrong(f"{thread.label}: {type(event).__name__} outside of an MPI region")

    def enter(self, thread, event):
        thread.stack.append(event.region)
        self.check.calls[thread.label, event.region.name] += 1

    def leave(self, thread, event):
        if not thread.stack or thread.stack[-1]._ref != event.region._ref:
            self.check.wrong(f"{thread.label}: leaves {event.region.name}, which is not its innermost region")
        else:
            thread.stack.pop()
        if thread.collective:
            self.check.wrong(f"{thread.label}: leaves {event.region.name} within a collective operation")
            thread.collective = False

    def message(self, thread, event, half):
        self.mpi(thread, event)
        comm = self.comms[event.communicator._ref]
        other = comm.peer(event.sender if half else event.receiver, thread.rank)
        if other is None:
            self.check.wrong(f"{thread.label}: {type(event).__name__} with a rank that {comm.label} lacks")
            return
        ends = (other, thread.rank) if half else (thread.rank, other)
        self.messages.add(half, (event.communicator._ref,) + ends + (event.msg_tag,), event.msg_length)

    def collective_begin(self, thread, event):
        self.mpi(thread, event)
        if thread.collective:
            self.check.wrong(f"{thread.label}: begins a collective operation within another")
        thread.collective = True

    def collective_end(self, thread, event):
        if not thread.collective:
            self.check.wrong(f"{thread.label}: ends a collective operation that did not begin")
        thread.collective = False
        self.check.totals["collectives"] += 1
        comm = self.comms[event.communicator._ref]
        if not comm.members():
            return
        if thread.rank not in comm.members():
            self.check.wrong(f"{thread.label}: operation on {comm.label}, of which it is no member")
            return
        root = None if len(comm.groups) == 2 else event.root
        what = (event.collective_op, root)
        at = comm.position[thread.rank]
        comm.position[thread.rank] += 1
        if at == len(comm.sequence):
            comm.sequence.append(what)
        elif comm.sequence[at] != what:
            there = comm.sequence[at]
            self.check.wrong(f"{thread.label}: operation {at} on {comm.label} is {what[0]} of root {root}, "
                             f"another member has {there[0]} of root {there[1]}")

    def program(self, thread, event):
        if thread.rank in self.began:
            self.check.wrong(f"{thread.label}: the program begins twice or not first")
        self.began[thread.rank] = event.time

    def take(self, location, event):
        thread = self.threads[location._ref]
        thread.events += 1
        if event.time < thread.last:
            self.check.wrong(f"{thread.label}: time goes back at event {thread.events}")
        thread.last = event.time
        if not self.first <= event.time <= self.last:
            self.check.wrong(f"{thread.label}: event {thread.events} is outside of the clock's range")
        kind = type(event)
        if kind is events.Enter:
            self.enter(thread, event)
        elif kind is events.Leave:
            self.leave(thread, event)
        else:
            self.check.calls[thread.label, f"@{kind.__name__}"] += 1
            self.other(thread, event, kind)
        self.began.setdefault(thread.rank, event.time)

    def other(self, thread, event, kind):
        if kind is events.MpiSend:
            self.message(thread, event, 0)
        elif kind is events.MpiRecv:
            self.message(thread, event, 1)
        elif kind is events.MpiCollectiveBegin:
            self.collective_begin(thread, event)
        elif kind is events.MpiCollectiveEnd:
            self.collective_end(thread, event)
        elif kind is events.ProgramBegin:
            self.program(thread, event)

    def finish(self, allowed):
        self.messages.finish(allowed)
        for thread in self.threads.values():
            if thread.stack:
                self.check.wrong(f"{thread.label}: {thread.stack[-1].name} is never left")
            if thread.events != thread.location.number_of_events:
                self.check.wrong(f"{thread.label}: {thread.events} events, its definition says "
                                 f"{thread.location.number_of_events}")
        for comm in self.comms.values():
            counts = {comm.position[member] for member in comm.members()}
            if len(counts) > 1 and not allowed:
                self.check.wrong(f"{comm.label}: its members took part in {min(counts)} to {max(counts)} "
                                 "operations")


def check_archive(path, allowed):
    check = Check()
    with otf2.reader.open(path) as trace:
        check_tree(check, trace.definitions)
        check_locations(check, trace.definitions)
        comms = check_comms(check, trace.definitions)
        reader = Reader(check, trace, comms)
        for location, event in trace.events:
            reader.take(location, event)
        reader.finish(allowed)
        try:
            complete = _otf2.Reader_GetBoolProperty(trace.handle, "OTF2::MPI_COMMUNICATION_COMPLETE")
        except Exception:
            check.wrong("the archive does not say whether its MPI communication is complete")
            complete = False
        if complete and (check.totals["unmatched sends"] or check.totals["unmatched receives"]):
            check.wrong("the archive says that its MPI communication is complete")
        check.totals["complete"] = int(complete)
        check.totals["events"] = sum(t.events for t in reader.threads.values())
    return check


def main(arguments):
    known = {"--calls", "--incomplete"}
    options = {a for a in arguments if a.startswith("-")}
    paths = [a for a in arguments if not a.startswith("-")]
    if "--help" in options or "-h" in options:
        print(__doc__.strip())
        return 0
    if options - known or len(paths) != 1:
        print("usage: otf2-check.py [--calls] [--incomplete] ARCHIVE.otf2", file=sys.stderr)
        return 2
    try:
        check = check_archive(paths[0], "--incomplete" in options)
    except Exception as error:
        print(f"otf2-check: {paths[0]}: {type(error).__name__}: {error}")
        return 1
    if "--calls" in options:
        for (label, name), count in sorted(check.calls.items()):
            print(f"{label}: {name} {count}")
    else:
        names = ("events", "messages", "unmatched sends", "unmatched receives", "collectives", "complete")
        print(", ".join(f"{name} {check.totals[name]}" for name in names))
    if check.violations:
        print(f"otf2-check: {check.violations} violations")
    return 1 if check.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
