/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rubbish PATH N: comes N times to the service's socket with requests that are none, of each kind in turn, and prints
 * how many were not refused. rubbish PATH DIR [stay]: comes once with a good one for the directory DIR, and goes;
 * prints the answer. With `stay` it is a process of that job as well, and does not go.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "format/collector.h"

#define MOST 70000

static struct {
	struct hyb_collect_request request;
	char texts[MOST];
} message;
static size_t size;
static int descriptors[4];
static unsigned int count;

static int new_listener(int type)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type, 0);

	/* The kernel finds an abstract name by itself. */
	if (fd < 0 || bind(fd, (void *)&any, sizeof(any.sun_family)) || (type != SOCK_DGRAM && listen(fd, 1)))
		exit(1);
	return fd;
}

static void make_good(const char *directory)
{
	static const char texts[HYB_COLLECT_TEXTS][16] = { "/x/rubbish", "job", "/", "", "" };

	message.request = (struct hyb_collect_request){
		.magic = HYB_COLLECT_MAGIC,
		.version = HYB_COLLECT_VERSION,
		.source = 1,
		.events = 3,
		.buffer = 1 << 20,
		.chunk = 256 << 10,
	};
	size = sizeof(message.request);
	for (int i = 0; i < HYB_COLLECT_TEXTS; i++) {
		memcpy((char *)&message + size, texts[i], strlen(texts[i]) + 1);
		size += strlen(texts[i]) + 1;
	}
	descriptors[0] = new_listener(SOCK_SEQPACKET);
	descriptors[1] = open(directory, O_RDONLY | O_DIRECTORY);
	count = 2;
}

static void swap(int which, int fd)
{
	close(descriptors[which]);
	descriptors[which] = fd;
}

/* Each kind has one thing wrong with it. False: nothing is sent at all. */
static int spoil(long kind)
{
	switch (kind) {
	case 0:
		return 0;
	case 1:
		size = (size_t)random() % MOST;
		for (size_t i = 0; i < size; i++)
			((char *)&message)[i] = (char)random();
		break;
	case 2:
		size = (size_t)random() % size;
		break;
	case 3:
		message.request.magic ^= 1;
		break;
	case 4:
		message.request.version++;
		break;
	case 5:
		message.request.source = (uint32_t)random() % 2 ? 0 : 5 + (uint32_t)random();
		break;
	case 6:
		message.request.buffer = (uint64_t)random() << 33;
		break;
	case 7:
		message.request.chunk = (uint64_t)random() << 32 | 1;
		break;
	case 8:
		message.request.ring = UINT64_MAX;
		break;
	case 9:
		((char *)&message)[size - 1] = 'x';
		break;
	case 10:
		size++;
		break;
	case 11:
		memset(message.texts, 'x', sizeof(message.texts));
		message.texts[0] = '/';
		size = sizeof(message.request) + PATH_MAX + (size_t)random() % (MOST - PATH_MAX);
		break;
	case 12:
		message.texts[0] = 'x';
		break;
	case 13:
		count = 0;
		break;
	case 14:
		count = 1;
		break;
	case 15:
		descriptors[2] = dup(0);
		descriptors[3] = dup(0);
		count = 4;
		break;
	case 16:
		swap(0, open("/dev/null", O_RDWR));
		break;
	case 17:
		swap(0, new_listener(SOCK_STREAM));
		break;
	case 18:
		swap(0, new_listener(SOCK_DGRAM));
		break;
	case 19:
		swap(1, open("/dev/null", O_RDWR));
		break;
	default:
		swap(1, dup(descriptors[0]));
	}
	return 1;
}

static int send_all(int fd)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(descriptors))];
	} control = { .bytes = "" };
	struct iovec part = { .iov_base = &message, .iov_len = size };
	struct msghdr header = { .msg_iov = &part, .msg_iovlen = 1 };

	if (count) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), descriptors, count * sizeof(int));
		header.msg_control = &control;
		header.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	return sendmsg(fd, &header, MSG_NOSIGNAL) < 0;
}

/* Comes to its own listener, as a process of the job does, and lives. */
static void stay(int listener)
{
	const struct hyb_collect_hello hello = { HYB_COLLECT_MAGIC, HYB_COLLECT_VERSION };
	struct sockaddr_un address;
	socklen_t length = sizeof(address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);

	if (getsockname(listener, (void *)&address, &length) || connect(fd, (void *)&address, length) ||
	    send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) < 0)
		exit(1);
	printf("0 stays\n");
	fflush(stdout);
	alarm(120);
	for (;;)
		pause();
}

/* The answer; -EPROTO: there was none. */
static int come(const char *path, long kind, const char *directory, int stays)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct hyb_collect_answer answer = { .error = -EPROTO };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (connect(fd, (void *)&address, sizeof(address))) {
		perror(path);
		exit(1);
	}
	make_good(directory);
	if ((kind < 0 || spoil(kind)) && (!send_all(fd) || errno == EPIPE) && poll(&p, 1, 20000) == 1 &&
	    recv(fd, &answer, sizeof(answer), 0) < 0)
		recv(fd, &answer, sizeof(answer), 0);
	close(fd);
	if (stays && !answer.error)
		stay(descriptors[0]);
	for (unsigned int i = 0; i < 2 || i < count; i++)
		close(descriptors[i]);
	if (kind < 0)
		printf("%d %s\n", answer.error, answer.text);
	return answer.error;
}

int main(int argc, char **argv)
{
	int taken = 0;

	if (argc < 3)
		return 2;
	if (strchr(argv[2], '/'))
		return !!come(argv[1], -1, argv[2], argc > 3);
	for (long i = 0; i < strtol(argv[2], NULL, 10); i++)
		taken += !come(argv[1], i % 21, "/", 0);
	printf("%d\n", taken);
	return taken;
}
