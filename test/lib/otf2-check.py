#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reads an OTF2 archive with OTF2's own Python reader and checks what trace readers rely on.

usage: otf2-check.py [--calls | --io | --rma] [--incomplete] [--scalasca] ARCHIVE.otf2

It shares no code with hybmon-merge. Checked are: the definitions (ids, system tree, one list of MPI locations,
communicators, windows), Enter and Leave balanced, times that never go back and lie within the clock's range,
communication records inside MPI regions, messages matched in the order in which they began per (communicator, source,
destination, tag) with equal sizes, requests that begin and end once, collective operations in the same order
with the same root on all members, and of one-sided communication: windows exist while they are used, targets are
members, operations are completed once at most, by the same window, and locks are asked for, had and given back.
Of operations on files: each within the life of its handle, begun once and completed once. What Score-P's archives have
beyond these rules is in otf2_conventions.py.

--calls       print the number of calls of each region and of each other record, per location, sorted
--io          print each operation on a file: location group, mode, offset, bytes requested and done, sorted
--rma         print each one-sided operation: location group, kind, target, bytes sent and received, how it is complete
              for its origin, whether it is complete at its target; sorted
--scalasca    it was merged for Scalasca: nothing is there that it does not take
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

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
from otf2_conventions import Conventions  # noqa: E402

SHOWN = 20
UNDEFINED = 0xFFFFFFFF
NOT_RECORDED = "MPI ranks not recorded"  # one location for all of them, where they are many


class Check:
    """The violations found so far, and what was counted."""

    def __init__(self):
        self.violations = 0
        self.calls = collections.Counter()
        self.totals = collections.Counter()
        self.operations = []

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
        self.collective = 0  # regions that were open when a collective operation began


class Comm:
    """A communicator, with its members as location groups."""

    def __init__(self, definition, groups):
        self.definition = definition
        self.groups = groups
        self.label = f"communicator {definition._ref} '{definition.name}'"
        self.operations = collections.defaultdict(list)  # by member: (when it began, operation and root)

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
    domains = {d.system_tree_node._ref: d.system_tree_node_domain for d in definitions.system_tree_node_domains}
    for group in definitions.location_groups:
        node = group.system_tree_parent
        if domains[node._ref] == enums.SystemTreeDomain.PU:
            if group.name != f"CPU {node.name} of {node.parent.name}" or node.class_name != "cpu":
                check.wrong(f"{node.class_name} {node.name} has the location group {group.name}")
            node = node.parent
        if domains[node._ref] != enums.SystemTreeDomain.SHARED_MEMORY:
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
        expected = (f"Thread {thread}", f"OMP thread {thread}") if thread else ("Master thread",)
        if location.group.system_tree_parent.class_name == "cpu":
            expected = (f"CPU {location.group.system_tree_parent.name}",)
        if location.name not in expected:
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
    of_mpi = [c for c in definitions.comms if getattr(c, "group", None) is None or c.group.paradigm == enums.Paradigm.MPI]
    intra = [c for c in of_mpi if not isinstance(c, otf2_definitions.InterComm)]
    selves = [c for c in intra if c.group.group_type == enums.GroupType.COMM_SELF]
    comms = {}
    if len(lists) > 1 or (of_mpi and not lists):
        check.wrong(f"there are {len(lists)} lists of MPI locations")
    if len(selves) > 1:
        check.wrong(f"there are {len(selves)} communicators of type COMM_SELF")
    for group in lists:
        for index, location in enumerate(group.members):
            if location._ref != index and location.group.name != NOT_RECORDED:
                check.wrong(f"world rank {index} is location {location._ref}")
    for definition in sorted(of_mpi, key=lambda c: c._ref):
        parent = definition.parent
        if parent is not None and parent._ref >= definition._ref:
            check.wrong(f"communicator {definition._ref} has the parent {parent._ref}")
        inter = isinstance(definition, otf2_definitions.InterComm)
        groups = [definition.groupA, definition.groupB] if inter else [definition.group]
        members = [[m.group._ref for m in g.members] for g in groups]
        known = [m.group._ref for g in groups for m in g.members if m.group.name != NOT_RECORDED]
        if len(set(known)) != len(known):
            check.wrong(f"communicator {definition._ref} has a member twice")
        comms[definition._ref] = Comm(definition, members)
    return comms


class Messages:
    """Halves in the order in which they began, which is the order in which MPI matches them."""

    def __init__(self, check):
        self.check = check
        self.halves = (collections.defaultdict(list), collections.defaultdict(list))

    def add(self, half, key, began, size):
        self.halves[half][key].append((began, size))

    def finish(self, allowed):
        for key in sorted(set(self.halves[0]) | set(self.halves[1])):
            sends, receives = (sorted(self.halves[half].get(key, [])) for half in (0, 1))
            self.finish_key(key, sends, receives, allowed)

    def finish_key(self, key, sends, receives, allowed):
        comm, source, destination, tag = key
        what = f"{source} -> {destination}, tag {tag}, communicator {comm}"
        for (_, sent), (_, received) in zip(sends, receives):
            self.check.totals["messages"] += 1
            if sent != received:
                self.check.wrong(f"message {what}: {sent} bytes sent, {received} received")
        left = len(sends) - len(receives)
        if not left:
            return
        self.check.totals["unmatched sends" if left > 0 else "unmatched receives"] += abs(left)
        if not allowed:
            self.check.wrong(f"{abs(left)} {'sends' if left > 0 else 'receives'} {what} have no other half")


class Rma:
    """One-sided communication: what is open in each location group (process)."""

    OPERATIONS = (events.RmaPut, events.RmaGet, events.RmaAtomic)
    COMPLETIONS = {events.RmaOpCompleteBlocking: "here", events.RmaOpCompleteNonBlocking: "here",
                   events.RmaOpCompleteRemote: "there"}

    def __init__(self, check, comms, allowed):
        self.check = check
        self.comms = comms
        self.allowed = allowed                          # what began before the archive does
        self.windows = collections.defaultdict(set)     # members that have it, by window
        self.made = collections.Counter()
        self.operations = {}                            # (process, number): window
        self.shown = {}                                 # the same: what to print of it
        self.completed = {}
        self.locks = collections.Counter()
        self.asked = collections.Counter()
        self.collective = set()

    def comm(self, window):
        return self.comms[window.comm._ref]

    def unbegun(self, text):
        if not self.allowed:
            self.check.wrong(text)

    def take(self, thread, event, kind):
        if kind is events.RmaCollectiveBegin:
            if thread.label in self.collective:
                self.check.wrong(f"{thread.label}: begins a collective RMA operation within another")
            self.collective.add(thread.label)
            return
        label, window, own = thread.label, event.win._ref, thread.rank
        comm = self.comm(event.win)
        ends_life = kind is events.RmaCollectiveEnd
        if own not in self.windows[window] and kind is not events.RmaWinCreate and not ends_life:
            self.unbegun(f"{label}: {kind.__name__} with window {window}, which is not there")
            self.windows[window].add(own)
        remote = getattr(event, "remote", UNDEFINED)
        if remote != UNDEFINED and comm.peer(remote, own) is None:
            self.check.wrong(f"{label}: {kind.__name__} with rank {remote}, which window {window} lacks")
        if kind in self.OPERATIONS:
            self.check.totals["rma"] += 1
            if (own, event.matching_id) in self.operations:
                self.check.wrong(f"{label}: operation {event.matching_id} is there twice")
            self.operations[own, event.matching_id] = window
            self.shown[own, event.matching_id] = f"{own} {self.show(event, kind)}"
        elif kind in self.COMPLETIONS:
            self.complete(thread, event, self.COMPLETIONS[kind])
        else:
            self.synchronise(thread, event, kind, (own, window, remote))

    @staticmethod
    def show(event, kind):
        if kind is events.RmaAtomic:
            what = str(event.type).rpartition(".")[2].lower().replace("_", "-")
            return f"{what} {event.remote} {event.bytes_sent} {event.bytes_received}"
        put = kind is events.RmaPut
        return f"{'put' if put else 'get'} {event.remote} {event.bytes if put else 0} {0 if put else event.bytes}"

    def lines(self):
        return [f"{text} {self.completed.get((key, 'here'), '-')} {'remote' if (key, 'there') in self.completed else '-'}"
                for key, text in self.shown.items()]

    def complete(self, thread, event, where):
        key = (thread.rank, event.matching_id)
        if self.operations.get(key) != event.win._ref:
            self.unbegun(f"{thread.label}: operation {event.matching_id} is completed, but did not begin")
        if (key, where) in self.completed:
            self.check.wrong(f"{thread.label}: operation {event.matching_id} is completed {where} twice")
        self.completed[key, where] = "blocking" if type(event) is events.RmaOpCompleteBlocking else "non-blocking"

    def synchronise(self, thread, event, kind, lock):
        own, window, _ = lock
        if kind is events.RmaWinCreate:
            if own in self.windows[window] or self.made[own, window]:
                self.check.wrong(f"{thread.label}: window {window} is made twice")
            self.made[own, window] += 1
            self.windows[window].add(own)
        elif kind is events.RmaWinDestroy:
            self.windows[window].discard(own)
        elif kind is events.RmaCollectiveEnd:
            if thread.label not in self.collective:
                self.check.wrong(f"{thread.label}: ends a collective RMA operation that did not begin")
            self.collective.discard(thread.label)
        elif kind is events.RmaRequestLock:
            self.asked[lock] += 1
        elif kind is events.RmaAcquireLock:
            self.locks[lock] += 1
            self.asked[lock] -= 1
            if self.asked[lock] < 0:
                self.check.wrong(f"{thread.label}: has a lock that it did not ask for")
        elif kind is events.RmaReleaseLock:
            self.locks[lock] -= 1
            if self.locks[lock] < 0:
                self.unbegun(f"{thread.label}: gives back a lock that it does not have")

    def finish(self, allowed):
        if allowed:
            return
        for window, members in self.windows.items():
            if members:
                self.check.wrong(f"window {window} is never destroyed by {sorted(members)}")
        for (own, window, remote), count in self.locks.items():
            if count:
                self.check.wrong(f"process {own} never gives back its lock of {remote} in window {window}")
        left = [key for key in self.operations if (key, "here") not in self.completed]
        if left:
            self.check.wrong(f"{len(left)} RMA operations are never complete, such as {left[0]}")


MODES = {enums.IoOperationMode.READ: "read", enums.IoOperationMode.WRITE: "write",
         enums.IoOperationMode.FLUSH: "flush"}


class Files:
    """Handles that are open, and operations that have begun, by location group."""

    def __init__(self, check):
        self.check = check
        self.active = set()
        self.begun = {}
        self.done = []

    def wrong(self, thread, event, text):
        self.check.wrong(f"{thread.label}: {type(event).__name__}: {text}")

    def handle(self, thread, event):
        key = thread.rank, event.handle._ref
        if type(event) is events.IoCreateHandle:
            if key in self.active:
                self.wrong(thread, event, "the handle is active already")
            self.active.add(key)
        elif key not in self.active:
            self.wrong(thread, event, "the handle is not active")
        elif type(event) is events.IoDestroyHandle:
            self.active.remove(key)

    def begin(self, thread, event):
        key = thread.rank, event.handle._ref, event.matching_id
        if key in self.begun:
            self.wrong(thread, event, f"operation {event.matching_id} has begun before")
        offset = [v for a, v in (event.attributes or {}).items() if a.name == "Offset"]
        self.begun[key] = (event, offset[0] if offset else "-", len(self.done))
        self.done.append(None)

    def complete(self, thread, event):
        key = thread.rank, event.handle._ref, event.matching_id
        if key not in self.begun:
            self.wrong(thread, event, f"operation {event.matching_id} has not begun")
            return
        began, offset, place = self.begun.pop(key)
        if event.bytes_result > began.bytes_request:
            self.wrong(thread, event, f"{event.bytes_result} of {began.bytes_request} bytes")
        self.done[place] = (f"{thread.rank} {MODES[began.mode]} {offset} "
                            f"{began.bytes_request} {event.bytes_result}")
        self.check.totals["file operations"] += 1

    def cancel(self, thread, event):
        began = self.begun.pop((thread.rank, event.handle._ref, event.matching_id), None)
        if began is None:
            self.wrong(thread, event, f"operation {event.matching_id} has not begun")
            return
        self.done[began[2]] = f"{thread.rank} {MODES[began[0].mode]} {began[1]} {began[0].bytes_request} failed"

    def take(self, thread, event):
        self.handle(thread, event)
        if type(event) is events.IoOperationBegin:
            self.begin(thread, event)
        elif type(event) is events.IoOperationComplete:
            self.complete(thread, event)
        elif type(event) is events.IoOperationCancelled:
            self.cancel(thread, event)
        elif type(event) is events.IoOperationIssued:
            if (thread.rank, event.handle._ref, event.matching_id) not in self.begun:
                self.wrong(thread, event, f"operation {event.matching_id} has not begun")

    def finish(self, allowed):
        if allowed:
            return
        for rank, handle in sorted(self.active):
            self.check.wrong(f"rank {rank}: handle {handle} is not destroyed")
        for rank, handle, number in sorted(self.begun):
            self.check.wrong(f"rank {rank}: operation {number} on handle {handle} is not completed")


def check_paradigms(check, definitions):
    for paradigm in definitions.io_paradigms:
        if paradigm.identification != "MPI-IO" or paradigm.io_paradigm_class != enums.IoParadigmClass.PARALLEL:
            check.wrong(f"I/O paradigm {paradigm.identification} of class {paradigm.io_paradigm_class}")


class Reader:
    """Takes the events one by one."""

    def __init__(self, check, trace, comms, allowed):
        self.check = check
        self.comms = comms
        self.messages = Messages(check)
        self.rma = Rma(check, comms, allowed)
        self.files = Files(check)
        self.threads = {l._ref: Thread(l) for l in trace.definitions.locations}
        self.began = {}
        self.requests = {}  # (rank, request): what it is for, when it began
        self.order = 0
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
        if thread.collective > len(thread.stack):
            self.check.wrong(f"{thread.label}: leaves {event.region.name} within a collective operation")
            thread.collective = 0

    def message(self, thread, event, half, began=None):
        self.mpi(thread, event)
        comm = self.comms[event.communicator._ref]
        other = comm.peer(event.sender if half else event.receiver, thread.rank)
        if other is None:
            self.check.wrong(f"{thread.label}: {type(event).__name__} with a rank that {comm.label} lacks")
            return
        ends = (other, thread.rank) if half else (thread.rank, other)
        key = (event.communicator._ref,) + ends + (event.msg_tag,)
        self.messages.add(half, key, self.order if began is None else began, event.msg_length)

    def begin_request(self, thread, event, what):
        self.mpi(thread, event)
        if (thread.rank, event.request_id) in self.requests:
            self.check.wrong(f"{thread.label}: request {event.request_id} begins twice")
        self.requests[thread.rank, event.request_id] = (what, self.order)

    def end_request(self, thread, event, *kinds):
        """When it began, or None. Locations of one rank are not in order between threads for certain."""
        self.mpi(thread, event)
        what, began = self.requests.pop((thread.rank, event.request_id), (None, None))
        if what not in kinds:
            self.check.wrong(f"{thread.label}: {type(event).__name__} of request {event.request_id}, "
                             f"which is {'not there' if what is None else 'for ' + what}")
        self.check.totals["requests"] += 1
        return began

    def operation(self, thread, event, began):
        self.check.totals["collectives"] += 1
        comm = self.comms[event.communicator._ref]
        if not comm.members():
            return
        if thread.rank not in comm.members():
            self.check.wrong(f"{thread.label}: operation on {comm.label}, of which it is no member")
            return
        root = None if len(comm.groups) == 2 else event.root
        comm.operations[thread.rank].append((began, event.collective_op, root))

    def collective_begin(self, thread, event):
        self.mpi(thread, event)
        if thread.collective:
            self.check.wrong(f"{thread.label}: begins a collective operation within another")
        thread.collective = len(thread.stack)

    def collective_end(self, thread, event):
        if not thread.collective:
            self.check.wrong(f"{thread.label}: ends a collective operation that did not begin")
        thread.collective = 0
        self.operation(thread, event, self.order)

    def program(self, thread, event):
        if thread.rank in self.began:
            self.check.wrong(f"{thread.label}: the program begins twice or not first")
        self.began[thread.rank] = event.time

    def take(self, location, event):
        thread = self.threads[location._ref]
        thread.events += 1
        self.order += 1
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
        elif kind is events.MpiIsend:
            self.begin_request(thread, event, "a send")
            self.message(thread, event, 0)
        elif kind is events.MpiIsendComplete:
            self.end_request(thread, event, "a send")
        elif kind is events.MpiIrecvRequest:
            self.begin_request(thread, event, "a receive")
        elif kind is events.MpiIrecv:
            self.message(thread, event, 1, self.end_request(thread, event, "a receive"))
        elif kind is events.MpiRequestCancelled:
            self.end_request(thread, event, "a receive")
        elif kind is events.NonBlockingCollectiveRequest:
            self.begin_request(thread, event, "an operation")
        elif kind is events.NonBlockingCollectiveComplete:
            self.operation(thread, event, self.end_request(thread, event, "an operation"))
        elif kind is events.MpiCollectiveBegin:
            self.collective_begin(thread, event)
        elif kind is events.MpiCollectiveEnd:
            self.collective_end(thread, event)
        elif kind.__name__.startswith("Io"):
            self.mpi(thread, event)
            if kind is not events.IoDeleteFile:
                self.files.take(thread, event)
        elif kind is events.ProgramBegin:
            self.program(thread, event)
        elif kind.__name__.startswith("Rma"):
            self.mpi(thread, event)
            self.rma.take(thread, event, kind)

    def finish(self, allowed):
        self.messages.finish(allowed)
        self.rma.finish(allowed)
        self.files.finish(allowed)
        for (rank, request), (what, _) in self.requests.items():
            self.check.wrong(f"rank {rank}: request {request}, {what}, never ends")
        for thread in self.threads.values():
            if thread.stack:
                self.check.wrong(f"{thread.label}: {thread.stack[-1].name} is never left")
            if thread.events != thread.location.number_of_events:
                self.check.wrong(f"{thread.label}: {thread.events} events, its definition says "
                                 f"{thread.location.number_of_events}")
        for comm in self.comms.values():
            self.finish_comm(comm, allowed)

    def finish_comm(self, comm, allowed):
        """All members have the same operations in the same order."""
        lists = {m: [o[1:] for o in sorted(comm.operations[m], key=lambda o: o[0] or 0)] for m in comm.members()}
        counts = {len(operations) for operations in lists.values()}
        if len(counts) > 1 and not allowed:
            self.check.wrong(f"{comm.label}: its members took part in {min(counts)} to {max(counts)} "
                             "operations")
        for at, operations in enumerate(zip(*lists.values())):
            if len(set(operations)) > 1:
                self.check.wrong(f"operation {at} on {comm.label}: its members have "
                                 + ", ".join(sorted(f"{op} of root {root}" for op, root in set(operations))))


def check_archive(path, allowed, scalasca):
    check = Check()
    with otf2.reader.open(path) as trace:
        check_tree(check, trace.definitions)
        check_locations(check, trace.definitions)
        check_paradigms(check, trace.definitions)
        comms = check_comms(check, trace.definitions)
        reader = Reader(check, trace, comms, allowed)
        conventions = Conventions(check, trace.definitions, scalasca)
        for location, event in trace.events:
            reader.take(location, event)
            conventions.take(location, event)
        reader.finish(allowed)
        conventions.finish()
        try:
            complete = _otf2.Reader_GetBoolProperty(trace.handle, "OTF2::MPI_COMMUNICATION_COMPLETE")
        except Exception:
            check.wrong("the archive does not say whether its MPI communication is complete")
            complete = False
        if complete and (check.totals["unmatched sends"] or check.totals["unmatched receives"]):
            check.wrong("the archive says that its MPI communication is complete")
        check.totals["complete"] = int(complete)
        check.operations = [line for line in reader.files.done if line]
        check.one_sided = reader.rma.lines()
        check.totals["events"] = sum(t.events for t in reader.threads.values())
    return check


def main(arguments):
    known = {"--calls", "--incomplete", "--io", "--rma", "--scalasca"}
    options = {a for a in arguments if a.startswith("-")}
    paths = [a for a in arguments if not a.startswith("-")]
    if "--help" in options or "-h" in options:
        print(__doc__.strip())
        return 0
    if options - known or len(paths) != 1:
        print("usage: otf2-check.py [--calls | --io | --rma] [--incomplete] [--scalasca] ARCHIVE.otf2", file=sys.stderr)
        return 2
    try:
        check = check_archive(paths[0], "--incomplete" in options, "--scalasca" in options)
    except Exception as error:
        print(f"otf2-check: {paths[0]}: {type(error).__name__}: {error}")
        return 1
    if "--calls" in options:
        for (label, name), count in sorted(check.calls.items()):
            print(f"{label}: {name} {count}")
    elif "--io" in options:
        print(*sorted(check.operations), sep="\n")
    elif "--rma" in options:
        print(*sorted(check.one_sided), sep="\n")
    else:
        names = ("events", "messages", "unmatched sends", "unmatched receives", "requests", "collectives", "rma",
                 "complete")
        print(", ".join(f"{name} {check.totals[name]}" for name in names))
    if check.violations:
        print(f"otf2-check: {check.violations} violations")
    return 1 if check.violations else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
