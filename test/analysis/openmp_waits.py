# SPDX-License-Identifier: BSD-3-Clause
"""
How long OpenMP's threads waited, from the JSON Lines of a recording, by definition: the n-th barrier in the same use of a
team is one barrier, and each of its members waits there until the last one comes; whoever gets a lock that another had
since it asked has waited since it asked; at a region's last barrier the threads that did not fork it are idle until they
are needed again. In a taskwait a thread waits for the last task that another one completes meanwhile; a thread that has
nothing to do at a barrier or in a taskwait, and executes a task then, waited for another thread to create it.
"""
import bisect
import collections

BARRIERS = {"barrier", "implicit_barrier"}
WAITS = BARRIERS | {"task_wait"}
LOCKS = {"critical", "atomic", "ordered", "lock"}


class Place:
    """A region that a thread is in."""

    def __init__(self, region, time):
        self.role = region["role"] if region["paradigm"] == "openmp" and region.get("plain") != "taskgroup" else ""
        self.kernel = region["paradigm"] == "kernel"
        self.time, self.had, self.barrier = time, False, None
        self.stays = None


def innermost(stack):
    return next((p for p in reversed(stack) if not p.kernel), Place({"paradigm": ""}, 0))


def follow(row, regions):
    """A thread's barriers, what it had of locks, and when it forked."""
    stack, teams, uses, counts = [], [], collections.Counter(), collections.Counter()
    barriers, held, forks, forked = [], [], [], None
    stays, task = [], None
    for i, event in enumerate(row):
        what, time = event["event"], event["time"]
        if what == "enter":
            place = Place(regions[event["region"]], time)
            around = innermost(stack)
            same = place.role == around.role == "task_wait" or place.role in BARRIERS and around.role in BARRIERS
            if around.stays and not place.kernel and not same:
                around.stays.update(to=time, task=task if place.role == "task" else None)
                around.stays = None
            if place.role == "parallel" and forked:
                teams.append(forked + (True,))
                forked = None
            if place.role in BARRIERS and around.role in BARRIERS:
                place.barrier = around.barrier
            elif place.role in BARRIERS and teams and teams[-1][0] is not None:
                counts[teams[-1][:2]] += 1
                place.barrier = {"key": teams[-1][:2] + (counts[teams[-1][:2]],), "came": time, "forked": teams[-1][2]}
                barriers.append(place.barrier)
            if same:
                place.stays, around.stays = around.stays, None
            elif place.role == "task_wait" or place.barrier:
                place.stays = {"at": place.role, "from": time}
                stays.append(place.stays)
            stack.append(place)
        elif what == "leave":
            place = stack.pop()
            around = innermost(stack)
            same = place.role == around.role == "task_wait" or place.role in BARRIERS and around.role in BARRIERS
            if same:
                around.stays = place.stays
            elif place.stays:
                place.stays.update(to=time, task="over")
            elif not place.kernel and (around.role == "task_wait" or around.barrier):
                around.stays = {"at": around.role, "from": time}
                stays.append(around.stays)
            if place.barrier and place.barrier is not around.barrier:
                place.barrier.update(left=time, next=following(row, i))
            elif not place.kernel and not place.barrier and around.barrier:
                around.barrier["came"] = time
        elif what == "fork":
            forks.append(time)
            forked = (None, 0)
        elif what == "team_begin":
            uses[event["team"]] += 1
            if forked:
                forked = (event["team"], uses[event["team"]])
            else:
                teams.append((event["team"], uses[event["team"]], False))
        elif what in ("team_end", "join"):
            if teams and teams[-1][2] == (what == "join"):
                teams.pop()
        elif what == "task_switch":
            task = task_of(event)
        elif what == "lock_acquired":
            place = innermost(stack)
            asked = place.time if place.role in LOCKS and not place.had else None
            place.had = True
            held.append({"lock": event["lock"], "order": event["order"], "asked": asked, "had": time})
        elif what == "lock_released":
            for each in reversed(held):
                if each["lock"] == event["lock"] and each["order"] == event["order"] and "gone" not in each:
                    each["gone"] = time
                    break
    return barriers, held, forks, stays


def task_of(event):
    """Who it is, by team, creator and number; None: no explicit task."""
    return (event.get("team"), event["creator"], event["task"]) if event["task"] else None


def tasks_waited(tracks, events, all_stays):
    """Each thread's waiting for tasks."""
    created, completed = {}, collections.defaultdict(list)
    for track in tracks:
        process = tracks[track]["process"]
        for event in events[track]:
            if event["event"] == "task_create" and event["task"]:
                created[process, task_of(event)] = (event["time"], track)
            elif event["event"] == "task_complete" and event["task"]:
                completed[process].append((event["time"], track))
    for times in completed.values():
        times.sort()
    for track, stays in all_stays.items():
        process = tracks[track]["process"]
        for stay in stays:
            begin, end = stay["from"], stay["to"]
            if stay["task"] == "over":
                if stay["at"] == "task_wait":
                    last = bisect.bisect_right(completed[process], (end, 1 << 62)) - 1
                    time, other = completed[process][last] if last >= 0 else (begin, track)
                    yield track, time - begin if time > begin and other != track else 0
            elif stay["task"]:
                time, other = created.get((process, stay["task"]), (begin, track))
                yield track, min(time, end) - begin if time > begin and other != track else 0


def following(row, i):
    """Whether the team's part ends with the barrier, and another begins at once."""
    time = row[i]["time"]
    words = [e["event"] for e in row[i + 1:i + 20] if e["event"] not in ("leave", "metric") and e["time"] == time]
    return words[:2] if words[:1] == ["team_end"] else []


def judge(defines, events):
    """How long each thread waited, by kind."""
    waited = collections.Counter()
    tracks = {t["id"]: t for t in defines["track"].values() if t["kind"] == "thread"}
    by_location = {t["location"]: t["id"] for t in tracks.values()}
    stays = {}
    all_barriers, locks, forks = collections.defaultdict(list), collections.defaultdict(list), {}
    for track in tracks:
        barriers, held, forks[track], stays[track] = follow(events[track], defines["region"])
        for barrier in barriers:
            all_barriers[barrier["key"]].append((track, barrier))
        for each in held:
            locks[tracks[track]["process"], each["lock"]].append((track, each))
    for (team, _, _), members in all_barriers.items():
        last = max(barrier["came"] for _, barrier in members)
        first = by_location[defines["team"][team]["members"][0]]
        for track, barrier in members:
            until = min(last, barrier["left"])
            waited[track, "omp_barrier"] += max(until - barrier["came"], 0)
            if barrier["next"] and not barrier["forked"]:
                needed = [t for t in forks[first] if last <= t <= barrier["left"]]
                end = needed[-1] if needed and len(barrier["next"]) > 1 else barrier["left"]
                waited[track, "omp_idle"] += end - until
    for held in locks.values():
        held.sort(key=lambda each: each[1]["had"])
        for i, (track, each) in enumerate(held):
            if each["asked"] is None:
                continue
            for other, before in held[max(0, i - 64):i]:
                if other != track and before.get("gone", each["had"]) > each["asked"]:
                    waited[track, "omp_lock"] += each["had"] - each["asked"]
                    break
    for track, ns in tasks_waited(tracks, events, stays):
        waited[track, "omp_task"] += ns
    return waited
