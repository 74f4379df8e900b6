#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""graph.py JSON GRAPHML SVG RACES: whether an event graph holds together: each receive has its send, what comes before
what has no circle, all formats have the same nodes and edges, and there are RACES edges of races."""
import json
import sys
import xml.etree.ElementTree as xml

graph = json.load(open(sys.argv[1]))
nodes = {n['id']: n for n in graph['nodes']}
edges = graph['edges']
wrong = []


def check(what, holds):
    if not holds:
        wrong.append(what)


check('a version', graph['hybmon_graph'] == 1)
check('numbers are nodes\' own', len(nodes) == len(graph['nodes']))
check('edges are between nodes', all(e['from'] in nodes and e['to'] in nodes for e in edges))
messages = [(e['from'], e['to']) for e in edges if e['order'] == 'message']
receives = [n for n in nodes.values() if n['kind'] == 'receive']
check('each receive has a send', sorted(to for _, to in messages) == sorted(n['id'] for n in receives))
check('messages are what both say', all(nodes[a]['tag'] == nodes[b]['tag'] and nodes[b]['peer'] == nodes[a]['rank'] and
                                        nodes[a]['peer'] == nodes[b]['rank'] for a, b in messages))
check('races', sum(e['order'] == 'race' for e in edges) == int(sys.argv[4]))
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
space = '{http://graphml.graphdrawing.org/xmlns}'
root = xml.parse(sys.argv[2]).getroot()
check('GraphML has the same nodes', len(root.findall('.//%snode' % space)) == len(nodes))
check('GraphML has the same edges', len(root.findall('.//%sedge' % space)) == len(edges))
circles = xml.parse(sys.argv[3]).getroot().findall('.//{http://www.w3.org/2000/svg}circle')
check('the picture has all nodes', len(circles) == len(nodes))
print('\n'.join('not so: ' + w for w in wrong))
sys.exit(bool(wrong))
