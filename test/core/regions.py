# SPDX-License-Identifier: BSD-3-Clause
"""Regions of a Python program, which writes what it tells as said.h has it."""
import asyncio
import os
import threading

import hybmon

out = {}


def begin_thread(number):
    folder = os.environ.get("TEST_SAID")
    out[threading.get_ident()] = (open(f"{folder}/-.{number}", "w", encoding="utf-8"), number)


def said(text):
    file, number = out[threading.get_ident()]
    print(f"-.{number} {text}", file=file)


def word(name, line):
    name = f"{name} @regions.py:{line}"
    return name


def here(function):
    return function.__code__.co_firstlineno


@hybmon.region
def fibonacci(n):
    line = LINES["fibonacci"]
    said("enter " + word("fibonacci", line))
    hybmon.parameter("n", n)
    said("point " + word("fibonacci", line))
    said(f"  parameter n int={n}")
    result = n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
    said("leave " + word("fibonacci", line))
    return result


@hybmon.region("named", role="phase", size=3, ratio=0.5, kind="a text", huge=2**64 - 1)
def named():
    line = LINES["named"]
    said("enter " + word("named", line))
    for text in ("size int=3", "ratio double=0.5", 'kind string="a text"', "huge unsigned=18446744073709551615"):
        said("point " + word("named", line))
        said("  parameter " + text)
    said("leave " + word("named", line))


class Solver:
    @hybmon.region
    def step(self, fails=False):
        line = LINES["step"]
        said("enter " + word("Solver.step", line))
        said("leave " + word("Solver.step", line))
        if fails:
            raise ValueError("as it should")
        return self


@hybmon.region
def numbers(count):
    line = LINES["numbers"]
    said("enter " + word("numbers", line))
    for i in range(count):
        said("leave " + word("numbers", line))
        got = yield i
        said("enter " + word("numbers", line))
        assert got is None or got == "sent"
    said("leave " + word("numbers", line))
    return count


@hybmon.region
async def waits():
    line = LINES["waits"]
    said("enter " + word("waits", line))
    said("leave " + word("waits", line))
    await asyncio.sleep(0)
    said("enter " + word("waits", line))
    said("leave " + word("waits", line))
    return 7


LINES = {}
for number, text in enumerate(open(__file__, encoding="utf-8"), 1):
    if text.lstrip().startswith("@hybmon.region"):
        LINES[None] = number
    elif text.lstrip().startswith(("def ", "async def ")) and None in LINES:
        LINES[text.split("(")[0].split()[-1]] = LINES.pop(None)


def main():
    begin_thread(0)
    total = fibonacci(8)
    named()
    solver = Solver()
    assert solver.step() is solver
    try:
        solver.step(fails=True)
    except ValueError:
        pass
    assert list(numbers(3)) == [0, 1, 2]
    made = numbers(2)
    next(made)
    made.send("sent")
    made.close()
    assert asyncio.run(waits()) == 7
    with hybmon.region("block", file="/elsewhere/there.c", line=5):
        said("enter block @there.c:5")
        with hybmon.region("\xfcber"):
            pass
    said("enter \xfcber @regions.py:%d" % (here(main) + 18))
    said("leave \xfcber @regions.py:%d" % (here(main) + 18))
    said("leave block @there.c:5")
    residual = hybmon.counter("residual", mode="sample")
    residual(0.25)

    def thread():
        begin_thread(1)
        fibonacci(5)
        out[threading.get_ident()][0].close()
    other = threading.Thread(target=thread)
    other.start()
    other.join()
    assert fibonacci.__name__ == "fibonacci"
    print(total)


main()
