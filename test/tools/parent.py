# SPDX-License-Identifier: BSD-3-Clause
"""What can be seen of a command with a parent that stays, `hybmon run`, and without: the same, in TAP.

    parent.py COMMAND...     the words that are put in front of a command
"""

import os
import pty
import select
import signal
import subprocess
import sys
import time

PREFIX = sys.argv[1:]
# Says which signals it gets, each once for each time, until it is told to end by SIGUSR2.
COUNTER = """
import os, signal, sys
def say(number, frame):
    os.write(1, b"%d\\n" % number)
    if number == signal.SIGUSR2:
        os._exit(0)
for n in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGCONT):
    signal.signal(n, say)
os.write(1, b"ready %d\\n" % os.getpid())
while True:
    signal.pause()
"""
tests = 0


def check(what, passed, why=""):
    global tests
    tests += 1
    print(f"{'ok' if passed else 'not ok'} {tests} - {what}")
    if not passed:
        print("#   " + str(why).replace("\n", "\n#   "))
    sys.stdout.flush()


def start(command, **options):
    return subprocess.Popen(PREFIX + command, stderr=subprocess.DEVNULL, **options)


def read_line(descriptor, seconds=20):
    line = b""
    end = time.time() + seconds
    while not line.endswith(b"\n"):
        if not select.select([descriptor], [], [], max(0, end - time.time()))[0]:
            return line + b"(nothing more came)"
        byte = os.read(descriptor, 1)
        if not byte:
            return line
        line += byte
    return line


def both(what, command, **options):
    """The same output and status with and without the parent."""
    if "input" not in options:
        options.setdefault("stdin", subprocess.DEVNULL)
    plain = subprocess.run(command, capture_output=True, **options)
    run = subprocess.run(PREFIX + command, capture_output=True, **options)
    check(what, (plain.returncode, plain.stdout) == (run.returncode, run.stdout), (plain, run))


def gone(pid):
    for _ in range(200):
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] in "ZX":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


def counts(what, send, expected):
    """Signals that come by `send`, and then SIGUSR2 alone, are seen once each."""
    p = start([sys.executable, "-c", COUNTER], stdout=subprocess.PIPE, start_new_session=True)
    read_line(p.stdout.fileno())
    got = []
    for number in expected:
        send(p, number)
        got.append(read_line(p.stdout.fileno()))
        time.sleep(0.2)    # time for a second one
    os.kill(p.pid, signal.SIGUSR2)
    got.append(p.stdout.read())
    status = p.wait()
    told = [b"%d\n" % n for n in expected] + [b"%d\n" % signal.SIGUSR2]
    check(what, got == told and status == 0, (got, told, status))


def stops():
    """A terminal's ^Z stops the job for the shell, and it goes on; ^C ends it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp((PREFIX + ["cat"])[0], PREFIX + ["cat"])
    shell = []
    os.write(terminal, b"one\n")
    while b"one\r\none" not in b"".join(shell):
        shell.append(os.read(terminal, 1000))
    os.write(terminal, b"\x1a")
    # The session's leader is in an orphaned group, which a terminal cannot stop: so nothing happens yet.
    time.sleep(0.2)
    os.write(terminal, b"two\n")
    while b"two\r\ntwo" not in b"".join(shell):
        shell.append(os.read(terminal, 1000))
    os.write(terminal, b"\x03")
    _, status = os.waitpid(pid, 0)
    check("a terminal's ^C ends it by SIGINT", os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGINT, status)


JOBS = """
import os, signal, sys, time
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if not job:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpgid(0))
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
for turn in range(2):
    _, status = os.waitpid(job, os.WUNTRACED)
    print("stopped", os.WSTOPSIG(status) if os.WIFSTOPPED(status) else status, flush=True)
    os.tcsetpgrp(0, os.getpgid(0))
    os.tcsetpgrp(0, job)
    os.killpg(job, signal.SIGCONT)
_, status = os.waitpid(job, 0)
os.tcsetpgrp(0, os.getpgid(0))
print("ended", status, flush=True)
"""


def job_control():
    """A shell with job control sees it stop at ^Z, and at what it does to itself, and can go on with it."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.executable, [sys.executable, "-c", JOBS] + PREFIX +
                  ["sh", "-c", "echo begin; read a; kill -STOP $$; read b; echo got $a $b; exit 5"])
    said = b""

    def wait_for(text):
        nonlocal said
        end = time.time() + 20
        while text not in said and time.time() < end:
            if select.select([terminal], [], [], 1)[0]:
                try:
                    said += os.read(terminal, 1000)
                except OSError:
                    break
        return text in said

    steps = [wait_for(b"begin")]
    os.write(terminal, b"\x1a")
    steps.append(wait_for(b"stopped %d" % signal.SIGTSTP))
    os.write(terminal, b"A\n")
    steps.append(wait_for(b"stopped %d" % signal.SIGSTOP))
    os.write(terminal, b"B\n")
    steps.append(wait_for(b"got A B"))
    steps.append(wait_for(b"ended %d" % (5 << 8)))
    os.waitpid(pid, 0)
    check("a shell with job control stops it and goes on with it", all(steps), (steps, said))


def killed():
    p = start([sys.executable, "-c", COUNTER], stdout=subprocess.PIPE, start_new_session=True)
    child = int(read_line(p.stdout.fileno()).split()[1])
    os.kill(p.pid, signal.SIGKILL)
    p.wait()
    check("killed, it takes the command with it", gone(child), child)
    left = subprocess.run(["ps", "-o", "pid=,args=", "-s", str(p.pid)], capture_output=True, text=True).stdout
    check("and all else", all("Z" in line or "defunct" in line for line in left.splitlines()) or not left, left)


def streams():
    code = "import os, time; os.close(0); os.close(1); time.sleep(1); os.kill(os.getpid(), 15)"
    p = start([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    begin = time.time()
    rest = p.stdout.read()
    running = p.poll() is None
    try:
        p.stdin.write(b"x")
        p.stdin.flush()
        broken = False
    except BrokenPipeError:
        broken = True
    p.stdin = None
    status = p.wait()
    check("standard output that the command closes is closed", rest == b"" and running, (rest, time.time() - begin))
    check("so is standard input", broken)
    check("and it ends by the command's signal", status == -signal.SIGTERM, status)


def main():
    both("exit status", ["sh", "-c", "exit 7"])
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
        both(f"deadly signal {int(number)}", ["sh", "-c", f"kill -{int(number)} $$"])
    both("standard input and output", ["cat"], input=b"a line\n" * 100000)
    both("signals that are blocked and ignored", ["grep", "^Sig[BI]", "/proc/self/status"])

    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])

    both("signals ignored and blocked by who began it",
         ["sh", "-c", "grep '^Sig[BI]' /proc/self/status; exit 3"], preexec_fn=ignore)
    with open("/dev/zero") as zero:
        both("descriptors", [sys.executable, "-c", "import os; print(sorted(os.listdir('/proc/self/fd')), "
                             "[os.readlink(f'/proc/self/fd/{n}') for n in (0, %d)])" % zero.fileno()],
             pass_fds=[zero.fileno()])
    both("process group and session", ["sh", "-c", "cut -d' ' -f5,6 /proc/$$/stat"])
    both("without any standard descriptor", ["sh", "-c", "exit 4"],
         preexec_fn=lambda: os.closerange(0, 3))
    one = [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP, signal.SIGCONT]
    counts("signals to it alone are handed on", lambda p, n: os.kill(p.pid, n), one)
    counts("signals to its group come once", lambda p, n: os.killpg(p.pid, n), one)
    stops()
    job_control()
    killed()
    streams()
    print(f"1..{tests}")


main()
