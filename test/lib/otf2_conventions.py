# SPDX-License-Identifier: BSD-3-Clause
"""What archives have beyond OTF2's rules because Score-P's have it, and readers such as Scalasca and Vampir expect it;
for otf2-check.py.

A ProgramBegin has a region: ARTIFICIAL, of the measurement system, its name the last part of the program's, its canonical
name that with all arguments. Nothing enters it. MPI's regions have "MPI" as their source file, OpenMP's have "!$omp " before
their canonical names. A fork is followed by the begin of the team, if the thread has a place in it, and by the Enter of
the region; the region's Leave by the team's end and the join. A lock is had and given up within the routine or
construct that does it: Scalasca's waits begin where that region begins.

For Scalasca: each location group is a rank, if there are any, and has the begin and the end of its program; OpenMP has
no records of tasks and no regions of its own for waits, and routines of locks have no place in their names.
"""
from otf2 import enums, events

LOCKS = {f"omp_{what}{nest}_lock" for what in ("set", "unset", "test") for nest in ("", "_nest")}
EXCLUSIVE = (enums.RegionRole.CRITICAL, enums.RegionRole.ATOMIC, enums.RegionRole.ORDERED)
TASKS = (events.ThreadTaskCreate, events.ThreadTaskSwitch, events.ThreadTaskComplete)


def plain(region):
    return region.canonical_name.removeprefix("!$omp ")


class Thread:
    """What is known of one location."""

    def __init__(self):
        self.stack = []         # of open regions: the teams of its fork, None: it has not forked
        self.regions = []       # those of OpenMP that are open
        self.forked = None      # a fork, and its team: its region is entered next
        self.left = []          # what has to come next, after the Leave of a region that forked
        self.ended = False


class Conventions:
    def __init__(self, check, definitions, scalasca):
        self.check = check
        self.threads = {}
        self.programs = set()   # what may be the region of one
        self.shown = set()      # those that are
        self.begun = {}
        self.scalasca = scalasca
        for region in definitions.regions:
            self.region(region)
        if scalasca:
            self.groups(definitions)

    def region(self, region):
        if region.region_role == enums.RegionRole.ARTIFICIAL and region.paradigm == enums.Paradigm.MEASUREMENT_SYSTEM:
            names = (region.name, region.canonical_name)
            if names in self.programs:
                self.check.wrong(f"region {region.canonical_name} is there twice")
            self.programs.add(names)
        elif region.paradigm == enums.Paradigm.MPI and region.source_file != "MPI":
            self.check.wrong(f"region {region.name} has the source file '{region.source_file}'")
        elif region.paradigm == enums.Paradigm.OPENMP:
            if not region.canonical_name.startswith("!$omp ") or not region.name.startswith(plain(region)):
                self.check.wrong(f"region {region.name} has the canonical name '{region.canonical_name}'")
            if not region.source_file or (region.source_file == "OMP" and region.begin_line_number):
                self.check.wrong(f"region {region.name} has the source file '{region.source_file}'")
            if self.scalasca and plain(region).endswith(" wait"):
                self.check.wrong(f"there is a region {region.name}")
            if self.scalasca and plain(region) in LOCKS and region.name not in LOCKS:
                self.check.wrong(f"the routine {plain(region)} is called {region.name}")

    def groups(self, definitions):
        self.members = {l.group._ref: l.group.name for l in definitions.locations}
        ranks = [g.members for g in definitions.groups
                 if g.group_type == enums.GroupType.COMM_LOCATIONS and g.paradigm == enums.Paradigm.MPI]
        if ranks and len(ranks[0]) != len(definitions.location_groups):
            self.check.wrong(f"{len(definitions.location_groups)} location groups of {len(ranks[0])} ranks")
        for node in definitions.system_tree_node_domains:
            if node.system_tree_node_domain == enums.SystemTreeDomain.PU:
                self.check.wrong(f"there is a CPU {node.system_tree_node.name}")

    def program(self, location, event):
        name = event.program_name.rsplit("/", 1)[-1]
        canonical = " ".join([event.program_name, *event.program_arguments])
        if (name, canonical) not in self.programs:
            self.check.wrong(f"{location.group.name}: no region {name} of the program {canonical}")
        self.shown.add((name, canonical))
        self.begun[location.group._ref] = False

    def enter(self, label, thread, event):
        if (event.region.name, event.region.canonical_name) in self.shown:
            self.check.wrong(f"{label}: enters the region of the program {event.region.canonical_name}")
        thread.stack.append(thread.forked)
        thread.forked = None
        if event.region.paradigm == enums.Paradigm.OPENMP:
            thread.regions.append(event.region)

    def leave(self, thread, event):
        if event.region.paradigm == enums.Paradigm.OPENMP and thread.regions:
            thread.regions.pop()
        forked = thread.stack.pop() if thread.stack else None
        if forked is not None:
            thread.left = [(events.ThreadTeamEnd, team) for team in forked] + [(events.ThreadJoin, None)]

    def lock(self, label, thread, event):
        region = thread.regions[-1] if thread.regions else None
        if region is None or region.region_role not in EXCLUSIVE and plain(region) not in LOCKS:
            self.check.wrong(f"{label}: {type(event).__name__} within {region.name if region else 'no region'}")

    def order(self, label, thread, event):
        """Whether an event comes where forks have it."""
        kind = type(event)
        if thread.left:
            wanted, team = thread.left.pop(0)
            if kind is not wanted or team not in (None, getattr(event, "thread_team", None)):
                self.check.wrong(f"{label}: {kind.__name__} where {wanted.__name__} has to be")
                thread.left = []
        elif kind is events.ThreadJoin:
            self.check.wrong(f"{label}: joins where no region ends that forked")
        if kind is events.ThreadFork:
            thread.forked = []
        elif thread.forked is not None:
            if kind is events.ThreadTeamBegin and not thread.forked:
                thread.forked.append(event.thread_team)
            elif kind not in (events.Enter, events.Metric):
                self.check.wrong(f"{label}: {kind.__name__} between a fork and the region's Enter")
                thread.forked = None

    def take(self, location, event):
        label = f"{location.group.name} / {location.name}"
        thread = self.threads.setdefault(location._ref, Thread())
        if thread.ended:
            self.check.wrong(f"{label}: {type(event).__name__} after the program's end")
        self.order(label, thread, event)
        if self.scalasca and isinstance(event, TASKS):
            self.check.wrong(f"{label}: there is a {type(event).__name__}")
        if isinstance(event, events.Enter):
            self.enter(label, thread, event)
        elif isinstance(event, events.Leave):
            self.leave(thread, event)
        elif isinstance(event, (events.ThreadAcquireLock, events.ThreadReleaseLock)):
            self.lock(label, thread, event)
        elif isinstance(event, events.ProgramBegin):
            self.program(location, event)
        elif isinstance(event, events.ProgramEnd):
            thread.ended = True
            if self.begun.get(location.group._ref) is not False:
                self.check.wrong(f"{label}: the program ends that did not begin")
            self.begun[location.group._ref] = True

    def finish(self):
        for number, thread in self.threads.items():
            if thread.left or thread.forked is not None:
                self.check.wrong(f"location {number}: the last fork has no region or no join")
        if self.scalasca:
            for group, name in self.members.items():
                if not self.begun.get(group):
                    self.check.wrong(f"{name}: its program does not begin and end")
