#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares what `hybmon check --json` says with what it says to people, and with itself.

usage: check-json.py DOCUMENT SAID STATUS

SAID is what `hybmon check --all` wrote of the same recording, STATUS its exit status. All keys and words are those of
hybmon(1). Exit status: 0 all holds, 1 not (what does not is printed).
"""
import json
import sys

TEXT, NUMBER, FLAG, LIST = str, int, bool, list
DOCUMENT = {"version": NUMBER, "creator": TEXT, "sound": FLAG, "start": NUMBER, "records": NUMBER, "jobs": LIST,
            "processes": LIST, "findings": LIST, "threads": LIST}
JOB = {"name": TEXT, "first_rank": NUMBER}
PROCESS = {"rank": NUMBER, "host": TEXT, "program": TEXT, "pid": NUMBER, "end": TEXT, "ended": TEXT, "status": NUMBER,
           "finalized": FLAG}
FINDING = {"about": TEXT, "what": TEXT, "text": TEXT, "details": LIST, "ranks": LIST, "threads": LIST}
THREAD = {"id": NUMBER, "process": NUMBER, "rank": NUMBER, "thread": NUMBER, "in": TEXT, "in_mpi": FLAG, "after": TEXT,
          "at": TEXT, "since": NUMBER, "waits_for": LIST, "one_is_enough": FLAG, "stuck": FLAG, "polls": FLAG}
NEED = {"what": TEXT, "communicator": TEXT, "rank": NUMBER, "tag": NUMBER, "bytes": NUMBER, "operation": TEXT,
        "number": NUMBER, "lacking": LIST, "one_is_enough": FLAG}
MAY_LACK = {"rank", "pid", "ended", "status", "in", "after", "at", "one_is_enough", "polls"}
WORDS = {
    "program": {"deadlock", "waits_for_ended", "died", "wrong_message", "not_received", "operations_differ",
                "sizes_differ", "counts_differ"},
    "recording": {"not_sent", "not_whole"},
    "not_judged": {"not_judged"},
}
TITLES = {"program": "Found", "recording": "The recording", "not_judged": "Not judged"}
NEEDS = {"message", "receiver", "operation", "finalize", "fence", "unlock", "post", "complete", "not_known"}
wrong = []


def claim(holds, text):
    if not holds:
        wrong.append(text)


def shape(value, keys, what, may_lack=()):
    claim(list(value) == [key for key in keys if key in value], f"{what} has keys {list(value)}")
    for key, kind in keys.items():
        if key in value:
            claim(type(value[key]) is kind, f"{what}: {key} is {value[key]!r}")
        else:
            claim(key in may_lack, f"{what} lacks {key}")


def sections(said):
    """The words below each title; a title is a line after an empty one."""
    found, title, before = {}, None, "-"
    for line in said:
        if not before and line and not line.startswith(" "):
            title = line
            found[title] = []
        elif title:
            found[title] += line.split()
        before = line
    return found


def check_findings(document, said):
    titles = sections(said)
    for about, title in TITLES.items():
        of_it = [finding for finding in document["findings"] if finding["about"] == about]
        words = " ".join(" ".join([finding["text"]] + finding["details"]) for finding in of_it).split()
        claim(words == titles.get(title, [])[:len(words)] and bool(words) == (title in titles),
              f"{title}: {words}, said is {titles.get(title)}")
    threads = {thread["id"]: thread for thread in document["threads"]}
    for finding in document["findings"]:
        shape(finding, FINDING, "finding")
        claim(finding["what"] in WORDS[finding["about"]], f"finding {finding['what']}")
        of_it = [threads[number] for number in finding["threads"]]
        if finding["what"] == "deadlock":
            claim(of_it, "a deadlock of nobody")
            for thread, after in zip(of_it, of_it[1:] + of_it[:1]):
                lacking = {rank for need in thread["waits_for"] for rank in need.get("lacking", [])}
                claim(thread["stuck"] and after["rank"] in lacking, f"{thread} does not wait for rank {after['rank']}")
                claim(finding["text"].endswith("itself") or any(
                    line.startswith(f"rank {thread['rank']}") for line in finding["details"]), f"{thread} is not shown")
        elif finding["what"] == "waits_for_ended":
            claim(len(finding["ranks"]) == 1 and of_it and all(thread["stuck"] for thread in of_it), f"{finding}")
        elif finding["what"] == "wrong_message":
            claim(len(finding["ranks"]) == 1 and len(of_it) == 1, f"{finding}")
        elif finding["what"] == "not_judged":
            claim(finding["ranks"] == sorted(set(finding["ranks"])) and finding["ranks"], f"{finding}")


def check_threads(document, said):
    stands = " ".join(sections(said).get("Where they stand", []))
    for thread in document["threads"]:
        shape(thread, THREAD, "thread", MAY_LACK)
        process = document["processes"][thread["process"]]
        claim(process.get("rank") == thread.get("rank"), f"{thread} is of {process}")
        for need in thread["waits_for"]:
            shape(need, NEED, "need", NEED)
            claim(need["what"] in NEEDS and need.get("lacking", ["?"]), f"{need}")
        claim(not thread["stuck"] or any("lacking" in need for need in thread["waits_for"]), f"{thread} lacks nothing")
        if process["end"] in ("lost", "running") and not process["finalized"] and "rank" in thread:
            claim(thread.get("in", thread.get("after", "in no MPI call")) in stands and thread.get("at", "") in stands,
                  f"{thread} is not said")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    with open(sys.argv[2], encoding="utf-8", errors="replace") as file:
        said = file.read().splitlines()
    shape(document, DOCUMENT, "document")
    claim(document["version"] == 1, f"version {document['version']}")
    claim(document["sound"] == (int(sys.argv[3]) == 0), f"sound is {document['sound']}, status {sys.argv[3]}")
    claim(f"{document['records']} records of {len(document['processes'])} process" in said[0], f"{said[0]}")
    for job in document["jobs"]:
        shape(job, JOB, "job")
    for process in document["processes"]:
        shape(process, PROCESS, "process", MAY_LACK)
        claim(process["end"] in ("normal", "failed", "lost", "running"), f"{process}")
    check_findings(document, said)
    check_threads(document, said)
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
