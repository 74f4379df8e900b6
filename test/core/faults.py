# SPDX-License-Identifier: BSD-3-Clause
"""faults.py all|slice|CONFIGURATION WORK PROGRAM LIBRARY FAULTS MERGE [NAME=VALUE...]

Makes each system call that the library makes in PROGRAM fail in turn, with each of the errors below, in several
configurations, by faults.c. The program's output and exit status must be as without the library, it must end, no
line of the library's may come twice, and what was recorded must merge. Speaks TAP.
"""
import collections
import errno
import os
import re
import shutil
import subprocess
import sys
import time

ERRORS = ["EPERM", "EMFILE", "ENOSYS", "EIO", "ENOMEM", "ENOSPC", "EACCES", "EINTR"]
CONFIGURATIONS = {
    "default": {},
    "named": {"HYBMON_TRACE_DIR": "a/b/named"},
    "rank": {"PALS_RANKID": "0", "PALS_APID": "7"},
    "ring": {"HYBMON_RING": "64K", "HYBMON_CHUNK": "16K"},
    "full": {"HYBMON_FULL": "ring", "HYBMON_CHUNK": "16K"},
    "spool": {"HYBMON_SPOOL": "spool"},
    "kernel": {"HYBMON_KERNEL": "self"},
}
# What cannot fail by its manual, or whose failure nobody could do anything about.
SURE = {"exit", "exit_group", "getpid", "gettid", "getuid", "geteuid", "sched_yield", "rt_sigprocmask"}
PATIENCE = 60

how, work, program, library, faults, merge = sys.argv[1:7]
to = os.environ.get("HYB_ANY", "otf2")
environment = dict(os.environ, **dict(word.split("=", 1) for word in sys.argv[7:]))
tests = runs = 0


def names_of_calls():
    text = subprocess.run([os.environ.get("CC", "cc"), "-E", "-dM", "-include", "sys/syscall.h", "-xc", "/dev/null"],
                          capture_output=True, text=True, check=True).stdout
    numbers = dict(re.findall(r"#define __NR_(\w+) (\d+)$", text, re.M))
    return {int(number): name for name, number in numbers.items()}


def run(variables, fault=None):
    """Runs the program in an empty folder. Its status and outputs, None where it did not end."""
    global runs
    folder = os.path.join(work, "run")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    env = dict(environment)
    if fault:
        env.update(variables, LD_PRELOAD=f"{library}:{faults}", HYB_FAULT=fault)
    runs += 1
    with open(os.path.join(work, "out"), "w+") as out, open(os.path.join(work, "err"), "w+") as err:
        process = subprocess.Popen(program.split(), cwd=folder, env=env, stdout=out, stderr=err,
                                   stdin=subprocess.DEVNULL)
        try:
            status = process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            status = None
        out.seek(0)
        err.seek(0)
        return folder, status, out.read(), err.read()


def has_died(experiment):
    """Waits for the collector, if there is one."""
    for name in os.listdir(experiment):
        try:
            with open(os.path.join(experiment, name, "manifest")) as f:
                pid = re.search(r"^pid: *(\d+)", f.read(), re.M)
        except OSError:
            continue
        end = time.time() + PATIENCE
        while pid and ".kernel" in name and os.path.exists(f"/proc/{pid[1]}") and time.time() < end:
            time.sleep(0.005)


def merge_of(folder):
    """What is wrong with merging what was recorded, if something is."""
    for top, folders, files in os.walk(folder, followlinks=True):
        if "manifest" not in files or not any(os.path.exists(os.path.join(top, f, "thread-0.hyb")) for f in folders):
            continue
        has_died(top)
        done = subprocess.run([merge, f"--to={to}", "--force", top], capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            return f"merge: {done.returncode}: {done.stderr.strip()}"
    return None


def wrong(expected, result):
    folder, status, out, err = result
    lines = [line for line in err.splitlines() if line.startswith("hybmon[")]
    lines = [re.sub(r"\d+", "N", line) for line in lines if ": note: recorded into " not in line]
    others = [line for line in err.splitlines() if not line.startswith("hybmon[")]
    if status is None:
        return "does not end"
    if (status, out) != expected[1:3]:
        return f"status {status}, output {out!r}"
    if others != expected[3].splitlines():
        return f"says {others}"
    if len(set(lines)) < len(lines) or len(lines) > 3:
        return f"says {lines}"
    return merge_of(folder)


def calls_of(variables):
    """How often each call is made."""
    log = os.path.join(work, "calls")
    if os.path.exists(log):
        os.remove(log)
    run(variables, "count:" + log)
    with open(log) as f:
        return collections.Counter(int(line) for line in f)


def check_call(configuration, number, name, count, expected):
    global tests
    wrongs = []
    before = runs
    numbers = [0] if how == "slice" else range(count + 1)
    for n in numbers:
        for error in ERRORS[1:4] + ERRORS[-1:] if how == "slice" else ERRORS:
            why = wrong(expected, run(CONFIGURATIONS[configuration], f"{number}:{n}:{getattr(errno, error)}"))
            if why:
                wrongs.append(f"{'each' if not n else f'number {n}'}: {error}: {why}")
    tests += 1
    print(f"{'not ' if wrongs else ''}ok {tests} - {configuration}: {name}, made {count} times, "
          f"fails in {runs - before} ways")
    for why in wrongs[:20]:
        print("#  ", why[:600])
    sys.stdout.flush()


def main():
    names = names_of_calls()
    began = time.time()
    plain = run({})
    for configuration, variables in CONFIGURATIONS.items():
        if how != "all" and configuration != (how if how != "slice" else "rank"):
            continue
        for number, count in sorted(calls_of(variables).items()):
            if names.get(number) not in SURE:
                check_call(configuration, number, names.get(number, str(number)), count, plain)
    print(f"# {runs} runs, {time.time() - began:.0f} s")
    print(f"1..{tests}")


main()
