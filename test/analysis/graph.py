#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph.py GRAPHML DOT RACES [RANK...]: whether an event graph is consistent: each receive has its send, the order has no
circle, both formats have the same nodes and edges, RACES edges are races; with RANK only nodes of these ranks are there."""
import re
import sys
import xml.etree.ElementTree as xml

SPACE = '{http://graphml.graphdrawing.org/xmlns}'
root = xml.parse(sys.argv[1]).getroot()
numbers = {k.get('id') for k in root.iter(SPACE + 'key') if k.get('attr.type') in ('int', 'long')}


def attributes(element):
    return {d.get('key'): int(d.text) if d.get('key') in numbers else d.text for d in element.iter(SPACE + 'data')}


all_nodes = [dict(attributes(n), id=n.get('id')) for n in root.iter(SPACE + 'node')]
nodes = {n['id']: n for n in all_nodes}
edges = [dict(attributes(e), **{'from': e.get('source'), 'to': e.get('target')}) for e in root.iter(SPACE + 'edge')]
wrong = []


def check(what, holds):
    if not holds:
        wrong.append(what)


check('there are nodes', nodes)
check('numbers are nodes\' own', len(nodes) == len(all_nodes))
check('edges are between nodes', all(e['from'] in nodes and e['to'] in nodes for e in edges))
messages = [(e['from'], e['to']) for e in edges if e['order'] == 'message']
receives = [n for n in nodes.values() if n['kind'] == 'receive']
if sys.argv[4:]:
    check('ranks', {n['rank'] for n in all_nodes if 'rank' in n} == set(map(int, sys.argv[4:])))
else:
    check('each receive has a send', sorted(to for _, to in messages) == sorted(n['id'] for n in receives))
check('messages are what both say', all(nodes[a]['tag'] == nodes[b]['tag'] and nodes[b]['peer'] == nodes[a]['rank'] and
                                        nodes[a]['peer'] == nodes[b]['rank'] for a, b in messages))
check('races', sys.argv[4:] or sum(e['order'] == 'race' for e in edges) == int(sys.argv[3]))
after = {n: [] for n in nodes}
before = dict.fromkeys(nodes, 0)
for e in edges:
    if e['order'] != 'race':
        after[e['from']].append(e['to'])
        before[e['to']] += 1
ready = [n for n in nodes if not before[n]]
seen = 0
while ready:
    seen += 1
    for n in after[ready.pop()]:
        before[n] -= 1
        if not before[n]:
            ready.append(n)
check('no circle', seen == len(nodes))
check('nothing ends before it begins', all(nodes[a]['time'] <= nodes[b]['time'] for a, b in messages))
with open(sys.argv[2]) as file:
    dot = file.read()
check('DOT has the same nodes', sorted(re.findall(r'^\t(n\d+) \[', dot, re.M)) == sorted(nodes))
check('DOT has the same edges', sorted(re.findall(r'^\t(n\d+) -> (n\d+) ', dot, re.M)) == sorted((e['from'], e['to']) for e in edges))
print('\n'.join('not so: ' + w for w in wrong))
sys.exit(bool(wrong))
