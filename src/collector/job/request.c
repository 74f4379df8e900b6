/* SPDX-License-Identifier: BSD-3-Clause */
/* See request.h. */
#include "collector/job/request.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/job/collect.h"
#include "core/config/config.h"
#include "format/format.h"

#define PATIENCE_MS	5000	/* for the request of a process that has connected */

struct message {
	struct hyb_collect_request request;
	char texts[HYB_COLLECT_TEXTS * PATH_MAX];
	size_t size;		/* of the texts */
	int descriptors[2];
	unsigned int count;
};

/* Takes the descriptors that came with the request, whatever they are. */
static void take_descriptors(struct msghdr *header, struct message *m)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		m->count = (unsigned int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
		if (m->count > 2)
			m->count = 2;
		memcpy(m->descriptors, CMSG_DATA(c), m->count * sizeof(int));
	}
}

static const char *receive_message(int fd, struct message *m)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct iovec parts[] = {
		{ .iov_base = &m->request, .iov_len = sizeof(m->request) },
		{ .iov_base = m->texts, .iov_len = sizeof(m->texts) },
	};
	struct msghdr header = {
		.msg_iov = parts,
		.msg_iovlen = 2,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct pollfd p = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (poll(&p, 1, PATIENCE_MS) <= 0)
		return "no request came";
	n = recvmsg(fd, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (n < (ssize_t)sizeof(m->request) || header.msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return "this is no request";
	m->size = (size_t)n - sizeof(m->request);
	m->count = 0;
	take_descriptors(&header, m);
	return NULL;
}

/* Each text ends with a zero, the last one at the very end of the request. */
static bool part_texts(const struct message *m, const char *text[HYB_COLLECT_TEXTS])
{
	size_t at = 0;

	for (int i = 0; i < HYB_COLLECT_TEXTS; i++) {
		const char *end = at < m->size ? memchr(m->texts + at, 0, m->size - at) : NULL;

		if (!end || end - (m->texts + at) >= PATH_MAX)
			return false;
		text[i] = m->texts + at;
		at = (size_t)(end + 1 - m->texts);
	}
	return at == m->size;
}

/* As libhybmon makes it for a job's processes. */
static bool is_listener(int fd)
{
	int yes = 0, domain = 0, type = 0;
	socklen_t size = sizeof(yes);

	return !getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &yes, &size) && yes &&
	       !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) && domain == AF_UNIX &&
	       !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) && type == SOCK_SEQPACKET;
}

static bool is_directory(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISDIR(st.st_mode);
}

/* The rules of format/collector.tbl.h. */
static const struct rule {
	uint64_t least, most, multiple;
	enum { WORD, SIZE } kind;
} rules[] = {
#define HYB_COLLECT_SETTING(member, config, kind, least, most, multiple) { least, most, multiple, kind },
#include "format/collector.tbl.h"
#undef HYB_COLLECT_SETTING
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

static bool has_wrong(const uint64_t values[RULES], unsigned int kind)
{
	for (size_t i = 0; i < RULES; i++) {
		if (rules[i].kind == kind &&
		    (values[i] < rules[i].least || values[i] > rules[i].most || values[i] % rules[i].multiple))
			return true;
	}
	return false;
}

static const char *check_values(const struct hyb_collect_request *r)
{
	const uint64_t values[RULES] = {
#define HYB_COLLECT_SETTING(member, config, kind, least, most, multiple) r->member,
#include "format/collector.tbl.h"
#undef HYB_COLLECT_SETTING
	};

	if (has_wrong(values, WORD))
		return "it asks for something that there is not";
	return has_wrong(values, SIZE) ? "it asks for a size that is out of range" : NULL;
}

/* Makes use of the descriptors. NULL, or why that cannot be. */
static const char *enter(const int descriptors[2])
{
	int flags = fcntl(descriptors[0], F_GETFL);

	if (fchdir(descriptors[1]) || flags < 0 || fcntl(descriptors[0], F_SETFL, flags | O_NONBLOCK))
		return strerror(errno);
	close(descriptors[1]);
	return NULL;
}

const char *hyb_request_receive(int fd, struct hyb_request *request)
{
	static struct message m; /* its texts are the request's, of which a process has one */
	const char *wrong = receive_message(fd, &m);

	if (wrong)
		return wrong;
	if (m.request.magic != HYB_COLLECT_MAGIC)
		return "this is no request";
	if (m.request.version != HYB_COLLECT_VERSION)
		return "it is of another version of hybmon: install one";
	if (m.count != 2 || !is_listener(m.descriptors[0]) || !is_directory(m.descriptors[1]))
		return "a socket that listens and a directory have to come with it";
	wrong = check_values(&m.request);
	if (wrong)
		return wrong;
	*request = (struct hyb_request){ .wish = m.request, .listener = m.descriptors[0] };
	if (!part_texts(&m, request->text) || *request->text[HYB_COLLECT_EXPERIMENT] != '/' ||
	    *request->text[HYB_COLLECT_DIRECTORY] != '/')
		return "its texts are not what they should be";
	return enter(m.descriptors);
}

int hyb_request_run(const struct hyb_request *request)
{
	const char *tmp = request->text[HYB_COLLECT_TMPDIR];

	hyb_config.chunk = request->wish.chunk;
	hyb_config.ring = request->wish.ring;
	hyb_config.spool = request->text[HYB_COLLECT_SPOOL];
	/* TMPDIR, which a spool's place may come from, is the user's. */
	clearenv();
	if (*tmp)
		setenv("TMPDIR", tmp, 1);
	/* Only the user himself may see what the kernel does under his programs, whatever his umask is. */
	umask(S_IRWXG | S_IRWXO);
	return hyb_collect_run(request);
}
