/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The service's own process; see service.h. It reads nothing that users send and touches none of their files. The
 * kernel tells who connects, and a process of that user does all the rest (serve.c). So a user can hold up only
 * himself, whatever he sends, and also if a file system of his hangs.
 */
#include "collector/service/service.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "format/collector.h"
#include "collector/common/privilege.h"
#include "collector/service/owner.h"
#include "collector/job/source-list.h"

#define BACKLOG 4096

#define GRACE_MS 10000	/* for its children, to write out what they have */

/* Its children need these to be collectors. It becomes users, ends children, and asks who made a user namespace. */
#define PRIVILEGES (HYB_COLLECTOR_CAPABILITIES | HYB_CAPABILITY(CAP_SETUID) | HYB_CAPABILITY(CAP_SETGID) | \
		    HYB_CAPABILITY(CAP_KILL) | HYB_CAPABILITY(CAP_SYS_PTRACE))

struct job {
	struct job *next;
	pid_t pid;
	uid_t uid;
	uid_t owner;	/* the user whose limit it counts for */
};

static struct {
	const struct hyb_service_options *options;
	struct job *jobs;
	int listener;
	int signals;
	bool stop;
	uint64_t patience;	/* when children that have not ended are killed, nanoseconds */
} service;

static int complain(const char *what, int err)
{
	fprintf(stderr, "hybmon-collect: %s: %s\n", what, strerror(-err));
	return err;
}

static unsigned int jobs_of(uid_t owner)
{
	unsigned int n = 0;

	for (const struct job *j = service.jobs; j; j = j->next)
		n += j->owner == owner;
	return n;
}

static void forget(pid_t pid, int status)
{
	for (struct job **at = &service.jobs; *at; at = &(*at)->next) {
		struct job *job = *at;

		if (job->pid != pid)
			continue;
		/* A child that ended by itself has said what there was to say. */
		if (WIFSIGNALED(status))
			fprintf(stderr, "hybmon-collect: user %u: collector %ld was ended by signal %d\n",
				(unsigned int)job->uid, (long)pid, WTERMSIG(status));
		*at = job->next;
		free(job);
		return;
	}
}

static void reap(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		forget(pid, status);
}

/* In the child, which keeps nothing of the service except the connection. */
static void be_collector(int fd, const struct ucred *peer)
{
	close(service.listener);
	close(service.signals);
	setsid();
	_exit(hyb_service_serve(fd, peer, service.options));
}

static void serve(int fd)
{
	struct job *job = NULL;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	uid_t owner;
	int err;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size))
		return;
	/* It is in a pid namespace above this one, where this process cannot name it. */
	if (peer.pid <= 0)
		return;
	err = hyb_owner_find(fd, &peer, &owner);
	if (err) {
		hyb_service_answer(fd, err, err == -EPERM ? "the job is in a user namespace, and it may not ask whose that is" :
				   "who came cannot be told: %s", strerror(-err));
		return;
	}
	if (jobs_of(owner) >= service.options->jobs)
		reap();
	if (jobs_of(owner) >= service.options->jobs) {
		hyb_service_answer(fd, -EBUSY, "it serves %u jobs of a user at a time, and that many run",
				   service.options->jobs);
		return;
	}
	job = calloc(1, sizeof(*job));
	if (job)
		job->pid = fork();
	if (job && !job->pid)
		be_collector(fd, &peer);
	if (!job || job->pid < 0) {
		hyb_service_answer(fd, job ? -errno : -ENOMEM, "this node has no room for one more process: %s",
				   strerror(errno));
		free(job);
		return;
	}
	job->uid = peer.uid;
	job->owner = owner;
	job->next = service.jobs;
	service.jobs = job;
}

static void accept_all(void)
{
	int fd;

	while ((fd = accept4(service.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
		serve(fd);
		close(fd);
	}
}

static void take_signals(void)
{
	struct signalfd_siginfo info;

	while (read(service.signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		service.stop |= info.ssi_signo != SIGCHLD;
	reap();
}

/* Takes the name if an earlier service has left it behind, and not if a process listens there. */
static int take_name(int fd, const struct sockaddr_un *address)
{
	int probe, err;

	if (!bind(fd, (const void *)address, sizeof(*address)))
		return 0;
	if (errno != EADDRINUSE)
		return -errno;
	probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (probe < 0)
		return -errno;
	err = connect(probe, (const void *)address, sizeof(*address)) ? -errno : 0;
	close(probe);
	if (err != -ECONNREFUSED)
		return -EADDRINUSE;
	if (unlink(address->sun_path) || bind(fd, (const void *)address, sizeof(*address)))
		return -errno;
	return 0;
}

/* Only root may write to the folder: who could replace the socket could pass for the service. */
static int make_folder(const char *path)
{
	char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct stat st;
	char *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (!slash || slash == folder)
		return -EINVAL;
	*slash = 0;
	if (mkdir(folder, 0755) && errno != EEXIST)
		return -errno;
	if (stat(folder, &st))
		return -errno;
	return st.st_uid || st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM : 0;
}

/* Opens the socket for others: whoever may write to it may connect. */
static int give_to_group(const char *path, const char *name)
{
	const struct group *group = name ? getgrnam(name) : NULL;

	if (name && !group)
		return -ENOENT;
	if (group && chown(path, 0, group->gr_gid))
		return -errno;
	return chmod(path, group ? 0660 : 0666) ? -errno : 0;
}

static int listen_at(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int err, fd;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	err = make_folder(path);
	if (err)
		return err;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	umask(0777);
	err = take_name(fd, &address);
	if (!err && listen(fd, BACKLOG))
		err = -errno;
	if (!err)
		err = give_to_group(path, service.options->group);
	if (err) {
		close(fd);
		return err;
	}
	service.listener = fd;
	return 0;
}

static int watch_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	service.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return service.signals < 0 ? -errno : 0;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* SIGCONT, since its user may have stopped a collector. */
static void end_jobs(bool at_once)
{
	for (const struct job *j = service.jobs; j; j = j->next) {
		kill(j->pid, at_once ? SIGKILL : SIGTERM);
		kill(j->pid, SIGCONT);
	}
}

static void begin_to_stop(void)
{
	unlink(service.options->path);
	close(service.listener);
	service.listener = -1;
	service.patience = now() + GRACE_MS * (uint64_t)1000000;
	end_jobs(false);
}

static void run(void)
{
	struct pollfd fds[] = {
		{ .fd = service.signals, .events = POLLIN },
		{ .fd = service.listener, .events = POLLIN },
	};

	while (!service.stop || service.jobs) {
		/* When it stops, it serves nobody else. */
		if (poll(fds, service.stop ? 1 : 2, service.stop ? 100 : -1) < 0 && errno != EINTR)
			break;
		take_signals();
		if (!service.stop)
			accept_all();
		if (service.stop && service.listener >= 0)
			begin_to_stop();
		else if (service.stop && now() >= service.patience)
			end_jobs(true);
	}
}

int hyb_service_run(const struct hyb_service_options *options)
{
	int err;

	if (geteuid())
		return complain("--service is root's: it becomes each user whose job it collects for", -EPERM);
	if (options->group && !getgrnam(options->group)) {
		fprintf(stderr, "hybmon-collect: there is no group %s\n", options->group);
		return -EINVAL;
	}
	service.options = options;
	hyb_source_prepare_all();
	err = watch_signals();
	if (!err)
		err = listen_at(options->path);
	if (err == -EPERM)
		return complain("its folder has to be root's, and only his to write to", err);
	if (err)
		return complain(options->path, err);
	err = hyb_privilege_keep(PRIVILEGES);
	if (err)
		return complain("capabilities", err);
	run();
	return 0;
}
