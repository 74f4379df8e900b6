# SPDX-License-Identifier: BSD-3-Clause
"""What otf2-print printed of an archive, counted: how often each kind of event is on each location, in the words of
doc/json.md. For tests that compare other outputs of the same recording with it."""
import collections
import re

KINDS = {
    "ENTER": "enter", "LEAVE": "leave", "PROGRAM_BEGIN": "program_begin", "PROGRAM_END": "program_end",
    "METRIC": "metric", "MPI_SEND": "send", "MPI_ISEND": "isend", "MPI_RECV": "recv", "MPI_IRECV": "irecv",
    "MPI_IRECV_REQUEST": "irecv_request", "MPI_ISEND_COMPLETE": "isend_complete", "MPI_REQUEST_TEST": "request_test",
    "MPI_REQUEST_CANCELLED": "request_cancelled", "MPI_COLLECTIVE_BEGIN": "collective_begin",
    "MPI_COLLECTIVE_END": "collective_end", "NON_BLOCKING_COLLECTIVE_REQUEST": "collective_request",
    "NON_BLOCKING_COLLECTIVE_COMPLETE": "collective_complete", "RMA_PUT": "rma_op", "RMA_GET": "rma_op",
    "RMA_ATOMIC": "rma_op", "RMA_OP_COMPLETE_BLOCKING": "rma_done",
    "RMA_OP_COMPLETE_NON_BLOCKING": "rma_done_request", "RMA_OP_COMPLETE_REMOTE": "rma_done_remote",
    "RMA_COLLECTIVE_BEGIN": "rma_collective_begin", "RMA_COLLECTIVE_END": "rma_collective_end",
    "RMA_WIN_CREATE": "window_create", "RMA_WIN_DESTROY": "window_destroy", "RMA_GROUP_SYNC": "rma_group_sync",
    "RMA_REQUEST_LOCK": "rma_lock_request", "RMA_ACQUIRE_LOCK": "rma_lock_acquired",
    "RMA_RELEASE_LOCK": "rma_lock_released", "RMA_SYNC": "rma_sync", "IO_CREATE_HANDLE": "io_create",
    "IO_DESTROY_HANDLE": "io_destroy", "IO_DELETE_FILE": "io_delete", "IO_SEEK": "io_seek",
    "IO_OPERATION_BEGIN": "io_begin", "IO_OPERATION_ISSUED": "io_issued", "IO_OPERATION_COMPLETE": "io_complete",
    "IO_OPERATION_CANCELLED": "io_cancelled", "THREAD_FORK": "fork", "THREAD_JOIN": "join",
    "THREAD_TEAM_BEGIN": "team_begin", "THREAD_TEAM_END": "team_end", "THREAD_TASK_CREATE": "task_create",
    "THREAD_TASK_SWITCH": "task_switch", "THREAD_TASK_COMPLETE": "task_complete",
    "THREAD_ACQUIRE_LOCK": "lock_acquired", "THREAD_RELEASE_LOCK": "lock_released",
}


def read(path):
    """Counts by (location, kind) from a file with otf2-print's output."""
    counts = collections.Counter()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r"([A-Z_]+) +(\d+) +\d+(.*)", line)
            if not match:
                continue
            name, location, rest = match.group(1), int(match.group(2)), match.group(3)
            if name == "MEASUREMENT_ON_OFF":
                kind = "off" if re.search(r"\bOFF\b", rest) else "on"
            else:
                kind = KINDS[name]
            counts[location, kind] += 1
    return counts


def by_kind(counts):
    sums = collections.Counter()
    for (_, kind), count in counts.items():
        sums[kind] += count
    return sums


def counter_values(path):
    """How many values counters have: one for each counter, location and time."""
    values = set()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            match = re.match(r"METRIC +(\d+) +(\d+) +Metric: ", line)
            if match:
                values.update((match.group(1), match.group(2), member) for member in re.findall(r"<(\d+)>; \w+; ", line))
    return len(values)
