/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to a collector: each setting of format/collector.tbl.h at the ends of its range and beyond, texts that are not
 * what they should be, and descriptors that are none of a job's.
 */
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collector/job/request.h"
#include "core/config/config.h"
#include "format/format.h"
#include "../lib/tap.h"

static struct {
	struct hyb_collect_request request;
	char texts[HYB_COLLECT_TEXTS * PATH_MAX + 16];
} message;
static size_t size;
static int descriptors[4];
static unsigned int count;

static const struct setting {
	const char *name;
	size_t at;
	uint64_t least, most, multiple;
} settings[] = {
#define HYB_COLLECT_SETTING(member, config, kind, least, most, multiple) \
	{ #member, offsetof(struct hyb_collect_request, member), least, most, multiple },
#include "format/collector.tbl.h"
#undef HYB_COLLECT_SETTING
};

static int new_socket(int type)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (void *)&any, sizeof(any.sun_family)))
		exit(1);
	return fd;
}

static int new_listener(int type)
{
	int fd = new_socket(type);

	if (listen(fd, 1))
		exit(1);
	return fd;
}

static void add_text(const char *text)
{
	memcpy((char *)&message + size, text, strlen(text) + 1);
	size += strlen(text) + 1;
}

static void make_good(void)
{
	static const char *const texts[HYB_COLLECT_TEXTS] = { "/an/experiment", "job", "/", "", "/tmp", "99Hz" };

	memset(&message, 0, sizeof(message));
	message.request.magic = HYB_COLLECT_MAGIC;
	message.request.version = HYB_COLLECT_VERSION;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		*(uint64_t *)(void *)((char *)&message + settings[i].at) = settings[i].least;
	size = sizeof(message.request);
	for (int i = 0; i < HYB_COLLECT_TEXTS; i++)
		add_text(texts[i]);
	descriptors[0] = new_listener(SOCK_SEQPACKET);
	descriptors[1] = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	descriptors[2] = dup(0);
	descriptors[3] = dup(0);
	count = 2;
}

/* Sends it, and closes what went with it. Whether it is taken. */
static bool is_taken(struct hyb_request *request)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(descriptors))];
	} control = { .bytes = "" };
	struct iovec part = { .iov_base = &message, .iov_len = size };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };
	const char *wrong;
	int ends[2];

	if (count) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) || sendmsg(ends[0], &header, 0) < 0)
		exit(1);
	close(ends[0]);
	wrong = hyb_request_receive(ends[1], request);
	close(ends[1]);
	for (unsigned int i = 0; i < 4; i++)
		close(descriptors[i]);
	if (wrong)
		printf("# %s\n", wrong);
	return !wrong;
}

static bool takes_value(const struct setting *s, uint64_t value)
{
	struct hyb_request request;

	make_good();
	memcpy((char *)&message + s->at, &value, sizeof(value));
	return is_taken(&request) && !memcmp((char *)&request.wish + s->at, &value, sizeof(value));
}

static void test_setting(const struct setting *s)
{
	tap(takes_value(s, s->least) && takes_value(s, s->most), "%s: the ends of its range", s->name);
	tap((!s->least || !takes_value(s, s->least - s->multiple)) && !takes_value(s, s->most + s->multiple) &&
	    !takes_value(s, UINT64_MAX - UINT64_MAX % s->multiple), "%s: not beyond them", s->name);
	if (s->multiple > 1)
		tap(!takes_value(s, s->least + 1), "%s: only multiples of %u", s->name, (unsigned int)s->multiple);
}

static void test_good(void)
{
	struct hyb_request request;
	char here[PATH_MAX];

	make_good();
	tap(is_taken(&request), "a good one");
	tap(!strcmp(request.text[HYB_COLLECT_EXPERIMENT], "/an/experiment") && !strcmp(request.text[HYB_COLLECT_JOB], "job") &&
	    !strcmp(request.text[HYB_COLLECT_DIRECTORY], "/") && !*request.text[HYB_COLLECT_SPOOL] &&
	    !strcmp(request.text[HYB_COLLECT_TMPDIR], "/tmp") && !strcmp(request.text[HYB_COLLECT_SAMPLE], "99Hz"), "its texts");
	tap(getcwd(here, sizeof(here)) && !strcmp(here, "/"), "it leads into the directory");
	tap(fcntl(request.listener, F_GETFL) & O_NONBLOCK && fcntl(request.listener, F_GETFD) & FD_CLOEXEC,
	    "its listener does not block and goes to nobody else");
	close(request.listener);
}

#define REFUSED(what, spoil) \
	do { \
		struct hyb_request refused; \
		make_good(); \
		spoil; \
		tap(!is_taken(&refused), "%s", what); \
	} while (0)

static void swap(int which, int fd)
{
	close(descriptors[which]);
	descriptors[which] = fd;
}

int main(void)
{
	test_good();
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		test_setting(&settings[i]);
	REFUSED("too short", size = sizeof(message.request) - 1);
	REFUSED("another kind of message", message.request.magic ^= 1);
	REFUSED("another version", message.request.version++);
	REFUSED("no descriptors", count = 0);
	REFUSED("one descriptor", count = 1);
	REFUSED("too many descriptors", count = 4);
	REFUSED("a socket that does not listen", swap(0, new_socket(SOCK_SEQPACKET)));
	REFUSED("a socket of another type", swap(0, new_listener(SOCK_STREAM)));
	REFUSED("a file for a socket", swap(0, open("/dev/null", O_RDWR)));
	REFUSED("a file for a directory", swap(1, open("/dev/null", O_RDWR)));
	REFUSED("a text without an end", ((char *)&message)[size - 1] = 'x');
	REFUSED("one text too few", size -= sizeof("99Hz"));
	REFUSED("one text too many", add_text(""));
	REFUSED("an experiment without an absolute path", message.texts[0] = 'x');
	REFUSED("a directory without an absolute path", message.texts[sizeof("/an/experiment") + sizeof("job")] = 'x');
	REFUSED("a text that is longer than a path", {
		memset(message.texts, 'x', PATH_MAX);
		message.texts[0] = '/';
		size = sizeof(message.request) + PATH_MAX;
		for (int i = 0; i < HYB_COLLECT_TEXTS; i++)
			add_text("/");
	});
	return tap_done();
}
