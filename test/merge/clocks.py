#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# clocks.py WRONG RIGHT: how far the clocks of an experiment that was merged are wrong. Both are the same run of "nodes"
# that were one machine, so RIGHT has the truth, and skew.c has changed the clocks of WRONG. For each location: between
# what its times are off, relative to location 0 at that moment, ns, of all events and without those within GUARD
# seconds of a step at STEP seconds (clocks.py WRONG RIGHT STEP GUARD). Then how many messages and collective operations
# are received before they were sent, in each trace.
import bisect
import collections
import re
import subprocess
import sys

WAITS = {'BARRIER': 'all', 'ALLREDUCE': 'all', 'BCAST': 'for root', 'REDUCE': 'root'}


def read(experiment):
    """The events of each location: name, time, the rest of the line."""
    events = collections.defaultdict(list)
    print_ = subprocess.Popen(['otf2-print', experiment + '/traces.otf2'], stdout=subprocess.PIPE, text=True)
    for line in print_.stdout:
        words = line.split(None, 3)
        if len(words) >= 3 and words[1].isdigit() and words[2].isdigit():
            events[int(words[1])].append((words[0], int(words[2]), words[3] if len(words) > 3 else ''))
    if print_.wait():
        sys.exit(f'{experiment}: otf2-print failed')
    return events


def number(key, text):
    found = re.search(key + r': (\d+)', text)
    return int(found.group(1)) if found else None


def violations(events):
    """How many there are, of how many, and the worst of them in ns."""
    sent, received = collections.defaultdict(list), collections.defaultdict(list)
    operations = []
    for location, list_ in sorted(events.items()):
        mine, begin = [], 0
        for name, time, text in list_:
            if name in ('MPI_SEND', 'MPI_ISEND'):
                sent[location, number('Receiver', text), number('Tag', text)].append(time)
            elif name in ('MPI_RECV', 'MPI_IRECV'):
                received[number('Sender', text), location, number('Tag', text)].append(time)
            elif name == 'MPI_COLLECTIVE_BEGIN':
                begin = time
            elif name == 'MPI_COLLECTIVE_END':
                mine.append((text.split()[1].rstrip(','), number('Root', text), begin, time))
        operations.append(mine)
    early = []
    for key, times in sent.items():
        early += [a - b for a, b in zip(times, received[key])]
    for operation in zip(*operations):
        wait, root = WAITS.get(operation[0][0]), operation[0][1]
        if wait == 'all':
            early.append(max(o[2] for o in operation) - min(o[3] for o in operation))
        elif wait == 'for root':
            early.append(operation[root][2] - min(o[3] for o in operation))
        elif wait == 'root':
            early.append(max(o[2] for o in operation) - operation[root][3])
    worst = max(early, default=0)
    return sum(1 for e in early if e > 0), len(early), max(worst, 0)


def off(wrong, right):
    """Of each location: (true time, how far its time is off), by true time."""
    result = {}
    for location, events in wrong.items():
        truth = right[location]
        if [e[0] for e in events] != [e[0] for e in truth]:
            sys.exit(f'location {location} has other events')
        result[location] = sorted((t[1], e[1] - t[1]) for e, t in zip(events, truth))
    return result


def main():
    wrong, right = read(sys.argv[1]), read(sys.argv[2])
    offs = off(wrong, right)
    begin = min(list_[0][0] for list_ in offs.values())
    step, guard = (float(a) * 1e9 for a in sys.argv[3:5]) if len(sys.argv) == 5 else (0, 0)
    base = offs[0]
    for location in sorted(offs):
        differences, outside = [], []
        for time, how_far in offs[location]:
            i = min(bisect.bisect(base, (time, 0)), len(base) - 1)
            difference = how_far - base[i][1]
            differences.append(difference)
            if abs(time - begin - step) > guard:
                outside.append(difference)
        print('location', location, 'off', min(differences), max(differences), 'outside', min(outside), max(outside))
    for what, events in ('wrong', wrong), ('right', right):
        print(what, 'violations %d of %d, worst %d' % violations(events))


main()
