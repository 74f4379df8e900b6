#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Scripts for script.c drawn by chance, and by brute force what each receive of a run could have got.

races.py draw SEED            a script, an argument a line: no execution of it hangs
races.py judge SHOWN SCRIPT...  SHOWN: what the program said; prints `RANK N TAG SENDER` for each receive that names any
                              source (N among those that name any source or tag) and each other message it could have got
races.py compare SHOWN OTHER SCRIPT...  what the program said in two runs; prints `RANK N TAG SENDER TAG SENDER` for each
                              receive that names any source or tag and got another message in the second

One counts if there is an execution in which the receive gets it and all others get what they got, as far as they come
before. Executions are tried one after the other, each step of each rank in each order.
"""
import random
import sys


def parse(words):
    ops = []
    for word in words.split():
        kind, rest = word[0], word[1:]
        if kind in 'sri':
            peer, tag = rest.split('.')
            ops.append((kind, None if peer == '*' else int(peer), None if tag == '*' else int(tag)))
        elif kind == 'w':
            ops.append((kind, int(rest), None))
        else:
            ops.append((kind, None, None))
    return ops


class Program:
    def __init__(self, scripts):
        self.ops = [parse(s) for s in scripts]
        self.sends = []     # (rank, count, dest, tag) by place
        self.receives = []  # (rank, post, source, tag) by place
        for rank, ops in enumerate(self.ops):
            sent = posted = 0
            for kind, peer, tag in ops:
                if kind == 's':
                    self.sends.append((rank, sent, peer, tag))
                    sent += 1
                elif kind in 'ri':
                    self.receives.append((rank, posted, peer, tag))
                    posted += 1

    def fits(self, receive, send):
        return (receive[0] == send[2] and receive[2] in (None, send[0]) and receive[3] in (None, send[3]))

    def explore(self, recorded, free):
        """All that receive `free` can get if the others get what `recorded` says; free None: whether nothing hangs."""
        found = set()
        seen = set()
        start = (tuple(0 for _ in self.ops), frozenset())
        stack = [start]
        while stack:
            state = stack.pop()
            if state in seen:
                continue
            seen.add(state)
            nexts = list(self.steps(state, recorded, free, found))
            if free is None and not nexts and any(pc < len(o) for pc, o in zip(state[0], self.ops)):
                return None
            stack.extend(nexts)
        return found if free is not None else seen

    def progress(self, pcs):
        sent, posted = set(), set()
        for rank, (pc, ops) in enumerate(zip(pcs, self.ops)):
            s = p = 0
            for kind, _, _ in ops[:pc]:
                if kind == 's':
                    sent.add((rank, s))
                    s += 1
                elif kind in 'ri':
                    posted.add((rank, p))
                    p += 1
            if pc < len(ops) and ops[pc][0] == 'r':
                posted.add((rank, p))
        return sent, posted

    def steps(self, state, recorded, free, found):
        pcs, matches = state
        sent, posted = self.progress(pcs)
        matched = dict(matches)
        taken = set(matched.values())
        for receive in self.receives:
            me = receive[:2]
            if me not in posted or me in matched:
                continue
            for send in self.sends:
                if send[:2] not in sent or send[:2] in taken or not self.fits(receive, send):
                    continue
                if recorded is not None and me != free and recorded[me] != send[:2]:
                    continue
                # messages do not overtake, and receives do not either
                if any(o[0] == send[0] and o[1] < send[1] and o[:2] not in taken and self.fits(receive, o)
                       for o in self.sends):
                    continue
                if any(o[0] == me[0] and o[1] < me[1] and o[:2] not in matched and self.fits(o, send)
                       for o in self.receives):
                    continue
                if me == free:
                    found.add(send)
                else:
                    yield pcs, frozenset(matches | {(me, send[:2])})
        waiting = [pc < len(o) and o[pc][0] == 'b' for pc, o in zip(pcs, self.ops)]
        if all(waiting):
            yield tuple(pc + 1 for pc in pcs), matches
        for rank, (pc, ops) in enumerate(zip(pcs, self.ops)):
            if pc == len(ops) or ops[pc][0] == 'b':
                continue
            kind, peer, _ = ops[pc]
            posts = [i for i, o in enumerate(ops) if o[0] in 'ri']
            if kind == 'r' and (rank, posts.index(pc)) not in matched:
                continue
            if kind == 'w':
                begun = [i for i, o in enumerate(ops) if o[0] == 'i'][peer]
                if (rank, posts.index(begun)) not in matched:
                    continue
            yield pcs[:rank] + (pc + 1,) + pcs[rank + 1:], matches


def draw(seed):
    """Sends and as many receives in any order, until there is one that cannot hang."""
    chance = random.Random(seed)
    while True:
        ranks = chance.choice((2, 3, 3, 4))
        words = [[] for _ in range(ranks)]
        for _ in range(chance.randint(3, 8)):
            source, dest = chance.sample(range(ranks), 2)
            tag = chance.randint(0, 1)
            words[source].append('s%d.%d' % (dest, tag))
            words[dest].append('%s%s.%s' % (chance.choice('rri'), chance.choice(('*', '*', '*', str(source))),
                                            chance.choice(('*', '*', str(tag)))))
        for own in words:
            chance.shuffle(own)
            begun = [i for i, w in enumerate(own) if w[0] == 'i']
            # each is waited for somewhere after it
            for n, _ in enumerate(begun):
                at = [i for i, w in enumerate(own) if w[0] == 'i'][n]
                own.insert(chance.randint(at + 1, len(own)), 'w%d' % n)
        if chance.random() < 0.3:
            for own in words:
                own.insert(chance.randint(0, len(own)), 'b')
        scripts = [' '.join(own) for own in words]
        seen = Program(scripts).explore(None, None)
        if seen is not None and len(seen) < 20000:
            return scripts


def received(shown):
    recorded = {}
    for line in open(shown):
        rank, post, sender, count = map(int, line.split())
        recorded[rank, post] = (sender, count)
    return recorded


def compare(shown, other, scripts):
    program = Program(scripts)
    tags = {send[:2]: send[3] for send in program.sends}
    first, second = received(shown), received(other)
    opened = {}
    for receive in program.receives:
        rank = receive[0]
        if receive[2] is not None and receive[3] is not None:
            continue
        number = opened.setdefault(rank, 0)
        opened[rank] += 1
        a, b = first[receive[:2]], second[receive[:2]]
        if (tags[a], a[0]) != (tags[b], b[0]):
            print(rank, number, tags[a], a[0], tags[b], b[0])


def judge(shown, scripts):
    program = Program(scripts)
    recorded = received(shown)
    opened = {}
    for receive in program.receives:
        rank = receive[0]
        if receive[2] is None or receive[3] is None:
            number = opened.setdefault(rank, 0)
            opened[rank] += 1
        if receive[2] is None:
            for send in program.explore(recorded, receive[:2]):
                if send[:2] != recorded[receive[:2]]:
                    print(rank, number, send[3], send[0])


if __name__ == '__main__':
    if sys.argv[1] == 'draw':
        print('\n'.join(draw(int(sys.argv[2]))))
    elif sys.argv[1] == 'compare':
        compare(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        judge(sys.argv[2], sys.argv[3:])
