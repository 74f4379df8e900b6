#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far the clocks of an experiment of several nodes are wrong after it was merged with --to=json.

usage: clocks.py [--step PART] [--guard SECONDS] [--halves N] [--unknown] WRONG.jsonl RIGHT.jsonl

Both are of one run of "nodes" that were one machine. RIGHT was merged with --no-clock-correction and so has the truth;
skew.c changed the clocks of WRONG before it was merged. Each rank is a node. Messages and operations are paired by what
the test's programs do: the n-th send of two ranks with one tag meets the n-th receive, the n-th operation is one of all.

Printed are of each node how far its times are off against those of rank 0, as long as there were messages, without those
within GUARD seconds of the step; half of the smallest round trip to rank 0 and back, by way of others too, in the best
second and in the worst one; and how many messages and operations are received before they were sent. Where kernel events
were recorded, what a thread did has to fit what the CPUs did, as well as it does in truth. Exit status: 0 all nodes are
within half of the smallest round trip of any second and 1 us, nothing comes too early, and no track goes back; otherwise
1. --halves says how many halves of round trips it may be: more where short ones are rare, so that the rate between them
is not known as well. --unknown: there are no round trips.
"""
import argparse
import bisect
import collections
import json
import sys

# What a member's end waits for, of the operations of traffic.c.
WAITS = {'barrier': 'all', 'allreduce': 'all', 'bcast': 'the others for the root', 'reduce': 'the root for all'}


class Trace:
    def __init__(self, path):
        self.events = collections.defaultdict(list)  # by rank: kind, time; without the kernel's
        self.kernel = collections.defaultdict(list)  # by rank: times of its kernel intervals
        self.cpus = collections.defaultdict(set)     # by rank: times of its node's CPUs
        self.wrong = []                              # what no track may have
        self.ends = []    # rank and time of a begin, rank and time of an end that waits for it
        self.first = self.last = None
        tracks, hosts, kernel = {}, {}, set()
        begins, stack, before = {}, collections.defaultdict(list), {}
        sends, receives, operations = (collections.defaultdict(list) for _ in range(3))
        with open(path, encoding='utf-8') as lines:
            for line in map(json.loads, lines):
                if line.get('define') == 'trace':
                    start = line['start']
                if line.get('define') == 'track':
                    tracks[line['id']] = line
                if line.get('define') == 'process':
                    hosts[line['id']] = line['host']
                if line.get('define') == 'region' and line['paradigm'] == 'kernel':
                    kernel.add(line['id'])
                if 'event' not in line:
                    continue
                track, kind, time = tracks[line['track']], line['event'], line['time'] + start
                if time < before.get(line['track'], time):
                    self.wrong.append(f'track {line["track"]} goes back at {time}')
                before[line['track']] = time
                if kind == 'enter':
                    stack[line['track']].append(line['region'])
                elif kind == 'leave' and stack[line['track']].pop() != line['region']:
                    self.wrong.append(f'track {line["track"]} leaves another region at {time}')
                if track['kind'] == 'cpu':
                    for rank, host in hosts.items():
                        if host == track['host']:
                            self.cpus[rank].add(time)
                    continue
                rank = track['process']
                if line.get('region') in kernel:
                    self.kernel[rank].append(time)
                    continue
                self.events[rank].append((kind, time))
                if kind == 'send':
                    sends[rank, line['peer'], line['tag']].append((rank, time))
                elif kind == 'recv':
                    receives[line['peer'], rank, line['tag']].append((rank, time))
                elif kind == 'collective_begin':
                    begins[rank] = time
                elif kind == 'collective_end':
                    operations[rank].append((line['operation'], line.get('root'), begins[rank], time))
        for key, list_ in sends.items():
            self.ends += [(*send, *receive) for send, receive in zip(list_, receives[key])]
        for operation in zip(*(operations[rank] for rank in sorted(operations))):
            self.operation(operation)
        self.first = min((end[1] for end in self.ends), default=0)
        self.last = max((end[3] for end in self.ends), default=0)

    def operation(self, members):
        waits = WAITS[members[0][0]]
        root = members[0][1]
        for i, member in enumerate(members):
            for j, other in enumerate(members):
                if i != j and (waits == 'all' or (waits == 'the others for the root' and j == root) or
                               (waits == 'the root for all' and i == root)):
                    self.ends.append((j, other[2], i, member[3]))

    def shared(self, rank):
        """The share of a rank's kernel intervals that begin or end when something happens on a CPU of its node."""
        times = self.kernel[rank]
        return sum(time in self.cpus[rank] for time in times) / len(times) if times else 1

    def early(self):
        return [begin - end for _, begin, _, end in self.ends if end < begin]

    def round_trips(self):
        """Of each rank the smallest round trips to rank 0 and back, by way of others too, of each second, ns."""
        ranks = sorted(self.events)
        seconds = collections.defaultdict(
            lambda: {(a, b): 0 if a == b else float('inf') for a in ranks for b in ranks})
        for a, begin, b, end in self.ends:
            way = seconds[(begin - self.first) // 10**9]
            way[a, b] = min(way[a, b], end - begin)
        trips = collections.defaultdict(list)
        for way in seconds.values():
            for c in ranks:
                for a in ranks:
                    for b in ranks:
                        way[a, b] = min(way[a, b], way[a, c] + way[c, b])
            for rank in ranks:
                trips[rank].append(way[0, rank] + way[rank, 0])
        return trips


def offs(wrong, right):
    """Of each rank: true times, and how far its times are off."""
    result = {}
    for rank, events in wrong.events.items():
        if [e[0] for e in events] != [e[0] for e in right.events[rank]]:
            sys.exit(f'rank {rank} has other events')
        pairs = sorted((t[1], e[1] - t[1]) for e, t in zip(events, right.events[rank]))
        result[rank] = [p[0] for p in pairs], [p[1] for p in pairs]
    return result


def at(off, time):
    """Between two events it is a line."""
    times, values = off
    i = bisect.bisect(times, time)
    if i == 0 or i == len(times):
        return values[min(i, len(times) - 1)]
    span = times[i] - times[i - 1]
    return values[i - 1] + (values[i] - values[i - 1]) * (time - times[i - 1]) / span if span else values[i]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--step', type=float, default=0, help='a part of the whole')
    parser.add_argument('--guard', type=float, default=0)
    parser.add_argument('--halves', type=float, default=1)
    parser.add_argument('--unknown', action='store_true')
    parser.add_argument('wrong')
    parser.add_argument('right')
    options = parser.parse_args()
    wrong, right = Trace(options.wrong), Trace(options.right)
    begin = min(events[0][1] for events in right.events.values())
    end = max(events[-1][1] for events in right.events.values())
    step = begin + (end - begin) * options.step
    off, trips = offs(wrong, right), right.round_trips()
    fail = False
    for rank in sorted(off):
        seen = [value - at(off[0], time) for time, value in zip(*off[rank])
                if right.first <= time <= right.last and
                abs(time - step) >= options.guard * 1e9]
        worst = max(map(abs, seen), default=0)
        halves = [trip / 2 for trip in trips[rank] if trip < float('inf')] or [float('inf')]
        fail |= worst > max(halves) * options.halves + 1000
        fail |= rank > 0 and options.unknown != (max(halves) == float('inf'))
        print(f'rank {rank} off by {worst / 1e3:.1f} us at most, half the smallest round trip',
              f'{min(halves) / 1e3:.1f} to {max(halves) / 1e3:.1f} us')
    for rank in sorted(right.kernel):
        shares = wrong.shared(rank), right.shared(rank)
        fail |= shares[0] < shares[1] - 0.001 or not wrong.kernel[rank]
        print(f'rank {rank} in the kernel when CPUs say so {shares[0]:.4f}, in truth {shares[1]:.4f}')
    for text in wrong.wrong[:10]:
        fail = True
        print(text)
    early = wrong.early()
    print(f'early {len(early)} of {len(wrong.ends)}, by {max(early, default=0) / 1e3:.3f} us at most;',
          f'in truth {len(right.early())}')
    sys.exit(fail or bool(early))


if __name__ == '__main__':
    main()
