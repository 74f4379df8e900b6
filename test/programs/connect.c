/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * connect accept|connect FOLDER: two jobs that meet. One opens a port and publishes it, the other looks it up; they
 * connect twice by it, then the ranks 0 of both once more over a socket. FOLDER is where they tell each other that
 * something is ready.
 */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <time.h>

#include "talk.h"

#define SERVICE "org.hybmon.test"

static const char *folder;
static int me;

static void tell(const char *what, int value)
{
	char path[PATH_MAX];
	char temporary[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, what);
	snprintf(temporary, sizeof(temporary), "%s/.%s", folder, what);
	file = fopen(temporary, "w");
	CHECK(file);
	fprintf(file, "%d\n", value);
	CHECK(fclose(file) == 0 && rename(temporary, path) == 0);
}

static int wait_for(const char *what)
{
	const struct timespec moment = { .tv_nsec = 10000000 };
	char path[PATH_MAX];
	FILE *file;
	int value;

	snprintf(path, sizeof(path), "%s/%s", folder, what);
	while (!(file = fopen(path, "r")))
		nanosleep(&moment, NULL);
	CHECK(fscanf(file, "%d", &value) == 1);
	fclose(file);
	return value;
}

static void meet(bool accepts, char *port, const char *of)
{
	MPI_Comm inter;
	MPI_Comm all;

	if (accepts)
		CALL(MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
	else
		CALL(MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter));
	all = talk(inter, !accepts, of);
	leave(&inter, &all);
}

/* A connected socket to the other job's rank 0. */
static int connected(bool accepts)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	int listening = fd;

	CHECK(fd >= 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!accepts) {
		address.sin_port = htons(wait_for("socket"));
		CHECK(connect(fd, (struct sockaddr *)&address, size) == 0);
		return fd;
	}
	CHECK(bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 1) == 0);
	CHECK(getsockname(fd, (struct sockaddr *)&address, &size) == 0);
	tell("socket", ntohs(address.sin_port));
	fd = accept(listening, NULL, NULL);
	CHECK(fd >= 0);
	close(listening);
	return fd;
}

static void join(bool accepts)
{
	MPI_Comm inter;
	int fd = connected(accepts);

	CALL(MPI_Comm_join(fd, &inter));
	across(inter, !accepts, "joined");
	CALL(MPI_Comm_disconnect(&inter));
	close(fd);
}

int main(int argc, char **argv)
{
	char port[MPI_MAX_PORT_NAME] = "";
	bool accepts;

	CHECK(argc > 2);
	accepts = strcmp(argv[1], "accept") == 0;
	folder = argv[2];
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	if (me == 0 && accepts) {
		CALL(MPI_Open_port(MPI_INFO_NULL, port));
		CALL(MPI_Publish_name(SERVICE, MPI_INFO_NULL, port));
		tell("published", 1);
	} else if (me == 0) {
		wait_for("published");
		CALL(MPI_Lookup_name(SERVICE, MPI_INFO_NULL, port));
	}
	meet(accepts, port, "one");
	meet(accepts, port, "two");
	if (argc > 3 && me == 0)
		join(accepts);
	COLL(MPI_Barrier(MPI_COMM_WORLD), NO_ROOT, "MPI_COMM_WORLD", 0, 0);
	if (me == 0 && accepts) {
		CALL(MPI_Unpublish_name(SERVICE, MPI_INFO_NULL, port));
		CALL(MPI_Close_port(port));
	}
	CALL(MPI_Finalize());
	printf("%d: done\n", me);
	return 0;
}
