#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what one of LLVM's tests of OMPT says a tool sees with what was recorded; see
doc/conformance.md.

usage: llvm-ompt.py TEST.c EVENTS

EVENTS is what hybmon-print --events --no-times says. A test says for each thread which events come in which order, with
others between them: that has to be so for some thread that was recorded, another for each of the test's.

Exit status: 0 it is so, 1 not (the first line says what is missing), 2 there is nothing to compare.
"""
import os
import re
import sys

# Not recorded, since they have no time of their own or are no part of what the program does.
NOT_RECORDED = re.compile(
    r"^(thread_(begin|end)|initial_task_(begin|end)|runtime_shutdown|control_tool|(init|destroy)(_nest)?_lock|"
    r"init_(critical|atomic|ordered)|wait_test(_nest)?_lock|device_.*)$")
LINE = re.compile(
    r"^\s*//\s*([A-Z][A-Z0-9_-]*?)(-DAG|-NEXT|-SAME)?:\s"
    r".*?\[\[([A-Z_0-9]+)(:[^\]]*\]\+?)?\]\]:?\s*ompt_event_((?:\w|\[\[[^\]]*\]\])+)")


def plain(event):
    """Names that changed between versions of the tests, and kinds that we call alike."""
    event = re.sub(r"^(wait_)?barrier_.*_(begin|end)$", r"\1barrier_\2", event)
    event = re.sub(r"^loop_.*_(begin|end)$", r"loop_\1", event)
    event = re.sub(r"^master_", "masked_", event)
    event = re.sub(r"^acquired_test_(nest_)?lock", r"acquired_\1lock", event)
    event = re.sub(r"^task_dependences$", "dependences", event)
    event = re.sub(r"^runtime_error$", "error", event)
    return event


def described(path):
    """The lines that describe it, which may be in another file."""
    with open(path, encoding="utf-8") as source:
        lines = list(source)
    for name in {m.group(1) for m in (re.search(r"RUN:.*FileCheck.*%S/(\S+)", line) for line in lines) if m}:
        with open(os.path.join(os.path.dirname(path), name), encoding="utf-8") as source:
            lines += list(source)
    return lines


def expected(path):
    """(prefix, thread): [(event, in order)], a new one each time that a thread is given its name."""
    threads = []
    known = {}
    last = []
    for line in described(path):
        match = LINE.match(line)
        if not match:
            # What a taskwait with dependences is made of is no task, and that a task's event has come no switch.
            if last and ("ompt_task_taskwait" in line and last[-1][0] == "task_create" or
                         re.search("(early|late)_fulfill|taskwait_complete", line) and last[-1][0] == "task_schedule"):
                last.pop()
            continue
        prefix, how, thread, defines, event = match.groups()
        if prefix.endswith("-NOT"):
            continue
        if defines or (prefix, thread) not in known:
            known[prefix, thread] = []
            begins = re.match(r"(thread|implicit_task)_begin$", event)
            threads.append((prefix, f"{thread}, {len(threads)}" if begins else thread, known[prefix, thread]))
        if not NOT_RECORDED.match(event):
            known[prefix, thread].append((plain(event), how != "-DAG"))
        last = known[prefix, thread]
    return [t for t in threads if t[2]]


CONSTRUCTS = {
    "taskwait": "taskwait", "taskgroup": "taskgroup", "reduction": "reduction", "sections": "sections",
    "single": "single_in_block", "single other": "single_others", "workshare": "workshare",
    "distribute": "distribute", "taskloop": "taskloop", "scope": "scope", "masked": "masked", "barrier": "barrier",
    "implicit barrier": "barrier", "runtime barrier": "barrier", "barrier wait": "wait_barrier",
    "implicit barrier wait": "wait_barrier", "runtime barrier wait": "wait_barrier",
    "taskwait wait": "wait_taskwait", "taskgroup wait": "wait_taskgroup", "reduction wait": "wait_reduction",
    "loop": "loop", "loop static": "loop", "loop dynamic": "loop", "loop guided": "loop", "loop other": "loop",
}
WAITS = {"critical": "critical", "atomic": "atomic", "ordered": "ordered", "omp_set_lock": "lock",
         "omp_set_nest_lock": "nest_lock", "omp_test_lock": "lock", "omp_test_nest_lock": "nest_lock",
         "omp_unset_lock": "lock", "omp_unset_nest_lock": "nest_lock"}
CHUNKS = {"loop": "ws_loop_chunk_begin", "section": "section_begin", "taskloop": "taskloop_chunk_begin",
          "distribute": "distribute_chunk_begin", "iteration": "iteration_begin"}


class Thread:
    def __init__(self):
        self.events = []
        self.depth = {}

    def locked(self, name, words, acquired):
        """A nest lock that the thread has already is had once more."""
        kind = WAITS.get(name, name)
        lock = words[2]
        if kind == "nest_lock":
            before = self.depth.get(lock, 0)
            self.depth[lock] = before + (1 if acquired else -1)
            if acquired:
                return "acquired_nest_lock_" + ("next" if before else "first")
            return "release_nest_lock_" + ("prev" if before > 1 else "last")
        return ("acquired_" if acquired else "release_") + kind

    def group(self, how, name, attached):
        """The events that one group of records stands for."""
        words = [a.split() for a in attached]
        heads = [" ".join(w[:2]) for w in words]
        events = self.events
        if "late" in attached:
            return
        if how == "enter" and any(h.startswith("fork") for h in heads):
            events.append(f"{name}_begin")
        if "team begin" in heads:
            events.append("implicit_task_begin")
        if name in CONSTRUCTS and how != "point":
            events.append(f"{CONSTRUCTS[name]}_{'begin' if how == 'enter' else 'end'}")
        if how == "enter" and name in WAITS:
            events.append("wait_" + WAITS[name])
        for head, word in zip(heads, words):
            if head in ("lock acquired", "lock released"):
                events.append(self.locked(name, word, head == "lock acquired"))
            elif head == "task create":
                events.append("task_create")
            elif head == "task switch":
                events.append("task_schedule")
            elif head == "task depend":
                events.append("task_dependence_pair")
            elif word[0] in ("cancel", "message"):
                events.append("cancel" if word[0] == "cancel" else "error")
            elif word[0] == "chunk":
                events.append(CHUNKS.get(word[1], "chunk"))
        if any(w[0] == "dependence" for w in words):
            events.append("dependences")
        if "task complete" in heads:
            events.append("task_end")
        if how == "point" and name == "flush":
            events.append("flush")
        if "team end" in heads:
            events.append("implicit_task_end")
        if "join" in attached:
            events.append(f"{name}_end")


def recorded(path):
    threads = {}
    head = None
    with open(path, encoding="utf-8") as events:
        for line in list(events) + ["end end end\n"]:
            match = re.match(r"^(\S+)(   ?| )(.*)$", line.rstrip("\n"))
            if not match:
                continue
            who, blanks, rest = match.groups()
            if len(blanks) == 3:
                if head:
                    head[3].append(rest)
                continue
            if head:
                threads.setdefault(head[0], Thread()).group(*head[1:])
            how, _, name = rest.partition(" ")
            head = (who, how, name.split(" @")[0], []) if how in ("enter", "leave", "point") else None
    return [t.events for _, t in sorted(threads.items())]


def missing(wanted, events):
    """The first event that is not there, or None."""
    at = 0
    for event, ordered in wanted:
        if not ordered:
            if sum(1 for w, _ in wanted if w == event) > events.count(event):
                return event
            continue
        try:
            at = events.index(event, at) + 1
        except ValueError:
            return event
    return None


def assign(wanted, threads, used):
    """
    Each name that the test has for a thread means another of ours. Given anew it may mean the same again, but not where
    the thread begins.
    """
    if not wanted:
        return True
    name, sequence = wanted[0][1:]
    for i, events in enumerate(threads):
        if used.get(i, name) == name and missing(sequence, events) is None:
            if assign(wanted[1:], threads, {**used, i: name}):
                return True
    return False


def sorts(path):
    return any("RUN:" in line and "sort-threads" in line for line in described(path))


def main():
    if len(sys.argv) != 3:
        sys.stderr.write(__doc__)
        sys.exit(2)
    wanted = expected(sys.argv[1])
    threads = recorded(sys.argv[2])
    if not wanted:
        print("describes nothing that is recorded")
        sys.exit(2)
    events = sum(len(w[2]) for w in wanted)
    for prefix in {w[0] for w in wanted}:
        lists = [w for w in wanted if w[0] == prefix]
        if assign(lists, threads, {}):
            continue
        # Where the test sorts by thread, threads are told apart; elsewhere several names may mean one.
        if not sorts(sys.argv[1]) and all(any(missing(w[2], t) is None for t in threads) for w in lists):
            continue
        for _, name, sequence in (w for w in wanted if w[0] == prefix):
            lacks = [missing(sequence, t) for t in threads]
            if all(lacks):
                print(f"{name}: no thread has the sequence; {lacks[0] if lacks else 'nothing'} is missing")
                print("wanted:", " ".join(e for e, _ in sequence))
                for thread in threads:
                    print("recorded:", " ".join(thread))
                sys.exit(1)
        print("two of the test's threads are the same one of ours")
        sys.exit(1)
    print(f"{events} events of {len(wanted)} threads")
    sys.exit(0)


main()
