/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions; see session.h. */
#include "pmpi/adapter/handles/session.h"

#ifdef HYB_HAS_MPI_Session_init

#include <sched.h>
#include <string.h>

#include "core/sys/trie.h"

#define WORLD_PSET "mpi://WORLD"
#define ENDING UINT32_MAX /* nobody may begin to use the session any more */

struct session {
	struct hyb_node node;	/* key: the handle */
	struct session *next;	/* in the list of all that there ever were */
	uint32_t listed;
	uint32_t users1;	/* who is just using it, plus 1; 0: it is not live; or ENDING */
};

static struct hyb_trie sessions;
static struct session *list;

static MPI_Session handle_of(const struct session *s)
{
	return (MPI_Session)(uintptr_t)s->node.key;
}

/* One use more of a live session; it then ends only after hyb_session_release. */
static bool take(struct session *s)
{
	uint32_t users1 = __atomic_load_n(&s->users1, __ATOMIC_ACQUIRE);

	do {
		if (!users1 || users1 == ENDING)
			return false;
		/* Acquire: pairs with the release in hyb_session_add. */
	} while (!__atomic_compare_exchange_n(&s->users1, &users1, users1 + 1, 0, __ATOMIC_ACQUIRE,
					      __ATOMIC_ACQUIRE));
	return true;
}

void hyb_session_release(void *use)
{
	/* Release: pairs with the wait in hyb_session_finalizing. */
	if (use)
		__atomic_sub_fetch(&((struct session *)use)->users1, 1, __ATOMIC_RELEASE);
}

bool hyb_session_use_world(MPI_Group *all, void **use)
{
	struct session *s = __atomic_load_n(&list, __ATOMIC_ACQUIRE);

	for (; s; s = s->next) {
		if (!take(s))
			continue;
		if (PMPI_Group_from_session_pset(handle_of(s), WORLD_PSET, all) == MPI_SUCCESS) {
			*use = s;
			return true;
		}
		hyb_session_release(s);
	}
	return false;
}

/* Puts a session that has a group into the list; each goes there once, the list only grows. */
static void enlist(struct session *s)
{
	struct session *first;

	if (__atomic_exchange_n(&s->listed, 1, __ATOMIC_RELAXED))
		return;
	first = __atomic_load_n(&list, __ATOMIC_RELAXED);
	do {
		s->next = first;
		/* Release: pairs with the load in hyb_session_use_world. */
	} while (!__atomic_compare_exchange_n(&list, &first, s, 0, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

void hyb_session_add(MPI_Session session, int *rank, int *size)
{
	struct session *s = (struct session *)hyb_trie_add(&sessions, HYB_HANDLE(session),
							   sizeof(*s));
	MPI_Group all;

	*rank = MPI_UNDEFINED;
	*size = 0;
	if (s) {
		__atomic_store_n(&s->users1, 1, __ATOMIC_RELEASE);
		enlist(s);
	}
	if (PMPI_Group_from_session_pset(session, WORLD_PSET, &all) == MPI_SUCCESS) {
		PMPI_Group_rank(all, rank);
		PMPI_Group_size(all, size);
		PMPI_Group_free(&all);
	}
}

int hyb_session_thread_level(MPI_Session session)
{
	static const struct {
		const char *name;
		int level;
	} levels[] = {
		{ "MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE },
		{ "MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED },
		{ "MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED },
		{ "MPI_THREAD_SINGLE", MPI_THREAD_SINGLE },
	};
	char value[MPI_MAX_INFO_VAL + 1] = "";
	MPI_Info info = MPI_INFO_NULL;
	int flag = 0;

	if (PMPI_Session_get_info(session, &info) == MPI_SUCCESS) {
		PMPI_Info_get(info, "thread_level", MPI_MAX_INFO_VAL, value, &flag);
		PMPI_Info_free(&info);
	}
	for (size_t i = 0; flag && i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!strcmp(value, levels[i].name))
			return levels[i].level;
	}
	return -1;
}

void hyb_session_finalizing(const MPI_Session *session)
{
	struct hyb_node *node = session ? hyb_trie_find(&sessions, HYB_HANDLE(*session)) : NULL;
	struct session *s = (struct session *)node;
	uint32_t alone = 1;

	if (!s)
		return;
	/* Another thread may be looking up ranks with it; it does not wait for anybody. */
	while (!__atomic_compare_exchange_n(&s->users1, &alone, ENDING, 0, __ATOMIC_ACQUIRE,
					    __ATOMIC_ACQUIRE)) {
		if (!alone || alone == ENDING)
			return;
		sched_yield();
		alone = 1;
	}
}

#else

bool hyb_session_use_world(MPI_Group *all, void **use)
{
	(void)all;
	(void)use;
	return false;
}

void hyb_session_release(void *use)
{
	(void)use;
}

#endif
