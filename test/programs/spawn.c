/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spawn whole|halves|several: starts processes from all ranks and then from parents and children together; from
 * halves of the ranks at the same time; of several programs at once. Talks to them over the intercommunicator and
 * what is made of it. `spawn child NAME` is such a child; it expects in a folder of its own, so that ranks of several
 * jobs keep apart.
 */
#include "talk.h"

static int me;
static int size;

static void spawn(char *self, const char *of, int count, MPI_Comm comm, int root, MPI_Comm *inter)
{
	char child[] = "child";
	char name[32];
	char *argv[3] = { child, name, NULL };

	snprintf(name, sizeof(name), "%s", of);
	CALL(MPI_Comm_spawn(self, argv, count, MPI_INFO_NULL, root, comm, inter, MPI_ERRCODES_IGNORE));
}

/* All of them; the parents' first children spawn once more together with them. */
static void all_ranks(char *self)
{
	MPI_Comm inter;
	MPI_Comm late;
	MPI_Comm late_all;
	MPI_Comm all;

	spawn(self, "first", 2, MPI_COMM_WORLD, size - 1, &inter);
	all = talk(inter, false, "first");
	spawn(self, "late", 1, all, 0, &late);
	late_all = talk(late, false, "late");
	leave(&late, &late_all);
	leave(&inter, &all);
}

/* At the same time, so that only who led it tells one from the other. */
static void halves(char *self)
{
	const char *of = me % 2 ? "odd" : "even";
	MPI_Comm inter;
	MPI_Comm half;
	MPI_Comm all;

	CALL(MPI_Comm_split(MPI_COMM_WORLD, me % 2, 0, &half));
	spawn(self, of, 1, half, 0, &inter);
	all = talk(inter, false, of);
	leave(&inter, &all);
	CALL(MPI_Comm_free(&half));
}

static void multiple(char *self)
{
	char *commands[2] = { self, self };
	char *argv[3] = { "child", "several", NULL };
	char **argvs[2] = { argv, argv };
	MPI_Info infos[2] = { MPI_INFO_NULL, MPI_INFO_NULL };
	int counts[2] = { 1, 1 };
	MPI_Comm inter;
	MPI_Comm all;

	CALL(MPI_Comm_spawn_multiple(2, commands, argvs, counts, infos, 0, MPI_COMM_WORLD, &inter,
				     MPI_ERRCODES_IGNORE));
	all = talk(inter, false, "several");
	leave(&inter, &all);
}

static void be_child(char *self, const char *of)
{
	MPI_Comm late_all;
	MPI_Comm parent;
	MPI_Comm again;
	MPI_Comm late;
	MPI_Comm all;

	CALL(MPI_Comm_get_parent(&parent));
	CALL(MPI_Comm_get_parent(&again));
	CHECK(parent == again && parent != MPI_COMM_NULL);
	all = talk(parent, true, of);
	if (strcmp(of, "first") == 0) {
		spawn(self, "late", 1, all, 0, &late);
		late_all = talk(late, false, "late");
		leave(&late, &late_all);
	}
	leave(&parent, &all);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "whole";
	bool child = argc > 2 && strcmp(how, "child") == 0;

	if (child)
		expect_apart(argv[2]);
	CALL(MPI_Init(&argc, &argv));
	CALL(MPI_Comm_rank(MPI_COMM_WORLD, &me));
	CALL(MPI_Comm_size(MPI_COMM_WORLD, &size));
	if (child)
		be_child(argv[0], argv[2]);
	else if (strcmp(how, "halves") == 0)
		halves(argv[0]);
	else if (strcmp(how, "several") == 0)
		multiple(argv[0]);
	else
		all_ranks(argv[0]);
	if (!child)
		printf("%d: done\n", me);
	CALL(MPI_Finalize());
	return 0;
}
