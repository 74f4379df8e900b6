# SPDX-License-Identifier: BSD-3-Clause
"""What ends a program of a test is said in one line, since of a test that fails the first lines are shown."""

import os
import sys
import traceback

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def say(kind, error, trace):
    """With the lines of the test's own files that led there, the last one first."""
    sys.stdout.flush()
    places = [f"{os.path.basename(f.filename)}:{f.lineno} in {f.name}" for f in traceback.extract_tb(trace)
              if os.path.abspath(f.filename).startswith(HERE)]
    print(f"{kind.__name__}: {error}; {', '.join(reversed(places))}", file=sys.stderr)


sys.excepthook = say
