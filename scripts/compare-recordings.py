#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare-recordings.py [OPTION...] BEFORE AFTER WORK: runs the rows on stdin with the libraries of two build folders
and says which were recorded differently. Called by compare-recordings.sh, which says what for; a row is
NAME|HOW|RANKS|VARIABLES|COMMAND.

What is compared of a run are views: lists of lines, each by process and thread. Two runs of one library differ in what
depends on time, so each view is taken at levels, from the finest to the coarsest:

exact    each thread's lines in order. Addresses that differ from run to run are numbered as they come; a call is one
         line, whether it was written as CALL or as ENTER and LEAVE, which its duration decides
threads  threads but the main one by what they did, not by number; numbers of tasks, requests and locks as they come
         in each thread; without calls that found nothing, which are as many as there was time for
sorted   the lines of each process, sorted, without such numbers
shapes   which lines there are at all in a process, without any number

Runs agree in a view at the finest level at which a run of one library is that of the other. Where none is, and those
of BEFORE are alike, the view differs; where they are not, the next level decides. Of the coarsest level only those
lines count in the end that all runs of one side have and none of the other.
"""
import argparse
import collections
import concurrent.futures
import difflib
import glob
import os
import re
import shutil
import subprocess
import sys

LEVELS = ('exact', 'threads', 'sorted', 'shapes')
VIEWS = ('words', 'forms', 'definitions', 'manifest', 'headers', 'files', 'said', 'outcome', 'readers')
TIMEOUT = 60
TIMED_OUT = 124
NO_RANK = 1 << 30
FEW = 20   # so many records of a kind say nothing in all rows together
# becomes the program, with its outputs in files of its own, and the launcher's output held open as Hydra wants it
RANK_SH = ('out=$1/rank.${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}; shift; exec 9>&1; '
           'exec "$@" >"$out.stdout" 2>"$out.stderr"')
# of a manifest, what is a run's own
OWN_KEYS = {'pid', 'until', 'start', 'boot', 'started', 'counter', 'experiment', 'job', 'seconds', 'directory', 'host',
            'rank-0', 'args', 'parent'}
# functions that may be called as often as there is time for
POLLS = re.compile(r'call (MPI_(Test|Iprobe|Improbe|Request_get_status|Win_test|Parrived)\w*)$')
ENTERS, LEAVES, MORE, POLL, CALL = {0x01, 0x21}, {0x02, 0x22}, 0x05, 0x61, 0x07


def record_names(source):
    """The names of record types, from the format's header."""
    names = {}
    sizes = {'HYB_SIZE_VAR': 3}
    header = glob.glob(os.path.join(source, 'src/**/format.h'), recursive=True)
    with open(header[0], encoding='utf-8') as f:
        for name, kind, size, which in re.findall(r'HYB_(\w+)\s*=\s*HYB_(TIMED|ATTACHED)\((\w+), (\d+)\)', f.read()):
            number = sizes[size] if size in sizes else int(size)
            names[(0x80 if kind == 'ATTACHED' else 0) | number << 5 | int(which)] = name
    return names


class Build:
    """A build folder as its test/env.sh describes it."""

    def __init__(self, folder):
        script = '. "$0/test/env.sh" && set'
        lines = subprocess.run(['sh', '-c', script, folder], capture_output=True, text=True, check=True).stdout
        self.values = dict(re.findall(r"^(\w+)='?(.*?)'?$", lines, re.M))
        self.folder = folder
        self.source = self.values['hyb_source']
        self.library = self.values['hyb_preload']
        self.printer = os.path.join(folder, 'tools/hybmon-print')


class Event:
    """A timed record with what is attached to it, as hybmon-print --raw shows it."""

    def __init__(self, head=''):
        self.head = head
        self.attached = []
        self.types = []
        self.place = None

    def take_raw(self, place, words):
        self.place = place
        position = 0
        while position < len(words):
            word = int(words[position], 16)
            kind = word >> 56
            size = kind >> 5 & 3
            self.types.append(kind)
            position += max(1, word >> 40 & 0xffff if size == 3 else size + 1)


class Process:
    def __init__(self, line):
        self.line = line
        self.definitions = []
        self.definition_types = []
        self.streams = collections.OrderedDict()


def parse_print(text):
    """The processes of `hybmon-print --no-times --raw`."""
    processes = []
    event = None
    for line in text.splitlines():
        label, _, rest = line.partition(' ')
        if rest.startswith('process'):
            processes.append(Process(rest))
            continue
        if not processes:
            continue
        process = processes[-1]
        if rest.startswith('def '):
            process.definitions.append(rest)
            continue
        raw = rest.split() if rest.startswith('  raw ') else None
        if '.' not in label:
            if raw:
                process.definition_types.append((int(raw[2], 16) >> 56, len(raw) - 2))
            continue
        if rest.startswith('stream ') or label not in process.streams:
            process.streams.setdefault(label, [])
            event = None
            if rest.startswith('stream '):
                process.streams[label].append(Event(rest))
                continue
        stream = process.streams[label]
        if raw:
            if event is None:
                event = Event()
                stream.append(event)
            event.take_raw(raw[1], raw[2:])
            event = None
        elif rest.startswith('  '):
            if event is None:
                event = Event()
                stream.append(event)
            event.attached.append(rest.strip())
        else:
            event = Event(rest)
            stream.append(event)
            if rest.startswith(('gap ', 'stands ')):
                event = None
    return processes


def calls_of(events, counts):
    """The events with Enter, Leave and what comes between of a call in one: (head, attached, types)."""
    out = []
    i = 0
    while i < len(events):
        event = events[i]
        end = i + 1
        if event.types and event.types[0] in ENTERS:
            while end < len(events) and events[end].types[:1] == [MORE]:
                end += 1
        leave = events[end] if end < len(events) else None
        if (end > i and leave and event.types and event.types[0] in ENTERS and leave.types[:1] and
                leave.types[0] in LEAVES and leave.head[6:] == event.head[6:]):
            group = events[i:end + 1]
            short = leave.place == event.place
            counts['CALL' if short else 'ENTER and LEAVE', event.head[6:]] += 1
            for one in group:
                counts.update(one.types[1:])
            out.append(('call ' + event.head[6:], [a for e in group for a in e.attached],
                        [t for e in group for t in e.types[(e.types[0] != MORE):]]))
            i = end + 1
        else:
            counts.update(event.types)
            out.append((event.head or 'more', event.attached, event.types))
            i += 1
    return out


def renumber(pattern, lines, prefix='#'):
    """What the pattern finds, numbered as it comes."""
    seen = {}

    def number(match):
        return match.group(1) + seen.setdefault(match.group(2), prefix + str(len(seen) + 1))
    return [re.sub(pattern, number, line) for line in lines]


ADDRESSES = re.compile(r'(@|address=)(0x[0-9a-f]+)')
NUMBERS = re.compile(r'(\b)(\d+\.\d+)\b')
SMALL = re.compile(r'\b(code|lock|team|use|order|stream|member|first|count|threads)=-?\d+|\b(comm|win|file)#\d+')
DIGITS = re.compile(r'0x[0-9a-f]+|\d+')


def flat(line):
    return DIGITS.sub('N', line)


def found_nothing(item):
    head, attached, _ = item
    return head.startswith('poll ') or bool(
        POLLS.match(head) and all(a.startswith('tested ') for a in attached))


def line_of(item):
    head, attached, _ = item
    return ' | '.join([head] + [a for a in attached if not a.startswith('began ')])


def shapes(lines, separator):
    """Each event there is, and each thing that is attached to one of its kind"""
    out = set()
    for line in lines:
        head, *rest = flat(line).split(separator)
        out.add(head)
        out.update(head + separator + one for one in rest if not one.startswith(('tested', 'REQUEST_TESTED')))
    return out


class Threads:
    """A view of what threads did: lines of each thread of each process."""

    def __init__(self, processes, names=None):
        self.processes = processes   # [(label, [[item, ...] for each thread])]
        self.names = names           # for the kinds of records instead of the words

    def lines(self, items):
        if self.names is None:
            return renumber(ADDRESSES, [line_of(i) for i in items])
        out = []
        for head, _, types in items:
            kinds = ' '.join(self.names.get(t, hex(t)) for t in types if self.names.get(t) != 'BEGAN')
            out.append(head.split(' ')[0] + ' ' + kinds if types else head.split(' ')[0])
        return out

    def at(self, level):
        out = []
        for label, threads in self.processes:
            if level:
                threads = [[i for i in t if not found_nothing(i)] for t in threads]
            threads = [self.lines(t) for t in threads]
            if level == 1:
                threads = [[SMALL.sub(r'\1\2', line) for line in renumber(NUMBERS, t)] for t in threads]
                threads = threads[:1] + sorted(threads[1:])
            elif level >= 2:
                lines = [SMALL.sub(r'\1\2', NUMBERS.sub('#', line)) for t in threads for line in t]
                if level == 3:
                    lines = shapes(lines, ' | ' if self.names is None else ' ')
                threads = [sorted(lines)]
            for number, lines in enumerate(threads):
                name = label + ('.%d' % number if level < 2 else '')
                out.extend(name + ' ' + line for line in lines)
        return sorted(out) if level >= 2 else out


class Lines:
    """A view that is a list of lines."""

    def __init__(self, lines, coarse=None):
        self.given = lines
        self.coarse = coarse or (lambda line: line)

    def at(self, level):
        if level == 0:
            return self.given
        if level == 1:
            return [self.coarse(line) for line in self.given]
        lines = sorted(self.coarse(line) for line in self.given)
        return lines if level == 2 else sorted(set(flat(line) for line in lines))


def header_lines(path):
    """What a stream's header says that time does not decide."""
    with open(path, 'rb') as f:
        page = f.read(4096)
    if len(page) < 4096:
        return ['short']

    def number(offset, size):
        return int.from_bytes(page[offset:offset + size], 'little')
    return ['magic=%r order=%x format=%d.%d size=%d chunk=%d kind=%d counter=%d ring=%d slots=%d' %
            (page[:8], number(8, 4), number(12, 2), number(14, 2), number(16, 4), number(20, 4), number(24, 4),
             number(28, 4), number(36, 4), number(64, 8)),
            'state=%d lost=%d errno=%d wrap=%d name=%r ended=%s' %
            (number(120, 8), number(136, 8), number(160, 8), number(176, 8), page[184:248].rstrip(b'\0'),
             number(168, 8) != 0),
            'newest=%d' % number(128, 8)]


class Run:
    """One run of a row with one build's library, and its views."""

    def __init__(self, job, build, row, folder):
        self.job = job
        self.build = build
        self.row = row
        self.folder = folder
        self.counts = collections.Counter()
        self.recorded = 0
        self.execute()
        self.views = {}
        self.look()

    def execute(self):
        row = self.row
        cwd = os.path.join(self.folder, 'cwd')
        for again in range(2):
            shutil.rmtree(self.folder, ignore_errors=True)
            for name in ('cwd', 'expect', 'count', 'spool'):
                os.makedirs(os.path.join(self.folder, name))
            fill = {'@work@': self.folder, '@lib@': self.build.values['hyb_lib'],
                    '@hybmon@': os.path.join(self.build.folder, 'tools/hybmon')}

            def filled(text):
                for key, value in fill.items():
                    text = text.replace(key, value)
                return text.split()
            command = filled(row.command)
            if row.how not in ('-', 'alone') and row.ranks != '-':
                command = [self.job.before.values[row.how + '_mpirun'], '-n', row.ranks, 'sh', '-c', RANK_SH, 'sh',
                           self.folder] + command
            env = dict(os.environ, TEST_EXPECT=os.path.join(self.folder, 'expect'),
                       TEST_COUNT=os.path.join(self.folder, 'count'),
                       OMP_STATEMENTS=os.path.join(self.folder, 'statements'))
            env.update(v.split('=', 1) for v in filled(row.variables))
            preload = [] if row.how == 'alone' else ['env', 'LD_PRELOAD=' + self.build.library]
            with open(os.path.join(self.folder, 'stdout'), 'wb') as out, \
                    open(os.path.join(self.folder, 'stderr'), 'wb') as err:
                self.status = subprocess.run(preload + ['timeout', '-k', '5', str(TIMEOUT)] + command, cwd=cwd, env=env,
                                             stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False).returncode
            if self.status != TIMED_OUT:
                break

    def plain(self, text):
        """Without what is the run's or the build's own."""
        for path, name in ((self.folder, '@run@'), (self.build.folder, '@build@'), (self.build.source, '@source@'),
                           (self.job.before.folder, '@build@'), (self.job.before.source, '@source@'),
                           (self.job.after.folder, '@build@'), (self.job.after.source, '@source@'),
                           (self.job.work, '@work@')):
            text = text.replace(path, name)
        text = re.sub(r'HYBMON_RUN=\S+', 'HYBMON_RUN=@', text)
        text = re.sub(r'(hybmon-[\w.-]*?)-\d+(\.\d+)*\b(?!-)', r'\1-JOB', text)
        return re.sub(r'hybmon\[[0-9]{3,}(\.\d+)?\]', 'hybmon[PID]', text)

    def read(self, *names):
        try:
            with open(os.path.join(self.folder, *names), encoding='utf-8', errors='replace') as f:
                return f.read()
        except OSError:
            return ''

    def experiments(self):
        found = []
        for where, folders, files in os.walk(os.path.join(self.folder, 'cwd')):
            if 'manifest' in files and self.read(where, 'manifest').startswith('hybmon experiment manifest'):
                found.append(where)
                folders.clear()
        return sorted(found, key=lambda e: (self.plain(self.first_args(e)), e))

    def first_args(self, experiment):
        for name in sorted(os.listdir(experiment)):
            match = re.search('^args: .*', self.read(experiment, name, 'manifest'), re.M)
            if match:
                return match.group(0) + experiment.count('/accept/') * 'a'
        return ''

    def look(self):
        words, definitions, forms = [], [], []
        manifest, headers, readers = [], [], []
        experiments = self.experiments()
        for number, experiment in enumerate(experiments):
            text = subprocess.run([self.job.before.printer, '--no-times', '--raw', experiment], capture_output=True,
                                  text=True, errors='replace', check=False).stdout
            processes = parse_print(text)
            for count, process in enumerate(processes):
                label = '%d:%d' % (number, count)
                definitions += [label + ' ' + process.line]
                definitions += [label + ' ' + self.definition(d) for d in process.definitions]
                forms += ['%s def %s of %d words' % (label, self.job.names.get(t, hex(t)), n)
                          for t, n in process.definition_types if self.job.names.get(t) != 'DEF_CLOCK']
                words.append((label, [calls_of(s, self.counts) for s in process.streams.values()]))
                self.recorded += sum(len(s) for s in process.streams.values())
            readers += self.other_reader(experiment)
            self.look_at_files(number, experiment, manifest, headers)
        said = []
        printed = []
        for name in sorted(os.listdir(self.folder)):
            if name.endswith('stderr'):
                said += [name + ': ' + self.plain(line) for line in self.read(name).splitlines()
                         if line.startswith('hybmon')]
            elif name.endswith('stdout'):
                printed += [name + ': ' + self.plain(line) for line in self.read(name).splitlines()]
        self.views = {
            'words': Threads(words), 'forms': Threads(words, self.job.names), 'readers': Lines(readers),
            'definitions': Lines(definitions, lambda line: SMALL.sub(r'\1\2', line)),
            'shapes of definitions': Lines(forms), 'manifest': Lines(manifest), 'headers': Lines(headers, first_part),
            'files': Lines(self.files(experiments), first_part), 'said': Lines(said),
            'outcome': Lines(['exit status %d' % self.status] + printed)}

    def definition(self, line):
        if 'libhybmon' in line:
            line = re.sub(r'build=\w+', 'build=ours', line)
        return ADDRESSES.sub(r'\1X', self.plain(line))

    def other_reader(self, experiment):
        """What AFTER's hybmon-print says otherwise of the same files. Live readers are no part of this."""
        if self.job.after.folder == self.job.before.folder:
            return []
        both = [subprocess.run([b.printer, '--raw', experiment], capture_output=True, check=False).stdout
                for b in (self.job.before, self.job.after)]
        return [] if both[0] == both[1] else ["hybmon-print of the two builds differ on the same recording"]

    def look_at_files(self, number, experiment, manifest, headers):
        processes = sorted((d for d in os.listdir(experiment) if os.path.isdir(os.path.join(experiment, d))),
                           key=lambda d: (self.rank_of(experiment, d), d))
        for count, folder in enumerate([''] + processes):
            label = '%d:%d' % (number, count - 1) if folder else '%d' % number
            for line in self.read(experiment, folder, 'manifest').split('\n'):
                key, colon, value = line.rstrip().partition(': ')
                if key in OWN_KEYS and value not in ('', '-'):
                    value = '*'
                padded = ' ...' if line.endswith(' ') else ''
                manifest.append(label + ' ' + key + colon + self.plain(value) + padded)
            for name in sorted(os.listdir(os.path.join(experiment, folder))):
                if folder and name.endswith('.hyb'):
                    headers += ['%s %s %s' % (label, name, line)
                                for line in header_lines(os.path.join(experiment, folder, name))]

    def rank_of(self, experiment, folder):
        match = re.search(r'^rank: (\d+)', self.read(experiment, folder, 'manifest'), re.M)
        return int(match.group(1)) if match else NO_RANK

    def files(self, experiments):
        """Names, kinds, rights and sizes of all that the run has left."""
        out = []
        shm = [os.path.join('/dev/shm', n) for n in os.listdir('/dev/shm')]
        for path in shm:
            if os.path.islink(path) and os.readlink(path).startswith(self.folder + '/'):
                out.append('link in /dev/shm')
        hosts = {}
        for experiment in experiments:
            for folder in os.listdir(experiment):
                rank = self.rank_of(experiment, folder)
                hosts[os.path.join(experiment, folder)] = os.path.join(
                    experiment, 'rank-%d' % rank if rank != NO_RANK else 'no-rank')
        for where, folders, files in os.walk(self.folder):
            if where == self.folder:
                folders[:] = [f for f in folders if f not in ('expect', 'count')]
                continue
            for name in sorted(folders + files):
                path = os.path.join(where, name)
                status = os.lstat(path)
                shown = hosts.get(path) or os.path.join(hosts.get(where, where), name)
                size = status.st_size if name in files and name.endswith('.hyb') else 0
                out.append('%s %o|%d' % (self.plain(shown), status.st_mode, size))
        return sorted(out)


def first_part(line):
    """Without sizes and without what grows."""
    return re.sub(r'newest=\d+', 'newest', line.split('|')[0])


Row = collections.namedtuple('Row', 'number name how ranks variables command')


def first_difference(before, after):
    """Some lines of a diff from where the two begin to differ; all of it would take minutes where much differs."""
    start = next((i for i, (a, b) in enumerate(zip(before, after)) if a != b), min(len(before), len(after)))
    window = slice(max(0, start - 1), start + 40)
    diff = difflib.unified_diff(before[window], after[window], n=1, lineterm='')
    return ['        ' + line[:180] for line in diff if not line.startswith(('---', '+++', '@@'))][:7]


def judge(view, befores, afters):
    """(verdict, level, lines): same, differs, noisy; at which level; what differs"""
    for level, name in enumerate(LEVELS):
        a = [run.views[view].at(level) for run in befores]
        b = [run.views[view].at(level) for run in afters]
        if any(one == other for one in a for other in b):
            return 'same', level, []
        if all(one == a[0] for one in a):
            return 'differs', level, [name] + first_difference(a[-1], b[-1])
    lost = set.intersection(*map(set, a)) - set.union(*map(set, b))
    new = set.intersection(*map(set, b)) - set.union(*map(set, a))
    if lost or new:
        return 'differs', 3, ['lines'] + ['        -' + x for x in sorted(lost)[:5]] + \
            ['        +' + x for x in sorted(new)[:5]]
    return 'noisy', 3, ['BEFORE and BEFORE'] + first_difference(a[0], next(x for x in a if x != a[0]))


class Job:
    def __init__(self, options):
        self.before = Build(options.before)
        self.after = Build(options.after)
        self.work = options.work
        self.rounds = options.rounds
        self.keep = options.keep
        self.names = record_names(self.before.source)

    def compare(self, row):
        """The row's line, with what differs; and what was recorded"""
        place = os.path.join(self.work, re.sub(r'[^\w.-]', '_', '%s.%s.%03d' % (row.name, row.how, row.number)))
        runs = [[], []]
        for number in range(self.rounds):
            for side, build in enumerate((self.before, self.after)):
                runs[side].append(Run(self, build, row, '%s/%s%d' % (place, 'ab'[side], number)))
            verdicts = {v: judge(v, *runs) for v in runs[0][0].views}
            # one more round at least where two runs do not agree at once
            if all(verdict == 'same' and level == 0 for verdict, level, _ in verdicts.values()):
                break
            if number and all(verdict == 'same' for verdict, _, _ in verdicts.values()):
                break
        word = max((v[0] for v in verdicts.values()), key=('same', 'noisy', 'differs').index)
        coarse = {v: LEVELS[level] for v, (verdict, level, _) in verdicts.items() if verdict == 'same' and level}
        out = '%-8s %-40s' % (word, row.name + ('' if row.how in ('-', 'alone') else ', ' + row.how))
        if coarse:
            out += ' at ' + ', '.join('%s: %s' % item for item in coarse.items())
        noisy = [v for v, verdict in verdicts.items() if verdict[0] == 'noisy']
        if noisy:
            out += '; noisy: ' + ', '.join(noisy)
        if not runs[0][0].recorded:
            out += ' (nothing recorded, exit status %d)' % runs[0][0].status
        lines = [out.rstrip() + (', %d runs each' % len(runs[0]) if len(runs[0]) > 1 else '')]
        for view, (verdict, _, what) in verdicts.items():
            if verdict != 'same':
                lines += ['    %s (%s):' % (view, what[0])] + what[1:]
        if word == 'differs' and self.keep:
            shutil.copytree(place, os.path.join(self.keep, os.path.basename(place)), symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(place, ignore_errors=True)
        ordered = verdicts['words'][1] < 2   # elsewhere there are as many as come by chance
        return (word, '\n'.join(line.rstrip() for line in lines), runs[0][0].recorded,
                [r[0].counts if ordered else {} for r in runs])

    def kinds(self, counts):
        """How many records of each kind there were in all, where that is not the same; what is missing on one side"""
        bad = 0
        for kind in sorted(k for k in set(counts[0]) | set(counts[1]) if isinstance(k, int)):
            a, b = counts[0][kind], counts[1][kind]
            gone = min(a, b) == 0 and max(a, b) > FEW
            if gone or abs(a - b) > 0.05 * max(a, b) + FEW:
                print('%-8s records of the kind %s: before %d, after %d' %
                      ('differs' if gone else '', self.names.get(kind, hex(kind)), a, b))
                bad += gone
        for function in sorted(set(k[1] for k in counts[0] if not isinstance(k, int))):
            made = [c['CALL', function] + c['ENTER and LEAVE', function] for c in counts]
            if function.startswith('MPI_') and min(made) > 10 * FEW:
                short = [c['CALL', function] / n for c, n in zip(counts, made)]
                if max(short) > 0.5 and min(short) < 0.05:
                    print('differs  %s in one record: before %.0f %% of %d, after %.0f %% of %d' %
                          (function, 100 * short[0], made[0], 100 * short[1], made[1]))
                    bad += 1
        return bad


def main():
    parser = argparse.ArgumentParser(description='see compare-recordings.sh')
    parser.add_argument('--jobs', type=int, default=2)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--keep')
    parser.add_argument('before')
    parser.add_argument('after')
    parser.add_argument('work')
    options = parser.parse_args()
    job = Job(options)
    rows = [Row(n, *line.rstrip('\n').split('|', 4)) for n, line in enumerate(sys.stdin)]
    found = collections.Counter()
    recorded = collections.Counter()
    counts = [collections.Counter(), collections.Counter()]
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for row, (word, text, words, of_row) in zip(rows, pool.map(job.compare, rows)):
            print(text, flush=True)
            found[word] += 1
            recorded[row.how] += words
            for side in (0, 1):
                counts[side].update(of_row[side])
    bad = job.kinds(counts)
    print('%d rows: %d same, %d differ, %d noisy; %d records compared' %
          (len(rows), found['same'], found['differs'], found['noisy'], sum(recorded.values())))
    mute = [how for how, words in recorded.items() if not words]
    if mute:
        print('nothing at all was recorded of the programs with: ' + ' '.join(mute), file=sys.stderr)
        sys.exit(2)
    sys.exit(1 if found['differs'] or bad else 0)


main()
