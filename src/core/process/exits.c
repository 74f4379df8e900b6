/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How processes end; see exits.h. A recorded process leaves a link to its directory while it runs (announce.c). Whoever
 * collects the status of a child looks for that link, and where there is one writes the status into the manifest. In
 * processes that have no such children nothing is ever written.
 */
#include "core/process/exits.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "core/sys/compiler.h"
#include "core/sys/stack.h"
#include "core/sys/sys.h"
#include "core/sys/text.h"
#include "core/process/announce.h"
#include "core/process/sandbox.h"

struct note {
	long pid;
	const char *how;
};

static void note_on_stack(void *note)
{
	const struct note *n = note;

	hyb_announce_ended(n->pid, n->how);
}

/* Most children are none of ours: this costs them one look. Shells wait in signal handlers, on little stack. */
static void note_child(long pid, bool signaled, int value)
{
	struct note note = { .pid = pid };
	char how[32];

	if (hyb_sandboxed() || !hyb_announce_is_known(pid))
		return;
	hyb_text_format(how, sizeof(how), signaled ? "signal %d" : "exit %d", value);
	note.how = how;
	hyb_stack_run(note_on_stack, &note);
}

static pid_t note_status(pid_t pid, const int *status)
{
	if (pid > 0 && WIFSIGNALED(*status))
		note_child(pid, true, WTERMSIG(*status));
	else if (pid > 0 && WIFEXITED(*status))
		note_child(pid, false, WEXITSTATUS(*status));
	return pid;
}

/*
 * Another tool's, behind us, or libc's own. Found when the library is loaded: shells wait in signal handlers, where dlsym
 * may not go.
 */
static struct {
	pid_t (*wait)(int *status);
	pid_t (*waitpid)(pid_t pid, int *status, int options);
	pid_t (*wait3)(int *status, int options, struct rusage *usage);
	pid_t (*wait4)(pid_t pid, int *status, int options, struct rusage *usage);
	int (*waitid)(idtype_t type, id_t id, siginfo_t *info, int options);
	void (*quick_exit)(int status);
	void (*_exit)(int status);
	void (*_Exit)(int status);
} next;

static void find_next(void)
{
	*(void **)&next.wait = dlsym(RTLD_NEXT, "wait");
	*(void **)&next.waitpid = dlsym(RTLD_NEXT, "waitpid");
	*(void **)&next.wait3 = dlsym(RTLD_NEXT, "wait3");
	*(void **)&next.wait4 = dlsym(RTLD_NEXT, "wait4");
	*(void **)&next.quick_exit = dlsym(RTLD_NEXT, "quick_exit");
	*(void **)&next._exit = dlsym(RTLD_NEXT, "_exit");
	*(void **)&next._Exit = dlsym(RTLD_NEXT, "_Exit");
	/* Last: who sees it has all of them (see_to_next). */
	__atomic_store_n((void **)&next.waitid, dlsym(RTLD_NEXT, "waitid"), __ATOMIC_RELEASE);
}

/* Another library's constructor may wait, or end the process, before ours has run. */
static void see_to_next(void)
{
	/* Pairs with the release in find_next. */
	if (!__atomic_load_n((void **)&next.waitid, __ATOMIC_ACQUIRE))
		find_next();
}

HYB_EXPORT pid_t wait(int *status)
{
	int own = 0;
	int *seen = status ? status : &own;

	see_to_next();
	return note_status(next.wait(seen), seen);
}

HYB_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
	int own = 0;
	int *seen = status ? status : &own;

	see_to_next();
	return note_status(next.waitpid(pid, seen, options), seen);
}

HYB_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
	int own = 0;
	int *seen = status ? status : &own;

	see_to_next();
	return note_status(next.wait3(seen, options, usage), seen);
}

HYB_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	int own = 0;
	int *seen = status ? status : &own;

	see_to_next();
	return note_status(next.wait4(pid, seen, options, usage), seen);
}

static void note_info(const siginfo_t *info)
{
	if (info->si_pid <= 0)
		return;
	if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
		note_child(info->si_pid, true, info->si_status);
	else if (info->si_code == CLD_EXITED)
		note_child(info->si_pid, false, info->si_status);
}

/* Of recorded children, the last that holds. */
enum children {
	CHILDREN_NONE,
	CHILDREN_LIVE,
	CHILDREN_DIE,	/* one is on its way out, so its end is near */
};

/* Whether the kernel is ending the process, by PF_EXITING, PF_DUMPCORE or PF_SIGNALED in /proc/PID/stat. */
static bool is_dying(long pid)
{
	const unsigned long ending = 0x4 | 0x200 | 0x400;
	char path[32], text[512];
	const char *word;
	long fd, got;

	hyb_text_format(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = hyb_sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	got = hyb_sys_read(fd, text, sizeof(text) - 1);
	hyb_sys_close(fd);
	text[got > 0 ? got : 0] = 0;
	/* The program's name stands in parentheses and may have any character. The flags are the seventh word after it. */
	word = strrchr(text, ')');
	for (int i = 0; word && i < 7; i++)
		word = strchr(word + 1, ' ');
	return word && strtoul(word, NULL, 10) & ending;
}

/* Of the processes in `list`, numbers with a blank after each. */
static enum children recorded_of(const char *list)
{
	enum children are = CHILDREN_NONE;

	while (*list) {
		char *end;
		long pid = strtol(list, &end, 10);

		if (end == list)
			break;
		if (hyb_announce_is_known(pid)) {
			if (is_dying(pid))
				return CHILDREN_DIE;
			are = CHILDREN_LIVE;
		}
		list = end + (*end == ' ');
	}
	return are;
}

/* Of a thread that ends the process; of a launcher that is the only one it has. */
static enum children recorded_children(void)
{
	char list[4096];
	long fd = hyb_sys_open("/proc/thread-self/children", O_RDONLY, 0);
	long got;

	if (fd < 0)
		return CHILDREN_NONE;
	got = hyb_sys_read(fd, list, sizeof(list) - 1);
	hyb_sys_close(fd);
	list[got > 0 ? got : 0] = 0;
	return recorded_of(list);
}

/* Collects all children that have ended; whether some are left. */
static bool note_ended_children(void)
{
	siginfo_t info;

	do {
		info.si_pid = 0;
		if (HYB_SYS(waitid, P_ALL, 0, &info, WEXITED | WNOHANG, 0, 0))
			return false;
		note_info(&info);
	} while (info.si_pid);
	return true;
}

/*
 * A launcher that gives a job up may end without collecting all its ranks. This is the last that a process
 * does, so nobody else wants to know of its dead children. A rank that it has just killed, or whose socket it
 * saw closing, takes a moment to die: for such and only for such it stays a little, and somewhat longer where the
 * kernel is ending one, which takes its time where CPUs are busy or a core is written.
 */
static void note_uncollected(void)
{
	const struct timespec moment = { .tv_nsec = 2000000 };

	for (int i = 0; i < 1000 && note_ended_children(); i++) {
		const enum children are = recorded_children();

		if (are == CHILDREN_NONE || (are == CHILDREN_LIVE && i >= 50))
			return;
		HYB_SYS(nanosleep, &moment, NULL, 0, 0, 0, 0);
	}
}

HYB_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t own = { .si_pid = 0 };
	siginfo_t *seen = info ? info : &own;
	int ret;

	see_to_next();
	ret = next.waitid(type, id, seen, options);
	if (!ret && (options & WEXITED) && !(options & WNOWAIT))
		note_info(seen);
	return ret;
}

static struct hyb_exits exits;
static struct {
	bool (*is_due)(void);
	void (*end)(bool normal);
} also;

void hyb_exits_also(bool (*is_due)(void), void (*end)(bool normal))
{
	also.is_due = is_due;
	also.end = end;
}

struct end {
	int status;
	bool normal;
};

static void end_on_stack(void *end)
{
	const struct end *e = end;
	uint64_t signals = hyb_stack_signals();

	/* A spool may be long in moving home. */
	hyb_sys_restore_signals(&signals);
	if (also.end)
		also.end(e->normal);
	if (exits.end)
		exits.end(e->status);
	note_uncollected();
}

static bool has_children(void)
{
	siginfo_t info;

	return !HYB_SYS(waitid, P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT, 0, 0);
}

/* Programs end in signal handlers, too, on little stack. Of most processes there is nothing to be noted. */
static void end_process(int status, bool normal)
{
	struct end end = { .status = status, .normal = normal };

	if (hyb_sandboxed())
		return;
	if (!(exits.is_recording && exits.is_recording()) && !has_children() &&
	    !(normal && also.is_due && also.is_due()))
		return;
	hyb_stack_run(end_on_stack, &end);
}

static void on_normal_exit(int status, void *unused)
{
	(void)unused;
	end_process(status, true);
}

static int quick_status = HYB_STATUS_UNKNOWN;

static void on_quick_exit(void)
{
	end_process(__atomic_load_n(&quick_status, __ATOMIC_RELAXED), false);
}

void hyb_exits_start(const struct hyb_exits *by)
{
	exits = *by;
	/*
	 * Registered before anything else in the process, hence run after everything else, even after
	 * the destructors of all libraries: those may still call MPI.
	 */
	on_exit(on_normal_exit, NULL);
	at_quick_exit(on_quick_exit);
	find_next();
}

/* Its handlers are not told the status. One of them may call it again, with another one, which then holds. */
HYB_EXPORT _Noreturn void quick_exit(int status)
{
	__atomic_store_n(&quick_status, status & 0xff, __ATOMIC_RELAXED);
	see_to_next();
	if (next.quick_exit)
		next.quick_exit(status);
	_exit(status);
}

static _Noreturn void end_by(void (*exit_next)(int status), int status)
{
	if (exit_next)
		exit_next(status);
	for (;;)
		HYB_SYS(exit_group, status, 0, 0, 0, 0, 0);
}

HYB_EXPORT _Noreturn void _exit(int status)
{
	end_process(status, false);
	see_to_next();
	end_by(next._exit, status);
}

HYB_EXPORT _Noreturn void _Exit(int status)
{
	end_process(status, false);
	see_to_next();
	end_by(next._Exit, status);
}
