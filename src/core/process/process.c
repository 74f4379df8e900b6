/* SPDX-License-Identifier: BSD-3-Clause */
/* The process's recording life; see process.h. */
#include "core/process/process.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>

#include "core/sys/alive.h"
#include "core/sys/clock.h"
#include "core/config/config.h"
#include "core/config/filter.h"
#include "core/config/library.h"
#include "core/sys/log.h"
#include "core/sys/memory.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/counters/counters.h"
#include "core/job/place.h"
#include "core/process/announce.h"
#include "core/collector/collector.h"
#include "core/process/execute.h"
#include "core/process/exits.h"
#include "core/process/machine.h"
#include "core/process/sandbox.h"
#include "core/collector/slot.h"
#include "core/record/copied.h"
#include "core/record/definitions.h"
#include "core/record/manifest.h"
#include "core/outcomes/order.h"
#include "core/outcomes/turns.h"
#include "core/record/recorder.h"
#include "core/record/thread.h"

static struct {
	int state;		/* enum hyb_process_state; RECORDING is stored with release */
	uint32_t starting;	/* see hyb_sys_once_take */
	int wish;		/* what the program asked for before the start: 1 on, -1 off */
	int ended_noted;
	enum hyb_process_telling telling;
	int forked;		/* a child of a recorded process */
	int told;		/* where it was recorded into has been said */
	int rank;		/* plus 1, so that 0 is "not known" */
	long pid;
	char directory[PATH_MAX];	/* the working one at the beginning; programs change it before MPI_Init */
	struct hyb_place *place;
	struct hyb_job job;
} process;

enum hyb_process_state hyb_process_state(void)
{
	return hyb_copied() ? HYB_PROCESS_OFF : __atomic_load_n(&process.state, __ATOMIC_ACQUIRE);
}

int hyb_process_rank(void)
{
	return __atomic_load_n(&process.rank, __ATOMIC_RELAXED) - 1;
}

bool hyb_process_is_recording(void)
{
	return hyb_process_state() == HYB_PROCESS_RECORDING;
}

static long open_file(const char *name, int flags, struct hyb_identity *identity)
{
	return process.place ? hyb_place_open(process.place, name, flags, identity) : -ENOENT;
}

static void unlink_file(const char *name)
{
	if (process.place)
		hyb_place_unlink(process.place, name);
}

static void report_loss(int err)
{
	const char *dir = process.place ? process.place->process : "";

	hyb_manifest_set("lost", "%llu", (unsigned long long)hyb_thread_lost());
	hyb_manifest_set("lost-why", "%s", hyb_text_errno(-err));
	if (hyb_config.full == HYB_FULL_RING)
		hyb_log_once(HYB_LOG_WARNING,
			     "%s: %s; from here on the oldest events are given up for new ones; set "
			     "HYBMON_SPOOL or HYBMON_TRACE_DIR to a place with more space",
			     dir, hyb_text_errno(-err));
	else
		hyb_log_once(HYB_LOG_WARNING,
			     "%s: %s; events are lost from here on, and counted; set HYBMON_SPOOL or "
			     "HYBMON_TRACE_DIR to a place with more space, or HYBMON_FULL=ring",
			     dir, hyb_text_errno(-err));
}

static const struct hyb_recorder recorder = {
	.is_recording = hyb_process_is_recording,
	.start = hyb_process_start,
	.open = open_file,
	.unlink = unlink_file,
	.report_loss = report_loss,
};

struct line {
	const char *key;
	const char *value;
	size_t length;
};

static void add_line(void *line)
{
	const struct line *l = line;

	hyb_manifest_add(l->key, l->value, l->length);
}

static void add(const char *key, const char *value, size_t length)
{
	struct line line = { .key = key, .value = value, .length = length };

	hyb_stack_run(add_line, &line);
}

static void add_text(const char *key, const char *value)
{
	add(key, value, strlen(value));
}

/* One line an argument; /proc has them with a zero behind each. */
static void add_arguments(void)
{
	size_t size = 64 << 10;
	char *text;
	long n;

	/* Command lines have no limit worth the name; most fit at once. */
	for (;;) {
		text = hyb_alloc(size);
		if (!text)
			return;
		n = hyb_sys_read_file("/proc/self/cmdline", text, size);
		if (n < (long)size - 1)
			break;
		size *= 4;
	}
	for (long at = 0; at < n; at += (long)strlen(text + at) + 1)
		add_text("args", text + at);
}

static void add_environment(void)
{
	extern char **environ;

	for (char **e = environ; e && *e; e++) {
		if (!strncmp(*e, "HYBMON_", 7))
			add_text("env", *e);
	}
}

/* Which groups of MPI functions are recorded: where ranks differ in that, they need not differ in what they do. */
static void add_groups(void)
{
	char word[HYB_CONFIG_WORD], text[512] = "";
	size_t length = 0;
	bool all = true;

	/* Of which group what is that is left out by name, is not known here. */
	if (hyb_filter_has(HYB_FILTER_MPI)) {
		add_text("groups", "none");
		return;
	}
	for (unsigned int n = 0; *hyb_config_word("MPI", n, word); n++) {
		if (!(hyb_config.mpi >> n & 1))
			all = false;
		else if (length < sizeof(text) - sizeof(word) - 1)
			length += hyb_text_format(text + length, sizeof(text) - length, length ? ",%s" : "%s", word);
	}
	add_text("groups", all ? "all" : length ? text : "none");
}

static void add_facts(void)
{
	static const char *const counters[] = { "", "tsc", "cntvct", "monotonic_raw" };
	static const char *const modes[] = { "trace", "profile", "both" };
	const char *scheduler;
	char program[256];
	char number[64];
	char text[256];
	long n;

	add_text("hybmon", PACKAGE_VERSION);
	hyb_place_program(program, sizeof(program));
	add_text("program", program);
	add_arguments();
	add_text("directory", process.directory);
	hyb_job_host(text, sizeof(text));
	add_text("host", text);
	n = hyb_sys_read_file("/proc/sys/kernel/random/boot_id", text, sizeof(text));
	if (n > 1)
		add("boot", text, (size_t)n - 1);
	hyb_text_format(text, sizeof(text), "%ld", HYB_SYS(getuid, 0, 0, 0, 0, 0, 0));
	add_text("uid", text);
	hyb_text_utc(text, sizeof(text), (long long)time(NULL));
	add_text("started", text);
	/* With its rate, good to 1e-4, for a process that dies before it has two clock tuples apart. */
	hyb_text_format(text, sizeof(text), "%s %llu", counters[hyb_clock_kind()],
			(unsigned long long)hyb_clock_second());
	add_text("counter", text);
	add_text("mode", modes[hyb_config.mode]);
	add_groups();
	add_text("experiment", process.place->experiment);
	add_text("job", process.job.key);
	scheduler = hyb_job_scheduler(number, sizeof(number));
	if (scheduler) {
		hyb_text_format(text, sizeof(text), "%s %s", scheduler, number);
		add_text("scheduler", text);
	}
	if (process.job.parent[0])
		add_text("parent", process.job.parent);
	if (process.job.parent_rank >= 0) {
		hyb_text_format(text, sizeof(text), "%d", process.job.parent_rank);
		add_text("parent-rank", text);
	}
	add_environment();
	hyb_machine_begin(add_text);
	if (process.place->final[0])
		add_text("spool", process.place->process);
}

static int begin_files(void)
{
	int err = hyb_manifest_create();

	if (err)
		return err;
	hyb_manifest_set("state", "running");
	hyb_manifest_set("lost", "0");
	hyb_manifest_set("pid", "%ld", process.pid);
	hyb_manifest_set("start", "%llu %llu", (unsigned long long)hyb_alive_namespace(),
			 (unsigned long long)hyb_alive_started(process.pid));
	hyb_manifest_set("finalized", "no");
	if (process.job.rank >= 0)
		hyb_manifest_set("rank", "%d", process.job.rank);
	err = hyb_defs_start();
	if (err)
		return err;
	hyb_manifest_hold();
	add_facts();
	hyb_manifest_release();
	return 0;
}

static bool file_name(unsigned int n, char *buf, size_t size, const void *unused)
{
	(void)unused;
	if (!n)
		hyb_text_format(buf, size, "manifest");
	else if (n == 1)
		hyb_text_format(buf, size, "defs.hyb");
	else if (n % 2)
		hyb_text_format(buf, size, "thread-%u.prof", n / 2 - 1);
	else
		hyb_text_format(buf, size, "thread-%u.hyb", n / 2 - 1);
	/* Number 0 may be missing, so one more than there are streams. */
	return n / 2 <= hyb_thread_streams() + 1;
}

/* Why a process is not recorded is said once; it runs on as if hybmon were not there. */
static bool begin(void)
{
	struct hyb_place *place;
	int err;

	if (!hyb_config.enable)
		return false;
	hyb_filter_load(hyb_config.filter);
	place = hyb_alloc(sizeof(*place));
	if (!place)
		return false;
	process.pid = HYB_SYS(getpid, 0, 0, 0, 0, 0, 0);
	hyb_job_identify(&process.job);
	__atomic_store_n(&process.rank, process.job.rank + 1, __ATOMIC_RELAXED);
	err = hyb_place_make(place, &process.job, process.directory);
	if (err) {
		hyb_log(HYB_LOG_ERROR,
			"cannot make %s: %s; nothing is recorded; set HYBMON_TRACE_DIR to a directory "
			"that can be written", place->experiment, hyb_text_errno(-err));
		return false;
	}
	process.place = place;
	err = begin_files();
	if (err) {
		hyb_place_forget(place, file_name, NULL);
		hyb_log(HYB_LOG_ERROR, "cannot write to %s: %s; nothing is recorded; set HYBMON_SPOOL or "
			"HYBMON_TRACE_DIR to another directory", place->process, hyb_text_errno(-err));
		return false;
	}
	if (place->created && place->refused)
		hyb_log(HYB_LOG_WARNING, "the name wished for is taken: %s; this experiment is %s",
			hyb_text_errno(-place->refused), place->experiment);
	else if (place->created && place->renamed && !hyb_config.run[0])
		hyb_log(HYB_LOG_NOTE, "an experiment of that name is there already; this one is %s",
			place->experiment);
	hyb_thread_start();
	hyb_exits_announce(place->process);
	if (place->created || hyb_job_first_of_node())
		hyb_announce_tidy();
	return true;
}

/*
 * What takes locks of others: the dynamic linker's, which a constructor has that calls MPI and then waits for us, and
 * those of the program's malloc. So it is done before, by each thread that comes.
 */
static void prepare(void)
{
	static int prepared;

	hyb_process_load();
	hyb_config_load();
	if (!hyb_config.enable)
		return;
	hyb_job_look();
	if (hyb_config.kernel != HYB_KERNEL_OFF || hyb_config.sample[0])
		hyb_library_look();
	if (__atomic_exchange_n(&prepared, 1, __ATOMIC_RELAXED))
		return;
	hyb_copied_start();
	if (hyb_config.counters[0])
		hyb_counters_look();
	pthread_atfork(NULL, NULL, hyb_process_forked);
}

/* A program may ask for it in a signal handler, where nothing can be started. */
enum hyb_process_state hyb_process_wish(bool on)
{
	if (hyb_process_state() != HYB_PROCESS_IDLE)
		return hyb_process_state();
	/* Either the start sees the wish, or this sees the start: pairs with apply_wish(). */
	__atomic_store_n(&process.wish, on ? 1 : -1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&process.state, __ATOMIC_SEQ_CST);
}

uint32_t hyb_process_groups(void)
{
	return hyb_config.mpi | HYB_RECORDING_USER(hyb_config.user) | HYB_RECORDING_ON;
}

/* Returns the wish, which is not applied where it is `known`. */
static int apply_wish(enum hyb_process_state state, int known)
{
	int wish = __atomic_load_n(&process.wish, __ATOMIC_SEQ_CST);

	if (wish != known && state == HYB_PROCESS_RECORDING)
		__atomic_store_n(&hyb_recording, wish > 0 ? hyb_process_groups() : 0, __ATOMIC_RELAXED);
	return wish;
}

static void note_counters(const char *way)
{
	add_text("counters", way);
}

/* On a stack of our own. */
static void try_start(void *result)
{
	enum hyb_process_state state;
	int *taken = result;
	int wish;

	prepare();
	*taken = hyb_sys_once_take(&process.starting);
	if (*taken <= 0)
		return;
	hyb_slot_settle();
	state = begin() ? HYB_PROCESS_RECORDING : HYB_PROCESS_OFF;
	__atomic_store_n(&hyb_recording, state == HYB_PROCESS_OFF || !hyb_config.record ? 0 :
			 hyb_process_groups(), __ATOMIC_RELAXED);
	wish = apply_wish(state, 0);
	__atomic_store_n(&process.state, state, __ATOMIC_SEQ_CST);
	apply_wish(state, wish);
	hyb_sys_once_give(&process.starting);
	if (state == HYB_PROCESS_RECORDING && hyb_config.counters[0])
		hyb_counters_start(hyb_process_speaks(), note_counters);
	if (state == HYB_PROCESS_RECORDING)
		hyb_slot_start();
	/*
	 * Other threads record meanwhile: to find out that a service does not answer may take seconds. This one's first
	 * event comes after it has waited, and the process's first clock tuple, which the run begins with: the wait is in
	 * no region, and not in the run.
	 */
	if (state == HYB_PROCESS_RECORDING && hyb_collect_wanted())
		hyb_collect_start(process.place->experiment, process.job.key, process.directory,
				  hyb_process_speaks());
	hyb_def_clock();
}

int hyb_process_try(void)
{
	enum hyb_process_state state = hyb_process_state();
	int saved = errno;
	int taken;

	if (state == HYB_PROCESS_IDLE && !hyb_sandboxed()) {
		hyb_stack_run(try_start, &taken);
		errno = saved;
		if (taken < 0)
			return taken;
		state = hyb_process_state();
	}
	return state == HYB_PROCESS_RECORDING;
}

void hyb_process_wait(void)
{
	hyb_sys_once_wait(&process.starting);
}

bool hyb_process_start(void)
{
	int err;

	while ((err = hyb_process_try()) == -EAGAIN)
		hyb_process_wait();
	return err > 0;
}

static void note_first(void *unused)
{
	(void)unused;
	hyb_place_note_first(process.place);
}

void hyb_process_set_rank(int rank)
{
	__atomic_store_n(&process.rank, rank + 1, __ATOMIC_RELAXED);
	hyb_manifest_set("rank", "%d", rank);
	if (!rank)
		hyb_stack_run(note_first, NULL);
}

void hyb_process_note(const char *key, const char *value, size_t length)
{
	if (hyb_process_is_recording())
		add(key, value, length);
}

bool hyb_process_speaks(void)
{
	int rank = hyb_process_rank();

	return !rank || (rank < 0 && process.place && (process.place->created || !process.job.run));
}

static void find_part(void *part)
{
	*(bool *)part = !hyb_place_has_first(process.place);
}

/* By one process of each job, once; and by one of each further node that has an experiment of its own. */
static void tell(void)
{
	bool part = false;

	if (__atomic_exchange_n(&process.told, 1, __ATOMIC_RELAXED))
		return;
	if (hyb_process_rank() > 0)
		hyb_stack_run(find_part, &part);
	if (part)
		hyb_log(HYB_LOG_NOTE, "recorded into %s, which is a part of the job; hybmon-merge takes all parts together",
			process.place->experiment);
	else if (hyb_process_rank() <= 0)
		hyb_log(HYB_LOG_NOTE, "recorded into %s; %s", process.place->experiment,
			hyb_config.order == HYB_ORDER_WISH_ONLY ? "hybmon replay runs it again" :
			hyb_config.mode == HYB_MODE_PROFILE ? "hybmon report shows what it has" :
							      "hybmon-merge makes it an OTF2 trace");
}

void hyb_process_tell(void)
{
	if (!hyb_process_rank() || process.place->created)
		tell();
}

void hyb_process_tell_later(enum hyb_process_telling when)
{
	if (when > process.telling)
		process.telling = when;
}

/* The first thing that is known of the end holds: what comes after MPI_Abort is its consequence. */
static bool first_to_note_end(void)
{
	return !__atomic_exchange_n(&process.ended_noted, 1, __ATOMIC_RELAXED);
}

void hyb_process_note_end(const char *function, int value)
{
	if (hyb_process_is_recording() && first_to_note_end())
		hyb_manifest_set("ended", "%s %d", function, value);
}

static void leave_spool(const struct hyb_place *place)
{
	int err = hyb_place_move(place, file_name, NULL);

	if (err)
		hyb_log(HYB_LOG_WARNING, "cannot move the streams to %s: %s; they stay in %s",
			place->experiment, hyb_text_errno(-err), place->process);
}

/* The last thing the process does. Idempotent. */
static void end(int status)
{
	const struct hyb_place *place = process.place;
	int recording = HYB_PROCESS_RECORDING;
	int saved = errno;

	/* A child made by vfork has the parent's memory and ends by _exit. */
	if (process.pid != HYB_SYS(getpid, 0, 0, 0, 0, 0, 0) ||
	    !hyb_process_is_recording())
		return;
	hyb_def_clock();
	hyb_threads_note_usage();
	hyb_machine_end(add_text);
	if (!__atomic_compare_exchange_n(&process.state, &recording, HYB_PROCESS_ENDED, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&hyb_recording, 0, __ATOMIC_RELAXED);
	if (status != HYB_STATUS_UNKNOWN && first_to_note_end())
		hyb_manifest_set("ended", "exit %d", status & 0xff);
	hyb_manifest_set("lost", "%llu", (unsigned long long)hyb_thread_lost());
	hyb_manifest_set("threads", "%u", hyb_thread_streams());
	hyb_orders_end(hyb_turns_end());
	hyb_threads_end();
	hyb_defs_end();
	hyb_manifest_set("state", "ended");
	if (process.telling == HYB_TELL_AT_END && hyb_process_speaks())
		tell();
	if (status != HYB_STATUS_UNKNOWN)
		hyb_exits_withdraw();
	if (place->rendezvous[0])
		hyb_sys_unlink(place->rendezvous, 0);
	if (place->final[0])
		leave_spool(place);
	errno = saved;
}

/* The program is about to forbid itself system calls that recording needs. Who started it sees how it ends. */
static void stop_on_stack(void *nothing)
{
	int idle = HYB_PROCESS_IDLE;

	(void)nothing;
	__atomic_compare_exchange_n(&process.state, &idle, HYB_PROCESS_OFF, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	if (!hyb_process_is_recording())
		return;
	add_text("stopped", "the program forbade itself system calls that recording needs (seccomp)");
	hyb_log(HYB_LOG_WARNING, "this program forbids itself system calls that recording needs (seccomp); nothing is recorded from "
		"here on");
	end(HYB_STATUS_UNKNOWN);
}

static void stop(void)
{
	hyb_stack_run(stop_on_stack, NULL);
}

void hyb_process_load(void)
{
	static const struct hyb_exits exits = { .is_recording = hyb_process_is_recording, .end = end };
	static int loaded;

	if (__atomic_exchange_n(&loaded, 1, __ATOMIC_RELAXED))
		return;
	hyb_log_start(hyb_process_rank, hyb_thread_number);
	/* A directory that was deleted reads as "(unreachable)..." and is no place to write to. */
	if (HYB_SYS(getcwd, process.directory, sizeof(process.directory), 0, 0, 0, 0) < 0 ||
	    process.directory[0] != '/')
		memcpy(process.directory, "/", 2);
	hyb_library_start(hyb_job_env("LD_PRELOAD"));
	hyb_record_for(&recorder);
	hyb_exits_start(&exits);
	hyb_sandbox_start(stop);
	hyb_execute_start();
}

bool hyb_process_is_copy(void)
{
	return hyb_copied() || __atomic_load_n(&process.forked, __ATOMIC_RELAXED);
}

void hyb_process_forked(void)
{
	__atomic_store_n(&process.forked, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&hyb_recording, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&process.state, HYB_PROCESS_OFF, __ATOMIC_RELEASE);
	hyb_threads_forked();
}
