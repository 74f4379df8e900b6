# SPDX-License-Identifier: BSD-3-Clause
"""
Another judge of what hybmon report says: who waited how long, from the JSON Lines of the same recording, by the patterns'
definitions; and whether what is said adds up.

    report.py judge REPORT TRACES     both agree, to the nanosecond
    report.py path REPORT TRACES      the same of the critical path, followed back from the end
    report.py said REPORT SAID        the program said so by its own clock: `waited KIND NS LATE`, within 2 % and what the machine was LATE
    report.py thread REPORT TRACES SAID [NAME]    the weightiest cause: `culprit RANK TID LINE`, and what the kernel did
    report.py cause REPORT RANK LINE [NAME]    the weightiest cause: that rank, there, and what the kernel did (`none`: nothing)
"""
import collections
import itertools
import json
import sys

sys.dont_write_bytecode = True  # the sources may be another user's, or in a release
import openmp_waits  # noqa: E402
from recording import read  # noqa: E402

ONE_TO_ALL = {"bcast", "scatter", "scatterv"}
ALL_TO_ONE = {"reduce", "gather", "gatherv"}
PROBES = {"MPI_Probe", "MPI_Mprobe", "MPI_Iprobe", "MPI_Improbe"}
NO_DATA = {"create_handle", "destroy_handle", "finalize"}
ALL_TO_ALL = {"allreduce", "allgather", "allgatherv", "alltoall", "reduce_scatter", "reduce_scatter_block"}


class Call:
    """The outermost call of MPI that a thread is in."""

    def __init__(self, enter, depth):
        self.enter, self.depth = enter, depth
        self.sends = []
        self.waits = []
        self.looks = self.meets = self.finds = False
        self.fence = self.sync = self.lock = None
        self.name = self.kind = ""


def members_of(defines, comm):
    return defines["group"][defines["communicator"][comm]["group"]]["members"]


def flow(defines, event, rank):
    """Whether others need something of this member, and whether it needs something of others."""
    gives, takes = event["sent"] > 0, event["received"] > 0
    if defines["communicator"][event["communicator"]]["kind"] == "inter":
        return False, False
    operation = event["operation"]
    if operation == "barrier":
        return True, True
    is_root = event.get("root", -1) >= 0 and members_of(defines, event["communicator"])[event["root"]] == rank
    if operation in ALL_TO_ALL:
        return gives, takes
    if operation in ONE_TO_ALL:
        return (gives, False) if is_root else (False, takes)
    if operation in ALL_TO_ONE:
        return (False, takes) if is_root else (gives, False)
    return False, False


def kind_of(operation):
    if operation in NO_DATA:
        return "create_free_end"
    return {"barrier": "barrier"}.get(operation, "late_root" if operation in ONE_TO_ALL else
                                      "early_root" if operation in ALL_TO_ONE else "all")


def is_fence(event):
    """And collective operations on files, which all who opened the file come to."""
    return event["event"] in ("rma_collective_end", "io_meeting") or \
        event["event"] == "io_begin" and event.get("collective") and not event.get("begun")


def fenced_by(event):
    return ("window", event["window"]) if "window" in event else ("file", event["handle"])


def walk(defines, events, visit):
    """Calls visit(track, event, call, now) for each event in a call of MPI, and with event None when it is left."""
    regions = defines["region"]
    for track, row in events.items():
        stack, call = [], None
        for event in row:
            if event["event"] == "enter":
                stack.append(event["region"])
                if not call and regions[event["region"]]["paradigm"] == "mpi":
                    call = Call(event["time"], len(stack))
                    call.name = name = regions[event["region"]]["name"]
            elif event["event"] == "leave":
                stack.pop()
                if call and len(stack) < call.depth:
                    attributes = event.get("attributes", {})
                    call.looks = "without effect" not in attributes if "polls" in attributes else name in PROBES
                    visit(track, None, call, event["time"])
                    call = None
            elif call:
                visit(track, event, call, event["time"])


def epochs_waited(defines, events, ranks):
    """The n-th start of a process that names another one is that one's n-th post that names it; so complete and wait."""
    signals, calls = collections.defaultdict(list), []

    def visit(track, event, call, now):
        if event and event["event"] == "rma_group_sync":
            call.sync = event
        elif not event and call.sync:
            what, window = call.sync["operation"], call.sync["window"]
            for other in defines["group"][call.sync["group"]]["members"]:
                if what in ("post", "complete"):
                    signals[what, window, ranks[track], other].append((call.enter, track))
            calls.append((now, track, call))

    walk(defines, events, visit)
    for times in signals.values():
        times.sort()
    counts, waited = collections.Counter(), collections.Counter()
    for now, track, call in sorted(calls, key=lambda c: c[:2]):
        what, window = call.sync["operation"], call.sync["window"]
        if what == "post":
            continue
        came = [call.enter]
        for other in defines["group"][call.sync["group"]]["members"]:
            key = ("complete" if what == "wait" else "post", window, other, ranks[track])
            counts[key] += what != "complete"
            signal = signals[key][counts[key] - 1:counts[key]] if counts[key] else []
            came += [time for time, by in signal if time <= now and by != track]
        waited[track, "late_complete" if what == "wait" else "late_post"] += max(came) - call.enter
    return waited


class Lock:
    """Of a window at a target, from the call that asks for it to the one that gives it up."""

    def __init__(self, window, target, shared, asked):
        self.window, self.target, self.shared, self.asked = window, target, shared, asked
        self.giving = self.given = None

    def excludes(self, other):
        return self.window == other.window and not (self.shared and other.shared) and \
            (self.target == other.target or None in (self.target, other.target))


def locks_waited(defines, events, processes):
    """A call waits for those that give up what excludes it before it is back; these have it until they had not to wait."""
    calls, waited = [], collections.Counter()

    def visit(track, event, call, now):
        if event and event["event"] in ("rma_lock_acquired", "rma_lock_released"):
            call.lock = event
        elif not event and call.lock:
            calls.append((now, track, call))

    walk(defines, events, visit)
    locks = collections.defaultdict(list)
    for now, track, call in sorted(calls, key=lambda c: c[2].enter):
        held = locks[processes[track]]
        window, target = call.lock["window"], call.lock.get("target")
        if call.lock["event"] == "rma_lock_acquired":
            call.of = Lock(window, target, call.lock.get("shared", False), call.enter)
            held.append(call.of)
            continue
        call.of = next((k for k in held if not k.giving and (k.window, k.target) == (window, target)), None)
        if call.of:
            call.of.giving = call.enter
    for now, track, call in sorted(calls, key=lambda c: c[:2]):
        if not call.of:
            continue
        gives = call.lock["event"] == "rma_lock_released"
        came = [call.enter]
        for process, held in locks.items():
            for other in held:
                if process == processes[track] or not other.excludes(call.of) or not other.giving:
                    continue
                when = other.given if other.given else None if gives else other.giving
                if when and call.enter < when < now:
                    came.append(when)
        if gives:
            call.of.given = now if max(came) > call.enter else call.enter
        waited[track, "window_lock"] += max(came) - call.enter
    return waited


def judge(defines, events, jumps=None):
    """How long each thread waited, by kind; in jumps by track when it waited up to then for which other one."""
    begun, given, posted, looks = {}, {}, {}, collections.defaultdict(list)
    waited = collections.Counter()
    ranks = {t["id"]: defines["process"][t["process"]].get("rank") for t in defines["track"].values()
             if t["kind"] == "thread"}
    processes = {t["id"]: t.get("process") for t in defines["track"].values()}

    halves = {(e["event"].lstrip("i"), e["number"]): track for track, row in events.items() for e in row
              if e["event"] in ("send", "isend", "recv", "irecv") and "number" in e}
    fences, came = collections.Counter(), collections.defaultdict(list)

    def comes(track, event, call, now):
        if event and is_fence(event):
            what = fenced_by(event)
            fences[what, processes[track]] += 1
            call.fence = (what, fences[what, processes[track]])
            came[call.fence].append((call.enter, track))

    def fenced(track, event, call, now):
        """The n-th fence of all: who comes last, before this one is back."""
        if event and is_fence(event):
            what = fenced_by(event)
            fences[what, processes[track]] += 1
            call.fence = (what, fences[what, processes[track]])
            call.kind = "file_operation" if what[0] == "file" else \
                "fence" if event["operation"] == "fence" else "create_free_end"
        elif not event and call.fence:
            last, other = max((each for each in came[call.fence] if each[0] <= now), key=lambda each: each[0])
            waited[track, call.kind] += last - call.enter
            if jumps is not None and last > call.enter:
                jumps[track].append((last, other))

    def operations(track, event, call, now):
        if event and event["event"] == "collective_request":
            begun[processes[track], event["request"]] = call.enter
        if not event or event["event"] not in ("collective_end", "collective_complete") or "number" not in event:
            return
        begin = begun.get((processes[track], event.get("request")), call.enter)
        gives, _ = flow(defines, event, ranks[track])
        if (gives or event["operation"] in NO_DATA) and begin > given.get(event["number"], (-1 << 63, 0))[0]:
            given[event["number"]] = (begin, track)

    def waits(track, event, call, now):
        if not event:
            call.waits += [("late_receiver", until, other) for until, other in call.sends if call.enter < until < now]
            waits_of = [w for w in call.waits if w[2] != track]
            if not (call.meets or call.waits):
                if call.looks:
                    looks[track] = looks[track][-15:] + [(call.enter, now)]
                return
            looked = looks.pop(track, [])
            if waits_of:
                until = max(w[1] for w in waits_of)
                kind = next(w[0] for w in waits_of if w[1] == until)
                for enter, leave in looked if call.finds else []:
                    if until > enter:
                        waited[track, kind] += min(until, leave) - enter
                        if jumps is not None and until <= leave:
                            jumps[track].append((until, next(w[2] for w in waits_of if w[1] == until)))
                if min(until, now) > call.enter:
                    waited[track, kind] += min(until, now) - call.enter
                    if jumps is not None:
                        jumps[track].append((until, next(w[2] for w in waits_of if w[1] == until)))
            return
        call.meets = call.meets or is_fence(event) or \
            event["event"] in ("rma_group_sync", "rma_lock_acquired", "rma_lock_released", "send", "isend", "irecv_request",
                               "collective_request") or \
            "number" in event and event["event"] in ("recv", "irecv", "collective_end", "collective_complete")
        if event["event"] in ("recv", "irecv") and "number" in event:
            call.finds = True
            call.waits.append(("late_sender", event["other_begin"], halves["send", event["number"]]))
        elif event["event"] in ("send", "isend") and "number" in event and event["other_begin"] > call.enter:
            if event["event"] == "send":
                call.sends = [(event["other_begin"], halves["recv", event["number"]])]
            else:
                posted[processes[track], event["request"]] = event["other_begin"], halves["recv", event["number"]]
        elif event["event"] == "isend_complete":
            until, other = posted.pop((processes[track], event["request"]), (now, None))
            if until < now:
                call.finds = True
                call.waits.append(("late_receiver", until, other))
        elif event["event"] in ("collective_end", "collective_complete") and "number" in event:
            _, takes = flow(defines, event, ranks[track])
            call.finds = call.finds or event["event"] == "collective_complete"
            if event["operation"] in NO_DATA:
                takes = event["number"] in given and given[event["number"]][0] < event["time"]
            if takes and event["number"] in given:
                call.waits.append((kind_of(event["operation"]),) + given[event["number"]])

    walk(defines, events, comes)
    fences.clear()
    walk(defines, events, fenced)
    waited += epochs_waited(defines, events, ranks)
    waited += locks_waited(defines, events, processes)
    walk(defines, events, operations)
    walk(defines, events, waits)
    return waited


def windows(report):
    """Windows and phases have the time of all threads, each moment once, and one begins where another ends."""
    bad = 0
    for what in "windows", "phases":
        for name in report["threads"][0]["times"]:
            theirs = sum(w["times"][name] for w in report[what])
            if theirs != sum(t["times"][name] for t in report["threads"]):
                print(f"{name} of all {what} is {theirs} ns")
                bad = 1
        waited = sum(w["waited"] for w in report[what])
        if waited != sum(ns for t in report["threads"] for kind, ns in t["waited"].items() if not kind.startswith("omp")):
            print(f"waiting in MPI of all {what} is {waited} ns")
            bad = 1
        for one, other in zip(report[what], report[what][1:]):
            bad = bad or one["end"] != other["begin"]
    return bad


def calls_of(defines, events):
    """By track, of MPI and from outside of it."""
    count = collections.Counter()
    for track, told in events.items():
        inside = 0
        for event in told:
            mpi = event["event"] in ("enter", "leave") and defines["region"][event["region"]]["paradigm"] == "mpi"
            if mpi and event["event"] == "enter":
                count[track] += not inside
            inside += mpi * (1 if event["event"] == "enter" else -1)
    return count


def at_once(threads):
    """How many of them there are at most."""
    edges = sorted([(t["begin"], 1) for t in threads] + [(t["end"], -1) for t in threads])
    return max(itertools.accumulate(step for _, step in edges), default=0)


def spans_of(defines, events):
    """By track: from the end of MPI_Init until the begin of MPI_Finalize, and how long both take."""
    spans = collections.defaultdict(lambda: [None, None, 0])
    # The trace may begin earlier, with what the kernel did.
    base = min(row[0]["time"] for track, row in events.items() if row and defines["track"][track]["kind"] == "thread")

    def visit(track, event, call, now):
        if event:
            return
        if call.name in ("MPI_Init", "MPI_Init_thread"):
            spans[track][0] = now - base
            spans[track][2] += now - call.enter
        elif call.name == "MPI_Finalize":
            spans[track][1] = call.enter - base
            spans[track][2] += now - call.enter

    walk(defines, events, visit)
    return spans


def efficiency(report, calls, spans):
    """
    POP's, from the threads' times: of a process the thread that calls MPI most, and the threads of OpenMP. Of the former
    what is between MPI_Init and MPI_Finalize counts, and so much of the run.
    """
    processes = collections.defaultdict(list)
    for thread in report["threads"]:
        processes[thread["process"]].append(thread)
    outside, count, useful, best, openmp, first, last, paused = [], 0, 0, 0, False, [], [], 0

    def own(thread, main):
        ns = sum(ns for what, ns in thread["times"].items()
                 if what not in ("mpi", "openmp_wait", "openmp_idle", "not_recorded"))
        begin, end, _ = spans[thread["track"]] if thread is main else (None, None, 0)
        before = begin - thread["begin"] if begin is not None else 0
        after = thread["end"] - end if end is not None else 0
        return max(ns - (before + after - (spans[thread["track"]][2] if thread is main else 0)), 0)

    for threads in processes.values():
        in_openmp = [t for t in threads if t["times"]["openmp_wait"] + t["times"]["openmp_idle"]]
        main = max(threads, key=lambda t: (calls[t["track"]], -t["track"]))
        if calls[main["track"]]:
            begin, end, edges = spans[main["track"]]
            begin = main["begin"] if begin is None else begin
            end = main["end"] if end is None else end
            first.append(begin)
            last.append(end)
            outside.append(max(end - begin - (main["times"]["mpi"] - edges) - main["times"]["not_recorded"], 0))
            paused += main["times"]["not_recorded"]
        openmp = openmp or bool(in_openmp)
        counted = [t for t in threads if t in in_openmp or t is main and calls[t["track"]]]
        all_own = [own(t, main if calls[main["track"]] else None) for t in counted]
        count += at_once(counted)
        useful += sum(all_own)
        best += at_once(counted) * max(all_own, default=0)
    theirs = report.get("efficiency") or {}
    elapsed = max(last) - min(first) if first else report["length"]
    if outside:
        whole, elapsed = elapsed, elapsed - paused // len(outside)
    else:
        whole, elapsed = elapsed, elapsed - sum(t["times"]["not_recorded"] for t in report["threads"]) // len(report["threads"])
    if elapsed < whole / 2:
        return bool(theirs)
    mpi = sum(outside) / len(outside) / elapsed if outside else 1
    mine = {}
    if len(outside) > 1:
        mine.update({"mpi": mpi, "load_balance": sum(outside) / len(outside) / max(outside),
                     "communication": max(outside) / elapsed, "parallel": mpi, "begin": min(first), "end": max(last)})
    if openmp:
        mine.update({"parallel": useful / count / elapsed, "openmp": useful / count / elapsed / mpi,
                     "openmp_load_balance": useful / best, "openmp_threads": count})
        mine["openmp_synchronisation"] = mine["openmp"] / mine["openmp_load_balance"]
        if sum(p.get("openmp_useful", 0) for p in report["phases"]) < useful:
            print(f"phases are useful for {sum(p['openmp_useful'] for p in report['phases'])} ns, not {useful}")
            return 1
    bad = [what for what, value in mine.items() if abs(theirs.get(what, -1) - value) > 1e-9 * max(value, 1)]
    extra = set(theirs) - set(mine) - {"serialisation", "transfer", "begin", "end", "recorded"}
    for what in bad:
        print(f"{what} is {theirs.get(what)}, not {mine[what]}")
    if extra:
        print("told, but not known here:", *extra)
    return bool(bad or extra)


def agree(report, traces):
    defines, events = read(traces)
    mine = judge(defines, events) + openmp_waits.judge(defines, events)
    theirs = {(t["track"], kind): ns for t in report["threads"] for kind, ns in t["waited"].items() if ns}
    bad = 0
    for key in sorted(set(mine) | set(theirs)):
        if mine.get(key, 0) != theirs.get(key, 0):
            print(f"track {key[0]}, {key[1]}: {theirs.get(key, 0)} ns, not {mine.get(key, 0)}")
            bad = 1
    sums = {
        "threads": sum(sum(t["waited"].values()) for t in report["threads"]),
        "calls": sum(w["time"] for w in report["waits"]),
        "causes": sum(c["direct"] + c["indirect"] for c in report["causes"]),
        "effects": sum(e["time"] for c in report["causes"] for e in c["effects"]),
    }
    for what, ns in sums.items():
        if ns != report["waited"]:
            print(f"the sum of {what} is {ns} ns, not {report['waited']}")
            bad = 1
    for thread in report["threads"]:
        if thread["end"] - thread["begin"] != sum(thread["times"].values()):
            print(f"times of track {thread['track']} are {sum(thread['times'].values())} ns")
            bad = 1
        if thread["waited"]["omp_idle"] != thread["times"]["openmp_idle"]:
            print(f"track {thread['track']} was idle for {thread['times']['openmp_idle']} ns")
            bad = 1
    bad = windows(report) or bad
    bad = efficiency(report, calls_of(defines, events), spans_of(defines, events)) or bad
    if not mine:
        print("nobody waited")
    return bad or not mine


def path(report, traces):
    """From the last event back: where a thread waited, its path goes on in the one that it waited for."""
    defines, events = read(traces)
    jumps, mine = collections.defaultdict(list), collections.Counter()
    judge(defines, events, jumps)
    threads = [t["track"] for t in report["threads"]]
    track = max(threads, key=lambda t: (events[t][-1]["time"], -t))
    now = events[track][-1]["time"]
    while True:
        came = max((j for j in jumps[track] if j[0] < now), default=None)
        mine[track] += now - (came[0] if came else events[track][0]["time"])
        if not came:
            break
        now, track = came
    theirs = {t["track"]: t["time"] for t in report["critical_path"]["threads"]}
    bad = sum(theirs.values()) != sum(p["time"] for p in report["critical_path"]["places"])
    for each in threads:
        print(f"track {each}: {theirs.get(each, 0)} ns on the path, {mine[each]} by this judge")
        bad = bad or theirs.get(each, 0) != mine[each]
    return bad


def cause(report, rank, line, name):
    """Causes at one place are one."""
    weights = collections.Counter()
    for each in report["causes"]:
        place = each["path"][0].get("at", "") if each["path"] else ""
        kernel = each["path"][-1]["name"] if each["path"] and each["path"][-1]["kind"] == "kernel" else ""
        kernel = kernel or "none"
        if name == "stopped":
            kernel = "stopped" if each["path"] and each["path"][-1].get("stopped") else "not stopped"
        # A busy machine pre-empts whom it likes.
        if name and kernel == "scheduled out (involuntary)" and not kernel.startswith(name):
            continue
        weights[each.get("rank"), place, kernel if name else ""] += each["direct"] + each["indirect"]
    for (who, place, kernel), ns in weights.most_common(4):
        print(f"{ns / report['waited']:.1%} rank {who}: {kernel} {place}")
    (who, place, kernel), _ = weights.most_common(1)[0]
    return not (who == int(rank) and place.endswith(f"delays.c:{line})") and (not name or kernel.startswith(name)))


def said(report, lines):
    bad = 1
    for line in lines:
        if line.startswith("waited "):
            _, kind, ns, late = line.split()
            got = sum(t["waited"][kind] for t in report["threads"])
            bad = abs(got - int(ns)) > 0.02 * int(ns) + 2 * int(late)
            print(f"{kind}: {got} ns, the program says {ns} (late: {late}): {got / max(int(ns), 1) - 1:+.2%}")
            if bad:
                return bad
    return bad


def thread_cause(report, traces, lines, name):
    """Of idle threads and others alike: what comes first in the list, by thread and line."""
    tids = {t["id"]: t["tid"] for t in read(traces)[0]["track"].values() if t["kind"] == "thread"}
    weights = collections.Counter()
    for each in report["causes"]:
        own = [p for p in each["path"] if p["kind"] != "kernel"]
        kernel = [p["name"] for p in each["path"] if name and p["kind"] == "kernel"]
        weights[each.get("rank", 0), tids[each["track"]], own[-1]["name"].split(":")[-1] if own else "",
                kernel[-1] if kernel else ""] += each["direct"] + each["indirect"]
    for who, ns in weights.most_common(4):
        print(f"{ns / report['waited']:.1%} rank {who[0]} tid {who[1]} line {who[2]} {who[3]}")
    culprit = next(line for line in lines if line.startswith("culprit ")).split()[1:]
    return list(map(str, weights.most_common(1)[0][0])) != culprit + [name]


def main():
    with open(sys.argv[2], encoding="utf-8") as file:
        report = json.load(file)
    if sys.argv[1] == "judge":
        return agree(report, sys.argv[3])
    if sys.argv[1] == "path":
        return path(report, sys.argv[3])
    if sys.argv[1] in ("said", "thread"):
        with open(sys.argv[3 if sys.argv[1] == "said" else 4], encoding="utf-8") as lines:
            return said(report, lines) if sys.argv[1] == "said" else \
                thread_cause(report, sys.argv[3], lines, " ".join(sys.argv[5:]))
    return cause(report, sys.argv[3], sys.argv[4], sys.argv[5] if len(sys.argv) > 5 else "")


sys.exit(main())
