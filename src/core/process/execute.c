/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the process executes. Launchers' options, env and shells give a program an LD_PRELOAD of its own, which takes the
 * place of the one that names hybmon; hybmon is put in front of it. Where LD_PRELOAD is taken away, or empty, somebody
 * wants that nothing is preloaded.
 */
#include "core/process/execute.h"

#include <alloca.h>
#include <dlfcn.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/sys/compiler.h"
#include "core/sys/preload.h"
#include "core/sys/sys.h"
#include "core/job/job.h"

#define NAME		"LD_PRELOAD="
#define SPACE_MAX	(256 << 10)	/* of the stack, for the new list; longer ones stay as they are */

static struct {
	char library[PATH_MAX];	/* as the process's LD_PRELOAD names it; empty: it is not preloaded */
	bool run;		/* hybmon run has started this */
} own;

/* Another tool's, behind us, or libc's own; found when the library is loaded, as children of vfork come here. */
static struct {
	int (*execve)(const char *path, char *const argv[], char *const envp[]);
	int (*execv)(const char *path, char *const argv[]);
	int (*execvp)(const char *file, char *const argv[]);
	int (*execvpe)(const char *file, char *const argv[], char *const envp[]);
	int (*fexecve)(int fd, char *const argv[], char *const envp[]);
	int (*posix_spawn)(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);
	int (*posix_spawnp)(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]);
} next;

static void find_next(void)
{
	*(void **)&next.execv = dlsym(RTLD_NEXT, "execv");
	*(void **)&next.execvp = dlsym(RTLD_NEXT, "execvp");
	*(void **)&next.execvpe = dlsym(RTLD_NEXT, "execvpe");
	*(void **)&next.fexecve = dlsym(RTLD_NEXT, "fexecve");
	*(void **)&next.posix_spawn = dlsym(RTLD_NEXT, "posix_spawn");
	*(void **)&next.posix_spawnp = dlsym(RTLD_NEXT, "posix_spawnp");
	/* Last: who sees it has all of them (see_to_next). */
	__atomic_store_n((void **)&next.execve, dlsym(RTLD_NEXT, "execve"), __ATOMIC_RELEASE);
}

/* Another library's constructor may execute something before ours has run. */
static void see_to_next(void)
{
	/* Pairs with the release in find_next. */
	if (!__atomic_load_n((void **)&next.execve, __ATOMIC_ACQUIRE))
		find_next();
}

void hyb_execute_start(void)
{
	const char *list = hyb_job_env("LD_PRELOAD");
	size_t length;
	const char *word = list ? hyb_preload_find(list, &length) : NULL;

	find_next();
	if (word && length < sizeof(own.library)) {
		memcpy(own.library, word, length);
		own.run = hyb_job_env("HYBMON_RUN") != NULL;
	}
}

/* The value of a variable in `envp`, NULL: it has none; its place in *at. */
static const char *find_value(char *const envp[], const char *name, size_t *at)
{
	for (size_t i = 0; envp[i]; i++) {
		if (!strncmp(envp[i], name, strlen(name))) {
			*at = i;
			return envp[i] + strlen(name);
		}
	}
	return NULL;
}

/*
 * Bytes that `envp` takes with hybmon in its LD_PRELOAD; 0: it is to stay as it is. An environment without the run that
 * this belongs to was made anew.
 */
static size_t space_with_ours(char *const envp[])
{
	const char *value;
	size_t at, length, space;

	if (!own.library[0] || !envp)
		return 0;
	value = find_value(envp, NAME, &at);
	if (!value || !value[strspn(value, HYB_PRELOAD_SEPARATORS)] || hyb_preload_find(value, &length))
		return 0;
	if (own.run && !find_value(envp, "HYBMON_RUN=", &at))
		return 0;
	for (length = 0; envp[length]; length++)
		;
	space = (length + 1) * sizeof(envp[0]) + sizeof(NAME) + strlen(own.library) + strlen(value) + 2;
	return space <= SPACE_MAX ? space : 0;
}

static char *append(char *to, const char *text, size_t length)
{
	memcpy(to, text, length);
	return to + length;
}

/* Into `space`, which has as many bytes as space_with_ours has said. */
static char *const *put_ours(void *space, char *const envp[])
{
	char **copy = space;
	size_t n, at = 0;
	const char *value = find_value(envp, NAME, &at);
	size_t front = hyb_preload_front(value);
	char *to;

	for (n = 0; envp[n]; n++)
		copy[n] = envp[n];
	copy[n] = NULL;
	to = (char *)(copy + n + 1);
	copy[at] = to;
	to = append(to, NAME, sizeof(NAME) - 1);
	to = append(to, value, front);
	if (front)
		*to++ = ':';
	value += front + (front && value[front]);
	to = append(to, own.library, strlen(own.library));
	if (*value)
		*to++ = ':';
	append(to, value, strlen(value) + 1);
	return copy;
}

/*
 * The environment to be executed with. On the caller's stack: a child of vfork has its parent's memory, where anything
 * else would stay.
 */
#define WITH_OURS(envp) __extension__({ \
		char *const *env_ = (envp); \
		const size_t space_ = space_with_ours(env_); \
		\
		space_ ? put_ours(alloca(space_), env_) : env_; \
	})

HYB_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	char *const *with = WITH_OURS(envp);

	see_to_next();
	return next.execve(path, argv, with);
}

HYB_EXPORT int execv(const char *path, char *const argv[])
{
	char *const *envp = environ;
	char *const *with = WITH_OURS(envp);

	see_to_next();
	return with == envp ? next.execv(path, argv) : next.execve(path, argv, with);
}

HYB_EXPORT int execvp(const char *file, char *const argv[])
{
	char *const *envp = environ;
	char *const *with = WITH_OURS(envp);

	see_to_next();
	return with == envp ? next.execvp(file, argv) : next.execvpe(file, argv, with);
}

HYB_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	char *const *with = WITH_OURS(envp);

	see_to_next();
	return next.execvpe(file, argv, with);
}

HYB_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	char *const *with = WITH_OURS(envp);

	see_to_next();
	return next.fexecve(fd, argv, with);
}

HYB_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *const *with = WITH_OURS(envp);

	see_to_next();
	return next.posix_spawn(pid, path, actions, attributes, argv, with);
}

HYB_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[])
{
	char *const *with = WITH_OURS(envp);

	see_to_next();
	return next.posix_spawnp(pid, file, actions, attributes, argv, with);
}
