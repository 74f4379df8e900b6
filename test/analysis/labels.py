#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""labels.py LABELS PROGRAM REWORDED: writes a copy of PROGRAM in which each label of kernel events (label.c) is in capitals, as
long as it was, so that nothing moves. Fails if the program lacks one."""
import os
import re
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    source = file.read()
with open(sys.argv[2], "rb") as file:
    program = file.read()
labels = [t for t in re.findall(r'"([^"]*)"', source[source.index("const char hyb_label_idle"):]) if re.search("[a-z]{3}", t) and "%" not in t]
tasks, events = labels[:2], labels[2:]
for label in sorted(events, key=len, reverse=True):
    # the end of a longer text may serve as a shorter one
    if label.encode() + b"\0" not in program and label.upper().encode() + b"\0" not in program:
        sys.exit(f"{sys.argv[2]} lacks the label {label!r}")
    program = program.replace(label.encode() + b"\0", label.upper().encode() + b"\0")
pair = re.compile(b"(?<=\0)" + tasks[1].encode() + b"\0+" + tasks[0].encode() + b"\0|(?<=\0)" + tasks[0].encode() + b"\0+" + tasks[1].encode() + b"\0")
program, count = pair.subn(lambda m: m.group(0).upper(), program)
if count != 1:
    sys.exit(f"{sys.argv[2]}: {count} places have the labels of tasks")
with open(sys.argv[3], "wb") as file:
    file.write(program)
os.chmod(sys.argv[3], 0o755)
print(f"{len(labels)} labels")
