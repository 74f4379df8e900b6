/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session only|beside|again: programs with sessions, one inside of the other; beside MPI_Init, outliving it;
 * one after the other. Communicators are made of groups alone, several of the same size with the same tag.
 * Status 77: this MPI has no sessions.
 */
#include "ring.h"

#ifndef HYB_HAS_MPI_Session_init

int main(void)
{
	return 77;
}

#else

static int me;
static int size;

static void name_and_use(MPI_Comm comm, const char *name)
{
	CALL(MPI_Comm_set_name(comm, name));
	use(me, comm, name);
}

static MPI_Session begin(MPI_Group *all)
{
	MPI_Session session;

	CALL(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session));
	CALL(MPI_Group_from_session_pset(session, "mpi://WORLD", all));
	CALL(MPI_Group_rank(*all, &me));
	CALL(MPI_Group_size(*all, &size));
	return session;
}

static void finish(MPI_Session *session, MPI_Group *all)
{
	CALL(MPI_Group_free(all));
	CALL(MPI_Session_finalize(session));
}

static void whole(MPI_Group all, const char *name)
{
	MPI_Request request;
	MPI_Comm comm;
	MPI_Comm twin;
	char twin_name[64];

	CALL(MPI_Comm_create_from_group(all, "org.hybmon.whole", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
					&comm));
	name_and_use(comm, name);
	CALL(MPI_Comm_idup_with_info(comm, MPI_INFO_NULL, &twin, &request));
	CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
	snprintf(twin_name, sizeof(twin_name), "%s again", name);
	name_and_use(twin, twin_name);
	CALL(MPI_Comm_free(&twin));
	CALL(MPI_Comm_free(&comm));
}

/* Neighbours in pairs: each pair makes its communicators with the same tags as all others. */
static void pairs(MPI_Group all, const char *when)
{
	int members[2] = { me & ~1, me | 1 };
	MPI_Group pair;
	MPI_Comm comm;
	MPI_Comm more;
	char name[64];

	if (members[1] >= size)
		return;
	CALL(MPI_Group_incl(all, 2, members, &pair));
	for (int round = 0; round < 2; round++) {
		CALL(MPI_Comm_create_from_group(pair, "org.hybmon.pair", MPI_INFO_NULL,
						MPI_ERRORS_ARE_FATAL, &comm));
		snprintf(name, sizeof(name), "%s pair %d round %d", when, members[0], round);
		name_and_use(comm, name);
		CALL(MPI_Comm_dup(comm, &more));
		snprintf(name, sizeof(name), "%s pair %d dup %d", when, members[0], round);
		name_and_use(more, name);
		CALL(MPI_Comm_free(&more));
		CALL(MPI_Comm_split(comm, me & 1, 0, &more));
		snprintf(name, sizeof(name), "%s alone %d round %d", when, me, round);
		name_and_use(more, name);
		CALL(MPI_Comm_free(&more));
		CALL(MPI_Comm_free(&comm));
	}
	CALL(MPI_Group_free(&pair));
}

/* Intercommunicators between the even and the odd one of each pair, with one tag for all of them. */
static void across(MPI_Group all)
{
	int even = me & ~1;
	int odd = me | 1;
	MPI_Group local;
	MPI_Group remote;
	MPI_Comm comm;
	MPI_Comm merged;
	char name[64];

	if (odd >= size)
		return;
	CALL(MPI_Group_incl(all, 1, me == even ? &even : &odd, &local));
	CALL(MPI_Group_incl(all, 1, me == even ? &odd : &even, &remote));
	CALL(MPI_Intercomm_create_from_groups(local, 0, remote, 0, "org.hybmon.across", MPI_INFO_NULL,
					      MPI_ERRORS_ARE_FATAL, &comm));
	snprintf(name, sizeof(name), "across %d", even);
	CALL(MPI_Comm_set_name(comm, name));
	if (me == even)
		SEND(MPI_Send(&me, 1, MPI_INT, 0, 7, comm), 0, 7, name, INT);
	else
		RECV(MPI_Recv(&even, 1, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE), 0, 7, name, INT);
	CALL(MPI_Intercomm_merge(comm, me == odd, &merged));
	snprintf(name, sizeof(name), "merged %d", me & ~1);
	name_and_use(merged, name);
	CALL(MPI_Comm_free(&merged));
	CALL(MPI_Comm_free(&comm));
	CALL(MPI_Group_free(&local));
	CALL(MPI_Group_free(&remote));
}

static int handled;

static void failed(MPI_Session *session, int *code, ...)
{
	handled += *session != MPI_SESSION_NULL && *code == MPI_ERR_OTHER;
}

static void asked(MPI_Session session)
{
	char name[MPI_MAX_PSET_NAME_LEN];
	int length = sizeof(name);
	MPI_Errhandler handler;
	MPI_Info info;
	int n;

	CALL(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &n));
	CHECK(n >= 2);
	CALL(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
	/* Open MPI 5.0 raises the session's error handler in the next call though it succeeds. */
	CALL(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN));
	CALL(MPI_Session_get_pset_info(session, "mpi://SELF", &info));
	CALL(MPI_Info_get_nkeys(info, &n));
	CALL(MPI_Info_free(&info));
	CALL(MPI_Session_get_info(session, &info));
	length = sizeof(name);
	CALL(MPI_Info_get_string(info, "thread_level", &length, name, &n));
	CALL(MPI_Info_free(&info));
	CALL(MPI_Session_create_errhandler(failed, &handler));
	CALL(MPI_Session_set_errhandler(session, handler));
	CALL(MPI_Session_call_errhandler(session, MPI_ERR_OTHER));
	CHECK(handled == 1);
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_Session_get_errhandler(session, &handler));
	CALL(MPI_Errhandler_free(&handler));
	CALL(MPI_Session_set_errhandler(session, MPI_ERRORS_ARE_FATAL));
}

static void only(void)
{
	MPI_Session outer;
	MPI_Session inner;
	MPI_Group all;
	MPI_Group again;

	outer = begin(&all);
	asked(outer);
	whole(all, "whole");
	pairs(all, "first");
	across(all);
	inner = begin(&again);
	whole(again, "whole of the second");
	finish(&outer, &all);
	pairs(again, "later");
	finish(&inner, &again);
}

static void beside(int *argc, char ***argv)
{
	MPI_Session session;
	MPI_Group all;
	MPI_Comm comm;

	CALL(MPI_Init(argc, argv));
	session = begin(&all);
	CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	name_and_use(comm, "world");
	CALL(MPI_Comm_free(&comm));
	whole(all, "whole");
	CALL(MPI_Finalize());
	pairs(all, "later");
	finish(&session, &all);
}

static void again(void)
{
	MPI_Session session;
	MPI_Group all;
	char name[32];

	for (int i = 0; i < 3; i++) {
		session = begin(&all);
		snprintf(name, sizeof(name), "whole %d", i);
		whole(all, name);
		finish(&session, &all);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "only";

	if (strcmp(how, "beside") == 0)
		beside(&argc, &argv);
	else if (strcmp(how, "again") == 0)
		again();
	else
		only();
	return 0;
}

#endif
