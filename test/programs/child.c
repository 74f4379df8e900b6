/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * child HOW: the ranks start other processes between their calls: fork (the child leaves by exit), _fork (by _exit),
 * _Fork and clone (which call no handler, and whose child makes as many calls as fill chunks), vfork, spawn, system,
 * popen; `exec` replaces each rank by another program after MPI_Finalize. `callback`: a function that MPI calls forks,
 * and the child comes back from MPI when its parent has made all its calls. What the children do leaves no trace and
 * changes nothing in their parent's.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "expect.h"

#define WORLD "MPI_COMM_WORLD"

extern char **environ;

static char *const command[] = { "sh", "-c", "echo from the shell; exit 3", NULL };
/* A rank that ends with a status other than 0 has the others killed, whatever they were about to print. */
static char *const successor[] = { "sh", "-c", "echo from the shell", NULL };

static int wait_for(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static int run_fork(int hard)
{
	pid_t pid;
	int flag;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		printf("from the child\n");
		fflush(stdout);
		/* allowed at any time, also here: must not appear in the parent's stream */
		MPI_Initialized(&flag);
		if (hard)
			_exit(3);
		exit(3);
	}
	return wait_for(pid);
}

#define QUESTIONS 5000

static pid_t quiet_fork(const char *how)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
	if (strcmp(how, "_Fork") == 0)
		return _Fork();
#endif
	(void)how;
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int run_quiet_fork(const char *how)
{
	pid_t pid = quiet_fork(how);
	int flag;

	if (pid == 0) {
		for (int i = 0; i < QUESTIONS; i++)
			MPI_Initialized(&flag);
		_exit(3);
	}
	return wait_for(pid);
}

static int run_vfork(void)
{
	pid_t pid;

	fflush(stdout);
	pid = vfork();
	if (pid == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	return wait_for(pid);
}

static int run_popen(void)
{
	FILE *pipe;
	char line[64];
	int status;

	pipe = popen(command[2], "r");
	CHECK(pipe);
	while (fgets(line, sizeof(line), pipe))
		fputs(line, stdout);
	status = pclose(pipe);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run(const char *how)
{
	pid_t pid;
	int status;

	if (strcmp(how, "fork") == 0)
		return run_fork(0);
	if (strcmp(how, "_fork") == 0)
		return run_fork(1);
	if (strcmp(how, "_Fork") == 0 || strcmp(how, "clone") == 0)
		return run_quiet_fork(how);
	if (strcmp(how, "vfork") == 0)
		return run_vfork();
	if (strcmp(how, "popen") == 0)
		return run_popen();
	if (strcmp(how, "spawn") == 0) {
		fflush(stdout);
		CHECK(posix_spawnp(&pid, command[0], NULL, NULL, command, environ) == 0);
		return wait_for(pid);
	}
	if (strcmp(how, "system") == 0) {
		fflush(stdout);
		status = system(command[2]);
		return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	}
	return -1;
}

static int go_on[2];
static pid_t callback_child;

static int fork_in_callback(MPI_Comm comm, int key, void *value, void *state)
{
	char c;

	(void)comm;
	(void)key;
	(void)value;
	(void)state;
	fflush(stdout);
	callback_child = fork();
	if (callback_child == 0) {
		close(go_on[1]);
		CHECK(read(go_on[0], &c, 1) == 0);
	}
	return MPI_SUCCESS;
}

static void run_callback(void)
{
	int key;

	CHECK(pipe(go_on) == 0);
	CALL(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fork_in_callback, &key, NULL));
	CALL(MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL));
	expect_line("enter MPI_Comm_delete_attr");
	MPI_Comm_delete_attr(MPI_COMM_SELF, key);
	if (callback_child == 0)
		_exit(3);
	expect_line("leave MPI_Comm_delete_attr");
	CALL(MPI_Comm_free_keyval(&key));
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "fork";
	int value = 1;

	CALL(MPI_Init(&argc, &argv));
	if (strcmp(how, "callback") == 0)
		run_callback();
	for (int i = 0; i < 3 && strcmp(how, "exec") != 0 && strcmp(how, "callback") != 0; i++) {
		printf("%s %d: %d\n", how, i, run(how));
		COLL(MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD), 0, WORLD, 0, 0);
	}
	CALL(MPI_Finalize());
	fflush(stdout);
	if (strcmp(how, "callback") == 0) {
		close(go_on[1]);
		printf("callback: %d\n", wait_for(callback_child));
	}
	if (strcmp(how, "exec") == 0)
		execvp(successor[0], successor);
	return 0;
}
