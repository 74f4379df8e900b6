/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole experiments, changed at random, through hybmon-merge, hybmon-print, hybmon check, hybmon report and hybmon
 * diff: none may crash, take long, or write anything to a terminal that is not text. They are read in forks of this
 * process, some hundred in each.
 *
 *	fuzz-merge FOLDER FIRST COUNT		changes number FIRST to FIRST+COUNT-1 of the experiments in FOLDER
 *	fuzz-merge FOLDER truncate STEP [FIRST COUNT]	each of their files cut at each STEPth length; or so many of these
 *	fuzz-merge FOLDER keep NUMBER TO	leaves what number NUMBER is in the folder TO
 *
 * A folder's entries are cases: folders with one or more experiments. What number N is depends on N and the cases
 * only. Says TAP; on failure the number, and what was said.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/common/lacking.h"
#include "change.h"
#include "tools/common/commands.h"
#include "reader/streams/file.h"

/* Of CPU time; of a machine that has none for it nobody knows more than that it hangs. */
#define LIMIT_S 10
#define HANGS_S 600
#define BATCH 200
#define SAID "said"

/* What a sanitizer sees ends the process; an archive that is given up leaks within the library. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0:exitcode=99:allocator_may_return_null=1:quarantine_size_mb=16:"
	       "allocator_release_to_os_interval_ms=-1";
}

const char *__ubsan_default_options(void)
{
	return "halt_on_error=1:print_stacktrace=1:exitcode=98";
}

struct shared { /* by the process that reads and the one that watches it */
	unsigned long long number; /* that is being read */
	unsigned long long done, failures, longest_number;
	double begun, begun_cpu, longest; /* begun: elapsed; the others of the CPU time of the process that reads */
};

static struct shared *shared;
static char place[64];
static char to[64] = "--to=samples"; /* and all else that this build can write */
static FILE *out; /* where the test says what it has to; the tools' outputs go into a file */

static void add_sinks(void)
{
	strcat(to, hyb_build_lacks(HYB_OPTIONAL_OTF2) ? "" : ",otf2,otf2-samples");
	strcat(to, hyb_build_lacks(HYB_OPTIONAL_JANSSON) ? "" : ",json");
	strcat(to, hyb_build_lacks(HYB_OPTIONAL_PROTOBUF_C) ? "" : ",perfetto");
}

static double now(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? 0 : (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void begin(void)
{
	shared->begun = now(CLOCK_MONOTONIC);
	shared->begun_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
}

/* The tools in turn; some argument of each is enough to see all of their lines. */
static int read_it(const char *dir, unsigned long long number)
{
	static const char *const ways[][5] = {
		{ "hybmon-print", "--defs", "--events", "--raw" },
		{ "hybmon-print", "--summary", "--profile" },
		{ "hybmon-print", "--no-times" },
	};
	static const char *const parts[] = { "--from=0", "--until=1000", "--from=20us", "--until=300us", "--ranks=0" };
	const char *merge[] = { "hybmon-merge", "-f", number % 3 ? "-j1" : "-j3", to, parts[number % 5], dir, NULL };
	const char *check[] = { "hybmon check", number % 2 ? "--all" : "--buffered=0", dir, NULL };
	static const char *const forms[] = { "--json", "--all", "--html=/dev/null" };
	const char *report[] = { "hybmon report", forms[number % 3], dir, NULL };
	const char *diff[] = { "hybmon diff", number % 2 ? "--json" : "--all", dir, dir, NULL };
	const char *view[] = { "hybmon view", "--most=1", "--export=/dev/null", dir, NULL };
	const char *print[6] = { NULL };
	int ret;
	size_t i;

	for (i = 0; i < 4 && ways[number % 3][i]; i++)
		print[i] = ways[number % 3][i];
	print[i] = dir;
	optind = 0;
	ret = hyb_merge_main(6, (char **)merge);
	optind = 0;
	ret |= hyb_print_main((int)i + 1, (char **)print);
	optind = 0;
	ret |= hyb_check_main(3, (char **)check);
	optind = 0;
	ret |= number % 4 == 3 ? hyb_diff_main(4, (char **)diff) : hyb_report_main(3, (char **)report);
	optind = 0;
	if (number % 4 == 1)
		ret |= hyb_view_main(4, (char **)view);
	fflush(stdout);
	return ret;
}

/* True if all of it may be shown. */
static bool is_text(const unsigned char *p, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (p[i] == '\n' || p[i] == '\t')
			continue;
		if (p[i] < ' ' || p[i] == 0x7f || (p[i] == 0xc2 && i + 1 < size && p[i + 1] < 0xa0))
			return false;
		if (p[i] >= 0x80 && p[i] < 0xc0 && (!i || p[i - 1] < 0x80))
			return false;
	}
	return true;
}

static void report(const char *why, double value)
{
	char command[256];

	shared->failures++;
	fprintf(out, "# number %llu: %s %.0f\n", shared->number, why, value);
	fflush(out);
	snprintf(command, sizeof(command), "grep -aE 'ERROR|SUMMARY|runtime error|not so|^ *#[0-7] ' %s/" SAID
		 " | head -n 12 | cat -v | sed 's/^/#   /' >&%d", place, fileno(out));
	if (system(command))
		fprintf(out, "# nothing was said\n");
}

static void judge(int status)
{
	double took = now(CLOCK_PROCESS_CPUTIME_ID) - shared->begun_cpu;
	char path[128];
	size_t size;
	char *text;

	shared->done++;
	if (took > shared->longest) {
		shared->longest = took;
		shared->longest_number = shared->number;
	}
	snprintf(path, sizeof(path), "%s/" SAID, place);
	if (status & ~3) {
		report("ended with status", status);
	} else if (took > LIMIT_S) {
		report("took seconds of CPU time:", took);
	} else if (!hyb_file_read(path, HYB_OWNER_ANY, SIZE_MAX - 1, &text, &size)) {
		if (!is_text((unsigned char *)text, size))
			report("wrote what is no text, bytes:", (double)size);
		free(text);
	}
}

static void clear(void)
{
	int fd = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	require(fd >= 0);
	hyb_file_remove_tree(fd, "e");
	close(fd);
}

struct work {
	const struct corpus *corpus;
	unsigned long long first, end;
	size_t step; /* 0: changes; else cuts at each of these lengths */
};

/* The place of a cut in the corpus; false: there are no more. */
static bool find_cut(const struct work *w, unsigned long long number, size_t *one, size_t *file, size_t *at)
{
	for (*one = 0; *one < w->corpus->count; ++*one) {
		for (*file = 0; *file < w->corpus->cases[*one].count; ++*file) {
			size_t end = fuzz_end(&w->corpus->cases[*one].files[*file]), n = (end + w->step - 1) / w->step;

			if (number < n) {
				*at = (size_t)number * w->step;
				return true;
			}
			number -= n;
		}
	}
	return false;
}

static bool make(const struct work *w, unsigned long long number, char *dir, size_t size)
{
	char folder[128], what[256];
	size_t one, file, at;

	snprintf(folder, sizeof(folder), "%s/e", place);
	mkdir(folder, 0700);
	snprintf(folder, sizeof(folder), "%s/e/c", place);
	if (!w->step)
		fuzz_make(w->corpus, number, folder, what, sizeof(what));
	else if (find_cut(w, number, &one, &file, &at))
		fuzz_truncate(&w->corpus->cases[one], file, at, folder, what, sizeof(what));
	else
		return false;
	snprintf(dir, size, "%s/%s", folder, what);
	return true;
}

/* Reads some of them in this process. False: there are no more. */
static bool read_some(const struct work *w, unsigned long long upto)
{
	char dir[512], path[128];
	bool more = true;
	int status, fd;

	snprintf(path, sizeof(path), "%s/" SAID, place);
	fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	for (; more && shared->number < upto; shared->number++) {
		clear();
		more = make(w, shared->number, dir, sizeof(dir));
		require(!ftruncate(fd, 0));
		begin();
		if (!more)
			break;
		status = read_it(dir, shared->number);
		judge(status);
	}
	return more;
}

/* Sees to a process that reads, until it ends: 0, 3 where there are no more, or what it died of. */
static int watch(pid_t pid)
{
	const struct timespec moment = { .tv_nsec = 5000000 };
	clockid_t cpu;
	int status = 0;

	while (!waitpid(pid, &status, WNOHANG)) {
		nanosleep(&moment, NULL);
		if (now(CLOCK_MONOTONIC) - shared->begun < HANGS_S &&
		    (clock_getcpuclockid(pid, &cpu) || now(cpu) - shared->begun_cpu < 3 * LIMIT_S))
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	if (WIFEXITED(status) && !(WEXITSTATUS(status) & ~3))
		return WEXITSTATUS(status);
	report(WIFEXITED(status) ? "ended with status" : "ended by signal",
	       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	shared->done++;
	shared->number++;
	return 0;
}

/* By processes of some hundred each: what an archive that is given up leaves goes with them. */
static void work(const struct work *w)
{
	unsigned long long said = 0;
	int status = 0;
	pid_t pid;

	for (shared->number = w->first; status != 3 && shared->number < w->end;) {
		shared->begun = now(CLOCK_MONOTONIC);
		shared->begun_cpu = 0;
		fflush(NULL);
		pid = fork();
		require(pid >= 0);
		if (!pid) {
			unsigned long long upto = shared->number + BATCH;

			_exit(read_some(w, upto < w->end ? upto : w->end) ? 0 : 3);
		}
		status = watch(pid);
		if (shared->done < said + 5000)
			continue;
		said = shared->done;
		fprintf(out, "# %llu, longest %.2f s (number %llu), %llu failures\n", said, shared->longest,
			shared->longest_number, shared->failures);
		fflush(out);
	}
}

int main(int argc, char **argv)
{
	const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	struct corpus c;
	struct work w = { .corpus = &c };
	char what[256];

	if (argc < 4) {
		fprintf(stderr, "usage: fuzz-merge FOLDER FIRST COUNT | FOLDER truncate STEP [FIRST COUNT] | FOLDER keep NUMBER TO\n");
		return 2;
	}
	fuzz_load_corpus(&c, argv[1]);
	if (!strcmp(argv[2], "keep") && argc > 4) {
		fuzz_make(&c, strtoull(argv[3], NULL, 10), argv[4], what, sizeof(what));
		printf("%s/%s\n", argv[4], what);
		return 0;
	}
	out = fdopen(dup(STDOUT_FILENO), "w");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(place, sizeof(place), "%s/hybmon-fuzz-XXXXXX", base);
	require(out && shared != MAP_FAILED && mkdtemp(place));
	add_sinks();
	w.end = UINT64_MAX;
	if (!strcmp(argv[2], "truncate")) {
		w.step = strtoul(argv[3], NULL, 10);
		w.first = argc > 5 ? strtoull(argv[4], NULL, 10) : 0;
		w.end = argc > 5 ? w.first + strtoull(argv[5], NULL, 10) : w.end;
	} else {
		w.first = strtoull(argv[2], NULL, 10);
		w.end = w.first + strtoull(argv[3], NULL, 10);
	}
	work(&w);
	fprintf(out, "%sok 1 - %llu experiments, the longest %.2f s (number %llu), %llu failures\n1..1\n",
		shared->failures ? "not " : "", shared->done, shared->longest, shared->longest_number, shared->failures);
	fclose(out);
	clear();
	snprintf(what, sizeof(what), "%s/" SAID, place);
	unlink(what);
	rmdir(place);
	return shared->failures != 0;
}
