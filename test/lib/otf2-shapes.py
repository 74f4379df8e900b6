#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the shapes of an OTF2 archive's communicators, as each member sees them, in hybmon-print's words.

usage: otf2-shapes.py ARCHIVE.otf2

Cartesian ones are definitions of OTF2; what a rank knows of a graph is a property of its location group. Fails where
a Cartesian topology does not fit its communicator: each rank at one place, each place taken.
"""
import collections
import sys

import otf2
from otf2 import definitions as otf2_definitions, enums

# OTF2 3.0's reader cannot read any InterComm; see otf2-check.py.
if len(otf2_definitions.InterComm._fields) > 5:
    name, _, parent, flags = otf2_definitions.Comm._fields
    otf2_definitions.InterComm._fields = (name,) + otf2_definitions.InterComm._fields[-4:-2] + (parent, flags)

PROPERTY = "hybmon::topology of communicator "


def word(name):
    return f'"{name}"' if " " in name else name


def numbers(values):
    return ",".join(str(int(value)) for value in values)


def cartesian(definitions):
    places = collections.defaultdict(dict)
    for coordinate in definitions.cart_coordinates:
        places[coordinate.topology._ref][coordinate.rank] = tuple(coordinate.coordinates)
    for topology in definitions.cart_topologies:
        members = topology.communicator.group.members
        extents = [d.size for d in topology.dimensions]
        periodic = [d.cart_periodicity == enums.CartPeriodicity.TRUE for d in topology.dimensions]
        taken = places[topology._ref]
        if sorted(taken) != list(range(len(members))) or len(set(taken.values())) != len(members):
            sys.exit(f"topology {topology._ref}: not one place for each of {len(members)} members: {taken}")
        if topology.name != topology.communicator.name:
            sys.exit(f"topology {topology._ref} is called {topology.name}")
        for rank, place in taken.items():
            if any(at >= extent for at, extent in zip(place, extents)):
                sys.exit(f"topology {topology._ref}: {place} is outside of {extents}")
            print(f"{members[rank].group._ref} {word(topology.name)} kind=cart dims={numbers(extents)} "
                  f"periodic={numbers(periodic)} coords={numbers(place)}")


def graphs(definitions):
    comms = {comm._ref: comm for comm in definitions.comms}
    for prop in definitions.location_group_properties:
        if prop.name.startswith(PROPERTY):
            comm = comms[int(prop.name[len(PROPERTY):])]
            if prop.location_group not in [member.group for member in comm.group.members]:
                sys.exit(f"{prop.location_group.name} is no member of '{comm.name}'")
            print(f"{prop.location_group._ref} {word(comm.name)} kind={prop.value}")


with otf2.reader.open(sys.argv[1]) as trace:
    cartesian(trace.definitions)
    graphs(trace.definitions)
