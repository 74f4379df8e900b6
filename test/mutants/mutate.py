#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Source mutants: mistakes that a test has to see. test/mutants/mutants.txt has a block for each, with blank lines
between: a title, the file, the test that fails with it, its rows if it is one of many, and the lines before and after.

    # A ring keeps one chunk too few
    file src/core/record/stream.c
    test test/core/ring.test
    rows wrap
    -	the line as it is
    +	the line as the mutant has it

usage: mutate.py SOURCE check      each mutant's lines are in its file exactly once, and its test is there
       mutate.py SOURCE list       number, file, tests, rows, title, with tabs between
       mutate.py SOURCE apply N    changes the file; what it was is in FILE.orig
"""
import pathlib
import sys


def blocks(source):
    text = (source / "test/mutants/mutants.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line]
        if not any(line.startswith("file ") for line in lines):
            continue
        mutant = {"title": "", "file": "", "test": "", "rows": "", "old": "", "new": ""}
        for line in lines:
            if line[0] in "+-":
                mutant["new" if line[0] == "+" else "old"] += line[1:] + "\n"
            elif line[0] == "#":
                mutant["title"] = line[1:].strip()
            else:
                word, _, rest = line.partition(" ")
                mutant[word] = rest
        yield mutant


def fault(source, mutant):
    """What is wrong with it, or None."""
    file = source / mutant["file"]
    if not file.is_file():
        return "there is no such file"
    found = ("\n" + file.read_text(encoding="utf-8")).count("\n" + mutant["old"])
    if not mutant["old"] or found != 1:
        return f"its lines are there {found} times"
    if mutant["old"] == mutant["new"]:
        return "it changes nothing"
    for test in mutant["test"].split():
        path = source / test
        if not (path.is_file() or path.with_suffix(".c").is_file()):
            return f"there is no {test}"
    return None if mutant["test"] else "no test is named"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source = pathlib.Path(sys.argv[1])
    mutants = list(blocks(source))
    if sys.argv[2] == "check":
        wrong = 0
        for number, mutant in enumerate(mutants, 1):
            reason = fault(source, mutant)
            wrong += reason is not None
            if reason:
                print(f"{number}, {mutant['title']}: {mutant['file']}: {reason}")
        print(f"{len(mutants)} mutants")
        sys.exit(wrong > 0)
    elif sys.argv[2] == "list":
        for number, mutant in enumerate(mutants, 1):
            print(number, *(mutant[key] or "-" for key in ("file", "test", "rows", "title")), sep="\t")
    else:
        mutant = mutants[int(sys.argv[3]) - 1]
        reason = fault(source, mutant)
        if reason:
            sys.exit(f"{mutant['file']}: {reason}")
        file = source / mutant["file"]
        text = file.read_text(encoding="utf-8")
        file.with_name(file.name + ".orig").write_text(text, encoding="utf-8")
        at = ("\n" + text).index("\n" + mutant["old"])
        file.write_text(text[:at] + mutant["new"] + text[at + len(mutant["old"]):], encoding="utf-8")


main()
